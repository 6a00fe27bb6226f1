#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libxperf.so exports the functions of the public headers, and nothing else.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool nm

mapfile -t headers < <(sources 'lib/include/xperf/*.h')
declared=$(sed -n 's/^XP_API .*[ *]\(xp_[a-z0-9_]*\)(.*/\1/p' "${headers[@]}" | sort -u)
exported=$(nm -D --defined-only --format=posix "$BUILD_DIR/libxperf.so" |
	awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }' | sort -u)
differences=$(diff <(echo "$declared") <(echo "$exported")) && status=0 || status=1
sed -n 's/^< \(.*\)/\1: declared, not exported/p; s/^> \(.*\)/\1: exported, not declared/p' \
	<<<"$differences"
echo "$(wc -l <<<"$declared") functions"
exit $status
