/* SPDX-License-Identifier: MIT */
/* The recorder of `top`, for which this program stands in: it never waits for whoever draws. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <xperf/diag.h>
#include <xperf/record.h>

#include "cli/top/feed.h"
#include "cli/top/window.h"

/* More than any pipe holds. */
enum { RECORDS = 200000, NEVER_S = 3600, PATIENCE_MS = 300000 };

static const uint64_t header[2] = { 0x32454c4946524550, 16 }; /* "PERFILE2" */

struct sample {
	struct xp_record header;
	uint64_t words[2];
};

/* --- the recorder --- */

static int write_samples(void)
{
	const struct sample sample = { { XP_RECORD_SAMPLE, 0, sizeof(sample) }, { 0 } };

	fwrite(header, sizeof(header), 1, stdout);
	for (int i = 0; i < RECORDS; i++)
		fwrite(&sample, sizeof(sample), 1, stdout);
	return fflush(stdout) ? 1 : 0;
}

static int stand_in(const char *how)
{
	if (!strcmp(how, "samples"))
		return write_samples();
	if (!strcmp(how, "nonsense")) {
		puts("this is no recording");
		return fflush(stdout) ? 1 : pause();
	}
	if (!strcmp(how, "nothing"))
		return pause();
	return 3;
}

/* --- tests --- */

static void open_feed(struct feed *feed, struct window *window, char *how)
{
	char record[] = "record";
	char *const argv[] = { record, how, NULL };
	struct xp_diag diag = { 0 };

	assert_int_equal(feed_open(feed, argv, window, NEVER_S, &diag), 0);
}

static void wait_for_end(const struct feed *feed)
{
	struct pollfd fd = { .fd = feed->end, .events = POLLIN };

	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
}

/* Nobody asks for samples before the recorder has written all of them. */
static void all_samples_are_read(void **state)
{
	struct window *window = window_new(2, NULL);
	char how[] = "samples";
	struct feed feed;
	struct feed_written written;
	struct stat st;
	int file = memfd_create("kept", MFD_CLOEXEC);

	(void)state;
	assert_non_null(window);
	open_feed(&feed, window, how);
	wait_for_end(&feed);
	assert_int_equal(feed_state(&feed), 1);
	assert_int_equal(feed_samples(&feed), RECORDS);
	assert_int_equal(feed_write(&feed, file, &written), 0);
	assert_int_equal(written.nr_intervals, 0);
	assert_int_equal(written.nr_samples, RECORDS);
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(st.st_size, sizeof(header) + RECORDS * sizeof(struct sample));
	assert_false(feed_close(&feed));
	assert_int_equal(feed.status, 0);
	close(file);
	window_free(window);
}

static void what_is_no_recording_ends_it(void **state)
{
	struct window *window = window_new(2, NULL);
	char how[] = "nonsense";
	struct feed feed;

	(void)state;
	assert_non_null(window);
	open_feed(&feed, window, how);
	wait_for_end(&feed);
	assert_int_equal(feed_state(&feed), -EBADMSG);
	assert_false(feed_close(&feed));
	window_free(window);
}

/* A recorder that goes on is ended, one that has failed is told apart. */
static void recorders_end(void **state)
{
	struct window *window = window_new(2, NULL);
	char nothing[] = "nothing", failure[] = "failure";
	struct feed feed;

	(void)state;
	assert_non_null(window);
	open_feed(&feed, window, nothing);
	assert_int_equal(feed_state(&feed), 0);
	assert_false(feed_close(&feed));
	open_feed(&feed, window, failure);
	wait_for_end(&feed);
	assert_true(feed_close(&feed));
	window_free(window);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_samples_are_read),
		cmocka_unit_test(what_is_no_recording_ends_it),
		cmocka_unit_test(recorders_end),
	};

	if (argc == 2 && !strcmp(argv[0], "record"))
		return stand_in(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
