/* SPDX-License-Identifier: MIT */
/*
 * Conditions on samples: what a text means, by what the kernel's program evaluates, and what is
 * wrong with one and where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/xperf.h>

#include "sample-conditions.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A sample: an instruction of user space, a load that hit the second level's cache and was
 * forwarded. */
static __u64 simulated(__u32 field, void *from)
{
	static const __u64 values[] = {
		[SAMPLE_FIELD_IP] = 0x401000,
		[SAMPLE_FIELD_ID] = 7,
		[SAMPLE_FIELD_TID] = 101,
		[SAMPLE_FIELD_PID] = 100,
		[SAMPLE_FIELD_CPU] = 1,
		[SAMPLE_FIELD_PERIOD] = 1000,
		[SAMPLE_FIELD_WEIGHT] = 5ULL << 48 | 6ULL << 32 | 70000,
		[SAMPLE_FIELD_DATA_SOURCE] = 2 | 2ULL << 33 | 1ULL << 38,
		[SAMPLE_FIELD_UID] = 1000,
		[SAMPLE_FIELD_GID] = 0,
	};

	(void)from;
	return field < ARRAY_LEN(values) ? values[field] : 0;
}

static void conditions_mean_what_they_say(void **state)
{
	static const struct {
		const char *text;
		bool holds;
		uint64_t type;
	} rows[] = {
		{ "ip < 0x8000000000000000", true, XP_SAMPLE_IP },
		{ "ip>=0x8000000000000000", false, XP_SAMPLE_IP },
		{ "period == 1000", true, XP_SAMPLE_PERIOD },
		{ "period != 1000", false, XP_SAMPLE_PERIOD },
		{ "period > 1000", false, XP_SAMPLE_PERIOD },
		{ "period >= 1000", true, XP_SAMPLE_PERIOD },
		{ "period < 1000", false, XP_SAMPLE_PERIOD },
		{ "period <= 1000", true, XP_SAMPLE_PERIOD },
		{ "period & 8", true, XP_SAMPLE_PERIOD },
		{ "period & 7", false, XP_SAMPLE_PERIOD },
		/* "||" binds tighter */
		{ "uid == 0 || uid == 1000, pid == 100", true, XP_SAMPLE_TID },
		{ "uid == 0 || uid == 1000, pid == 1", false, XP_SAMPLE_TID },
		{ "pid == 1, uid == 0 || uid == 1000", false, XP_SAMPLE_TID },
		{ "uid == 1000 || uid == 0, tid == 101 || gid == 5", true, XP_SAMPLE_TID },
		{ "uid == 1, uid == 2 || gid == 0", false, 0 },
		{ " cpu == 1 , id == 7 ", true, XP_SAMPLE_CPU | XP_SAMPLE_ID },
		/* parts of fields */
		{ "weight == 70000", true, XP_SAMPLE_WEIGHT_STRUCT },
		{ "ins_lat == 6, p_stage_cyc == 5", true, XP_SAMPLE_WEIGHT_STRUCT },
		{ "weight1 == 70000, weight2 == 6, weight3 == 5", true, XP_SAMPLE_WEIGHT_STRUCT },
		{ "mem_op == load, mem_lvlnum == l2", true, XP_SAMPLE_DATA_SRC },
		{ "mem_lvl == l1 || mem_op == store", false, XP_SAMPLE_DATA_SRC },
		{ "mem_snoop == fwd", true, XP_SAMPLE_DATA_SRC },
		{ "mem_snoop & 0x60", true, XP_SAMPLE_DATA_SRC },
		{ "mem_snoop == hitm", false, XP_SAMPLE_DATA_SRC },
		{ "mem_dtlb == walk", false, XP_SAMPLE_DATA_SRC },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_sample_filter filter = { 0 };
		struct xp_diag diag = { 0 };
		uint64_t type;

		int err = xp_sample_filter_parse(NULL, rows[i].text, &filter, &type, &diag);
		if (err)
			fail_msg("'%s': %s", rows[i].text, diag.what);
		if (sample_terms_hold(filter.terms, (__u32)filter.nr, simulated, NULL) !=
		    rows[i].holds)
			fail_msg("'%s' holds: %d expected", rows[i].text, rows[i].holds);
		assert_int_equal(type, rows[i].type);
	}
}

static void faults_are_shown_where_they_are(void **state)
{
	static const struct {
		const char *text;
		int pos, len;
		const char *hint; /* a part of it */
	} rows[] = {
		{ "", 0, 1, NULL },
		{ "perod > 1", 0, 5, "'period'" },
		{ "qwertyuiop > 1", 0, 10, "Fields are" },
		{ "period", 6, 1, "operators" },
		{ "period = 1", 7, 1, "'=='" },
		{ "period ==", 9, 1, NULL },
		{ "period == x", 10, 1, NULL },
		{ "period == -1", 10, 1, NULL },
		{ "period == 99999999999999999999", 10, 20, NULL },
		{ "mem_op == lod", 10, 3, "'load'" },
		{ "mem_lock == qwertyuiop", 12, 10, "locked" },
		{ "ip > 1 && pid == 1", 7, 1, "','" },
		{ "ip > 1 and pid == 1", 7, 3, "','" },
		{ "ip > 1 or pid == 1", 7, 2, "'||'" },
		{ "ip > 1 | pid == 1", 7, 1, "'||'" },
		{ "ip > 1,", 7, 1, NULL },
		{ "(ip > 1)", 0, 1, "tighter" },
		{ "!ip", 0, 1, "tighter" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_sample_filter filter = { 0 };
		struct xp_diag diag = { 0 };
		uint64_t type = 4711;

		if (xp_sample_filter_parse(NULL, rows[i].text, &filter, &type, &diag) != -EINVAL)
			fail_msg("'%s' is accepted", rows[i].text);
		if (diag.pos != rows[i].pos || diag.len != rows[i].len)
			fail_msg("'%s': at %d, %d bytes", rows[i].text, diag.pos, diag.len);
		if (rows[i].hint && !strstr(diag.hint, rows[i].hint))
			fail_msg("'%s': hint '%s'", rows[i].text, diag.hint);
		assert_int_equal(filter.nr, 0);
		assert_int_equal(type, 4711);
	}
}

static void there_is_room_for_32(void **state)
{
	struct xp_sample_filter filter = { 0 };
	struct xp_diag diag = { 0 };
	uint64_t type;

	(void)state;
	for (int i = 0; i < SAMPLE_TERMS_MAX; i++)
		assert_int_equal(xp_sample_filter_parse(NULL, "pid == 100", &filter, &type, &diag),
				 0);
	assert_int_equal(xp_sample_filter_parse(NULL, "pid == 100", &filter, &type, &diag),
			 -EINVAL);
	assert_int_equal(filter.nr, SAMPLE_TERMS_MAX);
	assert_true(sample_terms_hold(filter.terms, SAMPLE_TERMS_MAX, simulated, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_mean_what_they_say),
		cmocka_unit_test(faults_are_shown_where_they_are),
		cmocka_unit_test(there_is_room_for_32),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
