/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as the code of a function, in one part or, by the first byte, in two. */
#include <assert.h>
#include <elf.h>
#include <stdint.h>

#include "function-ends.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* At the end of addresses, too, where what follows a part wraps around. */
static const uint64_t addresses[] = { 0x1000, 0, UINT64_MAX - 15, 0xffffffff81000000 };
enum { NR_ADDRESSES = sizeof(addresses) / sizeof(addresses[0]), HEAD = 2, COLD_AT = 0x4000 };

static bool is_in(const struct code_part *part, uint64_t address)
{
	return address - part->address < part->len;
}

static void check(const struct function_ends *ends, const struct code_part *parts, size_t nr_parts)
{
	assert((ends->state == FUNCTION_ENDS_FOUND) == (ends->nr > 0));
	assert((ends->nr > 0) == (ends->at != NULL));
	assert(!*xp_function_ends_reason(ends->state) == (ends->state == FUNCTION_ENDS_FOUND));
	for (size_t i = 0; i < ends->nr; i++) {
		assert(is_in(&parts[0], ends->at[i]) ||
		       (nr_parts > 1 && is_in(&parts[1], ends->at[i])));
		assert(!i || ends->at[i] != ends->at[i - 1]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct xp_disasm_opts opts = { .size = sizeof(opts), .machine = EM_X86_64 };
	/* It stays open, so that not each input loads the library. */
	static struct decoder *decoder;
	struct function_ends ends;

	if (size < HEAD || (!decoder && xp_decoder_open(&opts, &decoder, NULL)))
		return 0;
	uint64_t address = addresses[data[0] % NR_ADDRESSES];
	const uint8_t *code = data + HEAD;
	size_t len = size - HEAD, first = data[1] < len ? data[1] : len;
	const struct code_part parts[] = { { code, first, address },
					   { code + first, len - first, address + COLD_AT } };
	size_t nr_parts = first < len ? 2 : 1;

	if (!xp_function_ends(decoder, parts, nr_parts, &ends))
		check(&ends, parts, nr_parts);
	xp_function_ends_fini(&ends);
	return 0;
}
