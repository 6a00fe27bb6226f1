# SPDX-License-Identifier: MIT
"""Compares report --syscalls --json with what perf trace -s prints of the same recording."""

import json
import re
import sys

makes_task = ("clone", "clone3", "fork", "vfork")
ours = {}
for row in json.load(open(sys.argv[1]))["rows"]:
    ours[row["tid"], row["call"]] = row
tid, nr, failed = None, 0, False
for line in open(sys.argv[2]):
    thread = re.match(r" .* \((\d+)\), \d+ events", line)
    words = line.split()
    if thread:
        tid = int(thread.group(1))
    if len(words) != 8 or not words[1].isdigit():
        continue
    nr += 1
    calls, errors, ms = int(words[1]), int(words[2]), float(words[3])
    row = ours.get((tid, words[0]))
    # perf also counts what was entered before, and the first return of a new task, as taking no time,
    # or, if the entry was missed later, the time since another call.
    if row is None:
        same = words[0] in makes_task and calls == 1 and ms == 0
    else:
        more = calls - row["calls"] - row["entered_before"]
        same = (
            (more == 0 or (more == 1 and words[0] in makes_task))
            and row["errors"] <= errors <= row["errors"] + row["entered_before"]
            and (row["entered_before"] or abs(ms - row["total_ns"] / 1e6) < 0.0011)
        )
    if not same:
        print(f"perf has of thread {tid}: {line.strip()}; xperf: {row}")
        failed = True
print(f"{nr} rows compared with perf's")
sys.exit(failed or nr < 5)
