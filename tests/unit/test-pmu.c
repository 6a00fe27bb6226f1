/* SPDX-License-Identifier: MIT */
/* What PMUs say about themselves, on the machines of tests/data/roots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

static struct xp_ctx *machine(const char *name)
{
	const char *source = getenv("SOURCE_DIR");
	struct xp_ctx *ctx;
	char root[4096];

	snprintf(root, sizeof(root), "%s/tests/data/roots/%s", source ? source : ".", name);
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = root };
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	return ctx;
}

static int add_cap(const char *name, const char *value, void *data)
{
	char *text = data;

	sprintf(text + strlen(text), "%s=%s ", name, value);
	return 0;
}

static int stop_at_second(const char *name, const char *value, void *data)
{
	(void)value;
	++*(int *)data;
	return strcmp(name, "max_precise") ? 0 : 7;
}

static void capabilities_have_names_and_values(void **state)
{
	struct xp_ctx *ctx = machine("skylake-sp");
	char text[256] = "";
	int nr = 0;

	(void)state;
	assert_int_equal(xp_pmu_caps_walk(ctx, "cpu", add_cap, text), 0);
	assert_string_equal(text, "branches=32 max_precise=3 pmu_name=skylake ");
	assert_int_equal(xp_pmu_caps_walk(ctx, "cpu", stop_at_second, &nr), 7);
	assert_int_equal(nr, 2);
	xp_ctx_free(ctx);
}

static void most_pmus_have_none(void **state)
{
	struct xp_ctx *ctx = machine("skylake-sp");
	char text[256] = "";

	(void)state;
	assert_int_equal(xp_pmu_caps_walk(ctx, "msr", add_cap, text), 0);
	assert_string_equal(text, "");
	assert_int_equal(xp_pmu_caps_walk(ctx, "no_such_pmu", add_cap, text), -ENOENT);
	assert_int_equal(xp_pmu_caps_walk(ctx, "", add_cap, text), -ENOENT);
	assert_int_equal(xp_pmu_caps_walk(ctx, "../devices/cpu", add_cap, text), -ENOENT);
	xp_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities_have_names_and_values),
		cmocka_unit_test(most_pmus_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
