/* SPDX-License-Identifier: MIT */
/* How call chains end: the table, and what is decided by addresses, maps and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <xperf/xperf.h>

#include "timeline-records.h"

static void table_counts_files_of_each_end(void **state)
{
	struct xp_chain_ends *ends, *other;
	uint64_t nr;

	(void)state;
	assert_int_equal(xp_chain_ends_new(&ends), 0);
	assert_int_equal(xp_chain_ends_new(&other), 0);
	assert_null(xp_chain_ends_file(ends, XP_CHAIN_INSIDE, 0, &nr));
	assert_int_equal(xp_chain_ends_add(ends, XP_CHAIN_INSIDE, "few", 1), 0);
	assert_int_equal(xp_chain_ends_add(ends, XP_CHAIN_COMPLETE, "few", 7), 0);
	assert_string_equal(xp_chain_ends_file(ends, XP_CHAIN_INSIDE, 0, &nr), "few");
	/* adding goes on after the files were looked at */
	assert_int_equal(xp_chain_ends_add(ends, XP_CHAIN_INSIDE, "many", 2), 0);
	assert_int_equal(xp_chain_ends_add(ends, XP_CHAIN_INSIDE, NULL, 5), 0);
	assert_int_equal(xp_chain_ends_add(other, XP_CHAIN_INSIDE, "many", 3), 0);
	assert_int_equal(xp_chain_ends_add(other, XP_CHAIN_JOINED, NULL, 4), 0);
	assert_int_equal(xp_chain_ends_merge(ends, other), 0);
	assert_int_equal(xp_chain_ends_add(ends, XP_NR_CHAIN_ENDS, "few", 1), -EINVAL);

	assert_int_equal(xp_chain_ends_nr(ends, XP_CHAIN_INSIDE), 11);
	assert_int_equal(xp_chain_ends_nr(ends, XP_CHAIN_JOINED), 4);
	assert_int_equal(xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS), 22);
	assert_string_equal(xp_chain_ends_file(ends, XP_CHAIN_INSIDE, 0, &nr), "many");
	assert_int_equal(nr, 5);
	assert_string_equal(xp_chain_ends_file(ends, XP_CHAIN_INSIDE, 1, &nr), "few");
	assert_int_equal(nr, 1);
	assert_null(xp_chain_ends_file(ends, XP_CHAIN_INSIDE, 2, &nr));
	xp_chain_ends_free(ends);
	xp_chain_ends_free(other);
}

enum { LIMIT = 6, FEW = 3 };
#define KERNEL 0xffffffff81000000ULL

static const struct xp_record in_user = { .type = XP_RECORD_SAMPLE, .misc = XP_MISC_USER };

/* Code is mapped at 0x1000; its file does not exist, so no function has a name. */
static const struct judged {
	int line;
	uint64_t chain[12];
	size_t nr;
	int event;
	enum xp_chain_end end; /* XP_NR_CHAIN_ENDS: it does not count */
} judged[] = {
	{ __LINE__, { XP_CONTEXT_USER, 0x1000, 0x1100 }, FEW, 0, XP_CHAIN_UNNAMED },
	{ __LINE__, { XP_CONTEXT_USER, 0x1000, 0x9000 }, FEW, 0, XP_CHAIN_NOWHERE },
	/* data is mapped there */
	{ __LINE__, { XP_CONTEXT_USER, 0x1000, 0x5000 }, FEW, 0, XP_CHAIN_NOWHERE },
	/* nothing is known outside of user space */
	{ __LINE__, { XP_CONTEXT_KERNEL, KERNEL, KERNEL + 1 }, FEW, 0, XP_NR_CHAIN_ENDS },
	{ __LINE__,
	  { XP_CONTEXT_USER, 0x1000, 0x1001, 0x1002, 0x1003, 0x1004, 0x9000 },
	  7,
	  0,
	  XP_CHAIN_LIMIT },
	/* the kernel's part counts for the limit */
	{ __LINE__,
	  { XP_CONTEXT_KERNEL, KERNEL, KERNEL + 1, KERNEL + 2, XP_CONTEXT_USER, 0x1000, 0x1001,
	    0x1002 },
	  8,
	  0,
	  XP_CHAIN_LIMIT },
	/* the second event has no chains by frame pointers */
	{ __LINE__, { XP_CONTEXT_USER, 0x1000, 0x1100 }, FEW, 1, XP_NR_CHAIN_ENDS },
};

static struct xp_timeline *maps_of_5(void)
{
	const struct xp_sample_id id = { .pid = 5, .tid = 5, .time_ns = XP_NO_TIME };
	struct timed code = mmap2_record(0, 5, 0x1000, 0x1000, 0, "/nonexistent/code");
	struct timed data = mmap2_record(0, 5, 0x5000, 0x1000, 0, "/nonexistent/data");
	struct xp_timeline *timeline;

	data.mmap2.prot = 3;
	assert_int_equal(xp_timeline_new(&timeline), 0);
	assert_int_equal(xp_timeline_add(timeline, &code.header, &id), 0);
	assert_int_equal(xp_timeline_add(timeline, &data.header, &id), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	return timeline;
}

static void judge(const struct judged *row, struct xp_chain_ends *ends)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD };
	static const uint16_t limits[] = { LIMIT, 0 };
	const struct xp_symbols_opts no_files = { .size = sizeof(no_files),
						  .symfs = "/nonexistent" };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 1,
					      .nr_events = 2,
					      .with_chains = true };
	struct xp_sample sample = { .size = sizeof(sample),
				    .record = &in_user,
				    .id = { .pid = 5, .tid = 5, .time_ns = 1 },
				    .ip = row->chain[1],
				    .period = 1,
				    .callchain = row->chain,
				    .nr_callchain = row->nr };
	struct xp_timeline *timeline = maps_of_5();
	struct xp_ctx *ctx;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;

	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_symbols_new(ctx, &no_files, &symbols), 0);
	assert_int_equal(xp_resolver_new(timeline, symbols, &resolver), 0);
	assert_int_equal(xp_profile_new(timeline, &opts, &profile), 0);
	assert_int_equal(xp_profile_add(profile, row->event, &sample), 0);
	assert_int_equal(xp_profile_add(profile, row->event, &sample), 0);
	assert_int_equal(xp_profile_judge_chains(profile, resolver, limits, ends), 0);
	xp_profile_free(profile);
	xp_resolver_free(resolver);
	xp_symbols_free(symbols);
	xp_timeline_free(timeline);
	xp_ctx_free(ctx);
}

static void chains_are_judged_by_what_can_be_checked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++) {
		uint64_t expected = judged[i].end == XP_NR_CHAIN_ENDS ? 0 : 2, nr;
		struct xp_chain_ends *ends;

		assert_int_equal(xp_chain_ends_new(&ends), 0);
		judge(&judged[i], ends);
		if (xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS) != expected ||
		    (expected && xp_chain_ends_nr(ends, judged[i].end) != expected))
			fail_msg("line %d: it ends otherwise", judged[i].line);
		if (expected)
			assert_string_equal(xp_chain_ends_file(ends, judged[i].end, 0, &nr),
					    "/nonexistent/code");
		xp_chain_ends_free(ends);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_counts_files_of_each_end),
		cmocka_unit_test(chains_are_judged_by_what_can_be_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
