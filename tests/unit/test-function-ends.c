/* SPDX-License-Identifier: MIT */
/* Where functions of x86-64 end: found, or not, with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "feature.h"
#include "function-ends.h"

#define NR(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { ADDRESS = 0x1000, ENDS_MAX = 3 };

static const struct row {
	int line;
	size_t len;
	const char *bytes;
	enum function_ends_state state;
	bool repeats;
	size_t nr;
	uint64_t ends[ENDS_MAX]; /* from the beginning on */
} rows[] = {
	/* xor %eax,%eax; ret */
	{ __LINE__, 3, "\x31\xc0\xc3", FUNCTION_ENDS_FOUND, false, 1, { 2 } },
	/* test %edi,%edi; je 5; ret; repz ret */
	{ __LINE__, 7, "\x85\xff\x74\x01\xc3\xf3\xc3", FUNCTION_ENDS_FOUND, false, 2, { 4, 5 } },
	/* ret $8; nopw */
	{ __LINE__,
	  9,
	  "\xc2\x08\x00\x66\x0f\x1f\x44\x00\x00",
	  FUNCTION_ENDS_FOUND,
	  false,
	  1,
	  { 0 } },
	/* ret, as a byte of another instruction: mov $0xc3,%al; ret */
	{ __LINE__, 3, "\xb0\xc3\xc3", FUNCTION_ENDS_FOUND, false, 1, { 2 } },
	/* a loop within: dec %edi; jne 0; ret; and the same after endbr64 */
	{ __LINE__, 5, "\xff\xcf\x75\xfc\xc3", FUNCTION_ENDS_FOUND, true, 1, { 4 } },
	{ __LINE__,
	  9,
	  "\xf3\x0f\x1e\xfa\xff\xcf\x75\xfc\xc3",
	  FUNCTION_ENDS_FOUND,
	  false,
	  1,
	  { 8 } },
	/* calls, of a function and by a pointer, are no ends: call; call *%rax; ret */
	{ __LINE__, 8, "\xe8\x00\x01\x00\x00\xff\xd0\xc3", FUNCTION_ENDS_FOUND, false, 1, { 7 } },
	/* jmp *%rax; notrack jmp *%rax; jmp *0x1000(%rip) */
	{ __LINE__, 3, "\xff\xe0\xc3", FUNCTION_ENDS_COMPUTED },
	{ __LINE__, 4, "\x3e\xff\xe0\xc3", FUNCTION_ENDS_COMPUTED },
	{ __LINE__, 7, "\xff\x25\x00\x10\x00\x00\xc3", FUNCTION_ENDS_COMPUTED },
	/* to another function, always or not; just behind its own end */
	{ __LINE__, 5, "\xe9\x00\x01\x00\x00", FUNCTION_ENDS_LEFT },
	{ __LINE__, 7, "\x0f\x84\x00\x01\x00\x00\xc3", FUNCTION_ENDS_LEFT },
	{ __LINE__, 3, "\xc3\xeb\x00", FUNCTION_ENDS_LEFT },
	/* xor %eax,%eax, and on into what follows; a jump around it is none of this */
	{ __LINE__, 3, "\xc3\x31\xc0", FUNCTION_ENDS_OPEN },
	{ __LINE__, 3, "\xc3\xeb\xfd", FUNCTION_ENDS_FOUND, true, 1, { 0 } },
	{ __LINE__, 3, "\xc3\x75\xfd", FUNCTION_ENDS_OPEN },
	/* calls abort(); ud2 */
	{ __LINE__, 6, "\xc3\xe8\x00\x00\x00\x00", FUNCTION_ENDS_FOUND, false, 1, { 0 } },
	{ __LINE__, 3, "\xc3\x0f\x0b", FUNCTION_ENDS_FOUND, false, 1, { 0 } },
	{ __LINE__, 5, "\xe8\x00\x00\x00\x00", FUNCTION_ENDS_NONE },
	{ __LINE__, 2, "\xeb\xfe", FUNCTION_ENDS_NONE },
	/* iretq; lret */
	{ __LINE__, 2, "\x48\xcf", FUNCTION_ENDS_FAR },
	{ __LINE__, 2, "\x48\xcb", FUNCTION_ENDS_FAR },
	/* no code, or cut off */
	{ __LINE__, 2, "\xc3\x06", FUNCTION_ENDS_NO_CODE },
	{ __LINE__, 3, "\xc3\xe8\x00", FUNCTION_ENDS_NO_CODE },
};

static struct decoder *open_decoder(void)
{
	const struct xp_disasm_opts opts = { .size = sizeof(opts), .machine = EM_X86_64 };
	struct decoder *decoder = NULL;

	if (!feature_is_on("libcapstone")) {
		print_message("skipped: built without capstone\n");
		skip();
	}
	assert_int_equal(xp_decoder_open(&opts, &decoder, NULL), 0);
	return decoder;
}

static void check(const struct row *row, const struct function_ends *ends)
{
	if (ends->state != row->state || ends->nr != row->nr)
		fail_msg("line %d: state %d, %zu ends", row->line, ends->state, ends->nr);
	if (row->state == FUNCTION_ENDS_FOUND && ends->repeats != row->repeats)
		fail_msg("line %d: repeats %d", row->line, ends->repeats);
	for (size_t i = 0; i < row->nr; i++)
		if (ends->at[i] != ADDRESS + row->ends[i])
			fail_msg("line %d: end %zu at 0x%llx", row->line, i,
				 (unsigned long long)ends->at[i]);
	assert_int_equal(!*xp_function_ends_reason(ends->state),
			 ends->state == FUNCTION_ENDS_FOUND);
}

static void ends_are_found_or_the_reason_is(void **state)
{
	struct decoder *decoder = open_decoder();

	(void)state;
	for (size_t i = 0; i < NR(rows); i++) {
		const struct code_part part = { (const uint8_t *)rows[i].bytes, rows[i].len,
						ADDRESS };
		struct function_ends ends;

		assert_int_equal(xp_function_ends(decoder, &part, 1, &ends), 0);
		check(&rows[i], &ends);
		xp_function_ends_fini(&ends);
	}
	xp_decoder_close(decoder);
}

/* je 0x2000; ret, and there: nop; jmp 0x1006 */
static void a_part_elsewhere_belongs_to_the_function(void **state)
{
	static const uint8_t here[] = "\x0f\x84\xfa\x0f\x00\x00\xc3";
	static const uint8_t there[] = "\x90\xe9\x00\xf0\xff\xff";
	const struct code_part parts[] = { { here, sizeof(here) - 1, 0x1000 },
					   { there, sizeof(there) - 1, 0x2000 } };
	struct decoder *decoder = open_decoder();
	struct function_ends ends;

	(void)state;
	assert_int_equal(xp_function_ends(decoder, parts, 1, &ends), 0);
	assert_int_equal(ends.state, FUNCTION_ENDS_LEFT);
	assert_int_equal(ends.left_to, 0x2000);
	xp_function_ends_fini(&ends);
	assert_int_equal(xp_function_ends(decoder, parts, 2, &ends), 0);
	assert_int_equal(ends.state, FUNCTION_ENDS_FOUND);
	assert_int_equal(ends.nr, 1);
	assert_int_equal(ends.at[0], 0x1006);
	xp_function_ends_fini(&ends);
	xp_decoder_close(decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_are_found_or_the_reason_is),
		cmocka_unit_test(a_part_elsewhere_belongs_to_the_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
