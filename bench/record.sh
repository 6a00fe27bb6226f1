#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf record` costs, beside perf and beside the floor, in one run; prints Markdown.
#
# Usage: bench/record.sh [XPERF [PERF]]     needs a release build and root
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
perf=${2:-perf}
tools=$build/bench
rounds=${ROUNDS:-5}
needs "$perf" "nothing to compare with"
needs_root
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
export HOME=$work

tracefs=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)

# startup TITLE ARGUMENTS: wall and CPU of a recording of nothing much
startup() {
	local title=$1 out x p
	shift
	out=$("$tools/turns" "$rounds" "$xperf record -o $work/x.data $*" "$perf record -o $work/p.data $*")
	x=$(sed -n 1p <<<"$out") p=$(sed -n 2p <<<"$out")
	echo "| $title | $(cut -f1 <<<"$x") | $(cut -f1 <<<"$p") | $(ratio "$(cut -f1 <<<"$x")" "$(cut -f1 <<<"$p")") | $(cut -f2 <<<"$x") | $(cut -f2 <<<"$p") | $(ratio "$(cut -f2 <<<"$x")" "$(cut -f2 <<<"$p")") |"
}

waiting() { # waiting KIND AMOUNT: a load that has got ready; its pid in $load
	coproc LOAD { exec "$tools/load" "$1" 1 "$2"; }
	load=$LOAD_PID
	read -r <&"${LOAD[0]}"
}

echo "## Start to end"
echo
echo "| | xperf, wall ms | perf | ratio | xperf, CPU ms | perf | ratio |"
echo "|---|---|---|---|---|---|---|"
startup "of a command that does nothing" -e cpu-clock "$tools/nop"
startup "the same with call chains" -g -e cpu-clock "$tools/nop"
startup "all CPUs" -a -e cpu-clock "$tools/nop"
waiting maps 5000
startup "a process with 5,000 maps" -e cpu-clock -p "$load" true
kill "$load"; wait "$load" 2>/dev/null || true
waiting processes 2000
startup "all CPUs, 2,000 processes" -a -e cpu-clock "$tools/nop"
kill "$load"; wait "$load" 2>/dev/null || true

# sampling TITLE "RECORD ARGUMENTS" "FLOOR ARGUMENTS" LOAD...
sampling() {
	local title=$1 args=$2 floor=$3 out
	shift 3
	out=$("$tools/recordings" "$rounds" "$xperf record -o FILE $args $tools/load $*" \
		"$perf record -o FILE $args $tools/load $*" "$tools/record-floor FILE $floor $tools/load $*")
	awk -F'\t' -v title="$title" '
		{ wall[NR] = $1; cpu[NR] = $4 ? $2 / $4 * 1e6 : 0; memory[NR] = $3; samples[NR] = $4; lost[NR] = $5; bytes[NR] = $6 }
		END {
			printf "| %s | %.0f | %.0f | %.2f | %.1f | %.0f / %.0f | %.1f / %.1f | %.0f / %.0f | %.0f / %.0f | %.2f |\n", title,
				cpu[1], cpu[2], cpu[2] ? cpu[1] / cpu[2] : 0, cpu[3] ? cpu[1] / cpu[3] : 0,
				lost[1], lost[2], memory[1], memory[2], bytes[1], bytes[2], samples[1], samples[2], wall[2] ? wall[1] / wall[2] : 0
		}' <<<"$out"
}

echo
echo "## Per sample (xperf / perf where two numbers are given)"
echo
echo "| | xperf, CPU ms per million samples | perf | ratio | of the floor | lost | memory, MB | bytes per sample | samples | wall time of the load, ratio |"
echo "|---|---|---|---|---|---|---|---|---|---|"
flat=7 # IP, TID, TIME
sampling "page faults, each" "-e page-faults -c 1" "128 1 2 period 1 $flat 0" faults 2 500000
for hz in 10000 20000 50000; do
	sampling "cpu-clock, $hz Hz" "-e cpu-clock -F $hz" "128 1 0 freq $hz $((flat | 0x100)) 0" busy 2 3000
done
sampling "cpu-clock, 20000 Hz, -g" "-g -e cpu-clock -F 20000" "128 1 0 freq 20000 $((flat | 0x120)) 0" deep 2 3000
sampling "cpu-clock, 20000 Hz, --call-graph dwarf; perf stores stacks" "--call-graph dwarf -e cpu-clock -F 20000" "2048 1 0 freq 20000 $((flat | 0x3120)) 8192" deep 2 1500
if [ -r "$tracefs/events/raw_syscalls/sys_enter/id" ]; then
	raw=$((flat | 0x580))
	id=$(cat "$tracefs/events/raw_syscalls/sys_enter/id")
	sampling "raw_syscalls:sys_enter at full speed" "-e raw_syscalls:sys_enter -c 1" "2048 2 $id period 1 $raw 0" calls 2 1000000
	id=$(cat "$tracefs/events/sched/sched_switch/id")
	sampling "sched:sched_switch" "-e sched:sched_switch -c 1" "128 2 $id period 1 $raw 0" switches 2 100000
fi
