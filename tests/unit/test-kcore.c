/* SPDX-License-Identifier: MIT */
/* --kcore: which parts of a core file are copied, and where they are found then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/kcore.h"

/* Two segments of 0x2000 bytes at 0x10000 and 0x20000; each byte is the page number of its address.
 */
static int make_core(FILE *file)
{
	Elf64_Ehdr elf = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			   .e_phoff = sizeof(elf),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 3 };
	Elf64_Phdr segments[3] = {
		{ .p_type = PT_NOTE },
		{ .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_offset = 0x1000, .p_filesz = 0x2000 },
		{ .p_type = PT_LOAD, .p_vaddr = 0x20000, .p_offset = 0x3000, .p_filesz = 0x2000 },
	};
	char page[0x1000];

	fwrite(&elf, sizeof(elf), 1, file);
	fwrite(segments, sizeof(segments), 1, file);
	for (int i = 0; i < 4; i++) {
		memset(page, (i < 2 ? 0x10 : 0x1e) + i, sizeof(page));
		fseek(file, 0x1000 * (i + 1), SEEK_SET);
		fwrite(page, sizeof(page), 1, file);
	}
	fflush(file);
	return fileno(file);
}

static void what_lies_in_the_ranges_is_copied(void **state)
{
	const struct kcore_range ranges[] = { { 0x10800, 0x11400 },
					      { 0x21000, 0x90000 },
					      { 0x50000, 0x60000 } };
	FILE *from = tmpfile(), *to = tmpfile();
	unsigned char bytes[0xc00];
	Elf64_Phdr pieces[2];
	Elf64_Ehdr elf;

	(void)state;
	int out = fileno(to);
	assert_int_equal(kcore_extract(make_core(from), out, ranges, 3), 2);
	assert_int_equal(pread(out, &elf, sizeof(elf), 0), sizeof(elf));
	assert_int_equal(elf.e_phnum, 2);
	assert_int_equal(pread(out, pieces, sizeof(pieces), (off_t)elf.e_phoff), sizeof(pieces));
	assert_int_equal(pieces[0].p_vaddr, 0x10800);
	assert_int_equal(pieces[0].p_filesz, 0xc00);
	assert_int_equal(pieces[1].p_vaddr, 0x21000);
	assert_int_equal(pieces[1].p_filesz, 0x1000);
	assert_int_equal(pread(out, bytes, sizeof(bytes), (off_t)pieces[0].p_offset), 0xc00);
	assert_int_equal(bytes[0], 0x10);
	assert_int_equal(bytes[0x7ff], 0x10);
	assert_int_equal(bytes[0x800], 0x11);
	assert_int_equal(pread(out, bytes, 1, (off_t)pieces[1].p_offset), 1);
	assert_int_equal(bytes[0], 0x21);
	fclose(from);
	fclose(to);
}

static void what_is_no_core_is_refused(void **state)
{
	const struct kcore_range nowhere = { 0x50000, 0x60000 };
	FILE *core = tmpfile(), *text = tmpfile(), *to = tmpfile();

	(void)state;
	assert_int_equal(kcore_extract(make_core(core), fileno(to), &nowhere, 1), -ENODATA);
	assert_int_equal(kcore_extract(fileno(text), fileno(to), &nowhere, 1), -ENOEXEC);
	for (int i = 0; i < 100; i++)
		fputs("no core file ", text);
	fflush(text);
	assert_int_equal(kcore_extract(fileno(text), fileno(to), &nowhere, 1), -ENOEXEC);
	fclose(core);
	fclose(text);
	fclose(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lies_in_the_ranges_is_copied),
		cmocka_unit_test(what_is_no_core_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
