#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The stack of a fiber (makecontext(3)) begins with a return address that no call has left: a label at which
# a function begins. The chain is complete there, and no frame is of the function before the label.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
: "${CC:?}"
[[ $(uname -m) == x86_64 ]] || skip "fibers are known on x86-64"
"$XPERF" check -q feature dwarf-unwind || skip "this build unwinds no stacks"

cat >fiber.c <<'END'
#include <stdlib.h>
#include <ucontext.h>
volatile long sum;
static ucontext_t outside, inside;
__attribute__((noinline)) static void leaf(void) { for (long i = 0; i < 200000000; i++) sum += i; }
static void fiber(void) { leaf(); sum++; }
int main(void)
{
	if (getcontext(&inside)) return 1;
	inside.uc_stack.ss_size = 1 << 16;
	inside.uc_stack.ss_sp = malloc(inside.uc_stack.ss_size);
	inside.uc_link = &outside;
	makecontext(&inside, fiber, 0);
	swapcontext(&outside, &inside);
	return 0;
}
END
"$CC" -O1 -fno-optimize-sibling-calls -o dynamic fiber.c 2>err || skip "no makecontext() here"
for how in "-static" ""; do
	# shellcheck disable=SC2086 # none, or one word
	"$CC" -O1 -fno-optimize-sibling-calls $how -o fiber fiber.c 2>err || continue
	for dwarf in dwarf dwarf,16384,raw; do
		record --call-graph $dwarf -F 2000 -o fiber.data ./fiber
		"$XPERF" script -i fiber.data -F ip,sym >out 2>err
		# innermost first: each chain in which leaf is ends behind the fiber's function
		awk -v RS= '$2 == "leaf" { n++; if ($4 == "fiber" && NF == 6 && $6 != "[unknown]") good++ }
			END { exit !(n > 10 && good == n) }' out ||
			complain "$how $dwarf: chains of a fiber end elsewhere: $(tail -n 5 out)"
		"$XPERF" report --stdio -i fiber.data >out 2>err
		grep -q '^# Quality: .*all call chains complete' out || complain "$how $dwarf: not all chains are complete"
	done
done
exit $failed
