/* SPDX-License-Identifier: MIT */
/* cli/recording/rounds.c: how many samples may have the wrong name where the recorder was killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/recording/rounds.h"
#include "made-recording.h"

enum { TID = 1 << 1, TIME = 1 << 2, CPU = 1 << 7 };

static const struct xp_data_event event_with_cpu = {
	.size = sizeof(event_with_cpu),
	.attr = { .type = 1, .size = 64, .sample_type = TID | TIME | CPU, .sample_id_all = 1 },
	.name = "event",
	.scale = 1.0,
	.ids = made_ids[0],
	.nr_ids = 1,
};

static void write_sample(struct xp_data_writer *writer, const struct xp_attr *attr, int cpu,
			 uint64_t time_ns)
{
	struct xp_sample sample = { .size = sizeof(sample), .id = { 7, 8, time_ns, 10, 0, cpu } };
	uint64_t record[16];
	int len = xp_sample_encode(&sample, attr, record, sizeof(record));

	assert_true(len > 0);
	assert_int_equal(xp_data_writer_write(writer, record, (size_t)len, false), 0);
}

/* "0:5" is a sample of CPU 0 at 5 ns, "|" the end of a round. */
static void write_text(struct xp_data_writer *writer, const struct xp_attr *attr, const char *text)
{
	static const struct xp_record round = { XP_RECORD_FINISHED_ROUND, 0, sizeof(round) };
	unsigned long long time_ns;
	int cpu, len;

	for (; *text; text += len) {
		if (sscanf(text, " %d:%llu%n", &cpu, &time_ns, &len) == 2) {
			write_sample(writer, attr, cpu, time_ns);
			continue;
		}
		len = 1;
		if (*text == '|')
			assert_int_equal(xp_data_writer_write(writer, &round, sizeof(round), false),
					 0);
	}
}

enum end { KILLED, ENDED, OF_PERF };

/* Both times are 0 until the recorder ends; perf leaves them so. */
static void add_features(struct xp_data_writer *writer, enum end end)
{
	static const uint64_t none[2], times[2] = { 1, 9 };
	static const struct {
		uint32_t len;
		char text[12];
	} versions[] = { { 12, "xperf 1.2.3" }, { 12, "6.1.159" } };

	assert_int_equal(xp_data_writer_add_feature(writer, XP_FEATURE_VERSION,
						    &versions[end == OF_PERF], sizeof(versions[0])),
			 0);
	assert_int_equal(xp_data_writer_add_feature(writer, XP_FEATURE_SAMPLE_TIME,
						    end == ENDED ? times : none, sizeof(none)),
			 0);
}

static void make(struct made *r, const struct xp_data_event *event, enum xp_data_shape shape,
		 enum end end, const char *text)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .shape = shape };
	struct xp_data_writer *writer;
	int fd = -1;

	unlink(r->path);
	if (shape == XP_DATA_FILE)
		opts.path = r->path;
	else
		opts.fd = fd = open(r->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(xp_data_writer_open(r->ctx, &opts, &writer, NULL), 0);
	assert_int_equal(xp_data_writer_add_event(writer, event), 0);
	add_features(writer, end);
	assert_int_equal(xp_data_writer_start(writer, NULL), 0);
	write_text(writer, &event->attr, text);
	made_finish(writer, fd);
}

static uint64_t doubtful(struct made *r)
{
	struct xp_data *data = made_read(r);
	const struct xp_record *record;
	struct rounds rounds;

	rounds_init(&rounds, data, r->path);
	while (xp_data_next(data, &record, NULL) > 0)
		rounds_note(&rounds, data, record);
	uint64_t nr = rounds_end(&rounds, data).nr_doubtful;
	xp_data_close(data);
	return nr;
}

static void samples_of_rounds(void **state)
{
	static const struct {
		int line;
		enum end end;
		const char *text;
		uint64_t doubtful;
	} rows[] = {
		{ __LINE__, KILLED, "", 0 },
		/* No ring is known to have been read to its end. */
		{ __LINE__, KILLED, "0:1 0:2 1:1", 3 },
		/* CPU 1 was read after CPU 0: what is newer in it may need a name that CPU 0 got.
		 */
		{ __LINE__, KILLED, "0:1 0:5 1:2 1:5 1:6 1:7 |", 2 },
		{ __LINE__, KILLED, "0:1 0:5 1:2 1:4 |", 0 },
		/* The time may go back in a ring: an interrupt came between. */
		{ __LINE__, KILLED, "0:1 0:5 0:4 0:6 1:5 1:6 1:7 |", 1 },
		/* A round that was not finished. */
		{ __LINE__, KILLED, "0:1 0:5 1:2 1:6 | 0:7 0:8 0:9", 4 },
		{ __LINE__, KILLED, "0:1 0:5 1:2 1:6 | 0:7 1:6 1:8 | 0:9", 2 },
		/* A round without the ring that was the newest in the one before. */
		{ __LINE__, KILLED, "0:1 1:2 1:9 | 0:5 1:9 |", 0 },
		{ __LINE__, KILLED, "0:1 1:2 1:9 | 0:5 1:9 1:10 |", 1 },
		{ __LINE__, ENDED, "0:1 0:2 1:1", 0 },
		{ __LINE__, ENDED, "0:1 1:2 | 0:3", 0 },
		{ __LINE__, OF_PERF, "0:1 1:2 | 0:3", 0 },
	};
	static const enum xp_data_shape shapes[] = { XP_DATA_FILE, XP_DATA_PIPE };
	struct made r;

	(void)state;
	made_init(&r);
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		make(&r, &event_with_cpu, shapes[i % 2], rows[i / 2].end, rows[i / 2].text);
		uint64_t nr = doubtful(&r);
		if (nr != rows[i / 2].doubtful)
			fail_msg("line %d, shape %zu: %llu", rows[i / 2].line, i % 2,
				 (unsigned long long)nr);
	}
	made_fini(&r);
}

/* Rings cannot be distinguished: only the round before is known to be complete. */
static void samples_without_cpus(void **state)
{
	struct xp_data_event event = event_with_cpu;
	struct made r;

	(void)state;
	event.attr.sample_type = TID | TIME;
	made_init(&r);
	make(&r, &event, XP_DATA_FILE, KILLED, "0:1 0:2 | 0:2 0:3 0:4 |");
	assert_int_equal(doubtful(&r), 2);
	made_fini(&r);
}

/* Of perf, when it was killed, the header does not know how long the records are. */
static void files_that_are_cut(void **state)
{
	enum { DATA_SIZE_AT = 48, SAMPLE_BYTES = 32 };
	struct made r;

	(void)state;
	made_init(&r);
	make(&r, &event_with_cpu, XP_DATA_FILE, OF_PERF, "0:1 1:2 | 0:3 1:4 1:5");
	struct bytes file = bytes_of_file(r.path);
	uint64_t begin, size;
	memcpy(&begin, file.at + DATA_SIZE_AT - 8, sizeof(begin));
	memcpy(&size, file.at + DATA_SIZE_AT, sizeof(size));

	bytes_to_file(r.path, file.at, begin + size - SAMPLE_BYTES);
	assert_int_equal(doubtful(&r), 3);
	memset(file.at + DATA_SIZE_AT, 0, sizeof(size));
	memset(file.at + 72, 0, 32); /* nor which features there are */
	bytes_to_file(r.path, file.at, begin + size);
	assert_int_equal(doubtful(&r), 4);
	free(file.at);
	made_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_rounds),
		cmocka_unit_test(samples_without_cpus),
		cmocka_unit_test(files_that_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
