#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples under valgrind: nothing is read that was not written, and nothing leaks.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

command -v valgrind >/dev/null || skip "no valgrind"
! grep -q '^XPERF_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt" ||
	skip "built with sanitizers, which look for the same and do not run under valgrind"
"${XPERF:?}" stat -e page-faults:u true >/dev/null 2>&1 ||
	skip "the kernel does not let this process count"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# clean EXAMPLE ARGUMENT...
clean()
{
	local name=$1

	shift
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
		"$BUILD_DIR/examples/example-$name" "$@" >"$work/out" 2>"$work/err" ||
		{ echo "$name $*: exit status $?"; cat "$work/err"; failed=1; }
}

clean count_function task-clock:u
clean count_self 10 page-faults:u
clean count_group "$XPERF" version
clean attach_pid
clean unwind_live
clean sample_ring task-clock:u "$XPERF" test -w noploop 0.1
"$XPERF" record -q -g -e task-clock:u -o "$work/perf.data" "$XPERF" test -w leafloop 0.1
clean read_file "$work/perf.data"
clean symbolize "$work/perf.data"
clean top_functions_stream < <(cat "$work/perf.data")
if "$XPERF" stat -a -e context-switches true >/dev/null 2>&1; then
	clean system_wide 0.01
	clean exporter_hotplug 2 0.01
	clean folded_all_cpus 0.2
fi
exit $failed
