#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Older and newer kernels, from Debian's archive: what is asked of them and they lack, by root and by
# somebody else.
#
# Usage: test-x86-kernels.sh [SUITE...]
set -euo pipefail
# shellcheck source=tests/guest/x86.sh
. "${BASH_SOURCE[0]%/*}/x86.sh"

suites=("$@")
((${#suites[@]})) || suites=(bullseye bookworm bookworm-backports)
status=0
for suite in "${suites[@]}"; do
	echo "== the kernel of $suite"
	x86_boot $suite "$guest_dir/in-kernels.sh" -cpu max -smp 2 || status=1
done
exit $status
