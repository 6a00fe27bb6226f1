#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `xperf script -F brstackinsn` prints the code between branches as perf does, of stacks that are
# recorded by running a program step by step.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/perf.sh"
command -v perf >/dev/null || skip "perf is not installed"
[[ $(perf version 2>/dev/null) == "perf version 6.1"* ]] ||
	skip "the layout compared is that of perf 6.1, this is: $(perf version 2>&1 | head -n 1)"
"$XPERF" check -q feature libelf || skip "built without libelf"
steps=$BUILD_DIR/tests/step-branches
[[ -x $steps ]] || skip "programs are run step by step on x86-64 only"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >work.c <<'END_OF_PROGRAM'
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned work;
__attribute__((noinline)) static void bar(void)
{
	work++;
}
__attribute__((noinline)) static void foo(void)
{
	bar();
	work++;
}
static void (*volatile indirect)(void) = foo;
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	int numbers[8];
	char text[100];

	for (int i = 0; i < 8; i++) {
		numbers[i] = i * 7919 % 31;
		if (work % 3)
			bar();
		indirect();
		snprintf(text, sizeof(text), "%d %f %s", i, i * 0.5, "x");
		switch (numbers[i] % 7) {
		case 0: work += 3; break;
		case 1: foo(); break;
		case 2: work ^= 5; break;
		case 3: bar(); break;
		case 4: work *= 3; break;
		}
	}
	qsort(numbers, 8, sizeof(*numbers), compare);
	return 0;
}
END_OF_PROGRAM
"$CC" -O1 -g -o work work.c || skip "nothing can be compiled"
"$steps" data ./work 2>error || skip "programs cannot be run step by step here: $(<error)"

# perf has no names, or others, for the stubs of the linker, and other lines of source where files
# were included: of the lines with functions, those of the program are compared.
comparable()
{
	grep -E "^.[0-9a-f]{16}.|^.(mismatch|\.\.\.)|^$|^ |^.(main|foo|bar|compare)(\+|:)" |
		sed 's/^\( *[0-9a-f]*\) .*@plt.*/\1/'
}

failed=0
# same LEAST OPTION...: what is compared has at least so many lines
same()
{
	local least=$1
	shift
	perf script -i data "$@" 2>/dev/null | comparable >perf.txt
	"$XPERF" script -i data "$@" | comparable >ours.txt
	if ! diff -u perf.txt ours.txt >differences; then
		echo "script $*: differs from perf's"
		head -40 differences
		failed=1
	fi
	(($(wc -l <ours.txt) >= least)) || { echo "script $*: too few lines"; failed=1; }
}

same 3000 -F ip,brstackinsn
same 3000 -F brstackinsn,brstackinsnlen
same 500 -F ip,sym,symoff,brstackinsnlen --max-blocks 3
same 3000 -F ip,srccode,brstackinsn

# Each instruction that is shown as text is shown as bytes, too.
addresses()
{
	"$XPERF" script -i data -F "$1" | sed -nE 's/^.([0-9a-f]{16}).*/\1/p'
}
if "$XPERF" check -q feature libcapstone; then
	cmp <(addresses brstackinsn) <(addresses brstackdisasm) || failed=1
	"$XPERF" script -i data -F brstackdisasm >text.txt
	grep -qE '^.[0-9a-f]{16}.(call|jmp) .{24,}.# (PRED|MISPRED)' text.txt ||
		{ echo "brstackdisasm: no call with its prediction"; failed=1; }
fi
exit $failed
