/* SPDX-License-Identifier: MIT */
/*
 * The walk over the records: framed, checked, turned into this machine's byte order, decompressed.
 * Damage is passed over where it can be; a size that leads nowhere ends the file it is in.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/ring.h>

#include "plural.h"
#include "reader-impl.h"
#include "record.h"

enum { HEADER = sizeof(struct xp_record) };

/* A record as it is in the input. */
struct frame {
	struct xp_record header; /* in this machine's byte order */
	uint64_t raw_header;     /* as the input has it */
	const uint8_t *at;
	bool unpacked; /* was compressed */
	struct xp_piece payload;
};

static struct xp_record load_header(const struct xp_data *data, const uint8_t *at)
{
	return (struct xp_record){
		.type = load_u32(at, data->swapped),
		.misc = load_u16(at + 4, data->swapped),
		.size = load_u16(at + 6, data->swapped),
	};
}

static const char *name_of(uint32_t type)
{
	const char *name = xp_record_name(type);

	return name ? name : "a record";
}

/* The bytes from @at on, as far as there are records. */
static const uint8_t *bytes_at(struct xp_data *data, uint64_t at, uint64_t len, size_t *ret_len)
{
	uint64_t left = data->limit - at;

	return xp_source_at(data->source, at, len < left ? len : left, ret_len);
}

/*
 * The record whose header was read, and @more bytes behind it. Reading again may find another file:
 * returns false, and the file ends here, if there is less than the header, or another one.
 */
static bool read_frame(struct xp_data *data, struct frame *f, uint64_t more, size_t *ret_len)
{
	f->at = bytes_at(data, data->offset, f->header.size + more, ret_len);
	if (*ret_len >= HEADER && load_u64(f->at, false) == f->raw_header)
		return true;
	if (*ret_len >= HEADER)
		xp_reader_report_now(data, data->offset,
				     "%s (%u): the file changed while it was read",
				     name_of(f->header.type), f->header.type);
	data->at = data->limit;
	return false;
}

static void report_size(struct xp_data *data, const struct xp_record *header)
{
	xp_reader_report(data, data->offset,
			 "%s (%u): its size cannot be %u %s; the records after it cannot be found",
			 name_of(header->type), header->type, header->size,
			 plural(header->size, "byte", "bytes"));
	data->at = data->limit;
}

/*
 * Bytes that follow a record outside of it; of those, the last *ret_pad mean nothing. Some
 * recorders (simpleperf) put tracing data inside.
 */
static uint64_t payload_of(const struct xp_data *data, const struct frame *f, unsigned int *ret_pad)
{
	enum { SIZE_AND_PAD = HEADER + 8 };
	uint64_t len;

	*ret_pad = 0;
	if (f->header.type == XP_RECORD_AUXTRACE && f->header.size >= HEADER + sizeof(uint64_t))
		return load_u64(f->at + HEADER, data->swapped);
	if (f->header.type != XP_RECORD_HEADER_TRACING_DATA ||
	    f->header.size < HEADER + sizeof(uint32_t) || f->header.size > SIZE_AND_PAD)
		return 0;
	len = load_u32(f->at + HEADER, data->swapped);
	*ret_pad = (unsigned int)(-len % 8);
	return len + *ret_pad;
}

/* Of a file, what nobody has asked for is not read. */
static bool can_skip(const struct xp_data *data, const struct frame *f)
{
	return !data->wants_payload && data->source->file &&
	       f->header.type != XP_RECORD_HEADER_TRACING_DATA;
}

/* A record that is cut off. What is there of a compressed one can be used. */
static bool keep_cut(struct xp_data *data, struct frame *f, size_t there)
{
	if (!data->source->was_stopped)
		xp_reader_report(data, data->offset, "%s (%u): cut off after %zu of %u bytes",
				 name_of(f->header.type), f->header.type, there, f->header.size);
	data->at = data->limit;
	f->header.size = (uint16_t)there;
	return f->header.type == XP_RECORD_COMPRESSED;
}

