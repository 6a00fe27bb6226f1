#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example counts the page faults of the memory it fills.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
example=$BUILD_DIR/examples/example-count-self

if ! "$example" 500 page-faults:u >"$work/out" 2>"$work/err"; then
	cat "$work/err"
	# Some containers and settings forbid counting altogether.
	grep -qiE 'permi|paranoid|not let|forbid' "$work/err" && exit 77
	exit 1
fi
cat "$work/out"
read -r faults name how <"$work/out"
[[ $name == page-faults* && $how == 'by read(2)' ]] || { echo "unexpected line"; exit 1; }
((faults >= 500 && faults < 700)) || { echo "$faults faults for 500 pages"; exit 1; }
