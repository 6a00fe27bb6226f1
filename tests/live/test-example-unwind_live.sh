#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example unwinds its thread from the innermost function to the beginning of the thread.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

lines=$("$BUILD_DIR/examples/example-unwind_live")
echo "$lines"
[[ $lines != *"is not installed"* ]] || skip "libelf or libdw is missing"
names=$(awk '{ print $2 }' <<<"$lines" | grep -xE 'wait_here|work|run' | tr '\n' ' ')
[[ $names == "wait_here work run " ]] || { echo "functions: $names"; exit 1; }
[[ $lines != *"not complete"* ]]