/* Finds the payload, and brings data->at behind it. Returns false if the record is gone. */
static bool find_payload(struct xp_data *data, struct frame *f)
{
	unsigned int pad;
	uint64_t wanted = payload_of(data, f, &pad), left = data->limit - data->at;
	uint64_t len = wanted < left ? wanted : left;
	size_t there;

	if (!wanted)
		return true;
	if (wanted == len && (can_skip(data, f) || len > data->source->limit)) {
		data->at += len;
		return true;
	}
	if (!read_frame(data, f, len, &there))
		return false;
	if (there < f->header.size)
		return keep_cut(data, f, there);
	there -= f->header.size;
	if (there < wanted - pad && !data->source->was_stopped)
		xp_reader_report(data, data->offset,
				 "%s (%u): the data after it are cut off after %zu %s",
				 name_of(f->header.type), f->header.type, there,
				 plural(there, "byte", "bytes"));
	if (there > wanted - pad)
		there = (size_t)(wanted - pad);
	f->payload = (struct xp_piece){ f->at + f->header.size, there };
	data->at += len;
	return true;
}

/* Room the disk gave to the file, and nobody has written to. Of a hole that is much larger than
 * what is on the disk, the end is not looked for. Returns false if there is none. */
static bool skip_zeros(struct xp_data *data)
{
	uint64_t from = data->at;
	const uint8_t *at;
	size_t there;

	while ((at = bytes_at(data, data->at, HEADER, &there)) && there == HEADER &&
	       !load_u64(at, false) && data->at - from <= data->source->limit)
		data->at += HEADER;
	if (data->at == from)
		return false;
	data->offset = from;
	if (data->at - from > data->source->limit) {
		xp_reader_report(data, from,
				 "a hole instead of records, far larger than the file on the disk; "
				 "nothing after it is read");
		data->at = data->limit;
		return true;
	}
	xp_reader_report(data, from, "%llu %s of zeros instead of records",
			 (unsigned long long)(data->at - from),
			 plural(data->at - from, "byte", "bytes"));
	return true;
}

/* The next record that is not compressed. Returns 1, 0: nothing here, look again; -ENODATA: the end
 * of this file; -ENOMEM. */
static int next_frame(struct xp_data *data, struct frame *f)
{
	size_t there;

	if (skip_zeros(data))
		return 0;
	data->offset = data->at;
	f->at = bytes_at(data, data->at, HEADER, &there);
	if (!there)
		return -ENODATA;
	if (there < HEADER) {
		if (!data->source->was_stopped)
			xp_reader_report(data, data->at, "%zu %s left over", there,
					 plural(there, "byte is", "bytes are"));
		data->at = data->limit;
		return 0;
	}
	f->header = load_header(data, f->at);
	f->raw_header = load_u64(f->at, false);
	if (f->header.size < HEADER) {
		report_size(data, &f->header);
		return 0;
	}
	if (!read_frame(data, f, 0, &there))
		return 0;
	if (there < f->header.size)
		return keep_cut(data, f, there);
	int err = xp_reader_mark(data);
	if (err)
		return err;
	data->at += f->header.size;
	return find_payload(data, f);
}

/* The next record that was compressed. Returns 1 or 0: there is none. */
static int next_unpacked(struct xp_data *data, struct frame *f)
{
	size_t there;

	if (!data->unpacked.bytes)
		return 0;
	f->unpacked = true;
	f->at = xp_reader_unpacked(data, HEADER, &there);
	if (there < HEADER)
		return 0;
	f->header = load_header(data, f->at);
	if (f->header.size < HEADER) {
		xp_reader_report(
			data, data->offset,
			"%s (%u), compressed: its size cannot be %u bytes; no compressed record "
			"can be read from here on",
			name_of(f->header.type), f->header.type, f->header.size);
		xp_reader_unpack_reset(data);
		data->unpacked.broken = true;
		return 0;
	}
	f->at = xp_reader_unpacked(data, f->header.size, &there);
	if (there < f->header.size)
		return 0;
	xp_reader_unpack_skip(data, f->header.size);
	data->passed += f->header.size;
	return 1;
}

/* A type of another version is reported once. */
static void report_unknown(struct xp_data *data, uint32_t type)
{
	uint64_t bit = UINT64_C(1) << type % 64;

	if (!(data->unknown_types & bit))
		xp_reader_report_foreign(
			data, data->offset,
			"records of type %u are left out: this version does not know them", type);
	data->unknown_types |= bit;
}

