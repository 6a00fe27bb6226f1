/* SPDX-License-Identifier: MIT */
/*
 * A reader of perf.data files by perf's rules, independent of the library's: header, attributes,
 * records to the last byte, table of features behind them. Included behind <cmocka.h>.
 */
#ifndef TESTS_DATA_CHECK_H
#define TESTS_DATA_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CHECK_EVENTS = 8, CHECK_FEATURES = 64, CHECK_NAME = 40 };

struct data_section {
	uint64_t offset, size;
};

/* What is in a file. */
struct data_check {
	char why[120]; /* "": it is sound */
	struct data_section attrs, data;
	uint64_t attr_step;
	int nr_events;
	uint64_t first_id[CHECK_EVENTS];
	char names[CHECK_EVENTS][CHECK_NAME]; /* by EVENT_DESC, or else by EVENT_UPDATE */
	int nr_records;
	uint64_t described; /* bytes of records before the first that is no EVENT_UPDATE */
	uint64_t given;     /* bytes after those, but for a last LOST_SAMPLES */
	uint64_t lost;      /* what that says */
	bool has_table;
	struct data_section features[CHECK_FEATURES]; /* by number; offset 0: not there */
};

static inline uint64_t check_u64(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint32_t check_u32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static inline bool check_fails(struct data_check *c, const char *why)
{
	snprintf(c->why, sizeof(c->why), "%s", why);
	return false;
}

static inline bool is_inside(struct data_section s, size_t len)
{
	return s.offset <= len && s.size <= len - s.offset;
}

static inline struct data_section check_section(const unsigned char *at)
{
	return (struct data_section){ check_u64(at), check_u64(at + 8) };
}

/* Attributes are walked by their own sizes. */
static inline bool check_attrs(struct data_check *c, const unsigned char *file, size_t len)
{
	uint64_t at = c->attrs.offset, end = at + c->attrs.size;

	while (at < end) {
		uint32_t size = check_u32(file + at + 4);
		struct data_section ids = check_section(file + at + size);

		if (size < 64 || size + 16 != c->attr_step)
			return check_fails(c, "an attribute's size is not the header's");
		if (!is_inside(ids, len) || ids.size % 8)
			return check_fails(c, "ids are outside of the file");
		if (c->nr_events < CHECK_EVENTS && ids.size)
			c->first_id[c->nr_events] = check_u64(file + ids.offset);
		c->nr_events++;
		at += size + 16;
	}
	return at == end ? true : check_fails(c, "attributes end in the middle of one");
}

static inline void check_update(struct data_check *c, const unsigned char *record)
{
	for (int i = 0; i < c->nr_events && i < CHECK_EVENTS; i++)
		if (check_u64(record + 8) == 2 && check_u64(record + 16) == c->first_id[i])
			snprintf(c->names[i], CHECK_NAME, "%s", (const char *)record + 24);
}

static inline bool check_records(struct data_check *c, const unsigned char *file)
{
	uint64_t at = 0;

	while (at < c->data.size) {
		const unsigned char *record = file + c->data.offset + at;
		uint32_t type = check_u32(record), size = check_u32(record + 4) >> 16;

		if (at % 8)
			return check_fails(c, "a record is not aligned");
		if (c->data.size - at < 8 || size < 8 || size > c->data.size - at)
			return check_fails(c, "a record is cut");
		if (type > 82)
			return check_fails(c, "a record perf 6.1 does not know");
		if (type == 78)
			check_update(c, record);
		else if (!c->described)
			c->described = at;
		c->lost = type == 13 ? check_u64(record + 8) : 0;
		c->given = at - c->described + (type == 13 ? 0 : size);
		if (type == 71)
			at += check_u64(record + 8);
		at += size;
		c->nr_records++;
	}
	c->given = c->described ? c->given : 0;
	c->described = c->described ? c->described : at;
	return at == c->data.size ? true : check_fails(c, "bytes outside of a record are cut");
}

static inline bool check_event_desc(struct data_check *c, const unsigned char *file)
{
	struct data_section s = c->features[12];
	uint64_t at = s.offset + 8;
	uint32_t nr = check_u32(file + s.offset), attr_size = check_u32(file + s.offset + 4);

	if (nr != (uint32_t)c->nr_events)
		return check_fails(c, "EVENT_DESC has another number of events");
	for (uint32_t i = 0; i < nr && i < CHECK_EVENTS; i++) {
		uint32_t nr_ids = check_u32(file + at + attr_size);
		uint32_t text_len = check_u32(file + at + attr_size + 4);

		snprintf(c->names[i], CHECK_NAME, "%s", (const char *)file + at + attr_size + 8);
		at += attr_size + 8 + text_len + 8 * (uint64_t)nr_ids;
	}
	return at == s.offset + s.size ? true : check_fails(c, "EVENT_DESC has another size");
}

static inline bool check_table(struct data_check *c, const unsigned char *file, size_t len)
{
	uint64_t at = c->data.offset + c->data.size, bits = check_u64(file + 72);

	c->has_table = bits;
	for (int i = 0; i < CHECK_FEATURES; i++) {
		if (!(bits >> i & 1))
			continue;
		if (len < 16 || at > len - 16)
			return check_fails(c, "the table of features is cut");
		c->features[i] = check_section(file + at);
		if (!is_inside(c->features[i], len))
			return check_fails(c, "a feature is outside of the file");
		at += 16;
	}
	return !c->features[12].offset || check_event_desc(c, file);
}

/* Reads a file of @len bytes. Returns whether it is sound; @c->why says why not. */
static inline bool data_check(const unsigned char *file, size_t len, struct data_check *c)
{
	memset(c, 0, sizeof(*c));
	if (len < 104 || memcmp(file, "PERFILE2", 8) || check_u64(file + 8) != 104)
		return check_fails(c, "no header");
	c->attr_step = check_u64(file + 16);
	c->attrs = check_section(file + 24);
	c->data = check_section(file + 40);
	if (!is_inside(c->attrs, len) || !is_inside(c->data, len))
		return check_fails(c, "a section is outside of the file");
	if (!c->data.size)
		return check_fails(c, "the recorder has died before the first record");
	return check_attrs(c, file, len) && check_records(c, file) && check_table(c, file, len);
}

#endif
