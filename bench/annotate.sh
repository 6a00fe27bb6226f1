#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf annotate` costs of a function of 5,000 instructions, with source and without, beside
# perf, which runs objdump; prints Markdown.
#
# Usage: bench/annotate.sh [XPERF [PERF]]     needs a release build with capstone
#   ROUNDS=11   the medians of which are shown
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=$(realpath "${1:-$build/xperf}")
perf=${2:-perf}
turns=$(realpath "$build/bench/turns")
needs "$perf" "nothing to compare with"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work

# A line is about ten instructions.
{
	echo 'static unsigned table[4096];'
	echo '__attribute__((noinline)) unsigned work(unsigned x)'
	echo '{'
	for ((i = 0; i < 500; i++)); do
		echo "	x ^= x << $((i % 13 + 1)); if (x & $((i + 1))) table[x & 4095] += x / $((i + 3));"
	done
	echo '	return x;'
	echo '}'
	echo 'int main(void) { unsigned x = 1; for (int i = 0; i < 400000; i++) x += work(x); return x & 1; }'
} >long.c
"${CC:-cc}" -O1 -g -o long long.c
"$perf" record -q -e cpu-clock:u -F 5000 -o data ./long >/dev/null 2>&1
instructions=$("$xperf" annotate -q -i data -s work --no-source | grep -cE '^ +[0-9.]+ :')

echo "work(): $instructions instructions"
echo
echo "| annotate | xperf: wall ms, CPU ms | perf: wall ms, CPU ms | of perf's CPU time |"
echo "|---|---|---|---|"
row()
{
	local title=$1
	shift
	"$turns" "${ROUNDS:-11}" "$xperf annotate -q -i data -s work $*" "$perf annotate --stdio -i data -s work $*" |
		awk -F'\t' -v title="$title" '
			{ wall[NR] = $1; cpu[NR] = $2 }
			END { printf "| %s | %.1f, %.1f | %.1f, %.1f | 1/%.0f |\n", title,
				wall[1], cpu[1], wall[2], cpu[2], cpu[2] / cpu[1] }'
}
row "without source" --no-source
row "with source"
row "with the hottest lines" -l
