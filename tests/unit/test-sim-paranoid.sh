#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What an ordinary user may count at each level of perf_event_paranoid, what is counted instead, and
# that it is said. Source: the kernel's Documentation/admin-guide/perf-security.rst.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
scenarios=$scratch

# user LEVEL [WORDS]: the machine of the next runs
user()
{
	printf '%s\n' "machine cpus=2" "user uid=1000 paranoid=$1 ${2-}" \
		"program one" "run 20ms cycles=1000 page-faults=1" "exit 3" \
		"program server" "run forever" \
		"task 77 server uid=1000" "task 78 server uid=0" >"$scratch/now.sim"
}

# counts STATUS ROWS ARGUMENTS...: names (and what stands for a count) of the CSV rows, in order
counts()
{
	local want=$1 rows=$2 got

	shift 2
	sim now stat -x, "$@"
	got=$(awk -F, 'NF > 5 { printf "%s%s", sep, $3 ($1 ~ /^</ ? $1 : ""); sep = " " }' "$scratch/err")
	if [[ $status != "$want" || $got != "$rows" ]]; then
		grep '^user' "$scratch/now.sim"
		complain "xperf stat $*: exit status $status, not $want; rows '$got', not '$rows'"
	fi
}

# refused TEXT ARGUMENTS...: nothing is run, one sentence with the reason, and a way out
refused()
{
	local text=$1

	shift
	counts 255 "" "$@"
	if [[ $(grep -c '^Error: ' "$scratch/err") != 1 ]] || ! grep -q "^Error: .*$text" "$scratch/err" ||
		! grep -q '^Hint: ' "$scratch/err"; then
		complain "xperf stat $*: no sentence with '$text', or no way out"
	fi
}

events=cycles,context-switches,page-faults
all="cycles context-switches page-faults"
for level in -1 0 1; do
	user $level
	counts 3 "$all" -e $events one
	counts 0 "$all" -e $events -p 77 --timeout 20
	counts 3 cycles:k -e cycles:k one
	refused "another user's" -e cycles -p 78 --timeout 20
done
for level in -1 0; do
	user $level
	counts 3 "$all" -a -e $events one
done
user 1
refused "perf_event_paranoid=1" -a -e cycles one
for level in 2 3; do
	user $level
	counts 3 "cycles:u context-switches<not supported> page-faults:u" -e $events one
	counts 0 "cycles:u" -e cycles -p 77 --timeout 20
	refused "perf_event_paranoid=$level" -a -e cycles one
	refused "perf_event_paranoid=$level" -e cycles:k one
	refused "perf_event_paranoid=$level" --all-kernel -e cycles one
	sim now stat -e $events one
	tr -s ' \n' ' ' <"$scratch/err" | grep "Counted in user space only (perf_event_paranoid=$level)" >/dev/null ||
		complain "level $level: that less is counted is not said"
done
user 2 perfmon=1
counts 3 "$all" -a -e $events one
exit $failed
