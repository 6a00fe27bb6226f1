/* SPDX-License-Identifier: MIT */
/*
 * Unwinding over files and stacks that are written byte by byte: each kind of rule, each end of a
 * chain, three machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "leaf.h"
#include "unwind-file.h"

/* Where the file is mapped, and the stack is. Functions of the file are 0x100 bytes long. */
enum { BASE = 0x10000000, STACK = 0x7f000000, WORDS = 128, FRAMES = 16, FUNCTION = 0x100 };

#define AT(function, offset) ((uint64_t)BASE + MADE_CODE + (function)*FUNCTION + (offset))
#define PROGRAM(...)         (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static struct xp_ctx *ctx;
static struct xp_symbols *symbols;
static char path[] = "/tmp/xperf-unwind-XXXXXX";

/* What a test has. */
static struct made_file made;
static struct xp_unwind *unwind;
static struct xp_unwind_file *file;
static struct xp_unwinder *unwinder;
static uint64_t stack[WORDS];
static uint64_t regs[64];
static int nr_map_calls;
static bool is_executable;

/* What was found. */
static uint64_t pcs[FRAMES], sps[FRAMES];
static uint8_t marks[FRAMES];
static struct xp_unwind_chain chain;

/* The file, and code that is no file's after it. */
static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	enum { FILE_END = BASE + MADE_MAX, JIT_END = FILE_END + 0x10000 };

	(void)data;
	nr_map_calls++;
	if (address >= BASE && address < FILE_END)
		*ret_map = (struct xp_unwind_map){ BASE, FILE_END, 0, file, true };
	else if (address >= FILE_END && address < JIT_END)
		*ret_map = (struct xp_unwind_map){ FILE_END, JIT_END, 0, NULL, is_executable };
	else
		return 0;
	return 1;
}

enum { JIT = BASE + MADE_MAX + 0x1000 };

/* Makes the file that was written the one that is mapped. */
static void load(const struct xp_unwind_opts *opts, const char *machine)
{
	const struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map };

	made_end(&made);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(made.bytes, 1, made.len, out), made.len);
	fclose(out);
	assert_int_equal(xp_unwind_new(symbols, opts, &unwind), 0);
	assert_int_equal(xp_unwind_open(unwind, path, NULL, 0, &file), 0);
	assert_int_equal(xp_unwinder_new(unwind, machine, &calls, &unwinder), 0);
}

static int clear(void **state)
{
	(void)state;
	xp_unwinder_free(unwinder);
	xp_unwind_free(unwind);
	unwinder = NULL;
	unwind = NULL;
	memset(stack, 0, sizeof(stack));
	memset(regs, 0, sizeof(regs));
	nr_map_calls = 0;
	is_executable = true;
	return 0;
}

/* Walks with @nr_words of the stack, and the registers of a mask. */
static int walk_part(uint64_t mask, size_t nr_words, size_t max, uint64_t abi)
{
	uint64_t values[64];
	struct xp_unwind_start start = { .size = sizeof(start),
					 .stack = stack,
					 .stack_len = nr_words * sizeof(*stack),
					 .space = 1 };
	int nr = 0;

	for (int bit = 0; bit < 64; bit++)
		if (mask >> bit & 1)
			values[nr++] = regs[bit];
	start.regs = (struct xp_regs){ .abi = abi, .mask = mask, .values = values, .nr = nr };
	chain = (struct xp_unwind_chain){
		.size = sizeof(chain), .pcs = pcs, .sps = sps, .marks = marks, .max = max
	};
	return xp_unwinder_walk(unwinder, &start, &chain);
}

/* Bits of x86's registers in samples */
enum { AX = 0, BX = 1, DI = 5, BP = 6, SP = 7, IP = 8, R10 = 18, R12 = 20 };
#define X86_MASK UINT64_C(0xff0fff)

static void walk_x86(uint64_t pc, uint64_t bp)
{
	regs[IP] = pc;
	regs[BP] = bp;
	regs[SP] = STACK;
	assert_int_equal(walk_part(X86_MASK, WORDS, FRAMES, 2), 0);
}

#define assert_chain(its_end, ...)                                                                 \
	check_chain(its_end, (const uint64_t[]){ __VA_ARGS__ },                                    \
		    sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, __LINE__)

static void check_chain(enum xp_unwind_end end, const uint64_t *should, size_t nr, int line)
{
	for (size_t i = 0; i < nr && i < chain.nr; i++)
		if (pcs[i] != should[i])
			fail_msg("line %d, frame %zu: %#llx, not %#llx", line, i,
				 (unsigned long long)pcs[i], (unsigned long long)should[i]);
	if (chain.nr != nr || chain.end != end)
		fail_msg("line %d: %zu frames, end %d (%s), not %zu, %d", line, chain.nr, chain.end,
			 xp_unwind_end_text(chain.end), nr, end);
}

/* Functions of an x86-64 program. */
enum {
	ENTRY,     /* there is no caller */
	PLAIN,     /* sp + 8, sp + 16 after 1 byte */
	FRAMED,    /* rbp + 16 after its beginning */
	BY_BX,     /* rbx + 32, with rbx and r12 saved */
	ALIGNED,   /* what is at rbp - 8 */
	PLT,       /* an expression, 8 bytes more from the 11th byte of an entry on */
	HANDLER,   /* returns to SIGNAL */
	SIGNAL,    /* registers are above sp */
	COMPUTED,  /* CFA = (sp + 24) | 8 - 8, return address = CFA - 16 */
	REMEMBERS, /* sp + 16, sp + 8 for an epilogue, sp + 16 again */
	UNKNOWN,   /* is not described */
	LEAVES,    /* its return address is in no place that is known */
	POPPED,    /* its return address is in rdi, and it has no frame, as in vfork() */
};

