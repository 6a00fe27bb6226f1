/* SPDX-License-Identifier: MIT */
/*
 * Structures that the library fills and that can grow: those of programs compiled for an older or a
 * newer library. What lies after them is not touched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/xperf.h>

#include "tree-add.h"

#include "opts.h"

enum { MORE = 16, ROOM = 1024, SENTINEL = 0xa5 };

static struct xp_ctx *ctx;
static struct xp_timeline *timeline;
static struct xp_symbols *symbols;
static struct xp_resolver *resolver;
static struct xp_profile *profile, *resolved;
static struct xp_tree *tree;

static const struct xp_attr attr = { .type = 1, .sample_type = XP_SAMPLE_IP | XP_SAMPLE_TID };
static const struct {
	struct xp_record header;
	uint64_t ip;
	uint32_t pid, tid;
} sample = { { XP_RECORD_SAMPLE, XP_MISC_USER, 24 }, 0x401010, 7, 8 };

static int fill_sample(void *ret)
{
	return xp_sample_decode(&sample.header, &attr, ret);
}

static int fill_map(void *ret)
{
	return xp_timeline_map_at(timeline, 7, XP_MISC_USER, 0x401010, 5, ret);
}

static int fill_frame(void *ret)
{
	return xp_resolver_frame(resolver, 7, XP_MISC_USER, 0x401010, false, 5, ret);
}

static int fill_total(void *ret)
{
	return xp_profile_total_at(profile, 0, ret);
}

static int fill_call(void *ret)
{
	return xp_profile_call_at(resolved, 0, ret);
}

static int fill_stack(void *ret)
{
	return xp_profile_stack_at(resolved, 0, ret);
}

static int fill_tree_event(void *ret)
{
	return xp_tree_event_at(tree, 0, ret);
}

static int fill_disturbance(void *ret)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = "/nonexistent" };
	struct xp_ctx *nowhere = NULL;

	assert_int_equal(xp_ctx_new(&opts, &nowhere), 0);
	int err = xp_disturbance_read(nowhere, ret);
	xp_ctx_free(nowhere);
	return err;
}

static int fill_kept(void *ret)
{
	struct xp_ctx *here = NULL;
	struct xp_build_ids *ids = NULL;

	assert_int_equal(xp_ctx_new(NULL, &here), 0);
	assert_int_equal(xp_build_ids_new(here, &ids), 0);
	int err = xp_build_ids_keep(ids, "/nonexistent", 0, ret, NULL);
	xp_build_ids_free(ids);
	xp_ctx_free(here);
	return err;
}

static const struct {
	const char *type;
	int (*fill)(void *ret);
	size_t bytes;
	int returns;
} rows[] = {
	{ "xp_sample", fill_sample, sizeof(struct xp_sample), 0 },
	{ "xp_map", fill_map, sizeof(struct xp_map), 1 },
	{ "xp_frame", fill_frame, sizeof(struct xp_frame), 0 },
	{ "xp_disturbance", fill_disturbance, sizeof(struct xp_disturbance), 0 },
	{ "xp_build_ids_kept", fill_kept, sizeof(struct xp_build_ids_kept), 0 },
	{ "xp_profile_total", fill_total, sizeof(struct xp_profile_total), 0 },
	{ "xp_profile_call", fill_call, sizeof(struct xp_profile_call), 0 },
	{ "xp_tree_event", fill_tree_event, sizeof(struct xp_tree_event), 0 },
	{ "xp_profile_stack", fill_stack, sizeof(struct xp_profile_stack), 0 },
};

static bool is_all(const unsigned char *bytes, size_t nr, unsigned char value)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

/* Fills row @r for a program whose structure has @size. */
static int try(size_t r, size_t size, unsigned char *room)
{
	memset(room, SENTINEL, ROOM);
	memcpy(room, &size, sizeof(size));
	return rows[r].fill(room);
}

static void newer_programs_find_zeros(void **state)
{
	_Alignas(max_align_t) unsigned char exact[ROOM], larger[ROOM];

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		size_t bytes = rows[r].bytes, size;

		if (try(r, bytes, exact) != rows[r].returns ||
		    !is_all(exact + bytes, ROOM - bytes, SENTINEL))
			fail_msg("%s as it is", rows[r].type);
		if (try(r, bytes + MORE, larger) != rows[r].returns ||
		    memcmp(exact + sizeof(size), larger + sizeof(size), bytes - sizeof(size)) ||
		    !is_all(larger + bytes, MORE, 0) ||
		    !is_all(larger + bytes + MORE, ROOM - bytes - MORE, SENTINEL))
			fail_msg("%s of a newer program", rows[r].type);
		memcpy(&size, larger, sizeof(size));
		assert_int_equal(size, bytes + MORE);
	}
}

