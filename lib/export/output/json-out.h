/* SPDX-License-Identifier: MIT */
/*
 * JSON of the formats, written as it comes: members have a name, elements of arrays none. Whatever
 * names hold, the result parses.
 */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include "out.h"

enum { JSON_DEPTH = 16 };

/* @has: whether something was written in each level that is open */
struct json {
	struct out *out;
	char ends[JSON_DEPTH];
	bool has[JSON_DEPTH];
	int depth;
};

/* @name: NULL in an array, and outside. */
void xp_json_object(struct json *json, const char *name);
void xp_json_array(struct json *json, const char *name);
void xp_json_end(struct json *json);
void xp_json_text(struct json *json, const char *name, const char *text);
void xp_json_uint(struct json *json, const char *name, uint64_t value);
void xp_json_int(struct json *json, const char *name, int64_t value);
/* Millionths. */
void xp_json_micro(struct json *json, const char *name, uint64_t millionths);
/* What is JSON already: "null", "true". */
void xp_json_raw(struct json *json, const char *name, const char *value);

#endif
