#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf doctor` prints every check its manual names, on whatever machine this is, and the same in
# JSON; it ends with 0.
set -uo pipefail
: "${XPERF:?}" "${SOURCE_DIR:?}"
failed=0
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

text=$("$XPERF" doctor) || { echo "status $?"; failed=1; }
printed=$(sed -nE 's/^(ok|limits|off) +([a-z_]+) +.+$/\2/p' <<<"$text")
manual=$(sed -n '/^The checks are/,/^\.El/s/^\.It Cm //p' "$SOURCE_DIR/man/xperf-doctor.1")
diff <(echo "$manual") <(echo "$printed") || { echo "the manual (<) and the program (>) differ"; failed=1; }

# What is ok says no more; every effect and command belongs to something that is not.
awk '/^$|^You can(not)?:$/ { ok = 0; next } /^ok/ { ok = 1; next } /^[a-z]/ { ok = 0; next } ok { bad = 1; print "behind ok: " $0 }
	!/^        / { bad = 1; print "unexpected: " $0 } END { exit bad }' <<<"$text" || failed=1

"$XPERF" doctor now >/dev/null 2>&1
(($? == 129)) || { echo "an argument too many is no misuse"; failed=1; }
if command -v python3 >/dev/null; then
	"$XPERF" doctor --json | python3 -c '
import json, sys
result = json.load(sys.stdin)
assert result["schema"] == "xperf-doctor/1"
assert result["can"] or result["cannot"], result
for check in result["checks"]:
	assert set(check) == {"name", "state", "value", "effect", "fix"}, check
	assert check["state"] in ("ok", "limits", "off"), check
	print(check["name"])' >"$scratch" || { echo "the JSON is wrong"; failed=1; }
	diff <(echo "$printed") "$scratch" || { echo "text (<) and JSON (>) differ"; failed=1; }
fi
exit $failed
