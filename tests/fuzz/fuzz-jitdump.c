/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a jit-PID.dump. What is found is in it, and is found again. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jitdump.h"
#include "table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table table = { .stops = "\n", .later_wins = true };
	uint8_t *copy = malloc(size ? size : 1); /* reading beyond it is seen */
	struct xp_function function;

	assert(copy);
	memcpy(copy, data, size);
	int err = xp_jitdump_add(&table, copy, size);
	assert(!err || (err == -ENOEXEC && !table.nr));
	assert(table.text.len <= size && table.nr <= size / 16);
	assert(!xp_function_table_seal(&table));
	for (size_t i = 0; i < table.nr; i++) {
		uint64_t start = table.at[i].start;

		if (!xp_function_table_find(&table, start, &function))
			continue;
		assert(function.start <= start && start - function.start < function.size);
		assert(strlen(function.name) < size);
	}
	xp_function_table_fini(&table);
	free(copy);
	return 0;
}
