#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf export` costs, beside `perf script`, whose text the scripts for flame graphs read, in one
# run, on the same file; prints Markdown. The file is made of a recording of a compiler at work, by
# perf, whose samples are repeated.
#
# Usage: bench/export.sh [XPERF [PERF]]     needs a release build, root, 500 MB below $DATA
#   DATA=DIRECTORY  keeps the file for the next time; default: a temporary directory
#   SAMPLES=1050000 of it
#   ROUNDS=3        the medians of which are shown; perf is run once
#   STACKCOLLAPSE=PROGRAM  stackcollapse-perf.pl or another that reads the text; default: none, so that
#                          the time of perf script alone is shown for both
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
perf=${2:-perf}
tools=$build/bench
rounds=${ROUNDS:-3}
compiler=${COMPILER:-$(command -v clang++ || command -v g++)}
needs "$perf" "nothing to compare with"
[ -n "$compiler" ] || { echo "export.sh: no C++ compiler is installed: nothing to record" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work
data=${DATA:-$work}
mkdir -p "$data"
file=$data/chains.data

if [ ! -s "$file" ]; then
	printf '#include <regex>\n#include <map>\n#include <iostream>\nint main() { std::map<std::string, std::regex> m; m["a"] = std::regex("a+"); std::cout << m.size(); }\n' >"$work/work.cpp"
	"$perf" record -q -B -o "$work/small.data" -e cpu-clock -F 10000 -g -- \
		"$compiler" -O2 -c "$work/work.cpp" -o "$work/work.o" >&2
	"$tools/multiply" "$work/small.data" "$file.part" "${SAMPLES:-1050000}" >/dev/null
	mv "$file.part" "$file"
fi
samples=$("$tools/walk" "$file" | sed 's/.*, \([0-9]*\) samples/\1/')

# cost ROUNDS COMMAND: CPU milliseconds and memory in MB
cost() {
	"$tools/turns" -m "$1" "$2" | cut -f2,3
}

read -r script script_memory < <(cost 1 "$perf script --no-inline -i $file")
fold=0
if [ -n "${STACKCOLLAPSE:-}" ]; then
	"$perf" script --no-inline -i "$file" >"$work/text" 2>/dev/null
	read -r fold _ < <(cost 1 "$STACKCOLLAPSE $work/text")
	rm "$work/text"
fi

echo "$samples samples with call chains. perf script: $script ms of CPU time, $script_memory MB${STACKCOLLAPSE:+; ${STACKCOLLAPSE##*/}: $fold ms}"
echo
echo "| format | CPU ms | of perf script${STACKCOLLAPSE:+ and ${STACKCOLLAPSE##*/}} | memory, MB | bytes |"
echo "|---|---|---|---|---|"
for format in $("$xperf" export --list | awk '{ print $1 }'); do
	read -r cpu memory < <(cost "$rounds" "$xperf export -f $format --jobs 1 -i $file -o $work/out")
	awk -v format="$format" -v cpu="$cpu" -v all="$script" -v fold="$fold" -v memory="$memory" \
		-v bytes="$(stat -c %s "$work/out")" 'BEGIN {
			printf "| %s | %.0f | 1/%.1f | %.0f | %d |\n", format, cpu, (all + fold) / cpu, memory, bytes }'
done

# Memory, when there are four times as many samples with the same call chains
"$tools/multiply" "$file" "$work/large.data" $((samples * 4)) >/dev/null
echo
for format in folded pprof; do
	read -r _ memory < <(cost 1 "$xperf export -f $format --jobs 1 -i $work/large.data -o $work/out")
	echo "$format of four times as many samples: $memory MB"
done
