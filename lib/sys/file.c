/* SPDX-License-Identifier: MIT */
/* Files of /proc, /sys and tracefs, all under the context's root path. */
#include "ctx.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "shortage.h"
#include "str.h"

int xp_ctx_note(struct xp_ctx *ctx, int err)
{
	if (xp_is_shortage(err)) {
		ctx->shortage = err;
		ctx->nr_shortages++;
	}
	return err;
}

int xp_ctx_shortage(struct xp_ctx *ctx, unsigned int since)
{
	return ctx->nr_shortages != since ? ctx->shortage : 0;
}

/* The complete path, the caller's to free; NULL on out of memory. */
static char *path_of(struct xp_ctx *ctx, const char *fmt, va_list ap)
{
	struct xp_str path = { 0 };

	xp_str_add(&path, ctx->root, strlen(ctx->root));
	xp_str_addv(&path, fmt, ap);
	return xp_str_detach(&path);
}

static int read_all(struct xp_ctx *ctx, int fd, struct xp_str *text)
{
	char buf[4096];

	for (;;) {
		ssize_t n = ctx->sys->read(ctx->sys, fd, buf, sizeof(buf));

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		int err = xp_str_add(text, buf, (size_t)n);
		if (err)
			return err;
	}
}

static int read_file(struct xp_ctx *ctx, const char *path, char **ret_text, size_t *ret_len)
{
	struct xp_str text = { 0 };
	int fd = ctx->sys->open(ctx->sys, path);

	if (fd < 0)
		return fd;
	int err = read_all(ctx, fd, &text);
	ctx->sys->close(ctx->sys, fd);
	if (err) {
		xp_str_fini(&text);
		return err;
	}
	if (ret_len)
		*ret_len = text.len;
	*ret_text = xp_str_detach(&text);
	return *ret_text ? 0 : -ENOMEM;
}

int xp_file_read(struct xp_ctx *ctx, char **ret_text, size_t *ret_len, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xp_auto_free char *path = path_of(ctx, fmt, ap);
	va_end(ap);
	return xp_ctx_note(ctx, path ? read_file(ctx, path, ret_text, ret_len) : -ENOMEM);
}

int xp_file_read_int(struct xp_ctx *ctx, int64_t *ret_value, const char *fmt, ...)
{
	xp_auto_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	xp_auto_free char *path = path_of(ctx, fmt, ap);
	va_end(ap);
	int err = xp_ctx_note(ctx, path ? read_file(ctx, path, &text, NULL) : -ENOMEM);
	if (err)
		return err;
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (end == text || errno || (*end && *end != '\n'))
		return -EINVAL;
	*ret_value = value;
	return 0;
}

bool xp_file_exists(struct xp_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xp_auto_free char *path = path_of(ctx, fmt, ap);
	va_end(ap);
	int fd = xp_ctx_note(ctx, path ? ctx->sys->open(ctx->sys, path) : -ENOMEM);

	if (fd < 0)
		return false;
	ctx->sys->close(ctx->sys, fd);
	return true;
}

int xp_file_list(struct xp_ctx *ctx, xp_dir_fn fn, void *data, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xp_auto_free char *path = path_of(ctx, fmt, ap);
	va_end(ap);
	return xp_ctx_note(ctx, path ? ctx->sys->list_dir(ctx->sys, path, fn, data) : -ENOMEM);
}
