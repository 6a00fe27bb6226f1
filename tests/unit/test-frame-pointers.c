/* SPDX-License-Identifier: MIT */
/* Whether a file keeps frame pointers, of a small program and of one whose code is looked at in
 * parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <xperf/symbol.h>

#include "unit/elf-files.h"

/* Functions of 64 bytes: 40, and 6,000. */
static const char command[] =
	"make() { printf '.text\\n.globl f\\nf:\\n.rept %s\\n.cfi_startproc\\npush %%rbp\\n%s\\n"
	".fill 58, 1, 0x90\\npop %%rbp\\nret\\n.p2align 6\\n.cfi_endproc\\n.endr\\n' \"$2\" \"$3\" >f.s && "
	"$CC -nostartfiles -Wl,-e,f -o $1 f.s; } && "
	"make few.kept 40 'mov %rsp,%rbp' && make few.omitted 40 'mov %rsp,%rax' && "
	"make many.kept 6000 'mov %rsp,%rbp' && make many.omitted 6000 'mov %rsp,%rax'";

/* In percent of its functions; -1: not known */
static int kept(const char *name)
{
	struct xp_frame_pointers pointers;
	int err = xp_symbol_frame_pointers(elf_path(name), &pointers, NULL);

	if (err == -ENOSYS) {
		puts("there is no libelf");
		skip();
	}
	if (err == -ENODATA)
		return -1;
	assert_int_equal(err, 0);
	return (int)((uint64_t)pointers.nr_kept * 100 / pointers.nr_functions);
}

static void they_are_counted(void **state)
{
	(void)state;
	assert_int_equal(kept("few.kept"), 100);
	assert_int_equal(kept("few.omitted"), 0);
	assert_in_range(kept("many.kept"), 95, 105);
	assert_int_equal(kept("many.omitted"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_counted),
	};

#ifndef __x86_64__
	puts("the functions are written for x86-64");
	return 77;
#endif
	if (!elf_files_make(command)) {
		puts("the files cannot be made: no compiler, or no binutils");
		elf_files_remove();
		return 77;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	elf_files_remove();
	return failed;
}
