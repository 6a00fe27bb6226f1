/* SPDX-License-Identifier: MIT */
/* Files of settings: what is read, what is wrong, what stays when one is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "cli/settings/settings.h"

static void values_are_found(void **state)
{
	static const struct {
		int line;
		const char *text, *key, *value; /* NULL: it is not set */
	} cases[] = {
		{ __LINE__, "[report]\n\tchildren = false\n", "report.children", "false" },
		{ __LINE__, "[report]\nchildren=false # no\n", "report.children", "false" },
		{ __LINE__, "[r] a = 1\n[r] a = 2\n", "r.a", "2" },
		{ __LINE__, "[r]\na = \"b ; c\" d  \n", "r.a", "b ; c d" },
		{ __LINE__, "[r]\na = b\\\n c\n", "r.a", "b c" },
		{ __LINE__, "[r]\na = \\t\\\\\\\"\n", "r.a", "\t\\\"" },
		{ __LINE__, "[r]\na =\n", "r.a", "" },
		{ __LINE__, "[r]\r\na = b\r\n", "r.a", "b" },
		{ __LINE__, "[r \"s.t\"]\na = b", "r.s.t.a", "b" },
		{ __LINE__, "\xef\xbb\xbf; x\n# [y]\n[r]\na = b", "r.a", "b" },
		{ __LINE__, "[r]\n# a = b\n", "r.a", NULL },
		{ __LINE__, "[R]\na = b\n", "r.a", NULL },
		{ __LINE__, "", "r.a", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings = { 0 };
		struct xp_diag diag = { 0 };

		if (settings_parse(&settings, cases[i].text, strlen(cases[i].text), "file", &diag))
			fail_msg("line %d: %s", cases[i].line, diag.what);
		const struct setting *found = settings_find(&settings, cases[i].key);
		if (!found != !cases[i].value ||
		    (found && strcmp(found->value, cases[i].value) != 0))
			fail_msg("line %d: '%s'", cases[i].line, found ? found->value : "none");
		settings_fini(&settings);
	}
}

static void mistakes_have_file_and_line(void **state)
{
	static const struct {
		int line;
		const char *text, *what;
	} cases[] = {
		{ __LINE__, "[r]\n\n[s\n",
		  "file, line 3: ']' is missing after the name of the section" },
		{ __LINE__, "[]\n", "file, line 1: the name of the section is missing" },
		{ __LINE__, "a = b\n", "file, line 1: a setting comes before the first section" },
		{ __LINE__, "[r]\na\n",
		  "file, line 2: '=' is missing after the name of the setting" },
		{ __LINE__, "[r]\n= b\n",
		  "file, line 2: this is neither \"[section]\" nor \"name = value\"" },
		{ __LINE__, "[r]\na = \"b\n",
		  "file, line 2: the quote of the value is not closed" },
		{ __LINE__, "[r \"s]\n",
		  "file, line 1: the quote of the section's name is not closed" },
		{ __LINE__, "[r]\na = \\x\n",
		  "file, line 2: '\\' is followed by none of t, b, n, \\, \" and the end of the line" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings = { 0 };
		struct xp_diag diag = { 0 };
		int err = settings_parse(&settings, cases[i].text, strlen(cases[i].text), "file",
					 &diag);

		if (err != -EINVAL || strcmp(diag.what, cases[i].what) != 0)
			fail_msg("line %d: %d '%s'", cases[i].line, err, diag.what);
		settings_fini(&settings);
	}
}

static void a_change_keeps_the_rest(void **state)
{
	static const struct {
		int line;
		const char *before, *key, *value, *after;
	} cases[] = {
		{ __LINE__, "# top\n[r]\n\ta = 1 # one\n\tb = 2\n", "r.a", "3",
		  "# top\n[r]\n\ta = 3 # one\n\tb = 2\n" },
		{ __LINE__, "[r]\na = 1\na = 2\n", "r.a", "3", "[r]\na = 1\na = 3\n" },
		{ __LINE__, "[r]\n\ta = 1 # one\n\n[s]\n", "r.c", "x y",
		  "[r]\n\ta = 1 # one\n\tc = x y\n\n[s]\n" },
		{ __LINE__, "[r] # none\n", "r.c", "1", "[r] # none\n\tc = 1\n" },
		{ __LINE__, "[r]\na = 1", "s.b", "2", "[r]\na = 1\n[s]\n\tb = 2\n" },
		{ __LINE__, "", "s.b", " # ", "[s]\n\tb = \" # \"\n" },
		{ __LINE__, "[r]\na =\n", "r.a", "b\\c", "[r]\na =\"b\\\\c\"\n" },
		{ __LINE__, "[a] [b]\n", "a.x", "1", "[a] \n\tx = 1\n[b]\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xp_diag diag = { 0 };
		char *text = NULL;
		size_t len = 0;

		if (settings_edit(cases[i].before, strlen(cases[i].before), "file", cases[i].key,
				  cases[i].value, &text, &len, &diag))
			fail_msg("line %d: %s", cases[i].line, diag.what);
		if (len != strlen(cases[i].after) || memcmp(text, cases[i].after, len) != 0)
			fail_msg("line %d: '%.*s'", cases[i].line, (int)len, text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_found),
		cmocka_unit_test(mistakes_have_file_and_line),
		cmocka_unit_test(a_change_keeps_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
