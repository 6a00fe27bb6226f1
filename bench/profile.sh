#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a profile of the whole machine costs that runs for long: `record --bpf`, which sums call chains
# in the kernel, beside `record -g`; prints Markdown. CPU time is that of the recorder's threads, not
# that of interrupts, which both have.
#
# Usage: bench/profile.sh [XPERF]     needs a release build and root; SECONDS_EACH=600 for each row
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
tools=$(dirname "$xperf")/bench
each=${SECONDS_EACH:-600}
needs_root
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export HOME=$work

# cost ARGUMENTS: a row of a recording while the machine is busy and calls, again and again
cost() {
	local pid cpu memory
	"$xperf" record -q -a -e cpu-clock "$@" -o "$work/file" &
	pid=$!
	sleep "$each"
	cpu=$(cat "/proc/$pid"/task/*/schedstat | awk '{ sum += $1 } END { print sum / 1e6 }')
	memory=$(awk '$1 == "VmHWM:" { print $2 / 1024 }' "/proc/$pid/status")
	kill -INT "$pid"
	wait "$pid" || true
	awk -v what="$*" -v s="$each" -v cpu="$cpu" -v memory="$memory" -v bytes="$(stat -c %s "$work/file")" \
		'BEGIN { printf "| %s | %.2f | %.3f | %.0f | %.2f | %.1f |\n", what, cpu / s, cpu / s / 10, memory, bytes / 1e6, bytes / s / 1e3 }'
}

while :; do
	"$tools/load" deep 1 200
	"$tools/load" calls 1 200000
	"$tools/load" switches 1 20000
done >/dev/null &
echo "| $each s each | CPU ms per second | % of a CPU | memory MiB | file MB | kB per second |"
echo "|---|---|---|---|---|---|"
for hz in 99 997; do
	cost -F "$hz" -g
	cost -F "$hz" --bpf
done
