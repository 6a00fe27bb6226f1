#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Metrics by name of hardware events, in the simulated kernel: values follow from the truth, the events
# of a metric are counted at the same time, what cannot be computed has a reason.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
export XDG_CONFIG_HOME=$scratch/config
mkdir -p "$XDG_CONFIG_HOME/xperf/metrics"

# expect N PATTERN: lines on stderr, where stat prints
expect()
{
	local n
	n=$(grep -cE -- "$2" "$scratch/err")
	[[ $n == "$1" ]] || complain "$n lines match '$2', not $1"
}

# --- values: the rates of one-task.sim ---
sim one-task stat -M insn_per_cycle,branch_miss_rate,cycles_frequency,branch_mpki one
expect 1 '^ +6000000000 +instructions +# +1\.71 insn_per_cycle +$'
expect 1 '^ +3500000000 +cpu-cycles +# +3\.5 GHz  cycles_frequency +$'
expect 1 ' branch-misses +# +2\.0 %  branch_miss_rate +'
expect 1 '^ +# +3\.3 MPKI  branch_mpki +'
expect 0 'insn per cycle|of all branches|threshold'
# Each event once, if one group has room for all; a second group where it has not.
expect 1 ' cpu-cycles '
expect 1 ' branches '
sim one-task stat -x, -M insn_per_cycle,branch_mpki one
[[ $(cut -d, -f3,6- "$scratch/err") == $'instructions,1.71,insn_per_cycle\ncpu-cycles,,\nbranch-misses,3.3,MPKI  branch_mpki' ]] ||
	complain "events of two metrics"
sim one-task stat -x, --metric-no-merge -M insn_per_cycle,branch_mpki one
[[ $(cut -d, -f3 "$scratch/err" | xargs) == 'instructions cpu-cycles branch-misses instructions' ]] ||
	complain "groups are shared"
sim one-task stat -x, --metric-no-group -M insn_per_cycle,branch_mpki one
[[ $(cut -d, -f3 "$scratch/err" | xargs) == 'instructions cpu-cycles branch-misses' ]] || complain "without groups"
# With events of the user, those keep their metrics.
sim one-task stat -e branches,branch-misses -M insn_per_cycle one
expect 1 ' branch-misses +# +2\.00% of all branches'
expect 1 '1\.71 insn_per_cycle'

# --- more events than counters: groups take turns as a whole ---
sim phases stat -x, -M insn_per_cycle,branch_miss_rate,cache_miss_rate,l1d_miss_rate,llc_miss_rate,dtlb_miss_rate phases
[[ -s $scratch/err ]] || complain "nothing was printed"
# A metric that needs more events than there are counters is counted event by event, with a note.
cat >"$XDG_CONFIG_HOME/xperf/metrics/large.txt" <<'END'
metric: large
brief: The sum of more events than there are counters
events: branches branch-misses cache-references cache-misses bus-cycles ref-cycles
formula: branches + branch\-misses + cache\-references + cache\-misses + bus\-cycles + ref\-cycles
threshold: large > 5
metric: by_zero
brief: Nothing to divide by
events: cycles alignment-faults
formula: cycles / alignment\-faults
metric: no_such
brief: Its event is nowhere
events: cylces
formula: cylces * 2
metric: constant
brief: No event
formula: #num_cpus * 2
metric: cpus_by_has
brief: What the machine has
events: cycles stalled-cycles-frontend
formula: stalled\-cycles\-frontend if has_event(stalled\-cycles\-frontend) else cycles * 0 + #num_cpus_online
metric: ratio
brief: A metric of metrics
formula: insn_per_cycle / branch_miss_rate
metric: energy
brief: A group of its own
groups: Mine
events: cycles
formula: cycles
unit: 0.000001Mcycles
END
sim one-task stat -M large one
expect 1 '# +[0-9.]+ large '
expect 1 'not as a group, because it does not fit on the counters$'
expect 1 '^Beyond its threshold: large > 5$'
sim one-task stat --metric-no-threshold -M large one
expect 0 'threshold'
sim one-task stat -j --metric-no-threshold -M large one
expect 0 'metric-threshold'
sim one-task stat -j -M large,insn_per_cycle one
expect 1 '"metric-unit" : "large", "metric-threshold" : "bad"}$'
expect 1 '"metric-unit" : "insn_per_cycle", "metric-threshold" : "good"}$'

# --- no value ---
sim one-task stat -M by_zero one
expect 1 '^No value: by_zero: Division by zero in cycles / alignment\\-faults$'
expect 0 'nan|inf[^o]'
sim one-task stat -j -M by_zero one
expect 1 '"metric-value" : "nan", "metric-unit" : "by_zero", "metric-reason" : "Division by zero in '
sim one-task stat -x, -M by_zero one
expect 1 '^# by_zero: Division by zero in cycles / '
expect 1 '^3500000000,,cycles,[0-9]+,100\.00,,$'
sim no-pmu stat -M insn_per_cycle one
[[ $status == 255 ]] || complain "a metric without counters: status $status"
sim no-pmu stat -M cycles_frequency one
expect 1 '<not supported> +cpu-cycles:u '
expect 1 '^No value: cycles_frequency: cpu-cycles:u was not counted: this virtual machine$'

