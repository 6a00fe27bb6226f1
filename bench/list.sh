#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf list` costs, beside perf; prints Markdown.
#
# Usage: bench/list.sh [XPERF [PERF]]     needs a release build, root for the tracepoints
set -euo pipefail
cd "$(dirname "$0")/.."
. bench/common.sh
build=build/release
xperf=${1:-$build/xperf}
perf=${2:-perf}
rounds=${ROUNDS:-41}
needs "$perf" "nothing to compare with"

tracepoints=$("$xperf" list tracepoint 2>/dev/null | wc -l)

echo "## \`list\` with $tracepoints tracepoints, CPU in ms"
echo
read -r x p < <("$build/bench/turns" "$rounds" "$xperf list" "$perf list" | column 2)
echo "| xperf | perf |"
echo "|---|---|"
echo "| $x | $p |"
