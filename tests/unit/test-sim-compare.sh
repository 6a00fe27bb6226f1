#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf compare` where every count is known: 2 % are found, the same program is the same, the clock
# is the machine's own.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"

# compare STATUS ARGUMENTS...
compare()
{
	local expected=$1

	shift
	sim compare compare --seed 1 -e instructions,page-faults "$@"
	(( status == expected )) || complain "$*: exit status $status, not $expected"
}

# has REGEX WHAT: a line of the table
has()
{
	grep -Eq -- "$1" "$scratch/out" || complain "$2: no line '$1'"
}

# message STATUS TEXT ARGUMENTS...: what is refused, with a sentence
message()
{
	local expected=$1 text=$2

	shift 2
	compare "$expected" "$@"
	grep -qF -- "$text" "$scratch/err" || complain "$*: no message '$text'"
}

compare 0 -r 10 old new
has '^2 commands, 10 rounds in random order \(--seed 1\)$' 'the heading'
has '^wall +100\.0 ms +102\.0 ms +\+2\.0 % .* slower$' 'time'
has '^user +80 ms +81\.60 ms +\+2\.0 % .* slower$' 'user time'
has '^instructions +400 M +408 M +\+2\.0 % .* more$' 'instructions'
has '^page-faults +200 +204 +\+2\.0 % .* more$' 'page faults'
compare 0 -r 10 new old
has '^wall .* -2\.0 % .* faster$' 'time'
has '^instructions .* -2\.0 % .* less$' 'instructions'
compare 0 -r 10 old old
has '^wall .* \+0\.0 % .* same$' 'the same'
grep -Eq 'faster|slower|more$|less$|unclear' "$scratch/out" && complain 'the same program differs'

# with fewer rounds than allow any statement
compare 0 -r 3 old new
has '^wall .* unclear, try [0-9]+ rounds$' 'too few rounds'

# --- exit statuses ---
compare 3 -r 10 --fail-if-slower 1% old new
compare 0 -r 10 --fail-if-slower 3% old new
compare 0 -r 10 --fail-if-slower 1% new old
compare 4 -r 3 --fail-if-slower 1% old new
compare 3 -r 10 --fail-if-slower 1% --judge instructions old new
compare 255 -r 10 old broken
compare 0 -r 10 --ignore-failure old broken

# --- when it stops: at the first look, at the least number of rounds; by the simulated clock ---
compare 0 --until 1% old new
has '^2 commands, 1[0-9] rounds' 'as precise as wanted'
compare 0 --time 1 old new
has '^2 commands, 5 rounds' 'a time'
compare 0 old new
has '^2 commands, 30 rounds' 'three seconds for each command'

# --- metrics: a row each, with the events they need ---
sim compare compare --seed 1 -r 10 -M insn_per_cycle,page_faults_per_second old faster
(( status == 0 )) || complain "-M: exit status $status"
has '^insn_per_cycle +1\.333 +1\.667 +\+25\.0 % .* more$' 'a metric'
has '^page_faults_per_second +2000 faults/sec +2000 faults/sec .* same$' 'a metric with a unit'
has '^instructions +400 M +400 M .* same$' 'the events of metrics'
sim compare compare --seed 1 -r 10 -M insn_per_cycle --judge insn_per_cycle --fail-if-slower 10% old faster
(( status == 3 )) || complain "a metric is judged: exit status $status, not 3"
# Events that several metrics need are compared once; what cannot be computed has a reason.
sim compare compare --seed 1 -r 10 -M cache_miss_rate,cache_mpki,insn_per_cycle old faster
(( $(grep -c '^instructions ' "$scratch/out") == 1 )) || complain 'instructions are in two rows'
has '^Not known: cache_miss_rate: Division by zero in ' 'why a metric is not known'
sim no-pmu compare --seed 1 -r 3 --ignore-failure -M insn_per_cycle,page_faults_per_second one
(( status == 0 )) || complain "a metric that cannot be counted: exit status $status"
has '^Not known: insn_per_cycle: instructions:u was not counted: this virtual machine \(KVM\) has no PMU$' 'the reason'
has '^page_faults_per_second +4000 faults/sec$' 'a metric that can be counted'
sim compare compare -n -M insn_per_cycle old
(( status == 129 )) || complain "-n and -M: exit status $status"
grep -qF -- '-n counts nothing, -M needs counts' "$scratch/err" || complain 'no message'

# --- stored runs ---
old=$scratch/old.json
message 129 '--import-name needs --import' --import-name old new
if ! "$XPERF" check feature -q json-c; then
	echo "stored runs are not tested: built without json-c"
	exit $failed
fi
compare 0 -r 12 --export-json "$old" old
compare 0 -r 10 --import "$old" -e cycles new
has '^1 command, 10 rounds in random order' 'the heading'
has '^A .* old \(12 stored runs, .*/old\.json\)$' 'where they are from'
has '^wall +100\.0 ms +102\.0 ms +\+2\.0 % .* slower \(not interleaved\)$' 'time'
has '^instructions +400 M +408 M +\+2\.0 % .* more \(not interleaved\)$' 'instructions'
has '^cycles +- +306 M +not in the stored runs$' 'what had not been counted'
has '^The intervals hold all together in 95 % of comparisons, if the machine was the same both times\.$' 'the claim'
has '^Note: the stored runs were not interleaved with the others' 'what cannot be known'
grep -q 'another machine' "$scratch/out" && complain 'this is the same machine'
sed 's/"host": "[^"]*"/"host": "not-this-one"/' "$old" >"$scratch/other.json"
compare 0 -r 10 --import "$scratch/other.json" old
has '^wall .* same \(not interleaved\)$' 'the same'
has '^Note: the stored runs are of another machine, not-this-one$' 'the other machine'
compare 3 -r 10 --fail-if-slower 1% --import "$old" new
compare 0 -r 10 --fail-if-slower 3% --import "$old" new

# One of several stored commands; two that were interleaved are pairs, and are not judged.
compare 0 -r 10 --export-json "$scratch/both.json" old new
compare 0 -r 10 --import "$scratch/both.json" --import-name new new
has '^A .* new \(10 stored runs' 'the command that was chosen'
has '^wall .* same \(not interleaved\)$' 'the same'
compare 0 -r 10 --fail-if-slower 1% --import "$scratch/both.json" old
has '^wall .* slower$' 'stored pairs'
has '^wall .* same \(not interleaved\)$' 'the command that was run'

# hyperfine's has times only; few runs show nothing.
compare 0 -r 10 --import "$SOURCE_DIR/tests/fuzz/corpus/stored/hyperfine.json" --import-name true old
has '^wall .* slower \(not interleaved\)$' 'times of hyperfine'
has '^user .* not in the stored runs$' 'its means'
echo '{"results":[{"command":"a","times":[0.1]}]}' >"$scratch/one.json"
compare 0 -r 3 --import "$scratch/one.json" old
has '^wall .* unclear, too few runs, try 49 rounds \(not interleaved\)$' 'one run'
echo '{"results":[{"command":"a","times":[0.1,0.2,0.103]}]}' >"$scratch/few.json"
compare 0 -r 40 --import "$scratch/few.json" old
has '^wall .* unclear, too few stored runs \(not interleaved\)$' 'three runs that differ'

message 255 "$old has no command 'other'" --import "$old" --import-name other new
message 255 'cannot be opened: No such file' --import "$scratch/none.json" new
message 255 'cannot be compared with: The JSON document is cut off' --import /dev/null new
exit $failed
