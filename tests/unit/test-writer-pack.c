/* SPDX-License-Identifier: MIT */
/* Compressed records: what comes out of them is what went in, as perf takes them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer-fixture.h"
#include "writer-impl.h"
#include "writer.h"
#include "zstd.h"

enum { COMPRESSED = 81 };

static void start(struct writer_fixture *f)
{
	fixture_init(f);
	fixture_open(f, 3);
	assert_int_equal(xp_data_writer_start(f->writer, &f->diag), 0);
}

/* What the feature says. */
struct compressed {
	uint32_t version, type, level, ratio, room;
};

/* A file without a table has it as a record. */
static struct compressed feature_of(const unsigned char *bytes, const struct data_check *c)
{
	struct data_section s = c->features[XP_FEATURE_COMPRESSED];
	struct compressed feature;

	if (!c->has_table) {
		s.offset = c->data.offset + c->described;
		assert_int_equal(check_u32(bytes + s.offset), 80);
		assert_int_equal(check_u64(bytes + s.offset + 8), XP_FEATURE_COMPRESSED);
		s = (struct data_section){ s.offset + 16, sizeof(feature) };
	}
	assert_int_equal(s.size, sizeof(feature));
	memcpy(&feature, bytes + s.offset, sizeof(feature));
	return feature;
}

/* Unpacks as perf does, record by record into a buffer of the size the feature says; others are
 * passed on. Returns the records, the caller's to free. */
static unsigned char *unpacked(const unsigned char *bytes, const struct data_check *c,
			       size_t *ret_len)
{
	unsigned char *out = malloc(FIXTURE_SENT_MAX);
	uint64_t at = c->data.offset + c->described, end = c->data.offset + c->data.size;
	struct compressed feature = feature_of(bytes, c);
	struct xp_zstd *zstd;
	size_t len = 0;

	assert_non_null(out);
	assert_int_equal(xp_zstd_decompressor(&zstd, NULL), 0);
	while (at < end) {
		uint32_t type = check_u32(bytes + at), size = check_u32(bytes + at + 4) >> 16;
		size_t in = 0, got = 0;

		if (type == COMPRESSED) {
			assert_int_equal(xp_zstd_decompress(zstd, bytes + at + 8, size - 8, &in,
							    out + len, feature.room, &got),
					 0);
			assert_int_equal(in, size - 8);
			assert_true(got < feature.room);
		} else if (type != 80 && type != 13) {
			memcpy(out + len, bytes + at, size);
			got = size;
		}
		len += got;
		at += size;
	}
	xp_zstd_free(zstd);
	*ret_len = len;
	return out;
}

static void verify(const struct writer_fixture *f, size_t at_least, struct data_check *c)
{
	size_t len, out_len;
	unsigned char *bytes = fixture_bytes(f, &len);

	if (!data_check(bytes, len, c))
		fail_msg("%s", c->why);
	unsigned char *out = unpacked(bytes, c, &out_len);
	assert_true(out_len >= at_least && out_len <= f->sent_len + 100000);
	assert_memory_equal(out, f->sent, out_len);
	free(out);
	free(bytes);
}

static void what_goes_in_comes_out(void **state)
{
	static const int sizes[] = { 1, 5, 9000, 2, 30000, 100 };
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	start(&f);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(fixture_send(&f, sizes[i], i != 3), 0);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), 0);
	assert_true(xp_data_writer_bytes(f.writer) < f.sent_len / 2);

	verify(&f, f.sent_len, &c);
	size_t len;
	unsigned char *bytes = fixture_bytes(&f, &len);
	struct compressed feature = feature_of(bytes, &c);
	assert_int_equal(feature.version, 1);
	assert_int_equal(feature.type, 1);
	assert_int_equal(feature.level, 3);
	assert_in_range(feature.ratio, 2, 1000);
	assert_int_equal(feature.room % 4096, 0);
	free(bytes);
	fixture_fini(&f);
}

