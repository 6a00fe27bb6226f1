/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as Go's table of functions; the first says which byte order. Names are in
 * it, and so are the files of lines; depths of the stack follow each other. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "go-table.h"

enum { FUNCTIONS_MAX = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct go_table *table, uint64_t address)
{
	const char *file;
	uint32_t line, start;

	if (!xp_go_table_line(table, address, &file, &line, &start))
		return;
	assert((const unsigned char *)file >= table->bytes);
	assert((const unsigned char *)file + strlen(file) < table->bytes + table->len);
}

/* @data: the function; where the part before ended */
static bool check_depth(void *data, uint64_t start, uint64_t end, int32_t depth)
{
	struct go_function *rest = data;

	(void)depth;
	assert(start == rest->start && start < end && end <= rest->end);
	rest->start = end;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_table table;
	struct go_function function, around;

	if (!size)
		return 0;
	int err = xp_go_table_parse(data + 1, size - 1, data[0] & 1, &table);
	assert(!err || err == -ENOEXEC);
	for (size_t i = 0; !err && i < table.nr && i < FUNCTIONS_MAX; i++) {
		if (!xp_go_table_function(&table, i, &function))
			continue;
		assert(function.start < function.end);
		assert(function.name < table.len && table.bytes[function.name]);
		check_line(&table, function.start);
		check_line(&table, function.end - 1);
		if (!xp_go_table_find(&table, function.start, &around))
			continue;
		assert(around.start <= function.start && function.start < around.end);
		xp_go_table_depths(&table, function.start, check_depth, &around);
	}
	return 0;
}
