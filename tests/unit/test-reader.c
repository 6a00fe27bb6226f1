/* SPDX-License-Identifier: MIT */
/*
 * Reading recordings: what was written is found again, in every container; what was cut off
 * anywhere is read up to there; what is damaged is reported with its place and passed over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/mman.h>

#include "id-map.h"
#include "made-recording.h"
#include "writer.h"

static void check_events(const struct xp_data *data, bool has_groups)
{
	assert_int_equal(xp_data_nr_events(data), 3);
	assert_null(xp_data_event_at(data, 3));
	assert_null(xp_data_event_at(data, -1));
	for (int i = 0; i < 3; i++) {
		struct xp_data_event want = made_event(i);
		const struct xp_data_event *got = xp_data_event_at(data, i);

		/* Its size is what the container has room for. */
		want.attr.size = got->attr.size;
		assert_memory_equal(&want.attr, &got->attr, sizeof(want.attr));
		assert_string_equal(want.name, got->name);
		assert_string_equal(want.unit ? want.unit : "", got->unit ? got->unit : "");
		assert_true(want.scale == got->scale);
		assert_string_equal(want.own_cpus ? want.own_cpus : "",
				    got->own_cpus ? got->own_cpus : "");
		assert_int_equal(got->nr_ids, 3);
		assert_memory_equal(want.ids, got->ids, 3 * sizeof(uint64_t));
		if (!has_groups)
			continue;
		assert_int_equal(want.leader, got->leader);
		assert_string_equal(want.group_name ? want.group_name : "",
				    got->group_name ? got->group_name : "");
	}
}

static const struct {
	int line;
	enum xp_data_shape shape;
	int level;
} containers[] = {
	{ __LINE__, XP_DATA_FILE, 0 },
	{ __LINE__, XP_DATA_PIPE, 0 },
	{ __LINE__, XP_DATA_FILE, 3 },
	{ __LINE__, XP_DATA_PIPE, 3 },
};

static void what_was_written_is_read(void **state)
{
	struct made r;

	(void)state;
	made_init(&r);
	for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
		bool stream = containers[i].shape == XP_DATA_PIPE;
		size_t len = 0;

		if (containers[i].level && !made_has_zstd(&r))
			continue;
		struct bytes written =
			made_make(&r, containers[i].shape, containers[i].level, 2000);
		struct xp_data *data = made_read(&r);
		struct bytes read = made_records(data, true);
		if (read.len != written.len || memcmp(read.at, written.at, read.len) != 0)
			fail_msg("line %d: %zu bytes of records, not %zu", containers[i].line,
				 read.len, written.len);
		check_events(data, !stream);
		assert_int_equal(xp_data_is_stream(data), stream);
		assert_false(xp_data_is_swapped(data));
		const void *host = xp_data_feature(data, XP_FEATURE_HOSTNAME, &len);
		assert_int_equal(len, 8);
		assert_memory_equal(host, "hostname", 8);
		assert_null(xp_data_feature(data, XP_FEATURE_NUMA_TOPOLOGY, &len));
		assert_null(xp_data_feature(data, XP_FEATURE_MAX, &len));
		/* a second time, from the start */
		assert_int_equal(xp_data_rewind(data), 0);
		struct bytes again = made_records(data, true);
		assert_int_equal(again.len, read.len);
		assert_memory_equal(again.at, read.at, read.len);
		check_events(data, !stream);
		xp_data_close(data);
		free(written.at);
		free(read.at);
		free(again.at);
	}
	made_fini(&r);
}

/* Ids that all fall into one place where the hash is known to whoever chooses them: the inverse of
 * the multiplier times numbers whose bits 20 to 43 are zero. */
static void ids_are_found_however_they_were_chosen(void **state)
{
	enum { NR = 400000, SHIFT = 44 };
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	struct xp_id_map map = { 0 };

	(void)state;
	for (uint64_t i = 0; i < NR; i++)
		assert_int_equal(xp_id_map_add(&map, (i << SHIFT | i) * inverse, (int)i), 0);
	for (uint64_t i = 0; i < NR; i++)
		assert_int_equal(xp_id_map_find(&map, (i << SHIFT | i) * inverse), i);
	assert_int_equal(xp_id_map_find(&map, 1), -1);
	xp_id_map_fini(&map);
}

static void records_find_their_event(void **state)
{
	const struct xp_record *record;
	struct made r;
	uint64_t nr = 0, wrong = 0;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, 50).at);
	struct xp_data *data = made_read(&r);
	while (xp_data_next(data, &record, NULL) > 0)
		if (record->type == XP_RECORD_SAMPLE)
			wrong += xp_data_event_of(data, record) != (int)(nr++ % 3);
	assert_int_equal(nr, 50);
	assert_int_equal(wrong, 0);
	/* an id of nobody's; an id of zero is that of records the recorder made */
	uint64_t lost[] = { 0, 99, 5 }, none[] = { 0, 0, 5 };
	*(struct xp_record *)lost = (struct xp_record){ XP_RECORD_STAT, 0, sizeof(lost) };
	*(struct xp_record *)none = (struct xp_record){ XP_RECORD_STAT, 0, sizeof(none) };
	assert_int_equal(xp_data_event_of(data, (void *)lost), -1);
	assert_int_equal(xp_data_event_of(data, (void *)none), 0);
	lost[1] = 31;
	assert_int_equal(xp_data_event_of(data, (void *)lost), 2);
	xp_data_close(data);
	made_fini(&r);
}

/* --- writer, reader, writer --- */

