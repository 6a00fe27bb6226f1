# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What a test needs of the machine, tried without xperf, in one place: a program that is broken is no reason to
# skip. WHAT: root, events, system-wide, breakpoint, tracefs, bpf, caches, cpus2 (machine.c), perf, userns.

why=

# machine_has WHAT: else the reason is in $why
machine_has()
{
	case $1 in
	perf)
		why="perf is not installed"
		command -v perf >/dev/null || return 1
		why="perf may not count here"
		perf stat -e page-faults true >/dev/null 2>&1
		;;
	userns)
		why="namespaces of users cannot be made"
		unshare -Ur true 2>/dev/null
		;;
	*) why=$("${BUILD_DIR:?}/tests/machine" "$1") ;;
	esac
}

# need WHAT...: skips where the machine has one of them not
need()
{
	local what why

	for what in "$@"; do
		machine_has "$what" || { echo "skipped: $why"; exit 77; }
	done
}
