#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A parent that ignores SIGCHLD passes that on; the end of the workload is noticed all the same.
# Source: wait4(2), ECHILD; signal(7).
set -uo pipefail
: "${XPERF:?}"

if ! env --ignore-signal=CHLD true 2>/dev/null; then
	echo "skipped: this env cannot ignore signals"
	exit 77
fi
out=$(timeout -k 5 300 env --ignore-signal=CHLD "$XPERF" stat -x, -e task-clock sh -c 'exit 3' 2>&1)
status=$?
if [[ $status != 3 || $out != *task-clock* ]]; then
	echo "exit status $status, not 3: $out"
	exit 1
fi
