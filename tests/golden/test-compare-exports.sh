#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The files of `xperf compare`, of a simulated machine: JSON and CSV are accepted by strict parsers, in a
# locale with decimal commas, too; what hyperfine's scripts read is there; Markdown is as expected.
set -uo pipefail
: "${XPERFSIM:?}"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/golden/locale.sh
. "${SOURCE_DIR:?}/tests/golden/locale.sh"
comma_locale "$work"
export XPERF_SIM=${SOURCE_DIR:?}/tests/sim/scenarios/compare.sim TMPDIR=$work
failed=0

run()
{
	"$XPERFSIM" compare --seed 7 -e instructions "$@" --export-json "$work/json" \
		--export-csv "$work/csv" --export-markdown "$work/md" >"$work/out" 2>"$work/err" </dev/null ||
		{ echo "$*:"; cat "$work/out" "$work/err"; failed=1; }
}

run -r 10 -L build=old,new --command-name 'the "{build}" | one' '{build}'
python3 - "$work" <<'END' || failed=1
import csv, json, sys

def refuse(text):
    raise ValueError(text)

def unique(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)

d = json.load(open(sys.argv[1] + "/json"), parse_constant=refuse, object_pairs_hook=unique)
assert d["schema"] == "xperf-compare-1" and d["seed"] == "7" and d["rounds"] == 10, d
a, b = d["results"]
for r, build in ((a, "old"), (b, "new")):
    assert r["command"] == build and r["parameters"] == {"build": build}, r
    assert r["name"] == 'the "%s" | one' % build, r
    assert len(r["times"]) == len(r["exit_codes"]) == 10 and set(r["exit_codes"]) == {0}, r
    for name in "mean", "stddev", "median", "user", "system", "min", "max":
        assert isinstance(r[name], (int, float)), name
    assert r["times"] == r["metrics"]["wall"]["values"]
    assert r["metrics"]["max-rss"]["median"] is None
assert abs(a["median"] - 0.1) < 1e-4 and abs(b["median"] - 0.102) < 1e-4
assert "change" not in a["metrics"]["wall"]
c = b["metrics"]["instructions"]["change"]
assert c["verdict"] == "more" and c["kind"] == "ratio" and abs(c["estimate"] - 0.02) < 1e-9, c
assert c["low"] <= c["estimate"] <= c["high"] and c["p"] <= c["level"] <= 0.05, c
assert b["metrics"]["wall"]["change"]["verdict"] == "slower"
assert b["metrics"]["wall"]["change"]["interleaved"] is True
assert b["metrics"]["max-rss"]["change"] == {"verdict": "unknown"}

rows = list(csv.DictReader(open(sys.argv[1] + "/csv", newline=""), strict=True))
assert len(rows) == 2 * len(a["metrics"]) and all(None not in r and None not in r.values() for r in rows)
wall = [r for r in rows if r["metric"] == "wall"]
assert [r["command"] for r in wall] == [a["name"], b["name"]]
assert float(wall[0]["median"]) == round(a["median"], 15) and wall[0]["verdict"] == ""
assert wall[1]["verdict"] == "slower" and abs(float(wall[1]["change"]) - 0.02) < 1e-4
END
diff - "$work/md" <<'END' || failed=1
| Command | Metric | Median | Change | Interval | Verdict |
|:---|:---|---:|---:|---:|:---|
| `the "old" \| one` | `wall` | 100.0 ms | | | |
| `the "new" \| one` | `wall` | 102.0 ms | +2.0 % | +2.0 % … +2.0 % | slower |
| `the "old" \| one` | `user` | 80 ms | | | |
| `the "new" \| one` | `user` | 81.60 ms | +2.0 % | +2.0 % … +2.0 % | slower |
| `the "old" \| one` | `sys` | 20 ms | | | |
| `the "new" \| one` | `sys` | 20.40 ms | +2.0 % | +2.0 % … +2.0 % | slower |
| `the "old" \| one` | `instructions` | 400 M | | | |
| `the "new" \| one` | `instructions` | 408 M | +2.0 % | +2.0 % … +2.0 % | more |
END

# stored runs
if "$XPERF" check feature -q json-c; then
	cp "$work/json" "$work/stored.json"
	# glibc 2.36 loses LOCPATH in newlocale(), which json-c calls: 40 bytes.
	ASAN_OPTIONS=detect_leaks=0 run -r 10 --import "$work/stored.json" --import-name old new
	python3 - "$work" <<'END' || failed=1
import csv, json, sys
d = json.load(open(sys.argv[1] + "/json"))
a, b = d["results"]
stored = json.load(open(sys.argv[1] + "/stored.json"))["results"][0]
assert d["machine"]["host"], d["machine"]
assert a["imported"].endswith("/stored.json") and "exit_codes" not in a and a["times"] == stored["times"]
assert "imported" not in b and len(b["exit_codes"]) == 10
c = b["metrics"]["wall"]["change"]
assert c["verdict"] == "slower" and c["interleaved"] is False, c
rows = list(csv.DictReader(open(sys.argv[1] + "/csv", newline=""), strict=True))
assert [r["interleaved"] for r in rows if r["metric"] == "wall"] == ["", "no"], rows
END
fi

# what has no bounds yet, and one command alone
for arguments in '-r 1 old new' '-r 10 old' '-r 3 --ignore-failure old broken'; do
	# shellcheck disable=SC2086
	run $arguments
	python3 - "$work" <<'END' || { echo "in $arguments"; failed=1; }
import csv, json, sys
json.load(open(sys.argv[1] + "/json"), parse_constant=lambda text: 1 / 0)
rows = list(csv.reader(open(sys.argv[1] + "/csv", newline=""), strict=True))
assert len({len(r) for r in rows}) == 1
END
done
if [[ -z $no_comma ]]; then
	# The C library keeps what it read from LOCPATH.
	ASAN_OPTIONS=detect_leaks=0 "$XPERFSIM" stat -e instructions old 2>&1 >/dev/null | grep '^ *400\.000\.000 ' >/dev/null ||
		{ echo "the locale has no effect"; failed=1; }
else
	echo "$no_comma"
fi
exit $failed
