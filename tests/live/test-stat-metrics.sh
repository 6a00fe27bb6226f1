#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Metrics of software events on this machine; strict CSV and JSON of every form, in a locale with a
# decimal comma, too.
set -uo pipefail
: "${XPERF:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME=$dir/config
failed=0

"$XPERF" stat -e task-clock true 2>"$dir/err" || { echo "software events cannot be counted"; exit 77; }
"$XPERF" stat -a -e cpu-clock true 2>"$dir/err" && everywhere=1 || everywhere=

fail()
{
	echo "FAIL: $*"
	cat "$dir/out"
	failed=1
}

# A loop of system calls in the kernel. How much of the time it has a CPU is up to the machine: shares are
# those of the counts beside them, rounded.
"$XPERF" stat -x, -o "$dir/out" -M kernel_share,CPUs_utilized,page_faults_per_second,cs_per_second -- \
	dd if=/dev/zero of=/dev/null bs=1M count=2000 2>"$dir/err" || fail "status of -M"
awk -F, '$7 ~ /kernel_share$/ && $6 >= 0 && $6 <= 100 { share = 1 }
	$3 == "duration_time" { wall_ms = $1 / 1e6 }
	$7 ~ /CPUs_utilized$/ { clock_ms = $1; utilized = $6 }
	$7 ~ /page_faults_per_second$/ && $6 > 0 { faults = 1 }
	END {
		off = wall_ms ? utilized - clock_ms / wall_ms : 1
		exit !(share && faults && clock_ms > 0 && utilized != "" && off > -0.06 && off < 0.06)
	}' "$dir/out" || fail "values"

# The size of a command that fills a buffer, in the row, the metric and the document; with the exit of the
# command only.
big=(dd if=/dev/zero of=/dev/null bs=64M count=1 status=none)
"$XPERF" stat -x, -o "$dir/out" -e max_rss -M faults_per_mb "${big[@]}" || fail "status of max_rss"
awk -F, '$3 == "max_rss" && $1 >= 64 * 2 ^ 20 && $1 < 512 * 2 ^ 20 && $2 == "bytes" { size = $1 }
	$3 ~ /^page-faults/ && $7 == "faults/MB  faults_per_mb" { metric = $6; faults = $1 }
	END { off = metric - faults * 1e6 / size; exit !(size && metric > 0 && off > -0.06 && off < 0.06) }' \
	"$dir/out" || fail "the size of a command"
"$XPERF" stat --json=v1 -o "$dir/out" -e max_rss "${big[@]}"
python3 -c 'import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
assert run["counts"][0]["value"] == run["usage"]["max_rss_bytes"]' "$dir/out" || fail "two sizes of one command"
# One that may be smaller than xperf, whose size is never taken for it.
"$XPERF" stat -x, -o "$dir/out" -e max_rss true
if grep -q '^<not counted>,bytes,max_rss,' "$dir/out"; then
	grep -q '^# max_rss: it is known of a command that' "$dir/out" || fail "no reason why a size is not known"
else
	awk -F, '$3 == "max_rss" && $1 > 0 && $1 < 8 * 2 ^ 20 { found = 1 } END { exit !found }' "$dir/out" ||
		fail "the size of a command that needs no memory"
fi
"$XPERF" stat -x, -o "$dir/out" -e max_rss -p $$ "${big[@]}"
grep -q '^<not counted>,bytes,max_rss,' "$dir/out" || fail "the size of a command that is not counted"

# The metric of the counts that are beside it.
"$XPERF" stat -j -o "$dir/out" -M cs_per_second,page_faults_per_second sleep 0.05
python3 - "$dir/out" <<'END' || fail "metrics are not those of the counts"
import json, sys
rows = {}
for line in open(sys.argv[1]):
    row = json.loads(line)
    rows[row["event"].split(":")[0]] = row
clock = float(rows["task-clock"]["counter-value"]) / 1e3
faults = float(rows["page-faults"]["counter-value"])
assert abs(rows["page-faults"]["metric-value"] - faults / clock) < 1e-3 * faults / clock
assert rows["page-faults"]["metric-unit"] == "faults/sec  page_faults_per_second"
END

# strict FORMAT FILE: each line is JSON, or all lines have the same columns and numbers with a point
cat >"$dir/strict.py" <<'END'
import csv, json, re, sys
form, path = sys.argv[1:]
lines = [l.rstrip("\n") for l in open(path)]
lines = [l for l in lines if l and not l.startswith("#")]
assert lines, "nothing was printed"
if form == "json":
    for line in lines:
        row = json.loads(line, parse_constant=lambda c: sys.exit("not JSON: " + c))
        for key, value in row.items():
            if key.startswith(("cpu", "socket", "die", "core", "node", "thread", "interval", "aggregate")):
                continue
            if "counter-value" not in row and "metric-value" not in row:
                assert re.fullmatch(r"-?\d+(\.\d+)?", value), (key, value)
else:
    rows = list(csv.reader(lines, strict=True))
    width = len(rows[0])
    assert all(len(row) == width for row in rows), rows
    assert not any(re.fullmatch(r"-?(nan|inf)", field.strip()) for row in rows for field in row)
END
metrics=page_faults_per_second,cs_per_second,CPUs_utilized,major_fault_share
# With a decimal comma, if there is such a locale or one can be made.
localedef -i de_DE -f UTF-8 "$dir/de_DE.UTF-8" 2>/dev/null && export LOCPATH=$dir
export LC_ALL=de_DE.UTF-8
targets=("")
[[ -z $everywhere ]] || targets+=("-a" "-a -A" "-a --per-core" "-a --per-socket" "-a --per-die" "-a --per-node" "-a --per-thread")
for target in "${targets[@]}"; do
	for how in "" "-r 2" "-I 20" "-I 20 --summary"; do
		[[ $how != -r* || $target != *per-thread* ]] || continue
		for form in "json -j" "json -j --metric-only" "csv -x, --metric-only"; do
			# shellcheck disable=SC2086
			"$XPERF" stat ${form#* } $target $how -M $metrics -o "$dir/out" sleep 0.03 2>"$dir/err" ||
				fail "${form#* } $target $how: $(<"$dir/err")"
			# In 30 ms, none of the threads may have run.
			[[ $target != *per-thread* || -s $dir/out ]] || continue
			# The summary of intervals has no time, but a word, and lines of its own.
			[[ $form == csv* && $how == *summary* ]] || python3 "$dir/strict.py" "${form%% *}" "$dir/out" ||
				fail "form ${form#* } $target $how"
		done
	done
done
unset LC_ALL LOCPATH

# Metrics are computed for each cgroup.
if [[ -n $everywhere ]] && "$XPERF" stat -a --for-each-cgroup / -e cs true 2>/dev/null; then
	"$XPERF" stat -j -a --for-each-cgroup / -M cs_per_second -o "$dir/out" sleep 0.02 || fail "cgroups"
	grep -q '"metric-unit" : "cs/sec  cs_per_second"' "$dir/out" || fail "no metric of a cgroup"
fi
exit $failed
