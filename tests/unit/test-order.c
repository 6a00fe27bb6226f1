/* SPDX-License-Identifier: MIT */
/* Records in the order of time: rounds, the limit, and whole recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "order.h"

struct handed {
	unsigned int nr, nr_disordered;
	uint64_t last_ns;
};

static void hand_out_due(struct xp_order *order, struct handed *handed)
{
	struct xp_ordered it;
	int found;

	while ((found = xp_order_next(order, &it)) > 0) {
		handed->nr++;
		handed->nr_disordered += it.time_ns < handed->last_ns;
		handed->last_ns = it.time_ns;
	}
	assert_int_equal(found, 0);
}

/* Without the end of a round no more than the limit waits; what is in order within it stays so. */
static void no_more_than_the_limit_waits(void **state)
{
	enum { RECORDS = 100000, LIMIT = 64 << 10, NEAR = 16, FAR = 50000, ROUND = 1536 };
	static const struct xp_record record = { .type = XP_RECORD_SAMPLE, .size = 8 };
	static const struct {
		unsigned int swap, round; /* 0: no rounds end */
		bool is_late;
	} rows[] = { { NEAR, 0, false }, { NEAR, ROUND, false }, { FAR, 0, true } };

	(void)state;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		struct xp_order *order = xp_order_new(LIMIT, NULL, NULL);
		struct handed handed = { 0 };

		assert_non_null(order);
		for (unsigned int i = 0; i < RECORDS; i++) {
			unsigned int block = i / rows[row].swap, in = i % rows[row].swap;
			uint64_t time_ns = 1 + block * rows[row].swap + rows[row].swap - in;

			assert_int_equal(xp_order_add(order, &record, time_ns, i), 0);
			hand_out_due(order, &handed);
			assert_true((i + 1 - handed.nr) * sizeof(record) <= LIMIT);
			if (rows[row].round && i % rows[row].round == rows[row].round - 1) {
				assert_int_equal(xp_order_round(order), 0);
				hand_out_due(order, &handed);
			}
		}
		assert_int_equal(xp_order_end(order), 0);
		hand_out_due(order, &handed);
		assert_int_equal(handed.nr, RECORDS);
		assert_int_equal(handed.nr_disordered > 0, rows[row].is_late);
		assert_int_equal(xp_order_nr_late(order) > 0, rows[row].is_late);
		xp_order_free(order);
	}
}

/* --- recordings --- */

static int leave_out_samples(const struct xp_record *record, void *data)
{
	uint64_t *nr = data;

	++*nr;
	return record->type != XP_RECORD_SAMPLE;
}

static int fail_at_once(const struct xp_record *record, void *data)
{
	(void)record;
	(void)data;
	return -ECANCELED;
}

/* How many there are besides ends of rounds; their positions summed up. */
static uint64_t count(struct xp_data *data, uint64_t *ret_samples, uint64_t *ret_positions)
{
	const struct xp_record *record;
	uint64_t nr = 0;

	*ret_samples = *ret_positions = 0;
	while (xp_data_next(data, &record, NULL) > 0) {
		if (record->type == XP_RECORD_FINISHED_ROUND)
			continue;
		nr++;
		*ret_samples += record->type == XP_RECORD_SAMPLE;
		*ret_positions += xp_data_position(data);
	}
	return nr;
}

static void check_recording(struct xp_data *data, const char *name)
{
	uint64_t nr = 0, samples, positions, last_ns = 0, time_ns, position, seen = 0;
	uint64_t all = count(data, &samples, &positions);
	struct xp_order_opts opts = { .size = sizeof(opts),
				      .keep = leave_out_samples,
				      .data = &seen };
	const struct xp_record *record;
	int err = xp_data_rewind(data), got = 1;

	if (err) /* standard input of the test, say */
		fail_msg("%s: %d", name, err);
	while ((got = xp_data_next_ordered(data, &record, &time_ns, &position)) > 0) {
		if (time_ns && time_ns < last_ns && !xp_data_nr_late(data))
			fail_msg("%s: %llu after %llu", name, (unsigned long long)time_ns,
				 (unsigned long long)last_ns);
		last_ns = time_ns ? time_ns : last_ns;
		positions -= position;
		nr++;
	}
	assert_int_equal(got, 0);
	assert_int_equal(xp_data_next_ordered(data, &record, NULL, NULL), 0);
	assert_int_equal(nr, all);
	assert_int_equal(positions, 0);
	assert_int_equal(xp_data_set_order(data, &opts), -EBUSY);

	assert_int_equal(xp_data_rewind(data), 0);
	assert_int_equal(xp_data_set_order(data, &opts), 0);
	for (nr = 0; xp_data_next_ordered(data, &record, NULL, NULL) > 0; nr++)
		assert_int_not_equal(record->type, XP_RECORD_SAMPLE);
	assert_int_equal(nr, all - samples);
	assert_true(seen >= all);

	opts.keep = fail_at_once;
	assert_int_equal(xp_data_rewind(data), 0);
	assert_int_equal(xp_data_set_order(data, &opts), 0);
	if (all)
		assert_int_equal(xp_data_next_ordered(data, &record, NULL, NULL), -ECANCELED);
}

static void recordings_come_in_order(void **state)
{
	struct xp_data_opts opts = { .size = sizeof(opts), .force = true };
	const struct dirent *entry;
	struct xp_ctx *ctx;
	char path[1024];
	int nr = 0;

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	snprintf(path, sizeof(path), "%s/tests/data/perfdata/files", getenv("SOURCE_DIR"));
	DIR *dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct xp_data *data;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/tests/data/perfdata/files/%s",
			 getenv("SOURCE_DIR"), entry->d_name);
		opts.path = path;
		if (xp_data_open(ctx, &opts, &data, NULL))
			continue;
		check_recording(data, entry->d_name);
		xp_data_close(data);
		nr++;
	}
	closedir(dir);
	assert_true(nr > 3);
	xp_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_than_the_limit_waits),
		cmocka_unit_test(recordings_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
