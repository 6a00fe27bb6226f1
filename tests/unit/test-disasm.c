/* SPDX-License-Identifier: MIT */
/* Machine code as text: the words of objdump(1), and what becomes of bytes that are no code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>

#include "feature.h"

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { ADDRESS = 0x1000 };
/* Of a row: the machine and how it is written. */
enum form { ATT, INTEL, I386, ARM64, ARM, THUMB };

static const struct {
	int machine;
	bool intel, thumb;
} forms[] = {
	[ATT] = { EM_X86_64, false, false }, [INTEL] = { EM_X86_64, true, false },
	[I386] = { EM_386, false, false },   [ARM64] = { EM_AARCH64, false, false },
	[ARM] = { EM_ARM, false, false },    [THUMB] = { EM_ARM, false, true },
};

/* Texts: objdump -d of binutils 2.40, at the same address; of Arm: capstone's own. */
static const struct {
	enum form form;
	int len;
	const char *bytes, *text;
	enum xp_instruction_kind kind;
	uint64_t target;
} rows[] = {
	{ ATT, 3, "\x48\x89\xe5", "mov    %rsp,%rbp", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 1, "\xc3", "ret", XP_INSTRUCTION_RETURN, 0 },
	{ ATT, 2, "\xf3\xc3", "repz ret", XP_INSTRUCTION_RETURN, 0 },
	{ ATT, 2, "\x7e\x54", "jle    1056", XP_INSTRUCTION_JUMP, 0x1056 },
	{ ATT, 5, "\xe8\xfb\xff\xff\xff", "call   1000", XP_INSTRUCTION_CALL, 0x1000 },
	{ ATT, 2, "\xff\xd0", "call   *%rax", XP_INSTRUCTION_CALL, 0 },
	{ ATT, 3, "\x3e\xff\xe0", "notrack jmp *%rax", XP_INSTRUCTION_JUMP, 0 },
	{ ATT, 6, "\xff\x25\x00\x10\x00\x00", "jmp    *0x1000(%rip)", XP_INSTRUCTION_JUMP, 0x2006 },
	{ ATT, 8, "\xf2\x0f\x10\x15\xb3\x0d\x00\x00", "movsd  0xdb3(%rip),%xmm2",
	  XP_INSTRUCTION_OTHER, 0x1dbb },
	{ ATT, 4, "\xf3\x0f\x1e\xfa", "endbr64", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\x83\xff\x01", "cmp    $0x1,%edi", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\x83\xf8\xff", "cmp    $0xffffffff,%eax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 4, "\x48\x83\xe4\xf0", "and    $0xfffffffffffffff0,%rsp", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 7, "\xc7\x45\xfc\x00\x00\x00\x00", "movl   $0x0,-0x4(%rbp)", XP_INSTRUCTION_OTHER,
	  0 },
	{ ATT, 4, "\xc6\x45\xfc\xff", "movb   $0xff,-0x4(%rbp)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\xff\x75\x08", "push   0x8(%rbp)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\x8b\x04\xc7", "mov    (%rdi,%rax,8),%eax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\x8b\x04\x07", "mov    (%rdi,%rax,1),%eax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 4, "\x0f\x1f\x40\x00", "nopl   0x0(%rax)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 10, "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", "cs nopw 0x0(%rax,%rax,1)",
	  XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 11, "\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00",
	  "data16 cs nopw 0x0(%rax,%rax,1)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 2, "\x66\x90", "xchg   %ax,%ax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 10, "\x49\xb9\xab\xaa\xaa\xaa\xaa\xaa\xaa\xaa", "movabs $0xaaaaaaaaaaaaaaab,%r9",
	  XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 5, "\x66\x48\x0f\x6e\xc0", "movq   %rax,%xmm0", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 5, "\x66\x41\x0f\x6e\x17", "movd   (%r15),%xmm2", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 4, "\xf2\x0f\x2a\xc8", "cvtsi2sd %eax,%xmm1", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 2, "\xd1\xe8", "shr    %eax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\xc1\xe8\x01", "shr    $0x1,%eax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 2, "\xd3\x20", "shll   %cl,(%rax)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 3, "\x0f\xb6\xc0", "movzbl %al,%eax", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 4, "\x48\x0f\xbe\x17", "movsbq (%rdi),%rdx", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 2, "\xf3\xab", "rep stos %eax,%es:(%rdi)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 2, "\x48\xa5", "movsq  %ds:(%rsi),%es:(%rdi)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 4, "\xf0\x0f\xb1\x17", "lock cmpxchg %edx,(%rdi)", XP_INSTRUCTION_OTHER, 0 },
	{ ATT, 9, "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "mov    %fs:0x28,%rax",
	  XP_INSTRUCTION_OTHER, 0 },
	{ INTEL, 3, "\x48\x89\xe5", "mov    rbp,rsp", XP_INSTRUCTION_OTHER, 0 },
	{ INTEL, 8, "\xf2\x0f\x10\x15\xb3\x0d\x00\x00", "movsd  xmm2,QWORD PTR [rip+0xdb3]",
	  XP_INSTRUCTION_OTHER, 0x1dbb },
	{ INTEL, 6, "\x66\x0f\x1f\x44\x00\x00", "nop    WORD PTR [rax+rax*1+0x0]",
	  XP_INSTRUCTION_OTHER, 0 },
	{ INTEL, 3, "\x83\xf8\xff", "cmp    eax,0xffffffff", XP_INSTRUCTION_OTHER, 0 },
	{ INTEL, 2, "\x7e\x54", "jle    1056", XP_INSTRUCTION_JUMP, 0x1056 },
	{ INTEL, 2, "\xd1\xe8", "shr    eax,1", XP_INSTRUCTION_OTHER, 0 },
	{ INTEL, 9, "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", "mov    rax,QWORD PTR fs:0x28",
	  XP_INSTRUCTION_OTHER, 0 },
	{ I386, 1, "\x55", "push   %ebp", XP_INSTRUCTION_OTHER, 0 },
	{ I386, 5, "\xe8\x00\x00\x00\x00", "call   1005", XP_INSTRUCTION_CALL, 0x1005 },
	{ I386, 6, "\xff\x25\x10\x20\x04\x08", "jmp    *0x8042010", XP_INSTRUCTION_JUMP, 0 },
	{ ARM64, 4, "\x83\x00\x00\x94", "bl     120c", XP_INSTRUCTION_CALL, 0x120c },
	{ ARM64, 4, "\x40\x00\x00\x54", "b.eq   1008", XP_INSTRUCTION_JUMP, 0x1008 },
	{ ARM64, 4, "\x20\x00\x00\x34", "cbz    w0, 1004", XP_INSTRUCTION_JUMP, 0x1004 },
	{ ARM64, 4, "\xc0\x03\x5f\xd6", "ret", XP_INSTRUCTION_RETURN, 0 },
	{ ARM64, 4, "\xe0\x07\x40\xf9", "ldr    x0, [sp, #8]", XP_INSTRUCTION_OTHER, 0 },
	{ ARM, 4, "\x00\x00\x00\xeb", "bl     1008", XP_INSTRUCTION_CALL, 0x1008 },
	{ ARM, 4, "\x00\x00\x00\x0a", "beq    1008", XP_INSTRUCTION_JUMP, 0x1008 },
	{ ARM, 4, "\x04\xe0\x2d\xe5", "str    lr, [sp, #-4]!", XP_INSTRUCTION_OTHER, 0 },
	{ THUMB, 2, "\x70\x47", "bx     lr", XP_INSTRUCTION_JUMP, 0 },
	{ THUMB, 2, "\x00\xb5", "push   {lr}", XP_INSTRUCTION_OTHER, 0 },
	{ THUMB, 4, "\x00\xf0\x02\xf8", "bl     1008", XP_INSTRUCTION_CALL, 0x1008 },
	/* no instructions; as long as they would be, if that can be known */
	{ ATT, 1, "\x06", "(bad)", XP_INSTRUCTION_BAD, 0 },
	{ ATT, 1, "\x48", "(bad)", XP_INSTRUCTION_BAD, 0 },
	{ ARM64, 4, "\xff\xff\xff\xff", "(bad)", XP_INSTRUCTION_BAD, 0 },
	{ ARM64, 2, "\xc0\x03", "(bad)", XP_INSTRUCTION_BAD, 0 },
	{ THUMB, 1, "\x70", "(bad)", XP_INSTRUCTION_BAD, 0 },
};

