/* SPDX-License-Identifier: MIT */
/* What the writer puts where: attributes, ids, features, the records that describe events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "writer-fixture.h"
#include "writer.h"

/* Finishes the file and reads it. Returns its bytes, the caller's to free. */
static unsigned char *finished(struct writer_fixture *f, struct data_check *c)
{
	size_t len;

	assert_int_equal(xp_data_writer_finish(f->writer, &f->diag), 0);
	unsigned char *bytes = fixture_bytes(f, &len);
	if (!data_check(bytes, len, c))
		fail_msg("%s", c->why);
	return bytes;
}

static void open_file(struct writer_fixture *f)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = f->path };

	fixture_init(f);
	assert_int_equal(xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag), 0);
}

static void add(struct writer_fixture *f, const struct xp_data_event *event)
{
	assert_int_equal(xp_data_writer_add_event(f->writer, event), 0);
}

static void start(struct writer_fixture *f)
{
	assert_int_equal(xp_data_writer_start(f->writer, &f->diag), 0);
}

/* Sizes of the attribute's versions: each field lies in the first that has it. */
static const struct {
	int line;
	struct xp_attr attr;
	uint32_t size;
} sizes[] = {
	{ __LINE__, { .type = 1, .size = 144, .config = 5 }, 64 },
	{ __LINE__, { .config1 = 1 }, 64 },
	{ __LINE__, { .config2 = 1 }, 72 },
	{ __LINE__, { .branch_sample_type = 1 }, 80 },
	{ __LINE__, { .sample_regs_user = 1 }, 96 },
	{ __LINE__, { .sample_stack_user = 8192 }, 96 },
	{ __LINE__, { .use_clockid = 1, .clockid = 1 }, 96 },
	{ __LINE__, { .sample_regs_intr = 1 }, 104 },
	{ __LINE__, { .sample_max_stack = 127 }, 112 },
	{ __LINE__, { .aux_sample_size = 4096 }, 120 },
	{ __LINE__, { .sig_data = 1 }, 128 },
	{ __LINE__, { .config3 = 1 }, 136 },
	{ __LINE__, { .config4 = 1 }, 144 },
};

static void attributes_are_as_short_as_can_be(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct xp_data_event event = fixture_event(0);
		struct writer_fixture f;
		struct data_check c;

		open_file(&f);
		event.attr = sizes[i].attr;
		add(&f, &event);
		start(&f);
		unsigned char *bytes = finished(&f, &c);
		if (c.attr_step != sizes[i].size + 16)
			fail_msg("line %d: %d bytes", sizes[i].line, (int)c.attr_step - 16);
		event.attr.size = sizes[i].size;
		assert_memory_equal(bytes + c.attrs.offset, &event.attr, sizes[i].size);
		free(bytes);
		fixture_fini(&f);
	}
}

/* perf finds the number of events by dividing. */
static void attributes_are_equally_long(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	open_file(&f);
	for (int i = 0; i < 2; i++) {
		struct xp_data_event event = fixture_event(i);

		event.attr.branch_sample_type = (uint64_t)i;
		add(&f, &event);
	}
	start(&f);
	unsigned char *bytes = finished(&f, &c);
	assert_int_equal(c.attr_step, 80 + 16);
	assert_int_equal(c.nr_events, 2);
	assert_int_equal(c.first_id[0], 10);
	assert_int_equal(c.first_id[1], 20);
	assert_string_equal(c.names[0], "first:u");
	assert_string_equal(c.names[1], "second");
	/* bodies in the middle, records aligned */
	assert_true(c.features[12].offset < c.data.offset);
	assert_int_equal(c.data.offset % 8, 0);
	free(bytes);
	fixture_fini(&f);
}

/* --- features --- */

