/* SPDX-License-Identifier: MIT */
/*
 * The header of a recording that is a file: where things are, the events with their ids, the places
 * of the features. Offsets are followed, no order is assumed; what lies outside of the file is left
 * out and reported.
 *
 * Source: Documentation/perf.data-file-format.txt of perf; files of perf 3.2 to 7.2.
 */
#include "reader-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "plural.h"

/* Offsets of the header's fields. */
enum {
	AT_SIZE = 8,
	AT_ATTR_SIZE = 16,
	AT_ATTRS = 24,
	AT_DATA = 40,
	AT_FEATURES = 72,
	HEADER_MIN = 72, /* before Linux 2.6.34, without features */
	HEADER_BYTES = 104,
	SECTION = 16, /* u64 offset, u64 size */
};

struct section {
	uint64_t offset, size;
};

static struct section load_section(const struct xp_data *data, const uint8_t *at)
{
	return (struct section){ load_u64(at, data->swapped), load_u64(at + 8, data->swapped) };
}

/* Bytes of the file; valid until others are asked for. */
static const uint8_t *file_at(struct xp_data *data, uint64_t offset, uint64_t len)
{
	size_t there;

	if (len > data->main.limit)
		return NULL;
	const uint8_t *at = xp_source_at(&data->main, offset, len, &there);

	return there == len ? at : NULL;
}

/* What of a section lies in the file. */
static struct section within_file(const struct xp_data *data, struct section section)
{
	uint64_t len = xp_source_total(&data->main);

	if (section.offset > len)
		section = (struct section){ len, 0 };
	if (section.size > len - section.offset)
		section.size = len - section.offset;
	return section;
}

static int out_of_memory(struct xp_diag *diag)
{
	return xp_diag_set(diag, -ENOMEM, "Out of memory");
}

/*
 * Bytes of the attribute at the start of @left: what the header says of all, where as many fit in
 * exactly, else what it says itself. 0: neither can be.
 */
static size_t attr_bytes(const struct xp_data *data, const uint8_t *at, size_t left,
			 uint64_t attr_size)
{
	uint32_t own = load_u32(at + offsetof(struct xp_attr, size), data->swapped);

	if (!own)
		own = XP_ATTR_SIZE_VER0;
	if (attr_size >= XP_ATTR_SIZE_VER0 + SECTION && left % attr_size == 0)
		return (size_t)attr_size - SECTION;
	return own >= XP_ATTR_SIZE_VER0 && own % 8 == 0 && (size_t)own + SECTION <= left ? own : 0;
}

/* Ids are never more than the file has room for, however many events point to the same. */
static int add_ids(struct xp_data *data, uint64_t offset, struct section ids)
{
	struct section there = within_file(data, ids);
	size_t nr = there.size / sizeof(uint64_t);
	size_t all = (size_t)(xp_source_total(&data->main) / sizeof(uint64_t));
	size_t room = all > data->nr_ids ? all - data->nr_ids : 0;

	if (there.size != ids.size || ids.size % sizeof(uint64_t) || nr > room)
		xp_reader_report(data, offset,
				 "the header: %llu bytes of ids at 0x%llx are not in "
				 "the file",
				 (unsigned long long)ids.size, (unsigned long long)ids.offset);
	if (nr > room)
		nr = room;
	const uint8_t *at = file_at(data, there.offset, there.size);
	return xp_reader_add_ids(data, at, at ? nr : 0, data->swapped);
}

/* Bytes of the file that stay. Sets *ret_copy, NULL: there are none. Returns 0 or -ENOMEM. */
static int copy_of(struct xp_data *data, struct section section, uint8_t **ret_copy)
{
	const uint8_t *at = file_at(data, section.offset, section.size);

	*ret_copy = NULL;
	if (!at && section.size)
		return 0;
	*ret_copy = malloc((size_t)section.size + 1);
	if (*ret_copy && at)
		memcpy(*ret_copy, at, (size_t)section.size);
	return *ret_copy ? 0 : -ENOMEM;
}

