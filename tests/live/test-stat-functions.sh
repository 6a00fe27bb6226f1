#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stat --functions: each call is counted once, in threads, children, recursion and loaded libraries,
# and however it ends; of those that return, each has a time; others that run the same program do
# not count. Formats have the same numbers, and nothing stays in the kernel.
set -uo pipefail
# shellcheck source=tests/live/bpf.sh
. "${SOURCE_DIR:?}/tests/live/bpf.sh"
own_folder
need_bpf
[[ $(uname -m) == x86_64 ]] || skip "ends of calls are found in code of x86-64 only"
"${CXX:-c++}" -O2 -pthread -o functions "$SOURCE_DIR/tests/live/functions-work.cc" -ldl 2>errors ||
	skip "no C++ program can be made: $(head -n 1 errors)"
echo 'int in_library(int x) { return x + 1; }' >library.c
"${CC:-cc}" -O1 -shared -fPIC -o library.so library.c 2>errors || skip "no library can be made: $(head -n 1 errors)"
"$XPERF" stat --functions leaf -o /dev/null ./functions ./library.so </dev/null 2>errors ||
	skip "functions cannot be counted here: $(head -n 1 errors)"
"$XPERF" version --build-options | grep 'libcapstone: \[ on' >/dev/null || skip "built without capstone, which finds the ends of calls"
# Of one run: calls, and those that return. leaf: 4 x 500 in threads, 200 in recursive, 50 in
# catches, 30 in passes_on, and ten children with 10 and 4 x 500.
cat >expected <<'END'
catches 100 100
in_library 100 100
in_thread 44 44
jumps 100 50
leaf 22380 22380
passes_on 30 0
recursive 201 201
throws 100 50
END
names=catches,in_thread,jumps,leaf,passes_on,recursive,throws,./library.so:in_library
files=./functions:${names//,/,.\/functions:}
files=${files/.\/functions:.\/library/.\/library}

# same FILE [TIMES]: the lines of -x are those expected, so many times
same()
{
	# Demangled names of static functions have parameters.
	awk -F, '!/^(#|$)/ { sub(/\(.*/, "", $9); print $9, $1, $2 }' "$1" | sort >counted
	awk -v times="${2:-1}" '{ print $1, $2 * times, $3 * times }' expected | diff - counted
}

# --- a command; meanwhile, others run the same program ---
for _ in 1 2 3; do ./functions ./library.so </dev/null; done &
"$XPERF" stat -x, -o command --functions "$names" ./functions ./library.so </dev/null || fail "status $?"
same command || fail "a command"
wait

# --- what a command starts; two at once ---
"$XPERF" stat -x, -o one --functions "$files" sh -c './functions ./library.so; ./functions ./library.so' </dev/null &
"$XPERF" stat -x, -o other -e page-faults --functions "$files" sh -c './functions ./library.so; :' </dev/null || fail "status $?"
wait $! || fail "status $?"
same one 2 || fail "two runs"
same other || fail "two at once"
"$XPERF" stat -i -x, -o alone --functions ./functions:leaf sh -c './functions ./library.so; :' </dev/null || fail "status $?"
grep -q '^0,0,' alone || fail "-i: $(<alone)"

# --- a process that runs already: the command begins when the probes are there ---
mkfifo go
exec {go}<>go
./functions ./library.so <go {go}>&- &
task=$!
started+=("$task")
# shellcheck disable=SC2016
"$XPERF" stat -x, -o process --functions "$files" -p "$task" \
	sh -c 'echo >go; while kill -0 "$1" 2>/dev/null; do sleep 0.1; done' - "$task" {go}>&- || fail "status $?"
wait "$task"
same process || fail "-p"
exec {go}>&-

# --- formats: the same numbers ---
"$XPERF" stat -o text --functions leaf,recursive,passes_on ./functions ./library.so </dev/null || fail "status $?"
awk '$NF ~ /^(leaf|recursive)$/ { gsub(",", "", $1); print $NF, $1 }' text | sort >counted
printf '%s\n' 'leaf 22380' 'recursive 201' | diff - counted || fail "text"
grep -q 'passes_on .*jump to another function' text || fail "no reason is given for missing times"
if command -v python3 >/dev/null; then
	"$XPERF" stat -j -o lines -e page-faults --functions "$names" ./functions ./library.so </dev/null || fail "status $?"
	"$XPERF" stat --json=v1 -o document --functions "$names" ./functions ./library.so </dev/null || fail "status $?"
	python3 - <<'END' || fail "JSON"
import json
expected = {f[0]: (int(f[1]), int(f[2])) for f in map(str.split, open("expected"))}
lines = [json.loads(line) for line in open("lines")]
document = json.load(open("document"))
assert document["schema"] == "xperf-functions-1", document
for functions in lines, document["functions"]:
    assert {f["function"].split("(")[0]: (f["calls"], f["timed"]) for f in functions} == expected, functions
    for f in functions:
        assert sum(power["calls"] for power in f["histogram"]) == f["timed"], f
        if not f["timed"]:
            assert f["total_ns"] is None and f["reason"], f
            continue
        assert f["p50_ns"] <= f["p90_ns"] <= f["p99_ns"] <= f["p99.9_ns"] <= f["max_ns"] <= f["total_ns"], f
        assert f["histogram"][0]["from_ns"] <= f["mean_ns"] <= f["max_ns"], f
for f in lines:
    assert f["events"][0]["calls"] <= f["timed"], f
END
fi

# --- refused ---
refused()
{
	"$XPERF" stat --functions "$@" ./functions ./library.so </dev/null 2>errors && fail "not refused: $*"
	(($(grep -c '^Error: ' errors) == 1)) || fail "$*: $(<errors)"
}
refused 'no_such_*'
refused ./nothing:f
refused 'kernel:no_such_*'
# The kernel's functions are asked for by "kernel:" alone, not by a program of that name.
cp functions kernel
env -u PATH "$XPERF" stat -x, -o named --functions leaf kernel ./library.so </dev/null 2>errors
status=$?
[[ $status == 127 && $(grep -c '^Error: ' errors) == 1 ]] || fail "a program that is called kernel: $(<errors)"
"$XPERF" stat -x, -o named --functions leaf ./kernel ./library.so </dev/null || fail "status $?"
grep -q '^22380,22380,.*,leaf' named || fail "a program that is called kernel: $(<named)"
refused leaf -r 2
refused leaf -I 100
refused leaf -G /

# --- nothing stays ---
programs_of()
{
	sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$1/fdinfo/"* 2>/dev/null | sort -u
}
# gone IDS...: within two minutes; the kernel frees programs late
gone()
{
	for _ in {1..1200}; do
		[[ $(./work alive "$@") ]] || return 0
		sleep 0.1
	done
	return 1
}
mkfifo ready
# shellcheck disable=SC2016
"$XPERF" stat -o ended --functions ./functions:leaf sh -c 'echo >"$1"; exec sleep 100000' - ready &
counter=$!
started+=("$counter")
read -r _ <ready
sleeper=$(pgrep -P "$counter" -x sleep || pgrep -P "$counter")
[[ ! $sleeper ]] || started+=("$sleeper")
mapfile -t ids < <(programs_of "$counter")
((${#ids[@]})) || fail "no BPF program of xperf is found in /proc"
kill -KILL "$counter"
wait "$counter" 2>/dev/null
[[ ! $sleeper ]] || kill -9 "$sleeper" 2>/dev/null
gone "${ids[@]}" || fail "after SIGKILL programs stay: $(./work alive "${ids[@]}")"
exit $failed
