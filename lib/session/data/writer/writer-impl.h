/* SPDX-License-Identifier: MIT */
/*
 * The inside of the writer: writer.c collects records and features, writer-file.c and
 * writer-stream.c know how the two containers are laid out, writer-create.c makes the file.
 */
#ifndef SESSION_WRITER_IMPL_H
#define SESSION_WRITER_IMPL_H

#include <sys/uio.h>
#include <xperf/data.h>

#include "pieces.h"
#include "str.h"

struct xp_attr;
struct xp_ctx;
struct xp_diag;
struct xp_str;
struct xp_sys;
struct xp_zstd;

enum {
	XP_RECORD_BYTES_MAX = 65528, /* of one record: 16 bits, a multiple of 8 */
	XP_WRITER_BUFFER = 256 << 10,
	XP_WRITER_PIECES = 5,            /* of one write, one of them the container's */
	XP_WRITER_PACK_ROOM = 256 << 10, /* what a COMPRESSED record unpacks to at most, and more */
};

/*
 * A feature. Bodies that are known at the start lie before the data, @offset and @len; one that is
 * set later waits in @body, and lies behind the data in the file.
 */
struct xp_writer_feature {
	bool is_early;
	uint64_t offset, len;
	bool has_body;
	bool no_room; /* the disk is full: @body is left out */
	char *body;
	size_t body_len;
};

/* How the output came to be, to be undone if nothing is ever written. */
struct xp_writer_output {
	char *path;  /* NULL: the caller's descriptor */
	char *old;   /* what was renamed to make place; NULL: nothing */
	char *inner; /* the file in a directory; NULL: the path itself */
	int fd;
	bool created;
	bool is_fifo;
};

/* Records that were compressed together, and where they are in what waits to be written. */
struct xp_writer_chunk {
	uint64_t start, end;
	uint64_t plain_bytes, samples;
};

/* A container: how it begins, how records get into it, what comes last. */
struct xp_writer_shape {
	int (*start)(struct xp_data_writer *w, struct xp_diag *diag);
	/* @pieces: whole records; there is place for one more behind the @nr. Fails once for all:
	 * the container is left complete, and w->err set. */
	int (*emit)(struct xp_data_writer *w, struct iovec *pieces, int nr);
	/* Brings late features into it after a failure. */
	void (*finalize)(struct xp_data_writer *w);
};

extern const struct xp_writer_shape xp_writer_file;
extern const struct xp_writer_shape xp_writer_stream;

struct xp_data_writer {
	struct xp_ctx *ctx; /* for features, before the start; writing needs @sys only */
	const struct xp_sys *sys;
	const struct xp_writer_shape *shape;
	struct xp_writer_output output;
	struct xp_data_event *events;
	int nr_events;
	bool started;
	int err; /* what a write has failed with; nothing is accepted after that */

	struct xp_writer_feature features[XP_FEATURE_MAX];
	bool features_changed; /* since the last emit */

	struct xp_str first; /* records that came before the start */
	char *buffer;        /* records that wait for more */
	size_t buffered;
	uint64_t dropped, dropped_samples; /* of what was given, what is not in the container */
	struct xp_str aux_index;           /* of AUXTRACE: where its records are */

	struct xp_zstd *zstd;
	struct xp_str chunks; /* struct xp_writer_chunk: of what is collected, what is compressed */
	int zstd_level;
	uint64_t plain_bytes, packed_bytes;

	/* where things are in the file; of a stream, data_size counts all */
	size_t attr_size; /* of each attribute, bytes */
	uint64_t attrs_offset;
	bool has_late_ids; /* events got ids since the start: they are described again, at the end
			    */
	uint64_t late_attrs_offset;
	uint64_t data_offset;
	uint64_t data_size;
	size_t lost_len; /* bytes of the last record, LOST_SAMPLES of what was dropped; 0: none */
	bool finishes;   /* what is written now is the last */
	uint64_t end;
};

/* writer-create.c: makes way for @path and creates it. */
int xp_writer_create(const struct xp_sys *sys, const struct xp_data_writer_opts *opts,
		     struct xp_writer_output *ret_output, struct xp_diag *diag);
/* Removes the new file, and gives the old one its name back. */
void xp_writer_uncreate(const struct xp_sys *sys, struct xp_writer_output *output);
void xp_writer_output_fini(const struct xp_sys *sys, struct xp_writer_output *output);

/*
 * writer-output.c: writes all pieces, at @offset or, of a stream, -1. @pieces are used up.
 * Returns 0 or why it ended early; *ret_done counts the bytes.
 */
int xp_writer_put(const struct xp_data_writer *w, struct iovec *pieces, int nr, int64_t offset,
		  uint64_t *ret_done);

/* writer-pack.c: compresses records and adds COMPRESSED ones. */
int xp_writer_pack(struct xp_data_writer *w, const void *records, size_t len);
/* writer.c: adds whole records, collected or at once. @pieces has XP_WRITER_PIECES entries. */
int xp_writer_add(struct xp_data_writer *w, struct iovec *pieces, int nr);
/* Counts records that were given and that the container does not get. */
void xp_writer_drop(struct xp_data_writer *w, const void *records, size_t len);
/*
 * Of what was to be emitted @limit bytes can stay: returns how many of them are whole records, and
 * of compressed ones all that were compressed together. The rest is counted as dropped.
 */
uint64_t xp_writer_keep(struct xp_data_writer *w, const struct iovec *pieces, int nr,
			uint64_t limit);

/* writer-records.c: a record is begun, filled, and ended, which makes it a multiple of 8 bytes. */
size_t xp_begin_record(struct xp_str *out, uint32_t type);
void xp_end_record(struct xp_str *out, size_t start);
/* Adds a feature with a body as HEADER_FEATURE; nothing where that is too long for a record. */
void xp_encode_feature(int id, const struct xp_writer_feature *feature, struct xp_str *out);
/* Adds what describes an event among the records. */
void xp_encode_event_updates(const struct xp_data_event *event, struct xp_str *out);
/* The bytes of an attribute as it is written to files: the smallest size that holds all of them. */
size_t xp_attr_bytes(const struct xp_attr *attr);
/* Adds an attribute in @size bytes. */
void xp_encode_attr(const struct xp_attr *attr, size_t size, struct xp_str *out);

/* True if a feature of this number has a body. */
static inline bool xp_writer_has(const struct xp_data_writer *w, int feature)
{
	const struct xp_writer_feature *f = &w->features[feature];

	return f->is_early || (f->has_body && !f->no_room);
}

#endif
