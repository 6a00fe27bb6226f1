/* SPDX-License-Identifier: MIT
 *
 * Points beneath and in code that the program made itself, in memory that is no file's. Some of it
 * keeps frame pointers, as JIT compilers do that want to be seen; the functions around it need not.
 * The rest clears the frame pointer, and has descriptions of its frames, by which alone its callers
 * can be found: it is replaced by code with another frame, and moved.
 */
#define _GNU_SOURCE
#include "frames.h"

#include "jit-dump.h"
#include "truth.h"

#include <stdlib.h>

typedef void (*made_fn)(const char *point, void (*callee)(const char *point, uintptr_t *frame));

#define BYTES(name) name, sizeof(name)

#ifdef __x86_64__
/* push %rbp; mov %rsp, %rbp; mov %rsi, %rax; mov %rbp, %rsi; call *%rax; pop %rbp; ret */
static const unsigned char calls[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf0,
				       0x48, 0x89, 0xee, 0xff, 0xd0, 0x5d, 0xc3 };
/* push %rbp; mov %rsp, %rbp; movb $1, (%rdi); pop %rbp; ret */
static const unsigned char touches[] = { 0x55, 0x48, 0x89, 0xe5, 0xc6, 0x07, 0x01, 0x5d, 0xc3 };

/* push %rbp; push %rbx; sub $40, %rsp; xor %ebp, %ebp; mov %rsi, %rax; lea 48(%rsp), %rsi;
 * call *%rax; add $40, %rsp; pop %rbx; pop %rbp; ret */
static const unsigned char small[] = { 0x55, 0x53, 0x48, 0x83, 0xec, 0x28, 0x31, 0xed, 0x48,
				       0x89, 0xf0, 0x48, 0x8d, 0x74, 0x24, 0x30, 0xff, 0xd0,
				       0x48, 0x83, 0xc4, 0x28, 0x5b, 0x5d, 0xc3 };
static const unsigned char small_frames[] = { 0x41, 0x0e, 16,   0x86, 2,    0x41, 0x0e, 24,
					      0x83, 3,    0x44, 0x0e, 64,   0x50, 0x0e, 24,
					      0x41, 0x0e, 16,   0xc3, 0x41, 0x0e, 8,    0xc6 };
/* The same with 104 bytes. */
static const unsigned char large[] = { 0x55, 0x53, 0x48, 0x83, 0xec, 0x68, 0x31, 0xed, 0x48,
				       0x89, 0xf0, 0x48, 0x8d, 0x74, 0x24, 0x70, 0xff, 0xd0,
				       0x48, 0x83, 0xc4, 0x68, 0x5b, 0x5d, 0xc3 };
static const unsigned char large_frames[] = { 0x41, 0x0e, 16,   0x86, 2,    0x41, 0x0e, 24, 0x83,
					      3,    0x44, 0x0e, 0x80, 1,    0x50, 0x0e, 24, 0x41,
					      0x0e, 16,   0xc3, 0x41, 0x0e, 8,    0xc6 };
#else
/* stp x29, x30, [sp, #-16]!; mov x29, sp; mov x8, x1; mov x1, x29; blr x8; ldp x29, x30, [sp], #16;
 * ret */
static const unsigned int calls[] = { 0xa9bf7bfd, 0x910003fd, 0xaa0103e8, 0xaa1d03e1,
				      0xd63f0100, 0xa8c17bfd, 0xd65f03c0 };
/* stp x29, x30, [sp, #-16]!; mov x29, sp; strb w0, [x0]; ldp x29, x30, [sp], #16; ret */
static const unsigned int touches[] = { 0xa9bf7bfd, 0x910003fd, 0x39000000, 0xa8c17bfd,
					0xd65f03c0 };

/* sub sp, sp, #48; str x30, [sp, #24]; stp x29, x19, [sp]; mov x29, xzr; mov x8, x1;
 * add x1, sp, #16; blr x8; ldp x29, x19, [sp]; ldr x30, [sp, #24]; add sp, sp, #48; ret */
static const unsigned int small[] = { 0xd100c3ff, 0xf9000ffe, 0xa9004ffd, 0xaa1f03fd,
				      0xaa0103e8, 0x910043e1, 0xd63f0100, 0xa9404ffd,
				      0xf9400ffe, 0x9100c3ff, 0xd65f03c0 };
