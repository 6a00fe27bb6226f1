#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a user of `xperf compare` relies on: which commands run, how often, in which order and with
# what around them; exit statuses; and that different work is told from the same, by a count that no
# other program disturbs.
set -uo pipefail
: "${XPERF:?}" "${CC:?}"
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

# complain TEXT: one fault, with what was printed
complain()
{
	echo "$1"
	sed 's/^/    /' out err log 2>/dev/null
	failed=1
}

# compare ARGUMENTS...: leaves out, err, log and $status behind; events are not counted
compare()
{
	: >log
	"$XPERF" compare -n "$@" >out 2>err </dev/null
	status=$?
}

# is STATUS TEXT WHAT: the last exit status, and what the commands have logged, in one line
is()
{
	local logged

	logged=$(tr '\n' ' ' <log)
	[[ $status == "$1" && $logged == "$2" ]] ||
		complain "$3: exit status $status, not $1, or logged '$logged', not '$2'"
}

# fails STATUS TEXT ARGUMENTS...: with a line that holds TEXT
fails()
{
	local expected=$1 text=$2

	shift 2
	compare "$@"
	if [[ $status != "$expected" ]] || ! grep -qF -- "$text" err; then
		complain "$*: exit status $status, not $expected, or no '$text'"
	fi
}

cat >say <<'END'
#!/bin/sh
echo "$*" >>log
END
cat >pad <<'END'
#!/bin/sh
echo "${#XPERF_COMPARE_PADDING}" >>log
END
chmod +x say pad

# --- what is run ---
compare --seed 1 -r 1 './say "a  b" c\ d '"'e f'"
is 0 'a  b c d e f ' 'quotes'
compare --seed 1 -r 1 -- ./say 'a | b' --
is 0 'a | b ' 'a list of arguments'
compare --seed 1 -r 1 --shell 'echo one >>log; echo two >>log'
is 0 'one two ' 'a shell'
compare --seed 1 -r 1 --shell='sh -e' 'false; echo two >>log'
[[ $status == 255 && ! -s log ]] || complain 'a shell with options'
compare './say a' -r 2 --warmup 3
is 0 'a a a a a ' 'warm-up'
compare -r 2 --setup './say s{n}' --prepare './say p' --conclude './say c' --cleanup './say e' \
	-L n=7 './say {n}'
is 0 's7 p 7 c p 7 c e ' 'hooks'
compare -r 1 --seed 3 --prepare './say pa' --prepare './say pb' './say a' './say b'
[[ $(paste -sd ' ' log) == @(pa a pb b|pb b pa a) ]] || complain 'one --prepare for each command'
compare -r 1 -L n=1,2 -L m=x,y './say {n}{m}{k}'
[[ $(sort log | paste -sd ' ') == '1x{k} 1y{k} 2x{k} 2y{k}' ]] || complain 'a sweep'

# --- the order ---
compare -r 20 --seed 5 './say a' './say b'
cp log first
compare -r 20 --seed 5 './say a' './say b'
cmp -s first log || complain 'the same seed, another order'
paste -d '' - - <log | sort | uniq -c >rounds
[[ $(awk '{ print $2 }' rounds | paste -sd ' ') == 'ab ba' ]] ||
	complain "rounds are not both in either order: $(cat rounds)"
grep -q -- '--seed 5' out || complain 'the seed is not printed'
compare -r 20 './pad'
(( $(sort -u log | wc -l) > 10 )) || complain 'the environment is not padded'
compare -r 3 --no-padding './pad'
is 0 '0 0 0 ' 'no padding'

# --- what the commands read and write ---
compare -r 1 --shell 'cat >>log; echo hidden; echo hidden >&2'
grep -q '^hidden' out err && complain 'output that is hidden is there'
compare -r 1 --show-output --shell 'echo shown; echo shown >&2'
grep -q '^shown' out && grep -q '^shown' err || complain 'output is missing'

# --- failures ---
fails 255 "The command 'false' failed with exit status 1" -r 2 true false
fails 127 'nosuch' -r 2 nosuch
fails 255 'killed by signal 9' -r 1 --shell 'kill -9 $$'
fails 255 'The command of --prepare failed with exit status 3' -r 1 --prepare 'exit 3' true
fails 255 '--judge: there is no metric' -r 1 --judge cycels true true
fails 129 'Commands are not passed to a shell' 'true; true'
fails 129 'A quote has no end' "true 'x"
fails 129 'No command is given' -r 2
fails 129 '--rounds says how often' -r 2 --until 1% true
fails 255 '-L needs a name and values' -L n true
fails 255 'There are 2 names' --command-name a --command-name b true
fails 255 '--prepare is given 2 times for 1' --prepare a --prepare b true
fails 129 "'x' is no percentage" --until x true
compare -r 2 --cleanup './say e' false
is 255 'e ' 'cleaned up after a failure'
compare -r 2 --ignore-failure false
[[ $status == 0 ]] && grep -q '2 runs have failed' out || complain 'failures are not ignored'

# --- what stops it ---
compare -r 2 --fail-if-slower 1% true true
is 4 '' 'unclear'
compare --time 0.01 './say a'
(( $(wc -l <log) >= 1 && status == 0 )) || complain 'a time'
"$XPERF" stat --compare -n -r 2 './say a' >out 2>err || complain 'stat --compare'
"$XPERF" stat -n --compare -r 2 './say a' >out 2>err || complain 'stat -n --compare'

# --- different work ---
event=page-faults:u
if ! "$XPERF" stat -e $event true 2>err; then
	echo "different work was not tried: software events cannot be counted here"
	exit $(( failed ? 1 : 0 ))
fi
cat >touch.c <<'END'
#include <stdlib.h>
int main(void)
{
	size_t page = 4096;
	volatile char *p = malloc(PAGES * page);

	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
	return !p;
}
END
"$CC" -O1 -DPAGES=4000 -o small touch.c && "$CC" -O1 -DPAGES=5000 -o large touch.c || exit 1
# judged ARGUMENTS...: by its count
judged()
{
	"$XPERF" compare -e $event --judge $event -r 12 "$@" >out 2>err </dev/null
	status=$?
}
judged --fail-if-slower 10% ./small ./large
[[ $status == 3 ]] && grep -q "^$event .* more$" out || complain 'more work is not found'
judged --fail-if-slower 10% ./large ./small
[[ $status == 0 ]] && grep -q "^$event .* less$" out || complain 'less work is not found'
judged --fail-if-slower 10% ./small ./small
[[ $status == 0 ]] || complain 'the same work differs by 10 %'
exit $failed
