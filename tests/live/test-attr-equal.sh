#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What xperf asks of the kernel for an event is, field by field, what perf asks: software events,
# breakpoints and the first tracepoint of every subsystem; with XPERF_TEST_ALL=1 all tracepoints.
set -uo pipefail
# shellcheck source=tests/live/perf.sh
. "${SOURCE_DIR:?}/tests/live/perf.sh"
need_perf
: "${XPERF:?}"
command -v strace >/dev/null || skip "strace is not installed"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The sanitizers cannot look for leaks in a traced process.
export LC_ALL=C ASAN_OPTIONS=detect_leaks=0
failed=0 compared=0
true=$(type -P true)

# asks TOOL EVENTS: every attribute the kernel was given, in order, and what it answered to it.
# What is tried after a refusal is each tool's own affair.
asks()
{
	strace -v -qq -s 1 -e trace=perf_event_open -e signal=none -o "$scratch/trace" \
		"$1" stat -e "$2" -o /dev/null "$true" >/dev/null 2>&1
	sed -n 's/^perf_event_open(\({.*}\), .*) = \(-\{0,1\}\)[0-9]* *\([A-Z0-9]*\).*/\1 \2\3/p; / -E[A-Z0-9]*$/q' "$scratch/trace"
}

# same EVENTS: one call of each tool
same()
{
	local perf xperf

	perf=$(asks perf "$1")
	xperf=$(asks "$XPERF" "$1")
	compared=$((compared + $(grep -c . <<<"$perf")))
	[[ $perf != "$xperf" || -z $perf ]] || return 0
	echo "$1: perf (<) and xperf (>) ask for different things:"
	diff <(tr , '\n' <<<"$perf") <(tr , '\n' <<<"$xperf") | sed 's/^/    /'
	failed=1
}

strace -qq -e trace=perf_event_open -o "$scratch/trace" "$true" 2>/dev/null ||
	skip "processes cannot be traced here"

# joined WORD...: with commas
joined()
{
	local IFS=,
	echo "$*"
}

software=(alignment-faults bpf-output cgroup-switches context-switches cs cpu-clock cpu-migrations
	migrations dummy emulation-faults major-faults minor-faults page-faults faults task-clock)
same "$(joined "${software[@]}")"
for modifiers in u k h uk kh uh ukh G H GH uG kH D Du; do
	same "$(joined "${software[@]/%/:$modifiers}")"
done
same '{page-faults,context-switches,dummy}'
same '{page-faults,context-switches:u}:k'
same 'dummy,{page-faults,cs}:D,{faults:u,migrations}'

# One at a time: the processor has few of them.
for place in 0x1000 0x1000:r 0x1000:w 0x1000:rw 0x1000:x 0x1000/1 0x1000/2:w 0x1000/4:rw 0x1000/8:rw \
	0x1000:wr 4096 0x7fff0000 0x1000:u 0x1000:w:u 0x1000/8:r:k 0x1000:rw:uk 0x1000:x:G; do
	same "mem:$place"
done

tracefs=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
if [[ -z $tracefs || ! -r $tracefs/events ]]; then
	echo "tracepoints left out: tracefs is not mounted or not readable"
	exit $failed
fi
tracepoints=()
for subsystem in "$tracefs"/events/*/; do
	subsystem=${subsystem%/}
	found=()
	for event in "$subsystem"/*/id; do
		[[ -e $event ]] || continue
		event=${event%/id}
		found+=("${subsystem##*/}:${event##*/}")
		[[ -n ${XPERF_TEST_ALL:-} ]] || break
	done
	tracepoints+=("${found[@]}")
done

# The last close of a tracepoint takes the kernel 40 ms: somebody else keeps them open meanwhile,
# until this test has ended. Where that fails it only takes longer.
mkfifo "$scratch/ready" "$scratch/done"
exec {done_fd}<>"$scratch/done" {ready_fd}<>"$scratch/ready"
(
	exec {done_fd}>&-
	"$XPERF" stat -o /dev/null -e "$(joined "${tracepoints[@]/#ftrace:*/dummy}")" \
		sh -c 'echo >"$0"; exec cat "$1"' "$scratch/ready" "$scratch/done" >/dev/null 2>&1
	echo >&"$ready_fd"
) &
read -r -u "$ready_fd" _
first=${tracepoints[0]}
for modifiers in u k uk G H D; do
	same "$first:$modifiers"
done
same "{$first,page-faults}"
batch=50
for ((i = 0; i < ${#tracepoints[@]}; i += batch)); do
	same "$(joined "${tracepoints[@]:i:batch}")"
done
echo "$compared attributes compared, ${#tracepoints[@]} tracepoints"
exit $failed
