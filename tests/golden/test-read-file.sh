#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example read_file: what it prints of every recording in tests/data/perfdata. REFRESH=1 accepts
# what it prints now.
set -euo pipefail

program=$BUILD_DIR/examples/example-read_file
cd "$SOURCE_DIR/tests/data/perfdata/files"
failed=0 nr=0
for file in *; do
	nr=$((nr + 1))
	got=$("$program" "$file" 2>&1) || true
	# a build without zstd
	[[ $got != *'Built without zstd'* && $got != *'Function not implemented'* ]] || continue
	if [[ ${REFRESH:-} ]]; then
		echo "$got" >"../expected/$file.txt"
	fi
	diff -u "../expected/$file.txt" <(echo "$got") || { echo "$file: not as expected"; failed=1; }
	# A stream is the same through a pipe; so is a file, which is read as a whole first.
	[[ -f $file ]] || continue
	diff <(sed "s/'$file'/'-'/" "../expected/$file.txt") <("$program" - 2>&1 < <(cat "$file")) ||
		{ echo "$file: not as expected through a pipe"; failed=1; }
done
((nr > 20)) || { echo "only $nr recordings"; failed=1; }

message=$("$program" nowhere 2>&1) && { echo "a file that is missing is read"; failed=1; }
[[ $message == *"Cannot open 'nowhere'"* ]] || { echo "unexpected message: $message"; failed=1; }
exit $failed
