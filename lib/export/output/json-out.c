/* SPDX-License-Identifier: MIT */
/* JSON for other programs: without white space. Source of the syntax: RFC 8259. */
#include "json-out.h"

#include <assert.h>

static void begin(struct json *json, const char *name)
{
	if (json->depth) {
		if (json->has[json->depth - 1])
			xp_out_char(json->out, ',');
		json->has[json->depth - 1] = true;
	}
	if (!name)
		return;
	xp_out_json(json->out, name);
	xp_out_char(json->out, ':');
}

static void open_level(struct json *json, const char *name, const char ends[2])
{
	assert(json->depth < JSON_DEPTH);
	begin(json, name);
	xp_out_char(json->out, ends[0]);
	json->ends[json->depth] = ends[1];
	json->has[json->depth++] = false;
}

void xp_json_object(struct json *json, const char *name)
{
	open_level(json, name, (const char[]){ '{', '}' });
}

void xp_json_array(struct json *json, const char *name)
{
	open_level(json, name, (const char[]){ '[', ']' });
}

void xp_json_end(struct json *json)
{
	xp_out_char(json->out, json->ends[--json->depth]);
}

void xp_json_text(struct json *json, const char *name, const char *text)
{
	begin(json, name);
	xp_out_json(json->out, text);
}

void xp_json_uint(struct json *json, const char *name, uint64_t value)
{
	begin(json, name);
	xp_out_dec(json->out, value);
}

void xp_json_int(struct json *json, const char *name, int64_t value)
{
	begin(json, name);
	xp_out_int(json->out, value);
}

void xp_json_micro(struct json *json, const char *name, uint64_t millionths)
{
	char digits[7] = { '.' };
	uint64_t rest = millionths % 1000000;

	begin(json, name);
	xp_out_dec(json->out, millionths / 1000000);
	if (!rest)
		return;
	for (int i = 6; i > 0; i--, rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	xp_out_bytes(json->out, digits, sizeof(digits));
}

void xp_json_raw(struct json *json, const char *name, const char *value)
{
	begin(json, name);
	xp_out_text(json->out, value);
}
