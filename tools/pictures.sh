#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the pictures of README.md, in docs/pictures: xperf looks at a report that it makes itself.
# tools/pictures.sh [XPERF]: the program, by default that of ./run. Needs node and Chromium.
set -euo pipefail

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
xperf=$(realpath "${1:-$root/build/release/xperf}")
pictures=$root/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "no Chromium is installed" >&2; exit 1; }
[[ -x $xperf ]] || { echo "there is no $xperf: './run version' builds it" >&2; exit 1; }

# Stacks that the report has to unwind, from programs that every machine has.
cd "$work"
pack='find /usr/lib /usr/share -type f | sort | gzip >/dev/null'
"$xperf" record -q -F 5000 --call-graph dwarf,raw -o stacks.data sh -c "$pack"
watch=(report -q -i stacks.data)
"$xperf" record -q -F 1000 --call-graph dwarf -o picture.data "$xperf" "${watch[@]}" >/dev/null
"$xperf" record -q -F 10000 --call-graph dwarf --off-cpu=100us -o report.data "$xperf" "${watch[@]}" >/dev/null
# Several programs at a time, for longer than a moment
"$xperf" record -q -F 4000 -g --off-cpu=1ms -o times.data sh -c \
	"$pack & for i in 1 2 3 4 5 6; do '$xperf' ${watch[*]} >/dev/null; done; $pack; wait"

mkdir -p "$pictures"
"$xperf" flamegraph -i picture.data --title "xperf report" -o "$pictures/flamegraph.svg"
"$xperf" view --no-open -i report.data --title "xperf report" -o report.html >/dev/null
"$xperf" view --no-open -i times.data --title "find | sort | gzip, xperf report" -o timeline.html >/dev/null
node "$root/tools/pictures.mjs" "$chromium" . "$pictures"

size=$(cat "$pictures"/* | wc -c)
echo "$pictures: $size bytes"
((size < 500000)) || { echo "that is too much for a page: less than 500000 bytes are wanted" >&2; exit 1; }
