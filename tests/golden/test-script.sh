#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `script` and `evlist` over the recordings in tests/data/perfdata: the first lines of each, how
# many there are, and what each option makes of them. REFRESH=1 accepts what is printed now; most of
# it was compared with perf 6.1 when it was recorded.
set -euo pipefail

files=$SOURCE_DIR/tests/data/perfdata/files golden=$SOURCE_DIR/tests/data/perfdata/script
. "$SOURCE_DIR/tests/golden/shown.sh"
cd "$files"

for file in *; do
	skipped "$file" && continue
	{
		show 8 script -f --symfs /nonexistent -i "$file"
		show 8 evlist -f -v -i "$file"
	} >"$work/shown"
	same "$file"
done

# Each option; those that show what these recordings have not are tested in unit/script.
while read -r file line; do
	read -ra options <<<"$line"
	show 8 script -f --symfs /nonexistent -i "$file" "${options[@]}"
done >"$work/shown" <<'EOF'
local61-g-fp -G
local61-g-fp --max-stack 2
local61-g-fp --max-stack -1
local61-g-fp --stop-bt main
local61-g-fp -F ip,sym
local61-g-fp -F +pid,-time
local61-g-fp -F comm,nosuch
local61-g-fp -F +cpu
local61-g-fp -F sw:comm,ip
local61-g-fp -F hw:comm
local61-g-fp -F srcline
local61-g-fp -F +srcline --inline
local61-g-fp -F +srccode
local61-g-fp -F comm,srccode
local61-g-fp -F comm,ip,metric
local510-basic -F ip,srcline --full-source-path
local61-g-fp -F sw:trace
local61-g-fp -F -comm,-tid,-time,-event,-ip,-sym,-dso,-period,-symoff
local61-g-fp --json
local61-statrec -F event,cpu,trace
local61-statrec -F hw:ip
local510-basic -F +misc
local510-basic -F +flags,+insnlen
local510-basic -F event,ip,dsoff,dso
local510-basic -d
local510-basic --ns
local510-basic --reltime
local510-basic --reltime --show-task-events
local510-basic --deltatime --show-task-events
local510-basic --deltatime
local510-basic --reltime --deltatime
local510-basic --time 2836.70,2836.75
local510-basic --time ,2836.66
local510-basic --time 10%/2
local510-basic --time 0%-1%,99%-100%
local510-basic --time soon
local510-basic -c worker-1
local510-basic --comms nobody
local510-basic --tid 13814
local510-basic --pid 13812
local510-basic --pid x
local510-basic --dsos libm.so.6
local510-basic --dsos [kernel.kallsyms]
local510-basic -S nothing
local510-basic -S 0xffffffff821c9fc7
local510-basic -S 0xffffffff82000000 --addr-range 0x200000
local510-basic --addr-range 1
local510-basic -S 0xg
local510-basic --switch-on cpu-clock --show-on-off-events
local510-basic --switch-off cpu-clock
local510-basic --switch-on nothing
local-s390x61-groupS --switch-on page-faults -F comm,time,event,period
local-s390x61-groupS --switch-off page-faults -F comm,time,event,period
local510-basic -a
local510-basic --show-task-events
local510-basic --show-mmap-events
local510-basic --show-lost-events
local510-basic --show-round-events
local510-basic --header-only
local510-basic -D
local510-basic --dump-unsorted-raw-trace
local510-basic --kallsyms /nonexistent
local510-basic --vmlinux /nonexistent
local510-basic --demangle --demangle-kernel --no-inline --full-source-path --show-kernel-path
local510-basic -s script.py
local510-basic -g python
local510-basic -l
local510-basic flamegraph
local510-basic --dlfilter x.so
local510-basic --list-dlfilters
local510-basic --itrace=i100
local510-basic --no-itrace
local510-basic --insn-trace
local510-basic --call-trace
local510-basic --call-ret-trace
local510-basic --graph-function main
local510-basic --xed
local510-basic --max-blocks=-1
local510-basic -v
local510-basic --guestmount /x
local510-basic --stitch-lbr
local510-basic --no-stitch-lbr -L --merge-callchains
local510-basic -C 0
local61-switch-events --show-switch-events
local61-namespaces --show-namespace-events
local61-namespaces --json --show-namespace-events --show-task-events
local61-user-regs -F +uregs
local61-user-regs --json
local61-intr-regs -F +iregs
local61-intr-regs -F +uregs
local61-phys-weight -F +phys_addr,+addr
local61i386-sampleall -F +addr,+data_src,+phys_addr
local-s390x61-sampleall -C 1
local-s390x61-sampleall -C x
local61-all-cgroups -F comm,cgroup,ip
local61-all-cgroups --show-cgroup-events
local61-statrec --json
local72-multi -F +cpu,+pid,+tid
local61-pipe --time 0%-50%
EOF
same options

while read -r file line; do
	read -ra options <<<"$line"
	show 8 evlist -f -i "$file" "${options[@]}"