static struct xp_disasm *open_form(enum form form)
{
	const struct xp_disasm_opts opts = { .size = sizeof(opts),
					     .machine = forms[form].machine,
					     .intel = forms[form].intel,
					     .thumb = forms[form].thumb };
	struct xp_disasm *disasm = NULL;
	struct xp_diag diag = { 0 };

	if (xp_disasm_new(&opts, &disasm, &diag))
		fail_msg("%s", diag.what);
	return disasm;
}

static void needs_capstone(void)
{
	if (feature_is_on("libcapstone"))
		return;
	print_message("skipped: built without capstone\n");
	skip();
}

static void instructions_are_written_as_objdump_does(void **state)
{
	struct xp_instruction instruction = { .size = sizeof(instruction) };

	(void)state;
	needs_capstone();
	for (size_t i = 0; i < NR(rows); i++) {
		struct xp_disasm *disasm = open_form(rows[i].form);
		int got = xp_disasm_next(disasm, rows[i].bytes, (size_t)rows[i].len, ADDRESS,
					 &instruction);

		if (got != 1 || strcmp(instruction.text, rows[i].text) != 0)
			fail_msg("row %zu, '%s': '%s'", i, rows[i].text, instruction.text);
		assert_int_equal(instruction.len, rows[i].len);
		assert_int_equal(instruction.address, ADDRESS);
		if (instruction.kind != rows[i].kind || instruction.target != rows[i].target)
			fail_msg("row %zu: kind %d, target %#lx", i, (int)instruction.kind,
				 (unsigned long)instruction.target);
		xp_disasm_free(disasm);
	}
}

