/* SPDX-License-Identifier: MIT */
/*
 * JSON that is written as it comes. Whatever a name or text holds, the result parses: see
 * json-text.h; NULL and numbers that are not finite become null, and no locale changes a number.
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
 *     json_fini(&json);
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "sink.h"

/* White space in an object or array: before its first item, its others, and its end. */
struct json_layout {
	const char *first, *next, *end;
};

extern const struct json_layout json_compact; /* none */
extern const struct json_layout json_blanks;  /* a blank after a comma */

struct json_level;

struct json {
	struct sink *out;
	const char *colon;         /* between name and value, with blanks */
	struct json_level *levels; /* that are open, the innermost last */
	size_t nr, room;
	const char *space; /* before the next item, not as the layout has it; else NULL */
	bool is_first;     /* the next item is the first of its level */
};

void json_init(struct json *json, struct sink *out, const char *colon);
void json_fini(struct json *json);
/* Ends what is open and the line, flushes the sink, and frees both. Returns 0 or the sink's error.
 */
int json_close(struct json *json);

/* Replaces the white space before the next item. */
void json_space(struct json *json, const char *space);

/*
 * Items. @name: of a member of an object; NULL in an array, and outside. Without memory, the sink
 * has the error.
 */
void json_object(struct json *json, const char *name, const struct json_layout *layout);
void json_array(struct json *json, const char *name, const struct json_layout *layout);
void json_end(struct json *json);
void json_string(struct json *json, const char *name, const char *text);
void json_uint(struct json *json, const char *name, uint64_t value);
void json_int(struct json *json, const char *name, int64_t value);
/* A text, "0x1f": to many readers, numbers are doubles. */
void json_hex(struct json *json, const char *name, uint64_t value);
void json_fixed(struct json *json, const char *name, double value, int precision);
/* As many digits as it takes to read the same number again. */
void json_number(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);
/* What is JSON already. */
void json_value(struct json *json, const char *name, const char *text, size_t len);

#endif
