/* SPDX-License-Identifier: MIT */
/*
 * JSON that is written as it comes, by the program and by formats of exports. Whatever a name or
 * text holds, the result parses: see json-text.h; NULL and numbers that are not finite become null,
 * and no locale changes a number. Source of the syntax: RFC 8259.
 *
 *     struct json json;
 *
 *     json_init(&json, &sink, ": ");
 *     json_object(&json, NULL, &json_blanks);
 *     json_uint(&json, "nr", 2);
 *     json_array(&json, "names", &json_blanks);
 *     json_string(&json, NULL, "a");
 *     json_end(&json);
 *     json_end(&json);
 */
#ifndef INLINE_JSON_H
#define INLINE_JSON_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "digits.h"
#include "json-text.h"
#include "sink-room.h"
#include "vec.h"

/* There are hundreds of calls: in line, they would be a tenth of the program. */
#define JSON_FUNCTION static __attribute__((noinline, unused))

enum {
	JSON_DEPTH = 16,     /* levels without memory of their own: more than most documents have */
	JSON_SPACE_MAX = 32, /* comma, white space, quotes and colon of an item */
};

/* White space in an object or array: before its first item, its others, and its end. */
struct json_layout {
	const char *first, *next, *end;
};

static const struct json_layout json_compact = { "", "", "" }; /* none */
static const struct json_layout json_blanks = { "", " ", "" }; /* a blank after a comma */

struct json_level {
	const struct json_layout *layout;
	char close;
};

struct json {
	struct sink *out;
	const char *colon;                   /* between name and value, with blanks */
	struct json_level at;                /* the innermost that is open */
	struct json_level outer[JSON_DEPTH]; /* what it is in, the outermost first */
	struct json_level *more;             /* those that @outer has no room for */
	size_t nr, room;                     /* levels that are open; room of @more */
	const char *space; /* before the next item, not as the layout has it; else NULL */
	bool is_first;     /* the next item is the first of its level */
};

/* @colon: between name and value, with blanks. There is no memory to free once everything that was
 * opened has ended. */
static inline void json_init(struct json *json, struct sink *out, const char *colon)
{
	json->out = out;
	json->colon = colon;
	json->at = (struct json_level){ 0 };
	json->more = NULL;
	json->nr = json->room = 0;
	json->space = NULL;
	json->is_first = false;
}

/* Replaces the white space before the next item. */
static inline void json_space(struct json *json, const char *space)
{
	json->space = space;
}

/* A run of plain characters, in pieces that every sink has room for. */
static inline void json_put_plain(struct sink *out, const char *text, size_t len)
{
	for (; len > SINK_PIECE; text += SINK_PIECE, len -= SINK_PIECE)
		sink_bytes(out, text, SINK_PIECE);
	sink_bytes(out, text, len);
}

JSON_FUNCTION void json_put_text(struct sink *out, const char *text)
{
	for (;;) {
		const char *plain = text;

		while (json_text_is_plain(*text))
			text++;
		json_put_plain(out, plain, (size_t)(text - plain));
		if (!*text || !sink_room(out, JSON_TEXT_MAX))
			return;
		out->len += json_text_next(&text, out->buf + out->len);
	}
}

