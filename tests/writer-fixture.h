/* SPDX-License-Identifier: MIT */
/*
 * A writer with two events on a kernel whose disk can be full, slow or gone; and what it was given.
 * Included behind <cmocka.h>.
 */
#ifndef TESTS_WRITER_FIXTURE_H
#define TESTS_WRITER_FIXTURE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "data-check.h"
#include "remove-tree.h"
#include "writer.h"

enum { FIXTURE_SENT_MAX = 4 << 20 };

struct writer_fixture {
	struct xp_sys sys; /* first: what entries get is also the fixture */
	struct xp_ctx *ctx;
	struct xp_data_writer *writer;
	struct xp_diag diag;
	char dir[64];
	char path[64 + 256];

	unsigned char *sent; /* records the writer has accepted */
	size_t sent_len;
	size_t flushed; /* of them, at the last flush that succeeded */

	/* the disk */
	uint64_t writes;    /* pwritev() calls */
	uint64_t room;      /* bytes a file can have; 0: no limit */
	uint64_t piece_max; /* bytes one call writes; 0: no limit */
	uint64_t fail_at;   /* this call fails; 0: none */
	bool fail_on;       /* and all behind it */
	int fail_err;
	void (*after_write)(struct writer_fixture *f);
};

static inline struct writer_fixture *fixture_of(const struct xp_sys *sys)
{
	return (struct writer_fixture *)(uintptr_t)sys;
}

/* Copies as much of the pieces as is to be written. Returns it, the caller's to free. */
static inline char *fixture_gather(const struct iovec *pieces, int nr, size_t *ret_len)
{
	size_t len = 0;
	char *bytes;

	for (int i = 0; i < nr; i++)
		len += pieces[i].iov_len;
	bytes = malloc(len + 1);
	assert_non_null(bytes);
	*ret_len = 0;
	for (int i = 0; i < nr; i++) {
		memcpy(bytes + *ret_len, pieces[i].iov_base, pieces[i].iov_len);
		*ret_len += pieces[i].iov_len;
	}
	return bytes;
}

static inline ssize_t fixture_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces,
				      int nr, int64_t offset)
{
	struct writer_fixture *f = fixture_of(sys);
	size_t len;

	f->writes++;
	if (f->fail_at && (f->writes == f->fail_at || (f->fail_on && f->writes > f->fail_at)))
		return f->fail_err;
	char *bytes = fixture_gather(pieces, nr, &len);
	struct iovec piece = { bytes, len };
	if (f->piece_max && piece.iov_len > f->piece_max)
		piece.iov_len = f->piece_max;
	if (f->room && offset >= 0 && (uint64_t)offset + piece.iov_len > f->room)
		piece.iov_len = (uint64_t)offset < f->room ? f->room - (uint64_t)offset : 0;
	ssize_t n = piece.iov_len ? xp_sys_linux()->pwritev(sys, fd, &piece, 1, offset) : -ENOSPC;
	free(bytes);
	if (f->after_write)
		f->after_write(f);
	return n;
}

static inline void fixture_init(struct writer_fixture *f)
{
	const char *tmp = getenv("TMPDIR");

	memset(f, 0, sizeof(*f));
	f->sys = *xp_sys_linux();
	f->sys.pwritev = fixture_pwritev;
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &f->sys };
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	f->sent = malloc(FIXTURE_SENT_MAX);
	assert_non_null(f->sent);
	snprintf(f->dir, sizeof(f->dir), "%.40s/writer.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/data", f->dir);
}

static inline void fixture_fini(struct writer_fixture *f)
{
	xp_data_writer_free(f->writer);
	xp_ctx_free(f->ctx);
	free(f->sent);
	assert_int_equal(remove_tree(f->dir), 0);
}

static const uint64_t fixture_ids[][2] = { { 10, 11 }, { 20, 21 } };

static inline struct xp_data_event fixture_event(int idx)
{
	return (struct xp_data_event){
		.size = sizeof(struct xp_data_event),
		.attr = { .type = 1,
			  .config = (uint64_t)idx,
			  .sample_period = 1000,
			  .sample_type = 1 | 2 | 4 | 64, /* IP, TID, TIME, ID */
			  .sample_id_all = 1 },
		.name = idx ? "second" : "first:u",
		.scale = 1.0,
		.ids = fixture_ids[idx],
		.nr_ids = 2,
		.leader = idx,
	};
}

/* Opens a file with two events; it is not started. */
static inline void fixture_open(struct writer_fixture *f, int compress_level)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts),
					    .path = f->path,
					    .compress_level = compress_level };

	assert_int_equal(xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag), 0);
	for (int i = 0; i < 2; i++) {
		struct xp_data_event event = fixture_event(i);

		assert_int_equal(xp_data_writer_add_event(f->writer, &event), 0);
	}
}

static inline void fixture_start(struct writer_fixture *f)
{
	fixture_open(f, 0);
	assert_int_equal(xp_data_writer_start(f->writer, &f->diag), 0);
}

/* A sample, as the events above have them. */
struct fixture_sample {
	struct xp_record header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, id;
};

/* Gives the writer @nr samples in one piece. Returns its answer. */
static inline int fixture_send(struct writer_fixture *f, int nr, bool from_ring)
{
	struct fixture_sample *samples = (void *)(f->sent + f->sent_len);
	size_t len = (size_t)nr * sizeof(*samples);

	assert_true(f->sent_len + len <= FIXTURE_SENT_MAX);
	for (int i = 0; i < nr; i++)
		samples[i] = (struct fixture_sample){
			.header = { 9, 2, sizeof(*samples) },
			.ip = 0x400000 + f->sent_len,
			.pid = 77,
			.tid = 77,
			.time = 1000 * (uint64_t)(f->sent_len + (size_t)i + 1),
			.id = fixture_ids[i % 2][0],
		};
	int err = xp_data_writer_write(f->writer, samples, len, from_ring);
	f->sent_len += err ? 0 : len;
	return err;
}

static inline int fixture_flush(struct writer_fixture *f)
{
	int err = xp_data_writer_flush(f->writer);

	f->flushed = err ? f->flushed : f->sent_len;
	return err;
}

/* The file's bytes, the caller's to free. */
static inline unsigned char *fixture_bytes(const struct writer_fixture *f, size_t *ret_len)
{
	FILE *file = fopen(f->path, "r");
	struct stat st;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	unsigned char *bytes = malloc((size_t)st.st_size + 1);
	assert_non_null(bytes);
	*ret_len = fread(bytes, 1, (size_t)st.st_size, file);
	assert_int_equal(*ret_len, st.st_size);
	fclose(file);
	return bytes;
}

/* The file is sound, names its events, and holds all that was flushed and nothing that was not
 * sent. */
static inline void fixture_verify(const struct writer_fixture *f, struct data_check *c)
{
	size_t len;
	unsigned char *bytes = fixture_bytes(f, &len);

	if (!data_check(bytes, len, c))
		fail_msg("after write %d: %s", (int)f->writes, c->why);
	assert_int_equal(c->nr_events, 2);
	assert_string_equal(c->names[0], "first:u");
	assert_string_equal(c->names[1], "second");
	uint64_t held = c->given;
	if (held < f->flushed)
		fail_msg("after write %d: %d bytes of the %d that were flushed", (int)f->writes,
			 (int)held, (int)f->flushed);
	assert_true(held <= FIXTURE_SENT_MAX);
	assert_memory_equal(bytes + c->data.offset + c->described, f->sent, held);
	free(bytes);
}

#endif
