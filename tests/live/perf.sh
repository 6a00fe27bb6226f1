# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For tests that run xperf beside perf: skips where there is none to compare with.
# shellcheck source=tests/machine.sh
. "${SOURCE_DIR:?}/tests/machine.sh"

skip()
{
	echo "skipped: $*"
	exit 77
}

# need_perf [VERSION]...: perf of one of these versions (6.1) that may count on this machine
need_perf()
{
	local version

	command -v perf >/dev/null || skip "perf is not installed"
	version=$(perf version 2>&1 | head -n 1)
	[[ $version =~ ^perf\ version\ ([0-9]+\.[0-9]+) && " ${*:-6.1} " == *" ${BASH_REMATCH[1]} "* ]] ||
		skip "the layouts compared are those of perf ${*:-6.1}, this is: $version"
	need perf
}

# need_tracefs: tracepoints can be opened
need_tracefs()
{
	need events tracefs
}
