#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `xperf stat --compat=7` prints, in the simulated kernel: default events with the metrics, columns
# and keys of perf 7; what cannot be counted or computed has no number.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
export XDG_CONFIG_HOME=$scratch/config

# prints TEXT: exactly this was printed; lines that end in blanks have a $ behind them
prints()
{
	diff <(printf '%s\n' "$1") <(sed 's/ $/ $/' "$scratch/err") >"$scratch/out" || complain "not what perf 7 prints"
}

# expect N PATTERN: lines that were printed
expect()
{
	local n
	n=$(grep -cE -- "$2" "$scratch/err")
	[[ $n == "$1" ]] || complain "$n lines match '$2', not $1"
}

# --- default events ---
sim one-task stat --compat=7 one
prints "
 Performance counter stats for 'one':

                 1      context-switches                 #      1.0 cs/sec  cs_per_second     $
                 0      cpu-migrations                   #      0.0 migrations/sec  migrations_per_second
              3007      page-faults                      #   3007.0 faults/sec  page_faults_per_second
           1000.00 msec task-clock                       #      1.0 CPUs  CPUs_utilized       $
          20000000      branch-misses                    #      2.0 %  branch_miss_rate       $
        1000000000      branches                         #   1000.0 M/sec  branch_frequency   $
        3500000000      cpu-cycles                       #      3.5 GHz  cycles_frequency     $
        6000000000      instructions                     #      1.7 instructions  insn_per_cycle

       1.010001200 seconds time elapsed

       0.800000000 seconds user
       0.200000000 seconds sys

"
sim one-task stat -x, --compat=7 one
prints "1,,context-switches,1000000000,100.00,1.0,cs/sec  cs_per_second
0,,cpu-migrations,1000000000,100.00,0.0,migrations/sec  migrations_per_second
3007,,page-faults,1000000000,100.00,3007.0,faults/sec  page_faults_per_second
1000.00,msec,task-clock,1000000000,100.00,1.0,CPUs  CPUs_utilized
20000000,,branch-misses,1000000000,100.00,2.0,%  branch_miss_rate
1000000000,,branches,1000000000,100.00,1000.0,M/sec  branch_frequency
3500000000,,cpu-cycles,1000000000,100.00,3.5,GHz  cycles_frequency
6000000000,,instructions,1000000000,100.00,1.7,instructions  insn_per_cycle"
sim one-task stat -j --compat=7 one
expect 8 '^\{"counter-value" : "[0-9.]+", "unit" : "(msec)?", "event" : "[a-z-]+", "event-runtime" : 1000000000, "pcnt-running" : 100\.00, "metric-value" : "[0-9]+\.[0-9]{6}", "metric-unit" : "[^"]+"(, "metric-threshold" : "good")?\}$'
expect 1 '"event" : "instructions", .*"metric-value" : "1\.714286", "metric-unit" : "instructions  insn_per_cycle", "metric-threshold" : "good"\}$'
expect 1 '"metric-value" : "2\.000000", "metric-unit" : "%  branch_miss_rate", "metric-threshold" : "good"\}$'

# --- more of them: what a processor can have ---
rates='cycles=2_000_000 instructions=1_000_000 stalled-cycles-frontend=300_000 stalled-cycles-backend=500_000 branches=800_000 branch-misses=9_000 page-faults=2'
for cache in L1-dcache L1-icache LLC dTLB iTLB; do
	rates+=" $cache-loads=100_000 $cache-load-misses=2_000"
done
rates+=' L1-dcache-prefetches=1_000 L1-dcache-prefetch-misses=100'
cat >"$scratch/all.sim" <<END
machine cpus=2
time call=1ns
pmu general=30 has=stalled-cycles-frontend,stalled-cycles-backend
program all
	run 100ms cpu=1 $rates
	exit 0
