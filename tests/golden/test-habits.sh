#!/bin/bash
# SPDX-License-Identifier: MIT
# What perf's users type: the table of README.md is true, and each command of perf that is not here is
# answered with the sentence that xperf(1) has.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
readme=$SOURCE_DIR/README.md
manual=$SOURCE_DIR/man/xperf.1

fail()
{
	echo "FAIL: $*"
	failed=1
}

# --- the table of README.md ---

# cells: "perf ...<tab>what happens", without the quotes of Markdown
cells()
{
	sed -n '/^What is typed most/,/^Where it is not/ s/^| `\(perf [^`]*\)` | \(.*\) |$/\1\t\2/p' "$readme"
}

may_watch_cpus()
{
	"$XPERF" record -q -a -e cpu-clock -o "$dir/all" true 2>/dev/null
}

# try TYPED EXPECTED: runs it as a user does, in a directory with recordings
try()
{
	local typed=$1 expected=${2//\`/\'} args status

	read -ra args <<<"${typed#perf }"
	args=("${args[@]/#PID/$$}")
	# What goes on until a key or a signal ends it, as long as the machine may be watched.
	if [[ ${args[0]} == top ]]; then
		may_watch_cpus || return 0
		args+=(--refreshes 2)
	fi
	# Whatever was recorded last: what reads it finds samples, in code that is there.
	cp "$dir/busy" "$dir/perf.data"
	cp "$dir/busy" "$dir/perf.data.old"
	"$XPERF" "${args[@]}" </dev/null >"$dir/out" 2>"$dir/err"
	status=$?
	if [[ $expected == 'the same' ]]; then
		((status == 0)) || fail "$typed: status $status: $(head -3 "$dir/err")"
		[[ -s $dir/out || -s $dir/err ]] || fail "$typed: nothing is printed"
	else
		((status == 1)) || fail "$typed: status $status"
		[[ $(cat "$dir/err") == "xperf has no command '${args[0]}' ("*"): $expected" ]] ||
			fail "$typed: README.md has '$expected', printed was: $(cat "$dir/err")"
	fi
}

cd "$dir" || exit 1
if "$XPERF" record -q -o "$dir/busy" "$XPERF" test -w noploop 0.2 >/dev/null 2>"$dir/err"; then
	nr=0
	while IFS=$'\t' read -r typed expected; do
		((++nr))
		if [[ $typed == *' -a '* ]] && ! may_watch_cpus; then
			echo "not tried, as CPUs may not be watched: $typed"
			continue
		fi
		try "$typed" "$expected"
	done < <(cells)
	((nr == 20)) || fail "README.md has $nr rows"
else
	echo "nothing can be recorded here, so the table of README.md is not tried: $(cat "$dir/err")"
fi

# --- perf's other commands ---

# items: "name<tab>text" of the manual, with the quotes of messages
items()
{
	awk '/^\.Ss Commands of perf/ { inside = 1 }
	/^\.El/ && inside { if (name) print name "\t" text; exit }
	!inside { next }
	/^\.It Cm / { if (name) print name "\t" text; name = $3; text = ""; next }
	!name { next }
	{
		line = $0
		gsub(/\\\(dq/, "\"", line)
		if (sub(/^\.Ql /, "\047", line) && !sub(/ [.,;]$/, "\047&", line))
			line = line "\047"
		sub(/\047 [.,;]$/, "\047" substr(line, length(line)), line)
		text = text (text ? " " : "") line
	}' "$manual"
}

commands=" $("$XPERF" --list-cmds) "
nr=0
while IFS=$'\t' read -r name text; do
	((++nr))
	[[ $commands != *" $name "* ]] || fail "$name is a command, and xperf(1) says that there is none"
	said=$("$XPERF" "$name" --help 2>&1 >/dev/null) && fail "$name: status 0"
	what=${said#*\(}
	shown="${what/): /: }."
	[[ ${shown^} == "$text" ]] || fail "$name: xperf(1) has '$text', printed was: $said"
done < <(items)
((nr > 10)) || fail "xperf(1) has $nr commands of perf"
# Whatever the perf of this machine has is here, or is answered.
if command -v perf >/dev/null; then
	for name in $(perf --list-cmds 2>/dev/null); do
		[[ $commands == *" $name "* ]] && continue
		"$XPERF" "$name" 2>&1 | grep -q "^xperf has no command '$name' (.*): " ||
			fail "perf $name is not answered"
	done
fi
exit $failed
