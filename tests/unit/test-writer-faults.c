/* SPDX-License-Identifier: MIT */
/*
 * Whatever happens to the writer's process or its disk, the file is sound, its events have names,
 * and what was flushed is in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>

#include "writer-fixture.h"
#include "writer.h"

/* --- killed --- */

/* The process could have ended behind any write. */
static void verify_now(struct writer_fixture *f)
{
	struct data_check c;

	fixture_verify(f, &c);
}

static void flush_often(struct writer_fixture *f)
{
	static const uint64_t times[] = { 1, 2 };

	for (int i = 0; i < 40; i++) {
		assert_int_equal(fixture_send(f, 1 + i * 7, false), 0);
		assert_int_equal(fixture_flush(f), 0);
	}
	assert_int_equal(fixture_send(f, 9000, false), 0); /* larger than the buffer */
	assert_int_equal(fixture_send(f, 30, false), 0);
	assert_int_equal(
		xp_data_writer_add_feature(f->writer, XP_FEATURE_SAMPLE_TIME, times, sizeof(times)),
		0);
	assert_int_equal(xp_data_writer_finish(f->writer, &f->diag), 0);
	f->flushed = f->sent_len;
}

static void killed_behind_any_write(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	verify_now(&f);
	f.after_write = verify_now;
	flush_often(&f);
	fixture_verify(&f, &c);
	assert_true(c.has_table);
	assert_int_equal(c.features[XP_FEATURE_SAMPLE_TIME].size, 16);
	fixture_fini(&f);
}

/* A write that is cut anywhere: each goes out in pieces, and the process could end between two.
 * Headers, of 104 bytes, are not cut. */
static void killed_within_any_write(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	f.after_write = verify_now;
	f.piece_max = 113;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(fixture_send(&f, 1 + i, false), 0);
		assert_int_equal(fixture_flush(&f), 0);
	}
	fixture_fini(&f);
}

/* freed without finish: as the last flush left it */
static void left_alone_it_stays_as_flushed(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	assert_int_equal(fixture_send(&f, 10, false), 0);
	assert_int_equal(fixture_flush(&f), 0);
	assert_int_equal(fixture_send(&f, 10, false), 0);
	xp_data_writer_free(f.writer);
	f.writer = NULL;
	fixture_verify(&f, &c);
	assert_int_equal(c.given, f.flushed);
	assert_true(c.has_table);
	fixture_fini(&f);
}

/* --- the disk is full --- */

/* What has been sent is in the file, or counted as dropped, also by the file itself. */
static void verify_full(struct writer_fixture *f, int err, size_t refused)
{
	struct data_check c;

	fixture_verify(f, &c);
	assert_true(c.has_table);
	if (f->writer && err) {
		assert_int_equal(c.given + xp_data_writer_dropped(f->writer),
				 f->sent_len + refused);
		assert_int_equal(c.lost, xp_data_writer_dropped_samples(f->writer));
	}
}

/* Records until the disk is full at @room bytes, then the end. */
static void fill(uint64_t room)
{
	struct writer_fixture f;
	int err = 0;

	fixture_init(&f);
	fixture_start(&f);
	f.room = room;
	for (int i = 0; i < 60 && !err; i++) {
		err = fixture_send(&f, 3 + i % 5, false);
		if (!err)
			err = fixture_flush(&f);
	}
	assert_int_equal(err, -ENOSPC);
	verify_full(&f, err, 0);
	assert_int_equal(fixture_send(&f, 1, false), -ENOSPC);
	assert_int_equal(fixture_flush(&f), -ENOSPC);
	uint64_t times[] = { 1, 2 };
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_SAMPLE_TIME, times, 16),
			 0);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), -ENOSPC);
	assert_non_null(strstr(f.diag.what, "No space left"));
	verify_full(&f, err, sizeof(struct fixture_sample));
	fixture_fini(&f);
}

static void full_at_any_byte(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	fixture_verify(&f, &c);
	size_t len;
	free(fixture_bytes(&f, &len));
	fixture_fini(&f);
	for (uint64_t room = len; room < len + 900; room += 7)
		fill(room);
	for (uint64_t room = len + 5000; room < len + 5100; room++)
		fill(room);
}

/* The last large write brings the failure: of it, as much as goes is kept, and a feature that comes
 * later finds room. */
static void full_in_a_large_write(void **state)
{
	static const uint64_t times[] = { 1, 2 };
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	f.room = 100000;
	assert_int_equal(fixture_send(&f, 9000, false), -ENOSPC);
	fixture_verify(&f, &c);
	assert_in_range(c.data.size, 90000, 100000);
	assert_int_equal(c.given + xp_data_writer_dropped(f.writer),
			 9000 * sizeof(struct fixture_sample));
	assert_int_equal(c.lost, xp_data_writer_dropped_samples(f.writer));
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_SAMPLE_TIME, times, 16),
			 0);
	assert_int_equal(xp_data_writer_finish(f.writer, NULL), -ENOSPC);
	fixture_verify(&f, &c);
	assert_int_equal(c.features[XP_FEATURE_SAMPLE_TIME].size, 16);
	fixture_fini(&f);
}

/* Of late features those are left out that find no room, the largest first. */
static void full_at_the_end(void **state)
{
	static const char build_ids[8000], times[16];
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	assert_int_equal(fixture_send(&f, 1000, false), 0);
	assert_int_equal(fixture_flush(&f), 0);
	size_t len;
	free(fixture_bytes(&f, &len));
	f.room = len + 100;
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_BUILD_ID, build_ids,
						    sizeof(build_ids)),
			 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_SAMPLE_TIME, times, 16),
			 0);
	assert_int_equal(xp_data_writer_finish(f.writer, NULL), -ENOSPC);
	fixture_verify(&f, &c);
	assert_int_equal(c.features[XP_FEATURE_BUILD_ID].offset, 0);
	assert_int_equal(c.features[XP_FEATURE_SAMPLE_TIME].size, 16);
	fixture_fini(&f);
}

