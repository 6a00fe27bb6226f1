/* SPDX-License-Identifier: MIT */
/* JSON that is written as it comes: see json.h. */
#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"
#include "vec.h"

enum {
	SPACE_MAX = 32, /* comma, white space, quotes and colon of an item */
	SHORTEST_LEN = 32,
};

struct json_level {
	const struct json_layout *layout;
	char close;
};

const struct json_layout json_compact = { "", "", "" };
const struct json_layout json_blanks = { "", " ", "" };

void json_init(struct json *json, struct sink *out, const char *colon)
{
	*json = (struct json){ .out = out, .colon = colon };
}

void json_fini(struct json *json)
{
	free(json->levels);
	json->levels = NULL;
}

void json_space(struct json *json, const char *space)
{
	json->space = space;
}

static void put_text(struct sink *out, const char *text)
{
	for (;;) {
		const char *plain = text;

		while (json_text_is_plain(*text))
			text++;
		sink_bytes(out, plain, (size_t)(text - plain));
		if (!*text || !sink_room(out, JSON_TEXT_MAX))
			return;
		out->len += json_text_next(&text, out->buf + out->len);
	}
}

static char *copy(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

/* The comma and white space before an item. Returns the end. */
static char *put_space(struct json *json, char *to)
{
	const struct json_layout *layout = json->levels[json->nr - 1].layout;
	const char *space = json->space      ? json->space
			    : json->is_first ? layout->first
					     : layout->next;

	if (!json->is_first)
		*to++ = ',';
	json->is_first = false;
	json->space = NULL;
	return copy(to, space);
}

/* What is before a value: comma, white space, name and colon. */
static void begin(struct json *json, const char *name)
{
	struct sink *out = json->out;
	char *to = sink_reserve(out, SPACE_MAX);

	if (!to || !json->nr)
		return;
	to = put_space(json, to);
	if (!name) {
		sink_commit(out, to);
		return;
	}
	*to++ = '"';
	sink_commit(out, to);
	put_text(out, name);
	to = sink_reserve(out, SPACE_MAX);
	if (!to)
		return;
	*to++ = '"';
	sink_commit(out, copy(to, json->colon));
}

static void open_level(struct json *json, const char *name, const struct json_layout *layout,
		       char open, char close)
{
	begin(json, name);
	sink_char(json->out, open);
	if (vec_reserve(&json->levels, json->nr, &json->room, sizeof(*json->levels))) {
		json->out->err = -ENOMEM;
		return;
	}
	json->levels[json->nr++] = (struct json_level){ layout, close };
	json->is_first = true;
}

void json_object(struct json *json, const char *name, const struct json_layout *layout)
{
	open_level(json, name, layout, '{', '}');
}

void json_array(struct json *json, const char *name, const struct json_layout *layout)
{
	open_level(json, name, layout, '[', ']');
}

void json_end(struct json *json)
{
	char *to = json->nr ? sink_reserve(json->out, SPACE_MAX) : NULL;

	/* Without memory, fewer are open than were asked for. */
	if (!json->nr)
		return;
	const struct json_level *level = &json->levels[--json->nr];
	if (to) {
		to = copy(to, level->layout->end);
		*to++ = level->close;
		sink_commit(json->out, to);
	}
	json->is_first = false;
}

void json_string(struct json *json, const char *name, const char *text)
{
	begin(json, name);
	if (!text) {
		sink_text(json->out, "null");
		return;
	}
	sink_char(json->out, '"');
	put_text(json->out, text);
	sink_char(json->out, '"');
}

void json_uint(struct json *json, const char *name, uint64_t value)
{
	begin(json, name);
	sink_dec(json->out, value, 0, ' ');
}

void json_int(struct json *json, const char *name, int64_t value)
{
	begin(json, name);
	if (value < 0)
		sink_char(json->out, '-');
	sink_dec(json->out, value < 0 ? -(uint64_t)value : (uint64_t)value, 0, ' ');
}

void json_hex(struct json *json, const char *name, uint64_t value)
{
	char *to;

	begin(json, name);
	to = sink_reserve(json->out, NUMBER_MAX);
	if (!to)
		return;
	to = put_hex(copy(to, "\"0x"), value, 0, ' ');
	*to++ = '"';
	sink_commit(json->out, to);
}

void json_fixed(struct json *json, const char *name, double value, int precision)
{
	if (!isfinite(value)) {
		json_null(json, name);
		return;
	}
	begin(json, name);
	sink_fixed(json->out, value, precision);
}

void json_number(struct json *json, const char *name, double value)
{
	char text[SHORTEST_LEN];

	if (!isfinite(value)) {
		json_null(json, name);
		return;
	}
	/* Whole numbers have no exponent as long as doubles have them all. */
	int nr = snprintf(text, sizeof(text), "%.0f", fabs(value) < 1e15 ? value : 0);
	if (strtod(text, NULL) == value) {
		json_value(json, name, text, (size_t)nr);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	json_value(json, name, text, strlen(text));
}

void json_bool(struct json *json, const char *name, bool value)
{
	json_value(json, name, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json *json, const char *name)
{
	json_value(json, name, "null", 4);
}

void json_value(struct json *json, const char *name, const char *text, size_t len)
{
	begin(json, name);
	sink_bytes(json->out, text, len);
}

int json_close(struct json *json)
{
	struct sink *out = json->out;

	while (json->nr)
		json_end(json);
	sink_char(out, '\n');
	int err = sink_flush(out);
	json_fini(json);
	sink_fini(out);
	return err;
}