done >"$work/shown" <<'EOF'
local72-multi -F
local72-groupS -g
local72-groupS -g -v
local72-groupS --trace-fields
local72-groupS -v
local72-groupS extra
EOF
same evlist

if have libtraceevent; then
	while read -r file line; do
		read -ra options <<<"$line"
		show 8 script -f --symfs /nonexistent -i "$file" "${options[@]}"
		show 8 evlist -f -i "$file" --trace-fields
	done >"$work/shown" <<'EOF'
local-s390x61-pipe-tp -F trace:comm,event,trace
local-s390x61-pipe-tp -F event,trace
local-s390x61-pipe-tp --json
EOF
	same tracepoints
fi

# A stream through a pipe is the same as in a file.
for file in local61-pipe local510-basic; do
	diff <("$XPERF" script -f --symfs /nonexistent -i "$file") \
		<("$XPERF" script -f --symfs /nonexistent -i - < <(cat "$file")) ||
		{ echo "$file: not the same through a pipe"; failed=1; }
done

# The kernel's symbols that a recording with --kcore has beside it.
mkdir -p "$work/kcore/kcore_dir"
cp local61-all-cgroups "$work/kcore/data"
printf '%s\n' 'ffffffff93800000 T _text' 'ffffffff93800000 T _stext' 'ffffffff93b28ee0 T of_the_copy' \
	'ffffffff93b28fe0 T behind_it' >"$work/kcore/kcore_dir/kallsyms"
for command in script "report --stdio" "data convert --to-json -"; do
	# shellcheck disable=SC2086
	"$XPERF" $command -f -i "$work/kcore" >"$work/out" 2>"$work/message" || true
	grep -q of_the_copy "$work/out" ||
		{ echo "$command: no use of the kernel copy: $(<"$work/message")"; failed=1; }
done

# A file per event, beside the recording; the names of events have no say in where.
cp local72-multi "$work/rec.data"
{
	show 8 script -f --symfs /nonexistent -i "$work/rec.data" --per-event-dump
	for dump in "$work"/rec.data.*.dump; do
		echo "-- ${dump##*/}"
		first 8 <"$dump"
	done
} | sed "s|$work/||g" >"$work/shown"
same per-event
# Two events of one name are not written over each other.
mkdir "$work/twice"
sed 's/task-clock/cpu-clock\x00/g' local72-multi >"$work/twice/data"
"$XPERF" script -f --symfs /nonexistent -i "$work/twice/data" --per-event-dump >"$work/out" 2>"$work/message" || true
for number in '' .2; do
	[[ $(wc -l <"$work/twice/data.cpu-clock$number.dump") == 52 ]] ||
		{ echo "events of one name: $(cat "$work/out" "$work/message")"; failed=1; }
done

# -D: records that no kernel writes; a trace of Intel PT, of perf's stream.
# number BITS VALUE: in the byte order of the stream
number()
{
	local at

	for ((at = 0; at < $1; at += 8)); do printf '%b' "\\x$(printf %02x $(($2 >> at & 255)))"; done
}
# record TYPE SIZE: its header
record()
{
	number 32 "$1"
	number 16 0
	number 16 "$2"
}
{
	printf PERFILE2
	number 64 16
	record 64 80 # ATTR: one event, a clock
	for word in $((64 << 32 | 1)) 0 0 0 0 0 0 0 7; do number 64 "$word"; done
	record 70 152 # AUXTRACE_INFO
	number 64 1
	for ((word = 0; word < 17; word++)); do number 64 $((word < 16 ? word * 3 : 0)); done
	record 70 24 # of another processor
	number 64 3
	number 64 4660
	record 69 48 # ID_INDEX
	for word in 1 18 0 1 -1; do number 64 "$word"; done
	record 73 64 # THREAD_MAP
	number 64 2
	for word in 5 0 0 6 0 0; do number 64 "$word"; done
	record 74 24 # CPU_MAP
	for word in 0 4 0 1 2 5 0 0; do number 16 "$word"; done
	record 71 48 # AUXTRACE
	for word in 4 32 188 $((9 << 32 | 2)) 1; do number 64 "$word"; done
	printf 'abcd'
} >"$work/made.stream"
"$XPERF" script -D -i "$work/made.stream" 2>"$work/message" | grep -av '^\.\|^$\|: event: ' >"$work/shown" || true
cat "$work/message" >>"$work/shown"
same dump-made

# Nobody reads: no complaint.
"$XPERF" script -f --symfs /nonexistent -i local61-g-fp 2>"$work/message" | head -n 1 >"$work/out"
[[ ! -s $work/message ]] || { echo "a reader that has gone is complained of: $(<"$work/message")"; failed=1; }
# A full disk is reported.
if [[ -c /dev/full ]]; then
	"$XPERF" script -f -i local61-g-fp >/dev/full 2>"$work/message" && { echo "a full disk goes unnoticed"; failed=1; }
	grep -q 'No space left' "$work/message" || { echo "a full disk: $(<"$work/message")"; failed=1; }
fi
exit $failed
