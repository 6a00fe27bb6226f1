/* SPDX-License-Identifier: MIT */
/* Text eight bytes at a time says the same as byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "utf8.h"

enum { LEN_MAX = 40 };

static int columns_of(const char *text, size_t len)
{
	int columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e)
			return false;
	return true;
}

/* Each byte at each place, among ordinary ones and beside each other byte that can be mistaken. */
static void each_byte_is_seen_at_each_place(void **state)
{
	static const unsigned char others[] = { 'x', ' ', '~', 0x1f, 0x7f, 0x80, 0xbf, 0xc3, 0xff };
	char text[LEN_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(others); i++)
		for (size_t at = 0; at + 1 < LEN_MAX; at++)
			for (int byte = 0; byte < 256; byte++) {
				memset(text, 'n', sizeof(text));
				text[at] = (char)byte;
				text[at + 1] = (char)others[i];
				for (size_t len = at + 1; len <= at + 10 && len <= LEN_MAX; len++) {
					assert_int_equal(utf8_columns_of(text, len),
							 columns_of(text, len));
					assert_int_equal(utf8_is_plain(text, len),
							 is_plain(text, len));
				}
			}
}

static void nothing_has_no_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8_columns(""), 0);
	assert_true(utf8_is_plain("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_is_seen_at_each_place),
		cmocka_unit_test(nothing_has_no_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
