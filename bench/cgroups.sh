#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What counting three events in each of many cgroups costs: two processes in two of them wake each
# other, on one CPU, so that each wake-up is a switch between cgroups; and what it takes to open and
# to read the events. Beside perf, in its ordinary way and by BPF, where it can. Prints Markdown.
#
# Usage: bench/cgroups.sh [XPERF [PERF]]     needs root, libbpf and cgroups
#   CGROUPS="1 100 1000"
#   TURNS=20000   pairs of switches in each run
#   ROUNDS=5      the medians of which are shown
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
needs_root
xperf=$(realpath "${1:-build/release/xperf}")
perf=${2:-perf}
mounted=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
[[ $mounted ]] || mounted=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[[ $mounted ]] || { echo "cgroups.sh: no cgroups are mounted that could be counted" >&2; exit 1; }
own=xperf-bench-$$
work=$(mktemp -d)
cleanup()
{
	for _ in {1..100}; do
		find "$mounted/$own" -depth -type d -exec rmdir {} + 2>/dev/null
		[[ -e $mounted/$own ]] || break
		sleep 0.1
	done
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work"
export LC_ALL=C

cat >turns.c <<'END'
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void enter(const char *procs)
{
	int fd = open(procs, O_WRONLY);

	if (fd < 0 || write(fd, "0", 1) != 1)
		exit(1);
	close(fd);
}

/* turns NUMBER PROCS PROCS: nanoseconds for each turn and its answer */
int main(int argc, char **argv)
{
	int nr = argc > 3 ? atoi(argv[1]) : 0, there[2], back[2];
	cpu_set_t one;
	char byte = 0;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		return 1;
	pid_t other = fork();
	enter(argv[other ? 2 : 3]);
	if (!other) {
		for (int i = 0; i < nr; i++)
			if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
				return 1;
		return 0;
	}
	double before = now();
	for (int i = 0; i < nr; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	printf("%.0f\n", (now() - before) / nr);
	return waitpid(other, NULL, 0) != other;
}
END
"${CC:-cc}" -O2 -D_GNU_SOURCE -o turns turns.c
"${CC:-cc}" -O2 -static -o nothing -x c - <<<'int main(void) { return 0; }'

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# microseconds COMMAND...: for a turn, counted by the command
microseconds()
{
	for ((i = 0; i < ${ROUNDS:-5}; i++)); do
		"$@" ./turns "${TURNS:-20000}" "$mounted/$own/1/cgroup.procs" "$mounted/$own/$two/cgroup.procs" \
			2>>errors
	done | median | awk '{ printf "%.2f", $1 / 1000 }'
}

# opened COMMAND...: milliseconds for a command that does nothing
opened()
{
	local before

	for ((i = 0; i < ${ROUNDS:-5}; i++)); do
		before=$(date +%s%N)
		"$@" ./nothing >>errors 2>&1
		echo $(($(date +%s%N) - before))
	done | median | awk '{ printf "%.0f", $1 / 1e6 }'
}

# row TITLE COMMAND...: with the options for the cgroups
row()
{
	local title=$1

	shift
	if ! "$@" ./nothing >/dev/null 2>&1 </dev/null; then
		echo "| $nr | $title | - | - |"
		return
	fi
	echo "| $nr | $title | $(microseconds "$@") | $(opened "$@") |"
}

mkdir "$mounted/$own"
for ((i = 1; i <= 1000; i++)); do
	mkdir "$mounted/$own/$i"
done
events=task-clock,page-faults,context-switches
echo "| cgroups | | µs per turn | ms to open and read |"
echo "|---|---|---|---|"
for nr in ${CGROUPS:-1 100 1000}; do
	two=$((nr > 1 ? 2 : 1))
	list=$(seq -s, -f "$own/%.0f" "$nr")
	row "not counted" env
	row "xperf stat" "$xperf" stat -o /dev/null -a -e $events --for-each-cgroup "$list" --
	row "xperf stat --bpf-counters" "$xperf" stat -o /dev/null --bpf-counters -a -e $events --for-each-cgroup "$list" --
	row "perf stat" "$perf" stat -o /dev/null -a -e $events --for-each-cgroup "$list" --
	row "perf stat --bpf-counters" "$perf" stat -o /dev/null --bpf-counters -a -e $events --for-each-cgroup "$list" --
done
