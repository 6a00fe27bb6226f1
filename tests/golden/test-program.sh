#!/bin/bash
# SPDX-License-Identifier: MIT
# The program's frame: names, exit statuses and the lines scripts look for.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ln -s "$XPERF" "$dir/perf"

# expect STATUS REGEX COMMAND...: the status, and a line on stdout or stderr
expect()
{
	local status=$1 regex=$2 output got
	shift 2
	output=$("$@" 2>&1)
	got=$?
	if ((got != status)) || ! grep -Eq -- "$regex" <<<"$output"; then
		echo "FAIL: $*: status $got, wanted $status and '$regex', got: $output"
		failed=1
	fi
}

expect 0 '^xperf version [0-9]+\.[0-9]+\.[0-9]+$' "$XPERF" version
expect 0 '^xperf version ' "$XPERF" --version
expect 0 '^xperf version ' "$XPERF" -v
# What programs that start perf look for: toplev and ocperf the two numbers and a dot, others the third word,
# Eclipse the whole line.
expect 0 '^perf version 6\.[0-9]+\.[0-9]+$' "$dir/perf" version
expect 0 '^\(xperf [0-9]+\.[0-9]+\.[0-9]+\)$' "$dir/perf" version
expect 0 '^perf version 6\.' "$dir/perf" --version
expect 0 '^perf version 6\.' "$dir/perf" version --build-options
# The lines that are perf's have the name it was called by.
cp "$SOURCE_DIR/tests/data/perfdata/files/local61-g-fp" "$dir/data"
expect 0 '^\[ perf data convert: Converted .* into JSON data ' "$dir/perf" data convert -i "$dir/data" --to-json "$dir/json"
expect 0 '^\[ xperf data convert: Converted and wrote ' "$XPERF" data convert -f -i "$dir/data" --to-json "$dir/json"
"$dir/perf" script -i "$dir/data" --per-event-dump >"$dir/out" 2>"$dir/err"
grep -Eq '^\[ perf script: Wrote .* \([0-9]+ samples\) \]$' "$dir/out" && [[ ! -s $dir/err ]] ||
	{ echo "FAIL: --per-event-dump: $(cat "$dir/out" "$dir/err")"; failed=1; }
# Nor is anything on stderr that perf does not say.
expect 0 '^Note: no sample matches' "$XPERF" report -f -i "$dir/data" -S nosuch
"$dir/perf" report --stdio -i "$dir/data" -S nosuch >"$dir/out" 2>"$dir/err"
[[ -s $dir/out && ! -s $dir/err ]] || { echo "FAIL: perf report -S nosuch: $(cat "$dir/err")"; failed=1; }
expect 0 '^ +libelf: \[ (on |OFF) \]  # HAVE_LIBELF_SUPPORT$' "$XPERF" version --build-options
expect 0 '^ +libelf: ' "$XPERF" -vv
expect 0 '^xperf is under the MIT licence\.' "$XPERF" version --build-options
# The licence of what is linked in is shown where it is linked in.
licence='It contains cp-demangle.o of libiberty, which is under the GPL'
"$XPERF" check -q feature libiberty; has_libiberty=$((!$?))
[[ $("$XPERF" version --build-options | grep -c "$licence") == "$has_libiberty" ]] ||
	{ echo "FAIL: version --build-options: licence of libiberty"; failed=1; }
expect 129 'unexpected argument' "$XPERF" version now

expect 1 '^Usage: xperf ' "$XPERF"
expect 1 '^Usage: xperf ' "$XPERF" --no-pager
expect 0 '^xperf version ' "$XPERF" --no-pager version
expect 0 '^    version +' "$XPERF" help
expect 0 '^Usage: xperf version ' "$XPERF" help version
expect 0 '^Usage: xperf version ' "$XPERF" version -h
expect 0 '^Usage: perf version ' "$dir/perf" version --help
expect 1 "^perf has no command 'nosuch'" "$dir/perf" nosuch
# By that name, what leads to perf leads back here.
expect 1 "^xperf has no command 'trace' .*'xperf report --syscalls' for their sums\$" "$dir/perf" trace
expect 1 "^xperf has no command 'trace' .*'perf trace -i FILE' for each of them\$" "$XPERF" trace
expect 1 "^xperf has no command 'verison', did you mean 'version'\?" "$XPERF" verison
expect 129 "unknown option '--nosuch'" "$XPERF" --nosuch
expect 129 '^Usage: xperf version ' "$XPERF" version --nosuch

# Help goes through the pager on a terminal.
if command -v script >/dev/null; then
	shown=$(TERM=xterm PERF_PAGER='sed s/^/paged:/' script -qec "$XPERF version --help" /dev/null </dev/null)
	[[ $shown == 'paged:Usage: xperf version '* ]] || { echo "FAIL: --help without a pager: $shown"; failed=1; }
	shown=$(TERM=xterm PERF_PAGER='sed s/^/paged:/' script -qec "$XPERF --no-pager version --help" /dev/null </dev/null)
	[[ $shown == 'Usage: xperf version '* ]] || { echo "FAIL: --no-pager: $shown"; failed=1; }
	# less would wait for a key where the terminal can do nothing.
	mkdir "$dir/bin"
	printf '#!/bin/sh\nsed s/^/less:/\n' >"$dir/bin/less"
	chmod +x "$dir/bin/less"
	for term in dumb unknown '' xterm; do
		shown=$(env -u PERF_PAGER -u PAGER PATH="$dir/bin:$PATH" TERM=$term script -qec "$XPERF version --help" /dev/null </dev/null)
		[[ $term == xterm || $shown == 'Usage: xperf version '* ]] || { echo "FAIL: TERM=$term: $shown"; failed=1; }
	done
	[[ $shown == 'less:'* ]] || { echo "FAIL: less is not used: $shown"; failed=1; }