/* Decompression goes on with it. Returns 0 or -errno. */
static int unpack(struct xp_data *data, const struct frame *f)
{
	size_t start = HEADER, end = f->header.size;

	data->nr_packed[f->header.type == XP_RECORD_COMPRESSED2]++;
	if (f->header.type == XP_RECORD_COMPRESSED2) {
		uint64_t len = end < 16 ? 0 : load_u64(f->at + HEADER, data->swapped);

		start = 16;
		if (end < start || len > end - start) {
			xp_reader_report(data, data->offset,
					 "COMPRESSED2 (%u): its data are larger than the record",
					 f->header.type);
			return 0;
		}
		end = start + (size_t)len;
	}
	if (f->unpacked) {
		xp_reader_report(data, data->offset,
				 "%s (%u): it is inside another compressed "
				 "record",
				 name_of(f->header.type), f->header.type);
		return 0;
	}
	data->is_plain = false;
	return xp_reader_unpack_start(data, f->at + start, end - start);
}

/* The record where it is, or a copy that is aligned and can be turned. NULL: out of memory. */
static struct xp_record *placed(struct xp_data *data, const struct frame *f)
{
	struct xp_record *record;

	if (!data->swapped && (uintptr_t)f->at % 8 == 0)
		return (struct xp_record *)(uintptr_t)f->at;
	if (!data->bounce)
		data->bounce = malloc(RECORD_ROOM);
	if (!data->bounce)
		return NULL;
	memcpy(data->bounce, f->at, f->header.size);
	record = (struct xp_record *)data->bounce;
	*record = f->header;
	return record;
}

static void turn(const struct xp_data *data, struct xp_record *record)
{
	const struct xp_data_event *first = xp_data_event_at(data, 0);

	if (record->type != XP_RECORD_SAMPLE) {
		xp_record_swap(record, first ? &first->attr : NULL);
		return;
	}
	xp_sample_swap_words(record);
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	if (event)
		xp_sample_swap_parts(record, &event->attr);
}

/* An event of a stream: its attribute, then its ids. */
static int learn_attr(struct xp_data *data, const struct xp_record *record)
{
	const uint8_t *at = (const uint8_t *)(record + 1);
	uint32_t len = load_u32(at + offsetof(struct xp_attr, size), false);

	if (!len)
		len = XP_ATTR_SIZE_VER0;
	if (xp_reader_add_event(data, at, len, false) ||
	    xp_reader_add_ids(data, at + len, (record->size - HEADER - len) / sizeof(uint64_t),
			      false))
		return -ENOMEM;
	xp_reader_look_behind(data, data->offset + HEADER, at, len);
	return xp_reader_name_events(data, data->nr_events - 1);
}

/* The list ends with an empty one: its number is the first that the recorder did not know, and may
 * be that of a feature which came later. Only flags are empty otherwise. */
static int learn_feature(struct xp_data *data, const struct xp_record *record)
{
	const uint8_t *at = (const uint8_t *)(record + 1);
	uint64_t feature = load_u64(at, false);
	size_t len = record->size - 16U;

	return len || feature <= XP_FEATURE_STAT ? xp_reader_set_feature(data, feature, at + 8, len)
						 : 0;
}

/* What records say of the recording itself. Returns 0 or -ENOMEM. */
static int learn(struct xp_data *data, const struct xp_record *record,
		 const struct xp_piece *payload)
{
	if (!xp_reader_is_first_time(data))
		return 0;
	switch (record->type) {
	case XP_RECORD_EVENT_UPDATE:
		return xp_reader_update_event(data, record);
	case XP_RECORD_HEADER_ATTR:
		return data->stream ? learn_attr(data, record) : 0;
	case XP_RECORD_HEADER_FEATURE:
		return learn_feature(data, record);
	case XP_RECORD_HEADER_TRACING_DATA:
		return payload->at ? xp_reader_set_feature(data, XP_FEATURE_TRACING_DATA,
							   payload->at, payload->len)
				   : 0;
	default:
		return 0;
	}
}

