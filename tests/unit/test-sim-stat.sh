#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every number `xperf stat` prints is the simulated kernel's truth: exactly where a counter was
# there all the time, within the stated error where several events took turns.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"

# The error allowed to a scaled number, parts per million. At constant rates there is only
# rounding; the phases of phases.sim differ by up to a factor of 600, so it depends on which turns
# fall into which phase (tests/sim/pmu.c).
exact_ppm=1
phases_ppm=400000

# compare WHAT PPM ROWS: CSV rows of the workload against the truth of its tasks
compare()
{
	local what=$1 ppm=$2 rows=$3

	awk -F, -v ppm="$ppm" -v rows="$rows" -v what="$what" '
		# What happens at once is seen by some in whole, by others not at all.
		BEGIN { burst["page-faults"] = 7 }
		function fault(text) { print what ": " text; bad = 1 }
		NR == FNR {
			split($0, w, " ")
			if (w[1] == "task" && w[3] != "all" && w[4] == "all")
				truth[w[2]] += w[5]
			next
		}
		NF < 5 { next }
		{
			event = $3
			value = $2 == "msec" ? $1 * 1e6 : $1
			error = value - truth[event]
			if (error < 0)
				error = -error
			seen++
			if ($1 == "<not counted>" && $4 == 0)
				next
			if ($5 == "100.00" && ($2 == "msec" ? error >= 5001 : error))
				fault(event ": " $1 ", not " truth[event])
			if ($5 != "100.00" && error * 1e6 > truth[event] * ppm + burst[event] / $5 * 1e8 + 1e6)
				fault(event " (" $5 " %): " $1 ", not about " truth[event])
			if ($5 == "100.00")
				whole++
		}
		END {
			if (seen != rows)
				fault(seen + 0 " rows, not " rows)
			exit bad
		}
	' "$scratch/truth" "$scratch/err" || complain "  in $what"
}

