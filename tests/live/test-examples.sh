#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples that have no test of their own: they run without arguments, and tell what is wrong.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"

"${XPERF:?}" stat -e page-faults:u true >/dev/null 2>&1 ||
	skip "the kernel does not let this process count"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# shows EXAMPLE PATTERN ARGUMENT...: prints a line that matches
shows()
{
	local name=$1 pattern=$2 output

	shift 2
	output=$("$BUILD_DIR/examples/example-$name" "$@" 2>&1) ||
		{ echo "$name: exit status $?"; failed=1; }
	grep -qE "$pattern" <<<"$output" || { echo "$name: no line like $pattern in:"; echo "$output"; failed=1; }
}

# tells EXAMPLE ARGUMENT...: fails, with a reason
tells()
{
	local name=$1 message

	shift
	message=$("$BUILD_DIR/examples/example-$name" "$@" 2>&1) && { echo "$name $*: no failure"; failed=1; }
	[[ $message == "$name: "* && $message != *ERROR* ]] || { echo "$name $*: $message"; failed=1; }
}

shows count_group '^ +[1-9][0-9]*  page-faults(:u)?, counted for 100\.0 % of its time$'
shows count_group '^ +[1-9][0-9]*  task-clock(:u)?, counted' "$XPERF" version
tells count_group /nonexistent/command

shows count_function '^[1-9][0-9]* task-clock:u$' task-clock:u
shows count_function '^[1-9][0-9]* task-clock:u$' page-faults:u,task-clock:u
tells count_function no-such-event
tells count_function duration_time
"$XPERF" stat -e cycles:u true 2>&1 | grep "not supported" >/dev/null && tells count_function cycles:u

shows attach_pid "^ +[0-9]+ +[1-9][0-9]*  task-clock:u$"
tells attach_pid no-number

if "$XPERF" stat -a -e context-switches true >/dev/null 2>&1; then
	shows system_wide '^ +[1-9][0-9]*  cpu-clock on [0-9]+ CPUs$'
	shows system_wide '^ +[0-9]+  page-faults on' 0.01 page-faults
fi
tells system_wide 0.1 no-such-event

if "$XPERF" stat -a -e context-switches true >/dev/null 2>&1; then
	shows exporter_hotplug '^xperf_cpu_online\{cpu="0"\} 1$' 2 0.01
	shows exporter_hotplug '^xperf_cpu_clock_total\{cpu="0"\} [1-9][0-9]*$' 2 0.01 cpu-clock
	"$XPERF" test -w leafloop 600 &
	loop=$!
	trap 'kill $loop 2>/dev/null || :; rm -rf "$work"' EXIT
	if "$XPERF" check -q feature libelf; then
		# On a crowded machine the loop need not run within a second.
		for _ in {1..30}; do
			"$BUILD_DIR/examples/example-folded_all_cpus" 1 >"$work/folded" 2>&1 || break
			! grep -q ';leaf ' "$work/folded" || break
		done
		grep -qE '^xperf;.*;parent;leaf [1-9][0-9]*$' "$work/folded" ||
			{ echo "folded_all_cpus: no line of the loop in:"; cat "$work/folded"; failed=1; }
	fi
	kill $loop 2>/dev/null || true
	wait $loop 2>/dev/null || true
fi
tells exporter_hotplug 1 0 no-such-event
tells folded_all_cpus 0.1 no-such-event

"$XPERF" record -q -g -e task-clock:u -o "$work/perf.data" "$XPERF" test -w leafloop 0.3
if "$XPERF" check -q feature libelf; then
	shows symbolize '^ +[0-9.]+ %  xperf  leaf$' "$work/perf.data"
	shows symbolize '^ +called from parent$' "$work/perf.data"
	shows profile_self '^ +[0-9.]+ %  add_up$'
	shows profile_self '^ +called from work_hard$'
	shows profile_self '^[1-9][0-9]* samples of cpu-clock:u$' task-clock:u,cpu-clock:u
fi
"$XPERF" record -q -e task-clock:u -o - "$XPERF" test -w leafloop 0.3 >"$work/stream"
if "$XPERF" check -q feature libelf; then
	for file in "$work/perf.data" "$work/stream"; do
		shows top_functions_stream '^ +[0-9.]+ %  leaf$' < <(cat "$file")
		shows top_functions_stream '^ +[0-9.]+ %  leaf$' "$file"
	done
fi
tells top_functions_stream "$work/nowhere"
tells symbolize "$work/nowhere"
tells profile_self no-such-event

# Three times two regions in each of five threads, and the one around them.
shows regions '^5 threads did their work$' 5
XPERF_REGIONS=$work/%p.json XPERF_EVENTS=page-faults:u shows regions '^5 threads' 5
python3 - "$work"/*.json <<'END' || failed=1
import json, sys
with open(sys.argv[1]) as file:
    summary = json.load(file)
calls = {tuple(r["path"]): r["calls"] for r in summary["regions"]}
assert calls == {("work",): 5, ("work", "allocate"): 15, ("work", "fill"): 15}, calls
assert len(summary["threads"]) == 5 and summary["misused"] == 0
for region in summary["regions"]:
    assert region["counts"][0]["event"] == "page-faults:u"
faults = {tuple(r["path"]): r["counts"][0]["value"] for r in summary["regions"]}
assert faults[("work",)] >= faults[("work", "allocate")] + faults[("work", "fill")] >= 15, faults
END
XPERF_REGIONS=$work/x XPERF_EVENTS=no-such-event shows regions "^XPERF_EVENTS: there is no event 'no-such-event'"
[[ ! -e $work/x ]] || { echo "a summary without regions"; failed=1; }
exit $failed
