#!/bin/bash
# SPDX-License-Identifier: MIT
# `xperf script -s` runs scripts that were written for perf's Python interface; scripts by name are
# answered with what replaces them.
set -u
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
data=$SOURCE_DIR/tests/data/perfdata/files/local61-g-fp

fail()
{
	echo "FAIL: $*"
	failed=1
}

[[ $("$XPERF" script report flamegraph 2>&1) == "Error: 'script report flamegraph' runs a script that comes with perf: use 'xperf flamegraph'" ]] ||
	fail "script report flamegraph: $("$XPERF" script report flamegraph 2>&1)"
"$XPERF" script record nonsense 2>/dev/null; [[ $? == 129 ]] || fail 'script record nonsense'
"$XPERF" script -l | grep -q "^  stackcollapse  .* 'xperf export -f folded'\$" || fail 'script -l'
"$XPERF" script -s x.pl 2>&1 | grep -q 'only scripts in Python' || fail 'script -s x.pl'
"$XPERF" script -s "$dir/nonexistent.py" 2>&1 | grep -q '^Error: --script: .*nonexistent.py. cannot be run: No such file' || fail 'script -s nonexistent'
command -v python3 >/dev/null || { echo 'python3 is not installed: no script is run'; exit $failed; }

cat >"$dir/all.py" <<'END'
import sys
from perf_trace_context import *
from Core import *
from Util import *

count = autodict()
count["n"] = 0

def trace_begin():
    print("begin", sys.argv[1:])

def process_event(param_dict):
    count["n"] += 1
    sample = param_dict["sample"]
    if count["n"] == 1:
        print(param_dict["ev_name"], param_dict["comm"], sample["pid"], sample["time"], sample["period"],
              param_dict["symbol"], param_dict["dso"], param_dict["callchain"][0]["sym"]["name"], common_pc(None))

def trace_end():
    print("end", count["n"])
    sys.exit(7)
END
"$XPERF" script -f -i "$data" -s "$dir/all.py" a -- -b >"$dir/out" 2>"$dir/err"
[[ $? == 7 ]] || fail "the exit status is not that of the script: $(head -3 "$dir/err")"
first=$("$XPERF" script -f -i "$data" --json | sed -n 2p)
number=$("$XPERF" script -f -i "$data" --json | grep -c '"event":')
[[ $(sed -n 1p "$dir/out") == "begin ['a', '-b']" ]] || fail "arguments: $(head -1 "$dir/out")"
[[ $(sed -n 2p "$dir/out") == 'cpu-clock deep 6401 2442696307620 1003009 do_lookup_x /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 do_lookup_x 0' || $first != *do_lookup_x* ]] ||
	fail "process_event: $(sed -n 2p "$dir/out")"
[[ $(sed -n 3p "$dir/out") == "end $number" ]] || fail "trace_end: $(sed -n 3p "$dir/out"), not $number"

# A script that ends early is none that fails, and one with a mistake is.
printf 'import sys\nsys.exit(0)\n' >"$dir/early.py"
"$XPERF" script -f -i "$data" -s "$dir/early.py" >"$dir/out" 2>&1 || fail "a script that ends early: $(cat "$dir/out")"
[[ ! -s $dir/out ]] || fail "a script that ends early: $(cat "$dir/out")"
printf 'def process_event(e):\n    nonsense()\n' >"$dir/wrong.py"
"$XPERF" script -f -i "$data" -s "$dir/wrong.py" >/dev/null 2>"$dir/err" && fail 'a script with a mistake succeeds'
grep -q '^NameError: ' "$dir/err" || fail "a script with a mistake: $(cat "$dir/err")"

# Scripts that come with perf, by name: those that nothing here replaces, and all for who calls perf.
mkdir -p "$dir/perf/scripts/python" "$dir/as"
ln -s "$XPERF" "$dir/as/perf"
for script in flamegraph own; do
	printf 'import sys\nprint("arguments", sys.argv[1:])\n' >"$dir/perf/scripts/python/$script.py"
done
export PERF_EXEC_PATH=$dir/perf
[[ $("$XPERF" script -f -i "$data" report own --json -x) == "arguments ['--json', '-x']" ]] || fail 'script report own'
[[ $("$dir/as/perf" script -f -i "$data" report flamegraph a) == "arguments ['a']" ]] || fail 'perf script report flamegraph'
"$XPERF" script report flamegraph 2>&1 | grep -q 'xperf flamegraph' || fail 'script report flamegraph is not replaced'
for name in nosuch ../python/own; do
	"$XPERF" script report "$name" 2>"$dir/err"
	[[ $? == 129 ]] && grep -q "use 'xperf script -s FILE'" "$dir/err" || fail "script report $name"
done

# Tracepoints: a function of the event, and one for the rest.
cat >"$dir/trace.py" <<'END'
def sched__sched_process_exec(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
                              common_comm, common_callchain, filename, pid, old_pid, perf_sample_dict):
    print(event_name, common_comm, filename, pid == common_pid, perf_sample_dict["ev_name"])

def trace_unhandled(event_name, context, event_fields_dict):
    print(event_name, event_fields_dict["common_comm"])
END
if "$XPERF" record -q -e sched:sched_process_exec,sched:sched_process_exit -o "$dir/data" true 2>/dev/null; then
	shown=$("$XPERF" script -i "$dir/data" -s "$dir/trace.py" 2>&1)
	grep -Eq '^sched__sched_process_exec true /.*true True sched:sched_process_exec$' <<<"$shown" &&
		grep -q '^sched__sched_process_exit true$' <<<"$shown" || fail "tracepoints: $shown"
	# A task whose name is a number: its name is a text, its number is one.
	printf 'def sched__sched_process_exit(e, c, cpu, s, ns, p, common_comm, chain, comm, pid):\n    print(repr(comm), pid > 0)\n' \
		>"$dir/number.py"
	cp "$(type -P true)" "$dir/12"
	"$XPERF" record -q -e sched:sched_process_exit -o "$dir/data" "$dir/12" 2>/dev/null
	shown=$("$XPERF" script -i "$dir/data" -s "$dir/number.py" 2>&1)
	[[ $shown == "'12' True" ]] || fail "a task with a number for its name: $shown"
else
	echo 'tracepoints cannot be recorded here: their functions are not tried'
fi

# Scripts that come with perf, where it is installed.
for script in /usr/lib/perf-core/scripts/python/stackcollapse.py /usr/libexec/perf-core/scripts/python/stackcollapse.py; do
	[[ -e $script ]] || continue
	"$XPERF" script -f -i "$data" -s "$script" >"$dir/out" 2>"$dir/err" || fail "$script: $(tail -3 "$dir/err")"
	[[ $(awk '{ sum += $NF } END { print sum }' "$dir/out") == "$number" ]] || fail "$script: $(head -3 "$dir/out")"
	"$XPERF" script -f -i "$data" -s "${script%/*}/flamegraph.py" -- -f json -o "$dir/json" >/dev/null 2>"$dir/err" &&
		grep -q '"n": "deep (6401)"' "$dir/json" || fail "${script%/*}/flamegraph.py: $(tail -3 "$dir/err")"
done
exit $failed
