#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How a run ends: by a signal at any moment, by the time-out, by a workload that dies or does not
# listen. In virtual time, where every moment can be hit.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
scenarios=$scratch

# scenario LINES...: what the next runs happen in
scenario()
{
	printf '%s\n' "$@" >"$scratch/now.sim"
}

# ends STATUS ROWS TEXT ARGUMENTS...: exit status, CSV rows, and what stderr holds besides ("": no
# more than that)
ends()
{
	local want=$1 rows=$2 text=$3 other

	shift 3
	sim now stat -x, -e task-clock,page-faults "$@"
	other=$(grep -vcE '^([ 0-9.]+,)?([0-9.]+|<not counted>),' "$scratch/err")
	if [[ $status != "$want" || $(($(wc -l <"$scratch/err") - other)) != "$rows" ]] ||
		{ [[ -z $text ]] && ((other)); } || ! grep -qF -- "$text" <(cat "$scratch/err"; echo); then
		cat "$scratch/now.sim"
		complain "xperf stat $*: exit status $status, not $want; or not $rows rows and '$text'"
	fi
}

# A ^C at each moment of a repetition: while events are opened, between two runs, at the end of one.
# Before the first run there is nothing to print; afterwards all that was counted is.
started=0
for ((ms = 1; ms <= 90; ms++)); do
	scenario "time call=1ms" "at ${ms}ms signal INT all" \
		"program one" "run 7ms page-faults=1" "exit 0"
	sim now stat -r 0 -x, -e task-clock,page-faults one
	rows=$(grep -c , "$scratch/err")
	grep -q "ended the program" "$scratch/err" && continue # before signals were caught
	if [[ $status != 130 || $rows != "$(wc -l <"$scratch/err")" ]] || ((rows != 2 && (rows || started))); then
		complain "^C after $ms ms of a repetition: exit status $status, $rows rows"
	fi
	((rows == 0)) || started=1
done
((started)) || complain "^C always came before the first run"

# What comes from the terminal the workload gets as well; what comes to xperf alone is passed on.
for signal in INT:130 TERM:143 HUP:129; do
	for all in "" all; do
		scenario "at exec+10ms signal ${signal%:*} $all" "program one" "run forever"
		ends "${signal#*:}" 2 "" one
	done
done
scenario "at exec+10ms signal INT all" "program one ignores=INT" "run 30ms" "exit 5"
ends 5 2 "" one
scenario "at exec+10ms signal TERM" "program one" "run 30ms" "exit 5"
ends 143 2 "" -a one

# A workload that does not listen is left running after a while, or when asked twice, with a word.
left="is still running, but no longer counted"
scenario "at exec+10ms signal TERM" "program one ignores=TERM" "run forever"
ends 143 2 "$left" one
scenario "at exec+10ms signal INT all" "at exec+111ms signal INT all" \
	"program one ignores=INT" "run forever"
ends 130 2 "$left" one

# timeout(1) signals us and then our process group: two signals at once are one request.
for second in 10ms 109ms; do
	scenario "at exec+10ms signal TERM" "at exec+$second signal TERM all" \
		"program one ignores=TERM" "run 200ms" "exit 5"
	ends 5 2 "" one
	scenario "at exec+10ms signal TERM" "at exec+$second signal TERM all" \
		"program one" "run forever"
	ends 143 2 "" one
done
# One that has ended when we are asked again does not go on running, whichever is reported first.
scenario "at exec+10ms signal TERM" "at exec+150ms signal TERM" "program one ignores=TERM" "run 150ms" "exit 5"
ends 5 2 "" one
scenario "program one ignores=TERM" "run forever"
ends 143 2 "$left" --timeout 50 one

# The time-out.
scenario "program one" "run forever" "task 77 one"
ends 143 2 "" --timeout 50 one
ends 0 2 "" --timeout 50 -a
ends 0 2 "" --timeout 50 -p 77
sim now stat -x, -e duration_time --timeout 50 -a
awk -F, '$1 < 50e6 || $1 > 51e6 { exit 1 }' "$scratch/err" || complain "--timeout 50: not 50 ms"
scenario "program one" "run 20ms" "exit 6"
ends 6 2 "" --timeout 50 one

# A workload that is killed, or cannot be executed.
scenario "program one" "run 5ms" "raise SEGV"
ends 139 2 "" one
ends 139 2 "" -r 3 one
scenario "program one exec_error=EACCES" "exit 0"
ends 126 0 "Workload failed: one: Permission denied" one
ends 126 0 "Workload failed: one: Permission denied" -r 3 one
scenario "program one exec_error=ENOENT" "exit 0"
ends 127 0 "Workload failed: one: No such file or directory" one

# Intervals keep their beat and end where they were asked to.
scenario "machine cpus=2" "program one" "run 350ms" "exit 2" "task 77 one"
ends 2 8 "" -I 100 one
ends 2 4 "Events enabled" -I 100 -D 150 one
ends 0 4 "" -I 100 --interval-count 2 -a
ends 0 8 "" -I 100 -p 77
scenario "at 250ms signal INT" "program one" "run forever" "task 77 one"
ends 130 6 "" -I 100 -a

# A ^C at each moment of record's beginning: either there is a recording, or it is said that there is none.
begun=0 not_begun=0
for ((ms = 10; ms <= 600; ms += 10)); do
	scenario "time call=1ms" "at ${ms}ms signal INT all" "program one" "run 7ms page-faults=1" "exit 0"
	rm -f "$scratch/data"
	sim now record -o "$scratch/data" -e page-faults one
	grep -q "ended the program" "$scratch/err" && continue # before signals were caught
	if grep -q '^Stopped before recording began (Interrupt): nothing was written$' "$scratch/err"; then
		[[ ! -e $scratch/data && $status == 130 ]] || complain "^C after $ms ms: exit status $status, or a file"
		not_begun=1
	else
		grep -q 'Captured and wrote' "$scratch/err" || complain "^C after $ms ms: not a word"
		begun=1
	fi
done
((begun && not_begun)) || complain "^C always came before recording began, or never"
exit $failed
