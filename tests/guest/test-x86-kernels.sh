#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Older and newer kernels, from Debian's archive: what is asked of them and they lack, by root and by
# somebody else.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/x86.sh"

status=0
for suite in bullseye bookworm bookworm-backports; do
	echo "== the kernel of $suite"
	x86_boot $suite "$guest_dir/in-kernels.sh" -cpu max -smp 2 || status=1
done
exit $status
