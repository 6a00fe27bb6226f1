/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a jit-PID.dump. What is found is in it, and is found again; code of an
 * address is that of the last function there. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/symtab.h>

#include "jitdump-code.h"
#include "jitdump.h"
#include "table.h"

enum { LOOK_UPS_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_address(const struct jitdump_code *code, uint64_t address)
{
	const struct jitdump_function *last = NULL;
	char bytes[32];

	for (size_t i = 0; i < code->nr; i++)
		if (address - code->functions[i].address < code->functions[i].len)
			last = &code->functions[i];
	size_t got = xp_jitdump_code_bytes(code, address, bytes, sizeof(bytes));
	assert(!last == !got);
	if (last)
		assert(!memcmp(bytes, code->dump.s + last->at + (address - last->address), got));
}

static void check_code(const uint8_t *data, size_t size)
{
	struct jitdump_code code = { .nr = 0 };

	assert(!xp_str_add(&code.dump, (const char *)data, size));
	int err = xp_jitdump_code_read(&code);
	assert(!err || (err == -ENOEXEC && !code.nr));
	for (size_t i = 0; i < code.nr; i++)
		assert(code.functions[i].at + code.functions[i].len <= size);
	for (size_t i = 0; i < code.nr_starts && i < LOOK_UPS_MAX; i++) {
		check_address(&code, code.starts[i]);
		check_address(&code, code.starts[i] - 1);
	}
	xp_jitdump_code_fini(&code);
}

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
	check_code(data, size);
	return 0;
}
