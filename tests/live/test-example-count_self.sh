#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example counts the page faults of the memory it fills.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

"${XPERF:?}" stat -e page-faults:u true >/dev/null 2>&1 ||
	skip "the kernel does not let this process count"

line=$("$BUILD_DIR/examples/example-count_self" 500 page-faults:u)
echo "$line"
read -r faults name how <<<"$line"
[[ $name == page-faults* && $how == 'by read(2): the kernel counts it'* ]] || { echo "unexpected line"; exit 1; }
((faults >= 500 && faults < 700)) || { echo "$faults faults for 500 pages"; exit 1; }
