/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a recording, in memory as a file and, if it is a stream, as one. */
#include <dlfcn.h>

#include "recording-check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns true if it is a stream. */
static bool read_as(const uint8_t *bytes, size_t len, bool stream)
{
	struct machine machine;
	struct xp_ctx *ctx = machine_ctx(&machine, bytes, len, stream);
	struct xp_data *data = NULL;
	bool is_stream = false;

	if (!machine_data(ctx, &data)) {
		uint64_t nr = check_records(data);

		check_events(data);
		if (!stream) {
			uint64_t damages = xp_data_nr_damages(data);

			assert(!xp_data_rewind(data) && check_records(data) == nr);
			assert(damages == xp_data_nr_damages(data));
		}
		is_stream = xp_data_is_stream(data);
	}
	xp_data_close(data);
	xp_ctx_free(ctx);
	return is_stream;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *zstd;

	/* Loaded once, not for every recording that is opened. */
	if (!zstd)
		zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	if (read_as(data, size, false))
		read_as(data, size, true);
	return 0;
}
