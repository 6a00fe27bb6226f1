/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the content of every file synthesis reads, as notes, and as an ELF
 * file. The records that come of it are well formed.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

#include "build-id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ID_BYTES = 16, MAX_OPEN = 4, FIRST_FD = 1000 };

static struct {
	const uint8_t *data;
	size_t size;
	size_t offsets[MAX_OPEN];
	bool is_open[MAX_OPEN];
} files;

static int fake_open(const struct xp_sys *sys, const char *path)
{
	(void)sys, (void)path;
	for (int i = 0; i < MAX_OPEN; i++)
		if (!files.is_open[i]) {
			files.is_open[i] = true;
			files.offsets[i] = 0;
			return FIRST_FD + i;
		}
	abort(); /* descriptors leak */
}

/* Pieces of odd lengths, as the kernel gives them. */
static ssize_t fake_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	size_t *offset = &files.offsets[fd - FIRST_FD];
	size_t left = files.size - *offset;

	(void)sys;
	assert(files.is_open[fd - FIRST_FD]);
	if (len > left)
		len = left;
	if (len > 4000)
		len = 4000;
	memcpy(buf, files.data + *offset, len);
	*offset += len;
	return (ssize_t)len;
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	(void)sys;
	assert(files.is_open[fd - FIRST_FD]);
	files.is_open[fd - FIRST_FD] = false;
	return 0;
}

static int fake_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	(void)sys, (void)fd, (void)request, (void)arg;
	return -ENOTTY;
}

static int fake_list(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	(void)sys, (void)path;
	int err = fn("12", data);

	return err ? err : fn("34", data);
}

/* Where a record's name is. */
static size_t name_offset(const struct xp_record *record)
{
	switch (record->type) {
	case XP_RECORD_MMAP:
		return sizeof(struct xp_record_mmap);
	case XP_RECORD_MMAP2:
		return sizeof(struct xp_record_mmap2);
	case XP_RECORD_COMM:
		return sizeof(struct xp_record_comm);
	default:
		return 0;
	}
}

static int check(const struct xp_record *record, void *data)
{
	size_t name = name_offset(record);

	(void)data;
	assert(record->size % 8 == 0 && record->size >= 8 + ID_BYTES);
	if (name)
		assert(memchr((const char *)record + name, 0, record->size - name - ID_BYTES));
	for (size_t i = 1; i <= ID_BYTES; i++)
		assert(!((const char *)record)[record->size - i]);
	return 0;
}

static void synthesize(const struct xp_sys *sys, const struct xp_synth_opts *opts)
{
	struct xp_ctx_opts ctx_opts = { .size = sizeof(ctx_opts), .sys = sys };
	struct xp_threads *threads;
	struct xp_ctx *ctx;

	if (xp_ctx_new(&ctx_opts, &ctx) || xp_threads_one(ctx, 34, &threads))
		abort();
	assert(!xp_synth_kernel(ctx, opts, check, NULL));
	assert(!xp_synth_threads(ctx, threads, opts, check, NULL));
	assert(!xp_synth_system(ctx, opts, check, NULL));
	xp_threads_unref(threads);
	xp_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_sys sys = *xp_sys_linux();
	struct xp_synth_opts opts = { .size = sizeof(opts),
				      .id_bytes = ID_BYTES,
				      .data_maps = size & 1,
				      .build_ids = size & 2 };
	static const struct xp_notes wide = { .is_swapped = true, .align = 8 };
	uint8_t *copy = malloc(size ? size : 1); /* reading beyond it is seen */
	struct xp_build_id id;

	memcpy(copy, data, size);
	files.data = copy;
	files.size = size;
	sys.open = fake_open;
	sys.read = fake_read;
	sys.close = fake_close;
	sys.ioctl = fake_ioctl;
	sys.list_dir = fake_list;
	synthesize(&sys, &opts);
	if (xp_build_id_of_notes(copy, size, &xp_notes_native, &id) ||
	    xp_build_id_of_notes(copy, size, &wide, &id) || !xp_build_id_of_image(copy, size, &id))
		assert(id.len >= 1 && id.len <= sizeof(id.bytes));
	free(copy);
	return 0;
}
