#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf report` costs, beside perf and beside the floor (a program that only walks over the
# records), in one run, on the same files; prints Markdown. The files are made of recordings of a
# compiler at work, by perf, whose samples are repeated.
#
# Usage: bench/report.sh [XPERF [PERF]]     needs a release build, root, 2 GB below $DATA
#   DATA=DIRECTORY  keeps the files for the next time; default: a temporary directory
#   ROUNDS=5        the medians of which are shown; perf's long ones are run once
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
perf=${2:-perf}
tools=$build/bench
rounds=${ROUNDS:-5}
compiler=${COMPILER:-$(command -v clang++ || command -v g++)}
needs "$perf" "nothing to compare with"
[ -n "$compiler" ] || { echo "report.sh: no C++ compiler is installed: nothing to record" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work
data=${DATA:-$work}
mkdir -p "$data"

printf '#include <regex>\n#include <map>\n#include <iostream>\nint main() { std::map<std::string, std::regex> m; m["a"] = std::regex("a+"); std::cout << m.size(); }\n' >"$work/work.cpp"

# make FILE AMOUNT RECORD-ARGUMENTS: a recording, repeated to so many samples, or megabytes ("500m")
make() {
	local file=$data/$1 amount=$2
	shift 2
	[ -s "$file" ] && return
	"$perf" record -q -B -o "$work/small.data" "$@" -- "$compiler" -O2 -c "$work/work.cpp" -o "$work/work.o" >&2
	"$tools/multiply" "$work/small.data" "$file.part" "$amount" >/dev/null
	mv "$file.part" "$file"
}
make flat-1m.data 1000000 -e cpu-clock -F 15000
make flat-5m.data 5040000 -e cpu-clock -F 15000
make chains-1m.data 1050000 -e cpu-clock -F 10000 -g
make stacks.data 500m -e cpu-clock -F 4000 --call-graph dwarf
[ -s "$data/small.data" ] || "$perf" record -q -B -o "$data/small.data" -e cpu-clock:u -F 1000 -- "$tools/load" busy 1 150 >&2

# row TITLE ROUNDS FILE ARGUMENTS: one thread, two, perf, and the floor, in turn
row() {
	local title=$1 n=$2 file=$data/$3 samples
	shift 3
	samples=$("$tools/walk" "$file" | sed 's/.*, \([0-9]*\) samples/\1/')
	"$tools/turns" -m "$n" "$xperf report --stdio --jobs 1 -i $file $*" \
		"$xperf report --stdio --jobs 2 -i $file $*" \
		"$perf report --stdio --no-inline -i $file $*" "$tools/walk $file" |
		awk -F'\t' -v title="$title" -v samples="$samples" '
			{ wall[NR] = $1; cpu[NR] = $2; memory[NR] = $3 }
			END {
				printf "| %s | %d | %.1f | %.1f | **1/%.1f** | %.1f | %.1f | %.2f | %.1f | %.0f / %.0f | 1/%.1f |\n", title, samples,
					cpu[1], cpu[3], cpu[3] / cpu[1], cpu[4], cpu[1] / cpu[4], wall[1] / wall[2],
					samples / cpu[1] / 1000, memory[1], memory[3], memory[3] / memory[1]
			}'
}

echo "| | samples | xperf, CPU ms | perf | of perf | floor | x floor | two threads, wall: times as fast | million samples/s of CPU | memory, MB: xperf / perf | of perf |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
row "70 samples" 21 small.data
row "1 M flat" "$rounds" flat-1m.data
row "5 M flat" "$rounds" flat-5m.data
row "1 M call chains" 1 chains-1m.data
row "500 MB of stacks, not unwound" "$rounds" stacks.data --no-children -g none

# path FILE JOBS: the CPU time that lies on the longest path through the threads, the median of rounds
path() {
	for ((i = 0; i < rounds; i++)); do
		LD_PRELOAD=$tools/longest-path.so "$xperf" report --stdio --jobs "$2" -i "$data/$1" 2>&1 >/dev/null |
			sed -n 's/^longest-path: \([0-9.]*\) ms.*/\1/p'
	done | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

# two TITLE FILE: two threads beside one. On a machine with other work the longest path is what counts
two() {
	local title=$1 file=$2
	"$tools/turns" "$rounds" "$xperf report --stdio --jobs 1 -i $data/$file" \
		"$xperf report --stdio --jobs 2 -i $data/$file" |
		awk -F'\t' -v title="$title" -v one="$(path "$file" 1)" -v two="$(path "$file" 2)" '
			{ wall[NR] = $1 }
			END {
				printf "| %s | %.0f / %.0f | %.2f | %.0f / %.0f | **%.2f** |\n", title,
					wall[1], wall[2], wall[1] / wall[2], one, two, one / two
			}'
}

echo
echo "| | wall ms: one thread / two | times as fast | CPU ms on the longest path: one / two | times as short |"
echo "|---|---|---|---|---|"
two "5 M flat" flat-5m.data
two "1 M call chains" chains-1m.data
two "500 MB of stacks, unwound" stacks.data
