#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf stat --json=v1` is one document, as data/stat-v1.schema.json describes it, whatever is counted and
# however it ends; its numbers are those of the other formats.
set -uo pipefail
# shellcheck source=tests/unit/sim.sh
. "${SOURCE_DIR:?}/tests/unit/sim.sh"
: "${XPERF:?}"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
schema=$SOURCE_DIR/data/stat-v1.schema.json
checker=$SOURCE_DIR/tests/golden/stat_document.py
doc=$scratch/doc

mkdir "$scratch/docs"

# valid WHAT: the document that was written is one; looked at in the end, as python takes its time to start
valid()
{
	local copy="$scratch/docs/${1//\//:}"

	[[ ! -e $copy ]] || complain "$1: is there twice"
	cp "$doc" "$copy" || complain "$1: no document"
}

# document SCENARIO ARGUMENTS...: writes one
document()
{
	local scenario=$1

	shift
	rm -f "$doc"
	sim "$scenario" stat --json=v1 -o "$doc" "$@"
	valid "$scenario: stat $*"
}

# holds WHAT EXPRESSION: is true of the last document, d
holds()
{
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
def of(table, event, **where):
    found = [c for c in table["counts"] if c["event"] == event and where.items() <= c.items()]
    assert len(found) == 1, (event, where, found)
    return found[0]
def metric(table, name, **where):
    found = [m for m in table["metrics"] if m["name"] == name and where.items() <= m.items()]
    assert len(found) == 1, (name, where, found)
    return found[0]
sys.exit(not eval(sys.argv[2]))' "$doc" "$2" || complain "$1: not so: $2"
}

# A schema by which everything is right would prove nothing.
document one-task -e cycles one
python3 - "$SOURCE_DIR/tests/golden" "$schema" "$doc" <<'END' || complain "wrong documents are accepted"
import copy, json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import stat_document as s
schema, right = (json.load(open(path)) for path in sys.argv[2:])
def without(d): del d["runs"][0]["wall_ns"]
def text(d): d["runs"][0]["counts"][0]["value"] = "1"
def truth(d): d["runs"][0]["counts"][0]["raw"] = True
def more(d): d["summary"]["counts"][0]["mean"] = 1
def state(d): d["runs"][0]["counts"][0]["status"] = "<not counted>"
def null(d): d["runs"][0]["counts"][0]["value"] = None
def place(d): d["runs"][0]["counts"][0]["cpu"] = 0
def version(d): d["schema"] = "xperf-stat-2"
assert not s.faults(schema, right)
for change in without, text, truth, more, state, null, place, version:
    wrong = copy.deepcopy(right)
    change(wrong)
    assert s.faults(schema, wrong), change.__name__
for wrong in b'{"a": NaN}', b'{"a": 1, "a": 2}', b'"\xff"', b'{} {}', b'[1,]':
    try:
        s.parse(wrong)
        sys.exit("%r is accepted" % wrong)
    except ValueError:
        pass
END

# --- what is in it ---

events=task-clock,cycles,instructions,page-faults
document one-task -r 3 -e $events,bus-cycles,branches,cache-misses,cache-references,ref-cycles one
holds "three runs" 'len(d["runs"]) == 3 == d["summary"]["runs"] and d["aggregation"] == "none"'
holds "raw counts" 'all(of(r, "page-faults")["raw"] == of(r, "page-faults")["value"] == 3007 for r in d["runs"])'
holds "units" 'of(d["runs"][0], "task-clock")["value"] * 1e6 == of(d["runs"][0], "task-clock")["raw"]'
holds "scaling" 'any(c["running_ns"] < c["enabled_ns"] and c["raw"] < c["value"] for c in d["runs"][0]["counts"])'
holds "means" 'of(d["summary"], "page-faults") == dict(of(d["summary"], "page-faults"), value=3007, stderr=0, min=3007, max=3007, runs=3)'
holds "exits" '[r["exit"] for r in d["runs"]] == [{"status": 0, "signal": None}] * 3'
holds "usage" 'all(r["usage"]["user_ns"] > 0 and r["usage"]["max_rss_bytes"] is None for r in d["runs"])'
holds "command" 'd["target"]["command"] == ["one"] and d["arguments"][:2] == ["stat", "--json=v1"]'
holds "metrics" 'metric(d["summary"], "insn per cycle")["value"] == of(d["summary"], "instructions")["value"] / of(d["summary"], "cycles")["value"]'
holds "rates" 'metric(d["summary"], "rate", event="page-faults")["unit"] == "/sec" and metric(d["summary"], "rate", event="page-faults")["value"] > 1000'

