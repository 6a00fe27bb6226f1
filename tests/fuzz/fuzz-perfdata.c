/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a recording, in memory as a file and, if it is a stream, as one.
 *
 * The bytes come through the kernel table: mapped to a heap block that ends where they end, or read
 * in small pieces. So a sanitizer sees every step beyond them.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xperf/xperf.h>

#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct machine {
	struct xp_sys sys; /* first: what entries get is also the machine */
	const uint8_t *bytes;
	size_t len, pos;
	bool stream;
};

static struct machine *machine_of(const struct xp_sys *sys)
{
	return (struct machine *)(uintptr_t)sys;
}

static int fuzz_open(const struct xp_sys *sys, const char *path)
{
	(void)sys, (void)path;
	return 1000;
}

static int fuzz_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	(void)path;
	memset(ret_stat, 0, sizeof(*ret_stat));
	ret_stat->st_mode = machine_of(sys)->stream ? S_IFIFO : S_IFREG;
	ret_stat->st_size = (off_t)machine_of(sys)->len;
	return 0;
}

static int fuzz_close(const struct xp_sys *sys, int fd)
{
	(void)sys, (void)fd;
	return 0;
}

static ssize_t fuzz_pread(const struct xp_sys *sys, int fd, void *buf, size_t len, uint64_t offset)
{
	const struct machine *m = machine_of(sys);
	size_t left = offset < m->len ? m->len - (size_t)offset : 0;
	size_t n = len < left ? len : left;

	(void)fd;
	/* Not always all at once. */
	n = n > 4096 ? n - n % 1000 : n;
	memcpy(buf, m->bytes + offset % (m->len + 1), n);
	return (ssize_t)n;
}

static ssize_t fuzz_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	struct machine *m = machine_of(sys);
	size_t n = 1 + m->pos % 977;

	(void)fd;
	n = n < len ? n : len;
	n = n < m->len - m->pos ? n : m->len - m->pos;
	memcpy(buf, m->bytes + m->pos, n);
	m->pos += n;
	return (ssize_t)n;
}

static unsigned int touch(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	unsigned int sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += at[i];
	return sum;
}

/* Everything a decoded sample points to is in the record. */
static void check_sample(const struct xp_record *record, const struct xp_attr *attr)
{
	static uint64_t again[8192];
	const uint8_t *end = (const uint8_t *)record + record->size;
	struct xp_sample s;

	if (xp_sample_decode(record, attr, &s))
		return;
	assert(!s.read || (const uint8_t *)(s.read + s.nr_read_words) <= end);
	assert(!s.callchain || (const uint8_t *)(s.callchain + s.nr_callchain) <= end);
	assert(!s.raw || (const uint8_t *)s.raw + s.raw_len <= end);
	assert(!s.branches || (const uint8_t *)(s.branches + s.nr_branches) <= end);
	assert(!s.stack || (const uint8_t *)s.stack + s.stack_len <= end);
	assert(s.stack_valid <= s.stack_len);
	assert(!s.aux || (const uint8_t *)s.aux + s.aux_len <= end);
	assert(!s.user_regs.abi || (const uint8_t *)(s.user_regs.values + s.user_regs.nr) <= end);
	int len = xp_sample_encode(&s, attr, again, sizeof(again));
	assert(len > 0 && (size_t)len <= sizeof(again));
}

static void check_record(const struct xp_data *data, const struct xp_record *record,
			 const struct xp_piece *payload)
{
	const struct xp_record_kind *kind = xp_record_kind(record->type);
	int idx = xp_data_event_of(data, record);
	const struct xp_data_event *event = xp_data_event(data, idx < 0 ? 0 : idx);
	struct xp_sample_id id;

	assert((uintptr_t)record % 8 == 0 && kind && record->size >= kind->min);
	assert(idx >= -1 && idx < xp_data_nr_events(data));
	if (kind->text)
		assert(kind->text + strlen((const char *)record + kind->text) < record->size);
	touch(record, record->size);
	touch(payload->at, payload->len);
	if (event && record->type == XP_RECORD_SAMPLE)
		check_sample(record, &event->attr);
	else if (event)
		xp_sample_id_decode(record, &event->attr, &id);
}

static void check_events(const struct xp_data *data)
{
	for (int i = 0; i < xp_data_nr_events(data); i++) {
		const struct xp_data_event *event = xp_data_event(data, i);

		assert(event->name);
		touch(event->name, strlen(event->name));
		touch(event->ids, event->nr_ids * sizeof(uint64_t));
		assert(event->leader >= 0 && event->leader <= i);
	}
	for (int feature = 0; feature < XP_FEATURE_MAX; feature++) {
		size_t len = 0;
		const void *body = xp_data_feature(data, (enum xp_feature)feature, &len);

		touch(body, len);
	}
}

/* Returns how many records there are. */
static uint64_t walk(struct xp_data *data)
{
	const struct xp_record *record;
	struct xp_piece payload;
	uint64_t nr = 0;
	int got;

	while ((got = xp_data_next(data, &record, &payload)) > 0) {
		check_record(data, record, &payload);
		nr++;
	}
	assert(got == 0 || got == -ENOSYS); /* without zstd */
	for (size_t i = 0; i < 100; i++)
		assert(!xp_data_damage(data, i) == (i >= xp_data_nr_damages(data)));
	return nr;
}

/* Returns 1 if it is a stream. */
static int read_as(struct xp_ctx *ctx, bool rewind)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = "fuzz", .force = true };
	struct xp_data *data = NULL;
	struct xp_diag diag = { 0 };
	int err = xp_data_open(ctx, &opts, &data, &diag);

	if (err) {
		assert(err < 0 && diag.err == err && diag.what[0] && !data);
		return 0;
	}
	uint64_t nr = walk(data);
	check_events(data);
	if (rewind) {
		uint64_t damages = xp_data_nr_damages(data);

		assert(!xp_data_rewind(data) && walk(data) == nr);
		assert(damages == xp_data_nr_damages(data));
	}
	int stream = xp_data_is_stream(data);
	xp_data_close(data);
	return stream;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *zstd;
	struct machine m = { .sys = *xp_sys_linux(), .bytes = data, .len = size };
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &m.sys };
	struct xp_ctx *ctx = NULL;

	/* Loaded once, not for every recording that is opened. */
	if (!zstd)
		zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	m.sys.open = fuzz_open;
	m.sys.stat = fuzz_stat;
	m.sys.close = fuzz_close;
	m.sys.read = fuzz_read;
	m.sys.pread = fuzz_pread;
	assert(!xp_ctx_new(&opts, &ctx));
	m.stream = read_as(ctx, true);
	if (m.stream)
		read_as(ctx, false);
	xp_ctx_free(ctx);
	return 0;
}
