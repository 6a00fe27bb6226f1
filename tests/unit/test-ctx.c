/* SPDX-License-Identifier: MIT */
/* The context and the version: what programs built with other headers rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

static void the_version_is_one(void **state)
{
	int major, minor, patch;

	(void)state;
	assert_int_equal(sscanf(xp_version(), "%d.%d.%d", &major, &minor, &patch), 3);
	assert_int_equal(xp_version_num(), major * 10000 + minor * 100 + patch);
	assert_int_equal(xp_version_num(), XP_VERSION_NUM);
}

static void no_options_is_this_machine(void **state)
{
	struct xp_ctx *ctx;

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_ptr_equal(xp_ctx_sys(ctx), xp_sys_linux());
	uint64_t before = xp_ctx_now(ctx);
	assert_true(before > 0);
	assert_true(xp_ctx_now(ctx) >= before);
	xp_ctx_free(ctx);
	xp_ctx_free(NULL);
}

static uint64_t noon(const struct xp_sys *sys)
{
	(void)sys;
	return 12;
}

static void the_kernel_can_be_replaced(void **state)
{
	static const struct xp_sys clock = { .size = sizeof(clock), .now = noon };
	const struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &clock };
	struct xp_ctx *ctx = NULL;

	(void)state;
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	assert_int_equal(xp_ctx_now(ctx), 12);
	xp_ctx_free(ctx);
}

static void a_diag_records_the_last_failure(void **state)
{
	struct xp_diag diag = { 0 };
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(xp_diag_set(NULL, -EIO, "%s", text), -EIO);
	xp_diag_hint(NULL, "%s", text);
	xp_diag_at(NULL, text, 0, 1);

	assert_int_equal(xp_diag_set(&diag, -EIO, "%s", text), -EIO);
	xp_diag_hint(&diag, "%s", text);
	xp_diag_at(&diag, text, 7, 0);
	assert_int_equal(diag.err, -EIO);
	assert_int_equal(strlen(diag.what), sizeof(diag.what) - 1);
	assert_int_equal(strlen(diag.hint), sizeof(diag.hint) - 1);
	assert_int_equal(strlen(diag.input), sizeof(diag.input) - 1);
	assert_int_equal(diag.pos, 7);
	assert_int_equal(diag.len, 1);

	assert_int_equal(xp_diag_set(&diag, -ENOENT, "gone"), -ENOENT);
	assert_int_equal(diag.err, -ENOENT);
	assert_string_equal(diag.what, "gone");
	assert_string_equal(diag.hint, "");
	assert_string_equal(diag.input, "");
	assert_int_equal(diag.pos, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_is_one),
		cmocka_unit_test(no_options_is_this_machine),
		cmocka_unit_test(the_kernel_can_be_replaced),
		cmocka_unit_test(a_diag_records_the_last_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
