/* SPDX-License-Identifier: MIT */
/* When records of a recording are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/recording/losses.h"
#include "cli/recording/recording.h"
#include "made-recording.h"

/* S(ample), L(OST), C(OMM), E(nd: LOST_SAMPLES). */
struct step {
	char what;
	int cpu;
	uint64_t time_ns, lost;
};

static void add_step(struct bytes *out, const struct step *step)
{
	struct xp_data_event event = made_event(0);
	struct xp_sample sample = { .size = sizeof(sample),
				    .id = { 7, 8, step->time_ns, made_ids[0][0], 0, step->cpu },
				    .period = 1 };
	const struct {
		uint64_t id, lost;
	} lost = { made_ids[0][0], step->lost };
	const uint64_t comm[2] = { 7 };
	uint64_t record[64];
	int len = xp_sample_encode(&sample, &event.attr, record, sizeof(record));

	assert_true(len > 0);
	if (step->what == 'S') {
		bytes_add(out, record, (size_t)len);
		return;
	}
	const void *body = step->what == 'L'   ? (const void *)&lost
			   : step->what == 'E' ? (const void *)&lost.lost
					       : comm;
	size_t body_len = step->what == 'E' ? sizeof(lost.lost) : sizeof(lost);
	size_t trailer = xp_sample_id_bytes(&event.attr);
	const struct xp_record header = { step->what == 'L'   ? XP_RECORD_LOST
					  : step->what == 'E' ? XP_RECORD_LOST_SAMPLES
							      : XP_RECORD_COMM,
					  0, (uint16_t)(sizeof(header) + body_len + trailer) };
	uint8_t end[64];

	bytes_add(out, &header, sizeof(header));
	bytes_add(out, body, body_len);
	xp_sample_id_encode(&sample.id, &event.attr, end);
	bytes_add(out, end, trailer);
}

static void check(int line, const struct losses *losses, const struct loss *expected, size_t nr,
		  uint64_t lost)
{
	if (losses->nr != nr || losses_nr(losses) != lost)
		fail_msg("line %d: %d spans, %d lost", line, (int)losses->nr,
			 (int)losses_nr(losses));
	for (size_t i = 0; i < nr; i++)
		if (losses->at[i].from_ns != expected[i].from_ns ||
		    losses->at[i].to_ns != expected[i].to_ns)
			fail_msg("line %d: span %d is from %llu to %llu", line, (int)i,
				 (unsigned long long)losses->at[i].from_ns,
				 (unsigned long long)losses->at[i].to_ns);
}

static void losses_are_found(void **state)
{
	static const struct {
		int line;
		struct step steps[10];
		struct loss spans[3];
		size_t nr;
		uint64_t lost;
	} rows[] = {
		{ __LINE__, { { 'S', 0, 10 }, { 'S', 1, 20 } }, { { 0 } }, 0, 0 },
		/* From the last record of the same CPU, whatever it was. */
		{ __LINE__,
		  { { 'S', 0, 10 },
		    { 'C', 0, 12 },
		    { 'L', 0, 20, 5 },
		    { 'S', 0, 21 },
		    { 'S', 1, 15 } },
		  { { 12, 20 } },
		  1,
		  5 },
		/* Spans of CPUs that overlap are one; others are in order. */
		{ __LINE__,
		  { { 'S', 0, 10 },
		    { 'L', 0, 20, 5 },
		    { 'S', 0, 50 },
		    { 'L', 0, 60, 1 },
		    { 'S', 1, 15 },
		    { 'L', 1, 30, 2 },
		    { 'L', 1, 40, 2 } },
		  { { 10, 40 }, { 50, 60 } },
		  2,
		  10 },
		/* A CPU without a record before, and one that is not known. */
		{ __LINE__, { { 'S', 0, 10 }, { 'L', 1, 20, 5 } }, { { 0, 20 } }, 1, 5 },
		{ __LINE__, { { 'S', 0, 10 }, { 'L', 1 << 20, 20, 5 } }, { { 0, 20 } }, 1, 5 },
		/* Nothing is known of losses at the end but their number. */
		{ __LINE__,
		  { { 'S', 0, 10 }, { 'S', 1, 8 }, { 'E', 0, 30, 3 } },
		  { { 8, UINT64_MAX } },
		  1,
		  3 },
		{ __LINE__,
		  { { 'S', 0, 10 }, { 'L', 0, 20, 3 }, { 'S', 1, 8 }, { 'E', 0, 30, 3 } },
		  { { 10, 20 } },
		  1,
		  3 },
	};
	static const struct cli cli = { .name = "xperf" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recording_opts opts = { 0 };
		struct recording rec;
		struct losses losses;
		struct bytes bytes = { 0 };
		struct made made;
		int fd;

		made_init(&made);
		struct xp_data_writer *writer = made_start(&made, XP_DATA_FILE, 0, NULL, &fd);
		for (const struct step *step = rows[i].steps; step->what; step++)
			add_step(&bytes, step);
		assert_int_equal(xp_data_writer_write(writer, bytes.at, bytes.len, true), 0);
		made_finish(writer, fd);
		opts.input = made.path;
		assert_int_equal(recording_open(&rec, &cli, &opts), 0);
		assert_int_equal(losses_load(&rec, &losses), 0);
		check(rows[i].line, &losses, rows[i].spans, rows[i].nr, rows[i].lost);
		losses_fini(&losses);
		assert_int_equal(recording_close(&rec, 0, false), 0);
		free(bytes.at);
		made_fini(&made);
	}
}

static void moments_are_looked_up(void **state)
{
	static struct loss at[] = { { 10, 20 }, { 30, 40 } };
	const struct losses none = { 0 }, losses = { .at = at, .nr = 2 };
	static const struct {
		uint64_t from_ns, to_ns;
		bool has_loss;
	} rows[] = {
		{ 0, 10, false }, { 0, 11, true },  { 20, 30, false }, { 19, 20, true },
		{ 12, 12, true }, { 20, 31, true }, { 40, 99, false }, { 39, UINT64_MAX, true },
		{ 5, 5, false },  { 10, 15, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(losses_between(&losses, rows[i].from_ns, rows[i].to_ns),
				 rows[i].has_loss);
		assert_false(losses_between(&none, rows[i].from_ns, rows[i].to_ns));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_found),
		cmocka_unit_test(moments_are_looked_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
