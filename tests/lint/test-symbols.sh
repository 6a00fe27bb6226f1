#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The functions of the public headers, those of the symbol map and those that libxperf.so exports are
# the same, each under the version it came with. A program that is linked with libxperf.a sees no other
# names, nor anything that only one compiler reads.
#
# REFRESH=1 puts into the newest version of the map what older ones do not have.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool nm

map=lib/libxperf.map
mapfile -t headers < <(sources 'lib/include/xperf/*.h')
declared=$(sed -n 's/^XP_API .*[ *]\(xp_[a-z0-9_]*\)(.*/\1/p' "${headers[@]}" | LC_ALL=C sort -u)

# "NAME@VERSION" of each function in the map
mapped()
{
	awk '/^XPERF_.* {/ { version = $1 } sub(/^\t\txp_/, "xp_") && sub(/;$/, "") { print $0 "@" version }' $map
}

if [[ ${REFRESH:-} ]]; then
	newest=$(awk '/^XPERF_.* {/ { version = $1 } END { print version }' $map)
	older=$(mapped | grep -v "@$newest\$" | cut -d@ -f1) || true
	new=$(LC_ALL=C comm -23 <(echo "$declared") <(LC_ALL=C sort -u <<<"$older"))
	awk -v newest="$newest" -v new="$new" '
		/^XPERF_.* {/ { is_newest = $1 == newest }
		is_newest && /^\t\txp_/ { next }
		{ print }
		is_newest && /^\tglobal:/ { gsub(/\n/, ";\n\t\t", new); print "\t\t" new ";" }' $map >"$map.new"
	mv "$map.new" $map
fi

# compare A B WHAT: names in A that are not in B
failed=0
compare()
{
	local name

	while read -r name; do
		[[ -z $name ]] || { echo "$name: $3"; failed=1; }
	done < <(LC_ALL=C comm -23 <(LC_ALL=C sort -u <<<"$1") <(LC_ALL=C sort -u <<<"$2"))
}

versioned=$(mapped)
names=$(mapped | cut -d@ -f1)
exported=$(nm -D --defined-only --format=posix "$BUILD_DIR/libxperf.so" |
	awk '$2 != "A" { sub(/@@/, "@", $1); print $1 }')
compare "$declared" "$names" "declared, not in $map: REFRESH=1 $0 adds it"
compare "$names" "$declared" "in $map, not declared"
compare "$versioned" "$exported" "in $map, not exported"
compare "$exported" "$versioned" "exported, not in $map"
# Calls inside the library are bound in it.
! readelf -rW "$BUILD_DIR/libxperf.so" | grep -m1 ' xp_' ||
	{ echo "libxperf.so: a program's function of that name would be called"; failed=1; }
static=$(nm --extern-only --defined-only --format=posix "$BUILD_DIR/libxperf.a" |
	awk 'NF > 1 && $1 !~ /^__/ { print $1 }')
compare "$declared" "$static" "declared, not in libxperf.a"
compare "$static" "$declared" "in libxperf.a, where a program may use the name"
! nm --debug-syms "$BUILD_DIR/libxperf.a" | grep -m1 -F .gnu.lto_ || { echo "libxperf.a: has code of one compiler"; failed=1; }
[[ -z $(uniq -d <(LC_ALL=C sort <<<"$names")) ]] || { echo "$map: a function in two versions"; failed=1; }
echo "$(wc -l <<<"$declared") functions"
exit $failed
