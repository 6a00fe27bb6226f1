#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Recordings of the simulated kernel, where it is known what must be in them: as many samples as
# there were periods, whatever moment the recording ends at.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
scenarios=$scratch
file=$scratch/perf.data
reader=${BUILD_DIR:?}/examples/example-read_file

# scenario LINES...: what the next runs happen in
scenario()
{
	printf '%s\n' "$@" >"$scratch/now.sim"
}

# record ARGUMENTS...: leaves the file, and what the reader says of it in "read"
record()
{
	rm -f "$file"
	sim now record -o "$file" "$@"
	"$reader" "$file" >"$scratch/read" 2>&1
}

# holds STATUS WHAT LINES...: exit status, and lines the reader prints
holds()
{
	local want=$1 what=$2 line

	shift 2
	[[ $status == "$want" ]] || complain "$what: exit status $status, not $want"
	for line in "$@"; do
		grep -qx -- "$line" "$scratch/read" ||
			{ complain "$what: not in the file: $line"; sed 's/^/    /' "$scratch/read"; }
	done
	! grep '^damage' "$scratch/read" || complain "$what: the file is damaged"
}

# --- samples add up ---

machine=("machine cpus=2" "pmu general=4")
work="run 500ms sys=20 cycles=3_000_000 instructions=4_200_000 page-faults=2"
scenario "${machine[@]}" "program one" "$work" "exit 7"
record -e cycles -c 1000000 one
holds 7 'a period' 'event cycles: 1500 samples' 'EXIT: 1'
record -e cycles -c 1000000 -e instructions -c 1000000 one
holds 7 'two events' 'event cycles: 1500 samples' 'event instructions: 2100 samples'
record -e cycles:RX -c 1000000 one
holds 7 'modifiers that change nothing in samples' 'event cycles:RX: 1500 samples'
record --group -e cycles -e instructions -c 1000000 one
holds 7 '--group' 'event cycles: 1500 samples' 'event instructions: 2100 samples, in the group of cycles'
record -e page-faults -c 1 one
holds 7 'each fault' 'event page-faults: 1000 samples'
record -e cycles/period=1000000/,page-faults/period=1/ -g -d -P one
holds 7 'periods of events' 'event cycles/period=1000000/: 1500 samples' \
	'event page-faults/period=1/: 1000 samples'
record -e cycles -c 1000000 --call-graph dwarf one
holds 7 'stacks that become call chains' 'event cycles: 1500 samples' 'EXIT: 1'
record -a -e cycles -c 1000000 --call-graph dwarf,4096 one
holds 7 'stacks of all CPUs' 'event cycles: 1500 samples'
record -e cycles -c 1000000 --call-graph dwarf,raw one
holds 7 'stored stacks' 'event cycles: 1500 samples'
scenario "${machine[@]}" "program one bits=32" "$work" "exit 7"
record -e cycles -c 1000000 --call-graph dwarf one
holds 7 'stacks of a 32-bit program' 'event cycles: 1500 samples' 'EXIT: 1'
if "$XPERFSIM" check -q feature libdw; then
	grep -q '^Call chains: 0 of 1500 user call chains are complete$' "$scratch/err" &&
		grep -q '^Call chains: 1500 ' "$scratch/err" ||
		complain "stacks of a 32-bit program: how they end is not said: $(cat "$scratch/err")"
else
	echo "built without libdw: chains of a 32-bit program are not tried"
fi
scenario "${machine[@]}" "program one" "$work" "exit 7"
record -a -e cycles -c 1000000 one
holds 7 'all CPUs' 'event cycles: 1500 samples'
record --per-thread -e cycles -c 1000000 one
holds 7 'a ring per thread' 'event cycles: 1500 samples'
record -e cycles -c 1000000 -z one
if ! grep -q 'this libxperf was built without it' "$scratch/err"; then
	holds 7 'compressed' 'event cycles: 1500 samples'
else
	echo "built without zstd: -z is not tried"