static void write_x86(void)
{
	made_begin(&made, EM_X86_64);
	made_cie(&made, "zR", 16, PROGRAM(CFA_DEF, 7, 8, CFA_OFFSET + 16, 1));
	made_fde(&made, ENTRY * FUNCTION, FUNCTION, PROGRAM(CFA_UNDEFINED, 16));
	made_fde(&made, PLAIN * FUNCTION, FUNCTION, PROGRAM(CFA_ADVANCE + 1, CFA_DEF_OFFSET, 16));
	made_fde(&made, FRAMED * FUNCTION, FUNCTION,
		 PROGRAM(CFA_ADVANCE + 1, CFA_DEF_OFFSET, 16, CFA_OFFSET + 6, 2, CFA_ADVANCE + 3,
			 CFA_DEF_REGISTER, 6));
	made_fde(&made, BY_BX * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF, 3, 32, CFA_OFFSET + 3, 2, CFA_OFFSET + 12, 3));
	made_fde(&made, ALIGNED * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF_EXPRESSION, 3, 0x76, 0x78, 0x06));
	made_fde(&made, PLT * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF_EXPRESSION, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33,
			 0x24, 0x22));
	made_fde(&made, HANDLER * FUNCTION, FUNCTION - 1, NULL, 0);
	made_fde(&made, COMPUTED * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF_EXPRESSION, 6, 0x77, 24, 0x38, 0x21, 0x38, 0x1c, CFA_EXPRESSION,
			 16, 2, 0x40, 0x1c));
	made_fde(&made, REMEMBERS * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF_OFFSET, 16, CFA_ADVANCE + 8, CFA_REMEMBER, CFA_DEF_OFFSET, 8,
			 CFA_ADVANCE + 8, CFA_RESTORE));
	made_fde(&made, LEAVES * FUNCTION, FUNCTION, PROGRAM(CFA_SAME, 16));
	made_fde(&made, POPPED * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF_OFFSET, 0, CFA_REGISTER, 16, 5));
	made_cie(&made, "zRS", 16, PROGRAM(CFA_DEF, 7, 8, CFA_OFFSET + 16, 1));
	made_fde(&made, SIGNAL * FUNCTION - 1, FUNCTION, NULL, 0);
	/* call */
	memcpy(made.bytes + MADE_CODE + FRAMED * FUNCTION - 5, "\xe8\0\0\0\0", 5);
	/* mov $15, %rax; syscall */
	memcpy(made.bytes + MADE_CODE + SIGNAL * FUNCTION, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9);
}

static void frames_follow_the_stack_pointer(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	/* In the first byte of a function, in its body, in its last caller. */
	stack[0] = AT(PLAIN, 9);
	stack[2] = AT(PLAIN, 5);
	stack[4] = AT(ENTRY, 5);
	walk_x86(AT(PLAIN, 0), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(PLAIN, 0), AT(PLAIN, 9), AT(PLAIN, 5), AT(ENTRY, 5));
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(sps[i], STACK + (i ? 16 * i - 8 : 0));
		assert_int_equal(marks[i], 0);
	}
	assert_null(chain.end_file);
	/* Again, from what is known; once per page the program was asked what is mapped. */
	int calls = nr_map_calls;
	walk_x86(AT(PLAIN, 0), 0);
	assert_int_equal(chain.nr, 4);
	assert_int_equal(nr_map_calls, calls);
	/* A call as the last instruction of a function: the return address is in the next one. */
	stack[0] = AT(FRAMED, 0);
	walk_x86(AT(PLAIN, 0), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(PLAIN, 0), AT(FRAMED, 0), AT(PLAIN, 5), AT(ENTRY, 5));
}

/* As makecontext(3) makes them: the stack ends with where a function begins, and no call is before
 * it. */
static void stacks_made_by_hand_begin_with_a_label(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	stack[0] = AT(PLAIN, 9);
	stack[2] = AT(PLAIN, 0);
	for (int again = 0; again < 2; again++) {
		walk_x86(AT(PLAIN, 0), 0);
		assert_chain(XP_UNWIND_COMPLETE, AT(PLAIN, 0), AT(PLAIN, 9), AT(PLAIN, 0));
		assert_int_equal(marks[1], 0);
		assert_int_equal(marks[2], XP_UNWIND_NOT_CALLED);
	}
}

/* push %rbp; push %r12; nop; pop %r12; pop %rbp; ret, of which gcc describes the saved registers to
 * the end */
