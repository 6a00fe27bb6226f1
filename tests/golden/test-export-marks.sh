#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Timelines have what happened to threads, as the records say, and what stat has counted in each interval.
set -uo pipefail
: "${XPERFSIM:?}"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=$SOURCE_DIR/tests/data/perfdata/files
failed=0
fail()
{
	echo "$1"
	failed=1
}

# marks FORMAT RECORDING ARGUMENT...: in $work/FORMAT
marks()
{
	"$XPERF" export -f "$1" --force --symfs /nonexistent -i "$2" "${@:3}" -o "$work/file" 2>"$work/err" ||
		fail "$*: $(<"$work/err")"
	python3 "$SOURCE_DIR/tests/golden/export-marks.py" "$1" "$work/file" >"$work/$1" || fail "$*: damaged"
}

# Context switches: from OUT to IN, as `script` lists them
"$XPERF" script -f --symfs /nonexistent -i "$files/local61-switch-events" --ns --show-switch-events -F comm,tid,time,event 2>/dev/null |
	awk '/PERF_RECORD_SWITCH/ {
		match($0, /[0-9]+ +[0-9]+\.[0-9]+:/)
		split(substr($0, RSTART, RLENGTH), words, /[ :]+/)
		tid = words[1]
		time = words[2]
		sub(/\./, "", time)
		if (/ OUT/) {
			out[tid] = time
			why[tid] = / preempt/ ? "preempted" : "waited"
		} else if (out[tid]) {
			print tid, time - out[tid], why[tid]
			out[tid] = 0
		}
	}' | LC_ALL=C sort >"$work/expected"
[[ $(wc -l <"$work/expected") -gt 100 ]] || fail "there are no context switches"
for format in chrome firefox; do
	marks "$format" "$files/local61-switch-events"
	awk '$1 == "mark" && /context switch/ { print $2, $4 - $3, $NF }' "$work/$format" | LC_ALL=C sort >"$work/found"
	diff "$work/expected" "$work/found" >"$work/diff" || fail "$format: $(head -4 "$work/diff")"
done
# The same in both, also tasks and maps
grep '^mark' "$work/chrome" | cut -d' ' -f2- | LC_ALL=C sort >"$work/expected"
grep '^mark' "$work/firefox" | cut -d' ' -f2- | LC_ALL=C sort >"$work/found"
diff "$work/expected" "$work/found" >"$work/diff" || fail "other marks: $(head -4 "$work/diff")"
for mark in 'exec mt$' 'mmap /.*/libc\.so' 'fork thread [0-9]+$' 'name worker-0$' 'exit '; do
	grep -Eq "$mark" "$work/chrome" || fail "no mark '$mark'"
done
# A filter of samples would leave out none of these.
marks chrome "$files/local61-switch-events" --tid 1
[[ ! -s $work/chrome ]] || fail "--tid: there are marks"

# Tracepoints
marks firefox "$files/local-s390x61-pipe-tp"
"$XPERF" export -f jsonl --force --symfs /nonexistent -i "$files/local-s390x61-pipe-tp" 2>/dev/null |
	sed -nE 's/.*"event":"([a-z]*:[a-z_]*)".*/\1/p' | LC_ALL=C sort | uniq -c >"$work/expected"
grep -Eo ' [a-z]*:[a-z_]* $' "$work/firefox" | tr -d ' ' | LC_ALL=C sort | uniq -c >"$work/found"
[[ -s $work/expected ]] && diff "$work/expected" "$work/found" || fail "tracepoints"

# Counts: what `stat report` says of each interval
printf '%s\n' "machine cpus=2" "pmu general=4" "program one" \
	"run 450ms sys=20 cycles=3_000_000 instructions=4_200_000 page-faults=2" >"$work/one.sim"
XPERF_SIM=$work/one.sim "$XPERFSIM" stat record -I 100 -e cycles,page-faults,task-clock -o "$work/intervals" one >/dev/null 2>&1
XPERF_SIM=$work/one.sim "$XPERFSIM" stat record -e cycles,page-faults -o "$work/whole" one >/dev/null 2>&1
for recording in intervals whole; do
	"$XPERF" stat report -i "$work/$recording" -x, 2>&1 | grep -v '^#' |
		awk -F, -v whole="$recording" '{ if (whole != "whole") print $4, $2; else print $3, $1 }' |
		sed '/^task-clock/d' | LC_ALL=C sort >"$work/expected"
	[[ -s $work/expected ]] || fail "$recording: nothing was counted"
	for format in chrome firefox; do
		marks "$format" "$work/$recording"
		awk '$1 == "count" && $4 != "task-clock" { print $4, $5 }' "$work/$format" | LC_ALL=C sort >"$work/found"
		diff "$work/expected" "$work/found" || fail "$recording, $format: other counts"
	done
done
marks chrome "$work/intervals"
awk '$1 == "count" && $4 == "cycles" { if ($2 != to) exit 1; to = $3 } END { exit to < 400000000 }' \
	<(LC_ALL=C sort -k2n "$work/chrome") || fail "intervals do not follow each other: $(head -3 "$work/chrome")"
exit $failed
