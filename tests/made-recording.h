/* SPDX-License-Identifier: MIT */
/*
 * A recording made with the writer, and what is found when it is read. Included behind <cmocka.h>.
 */
#ifndef TESTS_MADE_RECORDING_H
#define TESTS_MADE_RECORDING_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "remove-tree.h"

/* Bytes that grow. */
struct bytes {
	uint8_t *at;
	size_t len, room;
};

static inline void bytes_add(struct bytes *bytes, const void *more, size_t len)
{
	while (bytes->len + len > bytes->room) {
		bytes->room = bytes->room ? bytes->room * 2 : 65536;
		bytes->at = realloc(bytes->at, bytes->room);
		assert_non_null(bytes->at);
	}
	if (len)
		memcpy(bytes->at + bytes->len, more, len);
	bytes->len += len;
}

static inline struct bytes bytes_of_file(const char *path)
{
	struct bytes bytes = { 0 };
	uint8_t buf[65536];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bytes_add(&bytes, buf, (size_t)n);
	close(fd);
	return bytes;
}

static inline void bytes_to_file(const char *path, const void *at, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, at, len), len);
	close(fd);
}

/* IP | TID | TIME | ID | CPU | PERIOD | RAW, and in every trailer TID, TIME, ID, CPU. */
enum { MADE_SAMPLE_TYPE = 1 | 2 | 4 | 64 | 128 | 256 | 1024 };

static const uint64_t made_ids[][3] = { { 10, 11, 12 }, { 20, 21, 22 }, { 30, 31, 32 } };

static inline struct xp_data_event made_event(int idx)
{
	return (struct xp_data_event){
		.size = sizeof(struct xp_data_event),
		.attr = { .type = 1,
			  .config = (uint64_t)idx,
			  .size = 64,
			  .sample_period = 1000,
			  .sample_type = MADE_SAMPLE_TYPE,
			  .sample_id_all = 1,
			  .exclude_kernel = idx == 1 },
		.name = idx == 0   ? "leader"
			: idx == 1 ? "member:u"
				   : "alone",
		.unit = idx == 2 ? "Joules" : NULL,
		.scale = idx == 2 ? 0.25 : 1.0,
		.own_cpus = idx == 1 ? "0,2-5" : NULL,
		.ids = made_ids[idx],
		.nr_ids = 3,
		.leader = idx == 1 ? 0 : idx,
		.group_name = idx == 0 ? "pair" : NULL,
	};
}

/* A record with a trailer of the events above. */
static inline void add_record(struct bytes *out, uint32_t type, const void *body, size_t len,
			      uint64_t nr)
{
	struct xp_data_event event = made_event(0);
	struct xp_sample_id id = { 7, 8, 1000 + nr, made_ids[nr % 3][nr % 2], 0, (int)nr % 4 };
	size_t trailer = type < 64 ? xp_sample_id_bytes(&event.attr) : 0;
	struct xp_record header = { type, 0, (uint16_t)(sizeof(header) + len + trailer) };
	uint8_t end[64];

	bytes_add(out, &header, sizeof(header));
	bytes_add(out, body, len);
	xp_sample_id_encode(&id, &event.attr, end);
	bytes_add(out, end, trailer);
}

static inline void add_sample(struct bytes *out, uint64_t nr)
{
	static uint64_t record[8192], raw[4096];
	struct xp_data_event event = made_event(0);
	struct xp_sample sample = {
		.size = sizeof(sample),
		.id = { 7, 8, 1000 + nr, made_ids[nr % 3][nr % 2], 0, (int)nr % 4 },
		.ip = 0x400000 + nr,
		.period = 1000,
		.raw = raw,
		.raw_len = (uint32_t)(nr * nr % 300),
	};

	for (size_t i = 0; i < 40; i++)
		raw[i] = nr * i;
	int len = xp_sample_encode(&sample, &event.attr, record, sizeof(record));
	assert_true(len > 0);
	bytes_add(out, record, (size_t)len);
}

/* One of each kind that matters, @nr in all. */
static inline void add_records(struct bytes *out, uint64_t nr)
{
	static const struct {
		uint32_t pid, tid;
		char comm[16];
	} comm = { 7, 8, "name" };
	static const struct {
		uint32_t pid, tid;
		uint64_t place[3], file[3];
		uint32_t prot, flags;
		char name[16];
	} map = { 7, 8, { 0x400000, 0x1000, 0 }, { 1, 2, 3 }, 5, 2, "/usr/bin/x" };
	static const uint32_t task[6] = { 7, 1, 8, 1, 1000 };
	static const uint64_t lost[2] = { 10, 5 }, throttle[3] = { 1000, 20, 20 };

	for (uint64_t i = 0; i < nr; i++) {
		add_sample(out, i);
		switch (i % 16) {
		case 0:
			add_record(out, XP_RECORD_MMAP2, &map, sizeof(map), i);
			break;
		case 3:
			add_record(out, XP_RECORD_COMM, &comm, sizeof(comm), i);
			break;
		case 5:
			add_record(out, XP_RECORD_FORK, task, sizeof(task), i);
			break;
		case 7:
			add_record(out, XP_RECORD_LOST, lost, sizeof(lost), i);
			break;
		case 9:
			add_record(out, XP_RECORD_THROTTLE, throttle, sizeof(throttle), i);
			break;
		case 12:
			add_record(out, XP_RECORD_FINISHED_ROUND, NULL, 0, i);
			break;
		default:
			break;
		}
	}
}

