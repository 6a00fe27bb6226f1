#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What one more entry of each table that a recording fills costs: CPU time and memory per entry, for
# tables that double. Where time per entry grows by more than half from one row to the next, a star
# stands behind it: it is no n log n. Prints Markdown.
#
# Usage: bench/growth.sh [XPERF]     needs a release build
#   SIZES='20000 40000 80000 160000'   how many entries
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
xperf=$(realpath "${1:-$build/xperf}")
grow=$(realpath "$build/bench/grow")
sizes=${SIZES:-20000 40000 80000 160000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# measure COMMAND...: microseconds of CPU time, which other programs of the machine hardly change, and
# KB: the least of three
measure() {
	local best='' user system rss TIMEFORMAT='%3U %3S'
	for _ in 1 2 3; do
		{ time /usr/bin/time -o rss -f %M "$@" >/dev/null 2>&1; } 2>cpu
		read -r user system <cpu
		rss=$(tail -1 rss)
		local took=$(((10#${user/./} + 10#${system/./}) * 1000))
		[[ $best && ${best% *} -le $took ]] || best="$took $rss"
	done
	echo "$best"
}

echo "| table | command | entries | ns per entry | bytes per entry |"
echo "|---|---|--:|--:|--:|"
for table in ids maps names modules segments symbols threads cgroups; do
	for command in report script evlist 'report --header-only'; do
		read -ra words <<<"$command"
		[[ $table$command != cgroupsreport ]] || words+=(-s cgroup)
		read -r none kb_none < <("$grow" "$table" 1 small; measure "$xperf" "${words[@]}" -i small)
		before=
		for size in $sizes; do
			[ -s "$table.$size" ] || "$grow" "$table" "$size" "$table.$size"
			read -r us kb < <(measure "$xperf" "${words[@]}" -i "$table.$size")
			ns=$(((us - none) * 1000 / size)) mark=
			[[ $ns -ge 0 ]] || ns=0
			[[ ! $before || $ns -le 100 || $((ns * 2)) -le $((before * 3)) ]] || mark=' *'
			echo "| $table | $command | $size | $ns$mark | $(((kb - kb_none) * 1024 / size)) |"
			before=$ns
		done
	done
	rm -f "$table".*
done
