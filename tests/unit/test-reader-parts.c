/* SPDX-License-Identifier: MIT */
/* Recordings that are read in parts, by several readers, and that change while they are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include "made-recording.h"
#include "reader.h"

enum { NR_RECORDS = 20000, NR_AHEAD = 150000, PARTS = 7 };

static void parts_are_the_whole(void **state)
{
	uint64_t offsets[PARTS + 1];
	struct bytes parts = { 0 };
	struct xp_data *range;
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, NR_RECORDS).at);
	struct xp_data *data = made_read(&r);
	struct bytes whole = made_records(data, true);
	assert_int_equal(xp_data_split(data, PARTS, offsets), PARTS);
	for (int i = 0; i < PARTS; i++) {
		assert_true(offsets[i] < offsets[i + 1]);
		assert_int_equal(xp_data_range(data, offsets[i], offsets[i + 1], &range), 0);
		struct bytes part = made_records(range, true);
		assert_true(part.len > whole.len / PARTS / 2);
		bytes_add(&parts, part.at, part.len);
		free(part.at);
		xp_data_close(range);
	}
	assert_int_equal(parts.len, whole.len);
	assert_memory_equal(parts.at, whole.at, whole.len);
	assert_int_equal(xp_data_range(data, 0, offsets[1], &range), -EINVAL);
	assert_int_equal(xp_data_range(data, offsets[1], offsets[PARTS] + 1, &range), -EINVAL);
	xp_data_close(data);
	free(parts.at);
	free(whole.at);
	made_fini(&r);
}

static void what_is_compressed_has_one_part(void **state)
{
	uint64_t offsets[PARTS + 1];
	struct xp_data *range;
	struct made r;

	(void)state;
	made_init(&r);
	if (!made_has_zstd(&r)) {
		made_fini(&r);
		skip();
	}
	free(made_make(&r, XP_DATA_FILE, 3, NR_RECORDS).at);
	struct xp_data *data = made_read(&r);
	free(made_records(data, true).at);
	assert_int_equal(xp_data_split(data, PARTS, offsets), 1);
	assert_int_equal(xp_data_range(data, offsets[0], offsets[1], &range), -EINVAL);
	xp_data_close(data);
	made_fini(&r);
}

/* Writes a file into a FIFO, as a child. */
static pid_t feed(const char *file, const char *fifo)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	execlp("sh", "sh", "-c", "cat \"$0\" >\"$1\"", file, fifo, (char *)NULL);
	_exit(127);
}

/* Compressed or not, a pipe that is spooled can be read as often as a file. */
static void check_spooled(int level)
{
	struct xp_data_opts opts = { .size = sizeof(opts), .spool = true };
	uint64_t offsets[PARTS + 1];
	const struct xp_record *record;
	struct bytes parts = { 0 };
	struct xp_data *data, *range;
	struct made r;
	char fifo[600];
	int status;

	made_init(&r);
	if (level && !made_has_zstd(&r)) {
		made_fini(&r);
		return;
	}
	free(made_make(&r, XP_DATA_PIPE, level, NR_RECORDS).at);
	snprintf(fifo, sizeof(fifo), "%s/fifo", r.dir);
	opts.path = fifo;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pid_t child = feed(r.path, fifo);
	assert_int_equal(xp_data_open(r.ctx, &opts, &data, NULL), 0);
	/* From the middle, and at the end. */
	for (int i = 0; i < NR_RECORDS / 2; i++)
		assert_int_equal(xp_data_next(data, &record, NULL), 1);
	assert_int_equal(xp_data_rewind(data), 0);
	struct bytes first = made_records(data, true);
	assert_int_equal(xp_data_rewind(data), 0);
	struct bytes second = made_records(data, true);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.at, second.at, first.len);
	int nr = xp_data_split(data, PARTS, offsets);
	assert_int_equal(nr, level ? 1 : PARTS);
	for (int i = 0; !level && i < nr; i++) {
		assert_int_equal(xp_data_range(data, offsets[i], offsets[i + 1], &range), 0);
		struct bytes part = made_records(range, true);
		bytes_add(&parts, part.at, part.len);
		free(part.at);
		xp_data_close(range);
	}
	if (!level) {
		assert_int_equal(parts.len, first.len);
		assert_memory_equal(parts.at, first.at, first.len);
	}
	xp_data_close(data);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);

	/* Without it, only once. */
	opts.spool = false;
	child = feed(r.path, fifo);
	assert_int_equal(xp_data_open(r.ctx, &opts, &data, NULL), 0);
	free(made_records(data, true).at);
	assert_int_equal(xp_data_rewind(data), -ESPIPE);
	xp_data_close(data);
	assert_int_equal(waitpid(child, &status, 0), child);
	free(parts.at);
	free(second.at);
	free(first.at);
	made_fini(&r);
}