struct made {
	struct xp_ctx *ctx;
	char dir[64], path[96];
};

static inline void made_init(struct made *r)
{
	const char *tmp = getenv("TMPDIR");

	assert_int_equal(xp_ctx_new(NULL, &r->ctx), 0);
	snprintf(r->dir, sizeof(r->dir), "%.40s/recording.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(r->dir));
	snprintf(r->path, sizeof(r->path), "%s/perf.data", r->dir);
}

static inline void made_fini(struct made *r)
{
	xp_ctx_free(r->ctx);
	assert_int_equal(remove_tree(r->dir), 0);
}

/* A writer on @path, or of a stream; the three events, or those of @from; started. */
static inline struct xp_data_writer *made_start(struct made *r, enum xp_data_shape shape, int level,
						const struct xp_data *from, int *ret_fd)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts),
					    .shape = shape,
					    .compress_level = level };
	struct xp_data_writer *writer = NULL;
	struct xp_diag diag = { 0 };

	*ret_fd = -1;
	unlink(r->path);
	if (shape == XP_DATA_FILE)
		opts.path = r->path;
	else
		opts.fd = *ret_fd = open(r->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err = xp_data_writer_open(r->ctx, &opts, &writer, &diag);
	if (err)
		fail_msg("%d: %s", err, diag.what);
	for (int i = 0; i < 3; i++) {
		struct xp_data_event event = made_event(i);

		if (from)
			event = *xp_data_event_at(from, i);
		assert_int_equal(xp_data_writer_add_event(writer, &event), 0);
	}
	assert_int_equal(xp_data_writer_add_feature(writer, XP_FEATURE_HOSTNAME, "hostname", 8), 0);
	assert_int_equal(xp_data_writer_start(writer, &diag), 0);
	return writer;
}

static inline void made_finish(struct xp_data_writer *writer, int fd)
{
	struct xp_diag diag = { 0 };
	int err = xp_data_writer_finish(writer, &diag);

	if (err)
		fail_msg("%d: %s", err, diag.what);
	xp_data_writer_free(writer);
	if (fd >= 0)
		close(fd);
}

static inline int made_open(struct made *r, const char *path, struct xp_data **ret_data,
			    struct xp_diag *diag)
{
	struct xp_data_opts opts = { .size = sizeof(opts), .path = path };

	memset(diag, 0, sizeof(*diag));
	*ret_data = NULL;
	return xp_data_open(r->ctx, &opts, ret_data, diag);
}

/* Opens what must be sound. */
static inline struct xp_data *made_read(struct made *r)
{
	struct xp_data *data;
	struct xp_diag diag;
	int err = made_open(r, r->path, &data, &diag);

	if (err)
		fail_msg("%d: %s", err, diag.what);
	return data;
}

static inline bool made_has_zstd(struct made *r)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts),
					    .path = r->path,
					    .compress_level = 1 };
	struct xp_data_writer *writer = NULL;
	int err = xp_data_writer_open(r->ctx, &opts, &writer, NULL);

	xp_data_writer_free(writer);
	unlink(r->path);
	return err != -ENOSYS;
}

/* What the writer makes by itself, to describe what it was given. */
static inline bool is_description(uint32_t type)
{
	return type == XP_RECORD_EVENT_UPDATE || type == XP_RECORD_HEADER_ATTR ||
	       type == XP_RECORD_HEADER_FEATURE || type == XP_RECORD_HEADER_TRACING_DATA ||
	       type == XP_RECORD_FINISHED_INIT;
}

/* Records, without those that describe, and what follows them. Damage is a failure if @sound. */
static inline struct bytes made_records(struct xp_data *data, bool sound)
{
	const struct xp_record *record;
	struct bytes all = { 0 };
	struct xp_piece payload;
	int got;

	while ((got = xp_data_next(data, &record, &payload)) > 0) {
		if (is_description(record->type))
			continue;
		bytes_add(&all, record, record->size);
		bytes_add(&all, payload.at, payload.len);
	}
	assert_int_equal(got, 0);
	if (sound && xp_data_nr_damages(data))
		fail_msg("%s", xp_data_damage(data, 0));
	return all;
}

/* Made with @nr records in pieces of all sizes. */
static inline struct bytes made_make(struct made *r, enum xp_data_shape shape, int level,
				     uint64_t nr)
{
	struct bytes records = { 0 };
	int fd;
	struct xp_data_writer *writer = made_start(r, shape, level, NULL, &fd);

	add_records(&records, nr);
	assert_int_equal(xp_data_writer_write(writer, records.at, records.len, true), 0);
	made_finish(writer, fd);
	return records;
}

/* Where each record of a sound recording ends; the number of them. */
static inline size_t made_ends(struct made *r, uint64_t *ends, size_t room)
{
	struct xp_data *data = made_read(r);
	const struct xp_record *record;
	struct xp_piece payload;
	size_t nr = 0;

	while (xp_data_next(data, &record, &payload) > 0) {
		assert_true(nr < room);
		ends[nr++] = xp_data_offset(data) + record->size + payload.len;
	}
	xp_data_close(data);
	return nr;
}

#endif
