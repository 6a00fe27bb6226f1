#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Older and newer kernels, from Debian's archive: what BPF programs count and sum up there, and what is
# said of those that cannot be loaded. An emulated processor needs an hour for it.
#
# Usage: test-x86-bpf.sh [SUITE...]
set -euo pipefail
# shellcheck source=tests/guest/x86.sh
. "${BASH_SOURCE[0]%/*}/x86.sh"

suites=("$@")
((${#suites[@]})) || suites=(bullseye bookworm bookworm-backports sid)
status=0
for suite in "${suites[@]}"; do
	echo "== the kernel of $suite"
	GUEST_TIMEOUT=7200 x86_boot "$suite" "$guest_dir/in-bpf.sh" -cpu max -smp 2 || status=1
done
exit $status
