# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Run in the guest of test-x86-topology.sh, behind checks.sh.

# rows OPTION: how many lines of how many CPUs each
rows()
{
	"$XPERF" stat -a "$1" -x, -o /tmp/csv -e cpu-clock sleep 0.2 || fail "stat $1"
	awk -F, '/cpu-clock/ { rows++; cpus[$2]++ } END { for (n in cpus) print rows, n }' /tmp/csv
}

equal "--per-socket" "$(rows --per-socket)" "2 8"
equal "--per-die" "$(rows --per-die)" "4 4"
equal "--per-core" "$(rows --per-core)" "8 2"
equal "--per-node" "$(rows --per-node)" "2 8"
equal "-A" "$("$XPERF" stat -a -A -x, -e cpu-clock sleep 0.1 2>&1 | grep -c ^CPU)" 16

# Values that are read once.
machine()
{
	"$XPERF" stat "$@" -x, -e num_cpus,num_cpus_online,num_cores,num_dies,num_packages,smt_on,core_wide true 2>&1 |
		cut -d, -f1 | xargs
}
equal "the machine" "$(machine -a)" "16 16 8 4 2 1 1"
equal "one CPU of a core" "$(machine -C 0)" "16 16 8 4 2 1 0"
equal "both CPUs of a core" "$(machine -C 0-1)" "16 16 8 4 2 1 1"

# A CPU that goes away, and comes back.
echo 0 >/sys/devices/system/cpu/cpu5/online
equal "-A without CPU 5" "$("$XPERF" stat -a -A -x, -e cpu-clock sleep 0.1 2>&1 | grep -c ^CPU)" 15
"$XPERF" stat -C 5 -e cpu-clock true 2>/tmp/log && fail "CPU 5 is offline"
cat /tmp/log
echo 1 >/sys/devices/system/cpu/cpu5/online

# It is recorded again: far more samples than before it went, which is at once.
"$XPERF" record -a -e cpu-clock -F 100 -o /tmp/perf.data sh -c 'cd /sys/devices/system/cpu/cpu5 &&
	echo 0 >online && sleep 0.5 && echo 1 >online && sleep 2' 2>/tmp/log || fail "record -a without CPU 5"
grep "CPUs that came are recorded" /tmp/log || fail "CPU 5 came back: not reported"
nr=$("$XPERF" script -i /tmp/perf.data -F cpu 2>/dev/null | grep -c 005)
echo "samples of CPU 5 after it came back: $nr"
((nr > 50)) || fail "CPU 5 is not recorded again"

"$XPERF" record -q -a -e cpu-clock -o /tmp/perf.data sleep 1 || fail "record -a"
equal "CPUs with samples" "$("$XPERF" script -i /tmp/perf.data -F cpu 2>/dev/null | sort -u | grep -c .)" 16

run tests/live-tests self
run tests/live-tests regions
run tests/live-test-kernel-promises
exit "${failed:?}"