fi
record -e cycles -c 1000000 --mmap-flush 128K one
holds 7 'less than is worth a wake-up at the end' 'event cycles: 1500 samples' 'EXIT: 1'
record -e cycles -n one
holds 7 'no samples' 'event cycles: 0 samples' 'EXIT: 1'
# Switching on and off takes a moment, in which a period can be lost.
for range in 100:1200 100-200,300-400:600; do
	record -e cycles -c 1000000 -D "${range%:*}" one
	samples=$(sed -n 's/^event cycles: \([0-9]*\) .*/\1/p' "$scratch/read")
	if ((samples > ${range#*:} || samples < ${range#*:} - 10)); then
		complain "-D ${range%:*}: $samples samples, not ${range#*:}"
	fi
done

# --- samples with counts: those of children, too, where the kernel has them ---

fork=("program one" "hit page-faults 5" "fork kid 3" "wait" "program kid" "hit page-faults 20")
without='Note: page-faults, context-switches: without samples of child tasks with :S, which this kernel does not know'
scenario "machine cpus=2" "${fork[@]}"
record -e '{page-faults,context-switches}:S' -c 1 one
holds 0 'children of a group' 'event page-faults: 65 samples'
! grep '^Note: page-faults' "$scratch/err" || complain "children of a group: a note"
record -e '{page-faults,context-switches}:S' -c 1 --no-inherit one
holds 0 'a group without children' 'event page-faults: 5 samples'
record -a -e '{page-faults,context-switches}:S' -c 1 one
holds 0 'a group on all CPUs' 'event page-faults: 65 samples'
scenario "machine cpus=2" "kernel lacks=inherited_reads" "${fork[@]}"
record -e '{page-faults,context-switches}:S' -c 1 one
holds 0 'children of a group, before Linux 6.12' 'event page-faults: 5 samples'
grep -qxF "$without" "$scratch/err" || complain "children of a group, before Linux 6.12: no note"
record -a -e '{page-faults,context-switches}:S' -c 1 one
holds 0 'a group on all CPUs, before Linux 6.12' 'event page-faults: 65 samples'
! grep '^Note: page-faults' "$scratch/err" || complain "a group on all CPUs, before Linux 6.12: a note"

# --- metrics of groups that are read with each sample ---

# metrics EVENTS: those that script prints, each once
metrics()
{
	record -e "$1" -c 10000000 one
	XPERF_SIM=$scratch/now.sim "$XPERFSIM" script -i "$file" -F comm,tid,time,metric 2>"$scratch/err" |
		sed -n 's/^ *one *[0-9]* *[0-9.]*: \tmetric: *//p' | sort -u | tr '\n' ';'
}

scenario "machine cpus=2" "pmu general=6" "program one" \
	"run 50ms sys=20 cycles=3_000_000 instructions=4_200_000 branches=1_000_000 branch-misses=20_000" "exit 0"
got=$(metrics '{cycles,instructions}:S')
[[ $got == '1.40  insn per cycle;' ]] || complain "metrics of a group: $got"
got=$(metrics '{cycles,instructions,branches,branch-misses,task-clock}:S,faults')
[[ $got == '1.40  insn per cycle;1000.000 M/sec;2.00% of all branches;3.000 GHz;' ]] ||
	complain "metrics of a group with a clock: $got"
got=$(metrics '{cycles,instructions}')
[[ -z $got ]] && grep -q "have no field 'metric'" "$scratch/err" || complain "metrics without readings: $got"

# --- no PMU: a clock takes the place of cycles, and of nothing else ---

scenario "pmu none" "hypervisor KVM" "program one" "run 100ms sys=20" "exit 0"
note='this virtual machine (KVM) has no PMU'
for events in "" "-e cycles" "-e cycles:pp" "-e cpu-cycles -F 4000"; do
	# shellcheck disable=SC2086
	record $events one
	[[ $(sed -n 's/^event task-clock: \([0-9]*\) .*/\1/p' "$scratch/read") -gt 0 ]] ||
		complain "no PMU, '$events': no samples of task-clock"
	grep -qxF "Note: sampling task-clock instead of cycles: $note" "$scratch/err" ||
		complain "no PMU, '$events': no note"
done
record -e cycles:u,page-faults,cycles:k -c 1000000 one
grep -qxF "Note: sampling task-clock:u, task-clock:k instead of cycles: $note; the period is in nanoseconds" \
	"$scratch/err" || complain "no PMU, two of cycles: no note"
record -a -e cycles one
[[ $(sed -n 's/^event cpu-clock: \([0-9]*\) .*/\1/p' "$scratch/read") -gt 0 ]] ||
	complain "no PMU, all CPUs: no samples of cpu-clock"
for events in "--no-fallback" "--no-fallback -e cycles" "-e instructions" "-e cycles -b" -b; do
	# shellcheck disable=SC2086
	record $events one
	[[ $status == 255 ]] && grep -qF "cannot be recorded: $note" "$scratch/err" ||
		complain "no PMU, '$events': exit status $status"
done
scenario "${machine[@]}" "program one" "$work" "exit 7"

# What does not fit is counted and reported with what helps.
record -e page-faults -c 1 --overwrite -m 1 one
holds 7 'the newest only' 'EXIT: 1'
[[ $(sed -n 's/^event page-faults: \([0-9]*\) .*/\1/p' "$scratch/read") -lt 1000 ]] ||
	complain "--overwrite -m 1 keeps everything"

# --- ends ---

# A ^C at each moment: before the start nothing is said to have been captured, afterwards the file is
# whole.
started=0
for ((ms = 1; ms <= 60; ms++)); do
	scenario "time call=200us" "at ${ms}ms signal INT all" "program one" "run 7ms page-faults=1" \
		"exit 0"
	record -e page-faults -c 1 one
	grep -q "ended the program" "$scratch/err" && continue # before signals were caught
	[[ $status == 130 || $status == 0 ]] || complain "^C after $ms ms: exit status $status"
	grep -q 'Captured and wrote' "$scratch/err" || { ((!started)) || complain "^C after $ms ms: not a word"; continue; }
	started=1
	! grep -q '^damage' "$scratch/read" || complain "^C after $ms ms: the file is damaged"
done
((started)) || complain "^C always came before the start"

for signal in INT:130 TERM:143 HUP:129; do
	for all in "" all; do
		scenario "at exec+10ms signal ${signal%:*} $all" "program one" "run forever"
		record -e task-clock one
		holds "${signal#*:}" "SIG${signal%:*} $all"
	done
done
scenario "at exec+10ms signal INT all" "program one ignores=INT" "run 30ms" "exit 5"
record -e task-clock one
holds 5 'a workload that ignores ^C' 'EXIT: 1'
scenario "at exec+10ms signal TERM" "at exec+10ms signal TERM all" "program one ignores=TERM" "run 200ms" "exit 5"
record -e task-clock one
holds 5 'two signals at once'
# Who wants it to end wants no more samples: also of a workload that takes its time.
for options in "" -a; do
	scenario "at exec+10ms signal TERM" "program one ignores=TERM" "run 200ms" "exit 5"
	# shellcheck disable=SC2086
	record -e cpu-clock -F 1000 $options one
	holds 5 "SIGTERM $options, and a workload that goes on"
	nr=$(sed -n 's/^event cpu-clock: \([0-9]*\) .*/\1/p' "$scratch/read")
	((${nr:-0} >= 8 && nr <= 40)) || complain "SIGTERM $options: ${nr:-no} samples, not those of 10 ms"
done
# CPUs that come and go are reported, and recorded again, which takes up to 250 ms: 100 samples/s of each.
came="CPUs or cgroups appeared or disappeared while recording"

# again WHAT LEAST MOST EVENT...: reported, and so many samples of each event
again()
{
	local what=$1 least=$2 most=$3 event nr

	shift 3
	[[ $status == 0 ]] && grep -q "$came; CPUs that came are recorded" "$scratch/err" ||
		complain "$what: not reported"
	! grep -q '^unknown\|^damage' "$scratch/read" || complain "$what: samples of no event"
	for event; do
		nr=$(sed -n "s/^event $event: \([0-9]*\) .*/\1/p" "$scratch/read")
		((${nr:-0} >= least && nr <= most)) || complain "$what: ${nr:-no} samples of $event, not $least to $most"
	done
}

scenario "machine cpus=2" "at exec+300ms unplug 1" "at exec+700ms plug 1" "program one" "run 2s cpu=0" "exit 0"
for options in -a "-C 0-1" "-C 1 -D 100" "-a -z" "-a --call-graph dwarf"; do
	case $options in
	"-C 1"*) range=(120 151) ;;
	*) range=(330 361) ;;
	esac
	# shellcheck disable=SC2086
	record $options -e cpu-clock -e task-clock -F 100 one
	grep -q 'this libxperf was built without it' "$scratch/err" && continue
	again "$options: a CPU that went offline" "${range[@]}" cpu-clock
done
scenario "machine cpus=3 offline=1" "at exec+300ms plug 1" "at exec+1s unplug 1" "at exec+1500ms plug 1" \
	"program one" "run 2s cpu=0" "exit 0"
record -a -e cpu-clock -e '{task-clock,page-faults}' -F 100 one
again "a CPU that came online" 470 521 cpu-clock
# CPUs that were named are recorded, and no others, also if they were all that were online.
record -C 0,2 -e cpu-clock -F 100 one
holds 0 "a CPU that was not named"
nr=$(sed -n 's/^event cpu-clock: \([0-9]*\) .*/\1/p' "$scratch/read")
((${nr:-0} >= 390 && nr <= 410)) || complain "a CPU that was not named: ${nr:-no} samples of some 400"
! grep -q "$came" "$scratch/err" || complain "a CPU that was not named: reported"
record -a -e cpu-clock -F 100 --switch-output=1s one
[[ $status == 0 ]] || complain "another file after a CPU came: exit status $status"
for part in "$file".2*; do
	"$reader" "$part" >"$scratch/read" 2>&1
	again "a CPU that came online, $part" 220 275 cpu-clock
	rm -f "$part"
done
scenario "machine cpus=2 offline=1" "at exec+300ms plug 1" "program one" "run 1s cpu=0" "exit 0"
record -e cpu-clock -F 100 one
[[ $status == 0 ]] && grep -q "$came" "$scratch/err" || complain "a CPU that came online: not reported"
scenario "machine cpus=2 offline=1" "program one" "run 1s cpu=0" "exit 0"
record -e cpu-clock -F 100 one
! grep -q "$came" "$scratch/err" || complain "CPUs that stay: reported"

# Threads that come and go are caught, see churn.sim.
# -u opens events on each CPU, which takes four times as many calls.
for target in '20 -p 2000' '5 -u 0'; do
	(sed "s/call=.*/call=${target%% *}us/" "${SOURCE_DIR:?}/tests/sim/scenarios/churn.sim"
		echo "at 100ms signal INT") >"$scratch/now.sim"
	# shellcheck disable=SC2086
	record -e raw_syscalls:sys_enter -c 1 ${target#* }
	nr=$(sed -n 's/^event raw_syscalls:sys_enter: \([0-9]*\) samples$/\1/p' "$scratch/read")
	((nr >= 380 && nr <= 435)) || complain "$target: threads that come and go: ${nr:-no} samples of some 420"
done
# Where they are faster, the file says so, too.
(sed "s/call=.*/call=150us/" "${SOURCE_DIR:?}/tests/sim/scenarios/churn.sim"
	printf '%s\n' "program busy" "run 10s" "task 3000 busy" "at 100ms signal INT") >"$scratch/now.sim"
record -e cpu-clock -c 100000 -p 2000,3000
! grep 'nothing lost' "$scratch/err" && grep -q 'threads start faster than their events can be opened' "$scratch/err" || complain "fast threads: nothing is said"
XPERF_SIM=$scratch/now.sim "$XPERFSIM" report -i "$file" >"$scratch/read" 2>&1
grep -q '^# Quality: threads started faster than .* may not be recorded$' "$scratch/read" &&
	! grep 'nothing lost' "$scratch/read" || complain "fast threads: report says $(grep Quality "$scratch/read")"
scenario "program one" "run 10ms" "exit 0"
record -e task-clock nosuch
[[ $status == 127 ]] && ! grep -q Captured "$scratch/err" || complain "no such command: exit status $status"
! grep Hint "$scratch/err" || complain "no such command: a hint that has nothing to do with it"
record -e task-clock -g dwarf true
[[ $status == 127 ]] && grep -q '^Hint: -g takes no value: --call-graph dwarf$' "$scratch/err" ||
	complain "-g dwarf: no hint"

# --- waits ---

# waits COMMAND: periods of offcpu-time, in microseconds, in the order of the file
waits()
{
	XPERF_SIM=$scratch/now.sim "$XPERFSIM" script -i "$file" -F comm,event,period 2>"$scratch/err" |
		awk -v comm="$1" '$1 == comm && /offcpu-time/ { printf "%s%d", s, $2 / 1000; s = " " }'
}

# Each sleep is a wait of its length.
scenario "machine cpus=1" "program one" "sleep 3ms" "run 5ms" "sleep 20ms" "run 30ms" "sleep 700us" "exit 0"
record --off-cpu -e cpu-clock one
holds 0 'sleeps'
[[ $(waits one) == '3000 20000 700' ]] || complain "waits of 3000, 20000 and 700 us, not: $(waits one)"
record --off-cpu=1ms -e cpu-clock one
[[ $(waits one) == '3000 20000' ]] || complain "waits of 1 ms and more, not: $(waits one)"

# On and off CPUs: 45 ms and 23.7 ms in one place each, beside each other, in the order of their sum.
shown()
{
	XPERF_SIM=$scratch/now.sim "$XPERFSIM" report -i "$file" "$@" 2>"$scratch/err"
}

# has WHAT LINES...: these are lines of "$scratch/shown"
has()
{
	local what=$1 line

	shift
	for line in "$@"; do
		grep -qxF -- "$line" "$scratch/shown" ||
			{ complain "$what: not shown: $line"; sed 's/^/    /' "$scratch/shown" "$scratch/err"; }
	done
}
scenario "machine cpus=1" "pmu general=4" "program one" "sleep 3ms" "run 15ms" "sleep 20ms" "run 30ms" \
	"sleep 700us" "exit 0"
record --off-cpu -F 1000 one
holds 0 'both times' 'event task-clock: 45 samples'
shown --no-children -s comm >"$scratch/shown"
has 'both times' "# Samples: 48  of events 'task-clock, offcpu-time'" \
	'# Time: 45.000 ms on CPUs, 23.700 ms off CPUs; shares are of the sum' \
	'#  Overhead on/off           Time on/off, ms  Command' \
	'    65.50%  34.50%        45.000      23.700  one    '
shown --no-children -s comm -t, -q >"$scratch/shown"
has 'with commas' ' 65.50% 34.50%  , 45.000 23.700          ,one    '
shown --no-children -s comm --json >"$scratch/shown"
grep -q '"event": "task-clock", "samples": 48, "period": 68700000, .*"members_are_summed": true,' "$scratch/shown" &&
	grep -q '"period": 68700000, "samples": 48, "members": \[{"period": 45000000, "samples": 45}, {"period": 23700000, "samples": 3}\]' "$scratch/shown" ||
	{ complain "both times as JSON:"; sed 's/^/    /' "$scratch/shown"; }
shown --no-children -s comm --group >"$scratch/shown"
has '--group' '   100.00% 100.00%  one    ' '#         Overhead  Command'
shown --no-children -s comm --no-group >"$scratch/shown"
has '--no-group' "# Samples: 45  of event 'task-clock'" "# Samples: 3  of event 'offcpu-time'"
mkdir -p "$scratch/bin"
ln -sf "$XPERFSIM" "$scratch/bin/perf"
XPERF_SIM=$scratch/now.sim "$scratch/bin/perf" report -i "$file" --no-children -s comm >"$scratch/shown" 2>"$scratch/err"
has 'called as perf' "# Samples: 45  of event 'task-clock'" "# Samples: 3  of event 'offcpu-time'"
# What is no time stands for itself; only named events are those.
record --off-cpu -e cycles -c 1000000 one
shown -s comm >"$scratch/shown"
has 'cycles' "# Samples: 3  of event 'offcpu-time'"
record -a --off-cpu -F 1000 one
grep -q '^event cpu-clock: ' "$scratch/read" || complain "-a --off-cpu: not cpu-clock: $(cat "$scratch/read")"

# A task that shares its CPU is preempted, which is no wait.
scenario "machine cpus=1" "program one" "fork two" "run 30ms" "exit 0" "program two" "name two" \
	"run 60ms" "exit 0"
record --off-cpu -e cpu-clock one
grep -q '^SWITCH: ' "$scratch/read" || complain "no task was preempted"
[[ -z $(waits two)$(waits one) ]] || complain "tasks that were only preempted waited: $(waits one), $(waits two)"

# What goes on when the recording ends is a wait of at least the time since the rings were emptied.
scenario "machine cpus=2" "program one" "sleep 10s" "exit 0" "task 2000 two" "program two" "name two" \
	"run 5ms" "sleep 100s"
record --off-cpu -e cpu-clock -p 2000 one
got=$(waits two)
[[ $got != *' '* ]] && ((${got:-0} > 8900000 && ${got:-0} <= 10000000)) || complain "a wait of nearly 10 s, not: $got"

# From CPU to CPU, so that a wait begins in one ring and ends in another, many times between two looks.
scenario "machine cpus=4" "program one" "run 10us cpu=0" "sleep 30us" "run 10us cpu=1" "sleep 50us" \
	"run 10us cpu=2" "sleep 70us" "repeat 400" "exit 0"
record --off-cpu -e cpu-clock one
got=$(waits one | tr ' ' '\n' | sort -n | uniq -c | awk '{ printf "%s%dx%d", s, $1, $2; s = " " }')
[[ $got == '401x30 401x50 401x70' ]] || complain "401 waits of 30, 50 and 70 us each, not: $got"
record -a --off-cpu -e cpu-clock one
got=$(waits one | tr ' ' '\n' | sort -n | uniq -c | awk '{ printf "%s%dx%d", s, $1, $2; s = " " }')
[[ $got == '401x30 401x50 401x70' ]] || complain "-a: 401 waits of 30, 50 and 70 us each, not: $got"

exit $failed
