#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Structures that can grow begin with their size. They have no padding that the compiler has put in: a
# field that took the place of some would not change the size, and what is there is of no known value.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#include <xperf/xperf.h>' >"$work/all.c"
"${CC:-cc}" -std=gnu17 -I lib/include -Wpadded -fsyntax-only "$work/all.c" 2>&1 |
	sed -n 's/^\([^:]*\):\([0-9]*\):.*warning: padding.*/\1 \2/p' >"$work/padded" || true
[[ -s $work/padded ]] || { echo "the compiler does not say what is padded"; exit 77; }

mapfile -t headers < <(sources 'lib/include/xperf/*.h')
awk -v padded="$work/padded" '
	BEGIN { while ((getline line < padded) > 0) is_padded[line] = 1 }
	/^struct [a-z_]+ {$/ { name = $2; grows = 0; first = 1; next }
	name && /^\tsize_t size;/ && first { grows = 1; nr++ }
	name && /^\t[^/ *]/ { first = 0 }
	name && grows && (FILENAME " " FNR) in is_padded { print FILENAME ":" FNR ": struct " name " has padding"; failed = 1 }
	/^}/ { name = "" }
	END { print nr " structures"; exit failed }' "${headers[@]}"
