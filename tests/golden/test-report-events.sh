#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `report --syscalls` and `report --sched` of recordings in tests/data/events.
set -euo pipefail

files=$SOURCE_DIR/tests/data/events/files golden=$SOURCE_DIR/tests/data/events/expected
. "$SOURCE_DIR/tests/golden/shown.sh"
have libtraceevent || { echo "skipped: built without libtraceevent"; exit 77; }
cd "$files"

while read -r line; do
	read -ra options <<<"$line"
	show 60 report "${options[@]}"
done >"$work/shown" <<'EOF'
-f --syscalls -i syscalls-i386
-f --syscalls --total -q -i syscalls-i386
-f --syscalls --json -i syscalls-i386
-f --syscalls --comm nobody -i syscalls-i386
-f --syscalls --time 3952.8500,3952.8502 -i syscalls-i386
-f --syscalls -i ../../perfdata/files/local61-g-fp
--syscalls -s comm
--syscalls --stats
EOF
same syscalls

while read -r line; do
	read -ra options <<<"$line"
	show 40 report "${options[@]}"
done >"$work/shown" <<'EOF'
-f --sched -i sched-record
-f --sched --comm sleep,rcu_preempt -i sched-record
-f --sched -q --time 36.72,36.92 -i sched-record
-f --sched --json --tid 199 -i sched-record
-f --sched -i sched-records
-f --sched -i syscalls-i386
--sched -S main
--sched --hierarchy
EOF
same sched

# Its JSON is JSON, and has what the text has.
"$XPERF" report -f --syscalls --json -i syscalls-i386 >"$work/json" 2>"$work/err"
if command -v python3 >/dev/null; then
	python3 - "$work/json" <<'EOF' || { echo "the JSON is not as described"; failed=1; }
import json, sys
d = json.load(open(sys.argv[1]))
assert d["format"] == "xperf-report-syscalls" and d["version"] == 1
for name in ("calls", "errors", "total_ns", "not_returned"):
    assert d["total"][name] == sum(row[name] for row in d["rows"]), name
EOF
fi
exit "$failed"