static void popped_registers_have_their_values(void **state)
{
	static const uint8_t code[] = { 0x55, 0x41, 0x54, 0x90, 0x41, 0x5c, 0x5d, 0xc3 };
	const size_t nr_bodies = 2;

	(void)state;
	for (size_t i = 0; i < nr_bodies; i++) {
		clear(NULL);
		write_x86();
		made_cie(&made, "zR", 16, PROGRAM(CFA_DEF, 7, 8, CFA_OFFSET + 16, 1));
		made_fde(&made, UNKNOWN * FUNCTION, FUNCTION,
			 PROGRAM(CFA_ADVANCE + 1, CFA_DEF_OFFSET, 16, CFA_OFFSET + 6, 2,
				 CFA_ADVANCE + 2, CFA_DEF_OFFSET, 24, CFA_OFFSET + 12, 3,
				 CFA_ADVANCE + 3, CFA_DEF_OFFSET, 16, CFA_ADVANCE + 1,
				 CFA_DEF_OFFSET, 8));
		memcpy(made.bytes + MADE_CODE + UNKNOWN * FUNCTION, code, sizeof(code));
		/* The same description, but something else may have been done to the register. */
		if (i)
			made.bytes[MADE_CODE + UNKNOWN * FUNCTION + 7] = 0x90;
		load(NULL, "x86_64");
		/* The caller's frame is found by rbp. */
		stack[0] = AT(FRAMED, 9);
		stack[5] = 0;
		stack[6] = AT(ENTRY, 5);
		walk_x86(AT(UNKNOWN, 7), STACK + 5 * sizeof(*stack));
		if (i)
			assert_chain(XP_UNWIND_NO_INFO, AT(UNKNOWN, 7), AT(FRAMED, 9));
		else
			assert_chain(XP_UNWIND_COMPLETE, AT(UNKNOWN, 7), AT(FRAMED, 9),
				     AT(ENTRY, 5));
		/* One instruction before, rbp is on the stack yet. */
		stack[0] = STACK + 5 * sizeof(*stack);
		stack[1] = AT(FRAMED, 9);
		walk_x86(AT(UNKNOWN, 6), 1);
		assert_chain(XP_UNWIND_COMPLETE, AT(UNKNOWN, 6), AT(FRAMED, 9), AT(ENTRY, 5));
	}
}

static void return_addresses_can_be_in_registers(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	regs[DI] = AT(PLAIN, 5);
	stack[1] = AT(ENTRY, 5);
	walk_x86(AT(POPPED, 3), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(POPPED, 3), AT(PLAIN, 5), AT(ENTRY, 5));
}

static void frames_follow_other_registers(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	/* rbp, and its caller's: */
	stack[4] = STACK + 64;
	stack[5] = AT(FRAMED, 20);
	stack[8] = 1;
	stack[9] = AT(ENTRY, 5);
	walk_x86(AT(FRAMED, 20), STACK + 32);
	assert_chain(XP_UNWIND_COMPLETE, AT(FRAMED, 20), AT(FRAMED, 20), AT(ENTRY, 5));
	/* rbx, which the first function saves for the second: */
	regs[BX] = STACK;
	stack[1] = 7;
	stack[2] = STACK + 40;
	stack[3] = AT(BY_BX, 1);
	stack[8] = AT(ENTRY, 5);
	walk_x86(AT(BY_BX, 0), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(BY_BX, 0), AT(BY_BX, 1), AT(ENTRY, 5));
	/* A realigned stack: the frame is where a word says. */
	stack[3] = STACK + 80;
	stack[9] = AT(ENTRY, 5);
	walk_x86(AT(ALIGNED, 0), STACK + 32);
	assert_chain(XP_UNWIND_COMPLETE, AT(ALIGNED, 0), AT(ENTRY, 5));
	assert_int_equal(sps[1], STACK + 80);
	assert_int_equal(marks[1], 0);
}

static void entries_of_a_plt_are_known(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	stack[0] = 3;
	stack[1] = AT(ENTRY, 5);
	walk_x86(AT(PLT, 0x1b), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(PLT, 0x1b), AT(ENTRY, 5));
	stack[0] = AT(ENTRY, 5);
	walk_x86(AT(PLT, 0x1a), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(PLT, 0x1a), AT(ENTRY, 5));
	assert_int_equal(marks[1], 0);
}

static void signals_interrupt_anywhere(void **state)
{
	enum { CONTEXT = 1, GREGS = CONTEXT + 5, ITS_SP = GREGS + 15, ITS_PC = GREGS + 16 };

	(void)state;
	write_x86();
	load(NULL, "x86_64");
	/* The handler returns to the end of signals; the first byte of a function was interrupted,
	 * whose caller is described with its return address. */
	stack[0] = AT(SIGNAL, 0);
	stack[ITS_SP] = STACK + 400;
	stack[ITS_PC] = AT(PLAIN, 0);
	stack[50] = AT(ENTRY, 5);
	walk_x86(AT(HANDLER, 3), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(HANDLER, 3), AT(SIGNAL, 0), AT(PLAIN, 0), AT(ENTRY, 5));
	assert_int_equal(marks[1], 0);
	assert_int_equal(marks[2], XP_UNWIND_INTERRUPTED);
	assert_int_equal(marks[3], 0);
	/* The handler had a stack of its own, at a higher address. */
	stack[ITS_SP] = STACK - 4096;
	walk_x86(AT(HANDLER, 3), 0);
	assert_chain(XP_UNWIND_END_OF_DUMP, AT(HANDLER, 3), AT(SIGNAL, 0), AT(PLAIN, 0));
}

static void expressions_are_evaluated(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	stack[0] = AT(ENTRY, 5);
	walk_x86(AT(COMPUTED, 3), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(COMPUTED, 3), AT(ENTRY, 5));
	assert_int_equal(sps[1], STACK + 16);
	assert_int_equal(marks[1], XP_UNWIND_BY_LIBRARY);
}

