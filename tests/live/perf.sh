# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests that run xperf beside perf: skips where there is none to compare with.

skip()
{
	echo "skipped: $*"
	exit 77
}

# need_perf: perf 6.1 that may count on this machine
need_perf()
{
	command -v perf >/dev/null || skip "perf is not installed"
	[[ $(perf version 2>/dev/null) == "perf version 6.1"* ]] ||
		skip "the layouts compared are those of perf 6.1, this is: $(perf version 2>&1 | head -n 1)"
	perf stat -e page-faults true >/dev/null 2>&1 || skip "perf may not count here"
}

# need_tracefs: tracepoints can be opened
need_tracefs()
{
	"${XPERF:?}" stat -e raw_syscalls:sys_enter true >/dev/null 2>&1 ||
		skip "tracepoints cannot be counted here (tracefs, root)"
}