/* Returns 1 with a record that can be shown, 0: it is left out, or -errno. */
static int handle_record(struct xp_data *data, const struct frame *f,
			 const struct xp_record **ret_record)
{
	const struct xp_record_kind *kind = xp_record_kind(f->header.type);
	struct xp_str why = { 0 };

	if (!kind) {
		report_unknown(data, f->header.type);
		return 0;
	}
	if (f->header.type == XP_RECORD_COMPRESSED || f->header.type == XP_RECORD_COMPRESSED2)
		return unpack(data, f);
	struct xp_record *record = placed(data, f);
	if (!record)
		return -ENOMEM;
	if (data->swapped)
		turn(data, record);
	if (xp_record_check(record, kind, &why)) {
		xp_reader_report(data, data->offset, "%s (%u): %s", kind->name, record->type,
				 xp_str_text(&why));
		xp_str_fini(&why);
		return 0;
	}
	int err = learn(data, record, &f->payload);
	if (err)
		return err;
	*ret_record = record;
	return 1;
}

/* Returns 1 with a record, 0: nothing this time, -ENODATA: the end, or another -errno. */
static int step(struct xp_data *data, const struct xp_record **ret_record,
		struct xp_piece *ret_payload)
{
	struct frame f = { 0 };
	int found = next_unpacked(data, &f);

	if (!found) {
		f = (struct frame){ 0 };
		found = next_frame(data, &f);
	}
	if (found > 0)
		found = handle_record(data, &f, ret_record);
	if (found > 0 && ret_payload)
		*ret_payload = f.payload;
	return found;
}

/* The end of a file. Returns 1: another one follows, 0: none, or -errno. */
static int end_file(struct xp_data *data)
{
	size_t left = data->unpacked.end - data->unpacked.start;

	if (data->source->err)
		return data->source->err;
	if (data->source->was_stopped && data->source == &data->part) {
		data->stop_part = data->next_part;
		data->stop_at = xp_source_total(data->source);
	}
	if (data->source->shrank)
		xp_reader_report_now(data, data->at,
				     "the file was cut while it was read; the rest is missing");
	data->source->shrank = false;
	if (left && !data->unpacked.broken && !data->source->was_stopped)
		xp_reader_report(data, data->at,
				 "the end of a compressed record is missing; %zu %s left over",
				 left, plural(left, "byte of it is", "bytes of it are"));
	xp_reader_unpack_skip(data, left);
	return xp_reader_next_part(data);
}

/* Apart, so that what is called for each record saves no registers that only this needs. */
static __attribute__((noinline)) int next(struct xp_data *data, const struct xp_record **ret_record,
					  struct xp_piece *ret_payload)
{
	int found = 0;
	bool more = true;

	data->wants_payload = ret_payload != NULL;
	while (!found && more) {
		data->step++;
		found = step(data, ret_record, ret_payload);
		if (found == -ENODATA) {
			found = end_file(data);
			more = found > 0;
			found = more ? 0 : found;
		}
		if (data->step >= data->steps)
			data->steps = data->step + 1;
	}
	return found;
}

/* The next record, if it is a sample that lies in the window as it is to be given out: there is
 * nothing to check but its place. NULL: it is to be looked at closely. */
static const struct xp_record *next_sample(const struct xp_data *data)
{
	const struct xp_source *source = data->source;
	uint64_t skip = data->at - source->start, end = source->len;

	if (!data->is_plain || data->at >= data->next_mark)
		return NULL;

	if (end > data->limit - source->start)
		end = data->limit - source->start;
	if (skip >= end || end - skip < HEADER)
		return NULL;
	const struct xp_record *record = (const void *)(source->bytes + skip);
	return (uintptr_t)record % 8 == 0 && record->type == XP_RECORD_SAMPLE &&
			       record->size >= HEADER && record->size <= end - skip
		       ? record
		       : NULL;
}

int xp_data_next(struct xp_data *data, const struct xp_record **ret_record,
		 struct xp_piece *ret_payload)
{
	const struct xp_record *record = next_sample(data);

	if (!record)
		return next(data, ret_record, ret_payload);
	data->offset = data->at;
	data->at += record->size;
	if (++data->step >= data->steps)
		data->steps = data->step + 1;
	*ret_record = record;
	if (ret_payload)
		*ret_payload = (struct xp_piece){ 0 };
	return 1;
}
