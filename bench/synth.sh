#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What it costs to describe the kernel and the processes that are there already, beside perf: of perf
# it is the difference between a recording with and without. Prints Markdown.
#
# Usage: bench/synth.sh [PERF]     needs a release build and root
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
tools=build/release/bench
perf=${1:-perf}
rounds=${ROUNDS:-5}
needs "$perf" "nothing to compare with"
needs_root
work=$(mktemp -d)
load=
trap 'kill $load 2>/dev/null; rm -rf "$work"' EXIT
export HOME=$work

# row TITLE SYNTH-ARGUMENT PERF-ARGUMENTS
row() {
	local record="$perf record -B -N --no-bpf-event -e dummy -o $work/p.data $3"

	"$tools/turns" "$rounds" "$tools/synth $2" "$record --synth=all true" "$record --synth=no true" |
		awk -F'\t' -v title="$1" '{ cpu[NR] = $2 } END {
			perf = cpu[2] - cpu[3]
			printf "| %s | %.1f | %.1f | %.2f |\n", title, cpu[1], perf, (perf > 0 ? cpu[1] / perf : 0) }'
}

# waiting KIND AMOUNT: a load that has got ready; its pid in $load
waiting() {
	coproc LOAD { exec "$tools/load" "$1" 1 "$2"; }
	load=$LOAD_PID
	read -r <&"${LOAD[0]}"
}

done_waiting() {
	kill "$load"
	wait "$load" 2>/dev/null || true
}

echo "| | xperf, CPU ms | perf | ratio |"
echo "|---|---|---|---|"
row "this machine as it is" all -a
waiting maps 5000
row "a process with 5,000 maps" "$load" "-p $load"
done_waiting
waiting processes 2000
row "2,000 processes" all -a
done_waiting
