/* SPDX-License-Identifier: MIT */
/* Frames that are read from instructions, beside those that files describe: of this program, the C
 * library, and programs that are installed. At no instruction does one say what the other denies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "code-rule.h"
#include "each-rule.h"
#include "elf-file.h"
#include "unwind-impl.h"

/* --- files --- */

struct checking {
	struct xp_unwind_file *file;
	const struct machine *machine;
	struct xp_elf *elf;
	const char *name;
	uint64_t address; /* of the function */
	size_t bytes, known_bytes, nr_compared, nr_late, nr_wrong;
};

static struct xp_ctx *ctx;
static struct xp_symbols *symbols;

static void differ(struct checking *c, uint64_t at, const struct rule *rule,
		   const struct code_frame *frame)
{
	c->nr_wrong++;
	print_message("%s+0x%llx: described: register %u%+d, saved %x; code: stack pointer %d/%d, "
		      "frame pointer %u/%d, saved %x\n",
		      c->name, (unsigned long long)(at - c->address), rule->cfa_reg,
		      rule->cfa_offset, rule->saved, frame->knows_sp, frame->sp, frame->pointer,
		      frame->fp, frame->saved);
}

/* Of registers that count from another one than code is followed for, nothing can be said; one that
 * has been saved still has its value until it is written to, and has it again once it was restored.
 */
static bool agrees(const struct machine *machine, const struct rule *rule,
		   const struct code_frame *frame)
{
	if (rule->cfa_reg == machine->sp && frame->knows_sp && frame->sp != rule->cfa_offset)
		return false;
	if (rule->cfa_reg == machine->fp &&
	    (frame->pointer != POINTER_FRAME || frame->fp != rule->cfa_offset))
		return false;
	for (unsigned int i = 1; i < machine->nr_saved; i++)
		if (frame->saved & rule->saved & 1U << i && rule->at[i] != frame->at[i])
			return false;
	return !frame->is_outermost;
}

/* clang 14 describes some pushes of arguments one instruction late. */
static bool is_late(const struct checking *c, const struct rule *rule,
		    const struct code_frame *frame, uint64_t next)
{
	struct cfi_row row;

	if (rule->cfa_reg != c->machine->sp || !frame->knows_sp ||
	    frame->sp != rule->cfa_offset + c->machine->word ||
	    xp_unwind_file_look_up(c->file, next, &row))
		return false;
	struct rule its = xp_rule_of(c->machine, &row);

	return its.kind == RULE_FRAME && agrees(c->machine, &its, frame);
}

static void check_part(void *data, size_t start, size_t end, const struct code_frame *frame)
{
	struct checking *c = data;
	uint64_t at = c->address + start, last = c->address + end;
	struct cfi_row row;

	if (!frame)
		return;
	c->known_bytes += end - start;
	for (; at < last && !xp_unwind_file_look_up(c->file, at, &row); at = row.end) {
		struct rule rule = xp_rule_of(c->machine, &row);

		if (rule.kind != RULE_FRAME || rule.is_signal)
			continue;
		c->nr_compared++;
		if (agrees(c->machine, &rule, frame))
			continue;
		if (is_late(c, &rule, frame, row.end))
			c->nr_late++;
		else
			differ(c, at, &rule, frame);
	}
}

/* Not of clang's sanitizers, which are in the program itself and have code in assembly. */
static int check_function(const struct xp_elf_symbol *symbol, void *data)
{
	struct checking *c = data;
	uint64_t offset, len = symbol->symbol.size;
	bool is_executable;

	if (symbol->symbol.type != XP_SYMBOL_FUNCTION || symbol->is_undefined || !symbol->is_code ||
	    !len || len > CODE_RULE_BYTES || strstr(symbol->symbol.name, ".cold") ||
	    strstr(symbol->symbol.name, "__sanitizer") ||
	    xp_elf_offset(c->elf, symbol->symbol.address, &offset, &is_executable))
		return 0;
	uint8_t *code = malloc(len);
	assert_non_null(code);
	if (xp_elf_read(c->elf, offset, code, len) == len) {
		c->name = symbol->symbol.name;
		c->address = symbol->symbol.address;
		c->bytes += len;
		xp_code_frames(c->machine, code, len, check_part, c);
	}
	free(code);
	return 0;
}