static void less_than_ever_is_refused(void **state)
{
	_Alignas(max_align_t) unsigned char room[ROOM];

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		const size_t sizes[] = { 0, sizeof(size_t), rows[r].bytes - 8 };

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			if (try(r, sizes[i], room) != -EINVAL ||
			    !is_all(room + sizeof(size_t), ROOM - sizeof(size_t), SENTINEL))
				fail_msg("%s of %zu bytes", rows[r].type, sizes[i]);
	}
}

/* A structure that has grown since its first version. */
struct grown {
	size_t size;
	uint64_t first;
	uint64_t later;
};

static void older_programs_get_less(void **state)
{
	const struct grown mine = { .size = sizeof(mine), .first = 1, .later = 2 };
	struct grown theirs = { .size = offsetof(struct grown, later), .first = 3, .later = 4 };

	(void)state;
	assert_int_equal(XP_OUTPUT_COPY(&theirs, &mine, struct grown, first), 0);
	assert_int_equal(theirs.size, offsetof(struct grown, later));
	assert_int_equal(theirs.first, 1);
	assert_int_equal(theirs.later, 4);
}

/* What a program hands in: fields that are not known must be 0. */
static void what_is_handed_in_is_checked(void **state)
{
	_Alignas(max_align_t) unsigned char room[ROOM] = { 0 };
	size_t size = sizeof(struct xp_sample) + MORE;
	uint64_t words[64];

	(void)state;
	memcpy(room, &size, sizeof(size));
	assert_int_equal(xp_sample_encode((const void *)room, &attr, words, sizeof(words)), 24);
	room[size - 1] = 1;
	assert_int_equal(xp_sample_encode((const void *)room, &attr, words, sizeof(words)), -E2BIG);
	size = 8;
	memcpy(room, &size, sizeof(size));
	assert_int_equal(xp_sample_encode((const void *)room, &attr, words, sizeof(words)),
			 -EINVAL);
	assert_int_equal(xp_profile_add(profile, 0, (const void *)room), -EINVAL);
}

static void tables_have_their_size(void **state)
{
	struct {
		struct xp_sys sys;
		uint64_t later;
	} newer = { *xp_sys_linux(), 0 };
	struct xp_arch arch = *xp_arch_native();
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &newer.sys, .arch = &arch };
	struct xp_ctx *made;

	(void)state;
	assert_int_equal(newer.sys.size, sizeof(struct xp_sys));
	newer.sys.size = sizeof(newer);
	assert_int_equal(xp_ctx_new(&opts, &made), 0);
	xp_ctx_free(made);
	newer.later = 1;
	assert_int_equal(xp_ctx_new(&opts, &made), -E2BIG);
	newer.sys.size = 0;
	assert_int_equal(xp_ctx_new(&opts, &made), -EINVAL);
	newer.sys.size = sizeof(newer.sys);
	arch.size = 8;
	assert_int_equal(xp_ctx_new(&opts, &made), -EINVAL);
}

static int set_up(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = 1,
					      .nr_events = 1,
					      .whole_chains = true };
	static const struct tree_event event = { .name = "cycles", .unit = "count" };
	uint32_t nr;
	static const struct xp_record in_user = { .type = XP_RECORD_SAMPLE, .misc = XP_MISC_USER };
	const struct xp_sample somewhere = { .size = sizeof(somewhere),
					     .record = &in_user,
					     .ip = 1 };
	static const struct {
		struct xp_record_mmap map;
		char name[8];
	} map = { { { XP_RECORD_MMAP, XP_MISC_USER, sizeof(map) }, 7, 8, 0x400000, 0x2000, 0 },
		  "/bin/a" };
	const struct xp_sample_id id = { .pid = 7, .tid = 8, .time_ns = 1 };

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_timeline_new(&timeline), 0);
	assert_int_equal(xp_timeline_add(timeline, &map.map.header, &id), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	assert_int_equal(xp_resolver_new(timeline, symbols, &resolver), 0);
	assert_int_equal(xp_profile_new(timeline, &opts, &profile), 0);
	assert_int_equal(xp_tree_new(&tree), 0);
	assert_int_equal(xp_tree_add_event(tree, &event, &nr), 0);
	assert_int_equal(xp_profile_new(timeline, &opts, &resolved), 0);
	assert_int_equal(xp_profile_add(resolved, 0, &somewhere), 0);
	assert_int_equal(xp_profile_resolve(resolved, resolver, NULL, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	xp_profile_free(profile);
	xp_profile_free(resolved);
	xp_tree_free(tree);
	xp_resolver_free(resolver);
	xp_symbols_free(symbols);
	xp_timeline_free(timeline);
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_programs_find_zeros),
		cmocka_unit_test(less_than_ever_is_refused),
		cmocka_unit_test(older_programs_get_less),
		cmocka_unit_test(what_is_handed_in_is_checked),
		cmocka_unit_test(tables_have_their_size),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