static void features_come_early_or_late(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_open(&f, 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, 0, "x", 1), -EINVAL);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_MAX, "x", 1), -EINVAL);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_HOSTNAME, "a", 1), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_HOSTNAME, "bcd", 3), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_ARCH, "old", 3), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_STAT, "", 0), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_CACHE, "x", 1), 0);
	start(&f);
	assert_int_equal(fixture_send(&f, 5, false), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_ARCH, "newer", 5), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_BUILD_ID, "id", 2), 0);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_CACHE, NULL, 0), 0);
	unsigned char *bytes = finished(&f, &c);
	const struct data_section *s = c.features;
	assert_int_equal(s[XP_FEATURE_HOSTNAME].size, 3);
	assert_memory_equal(bytes + s[XP_FEATURE_HOSTNAME].offset, "bcd", 3);
	assert_true(s[XP_FEATURE_HOSTNAME].offset < c.data.offset);
	assert_int_equal(s[XP_FEATURE_ARCH].size, 5);
	assert_memory_equal(bytes + s[XP_FEATURE_ARCH].offset, "newer", 5);
	assert_int_equal(s[XP_FEATURE_BUILD_ID].size, 2);
	assert_true(s[XP_FEATURE_BUILD_ID].offset > c.data.offset + c.data.size);
	assert_true(s[XP_FEATURE_STAT].offset && !s[XP_FEATURE_STAT].size);
	assert_false(s[XP_FEATURE_CACHE].offset);
	free(bytes);
	fixture_fini(&f);
}

/* A feature that comes with a flush stays in the file whatever is written behind it. */
static void a_late_feature_stays(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	assert_int_equal(xp_data_writer_add_feature(f.writer, XP_FEATURE_SAMPLE_TIME,
						    "0123456789abcdef", 16),
			 0);
	assert_int_equal(fixture_flush(&f), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(fixture_send(&f, 3, false), 0);
		assert_int_equal(fixture_flush(&f), 0);
		fixture_verify(&f, &c);
		assert_int_equal(c.features[XP_FEATURE_SAMPLE_TIME].size, 16);
	}
	unsigned char *bytes = finished(&f, &c);
	assert_memory_equal(bytes + c.features[XP_FEATURE_SAMPLE_TIME].offset, "0123456789abcdef",
			    16);
	free(bytes);
	fixture_fini(&f);
}

/* Whenever the recorder is killed, the file has events, and the ids that were flushed. */
static void ids_can_come_later(void **state)
{
	const struct xp_data_opts opts = { .size = sizeof(opts) };
	struct writer_fixture f;
	struct data_check c;
	struct xp_data *data;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	uint64_t known = fixture_ids[1][0];
	size_t nr = 2;
	assert_true(xp_data_writer_can_add_ids(f.writer));
	assert_int_equal(xp_data_writer_add_id(f.writer, 123456789, 1), -ENOENT);
	for (uint64_t i = 0; i < 40; i++) {
		struct xp_data_opts o = opts;

		assert_int_equal(xp_data_writer_add_id(f.writer, known, 1000 + i), 0);
		assert_int_equal(fixture_send(&f, 3, false), 0);
		assert_int_equal(fixture_flush(&f), 0);
		fixture_verify(&f, &c);
		o.path = f.path;
		assert_int_equal(xp_data_open(f.ctx, &o, &data, &f.diag), 0);
		assert_int_equal(xp_data_nr_events(data), 2);
		const struct xp_data_event *read = xp_data_event_at(data, 1);
		assert_int_equal(read->nr_ids, nr + i + 1);
		assert_int_equal(read->ids[0], known);
		assert_int_equal(read->ids[nr + i], 1000 + i);
		assert_int_equal(xp_data_nr_damages(data), 0);
		xp_data_close(data);
	}
	free(finished(&f, &c));
	fixture_fini(&f);
}

static void groups_are_described(void **state)
{
	static const int leaders[] = { 0, 1, 1, 1, 4, 5, 5 };
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	open_file(&f);
	for (int i = 0; i < 7; i++) {
		struct xp_data_event event = fixture_event(0);

		event.leader = leaders[i];
		event.group_name = i == 5 ? "mine" : NULL;
		add(&f, &event);
	}
	start(&f);
	unsigned char *bytes = finished(&f, &c);
	const unsigned char *groups = bytes + c.features[XP_FEATURE_GROUP_DESC].offset;
	assert_int_equal(c.features[XP_FEATURE_GROUP_DESC].size, 4 + 2 * (4 + 64 + 8));
	assert_int_equal(check_u32(groups), 2);
	assert_string_equal((const char *)groups + 8, "{anon_group}");
	assert_int_equal(check_u32(groups + 72), 1);
	assert_int_equal(check_u32(groups + 76), 3);
	assert_string_equal((const char *)groups + 84, "mine");
	assert_int_equal(check_u32(groups + 148), 5);
	assert_int_equal(check_u32(groups + 152), 2);
	free(bytes);
	fixture_fini(&f);
}

