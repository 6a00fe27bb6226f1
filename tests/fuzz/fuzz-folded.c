/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as lines of folded stacks. What is read is written in all formats of
 * trees, and folded stacks of it are read again and give the same. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int keep(const void *bytes, size_t len, void *text)
{
	return xp_str_add(text, bytes, len);
}

static void write_format(const struct xp_tree *tree, size_t format, struct xp_str *text)
{
	const struct xp_export_opts opts = {
		.size = sizeof(opts), .write = keep, .data = text, .event = -1
	};

	text->len = 0;
	assert(!xp_export_tree(tree, xp_export_format_at(format), &opts, NULL));
}

static struct xp_tree *read_lines(const char *text, size_t size)
{
	struct xp_tree *tree;

	if (xp_tree_new(&tree))
		abort();
	for (const char *at = text, *end = text + size; at < end;) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((next ? next + 1 : end) - at);
		int err = xp_tree_add_folded(tree, at, len);

		assert(!err || err == -EBADMSG);
		at += len;
	}
	return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_tree *tree = read_lines((const char *)data, size), *again, *last;
	struct xp_str text = { 0 }, same = { 0 };
	const struct xp_export_format *format;

	for (size_t i = 0; (format = xp_export_format_at(i)) != NULL; i++)
		if (!(format->has & XP_EXPORT_SAMPLES))
			write_format(tree, i, &text);
	/* Names that are no text become equal when they are written. */
	write_format(tree, 0, &text);
	again = read_lines(xp_str_text(&text), text.len);
	write_format(again, 0, &text);
	last = read_lines(xp_str_text(&text), text.len);
	write_format(last, 0, &same);
	assert(text.len == same.len && !memcmp(xp_str_text(&text), xp_str_text(&same), text.len));
	xp_str_fini(&text);
	xp_str_fini(&same);
	xp_tree_free(tree);
	xp_tree_free(again);
	xp_tree_free(last);
	return 0;
}
