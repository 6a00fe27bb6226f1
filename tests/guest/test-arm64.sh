#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An emulated arm64 machine that has a PMU: xperf and its tests, built for it, run there. Counts are
# exact.
#
# Usage: test-arm64.sh [SCRIPT]     SCRIPT: run there with one CPU in place of the tests
#
# Measured on two idle cores: fetching and building 2 min, then a minute each time.
set -euo pipefail
# shellcheck source=tests/guest/arm64.sh
. "${BASH_SOURCE[0]%/*}/arm64.sh"

script=${1:-$guest_dir/in-arm64.sh}
status=0
for cpus in 1 2; do
	[[ -z ${1:-} || $cpus == 1 ]] || continue
	echo "== $cpus CPU"
	arm64_boot $cpus "$script" -M virt || status=1
done
exit $status
