#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# .ci/abi.sh [TAG]: the binary interface of libxperf against that of the last release, vN.N.N, or TAG:
# nothing was removed or changed, see docs/interface.md. Before the first release it is compared with
# the description in the tree only.
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/.ci/abi.sh}
git=(git -C "$root" -c safe.directory='*')
tag=${1:-$("${git[@]}" tag --list 'v[0-9]*' --merged HEAD --sort=-version:refname 2>/dev/null | head -n 1)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/tools/interface.py" >"$work/now"
diff -u "$root/lib/libxperf.abi" "$work/now"
[[ -n $tag ]] || { echo "lib/libxperf.abi describes this tree; nothing was released yet"; exit 0; }

echo "against $tag:"
if "${git[@]}" show "$tag:lib/libxperf.abi" >"$work/released" 2>/dev/null; then
	"$root/tools/interface.py" compare "$work/released" "$work/now"
fi
command -v abidw >/dev/null || { echo "abidw is not installed: only declarations were compared"; exit 0; }

# describe NAME SOURCES: what the library of a tree offers, in $work/NAME.abi
describe()
{
	cmake -S "$2" -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DXPERF_TESTS=OFF -DXPERF_LTO=OFF \
		>"$work/$1.log" && ninja -C "$work/$1" libxperf.so >>"$work/$1.log" ||
		{ cat "$work/$1.log"; return 1; }
	abidw --no-corpus-path --out-file "$work/$1.abi" "$work/$1/libxperf.so"
}

mkdir "$work/old-tree"
"${git[@]}" archive "$tag" | tar -x -C "$work/old-tree"
describe old "$work/old-tree"
describe new "$root"
# What public headers do not define may change, and structs that begin with their size may grow.
cat >"$work/allowed" <<END
[suppress_type]
	source_location_not_regexp = include/xperf/
[suppress_type]
	type_kind = struct
	name_regexp = ^($(awk '/^struct/ { name = $2 } /^\t0 8 size_t size$/ { print name }' "$root/lib/libxperf.abi" |
	paste -sd '|'))$
	has_data_member_inserted_at = end
END
abidiff --suppressions "$work/allowed" --no-added-syms "$work/old.abi" "$work/new.abi"
echo "nothing that $tag has was removed or changed"
