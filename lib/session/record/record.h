/* SPDX-License-Identifier: MIT */
/* What is known of each type of record: the one place where their sizes and texts are checked. */
#ifndef SESSION_RECORD_H
#define SESSION_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <xperf/api.h>

struct xp_attr;
struct xp_record;
struct xp_sample_id;
struct xp_str;

/*
 * struct xp_record_kind - one type
 * @name:   as perf shows it
 * @min:    bytes it has at least, its header included, its trailer not
 * @layout: of the body, for changing the byte order: "2", "4", "8" an integer of so many bytes;
 *          "." a byte, left as it is; "_" eight of them; "*" integers of 8 bytes up to the trailer;
 *          "~" bytes up to the trailer; "(...)" again and again up to the trailer. What comes
 *          behind @min can be missing
 * @text:   offset of a text that must end within the record; 0: none
 * @count:  offset of a u64 that counts what comes next; 0: none
 * @each:   bytes of what is counted
 */
struct xp_record_kind {
	const char *name;
	const char *layout;
	uint16_t min;
	uint16_t text;
	uint16_t count;
	uint16_t each;
	/* What else must hold of it; NULL: nothing. Returns why it does not, or NULL. */
	const char *(*check)(const struct xp_record *record);
};

/* Returns NULL for a type that is not known. */
const struct xp_record_kind *xp_record_kind(uint32_t type);

/*
 * Checks sizes, counts and texts of a record in this machine's byte order; @record->size bytes of
 * it are there. Returns 0, or -EBADMSG with the reason added to @why, which may be NULL.
 */
int xp_record_check(const struct xp_record *record, const struct xp_record_kind *kind,
		    struct xp_str *why);

/* Writes LOST_SAMPLES into @buf: @lost samples of the event that @id names. Returns its bytes. */
enum { XP_LOST_RECORD_BYTES = 80 };
size_t xp_lost_samples_encode(const struct xp_attr *attr, const struct xp_sample_id *id,
			      uint64_t lost, void *buf);

#endif