static void a_spooled_pipe_is_as_a_file(void **state)
{
	(void)state;
	check_spooled(0);
	check_spooled(3);
}

/* Reads on after the file has been cut at @len; nobody is killed, and it is reported. */
static void check_cut(struct made *r, bool second_time, off_t len)
{
	const struct xp_record *record;

	free(made_make(r, XP_DATA_FILE, 0, NR_RECORDS).at);
	struct xp_data *data = made_read(r);
	if (second_time) {
		while (xp_data_next(data, &record, NULL) > 0)
			;
		assert_int_equal(xp_data_rewind(data), 0);
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(xp_data_next(data, &record, NULL), 1);
	assert_int_equal(truncate(r->path, len), 0);
	int nr = 100;
	while (xp_data_next(data, &record, NULL) > 0)
		nr++;
	assert_true(nr < NR_RECORDS);
	assert_true(xp_data_nr_damages(data) > 0);
	const char *reported = xp_data_damage(data, xp_data_nr_damages(data) - 1);
	assert_non_null(strstr(reported, "at offset 0x"));
	assert_non_null(strstr(reported, "was cut while it was read"));
	xp_data_close(data);
}

static void a_file_is_cut_while_it_is_read(void **state)
{
	struct made r;

	(void)state;
	made_init(&r);
	for (int second_time = 0; second_time < 2; second_time++) {
		check_cut(&r, second_time, 0);
		check_cut(&r, second_time, 700001);
	}
	made_fini(&r);
}

/* More than a few windows, so that a thread reads on. */
static struct xp_data *open_ahead(struct made *r)
{
	const struct xp_data_opts opts = { .size = sizeof(opts),
					   .path = r->path,
					   .read_ahead = true };
	struct xp_data *data;

	assert_int_equal(xp_data_open(r->ctx, &opts, &data, NULL), 0);
	return data;
}

static int next_records(struct xp_data *data, int nr)
{
	const struct xp_record *record;
	int found = 0;

	while (found < nr && xp_data_next(data, &record, NULL) > 0)
		found++;
	return found;
}

static void what_is_read_ahead_is_the_same(void **state)
{
	uint64_t offsets[PARTS + 1], offsets_ahead[PARTS + 1];
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, NR_AHEAD).at);
	struct xp_data *data = made_read(&r), *ahead = open_ahead(&r);
	struct bytes whole = made_records(data, true);

	/* From the middle, twice, and to the end. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(next_records(ahead, NR_AHEAD - 10), NR_AHEAD - 10);
		assert_int_equal(xp_data_rewind(ahead), 0);
		struct bytes read = made_records(ahead, true);
		assert_int_equal(read.len, whole.len);
		assert_memory_equal(read.at, whole.at, whole.len);
		free(read.at);
		assert_int_equal(xp_data_rewind(ahead), 0);
	}
	assert_int_equal(xp_data_split(data, PARTS, offsets), PARTS);
	assert_int_equal(xp_data_split(ahead, PARTS, offsets_ahead), PARTS);
	assert_memory_equal(offsets, offsets_ahead, sizeof(offsets));

	/* Ended while there is more to read. */
	assert_int_equal(next_records(ahead, NR_AHEAD / 2), NR_AHEAD / 2);
	xp_data_close(ahead);
	xp_data_close(data);
	free(whole.at);
	made_fini(&r);
}

static void a_file_is_cut_while_it_is_read_ahead(void **state)
{
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, NR_AHEAD).at);
	struct xp_data *data = open_ahead(&r);
	assert_int_equal(next_records(data, NR_AHEAD / 2), NR_AHEAD / 2);
	assert_int_equal(truncate(r.path, 100000), 0);
	/* What was read before the cut may be used. */
	assert_true(next_records(data, NR_AHEAD) < NR_AHEAD / 2);
	assert_true(xp_data_nr_damages(data) > 0);
	xp_data_close(data);
	made_fini(&r);
}