/* --- records --- */

/* The @nth record of a type. */
static const unsigned char *record_of(const unsigned char *bytes, const struct data_check *c,
				      uint32_t type, int nth)
{
	for (uint64_t at = c->data.offset; at < c->data.offset + c->data.size;
	     at += check_u32(bytes + at + 4) >> 16)
		if (check_u32(bytes + at) == type && !nth--)
			return bytes + at;
	fail_msg("no record %u", type);
	return NULL;
}

static size_t size_of(const unsigned char *record)
{
	return check_u32(record + 4) >> 16;
}

/* perf takes name, unit, factor and CPUs from these. */
static void updates_describe_events(void **state)
{
	static const uint16_t cpus[] = { 0 /* a list */, 3, 0, 2, 3 };
	struct xp_data_event event = fixture_event(0);
	struct writer_fixture f;
	struct data_check c;
	double scale;

	(void)state;
	open_file(&f);
	event.unit = "MiB";
	event.scale = 0.25;
	event.own_cpus = "0,2-3";
	add(&f, &event);
	start(&f);
	unsigned char *bytes = finished(&f, &c);
	for (int i = 0; i < 4; i++)
		assert_int_equal(check_u64(record_of(bytes, &c, 78, i) + 16), 10);
	assert_int_equal(check_u64(record_of(bytes, &c, 78, 0) + 8), 2);
	assert_string_equal((const char *)record_of(bytes, &c, 78, 0) + 24, "first:u");
	assert_int_equal(check_u64(record_of(bytes, &c, 78, 1) + 8), 0);
	assert_string_equal((const char *)record_of(bytes, &c, 78, 1) + 24, "MiB");
	assert_int_equal(check_u64(record_of(bytes, &c, 78, 2) + 8), 1);
	memcpy(&scale, record_of(bytes, &c, 78, 2) + 24, sizeof(scale));
	assert_true(scale == 0.25);
	assert_int_equal(check_u64(record_of(bytes, &c, 78, 3) + 8), 3);
	assert_memory_equal(record_of(bytes, &c, 78, 3) + 24, cpus, sizeof(cpus));
	free(bytes);
	fixture_fini(&f);
}

static void ids_fill_several_records(void **state)
{
	enum { NR = 5000, PER_RECORD = 2047 };
	struct xp_data_id *ids = calloc(NR, sizeof(*ids));
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_open(&f, 0);
	assert_non_null(ids);
	for (int i = 0; i < NR; i++)
		ids[i] = (struct xp_data_id){ (uint64_t)i, (uint64_t)i / 2, i % 7, -1 };
	assert_int_equal(xp_data_writer_add_ids(f.writer, ids, NR), 0);
	start(&f);
	unsigned char *bytes = finished(&f, &c);
	for (int i = 0; i < NR; i++) {
		const unsigned char *record = record_of(bytes, &c, 69, i / PER_RECORD);
		const unsigned char *entry = record + 16 + 32 * (i % PER_RECORD);

		assert_int_equal(check_u64(record + 8),
				 i / PER_RECORD < 2 ? PER_RECORD : NR - 2 * PER_RECORD);
		assert_int_equal(check_u64(entry), i);
		assert_int_equal(check_u64(entry + 8), i / 2);
		assert_int_equal(check_u64(entry + 16), i % 7);
		assert_int_equal(check_u64(entry + 24), UINT64_MAX);
	}
	free(ids);
	free(bytes);
	fixture_fini(&f);
}

