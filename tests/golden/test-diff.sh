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
exit $failed