static int add_events(struct xp_data *data, struct section attrs, uint64_t attr_size)
{
	xp_auto_free uint8_t *at = NULL;
	uint64_t pos = 0;

	if (copy_of(data, attrs, &at))
		return -ENOMEM;
	while (at && pos < attrs.size) {
		uint64_t left = attrs.size - pos, offset = attrs.offset + pos;
		size_t len = left < XP_ATTR_SIZE_VER0 + SECTION
				     ? 0
				     : attr_bytes(data, at + pos, left, attr_size);

		if (!len) {
			xp_reader_report(data, offset,
					 "the header: %llu is not a possible size of the events",
					 (unsigned long long)left);
			break;
		}
		if (xp_reader_add_event(data, at + pos, len, data->swapped) ||
		    add_ids(data, offset + len, load_section(data, at + pos + len)))
			return -ENOMEM;
		xp_reader_look_behind(data, offset, at + pos, len);
		pos += len + SECTION;
	}
	return 0;
}

/*
 * The bit map is of longs: of the other byte order, a recorder of 64 bits is tried, then one of 32.
 * Every recorder sets the bit of the host name. Where neither fits only build ids are believed in.
 */
static void load_bitmap(const struct xp_data *data, const uint8_t *at, uint64_t bits[4])
{
	const uint64_t hostname = UINT64_C(1) << XP_FEATURE_HOSTNAME;
	uint64_t any = 0;

	for (int i = 0; i < 4; i++)
		any |= bits[i] = load_u64(at + 8 * i, data->swapped);
	if (!data->swapped || !any || bits[0] & hostname)
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = load_u32(at + 8 * i, true) | (uint64_t)load_u32(at + 8 * i + 4, true)
							       << 32;
	if (bits[0] & hostname)
		return;
	memset(bits, 0, 4 * sizeof(*bits));
	bits[0] = UINT64_C(1) << XP_FEATURE_BUILD_ID;
}

/* Whether every place a table of @nr names is one, behind the table. */
static bool is_feature_table(struct xp_data *data, uint64_t offset, size_t nr)
{
	const uint8_t *at = file_at(data, offset, nr * SECTION);

	for (size_t i = 0; at && i < nr; i++) {
		struct section s = load_section(data, at + i * SECTION);

		/* Some recorders write features behind the attributes, in front of the data. */
		bool is_before = s.offset + s.size <= offset;
		if ((!is_before && s.offset < offset + nr * SECTION) ||
		    within_file(data, s).size != s.size)
			return false;
	}
	return at && nr;
}

/* Features do not overlap: together they are not longer than the file. */
static int add_feature(struct xp_data *data, int feature, struct section s, uint64_t *room)
{
	struct xp_reader_feature *f = &data->features[feature];
	uint8_t *copy;

	if (s.size > *room || copy_of(data, s, &copy))
		return -ENOMEM;
	*room -= s.size;
	*f = (struct xp_reader_feature){ .at = copy, .len = (size_t)s.size, .own = copy };
	return 0;
}

static int add_features(struct xp_data *data, const uint64_t bits[4], uint64_t offset)
{
	uint64_t room = xp_source_total(&data->main);
	int err = 0;

	for (int feature = 0; feature < XP_FEATURE_MAX && !err; feature++) {
		if (!(bits[feature / 64] >> feature % 64 & 1))
			continue;
		const uint8_t *at = file_at(data, offset, SECTION);
		if (!at) {
			xp_reader_report(data, offset, "the list of features is cut off");
			break;
		}
		struct section s = load_section(data, at), there = within_file(data, s);
		if (there.size != s.size || s.size > room)
			xp_reader_report(data, offset,
					 "feature %d: 0x%llx bytes at 0x%llx are not in the "
					 "file",
					 feature, (unsigned long long)s.size,
					 (unsigned long long)s.offset);
		else if (s.size > data->main.limit)
			xp_reader_report(data, offset,
					 "feature %d: its 0x%llx bytes are more than the file uses "
					 "on the disk",
					 feature, (unsigned long long)s.size);
		else if (s.offset)
			err = add_feature(data, feature, s, &room);
		offset += SECTION;
	}
	return err;
}

/*
 * A recorder that was killed has not written how long the data are, nor the features behind them:
 * then there are records up to the end of the file. Without records, though, the list of features
 * is where the data would be.
 */
