/* SPDX-License-Identifier: MIT */
/* What rows are distinguished by, and their order: groups, branches, tags, callers of equal share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <xperf/xperf.h>

struct fixture {
	struct xp_ctx *ctx;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;
};

static void start(struct fixture *f, const struct xp_profile_opts *opts)
{
	const struct xp_symbols_opts symbols = { .size = sizeof(symbols), .symfs = "/nonexistent" };

	assert_int_equal(xp_ctx_new(NULL, &f->ctx), 0);
	assert_int_equal(xp_timeline_new(&f->timeline), 0);
	assert_int_equal(xp_timeline_seal(f->timeline), 0);
	assert_int_equal(xp_symbols_new(f->ctx, &symbols, &f->symbols), 0);
	assert_int_equal(xp_resolver_new(f->timeline, f->symbols, &f->resolver), 0);
	assert_int_equal(xp_profile_new(f->timeline, opts, &f->profile), 0);
}

static void end(struct fixture *f)
{
	xp_profile_free(f->profile);
	xp_resolver_free(f->resolver);
	xp_symbols_free(f->symbols);
	xp_timeline_free(f->timeline);
	xp_ctx_free(f->ctx);
}

static const struct xp_record in_user = { .type = XP_RECORD_SAMPLE, .misc = XP_MISC_USER };

static struct xp_sample sample_at(uint64_t ip, uint64_t period, uint64_t time_ns)
{
	return (struct xp_sample){ .size = sizeof(struct xp_sample),
				   .record = &in_user,
				   .id = { .pid = 5, .tid = 5, .time_ns = time_ns },
				   .ip = ip,
				   .period = period };
}

static struct xp_profile_total total_of(const struct fixture *f)
{
	struct xp_profile_total total = { .size = sizeof(total) };

	assert_int_equal(xp_profile_total_at(f->profile, 0, &total), 0);
	return total;
}

static const struct xp_profile_row *row_at(const struct fixture *f, size_t idx, uint64_t ip)
{
	const struct xp_profile_row *row = xp_profile_row_at(f->profile, 0, idx);

	assert_non_null(row);
	assert_int_equal(row->location->ip, ip);
	return row;
}

static const enum xp_key by_place[] = { XP_KEY_OVERHEAD, XP_KEY_COMM, XP_KEY_SYMBOL };

static void members_of_a_group_share_rows(void **state)
{
	static const int leaders[] = { 0, 0 };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = by_place,
					      .nr_keys = 3,
					      .nr_events = 2,
					      .leaders = leaders };
	struct xp_sample a = sample_at(0x10, 5, 1), b = sample_at(0x20, 7, 2);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &a), 0);
	assert_int_equal(xp_profile_add(f.profile, 1, &a), 0);
	assert_int_equal(xp_profile_add(f.profile, 1, &b), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	assert_int_equal(xp_profile_nr_rows(f.profile, 0), 2);
	assert_int_equal(xp_profile_nr_rows(f.profile, 1), 0);
	const struct xp_profile_row *row = row_at(&f, 0, 0x10);
	assert_int_equal(row->sum.period, 5);
	assert_int_equal(row->members[0].period, 5);
	assert_int_equal(row->members[1].period, 5);
	row = row_at(&f, 1, 0x20);
	assert_int_equal(row->sum.period, 0);
	assert_int_equal(row->members[1].samples, 1);
	assert_int_equal(row->members[1].period, 7);
	end(&f);
}

static void the_members_decide_where_the_leader_does_not(void **state)
{
	static const int leaders[] = { 0, 0 };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = by_place,
					      .nr_keys = 3,
					      .nr_events = 2,
					      .leaders = leaders };
	struct xp_sample a = sample_at(0x10, 5, 1), b = sample_at(0x20, 5, 2);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &a), 0);
	assert_int_equal(xp_profile_add(f.profile, 0, &b), 0);
	assert_int_equal(xp_profile_add(f.profile, 1, &b), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	row_at(&f, 0, 0x20);
	row_at(&f, 1, 0x10);
	end(&f);
	/* a leader stands before its members */
	static const int wrong[] = { 1, 1 };
	struct xp_profile_opts bad = opts;
	bad.leaders = wrong;
	assert_int_equal(xp_profile_new(NULL, &bad, &f.profile), -EINVAL);
}