static void copy(struct xp_data *data, struct xp_data_writer *writer)
{
	const struct xp_record *record;
	struct xp_piece payload;

	while (xp_data_next(data, &record, &payload) > 0) {
		if (is_description(record->type))
			continue;
		if (payload.at)
			assert_int_equal(xp_data_writer_write_outside(writer, record, payload.at,
								      payload.len),
					 0);
		else
			assert_int_equal(xp_data_writer_write(writer, record, record->size, false),
					 0);
	}
}

static void a_copy_is_the_same_bytes(void **state)
{
	const struct xp_record_auxtrace aux = { .header = { XP_RECORD_AUXTRACE, 0, sizeof(aux) },
						.size = 24 };
	struct bytes records = { 0 };
	struct made r, copied;
	int fd;

	(void)state;
	made_init(&r);
	made_init(&copied);
	add_records(&records, 500);
	for (int i = 0; i < 2; i++) {
		struct xp_data_writer *writer =
			made_start(&r, i ? XP_DATA_PIPE : XP_DATA_FILE, 0, NULL, &fd);
		assert_int_equal(xp_data_writer_write(writer, records.at, records.len, false), 0);
		assert_int_equal(xp_data_writer_write_outside(writer, &aux.header,
							      "trace, trace and trace.", 24),
				 0);
		assert_int_equal(xp_data_writer_write(writer, records.at, records.len, false), 0);
		made_finish(writer, fd);
		struct xp_data *data = made_read(&r);
		free(made_records(data, true).at);
		assert_int_equal(xp_data_rewind(data), 0);
		writer = made_start(&copied, i ? XP_DATA_PIPE : XP_DATA_FILE, 0, data, &fd);
		copy(data, writer);
		made_finish(writer, fd);
		assert_int_equal(xp_data_nr_damages(data), 0);
		xp_data_close(data);
		struct bytes one = bytes_of_file(r.path), two = bytes_of_file(copied.path);
		assert_int_equal(one.len, two.len);
		assert_memory_equal(one.at, two.at, one.len);
		free(one.at);
		free(two.at);
	}
	free(records.at);
	made_fini(&r);
	made_fini(&copied);
}

/* --- cut off --- */

/* Cut to @len bytes: every record before is there, and that it was cut is reported. */
static void check_cut(struct made *r, const struct bytes *whole, size_t len, const uint64_t *ends,
		      size_t nr_ends)
{
	const struct xp_record *record;
	struct xp_data *data;
	struct xp_diag diag;
	size_t nr = 0, want = 0;
	char path[128];
	int fd = memfd_create("cut", MFD_CLOEXEC);

	assert_int_equal(write(fd, whole->at, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int err = made_open(r, path, &data, &diag);
	close(fd);
	if (err) {
		if (diag.err != err || !diag.what[0] || len > 1024)
			fail_msg("cut to %zu: %d '%s'", len, err, diag.what);
		return;
	}
	while (want < nr_ends && ends[want] <= len)
		want++;
	while (xp_data_next(data, &record, NULL) > 0)
		nr++;
	if (nr < want)
		fail_msg("cut to %zu: %zu records of %zu", len, nr, want);
	if (want < nr_ends && !xp_data_nr_damages(data) && !xp_data_is_stream(data))
		fail_msg("cut to %zu: nothing is said of it", len);
	xp_data_close(data);
}

static void cut_everywhere(struct made *r, uint64_t nr_records, size_t nr_cuts)
{
	static uint64_t ends[8192];

	for (int shape = 0; shape < 2; shape++) {
		uint64_t seed = 12345;

		free(made_make(r, shape ? XP_DATA_PIPE : XP_DATA_FILE, 0, nr_records).at);
		size_t nr = made_ends(r, ends, 8192);
		struct bytes whole = bytes_of_file(r->path);
		for (size_t i = 0; i < (nr_cuts ? nr_cuts : whole.len); i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			check_cut(r, &whole, nr_cuts ? (seed >> 20) % whole.len : i, ends, nr);
		}
		free(whole.at);
	}
}

static void a_small_one_is_cut_at_every_byte(void **state)
{
	struct made r;

	(void)state;
	made_init(&r);
	cut_everywhere(&r, 16, 0);
	made_fini(&r);
}

static void a_large_one_is_cut_at_random(void **state)
{
	struct made r;

	(void)state;
	made_init(&r);
	cut_everywhere(&r, 3000, 1000);
	made_fini(&r);
}

/* What was compressed before the cut comes out, too. */
static void a_compressed_one_is_cut(void **state)
{
	struct made r;
	char path[128];
	size_t last = 0;

	(void)state;
	made_init(&r);
	if (!made_has_zstd(&r)) {
		made_fini(&r);
		skip();
	}
	struct bytes written = made_make(&r, XP_DATA_FILE, 3, 6000);
	struct bytes whole = bytes_of_file(r.path);
	snprintf(path, sizeof(path), "%s/cut", r.dir);
	for (size_t len = 1024; len <= whole.len; len += whole.len / 50) {
		struct xp_data *data;
		struct xp_diag diag;

		bytes_to_file(path, whole.at, len);
		assert_int_equal(made_open(&r, path, &data, &diag), 0);
		struct bytes read = made_records(data, false);
		assert_true(read.len >= last && read.len <= written.len);
		assert_memory_equal(read.at, written.at, read.len);
		last = read.len;
		xp_data_close(data);
		free(read.at);
	}
	assert_true(last > 0);
	free(written.at);
	free(whole.at);
	made_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(ids_are_found_however_they_were_chosen),
		cmocka_unit_test(records_find_their_event),
		cmocka_unit_test(a_copy_is_the_same_bytes),
		cmocka_unit_test(a_small_one_is_cut_at_every_byte),
		cmocka_unit_test(a_large_one_is_cut_at_random),
		cmocka_unit_test(a_compressed_one_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
