/* SPDX-License-Identifier: MIT */
/*
 * Symbols in text, line by line. What does not look like one is passed over: the text may be
 * anybody's.
 *
 * Source: proc(5), "/proc/kallsyms"; tools/perf/Documentation/jit-interface.txt.
 */
#include "symbol-text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "ctx.h"
#include "on-disk.h"

enum { MAX_TEXT = 1 << 30 };

/* Reads a hexadecimal number of at most 16 digits. */
static bool parse_hex(const char **at, uint64_t *ret_value)
{
	const char *start = *at;
	uint64_t value = 0;

	for (;; ++*at) {
		unsigned int digit = (unsigned char)**at;

		if (digit - '0' < 10)
			digit -= '0';
		else if ((digit | 0x20) - 'a' < 6)
			digit = (digit | 0x20) - 'a' + 10;
		else
			break;
		value = value << 4 | digit;
	}
	*ret_value = value;
	return *at > start && *at - start <= 16;
}

static bool skip_space(const char **at)
{
	const char *start = *at;

	*at += strspn(start, " \t");
	return *at > start;
}

/* The next line; @ret_end: its newline, or the text's end. */
static bool next_line(struct text_cursor *cursor, const char **ret_line, const char **ret_end)
{
	if (cursor->at >= cursor->end)
		return false;
	const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));

	*ret_line = cursor->at;
	*ret_end = newline ? newline : cursor->end;
	cursor->at = *ret_end + 1;
	return true;
}

/* "name" or "name<tab>[module]" */
static bool split_name(const char *at, const char *end, struct text_symbol *symbol)
{
	const char *tab = memchr(at, '\t', (size_t)(end - at));
	const char *stop = tab ? tab : end;

	symbol->name = at;
	symbol->name_len = (size_t)(stop - at);
	symbol->module = stop;
	symbol->module_len = 0;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		symbol->module = tab + 2;
		symbol->module_len = (size_t)(end - tab - 3);
	}
	return symbol->name_len && !memchr(at, '\0', (size_t)(end - at));
}

bool xp_text_next_kernel_symbol(struct text_cursor *cursor, struct text_symbol *ret_symbol)
{
	const char *at, *end;

	while (next_line(cursor, &at, &end)) {
		struct text_symbol symbol = { .line = at };

		if (!parse_hex(&at, &symbol.address) || end - at < 4 || at[0] != ' ' ||
		    at[2] != ' ')
			continue;
		symbol.type = at[1];
		if (!split_name(at + 3, end, &symbol))
			continue;
		*ret_symbol = symbol;
		return true;
	}
	return false;
}

bool xp_text_next_jit_symbol(struct text_cursor *cursor, struct text_symbol *ret_symbol)
{
	const char *at, *end;

	while (next_line(cursor, &at, &end)) {
		struct text_symbol symbol = { 0 };

		at += at[0] == '0' && at[1] == 'x' ? 2 : 0;
		if (!parse_hex(&at, &symbol.address) || !skip_space(&at))
			continue;
		at += at[0] == '0' && at[1] == 'x' ? 2 : 0;
		if (!parse_hex(&at, &symbol.size) || !skip_space(&at) || at >= end ||
		    memchr(at, '\0', (size_t)(end - at)))
			continue;
		symbol.name = at;
		symbol.name_len = (size_t)(end - at);
		*ret_symbol = symbol;
		return true;
	}
	return false;
}

static int read_all(const struct xp_sys *sys, int fd, struct xp_str *text)
{
	char buf[65536];
	ssize_t n;

	while ((n = sys->read(sys, fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && n != -EINTR)
			return (int)n;
		if (n > 0 && xp_str_add(text, buf, (size_t)n))
			return -ENOMEM;
		if (text->len > MAX_TEXT)
			return -EFBIG;
	}
	return 0;
}

static int read_checked(const struct xp_sys *sys, int fd, const struct stat *st,
			struct xp_str *text)
{
	int err = (uint64_t)st->st_size > xp_on_disk_limit(st) ? -EFBIG : read_all(sys, fd, text);

	if (!err && !text->len)
		err = -ENODATA;
	if (err)
		xp_str_fini(text);
	return err;
}

int xp_text_read_fd(struct xp_ctx *ctx, int fd, struct xp_str *text)
{
	struct stat st;

	return fstat(fd, &st) ? -errno : read_checked(ctx->sys, fd, &st, text);
}

int xp_text_read(struct xp_ctx *ctx, const char *path, struct xp_str *text)
{
	const struct xp_sys *sys = ctx->sys;
	struct stat st;
	int err = sys->stat(sys, path, &st);

	if (err)
		return err;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	int fd = sys->open(sys, path);
	if (fd < 0)
		return fd;
	err = read_checked(sys, fd, &st, text);
	sys->close(sys, fd);
	return err;
}
