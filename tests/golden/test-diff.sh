#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `diff` of recordings in tests/data/perfdata.
set -euo pipefail

files=$SOURCE_DIR/tests/data/perfdata/files golden=$SOURCE_DIR/tests/data/perfdata/diff
. "$SOURCE_DIR/tests/golden/shown.sh"
cd "$files"

while read -r line; do
	read -ra options <<<"$line"
	show 20 diff -f --symfs /nonexistent --kallsyms ../kallsyms "${options[@]}"
done >"$work/shown" <<'EOF'
made-branches made-memory
-b made-branches made-memory
-b -s dso,symbol -c ratio made-branches made-memory
-b --json made-branches made-memory
-t . made-branches made-memory
--kallsyms /nonexistent made-branches made-memory
EOF
same options

# Damage is of one of the files.
message=$("$XPERF" diff -f --symfs /nonexistent mal-callchain-nr-huge made-branches 2>&1 >"$work/out") || true
[[ $message == *"Warning: 'mal-callchain-nr-huge': damage at offset"* ]] ||
	{ echo "the damaged file is not named: $message"; failed=1; }

# What is there instead of a recording that is missing.
mkdir "$work/nearby"
cd "$work/nearby"
touch perf.data perf.data.1 perf.data.2 perf.data.10 other
message=$("$XPERF" diff 2>&1) && { echo "a file that is missing is read"; failed=1; }
[[ $message == *"exist: perf.data.10, perf.data.2, perf.data.1 and 1 more"* ]] ||
	{ echo "the recordings that exist are not named: $message"; failed=1; }
exit "$failed"
