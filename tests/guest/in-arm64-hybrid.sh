# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the guest of test-arm64-hybrid.sh, behind checks.sh: CPUs 0 and 1 are of one kind, 2 and 3 of
# the other. Each counter counts what all CPUs do, so that counts are a little too large.
export XPERF_PMU_EMULATED=1 LD_LIBRARY_PATH=/host/build
ln -sf /usr/bin/mawk /usr/bin/awk
echo 1 >/proc/sys/kernel/perf_user_access
devices=/sys/bus/event_source/devices
equal "CPUs of the first kind" "$(cat $devices/armv8_cortex_a57/cpus)" 0-1
equal "CPUs of the second kind" "$(cat $devices/armv8_cortex_a53/cpus)" 2-3

# kinds CPU: instructions of the loop in millions, as each of the PMUs counts them
kinds()
{
	taskset -c "$1" "$XPERF" stat -x, -o /tmp/csv -e instructions:u tests/counted-loop 10000000 ||
		fail "stat on CPU $1"
	awk -F, '!/^#/ && /instructions/ { printf "%s%s", separator, $1 == "<not counted>" ? "-" : int($1 / 1e6); separator = " " }' /tmp/csv
}

# An event is counted where its PMU is: two rows, of which one is empty.
for cpu in 0 1; do
	equal "CPU $cpu" "$(kinds $cpu)" "20 -"
done
for cpu in 2 3; do
	equal "CPU $cpu" "$(kinds $cpu)" "- 20"
done
run tests/live-tests pmu

# The thread could be moved between a look at the page and the counter it names.
taskset -c 3 examples/example-count_self 10 instructions:u >/tmp/log || fail "count_self"
cat /tmp/log
equal "read by the kernel" "$(grep -c 'by read(2): the machine has CPUs of two kinds' /tmp/log)" 2
run tests/live-tests self
run tests/live-tests regions

"$XPERF" record -q -e cycles:u -o /tmp/perf.data taskset -c 3 tests/counted-loop 100000000 || fail "record"
equal "events recorded" "$("$XPERF" evlist -i /tmp/perf.data | sort | tr '\n' ' ')" \
	"armv8_cortex_a53/cycles/u armv8_cortex_a57/cycles/u dummy:HG "
"$XPERF" report -i /tmp/perf.data --stdio 2>/dev/null | grep -q "counted-loop.*main" || fail "report"
exit "${failed:?}"
