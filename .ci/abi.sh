#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# .ci/abi.sh [TAG]: the binary interface of libxperf against that of the last release, vN.N.N, or TAG:
# nothing was taken away or changed. Functions may be new, and structures of options may have grown,
# which their size tells. Skipped as long as nothing was released.
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/.ci/abi.sh}
git=(git -C "$root" -c safe.directory='*')
command -v abidw >/dev/null || { echo "abidw is not installed, Debian's abigail-tools has it"; exit 77; }
tag=${1:-$("${git[@]}" tag --list 'v[0-9]*' --merged HEAD --sort=-version:refname 2>/dev/null | head -n 1)}
[[ -n $tag ]] || { echo "nothing was released yet: there is no tag vN.N.N to compare with"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
# What the public headers do not define is nobody's business.
cat >"$work/allowed" <<'END'
[suppress_type]
	source_location_not_regexp = include/xperf/
[suppress_type]
	type_kind = struct
	name_regexp = ^xp_.*_opts$
	has_data_member_inserted_at = end
END
echo "against $tag:"
abidiff --suppressions "$work/allowed" --no-added-syms "$work/old.abi" "$work/new.abi"
echo "nothing that $tag has was taken away or changed"
