#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs that formats are for show what the report does: speedscope, and Firefox Profiler by its
# command line. They come from the npm registry; how perfetto.dev reads traces is not tested, since its
# trace_processor is in no registry.
set -euo pipefail

skip()
{
	echo "$*"
	exit 77
}

command -v node >/dev/null || skip "node is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"
here=$SOURCE_DIR/tests/web files=$SOURCE_DIR/tests/data/perfdata
work=$(mktemp -d)
failed=0 skipped=()

# shellcheck source=tests/web/packages.sh
. "$SOURCE_DIR/tests/web/packages.sh"
modules=$(npm_packages "$here/importers" importers) || skip "$modules"
# Firefox Profiler's sessions are in the home directory.
export HOME=$work
profiler()
{
	node "$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"
}
cleanup()
{
	profiler stop --all >/dev/null 2>&1 || true
	rm -rf "$work"
}
trap cleanup EXIT

# sums: lines "self total name" of profiles and threads, without marks and unknown functions, added up
sums()
{
	sed -E 's/_\[[kijoe]\]$//' | awk '$3 !~ /^\[.*\]$/ {
		name = $0
		sub(/^[0-9]+ [0-9]+ /, "", name)
		self[name] += $1
		total[name] += $2
	} END {
		for (name in total)
			if (total[name])
				printf "%.0f %.0f %s\n", self[name], total[name], name
	}' | LC_ALL=C sort -k3
}

# same WHAT: $work/found is what the report has
same()
{
	diff -u "$work/expected" "$work/found" || { echo "$1: other totals"; failed=1; }
}

# loaded: what loads $work/firefox is another process, which "load" does not wait for long
loaded()
{
	local until=$((SECONDS + 300))

	profiler load "$work/firefox" >"$work/messages" 2>&1 || true
	until profiler thread list --json --limit 0 >"$work/tracks" 2>>"$work/messages"; do
		((SECONDS < until)) || { cat "$work/messages"; return 1; }
		sleep 0.2
	done
}

# of_profiler: totals of all functions of all tracks
of_profiler()
{
	local track

	loaded
	python3 -c 'import json, sys; print("\n".join(t["threadHandle"] for t in json.load(sys.stdin)["threads"]))' \
		<"$work/tracks" >"$work/handles"
	while read -r track; do
		profiler thread functions --thread "$track" --include-idle --limit 0 --json </dev/null
	done <"$work/handles" | python3 -c '
import json, sys
text, at = sys.stdin.read().strip(), 0
while at < len(text):
    found, end = json.JSONDecoder().raw_decode(text[at:])
    for f in found["functions"]:
        print(f["selfSamples"], f["totalSamples"], f["name"])
    at += end
    at += len(text[at:]) - len(text[at:].lstrip())
'
	profiler stop --all >/dev/null 2>&1 || true
}

# written FORMAT ARGUMENT...
written()
{
	"$XPERF" export -f "$1" --force --symfs /nonexistent "${@:2}" -o "$work/$1" 2>"$work/messages" ||
		{ cat "$work/messages"; failed=1; }
}

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	skipped+=("speedscope is not tested: no Chromium is installed")
for name in made-branches made-cycles; do
	recording=(-i "$files/files/$name" --kallsyms "$files/kallsyms" --no-inline -e cycles)
	"$XPERF" export -f folded --force --symfs /nonexistent "${recording[@]}" -o "$work/folded" 2>/dev/null
	python3 "$SOURCE_DIR/tests/golden/export-totals.py" folded "$work/folded" | LC_ALL=C sort -k3 >"$work/expected"
	[[ -s $work/expected ]] || { echo "$name has no functions"; failed=1; }
	written firefox "${recording[@]}"
	of_profiler | sums >"$work/found"
	same "Firefox Profiler, $name"
	[[ $chromium ]] || continue
	written speedscope "${recording[@]}"
	node "$here/read-speedscope.mjs" "$chromium" "$modules/speedscope/dist/release" \
		"$work/speedscope" "$work" | sums >"$work/found"
	same "speedscope, $name"
done
# Markers and counters of Firefox Profiler
written firefox -i "$files/files/local61-switch-events"
loaded
profiler thread markers --thread t-1 --json --limit 0 >"$work/markers"
python3 - "$work/markers" "$work/firefox" <<'PYTHON' || failed=1
import gzip, json, sys
found = json.load(open(sys.argv[1], encoding='utf-8'))
data = open(sys.argv[2], 'rb').read()
written = json.loads(gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data)['threads'][1]['markers']
assert found['totalMarkerCount'] == written['length'] > 10, (found['totalMarkerCount'], written['length'])
PYTHON
profiler stop --all >/dev/null 2>&1 || true
XPERF_SIM=$SOURCE_DIR/tests/sim/scenarios/compare.sim "${XPERFSIM:?}" stat record -I 20 -e instructions -o "$work/counts" old >/dev/null 2>&1
written firefox -i "$work/counts"
loaded
profiler counter list --json >"$work/counters"
profiler stop --all >/dev/null 2>&1 || true
python3 - "$work/counters" <<'PYTHON' || failed=1
import json, sys
counter, = json.load(open(sys.argv[1], encoding='utf-8'))['counters']
assert counter['name'] == 'instructions' and counter['rangeSampleCount'] > 2, counter
PYTHON
((!${#skipped[@]})) || printf '%s\n' "${skipped[@]}"
exit $failed