static void threads_and_cpus_are_recorded(void **state)
{
	static const uint16_t list[] = { 0, 3, 1, 4, 5 }, any[] = { 0, 1, 0xffff };
	struct xp_threads *threads;
	struct xp_cpus *cpus;
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_open(&f, 0);
	assert_int_equal(xp_threads_one(f.ctx, getpid(), &threads), 0);
	assert_int_equal(xp_data_writer_add_threads(f.writer, threads), 0);
	assert_int_equal(xp_cpus_parse("1,4-5", &cpus, NULL), 0);
	assert_int_equal(xp_data_writer_add_cpus(f.writer, cpus), 0);
	xp_cpus_unref(cpus);
	start(&f);
	/* after the start they are records like others */
	assert_int_equal(xp_cpus_any(&cpus), 0);
	assert_int_equal(xp_data_writer_add_cpus(f.writer, cpus), 0);
	xp_cpus_unref(cpus);
	unsigned char *bytes = finished(&f, &c);
	const unsigned char *record = record_of(bytes, &c, 73, 0);
	assert_int_equal(check_u64(record + 8), 1);
	assert_int_equal(check_u64(record + 16), getpid());
	assert_string_equal((const char *)record + 24, xp_threads_comm(threads, 0));
	assert_int_equal(size_of(record), 16 + 8 + 16);
	assert_memory_equal(record_of(bytes, &c, 74, 0) + 8, list, sizeof(list));
	assert_memory_equal(record_of(bytes, &c, 74, 1) + 8, any, sizeof(any));
	xp_threads_unref(threads);
	free(bytes);
	fixture_fini(&f);
}

static void the_clock_is_recorded(void **state)
{
	const struct xp_time_conv conv = {
		.shift = 31, .mult = 5, .zero = 7, .cycles = 9, .mask = UINT64_MAX, .has_zero = true
	};
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_open(&f, 0);
	assert_int_equal(xp_data_writer_add_time_conv(f.writer, &conv), 0);
	start(&f);
	unsigned char *bytes = finished(&f, &c);
	const unsigned char *record = record_of(bytes, &c, 79, 0);
	assert_int_equal(size_of(record), 56);
	assert_memory_equal(record + 8, &conv, 40);
	assert_int_equal(record[48], 1);
	assert_int_equal(record[49], 0);
	free(bytes);
	fixture_fini(&f);
}

/* What follows a record outside is kept with it, and the index says where the records are. */
static void aux_data_have_an_index(void **state)
{
	static unsigned char aux[300000];
	struct xp_record_auxtrace record = { .header = { 71, 0, sizeof(record) } };
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	for (size_t len = 8; len < sizeof(aux); len *= 11) {
		record.size = len;
		memset(aux, (int)len, len);
		assert_int_equal(fixture_send(&f, 3, false), 0);
		assert_int_equal(xp_data_writer_write_outside(f.writer, &record.header, aux, len),
				 0);
	}
	unsigned char *bytes = finished(&f, &c);
	const unsigned char *index = bytes + c.features[XP_FEATURE_AUXTRACE].offset;
	int i = 0;
	for (size_t len = 8; len < sizeof(aux); len *= 11, i++) {
		const unsigned char *at = bytes + check_u64(index + 8 + 16 * i);

		assert_int_equal(check_u64(index + 16 + 16 * i), sizeof(record));
		assert_int_equal(check_u32(at), 71);
		assert_int_equal(check_u64(at + 8), len);
		memset(aux, (int)len, len);
		assert_memory_equal(at + sizeof(record), aux, len);
	}
	assert_int_equal(check_u64(index), i);
	free(bytes);
	fixture_fini(&f);
}

/* Large pieces go straight through, in their place among the small ones. */
static void pieces_stay_in_order(void **state)
{
	static const int sizes_sent[] = { 1, 7000, 1, 1, 5000, 5000, 3, 12000 };
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	uint64_t before = xp_data_writer_bytes(f.writer);
	for (size_t i = 0; i < sizeof(sizes_sent) / sizeof(sizes_sent[0]); i++)
		assert_int_equal(fixture_send(&f, sizes_sent[i], i & 1), 0);
	assert_int_equal(xp_data_writer_bytes(f.writer), before + f.sent_len);
	assert_int_equal(fixture_flush(&f), 0);
	fixture_verify(&f, &c);
	assert_int_equal(xp_data_writer_bytes(f.writer), before + f.sent_len);
	assert_int_equal(c.given, f.sent_len);
	assert_int_equal(xp_data_writer_dropped(f.writer), 0);
	fixture_fini(&f);
}