# --- what is chosen ---
sim one-task stat -M no_such one
[[ $status != 0 ]] || complain "an unknown event"
expect 1 "^Error: The metric no_such needs 'cylces': there is no event 'cylces'$"
sim one-task stat -M constant one
expect 1 '^Error: The metric constant needs no event: there is nothing to count$'
sim one-task stat -M insn_per_cyle one
expect 1 "did you mean 'insn_per_cycle'\?$"
sim one-task stat -M branchs one
expect 1 "did you mean 'Branches'\?$"
sim one-task stat -M cpus_by_has one
expect 1 '# +2\.00 cpus_by_has'
expect 0 'stalled'
sim one-task stat -M ratio one
expect 1 '# +85\.71 ratio '
sim one-task stat -M mine one
expect 1 '# +3500\.0 Mcycles  energy'
sim one-task stat -M 'branch_m*' one
expect 1 'branch_mpki'
expect 1 'branch_miss_rate'
sim one-task stat -M all one
expect 1 '^Left out: .*tma_core_bound'
expect 1 'insn_per_cycle'
[[ $status == 0 ]] || complain "all: status $status"

# --- rows, intervals and runs; metrics alone ---
sim eight-cpus stat -a --per-socket -M insn_per_cycle,branch_share --metric-only -x,
[[ $(<"$scratch/err") == $'socket,cpus,insn_per_cycle,%  branch_share,\nS0,4,2.00,20.0,\nS1,4,0.33,10.0,' ]] ||
	complain "metrics of sockets"
sim eight-cpus stat -a --per-socket -M insn_per_cycle,branch_share --metric-only
expect 1 '^ +insn_per_cycle +%  branch_share *$'
expect 1 '^S0 +4 +2\.00 +20\.0 *$'
sim eight-cpus stat -a -A -M insn_per_cycle
expect 1 '^CPU0 +[0-9]+ +instructions +# +2\.00 insn_per_cycle'
expect 1 '^CPU6 +[0-9]+ +instructions +# +0\.33 insn_per_cycle'
sim one-task stat --metric-only one
expect 1 '^ +GHz +insn per cycle branch-misses of all branches $'
expect 1 '^ +3\.500 +1\.71 +2\.00% *$'
expect 0 'CPUs utilized|/sec'
sim one-task stat --metric-only -j one
expect 1 '^\{"GHz" : "3\.500", "insn per cycle" : "1\.71", "branch-misses of all branches" : "2\.00"\}$'
sim one-task stat --metric-only -x, -I 300 one
expect 1 '^time,GHz,insn per cycle,branch-misses of all branches,$'
expect 4 '^ +[0-9]+\.[0-9]{9},3\.500,1\.71,2\.00,$'
sim one-task stat --metric-only -r 2 -M insn_per_cycle one
expect 1 '^ +1\.71 *$'
sim one-task stat --metric-only -e faults one
expect 1 '^Note: these events have no metrics of their own'

# --- the top-down method ---
sim topdown stat --topdown bound
expect 1 '^ +%  tma_retiring %  tma_bad_speculation %  tma_frontend_bound %  tma_backend_bound *$'
expect 1 '^ +25\.0 +10\.0 +15\.0 +50\.0 *$'
sim topdown stat --topdown --td-level 2 -j bound
expect 1 '"%  tma_memory_bound" : "40.0", "%  tma_core_bound" : "10.0"\}$'
sim topdown stat --topdown --no-metric-only bound
expect 1 ' 1200000000 +slots *$'
expect 1 ' topdown-be-bound +# +50\.0 %  tma_backend_bound'
expect 1 '^Beyond its threshold: tma_backend_bound > 0\.2$'
sim topdown stat --topdown idle
expect 4 '^No value: tma_'
sim one-task stat --topdown one
[[ $status == 255 ]] || complain "--topdown without events: status $status"
expect 1 "^Error: --topdown: the top-down events cannot be counted: there is no event 'topdown-retiring'$"

# --- what needs PMUs that this machine does not have ---
sim one-task stat --smi-cost one
[[ $status == 255 ]] || complain "--smi-cost: status $status"
expect 1 "^Error: --smi-cost: msr/aperf/ cannot be counted: this machine has no PMU 'msr'$"
for option in --iostat --iostat=list; do
	sim one-task stat "$option" one
	[[ $status == 255 ]] || complain "$option: status $status"
	expect 1 "^Error: --iostat: uncore_iio/event=1/ cannot be counted: this machine has no PMU 'uncore_iio'$"
done
sim one-task stat --smi-cost --no-smi-cost -x, -e cycles one
[[ $status == 0 ]] || complain "--no-smi-cost: status $status"
exit $failed