/* Bytes without order do not become less, and several records are needed for them. */
static void what_cannot_be_compressed(void **state)
{
	struct writer_fixture f;
	struct data_check c;
	uint64_t random = 88172645463325252;

	(void)state;
	start(&f);
	for (size_t i = 0; i < 100; i++) {
		struct xp_record *record = (void *)(f.sent + f.sent_len);

		for (size_t at = 0; at < 65528; at += 8) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			memcpy((char *)record + at, &random, 8);
		}
		*record = (struct xp_record){ .type = 9, .size = (uint16_t)(24 + 648 * i) };
		f.sent_len += record->size;
	}
	assert_int_equal(xp_data_writer_write(f.writer, f.sent, f.sent_len, true), 0);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), 0);
	verify(&f, f.sent_len, &c);
	fixture_fini(&f);
}

static size_t flushed;
static int nr_verified;

static void verify_now(struct writer_fixture *f)
{
	struct data_check c;

	verify(f, flushed, &c);
	nr_verified++;
}

/* Killed behind any write, all that was flushed can be unpacked. */
static void killed_behind_any_write(void **state)
{
	struct writer_fixture f;

	(void)state;
	start(&f);
	flushed = 0;
	f.after_write = verify_now;
	for (int i = 0; i < 30; i++) {
		assert_int_equal(fixture_send(&f, 1 + 40 * i, true), 0);
		assert_int_equal(fixture_flush(&f), 0);
		flushed = f.flushed;
	}
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), 0);
	assert_true(nr_verified > 90);
	fixture_fini(&f);
}

static uint64_t samples_in(const unsigned char *records, size_t len)
{
	struct iovec piece = { (void *)records, len };

	return xp_pieces_samples(&piece, 1, 0);
}

/* What was given is in the file, or counted as dropped. */
static void verify_dropped(struct writer_fixture *f, uint64_t nr_sent)
{
	size_t len, plain_len;
	unsigned char *bytes = fixture_bytes(f, &len);
	struct data_check c;

	assert_true(data_check(bytes, len, &c));
	unsigned char *plain = unpacked(bytes, &c, &plain_len);
	assert_int_equal(samples_in(plain, plain_len) + xp_data_writer_dropped_samples(f->writer),
			 nr_sent);
	assert_int_equal(plain_len + xp_data_writer_dropped(f->writer),
			 nr_sent * sizeof(struct fixture_sample));
	free(plain);
	free(bytes);
}

/* The stream ends with the last records that were compressed together. */
static void a_full_disk(void **state)
{
	(void)state;
	for (uint64_t room = 20000; room < 21000; room += 31) {
		struct writer_fixture f;
		struct data_check c;
		uint64_t nr_sent = 0;
		int err = 0;

		start(&f);
		f.room = room;
		/* Several that wait together, and some that come when it is full. */
		for (int i = 0; i < 2000 && !err; i++, nr_sent += 60) {
			err = fixture_send(&f, 60, true);
			if (!err && i % 3 == 0)
				err = fixture_flush(&f);
		}
		assert_int_equal(err, -ENOSPC);
		assert_int_equal(fixture_send(&f, 7, true), -ENOSPC);
		assert_int_equal(xp_data_writer_finish(f.writer, NULL), -ENOSPC);
		verify(&f, f.flushed, &c);
		verify_dropped(&f, nr_sent + 7);
		assert_int_equal(c.lost, xp_data_writer_dropped_samples(f.writer));
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out),
		cmocka_unit_test(what_cannot_be_compressed),
		cmocka_unit_test(killed_behind_any_write),
		cmocka_unit_test(a_full_disk),
	};
	struct xp_diag diag = { 0 };
	struct xp_zstd *zstd;

	if (xp_zstd_compressor(1, &zstd, &diag)) {
		printf("skipped: %s\n", diag.what);
		return diag.err == -ENOSYS ? 77 : 1;
	}
	xp_zstd_free(zstd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
