/* SPDX-License-Identifier: MIT */
/* The tree of all call chains of a profile, for programs that draw it: whole chains, and what is
 * missing of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

struct fixture {
	struct xp_ctx *ctx;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;
};

static void start(struct fixture *f, bool whole)
{
	static const enum xp_key keys[] = { XP_KEY_COMM };
	const struct xp_symbols_opts symbols = { .size = sizeof(symbols), .symfs = "/nonexistent" };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 1,
					      .nr_events = 2,
					      .with_chains = true,
					      .callers_first = true,
					      .whole_chains = whole };

	assert_int_equal(xp_ctx_new(NULL, &f->ctx), 0);
	assert_int_equal(xp_timeline_new(&f->timeline), 0);
	assert_int_equal(xp_timeline_seal(f->timeline), 0);
	assert_int_equal(xp_symbols_new(f->ctx, &symbols, &f->symbols), 0);
	assert_int_equal(xp_resolver_new(f->timeline, f->symbols, &f->resolver), 0);
	assert_int_equal(xp_profile_new(f->timeline, &opts, &f->profile), 0);
}

static void end(struct fixture *f)
{
	xp_profile_free(f->profile);
	xp_resolver_free(f->resolver);
	xp_symbols_free(f->symbols);
	xp_timeline_free(f->timeline);
	xp_ctx_free(f->ctx);
}

static void add(struct fixture *f, int event, uint16_t misc, uint64_t ip, const uint64_t *chain,
		size_t nr)
{
	const struct xp_record record = { .type = XP_RECORD_SAMPLE, .misc = misc };
	const struct xp_sample sample = { .size = sizeof(sample),
					  .record = &record,
					  .id = { .pid = 5, .tid = 5, .time_ns = 1 },
					  .ip = ip,
					  .period = 10,
					  .callchain = chain,
					  .nr_callchain = nr };

	assert_int_equal(xp_profile_add(f->profile, event, &sample), 0);
}

static void resolve(struct fixture *f)
{
	assert_int_equal(xp_profile_nr_stacks(f->profile), 0);
	assert_int_equal(xp_profile_nr_calls(f->profile), 0);
	assert_int_equal(xp_profile_resolve(f->profile, f->resolver, NULL, NULL), 0);
}

/* "2:10:1 401000;401010": event, period, samples; addresses from the outermost on, with a '*' where
 * callers are missing. */
static const char *stack_text(const struct fixture *f, size_t idx)
{
	static char text[4096];
	char chain[2048] = "", more[sizeof(chain)];
	struct xp_profile_stack stack = { .size = sizeof(stack) };
	struct xp_profile_call call = { .size = sizeof(call) };

	assert_int_equal(xp_profile_stack_at(f->profile, idx, &stack), 0);
	for (int64_t at = stack.call; at >= 0; at = call.parent) {
		assert_int_equal(xp_profile_call_at(f->profile, (size_t)at, &call), 0);
		assert_true(call.parent < at);
		int len = snprintf(more, sizeof(more), ";%s%lx%s", call.is_cut ? "*" : "",
				   (unsigned long)call.location->frame.ip, chain);
		assert_in_range(len, 1, sizeof(more) - 1);
		memcpy(chain, more, sizeof(chain));
	}
	snprintf(text, sizeof(text), "%d:%lu:%lu %s", stack.event, (unsigned long)stack.period,
		 (unsigned long)stack.samples, chain);
	return text;
}

static void equal_chains_are_one_stack(void **state)
{
	static const uint64_t chain[] = { XP_CONTEXT_USER, 0x401010, 0x401000 };
	struct fixture f;

	(void)state;
	start(&f, false);
	add(&f, 0, XP_MISC_USER, 0x401010, chain, 3);
	add(&f, 0, XP_MISC_USER, 0x401010, chain, 3);
	add(&f, 1, XP_MISC_USER, 0x401010, chain, 3);
	add(&f, 0, XP_MISC_USER, 0x401000, chain + 2, 1);
	add(&f, 0, XP_MISC_USER, 0x401020, NULL, 0);
	resolve(&f);
	assert_int_equal(xp_profile_nr_stacks(f.profile), 4);
	assert_string_equal(stack_text(&f, 0), "0:20:2 ;401000;401010");
	assert_string_equal(stack_text(&f, 1), "1:10:1 ;401000;401010");
	assert_string_equal(stack_text(&f, 2), "0:10:1 ;401000");
	assert_string_equal(stack_text(&f, 3), "0:10:1 ");
	struct xp_profile_stack stack = { .size = sizeof(stack) };
	struct xp_profile_call call = { .size = sizeof(call) };
	assert_int_equal(xp_profile_stack_at(f.profile, 4, &stack), -EINVAL);
	assert_int_equal(xp_profile_call_at(f.profile, 2, &call), -EINVAL);
	end(&f);
}

static void whole_chains_end_where_the_sample_was(void **state)
{
	static const uint64_t user[] = { XP_CONTEXT_USER, 0x401010, 0x401000 };
	static const uint64_t kernel[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010, XP_CONTEXT_USER,
					   0x401010 };
	struct fixture f;

	(void)state;
	start(&f, true);
	add(&f, 0, XP_MISC_USER, 0x401020, NULL, 0);
	add(&f, 0, XP_MISC_KERNEL, 0xffffffff81000020, user, 3);
	add(&f, 0, XP_MISC_KERNEL, 0xffffffff81000020, kernel, 4);
	add(&f, 0, XP_MISC_USER, 0x401030, user, 3);
	resolve(&f);
	assert_string_equal(stack_text(&f, 0), "0:10:1 ;401020");
	assert_string_equal(stack_text(&f, 1), "0:10:1 ;401000;401010;ffffffff81000020");
	assert_string_equal(stack_text(&f, 2), "0:10:1 ;401010;ffffffff81000010");
	assert_string_equal(stack_text(&f, 3), "0:10:1 ;401000;401010");
	end(&f);
}

static void chains_as_long_as_they_may_be_are_cut(void **state)
{
	uint64_t chain[128] = { XP_CONTEXT_USER };
	struct fixture f;

	(void)state;
	for (size_t i = 1; i < 128; i++)
		chain[i] = 0x401000 + i;
	start(&f, true);
	add(&f, 0, XP_MISC_USER, 0x401001, chain, 128);
	add(&f, 0, XP_MISC_USER, 0x401001, chain, 127);
	resolve(&f);
	assert_non_null(strstr(stack_text(&f, 0), " ;*40107f;40107e;"));
	assert_non_null(strstr(stack_text(&f, 1), " ;40107e;"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_chains_are_one_stack),
		cmocka_unit_test(whole_chains_end_where_the_sample_was),
		cmocka_unit_test(chains_as_long_as_they_may_be_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
