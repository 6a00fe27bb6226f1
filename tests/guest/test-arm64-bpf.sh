#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An emulated arm64 machine that has a PMU: what BPF counts of cycles and instructions there is what ordinary
# counting gives.
set -euo pipefail
# shellcheck source=tests/guest/arm64.sh
. "${BASH_SOURCE[0]%/*}/arm64.sh"

GUEST_TIMEOUT=1200 arm64_boot 1 "$guest_dir/in-arm64-bpf.sh" -M virt
