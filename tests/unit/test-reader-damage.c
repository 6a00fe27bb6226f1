/* SPDX-License-Identifier: MIT */
/*
 * Reading what is damaged, or of another version: reported with its place and skipped; what is no
 * recording is refused with a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/resource.h>

#include "made-recording.h"

/* --- damaged --- */

/* A file whose records are put there by hand, and what reading says of them. */
struct damage {
	int line;
	const char *reported; /* NULL: nothing */
	int nr_records;       /* that are still found */
	struct bytes records;
};

static void check_damage(struct made *r, const struct damage *d)
{
	struct bytes file = bytes_of_file(r->path);
	const struct xp_record *record;
	struct xp_data *data;
	struct xp_diag diag;
	char path[128];
	uint64_t offset;
	int nr = 0;

	/* the records take the place of the recording's own, which are of no length then */
	memcpy(&offset, file.at + 40, sizeof(offset));
	file.len = (size_t)offset;
	bytes_add(&file, d->records.at, d->records.len);
	uint64_t len = d->records.len;
	memcpy(file.at + 48, &len, sizeof(len));
	memset(file.at + 72, 0, 32);
	snprintf(path, sizeof(path), "%s/damaged", r->dir);
	bytes_to_file(path, file.at, file.len);
	assert_int_equal(made_open(r, path, &data, &diag), 0);
	while (xp_data_next(data, &record, NULL) > 0)
		nr++;
	const char *reported = xp_data_damage(data, 0);
	if (nr != d->nr_records || (d->reported != NULL) != (reported != NULL) ||
	    (reported && !strstr(reported, d->reported)))
		fail_msg("line %d: %d records, '%s'", d->line, nr, reported ? reported : "");
	assert_int_equal(xp_data_nr_damages(data), reported != NULL);
	xp_data_close(data);
	free(file.at);
}

static void damage_is_reported_and_skipped(void **state)
{
	static const uint64_t zeros[512], thread_map[] = { UINT64_MAX / 2, 1, 2, 3 };
	static const uint64_t namespaces[] = { 7, 8, 3 }, id_index[] = { 1 };
	static const uint64_t update[] = { 2, 10, UINT64_C(0x4141414141414141) };
	static const uint64_t text_poke[] = { 0x1000, 0xffff0004 };
	static const char text[16] = "no end comes....";
	const struct {
		int line;
		const char *reported;
		uint32_t type;
		const void *body;
		size_t len;
		int nr;
	} rows[] = {
		{ __LINE__, "CGROUP (19): its text is not terminated", XP_RECORD_CGROUP, text, 16,
		  2 },
		{ __LINE__, "MMAP2 (10): it has ", XP_RECORD_MMAP2, zeros, 16, 2 },
		{ __LINE__, "THREAD_MAP (73): it counts more than it contains",
		  XP_RECORD_THREAD_MAP, thread_map, 32, 2 },
		{ __LINE__, "NAMESPACES (16): it counts more", XP_RECORD_NAMESPACES, namespaces, 24,
		  2 },
		{ __LINE__, "ID_INDEX (69): it counts more", XP_RECORD_ID_INDEX, id_index, 8, 2 },
		{ __LINE__, "EVENT_UPDATE (78): its text", XP_RECORD_EVENT_UPDATE, update, 24, 2 },
		{ __LINE__, "TEXT_POKE (20): its code", XP_RECORD_TEXT_POKE, text_poke, 16, 2 },
		{ __LINE__, "type 99 are left out", 99, zeros, 16, 2 },
		{ __LINE__, "4096 bytes of zeros", 0, zeros, 0, 2 },
		{ __LINE__, NULL, XP_RECORD_FINISHED_ROUND, zeros, 0, 3 },
	};
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, 1).at);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct damage d = { rows[i].line, rows[i].reported, rows[i].nr, { 0 } };
		struct xp_record header = { rows[i].type, 0, (uint16_t)(8 + rows[i].len) };

		add_sample(&d.records, 1);
		if (rows[i].type)
			bytes_add(&d.records, &header, sizeof(header));
		bytes_add(&d.records, rows[i].body, rows[i].type ? rows[i].len : sizeof(zeros));
		add_sample(&d.records, 2);
		check_damage(&r, &d);
		free(d.records.at);
	}
	made_fini(&r);
}

