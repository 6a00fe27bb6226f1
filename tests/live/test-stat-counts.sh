#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# xperf counts what perf counts, on workloads that do exactly the same each time: page faults,
# system calls by tracepoint, context switches of a scripted ping-pong.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf
: "${XPERF:?}"
export LC_ALL=C
failed=0

# Each run sees the same addresses, and an environment so small that what perf adds to it does not
# reach into another page.
fixed=(env -i "PATH=$PATH")
setarch -R true 2>/dev/null && fixed+=(setarch -R)
true=$(type -P true) sh=$(type -P sh) ls=$(type -P ls)

# count TOOL EVENT COMMAND...: the number TOOL prints. Commands are named by their path: perf changes
# PATH for them, and the search would count.
count()
{
	local tool=$1 event=$2

	shift 2
	"${fixed[@]}" "$tool" stat -x, -e "$event" -o /dev/stdout "$@" 2>/dev/null </dev/null |
		awk -F, 'NF > 4 { print $1 }'
}

# least NUMBER...: the smallest
least()
{
	printf '%s\n' "$@" | grep . | sort -n | sed -n 1p
}

# most_frequent NUMBER...: what was counted most often; of several, the smallest
most_frequent()
{
	printf '%s\n' "$@" | grep . | sort -n | uniq -c | sort -s -rn -k 1,1 | awk '{ print $2; exit }'
}

# same EVENT COMMAND...: an exact count. The system may disturb a run, in both directions: a page that another
# task has just read is one fault less. Hence what most of several runs have, of more where it disturbs more
same()
{
	local perf_counts=() xperf_counts=() perf_count='' xperf_count='' runs

	for ((runs = 1; runs <= 30; runs++)); do
		perf_counts+=("$(count perf "$@")")
		xperf_counts+=("$(count "$XPERF" "$@")")
		perf_count=$(most_frequent "${perf_counts[@]}")
		xperf_count=$(most_frequent "${xperf_counts[@]}")
		((runs < 5)) || [[ $perf_count != "$xperf_count" ]] || break
	done
	if [[ -z $xperf_count || $perf_count != "$xperf_count" ]]; then
		echo "$*: perf counts '$perf_count', xperf '$xperf_count'"
		echo "    of ${perf_counts[*]}, and ${xperf_counts[*]}"
		failed=1
	fi
}

same page-faults "$true"
same minor-faults "$true"
same page-faults:u "$true"
same page-faults "$(type -P dd)" if=/dev/zero of=/dev/null bs=4M count=1
same context-switches:u "$true"
if "$XPERF" stat -e raw_syscalls:sys_enter true >/dev/null 2>&1; then
	same raw_syscalls:sys_enter "$true"
	same raw_syscalls:sys_exit "$ls" /
	same sched:sched_process_exec "$sh" -c 'true; /bin/true'
	same sched:sched_process_fork "$sh" -c '/bin/true; /bin/true'
else
	echo "tracepoints left out: they cannot be counted here (tracefs, root)"
fi

# A ping-pong of N turns on one CPU switches twice a turn, but for the first and the last, where
# either side may find the other ready; what is on top comes from the rest of the system.
turns=500
for tool in perf "$XPERF"; do
	fewest=''
	for _ in {1..30}; do
		fewest=$(least "$fewest" "$(count "$tool" context-switches "$(type -P taskset)" -c 0 \
			"$XPERF" test -w context_switch_loop $turns)")
		((fewest > 2 * turns + turns / 10)) || break
	done
	if ((fewest < 2 * turns - 2 || fewest > 2 * turns + turns / 10)); then
		echo "ping-pong of $turns turns: $tool counts $fewest context switches"
		failed=1
	fi
done
exit $failed
