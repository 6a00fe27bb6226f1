#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf list` by words and patterns, and what is said where nothing matches.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset PERF_PAGER PAGER

# expect STATUS REGEX ARGS...: of xperf list; a line on stdout or stderr
expect()
{
	local status=$1 regex=$2 output got
	shift 2
	output=$("$XPERF" list "$@" 2>&1)
	got=$?
	if ((got != status)) || ! grep -Eq -- "$regex" <<<"$output"; then
		echo "FAIL: list $*: status $got, wanted $status and '$regex', got: $(head -n 5 <<<"$output")"
		failed=1
	fi
}

expect 0 '^  page-faults OR faults +\[Software event\]' sw
expect 0 '^  duration_time  +\[Tool event\]$' sw
expect 0 '^  num_cpus_online  +\[Tool event\]' tool
expect 0 '^  page-faults OR faults +\[Software event\]' PAGE-F
expect 0 '^  page-faults OR faults +\[Software event\]' 'page-f*'
expect 0 '^  page-faults OR faults +\[Software event\]' faults
expect 0 '^  mem:<addr>\[/len\]\[:access\] +\[Hardware breakpoint\]'
expect 0 "^No event matches 'cylces'; did you mean 'cycles'\?$" cylces
expect 0 "^No event matches 'qqqqqqqq'\.$" qqqqqqqq
expect 0 '^  CPUs utilized +\[Metric\]' metric
expect 0 '^Metric Groups:$' metricgroup
expect 0 '^There are no metric groups' metricgroups
[[ $("$XPERF" list metricgroup 2>/dev/null) != *utilized* ]] || { echo "FAIL: metrics are listed as groups"; failed=1; }
[[ $("$XPERF" list --json metricgroup 2>/dev/null | tr -d '[:space:]') == '[]' ]] || { echo "FAIL: JSON of no groups"; failed=1; }
# Names in one line have no blanks in them.
expect 0 '^CPUs_utilized ' --raw-dump metrics
[[ $("$XPERF" list --raw-dump metrics) != *clock* ]] || { echo "FAIL: events instead of metrics"; failed=1; }
if "$XPERF" check -q feature libelf; then
	expect 255 'Error: .*is not a regular file' sdt /dev/null
	expect 255 'No such file' sdt "$dir/no-such-file"
	expect 255 'The file .* is missing' sdt
fi
expect 0 "^No PMU 'nosuch' has such events\.$" --unit nosuch
expect 129 "unknown option '--nosuch'" --nosuch
expect 255 'No such file or directory' -o "$dir/no/such" sw

(($("$XPERF" list 'page-f*' 2>/dev/null | wc -l) == 1)) || { echo "FAIL: a pattern is no part"; failed=1; }
"$XPERF" list -o "$dir/out" tool && [[ $(grep -c 'Tool event' "$dir/out") == 14 ]] ||
	{ echo "FAIL: -o"; failed=1; }

# Called as perf, it lists what this machine can count, without remarks, and how raw events are written.
ln -s "$XPERF" "$dir/perf"
"$dir/perf" list hw sw cache >"$dir/out" 2>"$dir/message" && [[ ! -s $dir/message ]] &&
	grep -q 'Software event\]$' "$dir/out" && ! grep -Eq 'not (supported|permitted)' "$dir/out" ||
	{ echo "FAIL: perf list: $(cat "$dir/message" "$dir/out")"; failed=1; }
"$dir/perf" list | grep '^  rNNN  *\[Raw hardware event descriptor\]$' >/dev/null || { echo "FAIL: perf list: no rNNN"; failed=1; }

# Every name that is listed is an event.
for name in $("$XPERF" list --raw-dump hw sw tool cache pmu 2>/dev/null); do
	"$XPERF" stat -e "$name" true 2>&1 | grep -q 'syntax error' &&
		{ echo "FAIL: '$name' is listed but does not parse"; failed=1; }
done

# On a terminal there may be colours and a pager; NO_COLOR and --no-pager are heard.
command -v script >/dev/null || { echo "script(1) is not installed: no terminal is tried"; exit $failed; }
on_terminal()
{
	env TERM=xterm "$@" script -qec "$XPERF list hw sw" /dev/null </dev/null | tr -d '\r'
}
[[ $(on_terminal PERF_PAGER='sed s/^/paged:/' NO_COLOR=1) == 'paged:  branch-instructions OR '* ]] ||
	{ echo "FAIL: no pager on a terminal"; failed=1; }
[[ $(on_terminal PAGER=cat NO_COLOR=1) == "$("$XPERF" list hw sw)" ]] ||
	{ echo "FAIL: NO_COLOR is not heard"; failed=1; }
[[ $(on_terminal PERF_PAGER=/no/such/pager NO_COLOR=1) == "$("$XPERF" list hw sw)" ]] ||
	{ echo "FAIL: without its pager the text is lost"; failed=1; }
exit $failed
