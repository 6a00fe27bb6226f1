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

# Of a recording in which five records are lost at the end of a third of the samples.
with_loss()
{
	python3 - "$1" "$2" <<'END'
import struct, sys

IP, ID, CPU, STREAM_ID, IDENTIFIER = 1, 64, 128, 512, 1 << 16
data = bytearray(open(sys.argv[1], "rb").read())
attrs, start, size = *struct.unpack_from("<Q", data, 24), *struct.unpack_from("<QQ", data, 40)
fields, = struct.unpack_from("<Q", data, attrs + 24)
samples, at = [], start
while at < start + size:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    samples += [at] if kind == 9 else []
    at += length
place = samples[len(samples) // 3]
before = 8 + 8 * sum(1 for bit in (IDENTIFIER, IP) if fields & bit)
task, time = struct.unpack_from("<QQ", data, place + before)
trailer = struct.pack("<QQ", task, time)
for bit in (ID, STREAM_ID, CPU, IDENTIFIER):
    trailer += struct.pack("<Q", 0) if fields & bit else b""
lost = struct.pack("<IHHQQ", 2, 0, 24 + len(trailer), 0, 5) + trailer
data[place:place] = lost
struct.pack_into("<Q", data, 48, size + len(lost))
features = struct.unpack_from("<QQQQ", data, 72)
for i in range(sum(bin(word).count("1") for word in features)):
    at = start + size + len(lost) + 16 * i
    struct.pack_into("<Q", data, at, struct.unpack_from("<Q", data, at)[0] + len(lost))
open(sys.argv[2], "wb").write(data)
END
}
if command -v python3 >/dev/null; then
	with_loss syscalls-i386 "$work/syscalls"
	with_loss sched-record "$work/sched"
	for view in syscalls sched; do
		"$XPERF" report -f "--$view" -i "$work/$view" 2>&1 | grep -E '^# (Not counted|.* lost)' || true
		"$XPERF" report -f "--$view" --json -i "$work/$view" 2>/dev/null |
			grep -oE '"(lost_records|during_loss|unsure)": ?[0-9]+' | sort | uniq -c || true
	done >"$work/shown"
	same lost
fi

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
