#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What BPF counts in cgroups is what ordinary counting of the same cgroups gives: nested ones with
# what is below, tasks that move from one to another, many at once.
set -uo pipefail
# shellcheck source=tests/live/bpf.sh
. "${SOURCE_DIR:?}/tests/live/bpf.sh"
mounted=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
[[ $mounted ]] || mounted=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[[ $mounted ]] || skip "no cgroups are mounted that could be counted"
own=xperf-bpf-$$
dir=$(mktemp -d)
cleanup()
{
	# The last task leaves its cgroup a moment after it has ended.
	for _ in {1..1200}; do
		find "$mounted/$own" -depth -type d -exec rmdir {} + 2>/dev/null
		[[ -e $mounted/$own ]] || break
		sleep 0.1
	done
	rm -rf "$dir"
}
trap cleanup EXIT
cd "$dir" || exit 1
mkdir "$mounted/$own" 2>/dev/null || skip "cgroups cannot be made in $mounted"
mkdir -p "$mounted/$own/above/below" "$mounted/$own/beside" "$mounted/$own/empty"
need_bpf
"$XPERF" stat -a -e page-faults -G "$own" -o /dev/null true 2>/dev/null || skip "cgroups cannot be counted here"

# enter CGROUP: this shell moves there
cat >in-cgroups <<'END'
enter() { echo "$BASHPID" >"$1/cgroup.procs"; }
(enter "$1/above/below"; ./work 1) &
(enter "$1/above"; ./work 0) &
(enter "$1/beside"; ./work 1)
wait
END
"$XPERF" stat -a -x, -o counts -e "$pairs" --for-each-cgroup "$own,$own/above,$own/above/below,$own/beside" \
	bash in-cgroups "$mounted/$own" || fail "status $?"
alike counts || fail "cgroups"
at_least counts page-faults:b "$own/above/below" 15000 || fail "cgroups"
at_least counts page-faults:b "$own/above" 17000 || fail "what is below is missing"
at_least counts page-faults:b "$own" 32000 || fail "what is below is missing"

# What a task has done before it moves itself is that of the cgroup it leaves, but for switches left out.
"$XPERF" stat -a -x, -o moves --bpf-counters -e page-faults --for-each-cgroup "$own/above,$own/beside" \
	./work enters "$mounted/$own/above/cgroup.procs" "$mounted/$own/beside/cgroup.procs" || fail "status $?"
at_least moves page-faults "$own/above" 4000 || fail "a task that moves"
at_least moves page-faults "$own/beside" 1000 || fail "a task that moves"
awk -F, -v own="$own" '$4 == own "/beside" && $1 > 4000 { exit 1 }' moves || fail "a task that moves: $(<moves)"

# -G, one event each; an event without a cgroup is counted as before; one where nothing ran
"$XPERF" stat -a -x, -o each --bpf-counters -e page-faults,page-faults,page-faults,page-faults \
	-G "$own/beside,,$own/empty,$own/above" bash in-cgroups "$mounted/$own" || fail "status $?"
at_least each page-faults "$own/beside" 15000 || fail "-G"
awk -F, -v own="$own" '/^(#|$)/ { next } $4 == own "/empty" { none = $1 == "<not counted>" } $4 !~ own { all = $1 > 30000 }
	END { exit !(none && all) }' each || fail "-G: $(<each)"

# --- many: one set of events on each CPU ---
many=$own
for i in {1..200}; do
	mkdir "$mounted/$own/many$i" || break
	many+=,$own/many$i
done
"$XPERF" stat -a -x, -o many --bpf-counters -e page-faults,cs --for-each-cgroup "$many" bash -c '
	for i in {1..200..20}; do (echo "$BASHPID" >"$1/many$i/cgroup.procs"; ./work 0); done
	ls /proc/$PPID/fd | wc -l >descriptors' - "$mounted/$own" || fail "status $?"
for i in {1..200..20}; do
	at_least many page-faults "$own/many$i" 2000 || fail "many cgroups"
done
at_least many page-faults "$own" 20000 || fail "many cgroups"
(($(<descriptors) < 300 + 8 * $(nproc))) || fail "$(<descriptors) descriptors for 201 cgroups and 2 events"
exit $failed