document one-task -I 100 -e $events one
holds "intervals" 'len(d["runs"][0]["intervals"]) > 9 and d["summary"]["runs"] == 1'
holds "intervals add up" 'all(sum(of(i, e)["raw"] for i in d["runs"][0]["intervals"]) == of(d["runs"][0], e)["raw"] for e in ("cycles", "page-faults"))'
holds "lengths add up" 'sum(i["length_ns"] for i in d["runs"][0]["intervals"]) == d["runs"][0]["intervals"][-1]["end_ns"] == d["runs"][0]["wall_ns"]'
document one-task -I 300 -r 2 -e $events one
holds "intervals of each run" '[len(r["intervals"]) for r in d["runs"]] == [4, 4]'

document no-pmu one
holds "no PMU" 'of(d["runs"][0], "cycles:u")["status"] == "not supported" and "no PMU" in of(d["runs"][0], "cycles:u")["reason"]'
holds "no PMU" 'not d["events"][-1]["supported"] and d["runs"][0]["exit"]["status"] == 7'
[[ $status == 7 ]] || complain "the exit status is $status, not the command's"

# --- every way to divide counts, alone and with what changes the table ---

places=("" -A --per-core --per-die --per-socket --per-node --per-cluster)
for place in "${places[@]}"; do
	for more in "" "-I 200" "-M insn_per_cycle" "-M insn_per_cycle --metric-only" "--no-scale" \
		"--hide-zero-events" "-e page-faults,duration_time,num_cpus" "-e {cycles,instructions}:u --summary -I 100"; do
		# shellcheck disable=SC2086
		document eight-cpus -a $place $more
	done
done
document eight-cpus -a -r 2 --per-socket -e cycles brief
holds "sockets" '[(c["socket"], c["cpus"]) for c in d["runs"][1]["counts"]] == [(0, 4), (1, 4)]'
document eight-cpus -C 1,6 -A -e cycles brief
holds "CPUs" '[c["cpu"] for c in d["summary"]["counts"]] == [1, 6] and d["target"]["cpus"] == "1,6"'
for threads in "-p 2000" "-t 2000,3000" "-a"; do
	for more in "" "-I 200" "--metric-only" "-M insn_per_cycle"; do
		# shellcheck disable=SC2086
		document eight-cpus $threads --per-thread -e cycles,instructions $more
	done
done
document eight-cpus -p 2000 --per-thread -e cycles
holds "threads" 'len(d["summary"]["counts"]) == 4 and {c["comm"] for c in d["summary"]["counts"]} == {"server"} and d["signal"] == 2'
for cgroups in "-G site,site/workers" "--for-each-cgroup site,site/workers" "--for-each-cgroup site --per-socket" "-G site -I 100"; do
	# shellcheck disable=SC2086
	document cgroups -a -e cycles,cycles $cgroups
done
document cgroups -a -e cycles,page-faults --for-each-cgroup site,idle
holds "cgroups" 'of(d["summary"], "cycles", cgroup="site")["value"] > 0 and of(d["summary"], "cycles", cgroup="idle")["value"] is None'
document topdown -a --topdown bound
document two-kinds -e cycles,instructions big
document partial-pmu -a -A -e cycles,task-clock
document one-task -n one
holds "no events" 'd["events"] == d["runs"][0]["counts"] == [] and d["summary"]["wall_ns"]["mean"] > 0'
document one-task --metric-only -e cycles,instructions one
holds "metrics alone" 'd["summary"]["counts"] == [] and metric(d["summary"], "insn per cycle")["value"] > 0'
document eight-cpus -M insn_per_cycle -a
holds "thresholds" 'metric(d["summary"], "insn_per_cycle")["state"] in ("good", "bad") and "insn_per_cycle" in metric(d["summary"], "insn_per_cycle")["threshold"]'

# --- how it ends ---

