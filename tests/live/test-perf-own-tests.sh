#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What perf's own tests ask of `perf stat` and `perf record` holds for xperf called as perf. They are
# run where perf is installed with them; those named here ask for nothing that xperf does not have
# yet.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf
tests=/usr/lib/perf-core/tests
[[ -d $tests ]] || skip "perf's tests are not installed in $tests"
command -v python3 >/dev/null || skip "perf's tests need python3"

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
ln -s "$(readlink -f "${XPERF:?}")" "$bin/perf"
failed=0

# verdict NAME STATUS: 2 is how these tests say that they cannot run here
verdict()
{
	case $2 in
	0) ;;
	2) echo "$1: left out: it cannot run here" ;;
	*) echo "$1: status $2"; cat "$bin/log"; failed=1 ;;
	esac
}

for name in stat+csv_output stat+csv_summary stat+json_output stat+shadow_stat; do
	[[ -e $tests/shell/$name.sh ]] || continue
	PATH=$bin:$PATH bash "$tests/shell/$name.sh" >"$bin/log" 2>&1 </dev/null
	verdict "$name" $?
done
for name in C0 basic default detailed-1 detailed-2 detailed-3 no-inherit; do
	[[ -e $tests/attr/test-stat-$name ]] || continue
	python3 -W ignore "$tests/attr.py" -d "$tests/attr" -p "$bin/perf" -t "test-stat-$name" \
		>"$bin/log" 2>&1 </dev/null
	verdict "attr of stat, $name" $?
done
# Not C0: perf 6.1 does not pass it itself. Not group-sampling: it forbids what Linux 6.12 can do.
for name in basic branch-any branch-filter-{any,any_call,any_ret,hv,ind_call,k,u} count data freq \
	graph-{default,dwarf,fp} group1 group2 no-{buffering,inherit,samples} period \
	pfm-period raw; do
	[[ -e $tests/attr/test-record-$name ]] || continue
	python3 -W ignore "$tests/attr.py" -d "$tests/attr" -p "$bin/perf" -t "test-record-$name" \
		>"$bin/log" 2>&1 </dev/null
	verdict "attr of record, $name" $?
done
exit $failed