END
scenarios=$scratch
sim all stat --compat=7 -ddd all
tail -n +8 "$scratch/err" | head -n 15 >"$scratch/rows"
mv "$scratch/rows" "$scratch/err"
prints "            200000      L1-dcache-load-misses            #      2.0 %  l1d_miss_rate          $
            200000      L1-icache-load-misses            #      2.0 %  l1i_miss_rate          $
          10000000      LLC-loads                        #      2.0 %  llc_miss_rate          $
            900000      branch-misses                    #      1.1 %  branch_miss_rate       $
          80000000      branches                         #    800.0 M/sec  branch_frequency   $
         200000000      cpu-cycles                       #      2.0 GHz  cycles_frequency     $
         100000000      instructions                     #      0.5 instructions  insn_per_cycle
          30000000      stalled-cycles-frontend          #     0.15 frontend_cycles_idle      $
          50000000      stalled-cycles-backend           #     0.25 backend_cycles_idle       $
                                                         #     0.50 stalled_cycles_per_instruction
          10000000      dTLB-loads                       #      2.0 %  dtlb_miss_rate         $
          10000000      iTLB-loads                       #      2.0 %  itlb_miss_rate         $
             10000      L1-dcache-prefetch-misses        #     10.0 %  l1_prefetch_miss_rate  $

       0.100000004 seconds time elapsed"
sim all stat --compat=7 -d -x, all
[[ $(cut -d, -f3 "$scratch/err" | grep -c .) == 12 ]] || complain "-d"
sim all stat --compat=7 -x, all
expect 0 'L1|LLC|TLB'
expect 1 '^,,,,0\.50,stalled_cycles_per_instruction$'
sim all stat --compat=7 -j all
expect 1 '"metric-unit" : "instructions  insn_per_cycle", "metric-threshold" : "bad"\}$'
expect 1 '^\{"metric-value" : "0\.500000", "metric-unit" : "stalled_cycles_per_instruction"\}$'

# --- runs, intervals, CPUs, metrics alone ---
sim all stat --compat=7 -r 3 -x, all
expect 10 '^[0-9.]+,(msec)?,[a-z-]+,0\.00%,100000000,100\.00,[0-9.]+,'
sim all stat --compat=7 -I 40 --summary -x, all
expect 3 '^0\.[0-9]{9},[0-9]+,,cpu-cycles,[0-9]+,100\.00,2\.0,GHz  cycles_frequency$'
expect 1 '^summary,200000000,,cpu-cycles,100000000,100\.00,2\.0,GHz  cycles_frequency$'
expect 0 '^ '
sim all stat --compat=7 -I 40 all
expect 1 '^#           time             counts unit events$'
expect 3 '^     0\.[0-9]{9} +[0-9]+ +cpu-cycles '
sim all stat --compat=7 -a -A -x, all
expect 1 '^CPU1,[0-9]+,,cpu-cycles,[0-9]+,100\.00,[0-9.]+,GHz  cycles_frequency$'
expect 1 '^CPU1,[0-9.]+,msec,cpu-clock,[0-9]+,100\.00,1\.0,CPUs  CPUs_utilized$'
expect 0 'task-clock'
sim all stat --compat=7 -a --per-core -j all
expect 2 '^\{"core" : "S0-D0-C[01]", "counters" : 1, "counter-value" : "[0-9]+\.[0-9]{6}", "unit" : "", "event" : "cpu-cycles"'
expect 0 'aggregate-number'
sim all stat --compat=7 -a --per-core all
expect 2 '^S0-D0-C[01]              1 +[0-9]+      cpu-cycles   '
sim all stat --compat=7 -a --per-core -I 200 all
expect 1 '^#           time core               cpus             counts unit events$'
sim all stat --compat=7 --metric-only -x, all
prints 'cs/sec  cs_per_second,migrations/sec  migrations_per_second,faults/sec  page_faults_per_second,CPUs  CPUs_utilized,%  branch_miss_rate,M/sec  branch_frequency,GHz  cycles_frequency,instructions  insn_per_cycle,frontend_cycles_idle,backend_cycles_idle,stalled_cycles_per_instruction,
0.0,0.0,2000.0,1.0,1.1,800.0,2.0,0.5,0.15,0.25,0.50,'
sim all stat --compat=7 --metric-only -j all
expect 1 '^\{"cs/sec  cs_per_second" : "0\.0", .*"stalled_cycles_per_instruction" : "0\.50"\}$'

