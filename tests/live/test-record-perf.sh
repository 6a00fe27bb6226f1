#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# For a table of options: what perf reads in our recording is what it reads in its own of the same
# workload: exit status, events with all their attributes, kinds of records, features, what most
# samples are in.
set -uo pipefail
: "${XPERF:?}"
. "${SOURCE_DIR:?}/tests/live/perf.sh"
export LC_ALL=C
need_perf
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
perf record -q -o probe -e cpu-clock:u true >/dev/null 2>&1 || skip "perf may not record here"
root=0 tracefs=0
perf record -q -o probe -a -e cpu-clock true >/dev/null 2>&1 && root=1
perf record -q -o probe -e sched:sched_switch true >/dev/null 2>&1 && tracefs=1
failed=0 nr=0

# Attributes as `perf evlist -v` shows them; ours are no longer than needed.
attributes()
{
	perf evlist -v -i "$1" 2>/dev/null | sed 's/ size: [0-9]*,//'
}

# What other tasks do is in a recording of CPUs by chance.
by_chance=NONE

# Names of the kernel's functions are not compared, and take perf most of its time.
no_names='--kallsyms=/dev/null'

# All records and samples, as perf shows them
dump()
{
	perf script $no_names -D -G -i "$1" >"$1.dump" 2>/dev/null
}

# Kinds of records, without those that only one of them writes, or that depend on chance.
kinds()
{
	grep -ao 'PERF_RECORD_[A-Z0-9_]*' "$1.dump" | sort -u |
		grep -vE '_(FINISHED_INIT|FINISHED_ROUND|EVENT_UPDATE|LOST_SAMPLES|THROTTLE|UNTHROTTLE|LOST|KSYMBOL|COMPRESSED|FEATURE|FORK|BPF_EVENT|SWITCH.*|'"$by_chance"')$'
}

# Names of features; BPF programs of others come and go.
features()
{
	perf report --header-only -i "$1" 2>/dev/null | sed 's/[:=].*//' | grep '^#' |
		grep -vE '^# (sample duration|time of|missing features|bpf_prog_info|btf info)' | sort -u
}

# The layout of what perf prints of it: nothing but numbers and widths differs.
layout()
{
	perf report $no_names --stdio -g none --sort dso -i "$1" 2>&1 | grep '^#' | grep -v Tip |
		sed 's/[0-9][0-9.]*[KMG]*/N/g; s/\.\.*/./g; s/  *$//; s/^# Samples: N  *of/# Samples: N of/'
}

# How many fields a sample in the loop is printed with.
fields()
{
	grep -a -m 1 ' leaf+0x' "$1.dump" | awk '{ print NF }'
}

# The symbol most samples are in.
top()
{
	perf report --stdio -g none --no-children --percent-limit 50 --sort sym -i "$1" 2>/dev/null |
		grep -E '^ +[0-9.]+%' | awk '{ print $NF }'
}

differ()
{
	echo "$1: $2 differ (< perf, > ours):"
	sed 's/^/    /'
	failed=1
}

views='attributes kinds features layout fields'

# Called as perf it records what perf does, copies of stacks too.
mkdir as
ln -s "$XPERF" as/perf

# work SECONDS: the workload is that long in one function
work()
{
	workload=("$XPERF" test -w leafloop "$1")
}
work 0.06

# record_both OPTIONS...: leaves perf.file and ours.file behind
record_both()
{
	rm -rf perf.file* ours.file*
	perf record --no-bpf-event --buildid-mmap -o perf.file "$@" "${workload[@]}" >/dev/null 2>perf.err
	perf_status=$?
	as/perf record --no-bpf-event -o ours.file "$@" "${workload[@]}" >/dev/null 2>ours.err
	status=$?
	dump perf.file
	dump ours.file
}

# Whether there are samples in a file
sampled()
{
	[[ $("$XPERF" script -F event -i "$1" 2>/dev/null | head -c 1) ]] && echo yes || echo no
}

# A crowded machine may have given one of them no time for the loop.
had_the_same_luck()
{
	[[ $(sampled perf.file) == "$(sampled ours.file)" ]] || return 1
	[[ $views != *fields* || $(fields perf.file | wc -l) == $(fields ours.file | wc -l) ]]
}

