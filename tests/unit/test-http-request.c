/* SPDX-License-Identifier: MIT */
/* HTTP requests: what is one, of what, and where it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "http-request.h"

#define PATH "/0123456789abcdef"

static void requests_are_recognised(void **state)
{
	static const struct {
		const char *text;
		enum request_state state;
		bool is_get, is_head, is_for;
	} rows[] = {
		{ "GET " PATH " HTTP/1.1\r\nHost: x\r\n\r\n", REQUEST_COMPLETE, true, false, true },
		{ "HEAD " PATH " HTTP/1.0\r\n\r\n", REQUEST_COMPLETE, false, true, true },
		{ "GET " PATH " HTTP/1.1\n\n", REQUEST_COMPLETE, true, false, true },
		{ "POST " PATH " HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, false, false, true },
		{ "get " PATH " HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, false, false, true },
		/* other paths */
		{ "GET / HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, true, false, false },
		{ "GET " PATH "/ HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, true, false, false },
		{ "GET " PATH "?a HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, true, false, false },
		{ "GET /0123456789abcdee HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, true, false, false },
		{ "GET /.." PATH " HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, true, false, false },
		{ "GET http://x" PATH " HTTP/1.1\r\n\r\n", REQUEST_COMPLETE, true, false, false },
		/* not all of it */
		{ "", REQUEST_PARTIAL, false, false, false },
		{ "G", REQUEST_PARTIAL, false, false, false },
		{ "GET " PATH " HTTP/1.1\r", REQUEST_PARTIAL, false, false, false },
		{ "GET " PATH " HTTP/1.1\r\n", REQUEST_PARTIAL, false, false, false },
		{ "GET " PATH " HTTP/1.1\r\nHost: x\r\n\r", REQUEST_PARTIAL, false, false, false },
		{ "GET " PATH " HTTP/1.1\r\nHost: x\r\n", REQUEST_PARTIAL, false, false, false },
		/* none */
		{ "\r\n", REQUEST_WRONG, false, false, false },
		{ "GET\r\n", REQUEST_WRONG, false, false, false },
		{ "GET " PATH "\r\n", REQUEST_WRONG, false, false, false },
		{ "GET  " PATH " HTTP/1.1\r\n", REQUEST_WRONG, false, false, false },
		{ " GET " PATH " HTTP/1.1\r\n", REQUEST_WRONG, false, false, false },
		{ "GET " PATH " HTTP/2.0\r\n", REQUEST_WRONG, false, false, false },
		{ "GET " PATH " HTTP/1.1 \r\n", REQUEST_WRONG, false, false, false },
		{ "GET /\t HTTP/1.1\r\n", REQUEST_WRONG, false, false, false },
		{ "GET /\303\244 HTTP/1.1\r\n", REQUEST_WRONG, false, false, false },
		{ "\026\003\001\n", REQUEST_WRONG, false, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request request = { 0 };
		enum request_state found =
			request_parse(rows[i].text, strlen(rows[i].text), &request);

		if (found != rows[i].state)
			fail_msg("'%s': %d", rows[i].text, found);
		assert_int_equal(request.is_get, rows[i].is_get);
		assert_int_equal(request.is_head, rows[i].is_head);
		if (found == REQUEST_COMPLETE)
			assert_int_equal(request_is_for(&request, PATH), rows[i].is_for);
	}
}

/* However it is cut, what follows its end does not matter, and the bytes have no end but their
 * length. */
static void pieces_are_put_together(void **state)
{
	static const char text[] =
		"GET " PATH " HTTP/1.1\r\nCookie: a=b\r\nAccept: */*\r\n\r\nrest";
	size_t whole = sizeof(text) - 1 - strlen("rest");

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		struct request request;
		char *bytes = malloc(len + !len);

		memcpy(bytes, text, len);
		assert_int_equal(request_parse(bytes, len, &request),
				 len < whole ? REQUEST_PARTIAL : REQUEST_COMPLETE);
		if (len >= whole)
			assert_true(request.is_get && request_is_for(&request, PATH));
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_recognised),
		cmocka_unit_test(pieces_are_put_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
