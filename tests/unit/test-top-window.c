/* SPDX-License-Identifier: MIT */
/* What `top` keeps of a recording that never ends: a stream in any pieces, the last samples, and no
 * more memory after hours than after minutes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <xperf/data.h>
#include <xperf/record.h>

#include "cli/top/window.h"

enum { LIVING = 7 };

static bool lives(pid_t pid)
{
	return pid == LIVING;
}

static const uint64_t header[2] = { 0x32454c4946524550, 16 }; /* "PERFILE2" */

/* A record of three words; the first is the process and thread where it is about one. */
static int add(struct window *window, uint32_t type, uint64_t first, uint64_t second)
{
	struct {
		struct xp_record header;
		uint64_t words[2];
	} record = { { type, 0, sizeof(record) }, { first, second } };

	return window_add(window, &record, sizeof(record));
}

/* Reads what is kept: the second words of the records of a type, in order. Returns how many. */
static size_t kept(const struct window *window, uint32_t type, uint64_t *words, size_t room)
{
	static char bytes[4 << 20];
	int fd = memfd_create("kept", 0);
	size_t nr = 0;

	assert_int_equal(window_write(window, fd), 0);
	ssize_t len = pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	assert_true(len >= (ssize_t)sizeof(header));
	assert_memory_equal(bytes, header, sizeof(header));
	for (ssize_t i = sizeof(header); i < len;) {
		struct xp_record record;

		memcpy(&record, bytes + i, sizeof(record));
		if (record.type == type && nr < room)
			memcpy(&words[nr], bytes + i + 16, sizeof(*words));
		nr += record.type == type;
		i += record.size;
		if (record.type == XP_RECORD_HEADER_TRACING_DATA)
			i += 24;
	}
	return nr;
}

static void the_last_samples_are_kept(void **state)
{
	struct window *window = window_new(2, lives);
	uint64_t words[8];

	(void)state;
	assert_int_equal(window_add(window, header, sizeof(header)), 0);
	for (uint64_t i = 0; i < 4; i++) {
		add(window, XP_RECORD_SAMPLE, 0, 10 * i);
		add(window, XP_RECORD_SAMPLE, 0, 10 * i + 1);
		add(window, XP_RECORD_MMAP2, LIVING, i);
		if (i < 3)
			window_turn(window);
	}
	assert_int_equal(window_samples(window), 4);
	assert_int_equal(kept(window, XP_RECORD_SAMPLE, words, 8), 4);
	assert_int_equal(words[0], 20);
	assert_int_equal(words[3], 31);
	/* What is mapped is true of them, too, whenever that was recorded. */
	assert_int_equal(kept(window, XP_RECORD_MMAP2, words, 8), 4);
	window_free(window);
}

static void a_stream_comes_in_any_pieces(void **state)
{
	static const struct {
		uint64_t header[2];
		struct xp_record feature;
		uint64_t feature_words[2];
		struct xp_record formats;
		uint32_t bytes, padding;
		char text[24];
		struct xp_record sample;
		uint64_t sample_words[2];
	} stream = {
		.header = { 0x32454c4946524550, 16 },
		.feature = { XP_RECORD_HEADER_FEATURE, 0, 24 },
		.feature_words = { XP_FEATURE_SAMPLE_TIME, 0 },
		.formats = { XP_RECORD_HEADER_TRACING_DATA, 0, 16 },
		.bytes = 23,
		.text = "formats, and no record",
		.sample = { XP_RECORD_SAMPLE, 0, 24 },
		.sample_words = { 1, 42 },
	};
	uint64_t word;

	(void)state;
	for (size_t piece = 1; piece <= sizeof(stream); piece++) {
		struct window *window = window_new(3, lives);

		for (size_t i = 0; i < sizeof(stream); i += piece) {
			size_t left = sizeof(stream) - i;

			assert_int_equal(window_add(window, (const char *)&stream + i,
						    left < piece ? left : piece),
					 0);
		}
		assert_int_equal(kept(window, XP_RECORD_SAMPLE, &word, 1), 1);
		assert_int_equal(word, 42);
		assert_int_equal(kept(window, XP_RECORD_HEADER_TRACING_DATA, &word, 1), 1);
		/* It would say that the recorder was killed. */
		assert_int_equal(kept(window, XP_RECORD_HEADER_FEATURE, &word, 1), 0);
		window_free(window);
	}
}

static void what_is_no_stream_is_refused(void **state)
{
	static const uint64_t other[2] = { 1, 2 };
	struct window *window = window_new(1, lives);

	(void)state;
	assert_int_equal(window_add(window, other, sizeof(other)), -EBADMSG);
	window_free(window);
	window = window_new(1, lives);
	assert_int_equal(window_add(window, header, sizeof(header)), 0);
	assert_int_equal(window_add(window, other, sizeof(other)), -EBADMSG);
	window_free(window);
}

/* 100,000 processes come and go in 1,000 intervals. */
static void memory_does_not_grow(void **state)
{
	struct window *window = window_new(3, lives);
	size_t half = 0;
	uint64_t word;

	(void)state;
	assert_int_equal(window_add(window, header, sizeof(header)), 0);
	add(window, XP_RECORD_COMM, LIVING, 1);
	for (uint64_t i = 0; i < 1000; i++) {
		for (uint64_t pid = 0; pid < 100; pid++) {
			add(window, XP_RECORD_FORK, 1000 + pid, i);
			for (int map = 0; map < 20; map++)
				add(window, XP_RECORD_MMAP2, 1000 + pid, i);
			add(window, XP_RECORD_SAMPLE, 0, i);
			add(window, XP_RECORD_EXIT, 1000 + pid, i);
		}
		window_turn(window);
		if (i == 500)
			half = window_bytes(window);
	}
	assert_true(window_bytes(window) <= half);
	assert_true(window_bytes(window) < 8 << 20);
	/* What still runs is still known. */
	assert_int_equal(kept(window, XP_RECORD_COMM, &word, 1), 1);
	assert_int_equal(window_samples(window), 200);
	window_free(window);
}

/* Samples that are kept have the maps of their processes, which may have ended. */
static void what_ended_just_now_is_known(void **state)
{
	struct window *window = window_new(3, lives);
	uint64_t words[4];

	(void)state;
	assert_int_equal(window_add(window, header, sizeof(header)), 0);
	for (int i = 0; i < 100000; i++)
		add(window, XP_RECORD_MMAP2, 1000, 1);
	window_turn(window);
	add(window, XP_RECORD_COMM, 2000, 5);
	add(window, XP_RECORD_SAMPLE, 2000, 5);
	for (int i = 0; i < 2; i++) {
		window_turn(window);
		assert_int_equal(kept(window, XP_RECORD_COMM, words, 4), 1);
	}
	assert_int_equal(kept(window, XP_RECORD_SAMPLE, words, 4), 1);
	window_free(window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_samples_are_kept),
		cmocka_unit_test(a_stream_comes_in_any_pieces),
		cmocka_unit_test(what_is_no_stream_is_refused),
		cmocka_unit_test(memory_does_not_grow),
		cmocka_unit_test(what_ended_just_now_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