# compare OPTIONS...: one row
compare()
{
	local row="$*" what

	((nr++))
	for _ in {1..10}; do
		record_both "$@"
		had_the_same_luck && break
	done
	[[ $status == "$perf_status" ]] ||
		{ echo "$row: exit status $status, perf's $perf_status"; cat ours.err perf.err; failed=1; }
	for what in $views; do
		if ! diff <($what perf.file) <($what ours.file) >differences; then
			differ "$row" $what <differences
		fi
	done
	grep -q '^\[ perf record: Captured and wrote [0-9.]* MB ours.file' ours.err ||
		{ echo "$row: no closing line"; failed=1; }
}

# With samples in a loop.
for options in \
	'' '-F 997' '-c 1000000' '-g' '--call-graph fp,16' '--call-graph dwarf' \
	'--call-graph dwarf,1024' '-g --kernel-callchains' '-g --user-callchains' '--all-user' \
	'-d' '--phys-data' '--data-page-size' '--code-page-size' '-W' '--transaction' \
	'-P' '--no-period' '--no-timestamp' '--sample-identifier' '-R' '-s -T' '-n' '-i' \
	'-g -d -P -R --sample-cpu' '-I' '-Iax,bx,ip' '--user-regs=ip,sp' '-g -I --user-regs' \
	'-k monotonic' '-k monotonic_raw' '--namespaces' '--switch-events' '--all-cgroups' '-m 4' \
	'-m 64K' '-z' '--overwrite' '--tail-synthesize' '--synth=no' '--mmap-flush 1K' '-r 1' \
	'--no-buffering' '-D 1' '--max-size 1G' '--running-time'; do
	# shellcheck disable=SC2086 # options are words
	compare -e cpu-clock $options
done

# What the samples say, where most of the time is spent in one function.
views='top fields'
work 0.5
compare -e cpu-clock:u
compare -e cpu-clock:u -g
compare -e cpu-clock:u --call-graph dwarf -d
compare -e cpu-clock:u -z
views='attributes kinds features layout'
work 0.06

# Events, alone and together.
for events in \
	page-faults task-clock '{cpu-clock,page-faults}' \
	'cpu-clock:u' 'cpu-clock/period=100000/' \
	'cpu-clock/freq=500,call-graph=fp/' 'cpu-clock/name=mine/' 'cpu-clock/call-graph=dwarf/,page-faults'; do
	compare -e "$events"
done
compare -e '{cpu-clock,page-faults}:S' --no-inherit # perf 6.1 never does with counts in samples
compare -e page-faults -c 1 -d
compare -e page-faults -e cpu-clock -F 500
workload=(sh -c "sleep 0.01; '$XPERF' test -w leafloop 0.06") # which switches for certain
compare -e cpu-clock,page-faults,context-switches
workload=(head -c 500M /dev/zero) # which is in the kernel
compare -e cpu-clock --all-kernel
work 0.06

views='attributes kinds features'
# perf reads streams, whatever the ids of events are: of each 4,096, half have the bit that means a call
# stack in a field of the attribute.
for ((i = 0; i < 11; i++)); do
	"$XPERF" stat -x ';' -o /dev/null -e "$(printf 'dummy,%.0s' {1..399})dummy" true
	"$XPERF" record -q -F 999 -e cpu-clock --call-graph fp -o - -- sha1sum "$XPERF" \
		2>err >stream || { cat err; failed=1; }
	perf script $no_names -i - <stream >script 2>err ||
		{ echo "perf script of a stream ends with $?: $(<err)"; failed=1; }
	[[ $(grep -c cpu-clock script) == "$("$XPERF" script -F event -i stream | grep -c cpu-clock)" ]] ||
		{ echo "perf reads other samples of a stream"; failed=1; }
	rm -f stream
done
if ((root)); then
	by_chance='EXIT|COMM|MMAP2'
	for options in '-a' '-C 0' '-a -g' '-a -s' '-a --synth=no' '-a -z'; do
		# shellcheck disable=SC2086 # options are words
		compare -e cpu-clock $options
	done
	compare -a -e '{cpu-clock,page-faults}'
	by_chance=NONE
else
	echo "CPUs may not be recorded here: -a and -C are not compared"
fi
if ((tracefs)); then
	workload=(sleep 0.01) # which switches for certain
	compare -e sched:sched_switch
	compare -e sched:sched_switch --filter 'prev_pid != 0'
	compare -e sched:sched_switch --exclude-perf
	compare -e sched:sched_switch,cpu-clock -g
else
	echo "tracepoints cannot be opened here: they are not compared"
fi
echo "$nr combinations"
exit $failed