/* A range of a file that was cut gives what is there. */
static void a_range_of_a_cut_file_ends(void **state)
{
	uint64_t offsets[3];
	struct xp_data *range;
	struct made r;

	(void)state;
	made_init(&r);
	free(made_make(&r, XP_DATA_FILE, 0, NR_RECORDS).at);
	struct xp_data *data = made_read(&r);
	free(made_records(data, true).at);
	assert_int_equal(xp_data_split(data, 2, offsets), 2);
	assert_int_equal(truncate(r.path, (off_t)offsets[1] + 100), 0);
	assert_int_equal(xp_data_range(data, offsets[1], offsets[2], &range), 0);
	struct bytes part = made_records(range, false);
	assert_true(part.len <= 100);
	assert_int_equal(xp_data_nr_damages(range), 1);
	xp_data_close(range);
	xp_data_close(data);
	free(part.at);
	made_fini(&r);
}

/* A kernel whose files change: before the @when-th pread(2), the file gets @len bytes, and what is
 * read from @from on begins with @bytes. */
struct changing {
	struct xp_sys sys;
	const char *path;
	int when, nr;
	off_t len; /* -1: as it is */
	off_t from;
	uint64_t bytes; /* 0: as they are */
};

static ssize_t changing_pread(const struct xp_sys *sys, int fd, void *buf, size_t len,
			      uint64_t offset)
{
	struct changing *c = (struct changing *)(uintptr_t)sys;

	bool now = c->nr++ == c->when;

	if (now && c->len >= 0)
		assert_int_equal(truncate(c->path, c->len), 0);
	if (now && c->bytes) {
		int out = open(c->path, O_WRONLY | O_CLOEXEC);

		assert_int_equal(pwrite(out, &c->bytes, sizeof(c->bytes), c->from),
				 sizeof(c->bytes));
		close(out);
	}
	return xp_sys_linux()->pread(sys, fd, buf, len, offset);
}

/* What is handed out is a piece of @whole, which is NULL if it is not known. */
static void check_records(struct xp_data *data, const struct bytes *whole)
{
	struct bytes read = made_records(data, false);

	if (whole && read.len && !memmem(whole->at, whole->len, read.at, read.len))
		fail_msg("%zu bytes of records that were never there", read.len);
	free(read.at);
}

/* Reads all of it, then in parts if it can be, then again. Returns how many preads it took. */
static int read_changing(struct made *r, struct changing *change, const struct bytes *whole,
			 bool *ret_reported)
{
	const struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &change->sys };
	struct made changing = *r;
	uint64_t offsets[3];
	struct xp_data *data, *range;
	struct xp_diag diag;

	change->sys = *xp_sys_linux();
	change->sys.pread = changing_pread;
	change->path = r->path;
	change->nr = 0;
	assert_int_equal(xp_ctx_new(&opts, &changing.ctx), 0);
	int err = made_open(&changing, r->path, &data, &diag);
	*ret_reported = err != 0;
	if (!err) {
		check_records(data, whole);
		int nr = xp_data_split(data, 2, offsets);
		for (int i = 0; i < nr; i++)
			if (!xp_data_range(data, offsets[i], offsets[i + 1], &range)) {
				check_records(range, whole);
				*ret_reported |= xp_data_nr_damages(range) > 0;
				xp_data_close(range);
			}
		assert_int_equal(xp_data_rewind(data), 0);
		check_records(data, whole);
		*ret_reported |= xp_data_nr_damages(data) > 0;
		xp_data_close(data);
	}
	xp_ctx_free(changing.ctx);
	return change->nr;
}

/* Samples, and payloads that lie behind their records, in more than one window. */
static void make_with_payloads(struct made *r, int level)
{
	static const uint8_t payload[200 << 10];
	uint64_t auxtrace[5] = { sizeof(payload) };
	struct bytes records = { 0 };
	int fd;
	struct xp_data_writer *writer = made_start(r, XP_DATA_FILE, level, NULL, &fd);

	for (uint64_t i = 0; i < 4; i++) {
		add_records(&records, 300);
		if (level)
			continue;
		add_record(&records, XP_RECORD_AUXTRACE, auxtrace, sizeof(auxtrace), i);
		bytes_add(&records, payload, sizeof(payload));
	}
	assert_int_equal(xp_data_writer_write(writer, records.at, records.len, true), 0);
	made_finish(writer, fd);
	free(records.at);
}

/* As a new file: some file systems write out what takes the place of another's bytes at once. */
static void put_back(const struct made *r, const struct bytes *file)
{
	assert_int_equal(unlink(r->path), 0);
	bytes_to_file(r->path, file->at, file->len);
}

/* Whenever that is: nothing is read that is not there, and it is reported that something is
 * missing. */