/* Returns false: there is no such file, or this build or machine has no rules. */
static bool check_file(const char *path)
{
	struct checking c = { .machine = xp_machine_find(EM_X86_64) };
	struct xp_unwind *unwind;
	uint64_t address;

	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	assert_int_equal(xp_unwind_open(unwind, path, NULL, 0, &c.file), 0);
	if (!xp_unwind_file_place(c.file, 0x1000, &address) || xp_elf_open(path, &c.elf, NULL)) {
		xp_unwind_free(unwind);
		return false;
	}
	xp_unwind_file_load(c.file);
	xp_elf_symbols(c.elf, XP_ELF_DYNSYM, check_function, &c);
	xp_elf_symbols(c.elf, XP_ELF_SYMTAB, check_function, &c);
	xp_elf_close(c.elf);
	xp_unwind_free(unwind);
	print_message("%s: %zu bytes of functions, %zu known, %zu frames compared, %zu differ\n",
		      path, c.bytes, c.known_bytes, c.nr_compared, c.nr_wrong);
	assert_true(c.nr_wrong == 0 && c.nr_late <= c.nr_compared / 1000);
	/* A file that has no symbols but a few shows nothing. */
	assert_true(c.nr_compared < 1000 || c.known_bytes > c.bytes / 10 * 8);
	return c.nr_compared;
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

static void frames_are_those_that_are_described(void **state)
{
	const char *libc = NULL;

	(void)state;
	dl_iterate_phdr(find_libc, &libc);
	if (!check_file("/proc/self/exe"))
		skip();
	if (libc)
		check_file(libc);
	check_file("/usr/bin/perl");
}

/* --- bytes --- */

enum { FRAMES_MAX = 8 };

static const struct code_case {
	int line;
	size_t len;
	const char *bytes;
	size_t starts[FRAMES_MAX]; /* of parts, up to one of 0 that is not the first */
	int sps[FRAMES_MAX];       /* bytes up to CFA; -1: by the frame pointer; 0: not known */
} rows[] = {
	/* ret */
	{ __LINE__, 1, "\xc3", { 0 }, { 8 } },
	/* push %rbp; mov %rsp,%rbp; and $-16,%rsp; leave; ret */
	{ __LINE__,
	  10,
	  "\x55\x48\x89\xe5\x48\x83\xe4\xf0\xc9\xc3",
	  { 0, 1, 4, 8, 9 },
	  { 8, 16, 16, -1, 8 } },
	/* sub $24,%rsp; jmp *%rax: not a way to leave a function; ud2 */
	{ __LINE__, 8, "\x48\x83\xec\x18\xff\xe0\x0f\x0b", { 0, 4 }, { 8, 32 } },
	/* jmp *%rax; push %rbx; ud2: a call of another function, what follows is not known */
	{ __LINE__, 5, "\xff\xe0\x53\x0f\x0b", { 0, 2 }, { 8, 0 } },
	/* add %rdx,%rax; jmp *%rax; nop; push %rbx; pop %rbx; ret: by a table */
	{ __LINE__,
	  9,
	  "\x48\x01\xd0\xff\xe0\x90\x53\x5b\xc3",
	  { 0, 5, 6, 7, 8 },
	  { 8, 0, 8, 16, 8 } },
	/* push %rbx; test %eax,%eax; je 4; pop %rbx; ret: paths that meet differ */
	{ __LINE__, 6, "\x85\xc0\x74\x01\x53\xc3", { 0, 5 }, { 8, 0 } },
	/* pop %rcx; ret: it is no function */
	{ __LINE__, 2, "\x59\xc3", { 0 }, { 0 } },
};

struct found {
	const struct code_case *row;
	size_t nr;
};

static void check_row(void *data, size_t start, size_t end, const struct code_frame *frame)
{
	struct found *found = data;
	int sp = !frame ? 0 : frame->knows_sp ? frame->sp : -1;
	size_t i = found->nr++;

	(void)end;
	if (i >= FRAMES_MAX || found->row->starts[i] != start || found->row->sps[i] != sp)
		fail_msg("line %d: part %zu from %zu on has %d", found->row->line, i, start, sp);
}

static void frames_follow_instructions(void **state)
{
	const struct machine *machine = xp_machine_find(EM_X86_64);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct found found = { .row = &rows[i] };

		xp_code_frames(machine, (const uint8_t *)rows[i].bytes, rows[i].len, check_row,
			       &found);
		size_t expected = rows[i].sps[0] != 0;
		while (expected && expected < FRAMES_MAX && rows[i].starts[expected])
			expected++;
		if (found.nr != expected)
			fail_msg("line %d: %zu parts", rows[i].line, found.nr);
	}
}

static int set_up(void **state)
{
	(void)state;
	return xp_ctx_new(NULL, &ctx) ?: xp_symbols_new(ctx, NULL, &symbols);
}

static int tear_down(void **state)
{
	(void)state;
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_those_that_are_described),
		cmocka_unit_test(frames_follow_instructions),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
