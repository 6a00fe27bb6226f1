#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Stacks become call chains while they are recorded: whole ones, in a small file that is read where
# the program no longer is, and by perf; whatever the recording is written to.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
: "${CC:?}"
[[ $(uname -m) == x86_64 ]] || skip "the program is known to keep no frame pointers on x86-64 only"

cat >chain.c <<'END'
volatile long sum;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 60000000; i++) sum += i; }
__attribute__((noinline)) static void second(void) { leaf(); sum++; }
__attribute__((noinline)) static void third(void) { second(); sum++; }
__attribute__((noinline)) static void fourth(void) { third(); sum++; }
int main(void) { fourth(); return 0; }
END
"$CC" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o chain chain.c || skip "nothing can be compiled"
event=(-F 500)
record "${event[@]}" --call-graph dwarf -o probe.data ./chain
"$XPERF" script -i probe.data -F ip,sym >out 2>err
grep -q main out || skip "stacks are not unwound here"

# share_of COMMAND FILE: percent of the samples in leaf that have its callers up to main
share_of()
{
	"$1" script -i "$2" -F ip,sym 2>err | awk '
		function judge() { if (chain ~ /^ leaf/) { n++; good += chain ~ /^ leaf second third fourth main / } chain = "" }
		NF < 2 { judge(); next }
		{ chain = chain " " $2 (chain ~ /main$/ ? " " : "") }
		END { judge(); print n ? int(100 * good / n) : 0 }'
}

# is_whole WHAT FILE
is_whole()
{
	local share

	share=$(share_of "$XPERF" "$2")
	((share >= 95)) || complain "$1: $share % of the chains are whole"
}

is_whole "a file" probe.data
! grep '^Lost' err || complain "samples were lost"
"$XPERF" evlist -v -i probe.data >out
! grep -E 'STACK|REGS|exclude_callchain_user' out || complain "the attributes are those of stacks"

# For as many samples, stacks take tens of times the room.
record "${event[@]}" --call-graph dwarf,8192,raw -o raw.data ./chain
samples() { "$XPERF" script -i "$1" -F ip 2>/dev/null | grep -c '^$'; }
small=$(($(stat -c %s probe.data) / ($(samples probe.data) + 1)))
large=$(($(stat -c %s raw.data) / ($(samples raw.data) + 1)))
((small * 10 < large)) || complain "$small bytes per sample, with stacks $large"
is_whole "stored stacks" raw.data

record "${event[@]}" --call-graph dwarf -z -o z.data ./chain
grep -q 'built without' err || is_whole "-z" z.data
"$XPERF" record -q -e cpu-clock:u "${event[@]}" --call-graph dwarf -o - ./chain 2>err | cat >pipe.data
is_whole "a pipe" pipe.data
record "${event[@]}" --call-graph dwarf --overwrite -o over.data ./chain
is_whole "--overwrite" over.data
record "${event[@]}" --call-graph dwarf --user-regs=ip,sp -o regs.data ./chain
is_whole "--user-regs" regs.data
"$XPERF" script -i regs.data -F uregs >out 2>err
grep -q 'IP:' out || complain "registers that were asked for are not there"
! grep -q 'R12:' out || complain "registers that were not asked for are there"
record "${event[@]}" --call-graph dwarf --switch-output=20K -o switched ./chain
for file in switched.2*; do
	is_whole "--switch-output" "$file"
	break
done

# Nothing of the program is needed any more.
"$XPERF" script -i probe.data -F ip >before 2>err
mv chain gone
"$XPERF" script -i probe.data -F ip >after 2>err
cmp before after || complain "chains are other ones without the program"
mv gone chain
if perf --version >out 2>&1; then
	share=$(share_of perf probe.data)
	((share >= 95)) || complain "perf script: $share % of the chains are whole"
	perf report -i probe.data --stdio --no-children -g caller 2>/dev/null | grep fourth >/dev/null ||
		complain "perf report shows no callers"
else
	echo "no perf: its script command is not tried"
fi

# Nothing follows a call that does not return: the next function begins where it would return to.
cat >leaves.c <<'END'
#include <setjmp.h>
#define NOINLINE __attribute__((noinline))
static jmp_buf back;
static volatile long sum;
NOINLINE _Noreturn void leaves(void) { for (int i = 0; i < 200000; i++) sum++; longjmp(back, 1); }
NOINLINE void calls_leaves(int n) { volatile char room[(n & 15) + 1]; room[0] = 1; leaves(); }
NOINLINE void calls_nothing(void) { sum++; }
int main(void) { for (volatile int i = 0; i < 300; i++) { if (!setjmp(back)) calls_leaves(i); calls_nothing(); } }
END
if "$CC" -O1 -falign-functions=1 -fno-optimize-sibling-calls -o leaves leaves.c; then
	record "${event[@]}" --call-graph dwarf -o leaves.data ./leaves
	"$XPERF" script -i leaves.data -F ip,sym >out 2>err
	awk '/ leaves$/ { getline; n++; wrong += !/ calls_leaves$/ } END { exit !n || wrong }' out ||
		complain "the caller of a function that does not return has another name"
fi

# Its file is replaced by another one while it runs: it has the rules of the old file, or none. Its
# functions may have no names then: a chain is whole if it reaches the C library's beginning.
cat >new.c <<'END'
volatile long sum;
#define GO_ON(name, next) __attribute__((noinline)) void name(void) { volatile char room[5000] = { 1 }; next; sum += room[1]; }
GO_ON(a, sum++) GO_ON(b, a()) GO_ON(c, b()) GO_ON(d, c())
int main(void) { d(); d(); return 0; }
END
# shellcheck disable=SC2016 # for the shell that is recorded
if "$CC" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=none -o old chain.c &&
	"$CC" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=none -o new new.c; then
	cp old replaced
	record "${event[@]}" --call-graph dwarf -o replaced.data sh -c './replaced & sleep 0.1; mv new replaced; wait'
	mv old replaced
	"$XPERF" script -i replaced.data -F ip,sym,comm >out 2>err
	awk '/^replaced/ { if (n > 1 && !whole) wrong++; n = whole = 0; next } NF { n++; whole += / (main|__libc_start.*)$/ }
		END { exit wrong > 5 }' out || complain "a replaced file: chains are neither whole nor of one frame"
fi
exit $failed
