#!/bin/bash
# SPDX-License-Identifier: MIT
# The completion scripts are right for their shells, and bash offers every option of every command.
set -u
dir=$BUILD_DIR/completions
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

# offers WORD...: what bash offers for the last of the words
offers()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_xperf
	echo " ${COMPREPLY[*]} "
}

for pair in bash:xperf.bash zsh:_xperf fish:xperf.fish; do
	if command -v "${pair%%:*}" >/dev/null; then
		"${pair%%:*}" -n "$dir/${pair#*:}" || fail "${pair#*:} is no script"
	else
		echo "${pair%%:*} is not installed, its script is not checked"
	fi
done

source "$dir/xperf.bash" || exit 1
commands=$("$XPERF" --list-cmds)
for command in $commands; do
	[[ $(offers xperf "${command:0:3}") == *" $command "* ]] || fail "$command is not offered"
	while read -r letter long value; do
		if [[ $long == - ]]; then
			[[ $(offers xperf "$command" -) == *" $letter "* ]] || fail "$command $letter"
			continue
		fi
		[[ $(offers xperf "$command" "${long%?}") == *" $long "* ]] || fail "$command $long"
		# an option behind another one and its value, in both spellings
		if [[ $value == \[* ]]; then
			[[ $(offers xperf "$command" "$long" --hel) == *" --help "* ]] ||
				fail "behind $command $long, which needs no value"
		elif [[ $value != - ]]; then
			[[ $(offers xperf "$command" "$long" x --hel) == *" --help "* ]] ||
				fail "behind $command $long x"
			[[ $(offers xperf "$command" "$long" = x --hel) == *" --help "* ]] ||
				fail "behind $command $long=x"
			[[ $(offers xperf "$command" "$long" --hel) == "  " ]] ||
				fail "$command $long: a value is not an option"
		fi
		grep -q -e "--${long#--}[]=+[{}, ']" "$dir/_xperf" || fail "zsh: $command $long"
		grep -q "from $command' .*-l ${long#--} " "$dir/xperf.fish" ||
			fail "fish: $command $long"
	done < <("$XPERF" --list-options "$command")
	[[ $(offers xperf "$command" program --hel) == "  " ]] || fail "$command: not ours"
	[[ $(offers xperf "$command" -- --hel) == "  " ]] || fail "$command: behind --"
done

# Words of values: from what the option shows, and of lists, each of which the option accepts.
[[ $(offers xperf report --stdio-color al) == *' always '* ]] || fail 'always is not offered'
[[ $(offers xperf report --stdio-color = ne) == *' never '* ]] || fail 'never is not offered'
[[ $(offers xperf report -s com) == ' comm ' ]] || fail "-s com: $(offers xperf report -s com)"
[[ $(offers xperf report -s comm,sym) == *' comm,symbol '* ]] || fail "-s comm,sym: $(offers xperf report -s comm,sym)"
[[ $(offers xperf report --sort = +d) == *' +dso '* ]] || fail "--sort=+d: $(offers xperf report --sort = +d)"
[[ $(offers xperf report -s comm --hel) == *' --help '* ]] || fail 'after -s comm'
[[ $(offers xperf record --call-graph dw) == ' dwarf ' ]] || fail "--call-graph dw: $(offers xperf record --call-graph dw)"
[[ $(offers xperf report --call-graph = cal) == *' callee '* ]] || fail '--call-graph=cal'
[[ $(offers xperf report -o x -i '') == '  ' ]] || fail 'a file is no word'
for words in "_values -s , sort comm " ":(always never auto)" ":(auto fp dwarf lbr)"; do
	grep -qF -- "$words" "$dir/_xperf" || fail "zsh: $words"
done
for words in "(__fish_append , comm " "-a 'always never auto'" "-a 'auto fp dwarf lbr'"; do
	grep -qF -- "$words" "$dir/xperf.fish" || fail "fish: $words"
done
data=$SOURCE_DIR/tests/data/perfdata/files/local61-g-fp
accepts()
{
	local command=$1 option=$2 word
	shift 2
	for word in $(offers xperf "$command" "$option" = ''); do
		"$XPERF" "$command" "$@" "$option=$word" >/dev/null 2>"$BUILD_DIR/completions.err" ||
			! grep -v "have no field\|do not have\|needs an address\|^Hint:" "$BUILD_DIR/completions.err" | grep -q "'$word'" ||
			fail "$command $option=$word: $(cat "$BUILD_DIR/completions.err")"
	done
	rm -f "$BUILD_DIR/completions.err"
}
for option in --sort --fields --call-graph --percent-type; do
	accepts report "$option" -f -i "$data"
done
accepts annotate --percent-type -f -i "$data" --quiet
accepts diff --sort -f "$data" "$data"
accepts diff --compute -f "$data" "$data"
accepts script --fields -f -i "$data"
for option in --call-graph --clockid --branch-filter; do
	accepts record "$option" --dry-run -e dummy -o /dev/null true
done

# Events are those of this machine, also behind others and where ':' begins a word of bash.
[[ $(offers "$XPERF" stat -e page-f) == *' page-faults '* ]] || fail "no event is offered"
[[ $(offers "$XPERF" stat --event = page-f) == *' page-faults '* ]] || fail "--event=: no event"
[[ $(offers "$XPERF" stat -e '{cs,page-f') == *' {cs,page-faults '* ]] || fail "no second event"
[[ $(offers "$XPERF" stat -e cs -e page-f) == *' page-faults '* ]] || fail "second -e: no event"
[[ $(offers "$XPERF" stat -e cs : u --hel) == *' --help '* ]] || fail "behind an event with ':'"
[[ $(offers "$XPERF" stat -e cs : u,sched : x) == '  ' ]] || fail "an event is offered for x"
tracepoint=$("$XPERF" list --raw-dump tracepoint 2>/dev/null | cut -d ' ' -f 1)
if [[ $tracepoint == *:* ]]; then
	[[ $(offers "$XPERF" stat -e "${tracepoint%:*}" : '') == *" ${tracepoint#*:} "* ]] ||
		fail "no tracepoint is offered"
fi
exit $failed