# list N: the first N of a long list of events that one-task.sim counts
list()
{
	local names=(cycles instructions branches branch-misses cache-references cache-misses
		bus-cycles ref-cycles page-faults task-clock)
	local i text=

	for ((i = 0; i < $1; i++)); do
		text+=,${names[i % ${#names[@]}]}
	done
	echo "${text#,}"
}

# in_groups SIZE N: the same, in groups
in_groups()
{
	local size=$1 events group text='' i

	IFS=, read -ra events <<<"$(list "$2")"
	for ((i = 0; i < $2; i += size)); do
		group=$(IFS=,; echo "${events[*]:i:size}")
		text+=",{$group}"
	done
	echo "${text#,}"
}

for n in 1 4 8 40; do
	sim one-task stat -x, -e "$(list $n)" one
	compare "one task, $n events" $exact_ppm $n
	sim one-task stat -x, -e "$(in_groups 4 $n)" one
	compare "one task, $n events in groups of 4" $exact_ppm $n
	sim hundred-tasks stat -x, -e "$(list $n)" parent
	compare "100 forked tasks, $n events" $exact_ppm $n
	sim hundred-tasks stat -x, -e "$(in_groups 4 $n)" parent
	compare "100 forked tasks, $n events in groups of 4" $exact_ppm $n
	sim phases stat -x, -e "$(list $n)" phases
	compare "phases, $n events" $phases_ppm $n
done
sim phases stat -x, -e "$(in_groups 4 8)" phases
compare "phases, 8 events in groups of 4" $phases_ppm 8

# Shares that are printed are those of the model: 4 of 8 events at a time is one half.
sim one-task stat -x, -e "$(printf 'branches,%.0s' {1..7})branches" one
awk -F, 'NF >= 5 && ($5 < 49 || $5 > 51) { exit 1 }' "$scratch/err" ||
	complain "8 events on 4 counters do not have half of the time each"

# What of a group has no counter is reported, with how many there are; a weak one is broken up.
sim one-task stat -e '{branches,branches,branches,branches,branches}' one
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep "only 4 of its group's 5 events fit" >/dev/null ||
	complain "a group of 5 on 4 counters: not reported"
sim one-task stat -x, -e '{branches,branches,branches,branches,branches}:W' one
compare "weak group of 5" $exact_ppm 5

# A group that fits when it is opened and never runs is no number.
sim watchdog stat -x, -e '{branches,branches,branches,branches}' one
[[ $(grep -c '^<not counted>' "$scratch/err") == 4 ]] || complain "a group that never ran is shown"
sim watchdog stat -x, -e branches:D,branches:D,branches:D,branches:D,branches one
[[ $(grep -c '^20000,' "$scratch/err") == 3 && $(grep -c '^<not counted>' "$scratch/err") == 2 ]] ||
	complain "three pinned events on three free counters: not as expected"

# aggregate ARGUMENT KEYS: rows of -a against the sums of what each CPU truly counted; KEYS names
# the row of each of the eight CPUs
aggregate()
{
	local keys=$2

	sim eight-cpus stat -a -x, ${1:+$1} -e instructions,cycles,branches,page-faults brief
	awk -F, -v keys="$keys" '
		BEGIN { n = split(keys, key, " ") }
		NR == FNR {
			split($0, w, " ")
			if (w[1] != "event")
				next
			split(w[5], t, "=")
			truth[key[w[4] + 1] "," w[2]] += t[2]
			next
		}
		NF > 4 {
			row = n == 8 && key[1] != "all" ? $1 : "all"
			at = row == "all" ? 1 : row ~ /^CPU/ ? 2 : 3
			if (!((row "," $(at + 2)) in truth) || $at != truth[row "," $(at + 2)]) {
				print $0 ": not " truth[row "," $(at + 2)]
				bad = 1
			}
			seen[row "," $(at + 2)] = 1
		}
		END {
			for (k in truth)
				if (!(k in seen)) {
					print "no row " k
					bad = 1
				}
			exit bad
		}
	' "$scratch/truth" "$scratch/err" || complain "  in -a $1"
}

aggregate "" "all all all all all all all all"
aggregate -A "CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7"
aggregate --per-core "S0-D0-C0 S0-D0-C0 S0-D0-C1 S0-D0-C1 S1-D0-C0 S1-D0-C0 S1-D0-C1 S1-D0-C1"
aggregate --per-die "S0-D0 S0-D0 S0-D0 S0-D0 S1-D0 S1-D0 S1-D0 S1-D0"
aggregate --per-socket "S0 S0 S0 S0 S1 S1 S1 S1"
aggregate --per-node "N0 N0 N0 N0 N1 N1 N1 N1"

# Tasks that run already, until the ^C of the scenario: each thread what it truly did.
sim eight-cpus stat -p 2000,3000 --per-thread -x, -e instructions,cycles
awk -F, '
	NR == FNR {
		split($0, w, " ")
		split(w[5], t, "=")
		if (w[1] == "event")
			truth[w[3] "," w[2]] = t[2]
		next
	}
	NF > 4 {
		n = split($1, w, "-")
		rows++
		if (truth[w[n] "," $4] != $2 || !$2) {
			print $0 ": not " truth[w[n] "," $4]
			bad = 1
		}
	}
	END { exit bad || rows != 10 }
' "$scratch/truth" "$scratch/err" || complain "  in -p --per-thread"
[[ $status == 130 ]] || complain "^C: exit status $status, not 130"

# Threads that begin while events are opened are caught, or it is said that they may be missing.
late="threads start faster than their events can be opened"
event=raw_syscalls:sys_enter
for calls in 20 60 150; do
	sed "s/^time.*/time call=${calls}us/" "$scenarios/churn.sim" >"$scratch/churn.sim"
	scenarios=$scratch sim churn stat -x, -e $event --per-thread --timeout 100
	hits=$(awk -F, '$4 ~ /sys_enter/ { hits += $2 } END { print hits }' "$scratch/err")
	((hits >= 420 && hits <= 435)) || grep -q "$late" "$scratch/err" ||
		complain "all threads while some come and go, $calls us a call: '$hits' hits of 429"
	scenarios=$scratch sim churn stat -x, -e $event -p 2000 --timeout 100
	hits=$(awk -F, '$3 ~ /sys_enter/ { print $1 }' "$scratch/err")
	[[ $hits =~ ^[0-9]+$ ]] && ((hits >= 420 && hits <= 435)) || grep -q "$late" "$scratch/err" ||
		complain "threads that come and go, $calls us a call: '$hits' hits of 429"
	((calls > 60)) || ! grep -q "$late" "$scratch/err" ||
		complain "threads that come and go, $calls us a call: not caught"
	# The members of a group whose thread has ended meanwhile are no events that the kernel lacks.
	scenarios=$scratch sim churn stat -e cs,page-faults,task-clock,cpu-migrations,faults -p 2000 --timeout 100
	! grep -q 'not supported' "$scratch/err" || complain "threads that end, $calls us a call: not supported"
done

# Intervals add up to what was counted in all.
sim eight-cpus stat -a -I 100 -x, -e instructions
awk -F, '
	NR == FNR {
		split($0, w, " ")
		split(w[5], t, "=")
		if (w[1] == "event")
			truth += t[2]
		next
	}
	NF > 4 { sum += $2; rows++ }
	END { if (sum != truth || rows != 5) { print rows " rows, " sum ", not " truth; exit 1 } }
' "$scratch/truth" "$scratch/err" || complain "  in -a -I"

# A CPU goes offline: what a group's leader counted until then stays, what its members counted since
# the last reading is lost, which is reported; the others go on.
for events in branches '{branches,instructions}' branches,page-faults,cs; do
	sim unplug stat -a -A -x, -e "$events"
	awk -F, '
		NR == FNR {
			split($0, w, " ")
			split(w[5], t, "=")
			if (w[1] == "event")
				truth["CPU" w[4] "," w[2]] = t[2]
			next
		}
		NF <= 4 || ($1 == "CPU1" && $2 == "<not counted>") { next }
		$2 != truth[$1 "," $4] { print $0 ": not " truth[$1 "," $4]; bad = 1 }
		$4 == "branches" { of[$1] = $2 }
		END { exit bad || !of["CPU1"] || of["CPU0"] < 1.9 * of["CPU1"] }
	' "$scratch/truth" "$scratch/err" || complain "  in -a -A -e $events with an unplugged CPU"
done
sim unplug stat -a -e '{branches,instructions}'
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep "instructions: CPU 1 went offline" >/dev/null ||
	complain "an unplugged CPU: not reported"
sim unplug stat -a -A -I 100 -x, -e '{branches,instructions}'
[[ $status == 130 && $(grep -c 'CPU0,[1-9]' "$scratch/err") == 10 &&
	$(grep -c 'CPU1,[1-9][0-9]*,,branches' "$scratch/err") == 3 &&
	$(grep -c 'CPU1,[1-9][0-9]*,,instructions' "$scratch/err") == 2 &&
	$(grep -c 'CPU1,<not counted>' "$scratch/err") == 5 ]] ||
	complain "-I with an unplugged CPU: not as expected"

# A CPU that comes back is counted again; what may have been missed meanwhile is in the percentage.
sed 's/^at 500ms.*/at 330ms plug 1\nat 1000ms signal INT/' "$scenarios/unplug.sim" >"$scratch/replug.sim"
for events in branches '{branches,instructions}'; do
	scenarios=$scratch sim replug stat -a -A -x, -e "$events"
	grep '^CPU1,[0-9]*,,branches' "$scratch/err" | awk -F, '
		# 800 per microsecond on 920 ms of 1000
		{ nr++; least = 800e3 * 820; most = 800e3 * 1000 }
		$2 < least || $2 > most || $6 >= 100 || $6 < 85 { bad = 1 }
		END { exit bad || nr != 1 }' || complain "a CPU that comes back, $events: not as expected"
done
scenarios=$scratch sim replug stat -a -e branches
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep 'Counted differently: CPU 1 went offline' >/dev/null ||
	complain "a CPU that comes back: not reported"
# One that was not there at the start is counted once it is there, in rows and intervals of its own.
sed 's/^machine.*/machine cpus=2 offline=1/; s/cpu=1/cpu=0/; s/^at 250ms unplug/at 250ms plug/; s/^at 500ms/at 1000ms/' \
	"$scenarios/unplug.sim" >"$scratch/late.sim"
late() { scenarios=$scratch sim late "$@"; }
late stat -a -e cpu-clock
tr '\n' ' ' <"$scratch/err" | tr -s ' ' |
	grep -q 'Counted differently: CPU 1 came online later and is counted from then on' ||
	complain "a CPU that comes later: not reported"
# 750 ms, of which up to 100 are estimated; the percentage shows that.
late stat -a -A -x, -e cpu-clock
awk -F, '/^CPU1,[0-9]/ { nr++; bad = $2 < 650 || $2 > 851 || $6 >= 100 || $6 < 80 }
	END { exit bad || nr != 1 }' "$scratch/err" || complain "-A with a CPU that comes later: not as expected"
late stat -a -A -I 100 -x, -e cpu-clock
awk -F, '/,CPU0,[0-9]/ { first += $3; nr_first++ } /,CPU1,[0-9]/ { second += $3; nr_second++ }
	END { exit !(nr_first == 10 && nr_second > 6 && nr_second < 9 && second > 0.6 * first && second < first) }' \
	"$scratch/err" || complain "-I with a CPU that comes later: not as expected"
# Named CPUs stay those, and runs after the first have its rows: it is left out, which is reported.
late stat -C 0 -x, -e cpu-clock
grep -q '^1000.00,msec,cpu-clock,.*,100.00' "$scratch/err" || complain "-C 0 and another CPU that comes later"
printf '%s\n' 'program one' '	run 300ms cpu=0' '	exit 0' >>"$scratch/late.sim"
late stat -a -r 2 -e cpu-clock one
tr '\n' ' ' <"$scratch/err" | tr -s ' ' |
	grep -q 'Counted differently: CPU 1 came online later and is left out' ||
	complain "-r: a CPU that comes later: not reported"

# A PMU that is on some CPUs only counts there, and is shown there.
event=cpu/branch-instructions/
sim partial-pmu stat -a -x, -e "$event,task-clock"
sum=$(awk -F '[ =]' '$2 == "branches" && $1 == "event" { n += $6 } END { print n }' "$scratch/truth")
((sum > 0)) && grep -q "^$sum,,$event,.*,100.00" "$scratch/err" ||
	complain "-a with a PMU on two CPUs: not as expected"
sim partial-pmu stat -a -A -x, -e "$event,cs"
[[ $(cut -d, -f1,4 "$scratch/err" | grep "$event" | tr '\n' ' ') == "CPU1,$event CPU3,$event " ]] ||
	complain "-A with a PMU on two CPUs: not as expected"
sim partial-pmu stat --per-socket -a -x, -e "$event,cs"
[[ $(grep "$event" "$scratch/err" | cut -d, -f2 | tr '\n' ' ') == "1 1 " ]] ||
	complain "--per-socket with a PMU on one CPU of each: not as expected"
sim partial-pmu stat -C 0,2 -e "$event"
grep -q 'not supported' "$scratch/err" && grep -q 'its PMU is not on these CPUs' "$scratch/err" ||
	complain "a PMU that is not on the CPUs asked for: not reported"
# A group cannot span it and the other CPUs.
sim partial-pmu stat -a -A -x, -e "{cs,$event}"
[[ $(grep -c ",,cs," "$scratch/err") == 4 && $(grep -c ",,$event," "$scratch/err") == 2 ]] ||
	complain "a group across PMUs of different CPUs: not as expected"

# What perf 7 calls the retire latency of an event is not the number of events.
sim partial-pmu stat -a -x, -e task-clock:R,cs:X
grep -q '^<not supported>,msec,task-clock:R,' "$scratch/err" && grep -q '^[0-9]*,,cs:X,.*,100.00,' "$scratch/err" ||
	complain "modifiers R and X: not as expected"
sim partial-pmu stat -a -e task-clock:R
grep -q 'retire latencies (R) are sampled' "$scratch/err" ||
	complain "modifier R: no reason"

# What runs on the other kind of CPU is not counted, which is not for want of counters.
sim two-kinds stat -x, -e cycles,cpu/cpu-cycles/ big
[[ $(grep -c ^40000000, "$scratch/err") == 2 ]] || complain "the right kind of CPU: not counted"
sim two-kinds stat -e cycles,cpu/cpu-cycles/ little
[[ $(grep -c '<not counted>' "$scratch/err") == 2 ]] &&
	tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep "one kind of this machine's CPUs" >/dev/null ||
	complain "the other kind of CPU: not reported"

# Why a count is unreliable: tasks that ran elsewhere, or too many events.
sim two-kinds stat -e cpu/cycles/,cs mostly-little
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep 'Unreliable: cpu/cycles/: .* keep the tasks there' >/dev/null ||
	complain "tasks on CPUs of another kind: wrong advice"
grep -q 'fewer events' "$scratch/err" && complain "tasks on CPUs of another kind: fewer events do not help"
many=$(printf 'cpu/branches/,%.0s' {1..60})cs
sim two-kinds stat -a -e "$many" big
grep -q 'keep the tasks' "$scratch/err" && complain "all tasks of CPUs: there is none to keep anywhere"
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep 'Unreliable: .* count fewer events at once' >/dev/null ||
	complain "too many events: wrong advice"

# What a PMU counts for whole CPUs it does not count for a command.
sim uncore stat -a -A -x, -e cpu/cpu-cycles/ one
[[ $(cut -d, -f1 "$scratch/err" | tr '\n' ' ') == "CPU0 CPU2 " ]] || complain "uncore: not as expected"
sim uncore stat -e cpu/cpu-cycles/ one
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep 'counts whole CPUs, .* use -a' >/dev/null ||
	complain "uncore for a command: not reported"

# User and system time are those of what is measured, in each interval.
cat >"$scratch/times.sim" <<'EOF'
program one
run 350ms sys=40
exit 0
program other
run forever sys=30
task 77 other cpu=0
EOF
sed -i '1i machine cpus=2' "$scratch/times.sim"
scenarios=$scratch sim times stat -x, -I 100 -e user_time,system_time one
awk -F, '
	{ sum[$4] += $2; least = !least || $2 < least ? $2 : least }
	END { exit NR != 8 || least < 20e6 || sum["user_time"] != 210e6 || sum["system_time"] != 140e6 }
' "$scratch/err" || complain "times of a command in intervals: not shares of 210 and 140 ms"
scenarios=$scratch sim times stat -x, --timeout 200 -p 77 -e user_time,system_time
[[ $(awk -F, '{ printf "%d ", $1 / 1e6 }' "$scratch/err") == "140 60 " ]] ||
	complain "times of a process: not 140 and 60 ms"
scenarios=$scratch sim times stat -x, -p 77 -e user_time,system_time one
[[ $(awk -F, '{ printf "%d ", $1 / 1e6 }' "$scratch/err") == "240 100 " ]] ||
	complain "times of a process beside a command: not 240 and 100 ms"

# How the machine is: one row wherever rows are, the same in each interval and run, and no rate.
machine=num_cpus,num_cpus_online,num_cores,num_dies,num_packages,smt_on,core_wide,target_cpu
values()
{
	cut -d, -f"$1" "$scratch/err" | tr '\n' ' '
}
sim eight-cpus stat -x, -e $machine brief
[[ $(values 1) == "8 8 4 2 2 1 0 0 " && $(values 4,5 | tr -s ', ' '\n' | sort -u | xargs) == "1 100.00" ]] ||
	complain "the machine, for a command"
sim eight-cpus stat -a -x, -e task-clock,$machine brief
[[ $(values 1 | cut -d' ' -f2-) == "8 8 4 2 2 1 1 1 " && $(tail -n 8 "$scratch/err" | cut -d, -f6- | sort -u) == , ]] ||
	complain "the machine, for -a"
for cpus in 0-1=1 0,1,6,7=1 0-2=0 3=0; do
	sim eight-cpus stat -C "${cpus%=*}" -x, -e core_wide,target_cpu brief
	[[ $(values 1) == "${cpus#*=} 1 " ]] || complain "core_wide of CPUs ${cpus%=*}"
done
sim eight-cpus stat -a -r 3 -x, -e num_cores,smt_on brief
[[ $(cut -d, -f1-4 "$scratch/err" | tr '\n' ' ') == "4,,num_cores,0.00% 1,,smt_on,0.00% " ]] || complain "the machine, -r"
sim eight-cpus stat -a -x, -I 10 -e num_cores,slots brief
[[ $(cut -d, -f2,4 "$scratch/err" | sort -u | tr '\n' ' ') == "4,num_cores <not supported>,slots " ]] ||
	complain "the machine, in intervals"
for rows in '-a -A' '-a --per-core' '-a --per-node' '-p 2000 --per-thread'; do
	# shellcheck disable=SC2086
	sim eight-cpus stat $rows -x, -e num_cpus,cs,has_pmem brief
	[[ $(grep -c num_cpus "$scratch/err") == 1 && $(grep -c has_pmem "$scratch/err") == 1 ]] ||
		complain "the machine, $rows: not once"
	grep -q ',8,,num_cpus,1,100.00' "$scratch/err" || complain "the machine, $rows"
done
sim eight-cpus stat -e slots,system_tsc_freq,has_pmem brief
tr '\n' ' ' <"$scratch/err" | tr -s ' ' | grep 'slots: no PMU of this machine reports the slots per cycle.*only x86.*/sys/firmware' >/dev/null ||
	complain "what is not known of the machine: no reason"
sim unplug stat -a -x, -I 100 -e num_cpus_online
[[ $(grep -c num_cpus_online "$scratch/err") -ge 4 && $(cut -d, -f2- "$scratch/err" | sort -u | wc -l) == 1 ]] ||
	complain "a value that is read once changed"

# Runs of the same are the same: the mean is the count, the error is 0.
sim one-task stat -r 3 -x, -e instructions one
grep -q '^6000000000,,instructions,0.00%,1000000000,100.00' "$scratch/err" ||
	complain "-r 3: not the mean of three equal runs"

# --table: the time of each run, and its difference to the mean.
sim one-task stat -r 3 --table -e instructions one
[[ $(grep -cE '^ +1\.010001200 \(\+0\.000000000\) #$' "$scratch/err") == 3 ]] &&
	grep -q '^           # Final result:$' "$scratch/err" ||
	complain "--table: not three equal runs"
sim one-task stat -r 3 --table -x, -e instructions one
[[ $(wc -l <"$scratch/err") == 1 ]] || complain "--table with -x: more than the counts"

# --per-cache where the kernel lists no caches, as perf 7.2 has it.
sim one-task stat -a -x, --per-cache -e instructions one
grep -q '^S0-D0-L-1-ID-1,[0-9]*,[0-9]*,,instructions,' "$scratch/err" || complain "--per-cache: no row of unknown caches"
sim one-task stat -a -x, --per-cache=L2 -e instructions one
grep -q '^Error: No CPU has a cache of level 2: ' "$scratch/err" || complain "--per-cache=L2: not refused"

# --hide-zero-events: what did not happen has no row, what was not counted has one.
sim one-task stat -x, --hide-zero-events -e instructions,major-faults one
[[ $(cut -d, -f3 "$scratch/err") == instructions ]] || complain "--hide-zero-events: a row of 0"
sim no-pmu stat -x, --hide-zero-events -e cycles,major-faults one
[[ $(grep -v '^#' "$scratch/err" | cut -d, -f1,3) == '<not supported>,cycles:u' ]] ||
	complain "--hide-zero-events: not only the row of what is not supported"

# --group is the braces around all events.
sim_group()
{
	XPERF_SIM_LOG=$scratch/log sim one-task stat "$@" one
	grep perf_event_open "$scratch/log" | sed 's/0x[0-9a-f]*//g'
}
[[ $(sim_group --group -e cycles,instructions -e cs) == "$(sim_group -e '{cycles,instructions,cs}')" ]] ||
	complain "--group: not opened as a group"
[[ $(sim_group -e cycles,instructions,cs) != "$(sim_group -e '{cycles,instructions,cs}')" ]] ||
	complain "--group: the log does not show groups"

# --pre and --post: nothing of them is counted; a --pre that fails ends it.
# hooks STATUS: the scenario, with a shell that ends with STATUS after some page faults
hooks()
{
	{
		cat "$scenarios/one-task.sim"
		printf 'program sh\n\thit page-faults 1000\n\tsleep 5ms\n\texit %s\n' "$1"
	} >"$scratch/hooks.sim"
}
hooked=(stat -r 2 '-x,' -e 'page-faults,instructions' --pre before --post after one)
hooks 0
scenarios=$scratch sim hooks "${hooked[@]}"
[[ $status == 0 && $(cut -d, -f1 "$scratch/err" | tr '\n' ' ') == '3007 6000000000 ' ]] ||
	complain "--pre and --post: not the counts of the command alone"
hooks 3
scenarios=$scratch sim hooks "${hooked[@]}"
[[ $status == 255 && $(<"$scratch/err") == 'Error: The command of --pre failed with exit status 3, and nothing was run: before' ]] ||
	complain "a --pre that fails: exit status $status, not 255 with a sentence"
scenarios=$scratch sim hooks stat -r 2 -x, -e page-faults --post after one
[[ $status == 0 && $(grep -cx 'Warning: The command of --post failed with exit status 3: after' "$scratch/err") == 2 ]] ||
	complain "a --post that fails: exit status $status, not 0 with a warning per run"

# The exit status is the workload's; hardware that is not there has a reason.
sim no-pmu stat one
[[ $status == 7 ]] || complain "exit status $status, not the workload's 7"
if ! grep -q '80  *page-faults:u' "$scratch/err" || grep -q '<not supported>' "$scratch/err" ||
	! tr '\n' ' ' <"$scratch/err" | tr -s ' ' |
	grep 'Not supported here: cycles:u, instructions:u, .*: this virtual machine (KVM) has no PMU' >/dev/null; then
	complain "no PMU: not as expected"
fi
# All rows where they were asked for, and where a program may read them.
for options in -v "-o $scratch/err" '-e cycles'; do
	# shellcheck disable=SC2086
	sim no-pmu stat $options one
	grep -q '<not supported> *cycles' "$scratch/err" || complain "no PMU, $options: no row of cycles"
done

# A group of which nothing can be counted is an error, as with perf; one of which something can is not.
for events in '{cycles,instructions}' 'cs,{cycles,instructions}:W'; do
	sim no-pmu stat -e "$events" one
	[[ $status == 255 && $(<"$scratch/err") == "Error: No event of the group {cycles:u,instructions:u} can be counted: "*"has no PMU" ]] ||
		complain "a group that cannot be counted: exit status $status, not 255 with the reason"
done
for events in cycles '{cycles}' '{page-faults,cycles}' '{cycles,page-faults}'; do
	sim no-pmu stat -e "$events" one
	[[ $status == 7 ]] || complain "-e $events: exit status $status, not the workload's 7"
done

# An older kernel is asked for less.
sim old-kernel stat -x, -e cycles,instructions,page-faults one
compare "old kernel" $exact_ppm 3


# A filter is given once to every descriptor of the tracepoints of its -e, in every run.
sim_logged()
{
	XPERF_SIM_LOG=$scratch/log sim "$@"
}
# filters N TEXT: given so often in all
filters()
{
	local nr

	nr=$(grep -cF "SET_FILTER, \"$2\") = 0" "$scratch/log")
	[[ $status == 0 && $nr == "$1" ]] || complain "the filter '$2' was set $nr times, not $1"
}
switch=sched:sched_switch wakeup=sched:sched_wakeup
sim_logged one-task stat -e $switch,cs --filter 'common_pid != 1' -e $wakeup one
filters 1 'common_pid != 1'
sim_logged one-task stat -r 3 -e "{$switch,$wakeup}" --filter 'ret > 0' --filter 'task ~ "x*"' one
filters 6 '(ret > 0) && (task ~ "x*")'
sim_logged eight-cpus stat -a -e $switch -e $wakeup --exclude-perf brief
[[ $(grep -c 'SET_FILTER, "common_pid != [0-9]*") = 0' "$scratch/log") == 8 ]] ||
	complain "--exclude-perf: not one filter per CPU"

# What the kernel refuses is said, and nothing stays open.
sed "\$a fail ioctl 1 EINVAL" "$scenarios/one-task.sim" >"$scratch/refused.sim"
scenarios=$scratch sim refused stat -e $switch --filter 'ret > 0' one
if [[ $status != 129 ]] || ! grep -q "the kernel rejects this filter for $switch" "$scratch/err" ||
	! grep -q '^  ret > 0$' "$scratch/err" || ! grep -q '^  ^~~~~~~$' "$scratch/err"; then
	complain "a filter the kernel refuses: exit status $status, not as expected"
fi
exit $failed
