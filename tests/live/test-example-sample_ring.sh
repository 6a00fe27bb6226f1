#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example shows ten samples of a command, and what is wrong with an event or a command.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

"${XPERF:?}" stat -e page-faults:u true >/dev/null 2>&1 ||
	skip "the kernel does not let this process count"

example=$BUILD_DIR/examples/example-sample_ring
# A thousand a second, of CPU time: there are more than ten, however busy the machine is.
output=$("$example" task-clock:u "$XPERF" test -w noploop 0.5)
echo "$output"
lines=$(grep -cE '^ *[0-9]+/[0-9]+ +CPU [0-9]+ +[0-9]+\.[0-9]{9} +[0-9a-f]+ +1000000 task-clock:u$' \
	<<<"$output") || true
((lines == 10)) || { echo "$lines samples"; exit 1; }

for misuse in "no-such-event true" "task-clock:u /nonexistent/command"; do
	read -ra words <<<"$misuse"
	message=$("$example" "${words[@]}" 2>&1) && { echo "$misuse: no failure"; exit 1; }
	echo "$message"
	[[ $message == "sample_ring: "* ]] || { echo "$misuse: no reason"; exit 1; }
done
