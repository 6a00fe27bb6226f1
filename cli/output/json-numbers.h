/* SPDX-License-Identifier: MIT */
/* What the program writes in JSON beyond lib/inline/json.h. */
#ifndef CLI_JSON_NUMBERS_H
#define CLI_JSON_NUMBERS_H

#include "json.h"
#include "sink.h"

/* Ends what is open and the line, flushes the sink, and frees it. Returns 0 or the sink's error. */
int json_close(struct json *json);

/* A text, "0x1f": to many readers, numbers are doubles. */
void json_hex(struct json *json, const char *name, uint64_t value);
void json_fixed(struct json *json, const char *name, double value, int precision);
/* As many digits as it takes to read the same number again. */
void json_number(struct json *json, const char *name, double value);

#endif
