/* SPDX-License-Identifier: MIT */
/* Numbers of the program in JSON, and its end: see json-numbers.h. */
#include "json-numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST_LEN = 32 };

void json_hex(struct json *json, const char *name, uint64_t value)
{
	char text[NUMBER_MAX] = "\"0x";
	char *end = put_hex(text + 3, value, 0, ' ');

	*end++ = '"';
	json_value(json, name, text, (size_t)(end - text));
}

void json_fixed(struct json *json, const char *name, double value, int precision)
{
	if (!isfinite(value)) {
		json_null(json, name);
		return;
	}
	json_begin(json, name);
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

int json_close(struct json *json)
{
	struct sink *out = json->out;

	while (json->nr)
		json_end(json);
	sink_char(out, '\n');
	int err = sink_flush(out);
	sink_fini(out);
	return err;
}
