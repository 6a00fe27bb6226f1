/* SPDX-License-Identifier: MIT */
/* struct xp_data from inside: what is shared by the files reader-*.c. */
#ifndef SESSION_READER_IMPL_H
#define SESSION_READER_IMPL_H

#include <xperf/data.h>

#include "id-map.h"
#include "reader.h"
#include "source.h"
#include "str.h"
#include "swap.h"

struct xp_zstd;

enum { RECORD_ROOM = 65536 };

struct xp_reader_event {
	struct xp_data_event pub;
	char *name, *unit, *own_cpus, *group_name;
	bool named; /* by the recording, not after its attribute */
	uint64_t *ids;
};

struct xp_reader_feature {
	const void *at; /* NULL: there is none */
	size_t len;
	void *own; /* of a stream */
};

/* Records that were compressed. */
struct unpacked {
	struct xp_zstd *zstd;
	const uint8_t *in; /* what is left of the present COMPRESSED record */
	size_t in_len;
	bool filled;    /* the room was: there may be more without more input */
	uint8_t *bytes; /* what came out and has not been passed over: [start, end) */
	size_t start, end;
	bool broken; /* nothing more comes out */
};

struct xp_data {
	struct xp_ctx *ctx;
	const struct xp_sys *sys;
	char *path;
	struct xp_source main, part;
	struct xp_source *source; /* the one that is read */
	char part_name[32];       /* "data.3": the file of the directory it is; "": the first */
	bool directory;
	int next_part; /* of a directory: number of the next file */
	bool swapped, stream;

	bool (*is_stopped)(void *data); /* as in the options */
	void *stop_data;
	/* Where it came true, of a directory: its files before @stop_part, of the last @stop_at
	 * bytes; 0: it did not. */
	int stop_part;
	uint64_t stop_at;

	uint64_t data_offset, data_size; /* as the header has them */
	uint64_t first, end; /* offset of the first record of the first file, and behind the last */
	uint64_t limit;  /* offset behind the last of the file that is read; UINT64_MAX: its end */
	bool is_plain;   /* records can be given out as they lie there */
	bool is_range;   /* of another reader: events and features are that one's */
	uint64_t at;     /* offset of the next record */
	uint64_t offset; /* offset of the last */
	uint64_t passed; /* bytes of the files before, and of what was unpacked */
	bool wants_payload;
	/* Number of the step since the start, and of those ever made: what is seen again after a
	 * rewind is neither reported nor learnt again. */
	uint64_t step, steps;
	struct unpacked unpacked;
	uint64_t nr_packed[2]; /* records of type COMPRESSED and COMPRESSED2 since the start */
	uint64_t *bounce;      /* RECORD_ROOM bytes, for what cannot stay where it is */

	struct xp_reader_event **events;
	int nr_events, events_room;
	struct xp_id_map ids;
	size_t nr_ids; /* of all events */
	struct xp_reader_feature features[XP_FEATURE_MAX];

	uint64_t *marks; /* offsets of records, from window to window */
	size_t nr_marks;
	uint64_t next_mark; /* from here on a record gets one */

	/* ordered.c */
	struct xp_order_opts order_opts;
	struct xp_order *order; /* NULL: nothing was read in order since the start */
	bool order_ended;       /* all was read */
	int order_result;       /* of the reading that ended it */
	uint64_t order_nr;      /* records that were read */

	char *damages[XP_DAMAGES_SHOWN];
	uint64_t nr_damages, nr_foreign; /* the second of the first: of versions to come */
	uint64_t unknown_types;          /* reported already, by their last six bits */
};

/* True if what is read now has not been read before. */
static inline bool xp_reader_is_first_time(const struct xp_data *data)
{
	return data->step >= data->steps;
}

/* reader.c: remembers damage at an offset; @fmt says what. */
void xp_reader_report(struct xp_data *data, uint64_t offset, const char *fmt, ...) XP_PRINTF(3, 4);
/* The same of what another version would understand: the recording is sound. */
void xp_reader_report_foreign(struct xp_data *data, uint64_t offset, const char *fmt, ...)
	XP_PRINTF(3, 4);

/* reader-header.c: reads the header of a file, its events and the places of its features. */
int xp_reader_header(struct xp_data *data, struct xp_diag *diag);

/* reader-features.c: names and groups that the features have. Returns 0 or -ENOMEM. */
int xp_reader_use_features(struct xp_data *data);
/* Adds a feature of a stream; @bytes are copied. Returns 0 or -ENOMEM. */
int xp_reader_set_feature(struct xp_data *data, uint64_t feature, const void *bytes, size_t len);

/* reader-events.c: adds an event, of an attribute of @len bytes. Returns 0 or -ENOMEM. */
int xp_reader_add_event(struct xp_data *data, const void *attr, size_t len, bool swapped);
/* Fields of its attribute, @at in the file, that this version does not know are of no use to it;
 * that they are in use is reported. */
void xp_reader_look_behind(struct xp_data *data, uint64_t offset, const uint8_t *at, size_t len);
/* The @nr ids, u64, of the event that was added last. Returns 0 or -ENOMEM. */
int xp_reader_add_ids(struct xp_data *data, const void *ids, size_t nr, bool swapped);
/* Names the events from @first on after their attributes, where the recording does not name them.
 * Returns 0 or -ENOMEM. */
int xp_reader_name_events(struct xp_data *data, int first);
/* Copies what the recording calls an event. Returns 0 or -ENOMEM. */
int xp_reader_set_name(struct xp_reader_event *event, const char *name, size_t len);
/* Replaces *text, and *pub that points to it, by a copy. Returns 0 or -ENOMEM. */
int xp_reader_set_text(char **text, const char **pub, const char *bytes, size_t len);
/* What a checked EVENT_UPDATE changes. Returns 0 or -ENOMEM. */
int xp_reader_update_event(struct xp_data *data, const struct xp_record *record);
void xp_reader_free_events(struct xp_data *data);

/* event-name.c: the name that follows from an attribute; @pmu: of its type, or NULL. */
void xp_attr_name(const struct xp_attr *attr, const char *pmu, struct xp_str *name);

/* reader-unpack.c: makes ready to decompress. Returns 0, -ENOSYS, -ENOMEM. */
int xp_reader_unpack_init(struct xp_data *data, struct xp_diag *diag);
/* The @len bytes of a COMPRESSED record come next; they stay until they are used up. Returns 0 or
 * as xp_reader_unpack_init(). */
int xp_reader_unpack_start(struct xp_data *data, const void *in, size_t len);
/* Returns the next @len decompressed bytes, *ret_len of them, less if there are no more yet. Valid
 * until the next call. */
const uint8_t *xp_reader_unpacked(struct xp_data *data, size_t len, size_t *ret_len);
/* Passes over @len of them. */
void xp_reader_unpack_skip(struct xp_data *data, size_t len);
/* Forgets everything: what follows is another stream. */
void xp_reader_unpack_reset(struct xp_data *data);
void xp_reader_unpack_fini(struct xp_data *data);

/* ordered.c: what was read in order is forgotten. */
void xp_reader_forget_order(struct xp_data *data);

/* reader-range.c: notes the offset of the record, if it is time for it. Returns 0 or -ENOMEM. */
int xp_reader_mark(struct xp_data *data);

/* reader-open.c: the next file of a directory. Returns 1, 0 (there is none), or -errno. */
int xp_reader_next_part(struct xp_data *data);

#endif