static const unsigned char small_frames[] = { 0x44, 0x0e, 48,   0x44, 0x9e, 3,    0x44,
					      0x9d, 6,    0x93, 5,    0x54, 0xdd, 0xd3,
					      0x44, 0xde, 0x44, 0x0e, 0 };
/* The same with 112 bytes. */
static const unsigned int large[] = { 0xd101c3ff, 0xf9000ffe, 0xa9004ffd, 0xaa1f03fd,
				      0xaa0103e8, 0x910043e1, 0xd63f0100, 0xa9404ffd,
				      0xf9400ffe, 0x9101c3ff, 0xd65f03c0 };
static const unsigned char large_frames[] = { 0x44, 0x0e, 112,  0x44, 0x9e, 11,   0x44,
					      0x9d, 14,   0x93, 13,   0x54, 0xdd, 0xd3,
					      0x44, 0xde, 0x44, 0x0e, 0 };
#endif

static const struct made_code made_calls = { "made_calls", BYTES(calls), NULL, 0 };
static const struct made_code made_touches = { "made_touches", BYTES(touches), NULL, 0 };
static const struct made_code made_small = { "made_small", BYTES(small), BYTES(small_frames) };
static const struct made_code made_large = { "made_large", BYTES(large), BYTES(large_frames) };

static volatile int one = 1;
static made_fn made;

/* Enters for the code that called, whose frame pointer points to the caller's and to where it
 * returns to. */
static void enter_made(uintptr_t back, const uintptr_t *frame)
{
	truth_stack->entries[truth_stack->depth++] =
		(struct truth_entry){ TRUTH_FRAME, back - 1, frame[1], (uintptr_t)frame };
}

TRUTH_NOINLINE static void under_made(const char *point, uintptr_t *frame)
{
	enter_made((uintptr_t)__builtin_return_address(0), frame);
	TRUTH_ENTER();
	TRUTH_POINT(point);
	TRUTH_LEAVE();
	TRUTH_LEAVE();
}

TRUTH_NOINLINE static void between_made(const char *point, uintptr_t *frame)
{
	enter_made((uintptr_t)__builtin_return_address(0), frame);
	TRUTH_ENTER();
	made(point, under_made);
	TRUTH_LEAVE();
	TRUTH_LEAVE();
}

/* Uses all registers that a function has to save. */
TRUTH_NOINLINE static int calls_made(const char *point,
				     void (*callee)(const char *point, uintptr_t *frame))
{
	int a = one, b = a + one, c = b + one, d = c + one, e = d + one, f = e + one, g = f + one;

	TRUTH_ENTER();
	made(point, callee);
	TRUTH_LEAVE();
	return a * b + c * d + e * f + g;
}

TRUTH_NOINLINE static void in_made(void (*touch)(volatile char *page))
{
	TRUTH_ENTER();
	TRUTH_BENEATH("jit-itself", touch(truth_page));
	TRUTH_LEAVE();
}

/* One after the other at the same place, elsewhere, and at that place again. */
TRUTH_NOINLINE static void without_frame_pointers(void)
{
	char *here = made_room(), *there = made_room();

	TRUTH_ENTER();
	made = (made_fn)(uintptr_t)made_put(&made_small, here);
	calls_made("jit-described", under_made);
	calls_made("jit-described-twice", between_made);
	made = (made_fn)(uintptr_t)made_put(&made_large, here);
	calls_made("jit-replaced", under_made);
	made = (made_fn)(uintptr_t)made_move(&made_large, here, there + 8);
	made_put(&made_small, here);
	calls_made("jit-moved", between_made);
	made = (made_fn)(uintptr_t)here;
	calls_made("jit-in-its-place", under_made);
	/* a part of it is enough */
	made = (made_fn)(uintptr_t)made_put(&made_small, there);
	calls_made("jit-over-a-part", between_made);
	TRUTH_LEAVE();
}

void group_jit(void)
{
	TRUTH_ENTER();
	made = (made_fn)(uintptr_t)made_put(&made_calls, made_room());
	calls_made("jit", under_made);
	calls_made("jit-twice", between_made);
	in_made((void (*)(volatile char *))(uintptr_t)made_put(&made_touches, made_room()));
	if (made_is_described())
		without_frame_pointers();
	TRUTH_LEAVE();
}