/* Whatever is in between, what comes behind it is found. */
static void damage_is_passed_over(void **state)
{
	static const uint8_t code[] = { 0x06, 0x06, 0x55, 0x62, 0xf1, 0x7e, 0x48,
					0x26, 0xc0, 0xc3, 0xe8, 0x01, 0x02 };
	static const char *const texts[] = { "(bad)", "(bad)", "push   %rbp", NULL,
					     "ret",   "(bad)", NULL,          NULL };
	struct xp_instruction instruction = { .size = sizeof(instruction) };
	size_t at = 0, nr = 0;

	(void)state;
	needs_capstone();
	struct xp_disasm *disasm = open_form(ATT);
	for (; at < sizeof(code); at += instruction.len, nr++) {
		assert_int_equal(
			xp_disasm_next(disasm, code + at, sizeof(code) - at, at, &instruction), 1);
		assert_true(nr < NR(texts));
		if (texts[nr])
			assert_string_equal(instruction.text, texts[nr]);
	}
	assert_int_equal(at, sizeof(code));
	assert_int_equal(xp_disasm_next(disasm, code, 0, 0, &instruction), 0);
	xp_disasm_free(disasm);
}

static void long_functions_are_read_to_their_end(void **state)
{
	enum { NR_INSTRUCTIONS = 5000 };
	struct xp_instruction instruction = { .size = sizeof(instruction) };
	uint8_t *code = malloc(NR_INSTRUCTIONS * 16);
	size_t len = 0, at = 0, nr = 0;

	(void)state;
	needs_capstone();
	assert_non_null(code);
	for (size_t i = 0; len < NR_INSTRUCTIONS * 15 && nr < NR_INSTRUCTIONS; i++) {
		if (rows[i % NR(rows)].form != ATT || rows[i % NR(rows)].kind == XP_INSTRUCTION_BAD)
			continue;
		memcpy(code + len, rows[i % NR(rows)].bytes, (size_t)rows[i % NR(rows)].len);
		len += (size_t)rows[i % NR(rows)].len;
		nr++;
	}
	struct xp_disasm *disasm = open_form(ATT);
	size_t seen = 0;
	for (; xp_disasm_next(disasm, code + at, len - at, at, &instruction) > 0; seen++) {
		assert_int_not_equal(instruction.kind, XP_INSTRUCTION_BAD);
		at += instruction.len;
	}
	assert_int_equal(at, len);
	assert_int_equal(seen, nr);
	xp_disasm_free(disasm);
	free(code);
}

/* Those of programs compiled for an older or a newer library */
static void instructions_have_their_size(void **state)
{
	struct {
		struct xp_instruction known;
		uint64_t later;
	} newer = { .known = { .size = sizeof(newer) }, .later = 1 };
	struct xp_instruction none = { .size = 0 };

	(void)state;
	needs_capstone();
	struct xp_disasm *disasm = open_form(ATT);
	assert_int_equal(xp_disasm_next(disasm, "\xc3", 1, 0, &newer.known), 1);
	assert_int_equal(newer.known.len, 1);
	assert_int_equal(newer.known.size, sizeof(newer));
	assert_int_equal(newer.later, 0);
	assert_int_equal(xp_disasm_next(disasm, "\xc3", 1, 0, &none), -EINVAL);
	assert_int_equal(none.len, 0);
	xp_disasm_free(disasm);
}

static void others_are_refused_with_a_reason(void **state)
{
	struct xp_disasm_opts opts = { .size = sizeof(opts), .machine = EM_S390 };
	struct xp_disasm *disasm = NULL;
	struct xp_diag diag = { 0 };

	(void)state;
	assert_int_equal(xp_disasm_new(&opts, &disasm, &diag), -ENOTSUP);
	assert_null(disasm);
	assert_true(diag.what[0]);
	opts.machine = EM_X86_64;
	opts.thumb = true;
	assert_int_equal(xp_disasm_new(&opts, &disasm, NULL), -ENOTSUP);
	opts.thumb = false;
	if (!feature_is_on("libcapstone"))
		assert_int_equal(xp_disasm_new(&opts, &disasm, &diag), -ENOSYS);
	xp_disasm_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_written_as_objdump_does),
		cmocka_unit_test(damage_is_passed_over),
		cmocka_unit_test(long_functions_are_read_to_their_end),
		cmocka_unit_test(instructions_have_their_size),
		cmocka_unit_test(others_are_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
