#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the objects of a folder link to lies in the folders that its row in cmake/floors.cmake SEES,
# public functions included; the program links to public functions of the library only; every name
# of the library begins with xp_. And the check notices objects that break these rules.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool nm

# check OBJECT...: what is wrong with them
check()
{
	# Objects without names are no matter of concern.
	nm -A -P -g -- "$@" 2>/dev/null | sed 's,^.*[.]dir/\(.*\)[.]o: ,\1: ,' |
		awk -f tests/lint/floor-rows.awk -f tests/lint/floor-symbols.awk \
			cmake/floors.cmake lib/libxperf.map -
}

# Objects of sources that are gone may still lie there.
objects=()
while read -r object; do
	source=${object#*.dir/}
	[[ ! -f ${source%.o} ]] || objects+=("$object")
done < <(cd "$BUILD_DIR/CMakeFiles" && find . -path './*.dir/*.c.o' | LC_ALL=C sort)
(( ${#objects[@]} )) || skip "the objects are not below $BUILD_DIR/CMakeFiles"
failed=0
check "${objects[@]/#/$BUILD_DIR/CMakeFiles/}" || failed=1
echo "${#objects[@]} objects link downwards only"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# object FILE TEXT: an object of a source of that name
object()
{
	mkdir -p "$work/x.dir/${1%/*}"
	"${CC:-cc}" -x c -c -o "$work/x.dir/$1.o" - <<<"$2"
}
object lib/base/strings.c 'int xp_twice(int x) { return 2 * x; } int xp_new(void) { return 0; }'
object lib/sys/clock.c 'int xp_twice(int); int xp_clock(void) { return xp_twice(1); }'
object lib/sys/thrice.c 'int thrice;'
object lib/base/wrong.c 'int xp_clock(void); int xp_now(void) { return xp_clock(); }'
object lib/hist/wrong.c 'int xp_call(void); int xp_rows(void) { return xp_call(); }'
object lib/mmap/ring.c 'int xp_call(void) { return 0; }'
object cli/program.c 'int xp_twice(int); int shared(void) { return xp_twice(1); }'
object cli/list/list.c 'int shared(void), sorted(void); int list_command(void) { return shared() + sorted(); }'
object cli/report/sorted.c 'int sorted(void) { return 0; }'
object cli/table.c 'int list_command(void); int (*table)(void) = list_command;'
mapfile -t objects < <(find "$work" -name '*.o')
told=$(check "${objects[@]}") && { echo "nothing noticed"; exit 1; }
diff - <(LC_ALL=C sort <<<"$told") <<'END' || failed=1
cli/list/list.c: needs sorted of cli/report, which cli/list does not see
cli/program.c: needs xp_twice of lib/base, which is not public
lib/base/wrong.c: needs xp_clock of lib/sys, which lib/base does not see
lib/hist/wrong.c: needs xp_call of lib/mmap, which lib/hist does not see
lib/sys/thrice.c: thrice is seen by all who link with the library, and does not begin with xp_
END
exit $failed
