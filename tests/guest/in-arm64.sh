# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run by bash in the arm64 guest; $cpus is how many it has. With one, counts are exact; with more,
# each counter counts what all CPUs do, so there only what need not be exact is tested.
set -u
cd /host/build || exit 1
export XPERF=/host/build/xperf SOURCE_DIR=/host/source BUILD_DIR=/host/build XPERF_PMU_EMULATED=1
export LD_LIBRARY_PATH=/host/build
failed=0

fail()
{
	echo "FAILED: $*"
	failed=1
}

# run NAME: one program of tests; what it prints is shown if it fails
run()
{
	local status=0 start=$SECONDS

	timeout 120 "tests/$1" >/tmp/log 2>&1 || status=$?
	case $status in
	0) echo "$1: passed, $((SECONDS - start)) s" ;;
	77) echo "$1: skipped: $(tail -n 1 /tmp/log)" ;;
	*)
		fail "$1: exit status $status"
		grep -v '^\[  *\(RUN\|OK\)' /tmp/log
		;;
	esac
}

# about NAME COUNT TRUTH: within a thousandth
about()
{
	local off=$((($2 - $3) * 1000000 / $3))

	echo "$1: $2 of $3, off by $off ppm"
	((off > -1000 && off < 1000)) || fail "$1: $2 is not $3"
}

# counted EVENT: of the CSV that xperf stat wrote
counted()
{
	awk -F, -v event="$1" '$3 == event { print $1 }' /tmp/csv
}

uname -srm
grep -c ^processor /proc/cpuinfo

# User space may read counters, then it may not.
echo 1 >/proc/sys/kernel/perf_user_access
tests/live-test-pmu >/tmp/log 2>&1 || fail "live-test-pmu: exit status $?"
cat /tmp/log
((cpus > 1)) || grep -q '^user page' /tmp/log || fail "counters were not read from user space"
echo 0 >/proc/sys/kernel/perf_user_access
tests/live-test-pmu >/tmp/log 2>&1 || { fail "live-test-pmu, kernel.perf_user_access=0"; cat /tmp/log; }
grep -q 'may not read counters' /tmp/log || fail "kernel.perf_user_access=0 was not noticed"
echo 1 >/proc/sys/kernel/perf_user_access

for name in unit-test-{arch-regs,userpage,self,ring,sample,counts,evlist,sampling} \
	live-test-{self,regions,kernel-promises,sys-linux,recorder}; do
	run "$name"
done

if ((cpus == 1)); then
	# What starting and ending a program takes is in both.
	for nr in 10000000 30000000; do
		"$XPERF" stat -x, -o /tmp/csv -e instructions:u,cycles:u,branches:u tests/counted-loop $nr ||
			fail "stat"
		instructions[nr]=$(counted instructions:u)
	done
	about "stat" $((instructions[30000000] - instructions[10000000])) 40000000
	grep -q 'not supported.*branches:u' /tmp/csv || fail "branches are not there, which was not told"

	# Samples, each a million cycles; one instruction per cycle.
	"$XPERF" record -q -c 100000 -e cycles:u -o /tmp/perf.data tests/counted-loop 100000000 ||
		fail "record"
	nr=$("$XPERF" script -i /tmp/perf.data -F ip 2>/dev/null | grep -c .)
	about "record, sum of periods" $((nr * 100000)) 200000000
	"$XPERF" report -i /tmp/perf.data --stdio 2>/dev/null | grep -v '^#' | grep -m 3 . || fail "report"
	"$XPERF" record -q -F 1000 -e cycles:u -o /tmp/perf.data tests/counted-loop 300000000 ||
		fail "record -F"
	nr=$("$XPERF" script -i /tmp/perf.data -F ip 2>/dev/null | grep -c .)
	echo "record -F 1000: $nr samples in 0.6 s"
	((nr > 300 && nr < 900)) || fail "frequency"
	setpriv --reuid 65534 --clear-groups "$XPERF" stat -x, -o /tmp/csv2 -e instructions:u \
		tests/counted-loop 10000000 || fail "stat by nobody"
	about "stat by nobody" "$(awk -F, '$3 ~ /^instructions/ { print $1 }' /tmp/csv2)" 20000000
else
	"$XPERF" stat -a -A -x, -o /tmp/csv -e cycles:k,cycles sleep 0.2 || fail "stat -a"
	grep -c '^CPU[01],' /tmp/csv
fi
exit $failed
