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
expect 0 '^  Branches$' metricgroups
expect 0 '^       \[How well the processor foresees where a program goes\.\]$' metricgroups
[[ $("$XPERF" list metricgroup 2>/dev/null) != *utilized* ]] || { echo "FAIL: metrics are listed as groups"; failed=1; }
"$XPERF" list --json metricgroup | python3 -c '
import json, sys
groups = {g["MetricGroup"]: g["BriefDescription"] for g in json.load(sys.stdin)}
sys.exit("Software" not in groups or "" in groups.values())' || { echo "FAIL: JSON of groups"; failed=1; }
expect 0 '(^| )Software ' --raw-dump metricgroups
# Those of files, with what they are; with -v, what they mean, too.
expect 0 '^  CPUs_utilized +\[Metric\]$' metric
expect 0 '^       \[Processors that were busy, on average\]$' metric
expect 0 '^       \[After a move, the caches of the new processor have to be filled\.' -v metric
expect 0 '^        \(cpu.-clock if #target_cpu else task.-clock\) / \(duration_time \* 1e9\)$' --details metric
expect 0 '^        threshold: kernel_share > 0\.3$' --details metric
"$XPERF" list --json metric | python3 -c '
import json, sys
metrics = {m["MetricName"]: m for m in json.load(sys.stdin)}
share = metrics["kernel_share"]
sys.exit(share["MetricExpr"] != "system_time / (user_time + system_time)" or share["ScaleUnit"] != "100%" or
	share["MetricThreshold"] != "kernel_share > 0.3" or share["MetricGroup"] != "Software" or
	share["Supported"] is not True)' || { echo "FAIL: JSON of metrics"; failed=1; }
# Files of the user add metrics and replace others; those that are wrong are left out.
mkdir -p "$dir/config/xperf/metrics"
printf 'metric: mine\nbrief: My own\nevents: faults\nformula: faults\n' >"$dir/config/xperf/metrics/mine.txt"
printf 'metric: kernel_share\nbrief: Otherwise\nevents: faults\nformula: faults / thing\n' >"$dir/config/xperf/metrics/other.txt"
printf 'metric: broken\nbrief: x\nformula: (1\n' >"$dir/config/xperf/metrics/wrong.txt"
export XDG_CONFIG_HOME=$dir/config
expect 0 '^  mine +\[Metric\]$' metric
expect 0 "^  kernel_share +\[Metric\] not supported: .*other.txt:1: The metric kernel_share uses 'thing', which" metric
expect 0 "^Warning: .*wrong.txt:1: The formula of broken is wrong: '\)' is missing here; the file is left out$" metric
unset XDG_CONFIG_HOME
# Names in one line, for stat -M.
expect 0 '(^| )CPUs_utilized ' --raw-dump metrics
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
"$XPERF" list -o "$dir/out" tool && [[ $(grep -c 'Tool event' "$dir/out") == 15 ]] ||
	{ echo "FAIL: -o"; failed=1; }

# Called as perf, it lists what this machine can count, without remarks, and how raw events are written.
ln -s "$XPERF" "$dir/perf"
"$dir/perf" list hw sw cache >"$dir/out" 2>"$dir/message" && [[ ! -s $dir/message ]] &&
	grep -q 'Software event\]$' "$dir/out" && ! grep -Eq 'not (supported|permitted)' "$dir/out" ||
	{ echo "FAIL: perf list: $(cat "$dir/message" "$dir/out")"; failed=1; }
"$dir/perf" list | grep '^  rNNN  *\[Raw hardware event descriptor\]$' >/dev/null || { echo "FAIL: perf list: no rNNN"; failed=1; }

# Nor does it then list groups of metrics none of which this machine can compute.
mkdir "$dir/metrics"
printf 'metric: %s\nbrief: b\nevents: %s\nformula: %s\ngroups: %s\n\n' one faults faults Can two nosuch nosuch Cannot >"$dir/metrics/some.txt"
[[ $(XPERF_METRICS_DIR=$dir/metrics "$XPERF" list --raw-dump metricgroups) =~ ^(Can Cannot|Cannot Can)\ *$ ]] &&
	[[ $(XPERF_METRICS_DIR=$dir/metrics "$dir/perf" list --raw-dump metricgroups) =~ ^Can\ *$ ]] ||
	{ echo "FAIL: perf list metricgroups: $(XPERF_METRICS_DIR=$dir/metrics "$dir/perf" list --raw-dump metricgroups)"; failed=1; }

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