/* A file of a few kilobytes that claims a section, or a hole of zeros, of many gigabytes. */
static void holes_are_not_read(void **state)
{
	const uint64_t huge = UINT64_C(12) << 30;
	struct rusage before, after;
	struct made r;
	struct xp_data *data;
	struct xp_diag diag;

	(void)state;
	made_init(&r);
	for (int of_feature = 0; of_feature < 2; of_feature++) {
		free(made_make(&r, XP_DATA_FILE, 0, 1).at);
		struct bytes file = bytes_of_file(r.path);
		uint64_t section[2], records[2];

		/* The records' section, and behind it the first of the features'. */
		memcpy(records, file.at + 40, sizeof(records));
		if (of_feature) {
			section[0] = file.len;
			section[1] = huge;
			memcpy(file.at + records[0] + records[1], section, sizeof(section));
		} else {
			records[1] = huge;
			memcpy(file.at + 40, records, sizeof(records));
			memset(file.at + 72, 0, 32);
		}
		bytes_to_file(r.path, file.at, of_feature ? file.len : (size_t)records[0]);
		assert_int_equal(truncate(r.path, (off_t)huge * 2), 0);
		getrusage(RUSAGE_SELF, &before);
		assert_int_equal(made_open(&r, r.path, &data, &diag), 0);
		free(made_records(data, false).at);
		getrusage(RUSAGE_SELF, &after);
		assert_true(after.ru_maxrss - before.ru_maxrss < 400 << 10);
		assert_int_equal(xp_data_nr_damages(data), 1);
		assert_non_null(strstr(xp_data_damage(data, 0), "on the disk"));
		xp_data_close(data);
		free(file.at);
	}
	made_fini(&r);
}

/* No way leads from a record without a length to the next. */
static void a_lost_way_ends_the_records(void **state)
{
	struct damage d = { __LINE__, "SAMPLE (9): its size cannot be 4 bytes", 1, { 0 } };
	struct xp_record lost = { XP_RECORD_SAMPLE, 0, 4 };
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, 1).at);
	add_sample(&d.records, 1);
	bytes_add(&d.records, &lost, sizeof(lost));
	add_sample(&d.records, 2);
	check_damage(&r, &d);
	free(d.records.at);
	made_fini(&r);
}

/* Only the first hundred are kept. */
static void much_damage_is_counted(void **state)
{
	const struct xp_record empty = { XP_RECORD_COMM, 0, 8 };
	struct bytes file;
	struct xp_data *data;
	struct made r;
	struct xp_diag diag;
	int fd;

	(void)state;
	made_init(&r);
	struct xp_data_writer *writer = made_start(&r, XP_DATA_PIPE, 0, NULL, &fd);
	made_finish(writer, fd);
	file = bytes_of_file(r.path);
	for (int i = 0; i < 150; i++)
		bytes_add(&file, &empty, sizeof(empty));
	bytes_to_file(r.path, file.at, file.len);
	assert_int_equal(made_open(&r, r.path, &data, &diag), 0);
	free(made_records(data, false).at);
	assert_int_equal(xp_data_nr_damages(data), 150);
	assert_string_equal(strstr(xp_data_damage(data, 99), ": ") + 2,
			    "COMM (3): it has 8 of at least 16 bytes");
	assert_null(xp_data_damage(data, 100));
	assert_int_equal(xp_data_rewind(data), 0);
	free(made_records(data, false).at);
	assert_int_equal(xp_data_nr_damages(data), 150);
	xp_data_close(data);
	free(file.at);
	made_fini(&r);
}

/* --- other headers --- */

struct edit {
	int line;
	size_t at;
	const void *bytes;
	size_t len;
	int err;              /* of opening */
	const char *reported; /* a part of the sentence, or of the first damage; NULL: none */
	bool complete;        /* all records are found */
};

static void check_edit(struct made *r, const struct bytes *whole, const struct edit *e,
		       size_t nr_records)
{
	struct bytes copied = { 0 };
	const struct xp_record *record;
	struct xp_data *data;
	struct xp_diag diag;
	char path[128];
	size_t nr = 0;

	bytes_add(&copied, whole->at, whole->len);
	memcpy(copied.at + e->at, e->bytes, e->len);
	snprintf(path, sizeof(path), "%s/edited", r->dir);
	bytes_to_file(path, copied.at, copied.len);
	free(copied.at);
	int err = made_open(r, path, &data, &diag);
	if (err != e->err || (err && !strstr(diag.what, e->reported)))
		fail_msg("line %d: %d, '%s'", e->line, err, diag.what);
	if (err)
		return;
	while (xp_data_next(data, &record, NULL) > 0)
		nr++;
	const char *reported = xp_data_damage(data, 0);
	if (e->complete ? nr < nr_records : nr >= nr_records)
		fail_msg("line %d: %zu records of %zu", e->line, nr, nr_records);
	if (e->reported ? !reported || !strstr(reported, e->reported) : reported != NULL)
		fail_msg("line %d: '%s'", e->line, reported ? reported : "");
	xp_data_close(data);
}

