/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the records of a stream that is read from a pipe, of either byte order:
 * the first bit says which.
 */
#include <dlfcn.h>

#include "recording-check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t heads[2][16] = { "PERFILE2\x10", "2ELIFREP\0\0\0\0\0\0\0\x10" };
	static void *zstd;
	struct machine machine;
	struct xp_data *stream;

	if (!size)
		return 0;
	/* Loaded once, not for every recording that is opened. */
	if (!zstd)
		zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	uint8_t *bytes = malloc(sizeof(heads[0]) + size);
	assert(bytes);
	memcpy(bytes, heads[data[0] & 1], sizeof(heads[0]));
	memcpy(bytes + sizeof(heads[0]), data + 1, size - 1);
	struct xp_ctx *ctx = machine_ctx(&machine, bytes, sizeof(heads[0]) + size - 1, true);
	assert(!machine_data(ctx, &stream));
	check_records(stream);
	check_events(stream);
	xp_data_close(stream);
	xp_ctx_free(ctx);
	free(bytes);
	return 0;
}