/* Nothing new costs nothing. */
static void flushing_again_writes_nothing(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	assert_int_equal(f.writes, 2);
	assert_int_equal(fixture_flush(&f), 0);
	assert_int_equal(f.writes, 2);
	assert_int_equal(fixture_send(&f, 3, false), 0);
	assert_int_equal(f.writes, 2);
	assert_int_equal(fixture_flush(&f), 0);
	assert_int_equal(f.writes, 5);
	assert_int_equal(fixture_flush(&f), 0);
	assert_int_equal(f.writes, 5);
	fixture_fini(&f);
}

static void check_magic(struct writer_fixture *f)
{
	char magic[8];
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, magic, sizeof(magic), 0), sizeof(magic));
	assert_memory_equal(magic, f->writes == 1 ? "\0\0\0\0\0\0\0" : "PERFILE2", sizeof(magic));
	close(fd);
}

/* A write of several pages may be cut off when the program is killed; that of the header is not. */
static void the_header_is_written_after_what_it_describes(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	f.after_write = check_magic;
	fixture_start(&f);
	assert_int_equal(f.writes, 2);
	fixture_fini(&f);
}

static void what_comes_too_late_is_refused(void **state)
{
	struct xp_data_event event = fixture_event(0);
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	assert_int_equal(xp_data_writer_add_event(f.writer, &event), -EBUSY);
	assert_int_equal(xp_data_writer_start(f.writer, NULL), -EBUSY);
	fixture_fini(&f);
}

/* --- streams --- */

static size_t stream_of(struct writer_fixture *f, unsigned char *buf, size_t len)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .shape = XP_DATA_PIPE };
	struct xp_data_event event = fixture_event(0);

	fixture_init(f);
	opts.fd = open(f->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag), 0);
	event.attr.branch_sample_type = 1;
	add(f, &event);
	event = fixture_event(1);
	event.leader = 0;
	add(f, &event);
	assert_int_equal(xp_data_writer_add_feature(f->writer, XP_FEATURE_ARCH, "abc", 3), 0);
	assert_int_equal(
		xp_data_writer_add_feature(f->writer, XP_FEATURE_TRACING_DATA, "tracing data", 12),
		0);
	assert_int_equal(xp_data_writer_add_feature(f->writer, XP_FEATURE_CACHE, "x", 1), 0);
	start(f);
	assert_int_equal(fixture_send(f, 5, false), 0);
	assert_int_equal(xp_data_writer_add_feature(f->writer, XP_FEATURE_SAMPLE_TIME,
						    "0123456789abcdef", 16),
			 0);
	assert_int_equal(xp_data_writer_finish(f->writer, &f->diag), 0);
	ssize_t n = pread(opts.fd, buf, len, 0);
	assert_true(n > 0);
	close(opts.fd);
	return (size_t)n;
}

/* What there is, by type and, of features, number. */
static void streams_begin_with_what_headers_say(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t detail; /* first word */
		size_t size;
	} expected[] = {
		{ 64, 1, 8 + 128 + 16 }, /* the attribute, as long as perf 6.1 takes it */
		{ 64, 1, 8 + 128 + 16 },
		{ 66, 16, 16 },                  /* and 16 bytes outside */
		{ 80, XP_FEATURE_ARCH, 16 + 8 }, /* no CACHE, no GROUP_DESC: as perf */
		{ 80, XP_FEATURE_EVENT_DESC, 16 + 8 + 2 * (80 + 4 + 4 + 64 + 16) },
		{ 78, 2, 32 },
		{ 78, 2, 32 },
		{ 9, 0x400000, 40 },
	};
	unsigned char bytes[8192];
	struct writer_fixture f;

	(void)state;
	size_t len = stream_of(&f, bytes, sizeof(bytes)), at = 16;
	assert_memory_equal(bytes, "PERFILE2\x10\0\0\0\0\0\0", 16);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const unsigned char *record = bytes + at;
		uint64_t detail = check_u64(record + 8);

		assert_int_equal(check_u32(record), expected[i].type);
		assert_int_equal(size_of(record), expected[i].size);
		assert_int_equal(expected[i].type == 64 ? (uint32_t)detail : detail,
				 expected[i].detail);
		at += size_of(record);
		if (expected[i].type == 66) {
			assert_memory_equal(bytes + at, "tracing data\0\0\0", 16);
			at += 16;
		}
	}
	at += 4 * sizeof(struct fixture_sample);
	assert_int_equal(check_u32(bytes + at), 80);
	assert_int_equal(check_u64(bytes + at + 8), XP_FEATURE_SAMPLE_TIME);
	assert_memory_equal(bytes + at + 16, "0123456789abcdef", 16);
	assert_int_equal(at + 32, len);
	fixture_fini(&f);
}