static void another_member_may_decide(void **state)
{
	static const int leaders[] = { 0, 0 };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = by_place,
					      .nr_keys = 3,
					      .nr_events = 2,
					      .leaders = leaders,
					      .group_leader = 1 };
	struct xp_sample a = sample_at(0x10, 9, 1), b = sample_at(0x20, 5, 2);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &a), 0);
	assert_int_equal(xp_profile_add(f.profile, 0, &b), 0);
	assert_int_equal(xp_profile_add(f.profile, 1, &b), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	row_at(&f, 0, 0x20);
	row_at(&f, 1, 0x10);
	end(&f);
}

static const struct xp_chain *only_chain(const struct fixture *f, size_t idx)
{
	const struct xp_chain *root;

	assert_int_equal(xp_profile_chains(f->profile, 0, idx, &root), 0);
	assert_non_null(root->child);
	assert_null(root->child->next);
	return root->child;
}

/* Two events of time: a row has the sum of both, and the call chains of both. */
static void all_members_may_decide_by_their_sum(void **state)
{
	static const int leaders[] = { 0, 0 };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = by_place,
					      .nr_keys = 3,
					      .nr_events = 2,
					      .leaders = leaders,
					      .with_chains = true,
					      .group_leader = XP_GROUP_SUM };
	static const uint64_t callers[][3] = { { XP_CONTEXT_USER, 0x10, 0x30 },
					       { XP_CONTEXT_USER, 0x20, 0x30 } };
	struct xp_sample a = sample_at(0x10, 9, 1), b = sample_at(0x20, 5, 2);
	struct fixture f;

	(void)state;
	a.callchain = callers[0];
	b.callchain = callers[1];
	a.nr_callchain = b.nr_callchain = 3;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &a), 0);
	assert_int_equal(xp_profile_add(f.profile, 0, &b), 0);
	assert_int_equal(xp_profile_add(f.profile, 1, &b), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	const struct xp_profile_row *row = row_at(&f, 0, 0x20);
	assert_int_equal(row->sum.period, 10);
	assert_int_equal(row->sum.samples, 2);
	assert_int_equal(row->members[0].period, 5);
	assert_int_equal(row->members[1].period, 5);
	assert_int_equal(only_chain(&f, 0)->hit, 10);
	assert_int_equal(row_at(&f, 1, 0x10)->sum.period, 9);
	assert_int_equal(only_chain(&f, 1)->hit, 9);
	end(&f);
	struct xp_profile_opts bad = opts;
	bad.group_leader = XP_GROUP_SUM - 1;
	assert_int_equal(xp_profile_new(NULL, &bad, &f.profile), -EINVAL);
}

/* Of two samples, the second has its caller from an earlier one; of the third, all have. */
static void joined_frames_are_counted(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_SYMBOL };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 2,
					      .nr_events = 1,
					      .with_chains = true };
	static const uint64_t seen[] = { XP_CONTEXT_USER, 0x10, 0x30, 0x40 };
	static const uint64_t joined[] = { XP_CONTEXT_USER, 0x10, 0x30, XP_CONTEXT_USER,
					   XP_CONTEXT_USER, 0x40 };
	static const uint64_t all[] = { XP_CONTEXT_USER, 0x20, XP_CONTEXT_USER, XP_CONTEXT_USER,
					0x40 };
	struct xp_sample a = sample_at(0x10, 9, 1), b = a, c = sample_at(0x20, 5, 3);
	struct fixture f;

	(void)state;
	a.callchain = seen;
	a.nr_callchain = 4;
	b.callchain = joined;
	b.nr_callchain = 6;
	c.callchain = all;
	c.nr_callchain = 5;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &a), 0);
	assert_int_equal(xp_profile_add(f.profile, 0, &b), 0);
	assert_int_equal(xp_profile_add(f.profile, 0, &c), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	const struct xp_chain *chain = only_chain(&f, 0);
	assert_int_equal(chain->nr_locations, 3);
	assert_int_equal(chain->nr_hits, 2);
	assert_int_equal(chain->nr_joined[1], 0);
	assert_int_equal(chain->nr_joined[2], 1);
	chain = only_chain(&f, 1);
	assert_int_equal(chain->nr_locations, 2);
	assert_int_equal(chain->nr_joined[0], 0);
	assert_int_equal(chain->nr_joined[1], 1);
	end(&f);
}

