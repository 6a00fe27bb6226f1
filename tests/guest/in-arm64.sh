# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the arm64 guest, behind checks.sh; $cpus is how many it has. With one, counts are exact; with more,
# each counter counts what all CPUs do, so there only what need not be exact is tested.
export XPERF_PMU_EMULATED=1 LD_LIBRARY_PATH=/host/build

# What Debian's scripts do when packages are installed, not unpacked.
ln -sf /usr/bin/mawk /usr/bin/awk
grep -c ^processor /proc/cpuinfo

# User space may read counters, then it may not.
echo 1 >/proc/sys/kernel/perf_user_access
tests/live-tests pmu >/tmp/log 2>&1 || fail "live-tests pmu: exit status $?"
cat /tmp/log
grep -q '^user page' /tmp/log || fail "counters were not read from user space"
run tests/live-tests self
run tests/live-tests regions
if ((${cpus:?} > 1)); then
	"$XPERF" stat -a -A -x, -o /tmp/csv -e cycles:k,cycles sleep 0.2 || fail "stat -a"
	equal "stat -a -A" "$(grep -c '^CPU[01],' /tmp/csv)" 4
	exit "${failed:?}"
fi
echo 0 >/proc/sys/kernel/perf_user_access
tests/live-tests pmu >/tmp/log 2>&1 || { fail "live-tests pmu, kernel.perf_user_access=0"; cat /tmp/log; }
grep -q 'may not read counters' /tmp/log || fail "kernel.perf_user_access=0 was not noticed"
echo 1 >/proc/sys/kernel/perf_user_access

for name in arch-regs userpage self ring sample counts evlist; do
	run tests/unit-tests $name
done
run tests/live-test-kernel-promises
run tests/live-tests sys-linux
run tests/live-tests recorder

# counted EVENT: of the CSV that xperf stat wrote
counted()
{
	awk -F, -v event="$1" '$3 == event { print $1 }' /tmp/csv
}

# stat_of COMMAND...: instructions of the loop, counted by the program; starting and ending a
# program, which is in both runs, is taken off
stat_of()
{
	local nr instructions=()

	for nr in 10000000 30000000; do
		"$@" "$XPERF" stat -x, -o /tmp/csv -e instructions:u,cycles:u,branches:u tests/counted-loop $nr ||
			fail "stat"
		instructions+=("$(counted instructions:u)")
	done
	about "stat" $((instructions[1] - instructions[0])) 40000000
}

stat_of
grep -q 'not supported.*branches:u' /tmp/csv || fail "branches are not there, which was not told"
echo 2 >/proc/sys/kernel/perf_event_paranoid
chmod 666 /tmp/csv
nobody=(setpriv --reuid 65534 --clear-groups)
stat_of "${nobody[@]}"
run "${nobody[@]}" tests/live-tests pmu
"${nobody[@]}" examples/example-count_self 10 instructions:u >/tmp/self || fail "count_self"
equal "as nobody" "$(grep -c 'instructions:u  *from user space$' /tmp/self)" 1

# Samples, each of a hundred thousand cycles; one instruction per cycle.
"$XPERF" record -q -c 100000 -e cycles:u -o /tmp/perf.data tests/counted-loop 100000000 || fail "record"
nr=$("$XPERF" script -i /tmp/perf.data -F ip 2>/dev/null | grep -c .)
about "record, sum of periods" $((nr * 100000)) 200000000
"$XPERF" report -i /tmp/perf.data --stdio 2>/dev/null | grep -v '^#' | grep -m 3 . || fail "report"
"$XPERF" record -q -F 1000 -e cycles:u -o /tmp/perf.data tests/counted-loop 200000000 || fail "record -F"
nr=$("$XPERF" script -i /tmp/perf.data -F ip 2>/dev/null | grep -c .)
echo "record -F 1000: $nr samples in 0.4 s"
((nr > 200 && nr < 600)) || fail "frequency"
exit "${failed:?}"