# A ^C at any moment after signals are caught; each run and interval that was begun is there.
cp -r "$scenarios" "$scratch/scenarios"
scenarios=$scratch/scenarios
for ((ms = 1; ms <= 60; ms += 3)); do
	printf '%s\n' "time call=1ms" "at ${ms}ms signal INT all" "program one" "run 7ms page-faults=1" "exit 0" \
		>"$scenarios/now.sim"
	sim now stat --json=v1 -r 0 -I 3 -e task-clock -o "$doc" one
	grep -q "ended the program" "$scratch/err" && continue
	valid "a ^C after $ms ms"
	holds "a ^C after $ms ms" 'd["signal"] == 2 and d["error"] is None'
done
sim one-task stat --json=v1 -e cycles -o "$doc" nosuch
valid "a command that is not there"
holds "a command that is not there" 'd["runs"] == [] and d["summary"] is None and "nosuch" in d["error"]'
"$XPERF" stat --json=v1 -r 3 -e page-faults -o "$doc" --pre "test ! -e '$scratch/once'" touch "$scratch/once" 2>"$scratch/err"
valid "a second run that fails"
holds "a second run that fails" 'len(d["runs"]) == 1 and "--pre" in d["error"]'
"$XPERF" stat --json=v1 -o /dev/full true 2>"$scratch/err" && complain "a full disk goes unnoticed"
grep -q '^Error: The counts could not be written' "$scratch/err" || complain "no reason for a full disk"

# --- names ---

dir=$scratch/$'a "\\\x1b[2J\xff'
mkdir "$dir"
printf '#!/bin/sh\nexit 3\n' >"$dir/x"
chmod +x "$dir/x"
LANG=$'\xfe"' "$XPERF" stat --json=v1 -e page-faults/name=$'b\xc3\xb6'/ -o "$doc" "$dir/x" $'\xe9' 2>"$scratch/err"
valid "names that are no texts"
holds "names that are no texts" 'd["target"]["command"][0].endswith("/x") and d["target"]["command"][1] == "\ufffd" and d["environment"]["LANG"] == "\ufffd\""'

# --- recordings ---

for options in "" "-I 50" "-a --per-core"; do
	# shellcheck disable=SC2086
	"$XPERF" stat record --json=v1 -o "$scratch/recorded" -e page-faults,task-clock $options sleep 0.12 2>"$doc"
	valid "stat record $options"
	cp "$doc" "$scratch/recorded.json"
	rm "$doc"
	"$XPERF" stat report -i "$scratch/recorded" --json=v1 -o "$doc" 2>"$scratch/err" || complain "stat report fails"
	valid "stat report $options"
	python3 - "$scratch/recorded.json" "$doc" <<'END' || complain "stat record $options: not what stat report gives"
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
for table in "counts", "metrics":
    assert a["summary"][table] == b["summary"][table], (table, a["summary"], b["summary"])
    assert a["runs"][0][table] == b["runs"][0][table]
    assert [i[table] for i in a["runs"][0]["intervals"]] == [i[table] for i in b["runs"][0]["intervals"]]
for name in "name", "kernel", "machine", "cpu", "cpus_online":
    assert a["host"][name] == b["host"][name], name
assert a["arguments"] == b["arguments"] and b["recorder"].startswith("xperf ") and b["target"] is None
END
done
for place in --per-core --per-socket --per-die --per-node -A --per-thread; do
	"$XPERF" stat report -i "$scratch/recorded" --json=v1 $place -o "$doc" 2>"$scratch/err"
	valid "stat report $place"
done
: >"$scratch/recorded"
"$XPERF" stat report -i "$scratch/recorded" --json=v1 -o "$doc" 2>"$scratch/err" && complain "an empty recording is read"

# --- what is refused ---

# refused OPTIONS...: before anything runs, with a sentence
refused()
{
	"$XPERF" stat "$@" touch "$scratch/ran" >"$scratch/out" 2>"$scratch/err"
	status=$?
	if [[ $status != 129 || -e $scratch/ran ]] || ! grep -q '^Error: .*v1$\|^Error: .*v1' "$scratch/err"; then
		complain "stat $*: status $status, not refused"
	fi
}

refused --json=v2
refused --json=
refused --json=v1 -x,
refused --json=v1 -j
refused --json=v1 -o "$scratch/file" --append
"$XPERF" stat --json -e page-faults true 2>"$scratch/err" >"$scratch/out" || complain "--json is no longer -j"
grep -q '^{"counter-value" : ' "$scratch/err" || complain "--json does not print lines"

python3 "$checker" "$schema" "$scratch"/docs/* >"$scratch/faults" || { cat "$scratch/faults"; failed=1; }
exit $failed