/* The tag is how many ran. */
static uint64_t shared_by(uint32_t tag, uint64_t period, void *data)
{
	(void)data;
	return period / tag;
}

static void time_that_passed_and_parts_are_summed_up(void **state)
{
	static const struct xp_record in_kernel = { .type = XP_RECORD_SAMPLE,
						    .misc = XP_MISC_KERNEL };
	static const enum xp_key keys[] = { XP_KEY_LATENCY, XP_KEY_COMM };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 2,
					      .nr_events = 1,
					      .latency = shared_by };
	struct xp_sample sample = sample_at(0x10, 12, 1);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 1), 0);
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 4), 0);
	sample.record = &in_kernel;
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 2), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	assert_int_equal(xp_profile_nr_rows(f.profile, 0), 1);
	const struct xp_profile_row *row = xp_profile_row_at(f.profile, 0, 0);
	assert_int_equal(row->sum.period, 36);
	assert_int_equal(row->sum.latency, 12 + 3 + 6);
	assert_int_equal(row->sum.parts[XP_PART_USER], 24);
	assert_int_equal(row->sum.parts[XP_PART_SYS], 12);
	assert_int_equal(total_of(&f).latency, 21);
	end(&f);
}

static void each_branch_is_one(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_SYMBOL_FROM, XP_KEY_SYMBOL_TO };
	const struct xp_profile_opts opts = {
		.size = sizeof(opts), .keys = keys, .nr_keys = 3, .nr_events = 1
	};
	const struct xp_branch branches[] = { { .from = 0x10, .to = 0x20 },
					      { .from = 0x10, .to = 0x30 },
					      { .from = 0x10, .to = 0x20 } };
	struct xp_sample sample = sample_at(0x99, 1000, 1);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	for (int i = 0; i < 3; i++)
		assert_int_equal(xp_profile_add_branch(f.profile, 0, &sample, &branches[i], 0), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	assert_int_equal(xp_profile_nr_rows(f.profile, 0), 2);
	const struct xp_profile_row *row = row_at(&f, 0, 0x10);
	assert_int_equal(row->sum.period, 2);
	assert_int_equal(row->target->ip, 0x20);
	/* what nobody has mapped is nobody's */
	assert_int_equal(row->level, 'H');
	assert_int_equal(row_at(&f, 1, 0x10)->target->ip, 0x30);
	end(&f);
}

static int highest_first(uint32_t a, uint32_t b, void *data)
{
	assert_ptr_equal(data, &highest_first);
	return (a < b) - (a > b);
}

static void tags_distinguish_rows(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_TAG };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 2,
					      .nr_events = 1,
					      .compare_tags = highest_first,
					      .tag_data = (void *)&highest_first };
	struct xp_sample sample = sample_at(0x10, 5, 1);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 3), 0);
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 9), 0);
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 9), 0);
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 3), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	assert_int_equal(xp_profile_nr_rows(f.profile, 0), 2);
	assert_int_equal(row_at(&f, 0, 0x10)->tag, 9);
	assert_int_equal(row_at(&f, 1, 0x10)->tag, 3);
	end(&f);
}

