#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf list` on machines whose events are known: with a PMU, without, and for an ordinary user.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"

# expect NR REGEX: this many lines of the result
expect()
{
	local got

	got=$(grep -Ec -- "$2" "$scratch/out")
	((got == $1)) || complain "$got lines match '$2', not $1"
}

sim eight-cpus list hw cache
((status == 0)) || complain "status $status"
expect 1 '^  cpu-cycles OR cycles {31}\[Hardware event\]$'
expect 1 '^  instructions {39}\[Hardware event\]$'
# A reason is printed once, its state for each event.
expect 2 '^  stalled-cycles-.*\[Hardware event\] not supported'
expect 1 ' not supported: the PMU has no such event$'
expect 1 '^  L1-dcache-loads {36}\[Hardware cache event\]$'
expect 1 '^  node-loads .*\[Hardware cache event\] not supported$'
expect 0 'Software|Tracepoint'

sim eight-cpus list pmu --details
expect 1 '^  cpu-cycles OR cpu/cpu-cycles/ {22}\[Kernel PMU event\]$'
expect 1 '^  cpu: max_precise=3 pmu_name=sim$'
expect 8 '^        cpu/event=0x[0-9a-f]+,umask=0x[0-9a-f]+/$'

# Metrics, each as the event it needs that is the hardest to count.
sim eight-cpus list metric --details
expect 1 '^  insn per cycle {37}\[Metric\]$'
expect 1 '^        instructions,cycles$'
expect 1 '^  Retiring .*\[Metric\] not supported'
expect 1 ' not supported: this machine has no such event$'
expect 1 '^  insn_per_cycle {37}\[Metric\]$'
expect 1 '^        instructions / cpu\\-cycles$'
sim no-pmu list metrics
expect 1 '^  GHz .*\[Metric\] not supported'
expect 1 ' not supported: this virtual machine \(KVM\) has no PMU$'
expect 1 '^  CPUs utilized .*\[Metric\]'

sim eight-cpus list --unit 'cp*'
expect 8 '\[Kernel PMU event\]$'
expect 0 'Software|Hardware'
sim eight-cpus list cache --unit cpu
grep -q "^No PMU 'cpu' has such events\.$" "$scratch/err" || complain "caches are of a PMU"

sim no-pmu list
((status == 0)) || complain "status $status"
expect 10 '\[Hardware event\] not supported'
expect 1 ' not supported: this virtual machine \(KVM\) has no PMU$'
expect 10 '\[Hardware event\]'
expect 1 '^  page-faults OR faults .*\[Software event\] in user space only \(perf_event_paranoid=2\)$'
expect 1 '^  context-switches OR cs .*\[Software event\] not permitted: happens only in the kernel'
expect 3 '^  [a-z_]*time .*\[Tool event\]$'
expect 1 '^  num_cores .*\[Tool event\]$'
expect 1 '^  system_tsc_freq .*\[Tool event\] not supported: only x86 processors have a time stamp counter$'
expect 0 '\[Tracepoint event\]'
grep -q '^The tracepoints cannot be listed: you may not read /sys/kernel/tracing$' "$scratch/err" ||
	complain "not a word about tracepoints"
grep -q '^Hint: .*mount -o remount,mode=755 /sys/kernel/tracing$' "$scratch/err" || complain "no hint"

# What a user may not count is offered for completion, what there is not is not.
sim no-pmu list --raw-dump
grep -q ' context-switches ' "$scratch/out" || complain "context-switches is not offered"
expect 0 'instructions|rNNN|mem:'
[[ $(wc -l <"$scratch/out") == 1 && ! -s $scratch/err ]] || complain "more than a line of names"

# Kinds in the order of the words; options behind them.
sim eight-cpus list tool hw --raw-dump
expect 1 '^duration_time .*branch-misses'
sim eight-cpus list sw tool -d
expect 1 '^       \[page faults of both kinds\]$'

sim eight-cpus list -j
command -v python3 >/dev/null && ! python3 - "$scratch/out" <<-'END' && complain "the JSON is wrong"
	import json, sys
	events = {e["EventName"]: e for e in json.load(open(sys.argv[1]))}
	assert events["page-faults"]["EventType"] == "Software event"
	assert events["page-faults"]["EventAlias"] == "faults"
	assert events["page-faults"]["Encoding"] == "1:0x2"
	assert events["page-faults"]["Supported"] is True
	assert events["idle-cycles-backend" if "idle-cycles-backend" in events else
		"stalled-cycles-backend"]["Reason"] == "the PMU has no such event"
	assert events["raw_syscalls:sys_enter"]["EventType"] == "Tracepoint event"
END
sim eight-cpus list -j nosuch
[[ $(tr -d '\n' <"$scratch/out") == '[]' ]] || complain "no event is not an empty list"
exit $failed
