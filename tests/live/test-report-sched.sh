#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `record --sched` and `report --sched`: tasks whose sleep is known; what is left without tracepoints;
# and the numbers that perf has of the same recording.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
need_tracefs
"$XPERF" check -q feature libtraceevent || skip "built without libtraceevent"
command -v python3 >/dev/null || skip "python3 is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C HOME=$work PERF_CONFIG=/dev/null PAGER=
failed=0

complain()
{
	echo "$1"
	head -n 30 out err
	failed=1
}

record_all()
{
	"$XPERF" record --sched -o all bash -c 'for i in 1 2 3; do sleep 0.1; done' >out 2>err
}
record_all || { cat err; skip "tasks cannot be recorded here"; }
grep -q 'Note: only context switches' err && skip "tracepoints of all tasks cannot be recorded here"
grep -q 'next: xperf report --sched -i all' err || complain "the command that comes next is not named"
# What tasks did is part of the recording's time. Status 2: fewer than three slept for most of their time:
# on an idle machine, kernels leave out switches from the idle task, without a record of it.
slept()
{
	"$XPERF" report --sched --json -i all >out 2>err
	python3 - out <<'EOF'
import json, sys
report = json.load(open(sys.argv[1]))
sleepers = [t for t in report["tasks"] if t["comm"] == "sleep" and t["asleep_ns"] >= 50_000_000]
for t in report["tasks"]:
    times = t["run_ns"] + t["asleep_ns"] + t["blocked_ns"] + t["off_cpu_ns"]
    times += t["woken"]["total_ns"] + t["preempted"]["total_ns"] + t["unfinished_run_ns"]
    assert times <= report["elapsed_ns"], t
    waker = t["waker"]
    assert waker is None or 0 < waker["chain_wakes"] <= waker["wakes"] <= t["known_wakes"], t
    assert waker is None or t["tid"] not in [w.get("tid") for w in waker["chain"]], t
sys.exit(0 if len(sleepers) >= 3 else 2)
EOF
}
for _ in {1..20}; do
	status=0
	slept || status=$?
	((status == 2)) || break
	record_all
done
((status == 0)) || complain "status $status: no recording has three tasks that slept, or its times cannot be"
"$XPERF" report -q --sched --comm sleep -i all >out 2>err
grep -v ' sleep/' out && complain "--comm sleep shows others"

# Context switches of single tasks, and what they cannot show.
"$XPERF" record --sched -o some -p $$ sleep 0.1 >out 2>err || complain "a process cannot be recorded"
grep -q '^Note: only context switches are recorded' err || complain "no note of what is missing"
"$XPERF" report --sched -i some >out 2>err || complain "context switches are not shown"
grep -q 'Woken' out && complain "wakers that are not recorded"
grep -q '^# Without tracepoints' out || complain "the report does not say what is missing"

# perf's numbers of the same file: runs and run time of the tasks that began and ended in it, but for
# those of which a switch is missing. perf does not see that, so a recording is looked for without any.
as_perf()
{
	"$XPERF" report --sched --json -i all >out 2>err
	python3 - out perf.txt <<'EOF'
import json, re, sys
report = json.load(open(sys.argv[1]))
tasks = {t["tid"]: t for t in report["tasks"]}
nr = 0
for line in open(sys.argv[2]):
    row = re.match(r" *sleep\[(\d+)\] +-?\d+ +(\d+) +([\d.]+) ", line)
    if not row or report["lost_samples"] or report["lost_records"]:
        continue
    t = tasks.get(int(row.group(1)))
    if not t or t["unsure"]:
        continue
    assert t["runs"] == int(row.group(2)), (line, t)
    assert abs(t["run_ns"] / 1e6 - float(row.group(3))) <= 0.001 * (t["runs"] + 1), (line, t)
    nr += 1
print(nr, "tasks have perf's numbers")
sys.exit(not nr)
EOF
}
for _ in {1..20}; do
	perf sched -i all timehist -s >perf.txt 2>/dev/null || exit $failed
	as_perf 2>differences && exit $failed
	record_all
done
cat differences
echo "perf has other numbers"
exit 1
