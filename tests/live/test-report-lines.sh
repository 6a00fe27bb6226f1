#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lines of source, inlined functions and levels of keys, in a recording made here; where perf shows
# them, it shows the same.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/record.sh"
need_record
"$XPERF" check -q feature libelf || skip "built without libelf"
"$XPERF" check -q feature dwarf || skip "built without libelf"
command -v cc >/dev/null || skip "there is no cc"

cat >spin.h <<'END'
static inline __attribute__((always_inline)) unsigned long spin(unsigned long x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 6364136223846793005UL + (x >> 7);
	return x;
}
END
cat >spin.c <<'END'
#include "spin.h"
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void twice(void)
{
	sink = spin(sink + 1);
	sink = spin(sink + 3);
}
__attribute__((noinline)) void work(void)
{
	twice();
	sink++;
}
int main(void)
{
	for (int i = 0; i < 50000; i++)
		work();
	return 0;
}
END
cc -g -O2 -fno-omit-frame-pointer -o spin spin.c 2>err || skip "cc cannot build: $(head -n 1 err)"
"$XPERF" record -q -e cpu-clock:u -F 997 -g -o data ./spin 2>err || skip "nothing was recorded"

# has REGEX OPTION...: a line of the report
has()
{
	"$XPERF" report -i data "${@:2}" >out 2>err || complain "report ${*:2} fails"
	grep -Eq -- "$1" out || complain "report ${*:2}: no line '$1'"
}

has '[0-9]% +spin\.h:[34]$' -q -s srcline
has '[0-9]% +spin\.h +\[\.\] work$' -q -s srcfile,sym
has "[0-9]% +$PWD/spin\.h:[34]\$" -q -s srcline --full-source-path
has 'work spin\.h:[34]$' --no-children --no-inline -g srcline
has ' 0\.00% .*\[\.\] twice \(inlined\)$'
has '---spin spin\.h:[34] \(inlined\)|--spin spin\.h:[34] \(inlined\)' --no-children -g srcline
has ' twice spin\.c:[56] \(inlined\)$' --no-children -g address
has ' work spin\.c:10$' --no-children -g address,callee
has '"symbol": "twice", .*"inlined": true' --json
has ' +[0-9.]+% +spin *$' -H
has '^ {3}.* +\[\.\] work$' -H -s comm,sym

"$XPERF" script -i data -F +srcline >lines
grep -Eq '^	 *[0-9a-f]+ twice\+0x[0-9a-f]+$' lines || complain "script: no inlined function"
grep -Eq '^  spin\.c:[56] \(inlined\)$' lines || complain "script: no line where it is inlined"
"$XPERF" script -i data --json >lines
grep -Eq '"inlined":\[\{"symbol":"spin","file":"/.*/spin.h","line":[34]\}' lines ||
	complain "script --json: no inlined function"

# of_work: what a script prints of the samples in work(), address and line
of_work()
{
	awk '/ work$/ { at = $0; getline; print at, $0 }'
}

# Lines of the samples themselves are the same as perf's.
if command -v perf >/dev/null && perf script -i data -F ip,sym,srcline -G 2>/dev/null | of_work >theirs &&
	grep -q 'spin.h:' theirs; then
	"$XPERF" script -i data -F ip,sym,srcline -G | of_work >ours
	diff -u theirs ours || complain "script -F srcline differs from perf's"
	for options in "--no-children -g none -s srcline,sym --dsos spin" \
		"--no-children -g none -s srcfile --dsos spin" "--hierarchy -g none -s pid,dso"; do
		# shellcheck disable=SC2086
		perf report --stdio -q -i data $options 2>/dev/null | sed 's/ *$//' >theirs
		# shellcheck disable=SC2086
		"$XPERF" report -q -i data $options | sed 's/ *$//' >ours
		diff -u theirs ours || complain "report $options differs from perf's"
	done
fi
exit "${failed:-0}"
