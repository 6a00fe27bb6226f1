#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Vendor event names on this machine: --pfm-events counts, and what libpfm4 is for is not loaded
# without need.
set -euo pipefail

if [[ $("$XPERF" check feature libpfm4) != *on* ]]; then
	echo "skipped: built without libpfm4"
	exit 77
fi
if ! "$XPERF" stat --pfm-events page-faults true >/dev/null 2>&1; then
	echo "skipped: libpfm4 cannot be used: $("$XPERF" stat --pfm-events page-faults true 2>&1 | head -n 3)"
	exit 77
fi

# The kernel's names are libpfm4's, too, in any case of letters; -e and --pfm-events keep their order.
counts=$("$XPERF" stat -x, -e faults --pfm-events 'page-faults:u,{CS,perf::minor-faults}' -e cs true 2>&1)
names=$(cut -d, -f3 <<<"$counts" | tr '\n' ' ')
if [[ $names != "faults page-faults:u CS perf::minor-faults cs " ]]; then
	echo "wrong events: $names"
	exit 1
fi
awk -F, '$3 == "page-faults:u" && $1 > 0 { counted = 1 } END { exit !counted }' <<<"$counts" || {
	echo "page-faults:u was not counted: $counts"
	exit 1
}

# What is refused points at the part that is wrong.
said=$("$XPERF" stat --pfm-events page-fualts true 2>&1) && status=0 || status=$?
if ((status != 129)) || [[ $said != *"Did you mean 'PAGE-FAULTS'"* ]]; then
	echo "status $status: $said"
	exit 1
fi

# Known names do not load the library.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	if strace -f -e trace=openat,open "$XPERF" stat -e 'task-clock,{cs,faults}' true 2>&1 |
		grep libpfm; then
		echo "libpfm4 is loaded for nothing"
		exit 1
	fi
fi
