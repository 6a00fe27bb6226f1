#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Without -DXPERF_REGIONS the macros of regions are nothing: a program with them becomes, byte for
# byte, the object that it becomes without them. With it, it does not.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The same number of lines, so that what the compiler makes of __LINE__ is the same.
sed 's/^\t*XP_REGION_[A-Z]*(.*);$//' examples/regions.c >"$work/without"
(($(grep -c XP_REGION_ examples/regions.c) > 3)) || { echo "the example has no regions"; exit 1; }
! grep -q XP_REGION_ "$work/without" || { echo "regions left"; exit 1; }

# object NAME COMMAND...: of the source on stdin
object()
{
	local name=$1

	shift
	"$@" -I lib/include -c -o "$work/$name.o" -
}

for compiler in "${CC:-cc} -x c -std=c99 -D_GNU_SOURCE" "c++ -x c++ -std=c++11"; do
	read -ra words <<<"$compiler"
	command -v "${words[0]}" >/dev/null || continue
	for level in -O0 -O2; do
		object with "${words[@]}" $level <examples/regions.c
		object without "${words[@]}" $level <"$work/without"
		object counting "${words[@]}" $level -DXPERF_REGIONS <examples/regions.c
		cmp "$work/with.o" "$work/without.o" || { echo "$compiler $level: the objects differ"; exit 1; }
		! cmp -s "$work/counting.o" "$work/without.o" || { echo "$compiler $level: nothing counts"; exit 1; }
		echo "${words[0]} $level: $(wc -c <"$work/with.o") bytes with and without, $(wc -c <"$work/counting.o") counting"
	done
done
