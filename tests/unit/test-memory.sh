#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much memory a recording takes that was made to take much of it. Without sanitizers only, for
# their memory is many times that of the program.
set -uo pipefail
grow=${BUILD_DIR:?}/bench/grow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

skip()
{
	echo "skipped: $*"
	exit 77
}

grep -q '^XPERF_SANITIZE:BOOL=ON' "$BUILD_DIR/CMakeCache.txt" && skip "sanitizers take the memory"
[[ -x $grow ]] || skip "bench/grow was not built"
[[ -x /usr/bin/time ]] || skip "no /usr/bin/time"

# most_kb WORDS...: what a command took at most
most_kb()
{
	/usr/bin/time -o "$work/time" -f %M "${XPERF:?}" --no-pager "$@" >/dev/null 2>"$work/err" </dev/null ||
		{ echo "$*: $(head -3 "$work/err")" >&2; return 1; }
	tail -n 1 "$work/time"
}

# check TABLE NUMBER MAX_KB COMMAND...
check()
{
	local table=$1 nr=$2 max=$3 kb
	shift 3
	[[ -s $work/$table.$nr ]] || "$grow" "$table" "$nr" "$work/$table.$nr" || skip "$table cannot be made"
	kb=$(most_kb "$@" -i "$work/$table.$nr") && ((kb <= max)) && return
	echo "$*: $nr $table took $kb KB, more than $max"
	failed=1
}

# Files that are not there, one map and one sample of each: 1,450 bytes per file, and 7 MB.
check maps 20000 38500 report
check maps 60000 95000 report

# Samples of one moment, of which 5,000 bytes become one of the file, and no round ends.
if "$XPERF" check feature -q zstd; then
	check alike 2000000 100000 script
	check alike 2000000 100000 report
	check alike 2000000 100000 data convert --to-json /dev/null --force
fi

exit $failed
