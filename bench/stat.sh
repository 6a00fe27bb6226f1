#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf stat` costs, beside perf and beside the floor, in one run; prints Markdown.
#
# Usage: bench/stat.sh [XPERF [PERF]]     needs a release build, root; strace and valgrind for two of the tables
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
perf=${2:-perf}
tools=$build/bench
rounds=${ROUNDS:-41}
needs "$perf" "nothing to compare with"

software=task-clock,context-switches,cpu-migrations,page-faults,minor-faults,major-faults,alignment-faults
events() { # the first $1 of the software events, over and over
	for _ in 1 2 3 4 5 6 7 8; do printf '%s,' "$software"; done | cut -d, -f"1-$1"
}

echo "## \`stat\` of a command that does nothing, default events"
echo
read -r x p f < <("$tools/turns" "$rounds" "$xperf stat $tools/nop" "$perf stat $tools/nop" "$tools/floor $tools/nop" | column 2)
echo "| | xperf | perf | floor |"
echo "|---|---|---|---|"
echo "| CPU, ms, and multiple of the floor | $x ($(ratio "$x" "$f")) | $p ($(ratio "$p" "$f")) | $f |"
if command -v strace >/dev/null; then
	calls() { strace -f -o "$tools/calls" "$@" >/dev/null 2>&1; grep -c '(' "$tools/calls"; }
	echo "| system calls, dynamic loading and the command included | $(calls "$xperf" stat "$tools/nop") | $(calls "$perf" stat "$tools/nop") | $(calls "$tools/floor" "$tools/nop") |"
fi
if command -v valgrind >/dev/null; then
	instructions() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ { print $NF; exit }'; }
	echo "| instructions in user space, the command not included | $(instructions "$xperf" stat "$tools/nop") | $(instructions "$perf" stat "$tools/nop") | $(instructions "$tools/floor" "$tools/nop") |"
fi

echo
echo "## \`stat -a -I 10\`, 50 events, CPU per interval"
echo
intervals=300
read -r x p < <("$tools/turns" 5 \
	"$xperf stat -a -I 10 --interval-count $intervals -o /dev/null -e $(events 50)" \
	"$perf stat -a -I 10 --interval-count $intervals -o /dev/null -e $(events 50)" | column 2)
echo "| xperf | perf | xperf / perf |"
echo "|---|---|---|"
echo "| $(awk -v c="$x" -v n=$intervals 'BEGIN { printf "%.0f", c * 1000 / n }') µs | $(awk -v c="$p" -v n=$intervals 'BEGIN { printf "%.0f", c * 1000 / n }') µs | $(ratio "$x" "$p") |"

tracefs=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
if [ -r "$tracefs/events/sched" ]; then
	tracepoints=$(find "$tracefs/events/sched" -mindepth 1 -maxdepth 1 -type d | sort | head -20 | sed 's|.*/|sched:|' | paste -sd,)
	echo
	echo "## \`stat\` with 20 tracepoints, wall time until it returns"
	echo
	read -r x p < <("$tools/turns" 5 "$xperf stat -e $tracepoints $tools/nop" "$perf stat -e $tracepoints $tools/nop" | column 1)
	echo "| xperf | perf |"
	echo "|---|---|"
	echo "| $x ms | $p ms |"
fi