/* Nothing could be written: there is no file then. */
static void full_from_the_start(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	fixture_open(&f, 0);
	f.room = 50;
	assert_int_equal(xp_data_writer_start(f.writer, &f.diag), -ENOSPC);
	assert_non_null(strstr(f.diag.what, "No space left"));
	xp_data_writer_free(f.writer);
	f.writer = NULL;
	assert_int_equal(access(f.path, F_OK), -1);
	fixture_fini(&f);
}

/* --- other failures --- */

static const int errors[] = { -EIO, -EDQUOT, -EFBIG };

static void run_failing_at(uint64_t call, int err, bool for_good)
{
	struct writer_fixture f;
	struct data_check c;
	int got = 0;

	fixture_init(&f);
	fixture_start(&f);
	f.fail_at = f.writes + call;
	f.fail_on = for_good;
	f.fail_err = err;
	for (int i = 0; i < 4 && !got; i++) {
		got = fixture_send(&f, 10, false);
		if (!got)
			got = fixture_flush(&f);
	}
	assert_int_equal(got, err);
	f.fail_at = 0; /* it recovers, too late */
	if (!for_good)
		fixture_verify(&f, &c);
	assert_int_equal(fixture_send(&f, 1, false), err);
	assert_int_equal(xp_data_writer_finish(f.writer, NULL), err);
	fixture_verify(&f, &c);
	assert_true(c.has_table);
	assert_int_equal(c.lost, xp_data_writer_dropped_samples(f.writer));
	fixture_fini(&f);
}

static void any_write_can_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		for (uint64_t call = 1; call <= 9; call++) {
			run_failing_at(call, errors[i], false);
			run_failing_at(call, errors[i], true);
		}
}

/* A disk that is gone for good: the file is as the last header says, which is sound without the
 * table. */
static void gone_for_good(void **state)
{
	(void)state;
	for (uint64_t call = 1; call <= 6; call++) {
		struct writer_fixture f;
		struct data_check c;

		fixture_init(&f);
		fixture_start(&f);
		f.fail_at = f.writes + call;
		f.fail_on = true;
		f.fail_err = -EIO;
		for (int i = 0; i < 3; i++)
			if (!fixture_send(&f, 10, false))
				fixture_flush(&f);
		assert_int_equal(xp_data_writer_finish(f.writer, NULL), -EIO);
		fixture_verify(&f, &c);
		fixture_fini(&f);
	}
}

/* --- streams --- */

/* Starts a stream into a pipe. Returns the end to read from. */
static int start_stream(struct writer_fixture *f, int ret_ends[2])
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .shape = XP_DATA_PIPE };
	struct xp_data_event event = fixture_event(0);

	fixture_init(f);
	assert_int_equal(pipe2(ret_ends, O_CLOEXEC), 0);
	opts.fd = ret_ends[1];
	assert_int_equal(xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag), 0);
	assert_int_equal(xp_data_writer_add_event(f->writer, &event), 0);
	assert_int_equal(xp_data_writer_start(f->writer, &f->diag), 0);
	return ret_ends[0];
}

/* write(2), EPIPE; this program would end if a signal came */
static void nobody_reads_any_more(void **state)
{
	struct writer_fixture f;
	int ends[2];

	(void)state;
	close(start_stream(&f, ends));
	assert_int_equal(fixture_send(&f, 10, false), 0);
	assert_int_equal(fixture_flush(&f), -EPIPE);
	assert_int_equal(xp_data_writer_dropped(f.writer), 10 * sizeof(struct fixture_sample));
	assert_int_equal(xp_data_writer_dropped_samples(f.writer), 10);
	assert_int_equal(fixture_send(&f, 1, false), -EPIPE);
	assert_int_equal(xp_data_writer_dropped_samples(f.writer), 11);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), -EPIPE);
	close(ends[1]);
	fixture_fini(&f);
}

/* The reader empties the pipe when the writer waits for room. */
static int drain_and_poll(const struct xp_sys *sys, struct pollfd *fds, size_t nr,
			  int64_t timeout_ns)
{
	struct writer_fixture *f = fixture_of(sys);
	char buf[4096];

	assert_int_equal(nr, 1);
	assert_int_equal(timeout_ns, -1);
	assert_true(read((int)f->room, buf, sizeof(buf)) > 0);
	return xp_sys_linux()->poll(sys, fds, nr, timeout_ns);
}

static void a_pipe_that_does_not_wait(void **state)
{
	struct writer_fixture f;
	int ends[2];

	(void)state;
	int reader = start_stream(&f, ends);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	f.room = (uint64_t)reader;
	f.sys.poll = drain_and_poll;
	assert_int_equal(fixture_send(&f, 9000, false), 0);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), 0);
	close(ends[0]);
	close(ends[1]);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_behind_any_write),
		cmocka_unit_test(killed_within_any_write),
		cmocka_unit_test(left_alone_it_stays_as_flushed),
		cmocka_unit_test(full_at_any_byte),
		cmocka_unit_test(full_in_a_large_write),
		cmocka_unit_test(full_at_the_end),
		cmocka_unit_test(full_from_the_start),
		cmocka_unit_test(any_write_can_fail),
		cmocka_unit_test(gone_for_good),
		cmocka_unit_test(nobody_reads_any_more),
		cmocka_unit_test(a_pipe_that_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
