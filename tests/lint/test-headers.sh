#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public header compiles alone, as C99 and C17 to the letter and as C++, without warnings, and the functions in them
# at each level of optimization; each public function has
# a docstring that names it and says what it returns, and no struct, enum or union has its name, which C++ would
# hide; structures of options begin with their size.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"

mapfile -t headers < <(sources 'lib/include/xperf/*.h')
failed=0

compiles()
{
	local header

	for header in "${headers[@]}"; do
		echo "#include <xperf/${header##*/}>" | "$@" -Wall -Wextra -Werror -fsyntax-only \
			-I lib/include - || { echo "$header: does not compile alone: $*"; failed=1; }
	done
}

compiles "${CC:-cc}" -std=c99 -pedantic -Wstrict-prototypes -x c
compiles "${CC:-cc}" -std=c99 -pedantic -Wstrict-prototypes -DXPERF_REGIONS -x c
compiles "${CC:-cc}" -std=c17 -pedantic -Wstrict-prototypes -Wshadow -Wconversion -x c
if command -v c++ >/dev/null; then
	compiles c++ -std=c++11 -pedantic -x c++
	compiles c++ -std=c++17 -pedantic -DXPERF_REGIONS -x c++
	compiles c++ -std=c++20 -pedantic -DXPERF_REGIONS -x c++
else
	echo "no C++ compiler: headers not tried as C++"
fi

for level in -O0 -O1 -O2 -O3 -Os -Og; do
	echo "#include <xperf/xperf.h>" | "${CC:-cc}" "$level" -fkeep-inline-functions -DXPERF_REGIONS -I lib/include \
		-x c -c -o /dev/null - || { echo "functions in headers do not compile with $level"; failed=1; }
done

awk '
function fail(text) { print FILENAME ":" FNR ": " text; broken = 1 }
/^\/\*\*/ { doc = ""; in_doc = 1 }
in_doc { doc = doc " " $0; if (/\*\//) { in_doc = 0; doc_end = FNR }; next }
/^XP_API / {
	declaration = $0
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	if (doc_end != FNR - 1)
		fail(name "() has no docstring directly before it")
	else if (index(doc, name " - ") == 0)
		fail("the docstring before " name "() does not begin with its name")
	else if (declaration !~ /^XP_API void [a-z]/ && doc !~ /[Rr]eturns/)
		fail(name "(): the docstring does not say what it returns")
}
/^struct xp_[a-z0-9_]*_opts \{/ { options = $2; next }
options { if (!/^\tsize_t size;/) fail("struct " options " does not begin with its size"); options = "" }
END { exit broken }' "${headers[@]}" || failed=1

while read -r name; do
	echo "$name: both a function and a type: in C++ the function hides the type"
	failed=1
done < <(LC_ALL=C comm -12 \
	<(grep -ohP '\b(struct|enum|union) \Kxp_\w+' "${headers[@]}" | LC_ALL=C sort -u) \
	<(grep -hP '^\w.*\(' "${headers[@]}" | grep -oP 'xp_\w+(?=\()' | LC_ALL=C sort -u))

while read -r name; do
	echo "$name(): cited in a header or a man page, declared nowhere"
	failed=1
done < <(LC_ALL=C comm -23 \
	<(grep -ohP '\bxp_\w+(?=\(\))' "${headers[@]}" man/*.[1357] | LC_ALL=C sort -u) \
	<(grep -hP '^\w.*\(' "${headers[@]}" | grep -oP 'xp_\w+(?=\()' | LC_ALL=C sort -u))
exit $failed
