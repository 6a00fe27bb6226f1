/* SPDX-License-Identifier: MIT */
/*
 * Describes what is there before a recording, and nothing else: to be measured by turns.
 *
 * Usage: synth all | PID     the kernel with all processes, or with one
 * Prints the number of records and of bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

struct sum {
	unsigned long records;
	unsigned long bytes;
};

static int count(const struct xp_record *record, void *data)
{
	struct sum *sum = data;

	sum->records++;
	sum->bytes += record->size;
	return 0;
}

int main(int argc, char **argv)
{
	struct xp_synth_opts opts = { .size = sizeof(opts), .id_bytes = 24 };
	struct xp_threads *threads = NULL;
	struct sum sum = { 0 };
	struct xp_ctx *ctx;

	if (argc != 2 || xp_ctx_new(NULL, &ctx))
		return 2;
	int err = xp_synth_kernel(ctx, &opts, count, &sum);
	if (!err && !strcmp(argv[1], "all"))
		err = xp_synth_system(ctx, &opts, count, &sum);
	else if (!err && !(err = xp_threads_of_processes(ctx, argv[1], &threads, NULL)))
		err = xp_synth_threads(ctx, threads, &opts, count, &sum);
	printf("%lu records, %lu bytes\n", sum.records, sum.bytes);
	xp_threads_unref(threads);
	xp_ctx_free(ctx);
	return err ? 1 : 0;
}
