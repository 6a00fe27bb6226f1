/* SPDX-License-Identifier: MIT */
/* Instructions of a function that reaches over the end of a section. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>

#include "code.h"
#include "feature.h"

enum { START = 0x1000, SECOND = 0x1010, NR_SECTIONS = 3 };

static struct xp_ctx *ctx;
static char path[] = "/tmp/xperf-code-XXXXXX";

/*
 * Two sections of code, the first of which ends with an instruction of one byte. What is between
 * them would begin an instruction that reaches into the second.
 */
static void put_program(int fd)
{
	static const uint8_t gap_and_code[] = { [0] = 0xc3, [1 ... 14] = 0x90, 0xb8, 0x90, 0xc3 };
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr part;
		Elf64_Shdr sections[NR_SECTIONS];
		uint8_t code[sizeof(gap_and_code)];
	} file = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			       .e_machine = EM_X86_64,
			       .e_type = ET_DYN,
			       .e_phoff = offsetof(typeof(file), part),
			       .e_phentsize = sizeof(Elf64_Phdr),
			       .e_phnum = 1,
			       .e_shoff = offsetof(typeof(file), sections),
			       .e_shentsize = sizeof(Elf64_Shdr),
			       .e_shnum = NR_SECTIONS },
		   .part = { .p_type = PT_LOAD,
			     .p_flags = PF_X,
			     .p_offset = offsetof(typeof(file), code),
			     .p_vaddr = START,
			     .p_filesz = sizeof(gap_and_code),
			     .p_memsz = sizeof(gap_and_code) } };
	const uint64_t starts[] = { SECOND, START }, lens[] = { 2, 1 };

	for (size_t i = 0; i < 2; i++)
		file.sections[i + 1] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
						     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
						     .sh_addr = starts[i],
						     .sh_size = lens[i] };
	memcpy(file.code, gap_and_code, sizeof(gap_and_code));
	assert_int_equal(write(fd, &file, sizeof(file)), sizeof(file));
}

static void sections_begin_anew(void **state)
{
	static const uint64_t expected[] = { START, SECOND, SECOND + 1 };
	struct xp_frame frame = { .function = { .start = START, .size = 0 } };
	const struct hot_function function = { .frame = &frame };
	struct xp_symbols *symbols = NULL;
	struct xp_diag diag = { 0 };
	struct code code;
	uint64_t end;

	(void)state;
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	assert_int_equal(xp_symbols_open(symbols, path, NULL, 0, &frame.symtab), 0);
	assert_true(xp_symtab_code_section(frame.symtab, START, &end));
	assert_int_equal(end, START + 1);
	assert_false(xp_symtab_code_section(frame.symtab, START + 1, &end));
	assert_int_equal(end, SECOND);
	assert_true(xp_symtab_code_section(frame.symtab, SECOND + 1, &end));
	assert_int_equal(end, SECOND + 2);
	assert_false(xp_symtab_code_section(frame.symtab, SECOND + 2, &end));
	assert_true(end == UINT64_MAX);

	assert_int_equal(code_read(&function, false, false, &code, &diag), 0);
	assert_int_equal(code.nr, 3);
	for (size_t i = 0; i < code.nr; i++) {
		assert_int_equal(code.at[i].address, expected[i]);
		assert_int_equal(code.at[i].len, 1);
	}
	code_fini(&code);
	xp_symbols_free(symbols);
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	put_program(fd);
	return close(fd) || xp_ctx_new(NULL, &ctx);
}

static int tear_down(void **state)
{
	(void)state;
	xp_ctx_free(ctx);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_begin_anew),
	};

	if (!feature_is_on("libelf") || !feature_is_on("libcapstone")) {
		puts("skipped: built without libelf or capstone");
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