# --- events by name have no metrics; metrics by name have ---
sim all stat --compat=7 -e cycles,instructions,branches,branch-misses,task-clock all
expect 0 '#'
expect 1 '^         200000000      cycles {64}$'
sim all stat --compat=7 -x, -e task-clock,cycles all
prints '100.00,msec,task-clock,100000000,100.00,,
200000000,,cycles,100000000,100.00,,'
sim all stat --compat=7 -j -e cycles all
prints '{"counter-value" : "200000000.000000", "unit" : "", "event" : "cycles", "event-runtime" : 100000000, "pcnt-running" : 100.00}'
sim all stat --compat=7 -j -e cycles -M insn_per_cycle all
expect 1 '"event" : "instructions", .*"metric-value" : "0\.500000", "metric-unit" : "insn_per_cycle", "metric-threshold" : "bad"\}$'
sim all stat --compat=7 -n all
[[ $status == 0 ]] || complain "nothing counted: status $status"

# --- what is not there ---
scenarios=$SOURCE_DIR/tests/sim/scenarios
sim no-pmu stat --compat=7 -ddd one
expect 1 '^   <not supported>      cpu-cycles:u '
expect 0 'branch|instructions|stalled|L1|nan'
expect 1 '^No value: cycles_frequency: '
sim no-pmu stat --compat=7 -j one
expect 1 '"counter-value" : "<not supported>", "unit" : "", "event" : "cpu-cycles:u", "event-runtime" : 0, "pcnt-running" : 100\.00, "metric-unit" : "GHz  cycles_frequency", "metric-reason" : "[^"]+"\}$'
expect 0 'nan|null'
sim topdown stat --compat=7 idle
expect 0 'nan|inf[^o]'
expect 1 '^No value: branch_miss_rate: Division by zero in '

# --- the group of the top-down method has a line of its own ---
sim topdown stat --compat=7 bound
expect 1 '^                        TopdownL1                        #     50\.0 %  tma_backend_bound      $'
expect 1 '^                                                         #     25\.0 %  tma_retiring           $'
expect 0 'slots|topdown-'
sim topdown stat --compat=7 -j bound
expect 1 '^\{"event-runtime" : 100000000, "pcnt-running" : 100\.00, "metricgroup" : "TopdownL1"\}$'
expect 1 '^\{"metric-value" : "50\.000000", "metric-unit" : "%  tma_backend_bound", "metric-threshold" : "bad"\}$'
sim topdown stat --compat=7 -x, bound
expect 1 '^,,,,,TopdownL1$'
expect 1 '^,,,,50\.0,%  tma_backend_bound$'

# --- recordings: the counts, without metrics ---
sim one-task stat record -o "$scratch/counts.data" one
sim one-task stat report --compat=7 -x, -i "$scratch/counts.data"
expect 1 '^6000000000,,instructions,1000000000,100\.00,,$'
sim one-task stat report -x, -i "$scratch/counts.data"
expect 1 '^6000000000,,instructions,1000000000,100\.00,1\.71,insn per cycle$'

# --- versions ---
for version in 6 6.1; do
	sim one-task stat "--compat=$version" -x, one
	expect 1 ',insn per cycle$'
	expect 1 '^3500000000,,cycles,'
done
sim one-task stat --compat=7 --no-compat -x, one
expect 1 ',insn per cycle$'
sim one-task stat --compat=8 one
[[ $status == 129 ]] || complain "--compat=8: status $status"
expect 1 "^Error: --compat: there is no output of perf '8': choose 6 or 7$"
sim one-task stat --compat=7 --json=v1 one
[[ $status == 129 ]] || complain "--json=v1: status $status"
exit $failed
