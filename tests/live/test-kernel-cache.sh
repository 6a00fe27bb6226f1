#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The kernel's names are kept where the environment says, and reports are the same with and without.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset XPERF_CACHE_DIR XDG_CACHE_HOME
mkdir home cache
export HOME=$work/home # perf's copies by build id are not there

grep -qv '^0* ' /proc/kallsyms 2>/dev/null || { echo "the kernel hides its addresses"; exit 77; }
[ -r /sys/kernel/notes ] && [ -r /proc/sys/kernel/random/boot_id ] ||
	{ echo "the kernel has no build id"; exit 77; }
"$XPERF" record -q -e page-faults:k -c 1 -o data true 2>out ||
	{ echo "the kernel's part cannot be recorded: $(head -1 out)"; exit 77; }
report() { "$XPERF" report --stdio -i data; }

# kept WHERE: exactly one file is there; none: nothing anywhere
kept() {
	local found
	found=$(find . -name 'kernel-*' -printf '%h %m\n')
	[ "$found" = "$1" ] || { echo "kept: '$found', not '$1'"; exit 1; }
}

XPERF_CACHE_DIR='' report >plain
kept ''
env -u HOME "$XPERF" report --stdio -i data >out
cmp plain out
kept ''
XDG_CACHE_HOME=relative report >out
cmp plain out
if ! find . -name 'kernel-*' | grep . >/dev/null; then
	echo "no function of the kernel was looked up in its own list"
	exit 77
fi
kept './home/.cache/xperf 600'
report >out
cmp plain out
rm -r home/.cache
XDG_CACHE_HOME=$work/cache report >out
cmp plain out
kept './cache/xperf 600'
rm -r cache/xperf
mkdir -m 700 own
XPERF_CACHE_DIR=$work/own XDG_CACHE_HOME=$work/cache report >out
cmp plain out
kept './own 600'
# Nothing can be written there.
rm -r own
XPERF_CACHE_DIR=$work/data/none report >out
cmp plain out
kept ''