static inline char *json_copy(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* The comma and white space before an item. Returns the end. */
static inline char *json_put_space(struct json *json, char *to)
{
	const struct json_layout *layout = json->at.layout;
	const char *space = json->space      ? json->space
			    : json->is_first ? layout->first
					     : layout->next;

	if (!json->is_first)
		*to++ = ',';
	json->is_first = false;
	json->space = NULL;
	return json_copy(to, space);
}

/* What is before a value: comma, white space, name and colon. */
JSON_FUNCTION void json_begin(struct json *json, const char *name)
{
	struct sink *out = json->out;
	char *to = sink_reserve(out, JSON_SPACE_MAX);

	if (!to || !json->nr)
		return;
	to = json_put_space(json, to);
	if (!name) {
		sink_commit(out, to);
		return;
	}
	*to++ = '"';
	sink_commit(out, to);
	json_put_text(out, name);
	to = sink_reserve(out, JSON_SPACE_MAX);
	if (!to)
		return;
	*to++ = '"';
	sink_commit(out, json_copy(to, json->colon));
}

static inline struct json_level *json_outer(struct json *json, size_t idx)
{
	return idx < JSON_DEPTH ? &json->outer[idx] : &json->more[idx - JSON_DEPTH];
}

/* For one more level. Returns 0 or -ENOMEM. */
static inline int json_reserve(struct json *json)
{
	if (json->nr < JSON_DEPTH)
		return 0;
	return vec_reserve(&json->more, json->nr - JSON_DEPTH, &json->room, sizeof(*json->more));
}

JSON_FUNCTION void json_open(struct json *json, const char *name, const struct json_layout *layout,
			     char open, char close)
{
	json_begin(json, name);
	sink_char(json->out, open);
	if (json_reserve(json)) {
		json->out->err = -ENOMEM;
		return;
	}
	*json_outer(json, json->nr++) = json->at;
	json->at = (struct json_level){ layout, close };
	json->is_first = true;
}

/* Items. @name: of a member of an object; NULL in an array, and outside. Without memory, the sink
 * has the error. */
static inline void json_object(struct json *json, const char *name,
			       const struct json_layout *layout)
{
	json_open(json, name, layout, '{', '}');
}

static inline void json_array(struct json *json, const char *name, const struct json_layout *layout)
{
	json_open(json, name, layout, '[', ']');
}

JSON_FUNCTION void json_end(struct json *json)
{
	char *to = json->nr ? sink_reserve(json->out, JSON_SPACE_MAX) : NULL;

	/* Without memory, fewer are open than were asked for. */
	if (!json->nr)
		return;
	if (to) {
		to = json_copy(to, json->at.layout->end);
		*to++ = json->at.close;
		sink_commit(json->out, to);
	}
	json->at = *json_outer(json, --json->nr);
	json->is_first = false;
	if (!json->nr && json->room) {
		free(json->more);
		json->more = NULL;
		json->room = 0;
	}
}

/* What is JSON already. */
JSON_FUNCTION void json_value(struct json *json, const char *name, const char *text, size_t len)
{
	json_begin(json, name);
	sink_bytes(json->out, text, len);
}

static inline void json_null(struct json *json, const char *name)
{
	json_value(json, name, "null", 4);
}

static inline void json_bool(struct json *json, const char *name, bool value)
{
	json_value(json, name, value ? "true" : "false", value ? 4 : 5);
}

JSON_FUNCTION void json_string(struct json *json, const char *name, const char *text)
{
	if (!text) {
		json_null(json, name);
		return;
	}
	json_begin(json, name);
	sink_char(json->out, '"');
	json_put_text(json->out, text);
	sink_char(json->out, '"');
}

JSON_FUNCTION void json_uint(struct json *json, const char *name, uint64_t value)
{
	char digits[DIGITS_MAX], *end = digits + DIGITS_MAX;
	const char *first = digits_before(end, value);

	json_value(json, name, first, (size_t)(end - first));
}

JSON_FUNCTION void json_int(struct json *json, const char *name, int64_t value)
{
	char digits[1 + DIGITS_MAX], *end = digits + sizeof(digits);
	char *first = digits_before(end, value < 0 ? -(uint64_t)value : (uint64_t)value);

	if (value < 0)
		*--first = '-';
	json_value(json, name, first, (size_t)(end - first));
}

/* Millionths: whole numbers have no digits after a point, others six. */
JSON_FUNCTION void json_micro(struct json *json, const char *name, uint64_t millionths)
{
	char digits[DIGITS_MAX + 7], *end = digits + sizeof(digits), *first = end;
	uint64_t rest = millionths % 1000000;

	if (rest) {
		first = digits_before(end, rest);
		while (end - first < 6)
			*--first = '0';
		*--first = '.';
	}
	first = digits_before(first, millionths / 1000000);
	json_value(json, name, first, (size_t)(end - first));
}

/* A count or an amount, to a millionth: what is negative or not finite becomes null. */
static inline void json_amount(struct json *json, const char *name, double value)
{
	if (value >= 0 && value < 1e12)
		json_micro(json, name, (uint64_t)(value * 1e6 + 0.5));
	else if (value >= 0 && value < 1e19)
		json_uint(json, name, (uint64_t)value);
	else
		json_null(json, name);
}

#endif
