#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the man pages quote is what there is: examples, and lists of functions. Each example and each
# function is in a page. REFRESH=1 puts in what there is now.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

failed=0
for page in man/*.[37]; do
	should=$(awk -f tests/lint/man-parts.awk "$page")
	if [[ ${REFRESH:-} ]]; then
		echo "$should" >"$page"
	fi
	diff -u "$page" <(echo "$should") || { echo "$page: REFRESH=1 $0 puts in what there is"; failed=1; }
done
for file in examples/*.c examples/*.cc; do
	grep -qxF ".\\\" $file" man/*.3 || { echo "$file: in no man page"; failed=1; }
done
mapfile -t headers < <(sources 'lib/include/xperf/*.h')
for name in $(sed -n 's/^XP_API .*[ *]\(xp_[a-z0-9_]*\)(.*/\1/p' "${headers[@]}"); do
	grep -qx ".It Fn $name" man/*.3 || { echo "$name(): in no man page"; failed=1; }
done
exit $failed
