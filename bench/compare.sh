#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf compare` adds to the wall time of a run, beside hyperfine and a bare fork and exec, and
# how often it finds 2 % more work in wall time; prints Markdown.
#
# Usage: bench/compare.sh [XPERF]     needs a release build and hyperfine
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
xperf=${1:-build/release/xperf}
tools=build/release/bench
needs hyperfine "nothing to compare with"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
turns=${TURNS:-9} runs=${RUNS:-200} comparisons=${COMPARISONS:-20}

median() { sort -g "$1" | awk '{ a[NR] = $1 } END { printf "%.3f", a[int((NR + 1) / 2)] }'; }
fastest() { sort -g "$1" | awk 'NR == 1 { printf "%.3f", $1 }'; }
# What each tool says that nothing takes, in turns; milliseconds.
for ((i = 0; i < turns; i++)); do
	"$tools/spawn" "$runs" "$tools/nop" >>"$dir/spawn"
	"$xperf" compare -q -n -r "$runs" --export-csv "$dir/csv" "$tools/nop"
	awk -F, '$2 == "\"wall\"" { print $7 * 1000 }' "$dir/csv" >>"$dir/null"
	"$xperf" compare -q -r "$runs" --export-csv "$dir/csv" "$tools/nop"
	awk -F, '$2 == "\"wall\"" { print $7 * 1000 }' "$dir/csv" >>"$dir/default"
	hyperfine -N -w 0 -r "$runs" --export-csv "$dir/csv" "$tools/nop" >/dev/null 2>&1
	awk -F, 'NR == 2 { print $4 * 1000 }' "$dir/csv" >>"$dir/hyperfine"
done
# Where something else runs on all CPUs, many runs wait for a slice of it: the fastest turn has none of that.
echo "## Wall time of a command that does nothing, $turns turns of $runs runs"
echo
echo "| | median turn, ms | more than fork and exec, ms | fastest turn, ms | more than fork and exec, ms |"
echo "|---|---|---|---|---|"
difference() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%+.3f", a - b }'; }
bare=$(median "$dir/spawn") fast=$(fastest "$dir/spawn")
for row in "spawn:fork, exec, wait" "null:xperf compare -n" "default:xperf compare" "hyperfine:hyperfine -N"; do
	turn=$(median "$dir/${row%%:*}") best=$(fastest "$dir/${row%%:*}")
	echo "| ${row#*:} | $turn | $(difference "$turn" "$bare") | $best | $(difference "$best" "$fast") |"
done

# verdicts COMMAND...: of wall times, 40 rounds
verdicts()
{
	for ((i = 0; i < comparisons; i++)); do
		"$xperf" compare -q -n -r 40 --export-csv "$dir/csv" "$@"
		awk -F, '$2 == "\"wall\"" && $15 != "" { print $15 }' "$dir/csv"
	done | sort | uniq -c | awk '{ printf "%s%s %d", (NR > 1 ? ", " : ""), $2, $1 } END { print "" }'
}
echo
echo "## Verdicts about wall time, $comparisons comparisons of 40 rounds, about 25 ms of work"
echo
echo "| | |"
echo "|---|---|"
echo "| the same work | $(verdicts "$tools/spin 20000" "$tools/spin 20000") |"
echo "| 2 % more | $(verdicts "$tools/spin 20000" "$tools/spin 20400") |"
echo "| 5 % more | $(verdicts "$tools/spin 20000" "$tools/spin 21000") |"
