/* SPDX-License-Identifier: MIT */
/*
 * A kernel table that has one recording, in memory, which is read in pieces of odd sizes. No other
 * file is there.
 */
#ifndef TESTS_FUZZ_MACHINE_H
#define TESTS_FUZZ_MACHINE_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xperf/xperf.h>

#define MACHINE_FILE "fuzz"

struct machine {
	struct xp_sys sys; /* first: what entries get is also the machine */
	const uint8_t *bytes;
	size_t len, pos;
	bool stream;
};

static inline struct machine *machine_of(const struct xp_sys *sys)
{
	return (struct machine *)(uintptr_t)sys;
}

static inline int machine_open(const struct xp_sys *sys, const char *path)
{
	(void)sys;
	return strcmp(path, MACHINE_FILE) ? -ENOENT : 1000;
}

static inline int machine_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	if (strcmp(path, MACHINE_FILE) != 0)
		return -ENOENT;
	memset(ret_stat, 0, sizeof(*ret_stat));
	ret_stat->st_mode = machine_of(sys)->stream ? S_IFIFO : S_IFREG;
	ret_stat->st_size = (off_t)machine_of(sys)->len;
	return 0;
}

static inline int machine_close(const struct xp_sys *sys, int fd)
{
	(void)sys, (void)fd;
	return 0;
}

/* Not always all at once. */
static inline ssize_t machine_pread(const struct xp_sys *sys, int fd, void *buf, size_t len,
				    uint64_t offset)
{
	const struct machine *m = machine_of(sys);
	size_t left = offset < m->len ? m->len - (size_t)offset : 0;
	size_t n = len < left ? len : left;

	(void)fd;
	n = n > 4096 ? n - n % 1000 : n;
	memcpy(buf, m->bytes + offset % (m->len + 1), n);
	return (ssize_t)n;
}

static inline ssize_t machine_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
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

/* @bytes are borrowed. */
static inline void machine_init(struct machine *machine, const uint8_t *bytes, size_t len,
				bool stream)
{
	*machine = (struct machine){
		.sys = *xp_sys_linux(), .bytes = bytes, .len = len, .stream = stream
	};
	machine->sys.open = machine_open;
	machine->sys.stat = machine_stat;
	machine->sys.close = machine_close;
	machine->sys.read = machine_read;
	machine->sys.pread = machine_pread;
}

/* Likewise. Returns the caller's to free; @machine must stay until then. */
static inline struct xp_ctx *machine_ctx(struct machine *machine, const uint8_t *bytes, size_t len,
					 bool stream)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &machine->sys };
	struct xp_ctx *ctx;

	machine_init(machine, bytes, len, stream);
	assert(!xp_ctx_new(&opts, &ctx));
	return ctx;
}

static inline int machine_data(struct xp_ctx *ctx, struct xp_data **ret_data)
{
	const struct xp_data_opts opts = { .size = sizeof(opts),
					   .path = MACHINE_FILE,
					   .force = true };
	struct xp_diag diag = { 0 };
	int err = xp_data_open(ctx, &opts, ret_data, &diag);

	assert(!err || (err < 0 && diag.err == err && diag.what[0]));
	return err;
}

#endif
