/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void start(struct lines *lines, const struct xp_sys *sys, int fd)
{
	lines->sys = sys;
	lines->fd = fd;
	lines->pos = lines->len = 0;
	lines->at_end = lines->in_long_line = false;
}

int xp_file_open(struct xp_ctx *ctx, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	size_t root = strlen(ctx->root);

	if (root >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, ctx->root, root);
	int len = vsnprintf(path + root, sizeof(path) - root, fmt, ap);
	if (len < 0 || (size_t)len >= sizeof(path) - root)
		return -ENAMETOOLONG;
	return xp_ctx_note(ctx, ctx->sys->open(ctx->sys, path));
}

int xp_lines_open(struct lines *lines, struct xp_ctx *ctx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int fd = xp_file_open(ctx, fmt, ap);
	va_end(ap);
	if (fd < 0)
		return fd;
	start(lines, ctx->sys, fd);
	return 0;
}

void xp_lines_close(struct lines *lines)
{
	lines->sys->close(lines->sys, lines->fd);
}

static int fill(struct lines *lines)
{
	ssize_t n;

	memmove(lines->buf, lines->buf + lines->pos, lines->len - lines->pos);
	lines->len -= lines->pos;
	lines->pos = 0;
	if (lines->len == sizeof(lines->buf)) {
		lines->len = 0;
		lines->in_long_line = true;
	}
	do
		n = lines->sys->read(lines->sys, lines->fd, lines->buf + lines->len,
				     sizeof(lines->buf) - lines->len);
	while (n == -EINTR);
	if (n > 0)
		lines->len += (size_t)n;
	else
		lines->at_end = true;
	return n < 0 ? (int)n : 0;
}

int xp_lines_next(struct lines *lines, const char **ret_line, size_t *ret_len)
{
	for (;;) {
		const char *line = lines->buf + lines->pos;
		size_t left = lines->len - lines->pos;
		const char *newline = memchr(line, '\n', left);
		bool is_rest = lines->in_long_line;

		if (!newline && !lines->at_end) {
			int err = fill(lines);
			if (err)
				return err;
			continue;
		}
		if (!left)
			return 0;
		lines->pos += newline ? (size_t)(newline - line) + 1 : left;
		lines->in_long_line = false;
		if (is_rest)
			continue;
		*ret_line = line;
		*ret_len = newline ? (size_t)(newline - line) : left;
		return 1;
	}
}
