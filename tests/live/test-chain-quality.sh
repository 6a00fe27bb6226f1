#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `record` and `report` show how many call chains are complete: nearly all by copies of stacks, nearly none
# by frame pointers where they are not kept; then why, in which file, and what helps.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
: "${CC:?}"

cat >burn.c <<'END'
volatile long sum;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 100000000; i++) sum += i; }
__attribute__((noinline)) static void middle(void) { leaf(); sum++; }
__attribute__((noinline)) static void outer(void) { middle(); sum++; }
int main(void) { outer(); return 0; }
END
"$CC" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o kept burn.c || skip "nothing can be compiled"
"$CC" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o dropped burn.c

# share: of the complete chains, in percent, by the line on its input; "all" for the short form
share()
{
	sed -nE -e 's/.*call chains complete.*/100/p' \
		-e 's/^(# Quality|Call chains): ([0-9]+) of (the first )?([0-9]+) user call chains? (is|are) complete( but for callers of leaf functions)?$/\2 \4/p' |
		awk '{ print NF == 1 ? $1 : int(100 * $1 / $2) }'
}

# -g alone does not look at the program: whatever it is and whatever starts it, stacks are copied.
if "$XPERF" check -q feature dwarf-unwind; then
	for run in ./kept ./dropped "env A=1 ./dropped" "sh -c ./dropped" "timeout 60 ./dropped"; do
		# shellcheck disable=SC2086 # a command is words
		record -g -o chosen.data $run
		grep -q '^Note: callers are found by copies of stacks' err ||
			complain "$run: no note of how callers are found"
		got=$(share <err)
		[[ $got ]] && ((got >= 90)) || complain "$run: ${got:-no share} of chains are complete"
		"$XPERF" report --stdio -i chosen.data >out 2>err
		got=$(share <out)
		[[ $got ]] && ((got >= 90)) || complain "report, $run: ${got:-no share} of chains are complete"
	done
fi

record --call-graph fp -o asked.data ./dropped
! grep '^Note: callers' err || complain "--call-graph fp: something was chosen"

# Frame pointers lead past the caller of a function that sets none up, and that is said.
record --call-graph fp -o kept.data ./kept
grep -Eq '(call chains|are) complete but for callers of leaf functions' err || complain "by frame pointers: nothing of leaf functions"
"$XPERF" report --stdio -i kept.data >out 2>err
grep -Eq '^# Quality: .*complete but for callers of leaf functions' out || complain "report, by frame pointers: nothing of leaf functions"

# The dynamic linker begins with code that nothing describes, and is where chains end.
if "$XPERF" check -q feature dwarf-unwind; then
	LD_BIND_NOW=1 record -F 20000 -g -o start.data sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do env true; done'
	! grep -E 'ld-linux[^ ]* [0-9]' err || complain "record: chains end in the dynamic linker"
fi

# What was found: the function with most samples, where it begins, and what called it.
"$CC" -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o lines burn.c
# By frame pointers, the caller of a leaf is not known.
record --call-graph fp -o lines.data ./lines
grep -Eq '^(9[0-9]|100) % in leaf \(burn\.c:2\)$' err || complain "frame pointers: no line of what was found"
if "$XPERF" check -q feature dwarf-unwind; then
	record -g -o lines.data ./lines
	grep -Eq '^(9[0-9]|100) % in leaf \(burn\.c:2\), called by middle$' err || complain "no line of what was found"
fi
record -g -o true.data true
! grep ' % in ' err || complain "something was found in the few samples of true"

# chains that end with the copy of the stack: report says what helps, and not what was done
cat >deep.c <<'END'
volatile long sum;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 100000000; i++) sum += i; }
__attribute__((noinline)) static void deep(volatile char *outer)
{
	volatile char room[20000];
	room[0] = *outer;
	leaf();
	sum += room[0];
}
int main(void) { volatile char room[20000] = { 1 }; deep(room); return room[1]; }
END
"$CC" -O1 -fomit-frame-pointer -o deep deep.c
if "$XPERF" check -q feature dwarf-unwind; then
	record --call-graph dwarf,16384 -o deep.data ./deep
	grep -Eq '^Call chains: [0-9]+ ends? where the copy of the stack ends.*dwarf,65528$' err ||
		complain "a copy that is too small: no remedy"
	"$XPERF" report --stdio -i deep.data >out 2>err
	grep -Eq '^# Quality: [0-9]+ ends? where the copy of the stack ends.*dwarf,65528$' out ||
		complain "report of chains that ended with the copy: no remedy, or another one"
fi

record --call-graph fp -o dropped.data ./dropped
got=$(share <err)
[[ $got ]] && ((got <= 10)) || complain "no frame pointers: ${got:-no share} of chains are complete"
grep -Eq '^Call chains: .*/dropped [0-9]+.*--call-graph dwarf$' err || complain "no frame pointers: no file, or no remedy"
"$XPERF" report --stdio -i dropped.data >out 2>err
grep -Eq '^# Quality: .*/dropped [0-9]+.*--call-graph dwarf$' out || complain "report: no file, or no remedy"
! grep '^# Quality: .*%' out || complain "a quality line has a percent sign"
"$XPERF" report --json -i dropped.data >out 2>err
grep -Eq '"user_call_chains": \{"complete": [0-9]+, .*"no_caller": [1-9]' out || complain "JSON: no numbers of chains"

# what has no call chains, or is read by scripts, has no such line
record -o plain.data ./kept
! grep -i 'call chains' err || complain "call chains are judged without -g"
ln -s "$XPERF" perf
./perf record -g -e cpu-clock:u -o perf.data ./dropped >out 2>err
! grep "^Note: callers" err || complain "called as perf: -g is more than frame pointers"
! grep '^Call chains' err || complain "called as perf: lines that perf does not print"
record -q -g -o quiet.data ./dropped
! [[ -s err ]] || complain "-q prints"
exit $failed