/* The table of a file has entries without a type; one that is cut off ends it. */
static void entries_of_build_ids_become_records(void **state)
{
	struct {
		struct xp_record_build_id id;
		char name[12]; /* records are multiples of 8 bytes */
	} table[3] = { 0 };
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .shape = XP_DATA_PIPE };
	struct xp_data_event event = fixture_event(0);
	struct writer_fixture f;
	unsigned char bytes[8192];
	size_t nr = 0, len, at = 16;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		table[i].id.header.misc = XP_MISC_BUILD_ID_SIZE | XP_MISC_USER;
		table[i].id.header.size = sizeof(table[i]);
		table[i].id.build_id_size = 20;
		memcpy(table[i].name, "/a", 3);
	}
	fixture_init(&f);
	opts.fd = open(f.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(xp_data_writer_open(f.ctx, &opts, &f.writer, &f.diag), 0);
	add(&f, &event);
	assert_int_equal(
		xp_data_writer_add_feature(f.writer, XP_FEATURE_BUILD_ID, table, sizeof(table) - 8),
		0);
	start(&f);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), 0);
	len = (size_t)pread(opts.fd, bytes, sizeof(bytes), 0);
	close(opts.fd);
	assert_true(len < sizeof(bytes));
	for (; at < len; at += size_of(bytes + at)) {
		assert_int_not_equal(check_u32(bytes + at), 0);
		if (check_u32(bytes + at) != XP_RECORD_HEADER_BUILD_ID)
			continue;
		assert_int_equal(size_of(bytes + at), sizeof(table[0]));
		assert_memory_equal(bytes + at + 4, (char *)&table[0] + 4, sizeof(table[0]) - 4);
		nr++;
	}
	assert_int_equal(at, len);
	assert_int_equal(nr, 2);
	fixture_fini(&f);
}

static void a_stream_has_no_room_for_so_many_ids(void **state)
{
	static const uint64_t ids[9000];
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .shape = XP_DATA_PIPE, .fd = 1 };
	struct xp_data_event event = fixture_event(0);
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(xp_data_writer_open(f.ctx, &opts, &f.writer, &f.diag), 0);
	event.ids = ids;
	event.nr_ids = 9000;
	add(&f, &event);
	assert_int_equal(xp_data_writer_start(f.writer, &f.diag), -E2BIG);
	assert_string_equal(
		f.diag.what,
		"A stream cannot hold the 9000 CPUs or threads that 'first:u' is counted on");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_as_short_as_can_be),
		cmocka_unit_test(attributes_are_equally_long),
		cmocka_unit_test(features_come_early_or_late),
		cmocka_unit_test(a_late_feature_stays),
		cmocka_unit_test(ids_can_come_later),
		cmocka_unit_test(groups_are_described),
		cmocka_unit_test(updates_describe_events),
		cmocka_unit_test(ids_fill_several_records),
		cmocka_unit_test(threads_and_cpus_are_recorded),
		cmocka_unit_test(the_clock_is_recorded),
		cmocka_unit_test(aux_data_have_an_index),
		cmocka_unit_test(pieces_stay_in_order),
		cmocka_unit_test(flushing_again_writes_nothing),
		cmocka_unit_test(the_header_is_written_after_what_it_describes),
		cmocka_unit_test(what_comes_too_late_is_refused),
		cmocka_unit_test(streams_begin_with_what_headers_say),
		cmocka_unit_test(entries_of_build_ids_become_records),
		cmocka_unit_test(a_stream_has_no_room_for_so_many_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
