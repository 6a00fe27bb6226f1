#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `report` of the recordings in tests/data/perfdata: the first lines of each, how many there are, and
# what each option makes of them. All of it was compared with perf 6.1, where that has it.
set -euo pipefail

files=$SOURCE_DIR/tests/data/perfdata/files golden=$SOURCE_DIR/tests/data/perfdata/report
. "$SOURCE_DIR/tests/golden/shown.sh"
cd "$files"

for file in *; do
	skipped "$file" && continue
	{
		show 24 report -f --symfs /nonexistent -i "$file"
		show 60 report -f --header-only -i "$file"
		show 20 report -f --stats -i "$file"
	} >"$work/shown"
	same "$file"
done

# Each option.
while read -r file line; do
	skipped "$file" && continue
	read -ra options <<<"$line"
	show 26 report -f --symfs /nonexistent -i "$file" "${options[@]}"
done >"$work/shown" <<'EOF'
local61-g-fp -g none
local61-g-fp --no-children
local61-g-fp --no-children -G
local61-g-fp --no-children -g caller
made-branches --no-branch-stack --kallsyms ../kallsyms -q --no-children -g caller -s symbol
made-branches --no-branch-stack --kallsyms ../kallsyms -q -g caller -s symbol
made-branches --no-branch-stack --kallsyms ../kallsyms -q --no-children -g callee -s symbol
made-branches --no-branch-stack --kallsyms ../kallsyms --no-children -g
made-branches --no-branch-stack --kallsyms ../kallsyms --no-children -g period -G -g callee -q
local61-g-fp -g callee
local61-g-fp --no-children -g fractal,0.5,callee
local61-g-fp --no-children -g flat
local61-g-fp --no-children -g folded
local61-g-fp --no-children -g folded,count -t ,
local61-g-fp --no-children -g graph,20
local61-g-fp --no-children -g graph,0.5,2
local61-g-fp --no-children -g period
local61-g-fp --no-children -g address
local61-g-fp -g nosuch
local61-g-fp --max-stack 2
local61-g-fp --max-stack -1
local61-g-fp -p libc
local61-g-fp -p ^0x -x -g none
local61-g-fp -p ( -x
local61-g-fp -s parent,comm -g none
local61-g-fp --percent-limit 50
local61-g-fp -q -g caller --percent-limit 12
local61-g-fp -q -g flat --percent-limit 8
local61-g-fp -q -g folded --percent-limit 3 --no-children
local61-g-fp -q -g graph,0.5 --percent-limit 6 --no-children
local61-g-fp -q --percent-limit 6 -g graph,3 --no-children
local61-g-fp --percent-limit much
local61-g-fp --branch-history
made-branches --kallsyms ../kallsyms
made-branches --kallsyms ../kallsyms --branch-history -s cgroup,sym --no-children
made-branches --kallsyms ../kallsyms --branch-history -s trace,time
local61-g-fp -b
local61-g-fp --json --percent-limit 90
local510-basic -n
local510-basic --show-total-period
local510-basic -s comm
local510-basic -s comm,dso
local510-basic -s dso,sym
local510-basic -s pid
local510-basic -s tgid
local510-basic -s cpu
local510-basic -s time,comm
local510-basic -s time,comm --time-quantum 500ms --ns
local510-basic -s comm --time-quantum 5
local510-basic -s socket,weight,local_weight,addr
local510-basic -s symbol_size,dso_size
local510-basic -s +cpu
local510-basic -s nosuch
local510-basic -F sample,comm,overhead
local510-basic -F +period
local510-basic -F nosuch
local510-basic -t ,
local510-basic -t , -n -s comm
local510-basic -t ./
local510-basic -t .
local510-basic -w 9,4,6
local510-basic -w wide
local510-basic -c worker-1
local510-basic --comms worker-1,worker-2
local510-basic -c nobody
local510-basic vector
local510-basic one two
local510-basic -d mt-static
local510-basic --dsos mt-static,libm.so.6
local510-basic -S main
local510-basic --symbol-filter ma
local510-basic -U
made-branches --kallsyms ../kallsyms --no-branch-stack -U -g none -n
made-branches --kallsyms ../kallsyms --no-branch-stack -U --no-children -q
made-branches --kallsyms ../kallsyms -U
made-branches --kallsyms ../kallsyms -q -s dso
made-branches --kallsyms ../kallsyms -q -s sym
made-branches --kallsyms ../kallsyms -q -F overhead,comm,dso,sym
made-branches --kallsyms ../kallsyms -q -s srcline,symoff,symbol_size
made-branches --kallsyms ../kallsyms -q -s addr,weight,local_weight
made-branches --kallsyms ../kallsyms -q -s comm --show-cpu-utilization
made-branches --kallsyms ../kallsyms -q -s dso -d libmade.so
made-branches --kallsyms ../kallsyms --json -s sym
made-branches --kallsyms ../kallsyms --json -s dso_to,symbol_from
made-memory --kallsyms ../kallsyms -q -g none -s addr,sym
made-memory --kallsyms ../kallsyms -q --no-children -g none -s weight,local_weight,ins_lat,local_ins_lat
made-memory --kallsyms ../kallsyms -q --no-children -g none -s retire_lat,local_retire_lat,p_stage_cyc,local_p_stage_cyc
local61-g-fp --json -s dso_size,symbol_size --no-children -g none
made-branches --kallsyms ../kallsyms --no-branch-stack --symbol-filter do_ -g none -n
made-branches --kallsyms ../kallsyms --no-branch-stack --symbol-filter find --percentage relative
made-branches --kallsyms ../kallsyms --no-branch-stack --symbol-filter copy -s dso,sym --no-children
local510-basic --pid 13812
local510-basic --tid 13814
local510-basic -C 0
local510-basic -C x
local510-basic -c worker-1 --percentage relative
local510-basic -c worker-1 --percentage absolute
local510-basic --percentage some
local510-basic --time 2836.70,2836.75
local510-basic --time 10%/2
local510-basic --time 0%-1%,99%-100%
local510-basic --time soon
local510-basic -q
local510-basic --header
made-bpf --header-only -I
made-domains --header-only -I
local510-basic -I
local510-basic --tasks
mal-rec-size-7 --tasks
local510-basic --mmaps
made-branches --kallsyms ../kallsyms --no-branch-stack --stdio-color=always -q
made-branches --kallsyms ../kallsyms --stdio-color auto -q -s dso
made-branches --stdio-color sometimes
local510-basic --tui
local510-basic --gtk
local510-basic --inline -s comm
local510-basic -s srcline
local510-basic -s srcfile,dso --full-source-path
local510-basic -s symoff
local510-basic -s comm_nodigit
local510-basic -s srcline --json
local510-basic --show-cpu-utilization -s comm
local510-basic -F overhead_us,overhead_guest_sys,comm
local510-basic -H
local510-basic --hierarchy --percent-limit 20 -s dso,comm
local510-basic -H -t , -s comm,dso
local510-basic -H -F sample,dso,overhead,comm
local61-g-fp -H -s comm,sym
local-s390x61-groupS -H -s comm,dso
local-s390x61-groupS --group-sort-idx 1
local-s390x61-groupS --group-sort-idx -1
local61-g-fp --inline --no-inline -s comm -g none
local61-g-fp --no-children -g srcline
local61-g-fp --no-children -g none --time ,2442.696308
local61-g-fp --no-children -g none --ignore-callees ^__libc
made-branches --kallsyms ../kallsyms --no-branch-stack --json --no-children --ignore-callees do_read -s srcline
local61-g-fp --ignore-callees (
local61-all-cgroups --socket-filter 0 -s comm
local61-all-cgroups --socket-filter 9 -s comm
local510-basic --socket-filter x
local510-basic --latency
local61-switch-events --latency -s comm,parallelism
local61-switch-events -q -s latency,comm
local61-switch-events -q -s comm,overhead,latency
local61-switch-events -F overhead,latency,comm
local61-switch-events --latency --json -s comm
local61-switch-events --parallelism 2 -s comm
local72-multi --switch-on cs -s comm
local72-multi --switch-on cs --switch-off page-faults --show-on-off-events -s comm
local72-multi --switch-off nosuch
local-s390x61-groupS --switch-on page-faults -s comm -n --group
local72-multi --stats --no-skip-empty
local61-phys-weight -s transaction,ins_lat,local_retire_lat,comm
local61-phys-weight -s phys_daddr,data_page_size,code_page_size
local61-namespaces -s cgroup_id,comm
local510-basic -s comm --symfs /,sideways
local510-basic -s comm --symfs /nonexistent,flat
local510-basic -s comm --ignore-vmlinux -m -M intel --objdump x --addr2line x --samples 3 --percent-type local-hits
local510-basic --percent-type other
local510-basic --mem-mode
made-memory --kallsyms ../kallsyms --mem-mode -g none
made-memory --kallsyms ../kallsyms --mem-mode -q -s dcacheline,symbol_iaddr,op -g caller
made-branches --kallsyms ../kallsyms -q -s addr_from,addr_to
made-memory -s type
made-memory -q -s sym,weight1
made-memory -q -s weight1,local_weight,weight2,local_ins_lat,weight3,local_retire_lat
made-memory -q -t , -F weight3,weight1,weight2
made-memory -s ipc_lbr
made-memory -s typecln
made-memory -s simd
made-memory --mem-mode -g none -s comm,cache
made-memory --mem-mode -g none -F cache,memory,snoop,dtlb,dso
made-memory --mem-mode -g none -q -F overhead,op,snoop -s snoop
made-memory --mem-mode -g none -t , -F overhead,op,dso
made-memory --mem-mode -g none --json -F op,snoop,comm
made-memory --mem-mode -g none -F memory,comm -c maker
made-memory -F overhead,op,dso --hierarchy
made-branches -F overhead,cache
made-branches --kallsyms ../kallsyms -q -s dso,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles
made-branches --kallsyms ../kallsyms -q --branch-history --no-children -g none -s comm,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles
made-branches --kallsyms ../kallsyms --branch-history -g none --json -s comm,callchain_branch_abort
local510-basic -s callchain_branch_cycles
made-references --kallsyms ../kallsyms --show-ref-call-graph --no-children -g none
made-references --kallsyms ../kallsyms --show-ref-call-graph --no-group -q -g none
local510-basic --total-cycles
made-cycles --kallsyms ../kallsyms --total-cycles
made-cycles --kallsyms ../kallsyms --total-cycles -q -t , --percent-limit 0.01
made-cycles --kallsyms ../kallsyms --total-cycles -q -t , -c maker
made-cycles --kallsyms ../kallsyms --total-cycles -q -c maker --percentage relative
made-cycles --kallsyms ../kallsyms --total-cycles -q -S find_page --group
made-cycles --kallsyms ../kallsyms --total-cycles -q --symbol-filter copy
made-cycles --total-cycles
made-cycles --total-cycles --json
local-s390x61-groupS --total-cycles
made-branches --kallsyms ../kallsyms --total-cycles
local510-basic --stitch-lbr
local510-basic --itrace=i100
local-s390x61-pipe-tp -s next_comm,prev_prio
local-s390x61-pipe-tp -s sched:sched_switch.next_pid/raw
local-s390x61-pipe-tp -q -s prev_state,prev_state/raw,prev_state
local-s390x61-pipe-tp -q -s sched:sched_switch.next_pid,next_pid,sched_wakeup.prio,prio
local-s390x61-pipe-tp -s trace_fields
local-s390x61-pipe-tp -s trace --raw-trace
local-s390x61-pipe-tp -s sched_wakeup.nosuch
local510-basic --jobs 1 -s comm
local510-basic --jobs 2 -s comm
local510-basic --jobs -2
local510-basic --kallsyms /nonexistent
local510-basic -k /nonexistent
local510-basic -g caller
local510-basic -g
local510-basic -g none -s comm
local510-basic -p libc
local510-basic -s parent
local510-basic -x
local510-basic -x -p .
local510-basic --branch-history
local61-g-fp -x
local510-basic -D
local510-basic --json -s comm,dso
local510-basic -v -s comm
made-branches --kallsyms ../kallsyms --no-branch-stack -v -q -g none
made-branches --kallsyms ../kallsyms -v -q -s symbol_from,sym,dso
local510-basic more
local61-mt-s-T -T -s comm
local510-basic -T -s comm
local61-mt-s-T -q -T --pretty raw -s dso
local61-mt-s-T -q -T --pretty=nice
local61-all-cgroups -s cgroup
local61-all-cgroups -s cgroup --json
local61-phys-weight -s weight,sym
local61-g-fp -g none --no-children -w 5,5,5 -s pid,comm
local-s390x61-groupS -n
local-s390x61-groupS --no-group
local-s390x61-groupS -t ,
local-s390x61-groupS --json -s comm
local72-multi --group -s comm
local-s390x61-pipe-tp -s trace
local-s390x61-pipe-tp -s comm
local61-namespaces --mmaps
nowhere -n
EOF
! have libtraceevent || same options

# What comes through a pipe is the same.
for file in local61-pipe local61-g-fp; do
	# shellcheck disable=SC2002 # a pipe it has to be
	diff <("$XPERF" report -q --symfs /nonexistent -i "$file") \
		<(cat "$file" | "$XPERF" report -q --symfs /nonexistent -i -) ||
		{ echo "$file: another report through a pipe"; failed=1; }
done
# Names of commands from a file.
printf 'worker-1\nworker-2\n' >"$work/names"
diff <("$XPERF" report -q -c worker-1,worker-2 -i local510-basic --symfs /nonexistent) \
	<("$XPERF" report -q -c "file://$work/names" -i local510-basic --symfs /nonexistent) ||
	{ echo "names from a file are others"; failed=1; }
# Both names of an option that perf has two of.
diff <("$XPERF" report --show-cpu-utilization -i local510-basic --symfs /nonexistent 2>&1) \
	<("$XPERF" report --showcpuutilization -i local510-basic --symfs /nonexistent 2>&1) ||
	{ echo "--showcpuutilization is another report"; failed=1; }
# The kernel's own list, a file of size 0, is as good as a copy of it.
if cp /proc/kallsyms "$work/kallsyms" 2>/dev/null && grep -q ' T _text$' "$work/kallsyms" &&
	! grep -q '^0* T _text$' "$work/kallsyms"; then
	for list in /proc/kallsyms "$work/kallsyms"; do
		"$XPERF" report -q -s sym --symfs /nonexistent --kallsyms "$list" -i made-branches
	done >"$work/both"
	half=$(($(wc -l <"$work/both") / 2))
	cmp -s <(head -"$half" "$work/both") <(tail -"$half" "$work/both") ||
		{ echo "another report with --kallsyms=/proc/kallsyms"; failed=1; }
	grep -q '\[k\] [a-zA-Z_]' "$work/both" || { echo "no function of /proc/kallsyms"; failed=1; }
fi
# Nothing of a name that others chose reaches the terminal but text.
"$XPERF" report -i local510-basic --symfs /nonexistent | LC_ALL=C grep -q '[[:cntrl:]]' &&
	{ echo "control characters in the report"; failed=1; }
exit $failed
