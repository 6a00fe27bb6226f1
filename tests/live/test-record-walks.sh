#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# record --call-graph rules: call chains that the kernel makes at each sample, by rules, of programs that
# know their call chains (tests/truth/). None has a frame that was not there, and they are whole, also
# where no copy of a stack would reach. Samples are ordinary ones, which perf reads.
# TRUTH_ROWS names rows of the table of programs (a regular expression).
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
. "$SOURCE_DIR/tests/truth/truth.sh"
export HOME=$dir TRUTH_SPIN=${TRUTH_SPIN:-20000000}
[[ $(uname -m) == x86_64 ]] || skip "rules are those of x86-64"
command -v nm >/dev/null || skip "no nm"
build_judge 2>log || skip "$(head -n 1 log)"
"$XPERF" record -e cpu-clock:u --call-graph rules -o probe true >out 2>err </dev/null ||
	skip "nothing can be recorded here: $(grep -v '^Note' err | head -n 1)"
! grep '^Note: stacks are copied' err >why || skip "$(head -n 1 why)"
what=
truth_build probe "${CC:-cc}" "-O2 -fomit-frame-pointer" "" || skip "no compiler: $(tail -n 1 log)"

# judge_row NAME COMPILER FLAGS LINK_FLAGS
judge_row()
{
	local right short wrong

	truth_build "$@" || return 0
	if ! truth_record clock -e cpu-clock:u -F 4000 --call-graph rules -- hot; then
		cp log err
		complain "$1: cannot be recorded"
		return
	fi
	"$XPERF" script -i data.clock --max-stack 2000 -F tid,ip,dso 2>log |
		sed -E 's/^ *([0-9]+) *$/\1 0/' >script
	./judge -s 16384 -c -v symbols points.clock <script >verdict
	read -r _ _ right short wrong _ < <(tail -n 1 verdict)
	echo "$1: $right right, $short short, $wrong wrong"
	[[ $wrong == 0 ]] || { cp verdict out; complain "$1: $wrong chains have frames that were not there"; }
	((right * 100 >= (right + short) * 99)) || { cp verdict out; complain "$1: $short of $((right + short)) chains are short"; }
}

TRUTH_ROWS=${TRUTH_ROWS:-'gcc-O2|clang-O2|stripped|static-pie'}
each_truth_row judge_row

# The stack is larger than any copy. Until rules are there, chains end with the copy.
cat >deep.c <<'END'
#include <time.h>
volatile long sum;
__attribute__((noinline)) static long deep(int n)
{
	volatile char room[100];

	room[0] = (char)n;
	if (n)
		return deep(n - 1) + room[0];
	while (clock() < 3 * CLOCKS_PER_SEC)
		for (int i = 0; i < 1000000; i++)
			sum += i;
	return sum;
}
int main(void) { return (int)(deep(900) & 1); }
END
"${CC:-cc}" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c || skip "nothing can be compiled"
record -e cpu-clock:u -F 1000 --call-graph rules -o deep.data ./deep
# lengths FILE: of the last hundred chains, each once
lengths()
{
	"$XPERF" script -i "$1" --max-stack 2000 -F ip,sym 2>/dev/null |
		awk 'NF { n += $2 == "deep"; root = $2 } !NF { if (n) print n, root; n = 0 }' | tail -n 100 | sort -u
}
lengths deep.data >out
[[ $(<out) == "901 _start" ]] || complain "deep chains are not whole"
if command -v perf >/dev/null; then
	perf script -i deep.data --max-stack 2000 -F ip,sym 2>log |
		awk 'NF { n += $2 == "deep" } !NF { if (n) print n; n = 0 }' | tail -n 100 | sort -u >out
	[[ $(<out) == 901 ]] || complain "perf reads other chains"
fi

# Each sample is counted once, whoever made its chain.
"$XPERF" script -i deep.data -F time 2>/dev/null | sort | uniq -d >out
[[ ! -s out ]] || complain "samples are there twice"
exit "$failed"
