#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a profile of the whole machine costs that runs for long: `record --bpf`, which sums call chains
# in the kernel, beside `record -g` and `--call-graph dwarf`; prints Markdown. Those of one frequency
# record at the same time, so that all of them see the same. CPU time is that of the recorder's
# threads and of its programs in the kernel, not that of interrupts, which all of them have.
#
# Usage: bench/profile.sh [XPERF]     needs a release build and root; SECONDS_EACH=600 for each frequency
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
tools=$(dirname "$xperf")/bench
each=${SECONDS_EACH:-600}
needs_root
work=$(mktemp -d)
stats=/proc/sys/kernel/bpf_stats_enabled
before=$(<$stats)
trap 'echo "$before" >$stats; kill $(jobs -p) 2>/dev/null; pkill -INT -f "$work/file"; rm -rf "$work"' EXIT
export HOME=$work
echo 1 >$stats

# measure NUMBER HZ ARGUMENTS: a row of a recording, in its own file
measure() {
	local nr=$1 hz=$2 pid cpu memory programs
	shift 2
	"$xperf" record -q -a -e cpu-clock -F "$hz" "$@" -o "$work/file$nr" &
	pid=$!
	sleep "$each"
	cpu=$(cat "/proc/$pid"/task/*/schedstat | awk '{ sum += $1 } END { print sum / 1e6 }')
	programs=$(cat "/proc/$pid"/fdinfo/* 2>/dev/null | awk '$1 == "run_time_ns:" { sum += $2 } END { print sum / 1e6 }')
	memory=$(awk '$1 == "VmHWM:" { print $2 / 1024 }' "/proc/$pid/status")
	kill -INT "$pid"
	wait "$pid" || true
	awk -v what="$*" -v hz="$hz" -v s="$each" -v cpu="$cpu" -v programs="$programs" -v memory="$memory" \
		-v bytes="$(stat -c %s "$work/file$nr")" 'BEGIN {
			printf "| -F %d %s | %.2f | %.2f | %.2f | %.0f | %.2f | %.1f |\n", hz, what, cpu / s, programs / s,
				(cpu + programs) / s / 10, memory, bytes / 1e6, bytes / s / 1e3
		}' >"$work/row$nr"
}

while :; do
	"$tools/load" deep 1 200
	"$tools/load" calls 1 200000
	"$tools/load" switches 1 20000
done >/dev/null &
echo "| $each s each | CPU ms per second | programs, ms per second | % of a CPU | memory MiB | file MB | kB per second |"
echo "|---|---|---|---|---|---|---|"
for hz in 99 997; do
	measure 1 $hz -g & rows=$!
	measure 2 $hz --call-graph dwarf & rows+=" $!"
	measure 3 $hz --bpf & rows+=" $!"
	measure 4 $hz --bpf --call-graph fp & rows+=" $!"
	# shellcheck disable=SC2086 # numbers of processes
	wait $rows
	cat "$work"/row?
done