static void headers_of_all_kinds_are_read(void **state)
{
	static const uint64_t zero, huge = UINT64_MAX / 2, ancient = 72, small = 40;
	static const struct edit edits[] = {
		{ __LINE__, 0, "PERFFILE", 8, 0, NULL, true },
		{ __LINE__, 0, "PERFILE3", 8, -ENOEXEC, "is not a perf.data file", false },
		{ __LINE__, 8, &ancient, 8, 0, NULL, true },
		{ __LINE__, 8, &small, 8, -EBADMSG, "cut off or damaged", false },
		{ __LINE__, 32, &zero, 8, -EBADMSG, "no description of its events", false },
		{ __LINE__, 24, &huge, 8, -EBADMSG, "no description of its events", false },
		{ __LINE__, 40, &huge, 8, 0, "cut off", false },
		{ __LINE__, 48, &zero, 8, 0, "did not finish", true },
		{ __LINE__, 48, &huge, 8, 0, "the file is cut off", true },
		{ __LINE__, 16, &zero, 8, 0, NULL, true },
		{ __LINE__, 16, &huge, 8, 0, NULL, true },
	};
	static uint64_t ends[512];
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, 100).at);
	size_t nr = made_ends(&r, ends, 512);
	struct bytes whole = bytes_of_file(r.path);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		check_edit(&r, &whole, &edits[i], nr);
	free(whole.at);
	made_fini(&r);
}

/* Attributes of a kernel to come: what is known of them is used, what is not is reported. */
static void larger_attributes_are_cut(void **state)
{
	enum { LEN = 200, HEADER = 104 };
	uint64_t header[HEADER / 8] = { 0 }, entry[(LEN + 16) / 8] = { 0 };
	struct xp_data_event event = made_event(0);
	struct bytes file = { 0 }, records = { 0 };
	struct made r;
	struct xp_data *data;
	struct xp_diag diag;

	(void)state;
	made_init(&r);
	add_sample(&records, 1);
	memcpy(header, "PERFILE2", 8);
	header[1] = HEADER;
	header[2] = LEN + 16;
	header[3] = HEADER;
	header[4] = LEN + 16;
	header[5] = HEADER + LEN + 16;
	header[6] = records.len;
	event.attr.size = LEN;
	memcpy(entry, &event.attr, sizeof(event.attr));
	for (int known = 0; known < 2; known++) {
		entry[LEN / 8 - 1] = known ? 0 : 1;
		file.len = 0;
		bytes_add(&file, header, sizeof(header));
		bytes_add(&file, entry, sizeof(entry));
		bytes_add(&file, records.at, records.len);
		bytes_to_file(r.path, file.at, file.len);
		assert_int_equal(made_open(&r, r.path, &data, &diag), 0);
		assert_int_equal(xp_data_nr_damages(data), !known);
		assert_false(xp_data_is_damaged(data)); /* a newer kernel's is sound */
		if (!known)
			assert_non_null(strstr(xp_data_damage(data, 0), "does not know"));
		assert_int_equal(xp_data_event_at(data, 0)->attr.sample_type, MADE_SAMPLE_TYPE);
		assert_string_equal(xp_data_event_at(data, 0)->name, "cpu-clock:HG");
		struct bytes read = made_records(data, false);
		assert_int_equal(read.len, records.len);
		free(read.at);
		xp_data_close(data);
	}
	free(file.at);
	free(records.at);
	made_fini(&r);
}

static void what_is_no_recording_is_refused(void **state)
{
	struct made r;
	struct xp_data *data;
	struct xp_diag diag;
	char path[128];

	(void)state;
	made_init(&r);
	snprintf(path, sizeof(path), "%s/nothing", r.dir);
	assert_int_equal(made_open(&r, path, &data, &diag), -ENOENT);
	assert_non_null(strstr(diag.what, "nothing"));
	assert_true(diag.hint[0]);
	bytes_to_file(path, "", 0);
	assert_int_equal(made_open(&r, path, &data, &diag), -ENOEXEC);
	assert_non_null(strstr(diag.what, "is empty"));
	bytes_to_file(path, "#!/bin/sh\nexit 0\n", 17);
	assert_int_equal(made_open(&r, path, &data, &diag), -ENOEXEC);
	/* a directory without recording */
	assert_int_equal(made_open(&r, r.dir, &data, &diag), -EISDIR);
	assert_non_null(strstr(diag.what, "is a directory"));
	made_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_is_reported_and_skipped),
		cmocka_unit_test(holes_are_not_read),
		cmocka_unit_test(a_lost_way_ends_the_records),
		cmocka_unit_test(much_damage_is_counted),
		cmocka_unit_test(headers_of_all_kinds_are_read),
		cmocka_unit_test(larger_attributes_are_cut),
		cmocka_unit_test(what_is_no_recording_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
