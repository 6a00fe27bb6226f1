#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An emulated arm64 machine with CPUs of two kinds, each with a PMU of its own: the machine of
# test-arm64.sh, whose device tree says so.
set -euo pipefail
# shellcheck source=tests/guest/arm64.sh
. "${BASH_SOURCE[0]%/*}/arm64.sh"

need dtc device-tree-compiler
need python3 python3

machine=virt,gic-version=3
qemu-system-aarch64 -M $machine,dumpdtb="$shared/one.dtb" -cpu cortex-a57 -smp 4 \
	-m "${GUEST_MEMORY:-1024}" >/dev/null 2>&1
dtc -q -I dtb -O dts "$shared/one.dtb" -o "$shared/one.dts"
python3 "$guest_dir/hybrid.py" <"$shared/one.dts" >"$shared/two.dts"
dtc -q -I dts -O dtb "$shared/two.dts" -o "$shared/two.dtb"
arm64_boot 4 "$guest_dir/in-arm64-hybrid.sh" -M $machine -dtb "$shared/two.dtb"
