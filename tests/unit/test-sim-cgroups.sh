#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf stat -G` and --for-each-cgroup on the simulated kernel: each row is the truth of the tasks
# of its cgroup, whatever else ran on their CPUs.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"

# expect WHAT ROW...: the rows of the last run, as EVENT,CGROUP,TID[+TID...]; "-": not counted,
# 0: counted, and none, "all": what all tasks did. Tasks run before the counters do, so that a few
# of what they did are missing
expect()
{
	local what=$1 row event cgroup tids i=0 value rows
	local -a lines

	shift
	mapfile -t lines < <(grep -E '^([0-9.]+|<)' "$scratch/err")
	[[ ${#lines[@]} == "$#" ]] || complain "$what: ${#lines[@]} rows, not $#"
	for row; do
		IFS=, read -r event cgroup tids <<<"$row"
		IFS=, read -ra rows <<<"${lines[i++]-}"
		value=${rows[0]-}
		[[ ${rows[2]-},${rows[3]-} == "$event,$cgroup" ]] ||
			complain "$what: not $event of '$cgroup': ${rows[*]}"
		awk -v event="$event" -v tids="$tids" -v value="$value" '
			BEGIN { n = split(tids, wanted, "+") }
			$1 == "task" && $2 == event && $4 == "all" {
				for (i = 1; i <= n; i++)
					if ($3 == wanted[i])
						truth += $5
			}
			END {
				if (tids == "-")
					exit value != "<not counted>"
				error = value < truth ? truth - value : value - truth
				exit !(tids == "0" ? value == "0" : truth && error <= truth / 1000 + 2)
			}
		' "$scratch/truth" || complain "$what: $event of '$cgroup' is $value"
	done
}

sim cgroups stat -a -x, -e instructions,branches -G site/workers,site
expect "one name each" instructions,site/workers,3000 branches,site,2000+3000

sim cgroups stat -a -x, -e instructions -e '{cycles,branches}' -G site
expect "one for all, those below included" instructions,site,2000+3000 cycles,site,2000+3000 \
	branches,site,2000+3000

sim cgroups stat -a -x, -e instructions,instructions,page-faults -G idle,,site
expect "an empty name, and an empty cgroup" instructions,idle,- instructions,,all \
	page-faults,site,2000

# The root is everything, and is asked for as such.
XPERF_SIM_LOG=$scratch/log sim cgroups stat -a -x, -e instructions,branches -G /,site
expect "the root" instructions,/,all branches,site,2000+3000
[[ $(grep -c 'perf_event_open(.*, 0x4) = [0-9]' "$scratch/log") == 4 ]] ||
	complain "the root: not as all tasks of each CPU"

sim cgroups stat -a -x, -e instructions -G site -e instructions
expect "an event behind it" instructions,site,2000+3000 instructions,,all

sim cgroups stat -a -x, -e instructions,page-faults,context-switches --for-each-cgroup 'idle,^site(/.*)?$'
expect "for each" instructions,idle,- page-faults,idle,- context-switches,idle,- \
	instructions,site,2000+3000 page-faults,site,2000 context-switches,site,2000+3000 \
	instructions,site/workers,3000 page-faults,site/workers,0 context-switches,site/workers,3000

# Groups across cgroups are none, and say so.
sim cgroups stat -a -e '{cycles,instructions}' -G site,idle
grep -q 'not as a group' "$scratch/err" || complain "a group across cgroups: not reported"
grep -q "no task of its cgroup ran" "$scratch/err" || complain "an empty cgroup: not reported"

# The rows show what is not counted: the note does not repeat the names.
sim cgroups stat -a -e cs,LLC-loads --for-each-cgroup site,idle
[[ $(grep -o LLC-loads "$scratch/err" | wc -l) == 2 ]] || complain "a name is repeated in a note"

# refused ERRNO STATUS SENTENCE: the kernel does not take an event for its cgroup
refused()
{
	(cat "${SOURCE_DIR:?}/tests/sim/scenarios/cgroups.sim" && echo "fail perf_event_open 1 $1") \
		>"$scratch/refused.sim"
	local scenarios=$scratch
	sim refused stat -a -e cycles -G site
	[[ $status == "$2" ]] && tr -s '\n ' ' ' <"$scratch/err" | grep -F -- "$3" >/dev/null ||
		complain "$1: status $status, not $2 with '$3'"
}

refused ENOENT 255 "does not have the perf_event controller"
refused EINVAL 130 "its PMU does not distinguish tasks or cgroups"

# misuse SENTENCE ARGUMENTS...: one sentence, and nothing is counted
misuse()
{
	local sentence=$1

	shift
	sim cgroups stat "$@"
	[[ $status == 129 ]] && grep -qF -- "$sentence" "$scratch/err" ||
		complain "stat $*: status $status, not 129 with '$sentence'"
}

misuse "Did you mean 'site'?" -a -e cs -G sit
misuse "Did you mean 'site/workers'?" -a -e cs,cs -G site,workers
misuse "There is no cgroup 'nothing-like-it'" -a --for-each-cgroup site,nothing-like-it
misuse "There is no cgroup '../..'" -a -e cs -G ../..
misuse "There are more cgroups than events: no event is left for 'idle'" -a -e cs -G site,idle
misuse "No cgroup matches" -a --for-each-cgroup '^nothing'
misuse "nor a regular expression" -a --for-each-cgroup '('

printf 'cgroup none\n' >"$scratch/none.sim"
scenarios=$scratch
sim none stat -a -e cs -G site
[[ $status == 255 ]] && grep -q 'mount -t cgroup2' "$scratch/err" ||
	complain "no cgroups mounted: status $status"
exit $failed