static void a_file_changes_between_two_reads(void **state)
{
	/* A record with a length of its own, of the size of nothing, of more than there is. */
	static const uint64_t headers[] = { 0x0008000000000003, 0x0000000000000009,
					    0xfff8000000000009, 0x0030000000000047 };
	struct changing never = { .when = -1, .len = -1 };
	struct made r;
	uint64_t ends[4096];
	bool reported;

	(void)state;
	made_init(&r);
	for (int level = 0; level < (made_has_zstd(&r) ? 2 : 1); level++) {
		make_with_payloads(&r, level);
		size_t nr_ends = made_ends(&r, ends, sizeof(ends) / sizeof(ends[0]));
		struct bytes file = bytes_of_file(r.path);
		struct xp_data *data = made_read(&r);
		struct bytes whole = made_records(data, true);
		xp_data_close(data);
		int nr = read_changing(&r, &never, &whole, &reported);

		assert_false(reported);
		for (int when = 0; when < nr; when++) {
			for (size_t i = 0; i < nr_ends; i += nr_ends / 5 + 1) {
				/* at the end of a record, within the next one's header, in it */
				static const int behind[] = { 0, 5, 30 };
				off_t at = (off_t)ends[i];
				struct changing cut = { .when = when, .len = at + behind[i % 3] };
				struct changing other = {
					.when = when, .len = -1, .from = at, .bytes = headers[i % 4]
				};

				put_back(&r, &file);
				read_changing(&r, &cut, &whole, &reported);
				if (!reported && when < nr - 1)
					fail_msg("cut at %ld before read %d of %d", (long)cut.len,
						 when, nr);
				put_back(&r, &file);
				read_changing(&r, &other, NULL, &reported);
			}
			struct changing grown = { .when = when, .len = (off_t)file.len * 2 };
			put_back(&r, &file);
			read_changing(&r, &grown, &whole, &reported);
		}
		free(file.at);
		free(whole.at);
	}
	made_fini(&r);
}

/* A sample whose call chain says more than it has is reported, the others count. */
static void samples_that_do_not_fit_are_reported(void **state)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD };
	const struct xp_profile_opts opts = {
		.size = sizeof(opts), .keys = keys, .nr_keys = 1, .nr_events = 3
	};
	const struct xp_fill_opts fill = { .size = sizeof(fill) };
	struct xp_timeline *timeline;
	struct xp_profile *profile;
	struct bytes records = { 0 };
	struct made r;
	uint64_t samples = 0;
	int fd;

	(void)state;
	made_init(&r);
	struct xp_data_writer *writer = made_start(&r, XP_DATA_FILE, 0, NULL, &fd);
	for (uint64_t i = 0; i < 3; i++) {
		size_t at = records.len;

		add_sample(&records, 17 + i);
		if (i == 1) /* the length of its raw data: behind IP, TID, TIME, ID, CPU, PERIOD */
			memset(records.at + at + 8 + 48, 0xff, 4);
	}
	assert_int_equal(xp_data_writer_write(writer, records.at, records.len, true), 0);
	made_finish(writer, fd);
	struct xp_data *data = made_read(&r);
	free(made_records(data, true).at);
	assert_int_equal(xp_timeline_new(&timeline), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	assert_int_equal(xp_profile_new(timeline, &opts, &profile), 0);
	assert_int_equal(xp_profile_fill(profile, data, &fill), 0);
	for (int i = 0; i < 3; i++) {
		struct xp_profile_total total = { .size = sizeof(total) };

		assert_int_equal(xp_profile_total_at(profile, i, &total), 0);
		samples += total.samples;
	}
	assert_int_equal(samples, 2);
	assert_int_equal(xp_data_nr_damages(data), 1);
	assert_non_null(strstr(xp_data_damage(data, 0), "SAMPLE (9)"));
	xp_profile_free(profile);
	xp_timeline_free(timeline);
	xp_data_close(data);
	free(records.at);
	made_fini(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(what_is_compressed_has_one_part),
		cmocka_unit_test(a_spooled_pipe_is_as_a_file),
		cmocka_unit_test(a_file_is_cut_while_it_is_read),
		cmocka_unit_test(what_is_read_ahead_is_the_same),
		cmocka_unit_test(a_file_is_cut_while_it_is_read_ahead),
		cmocka_unit_test(a_range_of_a_cut_file_ends),
		cmocka_unit_test(a_file_changes_between_two_reads),
		cmocka_unit_test(samples_that_do_not_fit_are_reported),
	};

	return cmocka_run_group_tests_name("reader-parts", tests, NULL, NULL);
}