static int find_records(struct xp_data *data, struct section records, const uint64_t bits[4])
{
	struct section there = within_file(data, records);
	size_t nr = 0;

	for (int i = 0; i < 4; i++)
		nr += (size_t)__builtin_popcountll(bits[i]);
	data->data_offset = records.offset;
	data->data_size = records.size;
	data->first = there.offset;
	data->end = there.offset + there.size;
	if (!records.size && !is_feature_table(data, records.offset, nr)) {
		data->end = xp_source_total(&data->main);
		if (data->end > data->first)
			xp_reader_report(
				data, AT_DATA + 8,
				"the header: the recorder did not finish; everything it has "
				"written is read");
		return 0;
	}
	if (there.size == records.size)
		return add_features(data, bits, records.offset + records.size);
	xp_reader_report(
		data, xp_source_total(&data->main),
		"the file is cut off: %llu %s of records and everything after them are missing",
		(unsigned long long)(records.size - there.size),
		plural(records.size - there.size, "byte", "bytes"));
	return 0;
}

/* Older than 2012: its magic looks the same in both byte orders, so the size decides. */
static bool is_swapped(const uint8_t *at, bool *ret_known)
{
	static const uint64_t magic = UINT64_C(0x32454c4946524550);
	bool old = !memcmp(at, "PERFFILE", 8);

	*ret_known = old || load_u64(at, false) == magic || load_u64(at, true) == magic;
	return old ? load_u64(at + AT_SIZE, false) > UINT32_MAX : load_u64(at, true) == magic;
}

static int read_header(struct xp_data *data, const uint8_t at[HEADER_BYTES], size_t len,
		       struct xp_diag *diag)
{
	uint64_t size = load_u64(at + AT_SIZE, data->swapped);
	uint64_t bits[4] = { 0 };

	if (size < HEADER_MIN || len < HEADER_MIN || (size >= HEADER_BYTES && len < HEADER_BYTES))
		return xp_diag_set(diag, -EBADMSG,
				   "The header of '%s' is cut off or damaged: it "
				   "has %llu %s of %llu",
				   data->path, (unsigned long long)len,
				   plural(len, "byte", "bytes"), (unsigned long long)size);
	struct section attrs = load_section(data, at + AT_ATTRS);
	struct section there = within_file(data, attrs);
	if (there.size != attrs.size)
		xp_reader_report(data, AT_ATTRS,
				 "the header: the file ends inside the list of events");
	int err = add_events(data, there, load_u64(at + AT_ATTR_SIZE, data->swapped));
	if (err)
		return out_of_memory(diag);
	if (!data->nr_events)
		return xp_diag_set(diag, -EBADMSG,
				   "'%s' cannot be read: it has no description of its events",
				   data->path);
	if (size >= HEADER_BYTES)
		load_bitmap(data, at + AT_FEATURES, bits);
	return find_records(data, load_section(data, at + AT_DATA), bits) ||
			       xp_reader_use_features(data) || xp_reader_name_events(data, 0)
		       ? out_of_memory(diag)
		       : 0;
}

int xp_reader_header(struct xp_data *data, struct xp_diag *diag)
{
	enum { STREAM_HEADER = 16 };
	uint8_t header[HEADER_BYTES] = { 0 };
	bool known = false;
	size_t len;
	const uint8_t *at = xp_source_at(&data->main, 0, STREAM_HEADER, &len);

	if (data->main.err)
		return xp_diag_set(diag, data->main.err, "Cannot read '%s': %s", data->path,
				   strerror(-data->main.err));
	if (len == STREAM_HEADER)
		data->swapped = is_swapped(at, &known);
	if (!known)
		return xp_diag_set(diag, -ENOEXEC, "'%s' is %s", data->path,
				   len ? "not a perf.data file" : "empty");
	data->end = UINT64_MAX;
	data->first = STREAM_HEADER;
	if (load_u64(at + AT_SIZE, data->swapped) == STREAM_HEADER) {
		data->stream = true;
		return 0;
	}
	int err = data->main.stream ? xp_source_slurp(&data->main) : 0;
	if (err)
		return xp_diag_set(diag, err, "Cannot read '%s': %s", data->path, strerror(-err));
	at = xp_source_at(&data->main, 0, HEADER_BYTES, &len);
	if (at)
		memcpy(header, at, len);
	return read_header(data, header, len, diag);
}