static uint32_t halved(uint32_t tag, void *data)
{
	assert_ptr_equal(data, &halved);
	return tag / 2;
}

static void tags_can_be_made_fewer(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_TAG };
	static const uint32_t tags[] = { 2, 3, 9, 2 };
	const struct xp_profile_opts opts = {
		.size = sizeof(opts), .keys = keys, .nr_keys = 2, .nr_events = 1
	};
	struct xp_sample sample = sample_at(0x10, 5, 1);
	struct fixture f;

	(void)state;
	start(&f, &opts);
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, tags[i]), 0);
	assert_int_equal(xp_profile_merge_tags(f.profile, halved, (void *)&halved), 0);
	assert_int_equal(xp_profile_nr_distinct(f.profile), 2);
	/* This one has the tag it is given. */
	assert_int_equal(xp_profile_add_tagged(f.profile, 0, &sample, 4), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	assert_int_equal(xp_profile_merge_tags(f.profile, halved, (void *)&halved), -EBUSY);
	assert_int_equal(xp_profile_nr_rows(f.profile, 0), 2);
	const struct xp_profile_row *row = row_at(&f, 0, 0x10);
	assert_int_equal(row->tag, 1);
	assert_int_equal(row->sum.period, 15);
	row = row_at(&f, 1, 0x10);
	assert_int_equal(row->tag, 4);
	assert_int_equal(row->sum.samples, 2);
	end(&f);
}

static void callers_stand_before_what_they_called(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD_CHILDREN, XP_KEY_OVERHEAD, XP_KEY_COMM,
					    XP_KEY_SYMBOL };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 4,
					      .nr_events = 1,
					      .children = true,
					      .with_chains = true,
					      .callers_first = true };
	const uint64_t chain[] = { XP_CONTEXT_USER, 0x10, 0x20, 0x30 };
	struct xp_sample sample = sample_at(0x10, 5, 1);
	struct fixture f;

	(void)state;
	sample.callchain = chain;
	sample.nr_callchain = 4;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &sample), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	/* what was sampled itself has the whole chain, too, and its own share */
	row_at(&f, 0, 0x10);
	row_at(&f, 1, 0x30);
	row_at(&f, 2, 0x20);
	end(&f);
}

static void chains_as_long_as_they_may_be_are_counted(void **state)
{
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = by_place,
					      .nr_keys = 3,
					      .nr_events = 1,
					      .with_chains = true };
	uint64_t chain[129] = { XP_CONTEXT_USER };
	struct xp_sample sample = sample_at(0x10, 5, 1);
	struct fixture f;

	(void)state;
	for (uint64_t i = 1; i < 129; i++)
		chain[i] = i * 16;
	sample.callchain = chain;
	sample.nr_callchain = 128;
	start(&f, &opts);
	assert_int_equal(xp_profile_add(f.profile, 0, &sample), 0);
	sample.nr_callchain = 127;
	assert_int_equal(xp_profile_add(f.profile, 0, &sample), 0);
	/* One frame more: the kernel did not end it there. */
	sample.nr_callchain = 129;
	assert_int_equal(xp_profile_add(f.profile, 0, &sample), 0);
	assert_int_equal(xp_profile_resolve(f.profile, f.resolver, NULL, NULL), 0);
	assert_int_equal(total_of(&f).truncated_samples, 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_a_group_share_rows),
		cmocka_unit_test(the_members_decide_where_the_leader_does_not),
		cmocka_unit_test(another_member_may_decide),
		cmocka_unit_test(all_members_may_decide_by_their_sum),
		cmocka_unit_test(joined_frames_are_counted),
		cmocka_unit_test(time_that_passed_and_parts_are_summed_up),
		cmocka_unit_test(each_branch_is_one),
		cmocka_unit_test(tags_distinguish_rows),
		cmocka_unit_test(tags_can_be_made_fewer),
		cmocka_unit_test(callers_stand_before_what_they_called),
		cmocka_unit_test(chains_as_long_as_they_may_be_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
