#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Code that a runtime has made, without names: `record` names the option of that runtime and no other, while it
# can still be run again, and `report` says the same.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
: "${CC:?}"
[[ $(uname -m) == x86_64 ]] || skip "the code of this test is that of x86-64"

cat >made.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	/* dec %rdi; jnz; ret */
	static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) return 1;
	memcpy(at, code, sizeof(code));
	((void (*)(long))at)(300000000);
	return 0;
}
END
"$CC" -O1 -o made made.c || skip "nothing can be compiled"
"$XPERF" record -q -F 1000 -o try.data ./made 2>err || skip "no memory can be written and executed"

# says NAME PATTERN: both, of the program under this name
says()
{
	cp made "$1"
	record -F 1000 -g -o "$1.data" "./$1"
	grep '^Names: ' err | sed 's/^Names: //' >record.said
	"$XPERF" report --stdio -i "$1.data" >out 2>err
	grep '^# Quality: .*/tmp/perf-' out | sed 's/^# Quality: //' | grep -v ' end ' >report.said
	grep -Eq "$2" record.said || complain "$1: record does not say '$2': $(<record.said)"
	cmp -s record.said report.said || complain "$1: report says '$(<report.said)', record '$(<record.said)'"
}
says node '; record with node --perf-basic-prof$'
says python3.12 '; record with PYTHONPERFSUPPORT=1 \(python 3\.12\)$'
says libjvm.so '; record with java -XX:\+DumpPerfMapAtExit$'
says other 'node --perf-basic-prof, java -XX:\+DumpPerfMapAtExit, or PYTHONPERFSUPPORT=1$'
exit $failed
