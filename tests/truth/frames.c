/* SPDX-License-Identifier: MIT
 *
 * Points in functions of the program: sizes and shapes of frames, recursion, tail calls, long
 * jumps.
 */
#include "frames.h"

#include "truth.h"

#include <alloca.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Nobody knows its value when compiling. */
static volatile int one = 1;

/* Uses all registers that a function has to save. */
#define MANY_VALUES(v)                                                                             \
	int v##0 = one, v##1 = one + v##0, v##2 = one + v##1, v##3 = one + v##2,                   \
	    v##4 = one + v##3, v##5 = one + v##4, v##6 = one + v##5
#define SUM_OF(v) (v##0 + v##1 * 3 + v##2 * 5 + v##3 * 7 + v##4 * 9 + v##5 * 11 + v##6 * 13)

TRUTH_NOINLINE static int inner(const char *name)
{
	MANY_VALUES(a);
	TRUTH_ENTER();
	TRUTH_POINT(name);
	TRUTH_LEAVE();
	return SUM_OF(a);
}

TRUTH_NOINLINE static int middle(const char *name)
{
	MANY_VALUES(a);
	int result;

	TRUTH_ENTER();
	result = inner(name) + inner(name);
	TRUTH_LEAVE();
	return result + SUM_OF(a);
}

/* Calls nothing, so that it may use the stack below its stack pointer. */
TRUTH_NOINLINE static int leaf(volatile char *page, int value)
{
	volatile int below[16];

	TRUTH_ENTER();
	for (int i = 0; i < 16; i++)
		below[i] = value + i;
	*page = 1;
	TRUTH_LEAVE();
	return below[value & 15];
}

TRUTH_NOINLINE static int above_leaf(void)
{
	volatile char *page;
	uintptr_t sp;
	int result;

	TRUTH_ENTER();
	page = truth_arm();
	result = leaf(page, one);
	TRUTH_SP(sp);
	truth_armed("leaf", truth_stack->entries[truth_stack->depth].pc, sp - 256,
		    truth_stack->depth + 1, 0);
	TRUTH_LEAVE();
	return result;
}

#define BIG 61440
TRUTH_NOINLINE static int big(const char *name, int times)
{
	volatile char frame[BIG];
	int result;

	TRUTH_ENTER();
	for (int i = 0; i < BIG; i += 4096)
		frame[i] = (char)i;
	result = times > 1 ? big(name, times - 1) : inner(name);
	TRUTH_LEAVE();
	return result + frame[4096 * one];
}