fi

# Which features are on differs by build; libelf has its line in --build-options.
state=$("$XPERF" version --build-options | sed -n 's/^ *libelf: //p')
on=1
[[ $state == '[ on  ]'* ]] && on=0
expect $on '^ +libelf: ' "$XPERF" check feature libelf
expect $on '^$' "$XPERF" check feature -q libelf
expect $on '^$' "$XPERF" check -q feature LibElf
expect 1 '^ +libperl: \[ OFF \]  # HAVE_LIBPERL_SUPPORT$' "$XPERF" check feature libelf,libperl
expect 1 "there is no feature 'libelv', did you mean 'libelf'\?" "$XPERF" check feature libelv
expect 1 "there is no feature ''" "$XPERF" check feature libelf,
expect 129 '^Usage: ' "$XPERF" check feature
expect 129 '^Usage: ' "$XPERF" check libelf

expect 0 '^-q	--quiet	-$' "$XPERF" --list-options check
expect 0 '^-w	--workload	name$' "$XPERF" --list-options test
expect 1 'xperf has no command' "$XPERF" --list-options nosuch
expect 1 'needs the name' "$XPERF" --list-options
expect 1 'bash, zsh, fish' "$XPERF" --complete tcsh

# What scripts and completions of perf ask for.
expect 0 '^--no-pager --buildid-dir --help .*--list-cmds .*--exec-path ' "$XPERF" --list-opts
expect 0 '^stat .* report ' "$XPERF" --list-cmds
for command in $("$XPERF" --list-cmds); do
	names=$("$XPERF" --list-options "$command" | awk -F '\t' '$2 != "-" { printf "%s ", $2 } END { print "" }')
	[[ $("$XPERF" "$command" --list-opts) == "$names" ]] || { echo "FAIL: $command --list-opts"; failed=1; }
	"$XPERF" "$command" --list-opts nonsense >/dev/null 2>&1 || { echo "FAIL: $command --list-opts nonsense"; failed=1; }
done
expect 0 "^${XPERF%/*}$" "$XPERF" --exec-path
expect 0 '^xperf version ' "$XPERF" --exec-path=/nonexistent --no-pager version
expect 129 '^Error: --no-pager: takes no value$' "$XPERF" --no-pager=1 version
expect 129 '^Error: --buildid-dir: requires a value$' "$XPERF" --buildid-dir
expect 1 '^Usage: xperf ' "$XPERF" --buildid-dir "$dir/kept"

# A file that is only below --buildid-dir has names there: what was recorded is gone.
if "$XPERF" check -q feature libelf && cp "$(command -v sort)" "$dir/sorter" 2>/dev/null; then
	yes | head -300000 >"$dir/lines"
	if "$XPERF" --buildid-dir "$dir/kept" record -q --buildid-cache -e cpu-clock:u -o "$dir/sorted" "$dir/sorter" "$dir/lines" >/dev/null 2>&1; then
		id=$("$XPERF" buildid-list -i "$dir/sorted" | sed -n "s|^\([0-9a-f]*\) $dir/sorter$|\1|p")
		[[ -e $dir/kept/.build-id/${id:0:2}/${id:2}/elf ]] || { echo "FAIL: record --buildid-cache: nothing in --buildid-dir"; failed=1; }
		"$XPERF" --buildid-dir=/dev/null record -q --buildid-cache -e cpu-clock:u -o "$dir/none" true ||
			{ echo "FAIL: --buildid-dir=/dev/null"; failed=1; }
		rm "$dir/sorter"
		shown=$("$XPERF" --buildid-dir="$dir/kept" report -v -q -s dso,sym -d sorter -i "$dir/sorted" 2>/dev/null)
		[[ $shown == *' b '* ]] || { echo "FAIL: report --buildid-dir: $shown"; failed=1; }
	else
		echo "nothing can be recorded here: --buildid-dir is not tried"
	fi
fi

# Options behind arguments.
data=$SOURCE_DIR/tests/data/perfdata/files/local61-g-fp
expect 0 '^# Baseline +Ratio' "$XPERF" diff "$data" "$data" -f -c ratio
expect 0 '^# Children +Self +Command' "$XPERF" report e -f -i "$data" -s comm
expect 0 'packed' env HOME="$dir" "$XPERF" archive "$data" -f -o "$dir/data.tar"
expect 0 '^xperf version ' "$XPERF" version --build-options

# Standard output that cannot be written is a failure.
"$XPERF" version >/dev/full 2>"$dir/err" && echo "FAIL: a full disk goes unnoticed" && failed=1
grep -q 'No space left' "$dir/err" || { echo "FAIL: no reason for a full disk"; failed=1; }
exit $failed
