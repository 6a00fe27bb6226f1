# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the guests of test-x86-kernels.sh, behind checks.sh.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

run tests/live-tests self
run tests/live-tests regions
run tests/live-tests pmu
run tests/live-tests sys-linux
run tests/live-test-kernel-promises
run tests/live-tests recorder
run tests/unit-tests userpage-step

"$XPERF" stat -e page-faults,context-switches,task-clock tests/counted-loop 1000000 || fail "stat"
"$XPERF" stat -e cycles tests/counted-loop 1000 2>&1 | grep -q 'not supported' || fail "cycles without a PMU"
"$XPERF" record -q -e cpu-clock -g -o /tmp/perf.data tests/counted-loop 300000000 || fail "record"
"$XPERF" report -i /tmp/perf.data --stdio 2>/dev/null | grep -m 1 -q main || fail "report"

# As nobody: oneself, where the setting lets one; never others.
for level in 2 3 1; do
	echo $level >/proc/sys/kernel/perf_event_paranoid
	echo "kernel.perf_event_paranoid=$level, as nobody:"
	status=0
	"${nobody[@]}" "$XPERF" stat -x, -e page-faults:u true 2>&1 | head -n 2
	"${nobody[@]}" "$XPERF" stat -e page-faults:u true 2>/dev/null || status=$?
	case $level in
	3) ((status)) || fail "level 3 let it count" ;;
	*) ((!status)) || fail "level $level did not let it count" ;;
	esac
	"${nobody[@]}" "$XPERF" stat -a -e page-faults true 2>/dev/null && fail "level $level let it count all"
	((level == 3)) || run "${nobody[@]}" tests/live-tests regions
done
exit "${failed:?}"
