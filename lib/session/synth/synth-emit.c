/* SPDX-License-Identifier: MIT */
#include "synth-emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"

int xp_synth_new(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn, void *data,
		 struct synth **ret_synth)
{
	enum { DEFAULT_TIMEOUT_MS = 500 };
	struct xp_synth_opts o = { 0 };
	int err = XP_OPTS_COPY(&o, opts, struct xp_synth_opts, timeout_ms, NULL);

	if (err)
		return err;
	if (o.id_bytes > SYNTH_ID_MAX || o.id_bytes % 8)
		return -EINVAL;
	if (!o.timeout_ms)
		o.timeout_ms = DEFAULT_TIMEOUT_MS;
	struct synth *synth = malloc(sizeof(*synth));
	if (!synth)
		return -ENOMEM;
	memset(synth, 0, offsetof(struct synth, lines.buf));
	synth->ctx = ctx;
	synth->opts = o;
	synth->fn = fn;
	synth->data = data;
	*ret_synth = synth;
	return 0;
}

void xp_synth_free(struct synth *synth)
{
	free(synth);
}

void xp_synth_begin(struct synth *synth, uint32_t type, uint16_t misc, size_t fixed)
{
	memset(&synth->rec, 0, fixed);
	synth->rec.header.type = type;
	synth->rec.header.misc = misc;
}

int xp_synth_emit(struct synth *synth, size_t fixed, const char *name, size_t len)
{
	char *bytes = synth->rec.bytes;
	size_t size = fixed;

	if (name) {
		if (len > PATH_MAX - 1)
			len = PATH_MAX - 1;
		memmove(bytes + fixed, name, len);
		size = (fixed + len + 8) & ~(size_t)7;
		memset(bytes + fixed + len, 0, size - fixed - len);
	}
	memset(bytes + size, 0, synth->opts.id_bytes);
	size += synth->opts.id_bytes;
	synth->rec.header.size = (uint16_t)size;
	return synth->fn(&synth->rec.header, synth->data);
}