/* Rows that were looked up for later addresses are not used for earlier ones. */
static void states_are_remembered(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	for (int i = 0; i < 2; i++) {
		stack[0] = 1;
		stack[1] = AT(ENTRY, 5);
		walk_x86(AT(REMEMBERS, 20), 0);
		assert_chain(XP_UNWIND_COMPLETE, AT(REMEMBERS, 20), AT(ENTRY, 5));
		stack[0] = AT(ENTRY, 5);
		walk_x86(AT(REMEMBERS, 10), 0);
		assert_chain(XP_UNWIND_COMPLETE, AT(REMEMBERS, 10), AT(ENTRY, 5));
		stack[0] = 1;
		walk_x86(AT(REMEMBERS, 4), 0);
		assert_chain(XP_UNWIND_COMPLETE, AT(REMEMBERS, 4), AT(ENTRY, 5));
	}
}

static void every_end_has_its_reason(void **state)
{
	(void)state;
	write_x86();
	load(NULL, "x86_64");
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = i % 2 ? 1 : AT(PLAIN, 9);
	/* The copy of the stack ends. */
	regs[IP] = AT(PLAIN, 0);
	regs[SP] = STACK;
	assert_int_equal(walk_part(X86_MASK, 3, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_END_OF_DUMP, AT(PLAIN, 0), AT(PLAIN, 9), AT(PLAIN, 9));
	/* There is none. */
	assert_int_equal(walk_part(X86_MASK, 0, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_NO_STACK, AT(PLAIN, 0));
	/* There is no room. */
	assert_int_equal(walk_part(X86_MASK, WORDS, 3, 2), 0);
	assert_chain(XP_UNWIND_LIMIT, AT(PLAIN, 0), AT(PLAIN, 9), AT(PLAIN, 9));
	/* Nothing is mapped there. */
	stack[2] = 0x1234;
	walk_x86(AT(PLAIN, 0), 0);
	assert_chain(XP_UNWIND_NOT_MAPPED, AT(PLAIN, 0), AT(PLAIN, 9), 0x1234);
	/* A caller of 0 is none. */
	stack[2] = 0;
	walk_x86(AT(PLAIN, 0), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(PLAIN, 0), AT(PLAIN, 9));
	/* Nothing describes the code. */
	stack[2] = AT(UNKNOWN, 5);
	walk_x86(AT(PLAIN, 0), 3);
	assert_chain(XP_UNWIND_NO_INFO, AT(PLAIN, 0), AT(PLAIN, 9), AT(UNKNOWN, 5));
	assert_ptr_equal(chain.end_file, file);
	walk_x86(AT(LEAVES, 0), 0);
	assert_chain(XP_UNWIND_NO_INFO, AT(LEAVES, 0));
	/* Frames lead inwards. */
	stack[2] = AT(FRAMED, 20);
	walk_x86(AT(PLAIN, 0), STACK);
	assert_chain(XP_UNWIND_BAD, AT(PLAIN, 0), AT(PLAIN, 9), AT(FRAMED, 20));
}

static void frame_pointers_are_followed_where_nothing_is_known(void **state)
{
	const struct xp_unwind_opts strict = { .size = sizeof(strict), .no_frame_pointers = true };

	(void)state;
	write_x86();
	load(NULL, "x86_64");
	stack[4] = STACK + 80;
	stack[5] = JIT;
	stack[10] = 0;
	stack[11] = AT(ENTRY, 5);
	walk_x86(JIT, STACK + 32);
	assert_chain(XP_UNWIND_COMPLETE, JIT, JIT, AT(ENTRY, 5));
	assert_int_equal(marks[0], 0);
	assert_int_equal(marks[1], XP_UNWIND_BY_FRAME_POINTER);
	assert_int_equal(marks[2], XP_UNWIND_BY_FRAME_POINTER);
	assert_int_equal(sps[1], STACK + 48);
	/* No frame pointer: it could be the outermost frame, or code that uses the register. */
	stack[11] = JIT;
	walk_x86(JIT, STACK + 32);
	assert_chain(XP_UNWIND_NO_INFO, JIT, JIT, JIT);
	/* It has to lead outwards, into the stack, and to code. */
	walk_x86(JIT, STACK - 16);
	assert_chain(XP_UNWIND_NO_INFO, JIT);
	assert_null(chain.end_file);
	walk_x86(JIT, STACK + 33);
	assert_chain(XP_UNWIND_NO_INFO, JIT);
	walk_x86(JIT, STACK + 4096);
	assert_chain(XP_UNWIND_NO_INFO, JIT);
	clear(NULL);
	is_executable = false;
	write_x86();
	load(NULL, "x86_64");
	stack[5] = JIT;
	walk_x86(JIT, STACK + 32);
	assert_chain(XP_UNWIND_NO_INFO, JIT);
	/* Code of files need not keep it, whether the file can be read or not. */
	clear(NULL);
	write_x86();
	load(NULL, "x86_64");
	stack[5] = JIT;
	walk_x86(AT(UNKNOWN, 0), STACK + 32);
	assert_chain(XP_UNWIND_NO_INFO, AT(UNKNOWN, 0));
	clear(NULL);
	write_x86();
	load(NULL, "x86_64");
	assert_int_equal(unlink(path), 0);
	stack[5] = JIT;
	walk_x86(AT(UNKNOWN, 0), STACK + 32);
	assert_chain(XP_UNWIND_NO_FILE, AT(UNKNOWN, 0));
	clear(NULL);
	write_x86();
	load(&strict, "x86_64");
	stack[5] = JIT;
	walk_x86(JIT, STACK + 32);
	assert_chain(XP_UNWIND_NO_INFO, JIT);
}

/* Without rules, and by rules only; libunwind needs a file with .eh_frame_hdr: unit/unwind-self. */
static void methods_agree(void **state)
{
	static const enum xp_unwind_method methods[] = { XP_UNWIND_AUTO, XP_UNWIND_LIBDW,
							 XP_UNWIND_RULES };

	(void)state;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const struct xp_unwind_opts opts = { .size = sizeof(opts), .method = methods[i] };

		clear(NULL);
		write_x86();
		load(&opts, "x86_64");
		regs[BX] = STACK + 16;
		stack[0] = AT(PLAIN, 9);
		stack[2] = AT(BY_BX, 1);
		stack[3] = 4;
		stack[4] = 5;
		stack[5] = AT(COMPUTED, 2);
		stack[6] = AT(ENTRY, 5);
		walk_x86(AT(PLAIN, 0), 0);
		if (methods[i] == XP_UNWIND_RULES)
			assert_chain(XP_UNWIND_NO_INFO, AT(PLAIN, 0), AT(PLAIN, 9), AT(BY_BX, 1),
				     AT(COMPUTED, 2));
		else
			assert_chain(XP_UNWIND_COMPLETE, AT(PLAIN, 0), AT(PLAIN, 9), AT(BY_BX, 1),
				     AT(COMPUTED, 2), AT(ENTRY, 5));
	}
}

/* Bits of arm64's registers in samples, which have the numbers of DWARF */
enum { FP = 29, LR = 30, ARM_SP = 31, PC = 32 };
#define ARM64_MASK ((UINT64_C(1) << 33) - 1)

static void arm64_has_a_link_register(void **state)
{
	const uint64_t mask = ARM64_MASK, signature = UINT64_C(0x2b) << 48;

	(void)state;
	made_begin(&made, EM_AARCH64);
	made_cie(&made, "zR", 30, PROGRAM(CFA_DEF, 31, 0));
	made_fde(&made, ENTRY * FUNCTION, FUNCTION, PROGRAM(CFA_UNDEFINED, 30));
	/* paciasp; stp x29, x30, [sp, #-32]!; x19 is saved, too */
	made_fde(&made, PLAIN * FUNCTION, FUNCTION,
		 PROGRAM(CFA_OFFSET + 19, 2, CFA_ADVANCE + 4, CFA_NEGATE_RA_STATE, CFA_ADVANCE + 4,
			 CFA_DEF_OFFSET, 32, CFA_OFFSET + 29, 4, CFA_OFFSET + 30, 3));
	made_fde(&made, HANDLER * FUNCTION, FUNCTION - 1, NULL, 0);
	made_fde(&made, BY_BX * FUNCTION, FUNCTION, PROGRAM(CFA_DEF, 19, 16, CFA_OFFSET + 30, 1));
	made_fde(&made, FRAMED * FUNCTION, FUNCTION, PROGRAM(CFA_DEF_OFFSET, 32));
	/* mov x8, #139; svc #0 */
	memcpy(made.bytes + MADE_CODE + SIGNAL * FUNCTION, "\x68\x11\x80\xd2\x01\0\0\xd4", 8);
	load(NULL, "aarch64");
	/* A leaf that has not saved anything, called by one that has signed its return address. */
	regs[PC] = AT(HANDLER, 8);
	regs[ARM_SP] = STACK;
	regs[LR] = AT(PLAIN, 12) | signature;
	stack[0] = STACK + 64;
	stack[1] = AT(BY_BX, 4) | signature;
	stack[2] = STACK + 64;
	stack[9] = AT(ENTRY, 8);
	assert_int_equal(walk_part(mask, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(HANDLER, 8), AT(PLAIN, 12), AT(BY_BX, 4), AT(ENTRY, 8));
	assert_int_equal(sps[1], STACK);
	/* A call has overwritten a link register that is not saved, also where there is a frame. */
	stack[1] = AT(HANDLER, 8);
	assert_int_equal(walk_part(mask, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_NO_INFO, AT(HANDLER, 8), AT(PLAIN, 12), AT(HANDLER, 8));
	stack[1] = AT(FRAMED, 8);
	assert_int_equal(walk_part(mask, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_NO_INFO, AT(HANDLER, 8), AT(PLAIN, 12), AT(FRAMED, 8));
	/* A signal: the registers are above the handler's frame. */
	regs[LR] = AT(SIGNAL, 0);
	stack[39 + LR] = AT(ENTRY, 8);
	stack[39 + ARM_SP] = STACK + 800;
	stack[39 + PC] = AT(HANDLER, 0);
	assert_int_equal(walk_part(mask, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(HANDLER, 8), AT(SIGNAL, 0), AT(HANDLER, 0),
		     AT(ENTRY, 8));
	assert_int_equal(marks[2], XP_UNWIND_INTERRUPTED);
	assert_int_equal(sps[2], STACK + 800);
}

/* Code of a file that is gone may have no frame: the frame pointer would lead past its caller. */
static void arm64_has_no_frames_where_there_is_no_file(void **state)
{
	(void)state;
	made_begin(&made, EM_AARCH64);
	load(NULL, "aarch64");
	assert_int_equal(unlink(path), 0);
	regs[PC] = AT(UNKNOWN, 8);
	regs[LR] = AT(PLAIN, 8);
	regs[ARM_SP] = STACK;
	regs[FP] = STACK + 8;
	stack[2] = AT(ENTRY, 8);
	assert_int_equal(walk_part(ARM64_MASK, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_NO_FILE, AT(UNKNOWN, 8));
	/* Of what is in no file, compilers keep them. */
	regs[PC] = JIT;
	stack[2] = AT(UNKNOWN, 8);
	assert_int_equal(walk_part(ARM64_MASK, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_NO_FILE, JIT, AT(UNKNOWN, 8));
}

/* One instruction after the other of code that is entered with two words on the stack, or none,
 * from a function whose frame has 16 bytes. */
static void walk_arm64_from(uint64_t pc, bool is_pushed)
{
	regs[PC] = pc;
	regs[LR] = AT(PLAIN, 8);
	regs[FP] = STACK + 48;
	regs[ARM_SP] = STACK;
	stack[1] = is_pushed ? AT(PLAIN, 8) : AT(ENTRY, 8);
	assert_int_equal(walk_part(ARM64_MASK, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_COMPLETE, pc, AT(PLAIN, 8), AT(ENTRY, 8));
	assert_int_equal(sps[1], is_pushed ? STACK + 16 : STACK);
}

static void arm64_has_code_of_linkers(void **state)
{
	static const uint32_t first[] = { 0xd503245f, 0xa9bf7bf0, 0xb00000f0, 0xf947fe11,
					  0x913fe210, 0xd61f0220, 0xd503201f, 0xd503201f },
			      entry[] = { 0xd503245f, 0xd00000f0, 0xf9400211, 0x91000210,
					  0xd61f0220 },
			      far[] = { 0x90000010, 0x91000210, 0xd61f0200 },
			      other[] = { 0xd61f0220, 0x90000000, 0xd61f0220 };
	uint8_t *code = made.bytes + MADE_CODE + UNKNOWN * FUNCTION;

	(void)state;
	made_begin(&made, EM_AARCH64);
	made_cie(&made, "zR", 30, PROGRAM(CFA_DEF, 31, 0));
	made_fde(&made, ENTRY * FUNCTION, FUNCTION, PROGRAM(CFA_UNDEFINED, 30));
	made_fde(&made, PLAIN * FUNCTION, FUNCTION,
		 PROGRAM(CFA_DEF_OFFSET, 16, CFA_OFFSET + 30, 1));
	/* As _dl_runtime_resolve describes itself: the first instruction, and the last ones. */
	made_fde(&made, BY_BX * FUNCTION, FUNCTION,
		 PROGRAM(CFA_ADVANCE + 4, CFA_OFFSET_EXTENDED_SF, 30, 0x7f, CFA_ADVANCE + 4,
			 CFA_DEF_OFFSET, 32, CFA_ADVANCE + 4, CFA_DEF_OFFSET, 0, CFA_ADVANCE + 4,
			 CFA_DEF_SF, 31, 2));
	memcpy(code, first, sizeof(first));
	memcpy(code + 32, entry, sizeof(entry));
	memcpy(code + 64, far, sizeof(far));
	memcpy(code + 96, other, sizeof(other));
	load(NULL, "aarch64");
	stack[3] = AT(ENTRY, 8);
	/* A frame pointer would lead past the function that called. */
	stack[6] = STACK + 96;
	stack[7] = AT(ENTRY, 8);
	for (uint64_t at = 0; at < 24; at += 4)
		walk_arm64_from(AT(UNKNOWN, at), at > 4);
	for (uint64_t at = 32; at < 52; at += 4)
		walk_arm64_from(AT(UNKNOWN, at), false);
	for (uint64_t at = 64; at < 76; at += 4)
		walk_arm64_from(AT(UNKNOWN, at), false);
	for (uint64_t at = 96; at < 108; at += 4) {
		regs[PC] = AT(UNKNOWN, at);
		assert_int_equal(walk_part(ARM64_MASK, WORDS, FRAMES, 2), 0);
		assert_chain(XP_UNWIND_NO_INFO, AT(UNKNOWN, at));
	}
	/* The function that finds others. */
	walk_arm64_from(AT(BY_BX, 0), true);
	walk_arm64_from(AT(BY_BX, 4), true);
	walk_arm64_from(AT(BY_BX, 12), true);
	walk_arm64_from(AT(BY_BX, 16), false);
	stack[5] = AT(PLAIN, 8);
	regs[PC] = AT(BY_BX, 8);
	regs[ARM_SP] = STACK;
	regs[LR] = 0;
	assert_int_equal(walk_part(ARM64_MASK, WORDS, FRAMES, 2), 0);
	assert_chain(XP_UNWIND_COMPLETE, AT(BY_BX, 8), AT(PLAIN, 8), AT(ENTRY, 8));
	assert_int_equal(sps[1], STACK + 48);
}

/* What the instruction at @at has not done yet, or has undone: registers are not on the stack, or
 * no longer, and the stack pointer is where the function's caller has it. */
static void walk_arm64_edge(uint64_t at, bool is_framed, bool has_x19)
{
	regs[PC] = AT(UNKNOWN, at);
	regs[ARM_SP] = is_framed ? STACK : STACK + 32;
	regs[LR] = is_framed && at >= 12 ? 0 : AT(BY_BX, 8);
	regs[19] = has_x19 ? STACK + 64 : 0;
	assert_int_equal(walk_part(ARM64_MASK, WORDS, FRAMES, 2), 0);
}

static void arm64_has_edges_that_are_not_described(void **state)
{
	/* stp x30, x21, [sp, #-32]!; stp x20, x19, [sp, #16]; mov w8, w1; cbz w9, .+4; ldp x20,
	 * x19, [sp, #16]; ldp x30, x21, [sp], #32; ret */
	uint32_t code[] = { 0xa9be57fe, 0xa9014ff4, 0x2a0103e8, 0x34000029,
			    0xa9414ff4, 0xa8c257fe, 0xd65f03c0 };
	static const struct {
		uint64_t at;
		bool is_framed, has_x19;
	} steps[] = { { 0, false, true },  { 4, true, true },   { 8, true, true },
		      { 12, true, false }, { 16, true, false }, { 20, true, true },
		      { 24, false, true } };

	/* The last one returns, or jumps to another function: ret, b, br x3. */
	static const uint32_t lasts[] = { 0xd65f03c0, 0x14000010, 0xd61f0060 };
	const size_t nr_steps = sizeof(steps) / sizeof(steps[0]);

	(void)state;
	for (size_t nr = 0; nr < nr_steps * sizeof(lasts) / sizeof(lasts[0]); nr++) {
		const size_t i = nr % nr_steps;

		code[6] = lasts[nr / nr_steps];
		clear(NULL);
		made_begin(&made, EM_AARCH64);
		made_cie(&made, "zR", 30, PROGRAM(CFA_DEF, 31, 0));
		made_fde(&made, ENTRY * FUNCTION, FUNCTION, PROGRAM(CFA_UNDEFINED, 30));
		made_fde(&made, BY_BX * FUNCTION, FUNCTION,
			 PROGRAM(CFA_DEF, 19, 16, CFA_OFFSET + 30, 1));
		made_fde(&made, UNKNOWN * FUNCTION, FUNCTION,
			 PROGRAM(CFA_ADVANCE + 8, CFA_DEF_OFFSET, 32, CFA_OFFSET + 30, 4,
				 CFA_OFFSET + 21, 3, CFA_OFFSET + 20, 2, CFA_OFFSET + 19, 1));
		memcpy(made.bytes + MADE_CODE + UNKNOWN * FUNCTION, code, sizeof(code));
		load(NULL, "aarch64");
		/* As read from the stack pointer on. */
		const size_t from = steps[i].is_framed ? 0 : 4;
		const uint64_t frame[] = { AT(BY_BX, 8), 0, 0, STACK + 64, 0, 0, 0, 0, 0,
					   AT(ENTRY, 8) };
		for (size_t word = from; word < sizeof(frame) / sizeof(frame[0]); word++)
			stack[word - from] = frame[word];
		/* Until it is stored, and when it has been loaded, it is in the register. */
		if (steps[i].at == 4)
			stack[3] = 1;
		walk_arm64_edge(steps[i].at, steps[i].is_framed, steps[i].has_x19);
		assert_chain(XP_UNWIND_COMPLETE, AT(UNKNOWN, steps[i].at), AT(BY_BX, 8),
			     AT(ENTRY, 8));
		assert_int_equal(sps[1], STACK + 32);
	}
}

/* Whatever the way through a function is: only instructions that leave both registers alone count.
 */
static void arm64_has_functions_that_save_nothing(void **state)
{
	static const struct {
		uint32_t code;
		bool keeps;
	} cases[] = {
		{ 0xd503201f, true },  /* nop */
		{ 0xd503245f, true },  /* bti c */
		{ 0xd5033bbf, true },  /* dmb ish */
		{ 0xd53be043, true },  /* mrs x3, cntvct_el0 */
		{ 0xd53be05e, false }, /* mrs x30, cntvct_el0 */
		{ 0x10fee8c3, true },  /* adr x3, . - 9000 */
		{ 0x1000001e, false }, /* adr x30, . */
		{ 0x7100401f, true },  /* cmp w0, #16 */
		{ 0x721b045f, true },  /* tst w2, #0x60 */
		{ 0x927cec1f, false }, /* and sp, x0, #-16 */
		{ 0xd10043ff, false }, /* sub sp, sp, #16 */
		{ 0x910003fd, true },  /* mov x29, sp */
		{ 0x910003bf, false }, /* mov sp, x29 */
		{ 0x8b2463e4, true },  /* add x4, sp, x4 */
		{ 0x8b2463ff, false }, /* add sp, sp, x4 */
		{ 0xeb01001f, true },  /* cmp x0, x1 */
		{ 0xea01001f, true },  /* tst x0, x1 */
		{ 0xaa1e03e3, true },  /* mov x3, x30 */
		{ 0xaa0303fe, false }, /* mov x30, x3 */
		{ 0x9a0323ff, false }, /* addpt sp, sp, x3 */
		{ 0xf9400061, true },  /* ldr x1, [x3] */
		{ 0xf940007e, false }, /* ldr x30, [x3] */
		{ 0xf94007e3, true },  /* ldr x3, [sp, #8] */
		{ 0xf84107e3, false }, /* ldr x3, [sp], #16 */
		{ 0xa9400c62, true },  /* ldp x2, x3, [x3] */
		{ 0xa9407862, false }, /* ldp x2, x30, [x3] */
		{ 0xa9bf7bfd, false }, /* stp x29, x30, [sp, #-16]! */
		{ 0xa9400fe2, true },  /* ldp x2, x3, [sp] */
		{ 0x885f7c62, true },  /* ldxr w2, [x3] */
		{ 0x881e7c62, false }, /* stxr w30, w2, [x3] */
		{ 0x14000010, true },  /* b */
		{ 0x94000010, false }, /* bl */
		{ 0x54000040, true },  /* b.eq */
		{ 0xb4000049, true },  /* cbz x9 */
		{ 0x37000366, true },  /* tbnz w6, #0 */
		{ 0xd61f0060, true },  /* br x3 */
		{ 0xd63f0060, false }, /* blr x3 */
		{ 0xd65f03c0, true },  /* ret */
		{ 0xd4000001, true },  /* svc #0 */
		{ 0x9e660062, true },  /* fmov x2, d3 */
		{ 0x9e66007e, false }, /* fmov x30, d3 */
		{ 0x0420505f, false }, /* of SVE */
		{ 0x00000000, false }, /* udf */
	};
	const struct machine *arm64 = xp_machine_find(EM_AARCH64);
	uint32_t code[] = { 0xd503201f, 0, 0xd65f03c0 };
	struct rule rule;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		code[1] = cases[i].code;
		if (xp_leaf_rule(arm64, code, 3, &rule) != cases[i].keeps)
			fail_msg("%08x", cases[i].code);
	}
	code[1] = code[0];
	assert_true(xp_leaf_rule(arm64, code, 3, &rule));
	assert_int_equal(rule.kind, RULE_FRAME);
	assert_int_equal(rule.cfa_reg, arm64->sp);
	assert_true(!rule.cfa_offset && !rule.saved);
	assert_false(xp_leaf_rule(arm64, code, 0, &rule));
	assert_false(xp_leaf_rule(xp_machine_find(EM_X86_64), code, 3, &rule));
}

static void i386_has_words_of_4_bytes(void **state)
{
	static const char *const kernels[] = { "x86_64", "i686" };
	uint32_t words[8] = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		clear(NULL);
		made_begin(&made, EM_386);
		made_cie(&made, "zR", 8, PROGRAM(CFA_DEF, 4, 4, CFA_OFFSET + 8, 1));
		made_fde(&made, ENTRY * FUNCTION, FUNCTION, PROGRAM(CFA_UNDEFINED, 8));
		made_fde(&made, PLAIN * FUNCTION, FUNCTION, NULL, 0);
		made_fde(&made, FRAMED * FUNCTION, FUNCTION,
			 PROGRAM(CFA_DEF, 5, 8, CFA_OFFSET + 5, 2));
		load(NULL, kernels[i]);
		regs[IP] = AT(PLAIN, 0);
		regs[SP] = STACK;
		regs[BP] = STACK + 16;
		words[0] = (uint32_t)AT(FRAMED, 5);
		words[5] = (uint32_t)AT(ENTRY, 5);
		memcpy(stack, words, sizeof(words));
		assert_int_equal(walk_part(0xfff, WORDS, FRAMES, 1), 0);
		assert_chain(XP_UNWIND_COMPLETE, AT(PLAIN, 0), AT(FRAMED, 5), AT(ENTRY, 5));
		assert_int_equal(sps[1], STACK + 4);
	}
}

static void what_cannot_be_walked_is_refused(void **state)
{
	const struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map };
	struct xp_unwinder *other;

	(void)state;
	write_x86();
	load(NULL, "x86_64");
	assert_int_equal(xp_unwinder_new(unwind, "s390x", &calls, &other), -EOPNOTSUPP);
	assert_int_equal(xp_unwinder_new(unwind, "vax", &calls, &other), -EOPNOTSUPP);
	regs[IP] = AT(PLAIN, 0);
	regs[SP] = STACK;
	assert_int_equal(walk_part(X86_MASK & ~(1U << SP), WORDS, FRAMES, 2), -EINVAL);
	assert_int_equal(walk_part(X86_MASK & ~(1U << IP), WORDS, FRAMES, 2), -EINVAL);
	assert_int_equal(walk_part(X86_MASK, WORDS, 0, 2), -EINVAL);
	/* The file of another machine says nothing. */
	xp_unwinder_free(unwinder);
	assert_int_equal(xp_unwinder_new(unwind, "aarch64", &calls, &unwinder), 0);
	regs[32] = AT(PLAIN, 0);
	regs[31] = STACK;
	assert_int_equal(walk_part((UINT64_C(1) << 33) - 1, WORDS, FRAMES, 2), 0);
	assert_int_equal(chain.nr, 1);
	assert_int_equal(xp_unwinder_new(unwind, "aarch64", &calls, &other), 0);
	xp_unwinder_free(other);
}

static int begin(void **state)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .debug_dir = "/nowhere" };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	is_executable = true;
	return 0;
}

static int end(void **state)
{
	(void)state;
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return unlink(path);
}

/* Whether this build can read call frame information. */
static bool has_libraries(void)
{
	write_x86();
	begin(NULL);
	load(NULL, "x86_64");
	stack[0] = AT(ENTRY, 5);
	walk_x86(AT(PLAIN, 0), 0);
	bool has = strcmp(xp_unwind_file_reason(file), "libdw is not installed") != 0;
	clear(NULL);
	end(NULL);
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	return has;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_follow_the_stack_pointer),
		TEST(stacks_made_by_hand_begin_with_a_label),
		TEST(popped_registers_have_their_values),
		TEST(return_addresses_can_be_in_registers),
		TEST(frames_follow_other_registers),
		TEST(entries_of_a_plt_are_known),
		TEST(signals_interrupt_anywhere),
		TEST(expressions_are_evaluated),
		TEST(states_are_remembered),
		TEST(every_end_has_its_reason),
		TEST(frame_pointers_are_followed_where_nothing_is_known),
		TEST(methods_agree),
		TEST(arm64_has_a_link_register),
		TEST(arm64_has_no_frames_where_there_is_no_file),
		TEST(arm64_has_code_of_linkers),
		TEST(arm64_has_edges_that_are_not_described),
		TEST(arm64_has_functions_that_save_nothing),
		TEST(i386_has_words_of_4_bytes),
		TEST(what_cannot_be_walked_is_refused),
	};

	if (!has_libraries()) {
		puts("there is no libelf or libdw");
		return 77;
	}
	return cmocka_run_group_tests(tests, begin, end);
}
