/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as what options of `script` are given; the first byte says
 * which option. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "cli/recording/filter/sample-filter.h"
#include "cli/script/fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIRST_NS = 1000, LAST_NS = 2000000000 };

/* Whoever is refused learns why. */
static void check_diag(int err, const struct xp_diag *diag)
{
	assert(!err || diag->what[0]);
}

static void try_fields(const char *text)
{
	struct xp_diag diag = { 0 };
	struct fields fields;

	fields_init(&fields);
	check_diag(fields_parse(&fields, text, &diag), &diag);
}

static void try_times(const char *text)
{
	struct xp_diag diag = { 0 };
	struct time_spans spans = { 0 };
	int err = times_parse(text, &spans, &diag);

	check_diag(err, &diag);
	assert(err || spans.nr > 0 || !*text);
	if (!err)
		times_set_bounds(&spans, FIRST_NS, LAST_NS);
	for (int i = 0; i < spans.nr && !err; i++)
		assert(spans.at[i].from_ns <= spans.at[i].to_ns);
	times_fini(&spans);
}

static void try_filter(struct filter_opts opts)
{
	struct sample_filter filter;
	struct xp_diag diag = { 0 };

	check_diag(sample_filter_parse(&filter, &opts, &diag), &diag);
	sample_filter_fini(&filter);
}

static void try_symbols(const char *text)
{
	try_filter((struct filter_opts){
		.symbols = text, .addr_range = "16", .with_addresses = true });
}

static void try_range(const char *text)
{
	try_filter((struct filter_opts){
		.symbols = "0x10,main", .addr_range = text, .with_addresses = true });
}

static void try_numbers(const char *text)
{
	try_filter((struct filter_opts){ .pids = text, .tids = text });
}

static void try_cpus(const char *text)
{
	try_filter((struct filter_opts){ .cpus = text });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const options[])(const char *text) = {
		try_fields, try_times, try_symbols, try_range, try_numbers, try_cpus,
	};
	char *text = size ? strndup((const char *)data + 1, size - 1) : NULL;

	if (text)
		options[*data % (sizeof(options) / sizeof(options[0]))](text);
	free(text);
	return 0;
}
