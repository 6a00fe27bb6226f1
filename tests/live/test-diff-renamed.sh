#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf diff` of a program under two names: a hint how to compare it; none if the name is the same.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/record.sh"
need_record
"$XPERF" check -q feature libelf || skip "built without libelf"

${CC:-cc} -x c -o before - <<'END'
/* Page faults, so that there are samples on each machine. */
#include <stdlib.h>
__attribute__((noinline)) static void touch(volatile char *page) { *page = 1; }
int main(void)
{
	char *pages = malloc(500 << 12);

	for (int i = 0; pages && i < 500; i++)
		touch(pages + ((size_t)i << 12));
	return !pages;
}
END
cp before after
for name in before after; do
	"$XPERF" record -q -e page-faults:u -c 1 -o "$name.data" -- "./$name" >/dev/null 2>&1 ||
		skip "page faults cannot be recorded here"
done

hint='^Hint: functions of the baseline are in files with other names; -s symbol compares them$'
"$XPERF" diff before.data after.data >out 2>message
grep -q "$hint" message || { echo "no hint: $(cat message out)"; failed=1; }
"$XPERF" diff -s symbol before.data after.data >out 2>message
! grep -q "$hint" message && grep -q ' touch$' out || { echo "-s symbol: $(cat message out)"; failed=1; }
"$XPERF" diff before.data before.data 2>message >out
! grep -q "$hint" message || { echo "a hint where names are equal: $(cat message out)"; failed=1; }
exit $failed
