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
exit $failed
