#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `top` of the whole machine costs: CPU time of both its processes, and their memory, beside
# those of `perf top` where that works. The machine is busy, in the second part with processes that
# live for a moment only. Prints Markdown.
#
# Usage: bench/top.sh [XPERF]     needs a release build and root; SECONDS_EACH=600 for each part
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
xperf=${1:-build/release/xperf}
tools=$(dirname "$xperf")/bench
each=${SECONDS_EACH:-600}
needs_root
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work

# of PID: its CPU time in seconds, with that of threads that have ended, and memory in MiB; nothing if
# it has ended
of() {
	local ticks rss

	ticks=$(sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }') &&
		rss=$(awk '$1 == "VmRSS:" { printf "%.1f", $2 / 1024 }' "/proc/$1/status") || return 0
	[[ -z $rss ]] || echo "$ticks $(getconf CLK_TCK) $rss"
}

# row SECONDS WHAT PID...: a row of the table
row() {
	local seconds=$1 what=$2 pid
	shift 2
	for pid; do
		of "$pid" 2>/dev/null
	done | awk -v s="$seconds" -v what="$what" '{ cpu += $1 / $2; rss = rss (NR > 1 ? " + " : "") $3 }
		END { if (NR) printf "| %d | %s | %.1f | %.2f | %s |\n", s, what, cpu, 100 * cpu / s, rss
		      else printf "| %d | %s | it has ended | | |\n", s, what }'
}

# watch: both beside each other, a row of each every 30 s
watch() {
	local ours theirs='' recorder began=$SECONDS

	"$xperf" top -a -F 1000 --stdio >"$work/ours" 2>&1 &
	ours=$!
	if command -v perf >/dev/null; then
		perf top -a -F 1000 --stdio </dev/null >"$work/theirs" 2>&1 &
		theirs=$!
	fi
	until recorder=$(pgrep -P "$ours"); do :; done
	while ((SECONDS - began < each)); do
		sleep $((each < 30 ? each : 30))
		row $((SECONDS - began)) 'xperf top' "$ours" "$recorder"
		[[ -z $theirs ]] || row $((SECONDS - began)) 'perf top' "$theirs"
	done
	kill -INT "$ours" $theirs 2>/dev/null || true
	wait "$ours" $theirs || true
}

heading() {
	echo
	echo "$1:"
	echo
	echo "| seconds | | CPU seconds | % of a CPU | memory, MiB |"
	echo "|---|---|---|---|---|"
}

while :; do
	"$tools/load" deep 1 200
	"$tools/load" calls 1 200000
done >/dev/null &
busy=$!
heading "A busy machine"
watch
kill "$busy"
while :; do /bin/true; done &
busy=$!
heading "A process after the other"
watch
kill "$busy"
