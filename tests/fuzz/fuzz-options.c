/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as what options of `script` are given; the first byte says
 * which option. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/script/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIRST_NS = 1000, LAST_NS = 2000000000 };

/* Whoever is refused learns why, in one line of text. */
static void check_diag(int err, const struct xp_diag *diag)
{
	assert(!err || diag->what[0]);
	assert(!strpbrk(diag->what, "\n\r\t\x1b"));
}

static void try_fields(const char *text)
{
	struct xp_diag diag = { 0 };
	struct fields fields;

	fields_init(&fields);
	check_diag(fields_parse(&fields, text, &diag), &diag);
}

static void try_ranges(const char *text)
{
	struct xp_diag diag = { 0 };
	struct time_range *ranges = NULL;
	int nr = 0, err = ranges_parse(text, FIRST_NS, LAST_NS, &ranges, &nr, &diag);

	check_diag(err, &diag);
	assert(err || nr > 0);
	for (int i = 0; i < nr; i++)
		assert(ranges[i].first_ns <= ranges[i].last_ns);
	free(ranges);
}

static void try_config(const struct values *values)
{
	struct xp_diag diag = { 0 };
	struct config config;

	check_diag(config_make(values, &config, &diag), &diag);
	config_fini(&config);
}

static void try_symbols(const char *text)
{
	try_config(&(struct values){ .symbols = text, .addr_range = "16" });
}

static void try_range(const char *text)
{
	try_config(&(struct values){ .symbols = "0x10,main", .addr_range = text });
}

static void try_numbers(const char *text)
{
	try_config(&(struct values){ .pids = text, .tids = text });
}

static void try_cpus(const char *text)
{
	try_config(&(struct values){ .cpus = text });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const options[])(const char *text) = {
		try_fields, try_ranges, try_symbols, try_range, try_numbers, try_cpus,
	};
	char *text = size ? strndup((const char *)data + 1, size - 1) : NULL;

	if (text)
		options[*data % (sizeof(options) / sizeof(options[0]))](text);
	free(text);
	return 0;
}