TRUTH_NOINLINE static int aligned(const char *name)
{
	volatile char frame[256] __attribute__((aligned(128)));
	int result;

	TRUTH_ENTER();
	frame[one] = 1;
	result = inner(name) + frame[one];
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int many_arguments(int a, int b, int c, int d, int e, int f, int g, int h,
					 const char *name)
{
	int result;

	TRUTH_ENTER();
	result = inner(name);
	TRUTH_LEAVE();
	return result + a + b + c + d + e + f + g + h;
}

void group_frames(void)
{
	TRUTH_ENTER();
	middle("plain");
	above_leaf();
	big("frame-60k", 1);
	big("frames-180k", 3);
	aligned("aligned-frame");
	many_arguments(1, 2, 3, 4, 5, 6, 7, one, "many-arguments");
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static int recurse(const char *name, int depth)
{
	int result = one;

	TRUTH_ENTER();
	if (depth == 1)
		TRUTH_POINT(name);
	else
		result += recurse(name, depth - 1) * one;
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int even(int depth);

TRUTH_NOINLINE static int odd(int depth)
{
	volatile char frame[24];
	int result;

	TRUTH_ENTER();
	frame[one] = 2;
	result = even(depth - 1) + frame[one];
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int even(int depth)
{
	MANY_VALUES(a);
	int result = 0;

	TRUTH_ENTER();
	if (depth)
		result = odd(depth - 1);
	else
		TRUTH_POINT("two-recursing-40");
	TRUTH_LEAVE();
	return result + SUM_OF(a);
}

void group_recursion(void)
{
	TRUTH_ENTER();
	recurse("recursion-500", 500);
	even(40);
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static int with_alloca(const char *name, size_t size)
{
	char *memory;
	int result;

	TRUTH_ENTER();
	memory = alloca(size);
	memset(memory, one, size);
	result = inner(name) + memory[size / 2];
	TRUTH_LEAVE();
	return result;
}

TRUTH_NOINLINE static int with_array(const char *name, size_t size)
{
	volatile int array[size];
	int result;

	TRUTH_ENTER();
	array[size / 2] = one;
	result = with_alloca(name, size) + array[size / 2];
	TRUTH_LEAVE();
	return result;
}

void group_dynamic(void)
{
	TRUTH_ENTER();
	with_alloca("alloca", (size_t)one * 1000);
	with_array("array-of-any-length", (size_t)one * 700);
	TRUTH_LEAVE();
}

__attribute__((cold, noinline)) static int rare(const char *name)
{
	int result;

	TRUTH_ENTER();
	result = inner(name);
	TRUTH_LEAVE();
	return result;
}

/* A compiler that divides functions moves what calls a cold function to another section. */
TRUTH_NOINLINE static int divided(int value)
{
	MANY_VALUES(a);
	int result = value;

	TRUTH_ENTER();
	if (__builtin_expect(value == one, 0)) {
		TRUTH_POINT("cold-part");
		result += rare("from-cold-part");
		result *= SUM_OF(a);
		result += rare("from-cold-part");
	}
	TRUTH_LEAVE();
	return result + SUM_OF(a);
}

void group_cold(void)
{
	TRUTH_ENTER();
	divided(one);
	TRUTH_LEAVE();
}

/* Where a compiler makes jumps of such calls, the frame is gone. */
#ifdef __OPTIMIZE__
#define TAIL_CALL(call)                                                                            \
	do {                                                                                       \
		TRUTH_LEAVE();                                                                     \
		return call;                                                                       \
	} while (0)
#else
#define TAIL_CALL(call)                                                                            \
	do {                                                                                       \
		int tail_result = call;                                                            \
		TRUTH_LEAVE();                                                                     \
		return tail_result;                                                                \
	} while (0)
#endif

TRUTH_NOINLINE static int tail_second(const char *name)
{
	TRUTH_ENTER();
	TRUTH_POINT("before-tail-call");
	TAIL_CALL(inner(name));
}

TRUTH_NOINLINE static int tail_first(const char *name)
{
	TRUTH_ENTER();
	TAIL_CALL(tail_second(name));
}

TRUTH_NOINLINE static int above_tail(const char *name)
{
	int result;

	TRUTH_ENTER();
	result = tail_first(name) + one;
	TRUTH_LEAVE();
	return result;
}

void group_tail(void)
{
	TRUTH_ENTER();
	above_tail("tail-call");
	TRUTH_LEAVE();
}

static jmp_buf jump;

TRUTH_NOINLINE static int jumps(int depth)
{
	TRUTH_ENTER();
	if (depth)
		jumps(depth - 1);
	else
		TRUTH_POINT("before-longjmp");
	longjmp(jump, 7);
}

TRUTH_NOINLINE static int jumped_to(void)
{
	volatile int depth;
	int result = 0;

	TRUTH_ENTER();
	depth = truth_stack->depth;
	if (setjmp(jump) == 0) {
		jumps(3);
	} else {
		truth_stack->depth = depth;
		TRUTH_POINT("after-longjmp");
		result = inner("called-after-longjmp");
	}
	TRUTH_LEAVE();
	return result;
}

void group_jumps(void)
{
	TRUTH_ENTER();
	jumped_to();
	TRUTH_LEAVE();
}
