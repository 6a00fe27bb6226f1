#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What it costs to print the samples of recordings, beside perf, in turn. Prints Markdown.
#
# Usage: bench/script.sh FILE...     needs a release build
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
perf=${PERF:-perf} rounds=${ROUNDS:-5}
needs "$perf" "nothing to compare with"
echo "| recording | xperf: CPU ms | perf: CPU ms | ratio |"
echo "|---|---|---|---|"
for file; do
	build/release/bench/turns "$rounds" "build/release/xperf --no-pager script -f -i $file" "$perf script -f -i $file" |
		awk -F'\t' -v title="${file##*/}" '{ cpu[NR] = $2 } END {
			printf "| %s | %.0f | %.0f | %.2f |\n", title, cpu[1], cpu[2], cpu[1] / cpu[2] }'
done
