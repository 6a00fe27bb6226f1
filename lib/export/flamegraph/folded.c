/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: per line a call chain, outermost first, with semicolons between its frames, a
 * blank, and what was counted there.
 *
 * Source: stackcollapse-perf.pl and inferno, whose readers split a line at its last blank, and a
 * chain at its semicolons.
 */
#include <errno.h>
#include <stdlib.h>

#include "utf8.h"
#include "view.h"

/* The line as it is put together; @ends: per depth, where its frame ends. */
struct line {
	char *text;
	size_t *ends;
	uint32_t room, nr_ends;
};

/* A name without what has a meaning in a line, or does something to a terminal. Returns its end. */
static char *put_name(char *to, const char *name)
{
	while (*name) {
		size_t len = utf8_len((const unsigned char *)name);
		bool is_bad = !len || utf8_is_control((const unsigned char *)name, len);

		if (is_bad || *name == ';')
			*to++ = is_bad ? '?' : ':';
		else
			to = (char *)mempcpy(to, name, len);
		name += len ? len : 1;
	}
	return to;
}

/* Replaces the frames from the node's on. Returns 0 or -ENOMEM. */
static int set_frame(struct line *line, const struct view_node *node)
{
	const char *suffix = xp_mark_suffix(node->marks);
	size_t at = node->depth > 1 ? line->ends[node->depth - 1] : 0;
	size_t len = strlen(node->name), end = at + 1 + len + strlen(suffix);

	if (end >= UINT32_MAX || xp_array_grow(&line->text, &line->room, (uint32_t)end, 1) ||
	    xp_array_grow(&line->ends, &line->nr_ends, node->depth, sizeof(*line->ends)))
		return -ENOMEM;
	if (at)
		line->text[at++] = ';';
	char *to = stpcpy(put_name(line->text + at, node->name), suffix);
	line->ends[node->depth] = (size_t)(to - line->text);
	return 0;
}

int xp_format_folded(const struct export *export)
{
	struct line line = { 0 };
	struct view view;
	int err = xp_view_init(&view, export, true);

	for (uint32_t at = VIEW_ROOT; !err && (at = view_next(&view, at)) != 0;) {
		const struct view_node *node = &view.nodes[at];

		err = set_frame(&line, node);
		if (err || !node->self[0])
			continue;
		xp_out_bytes(export->out, line.text, line.ends[node->depth]);
		xp_out_char(export->out, ' ');
		xp_out_dec(export->out, node->self[0]);
		xp_out_char(export->out, '\n');
	}
	free(line.text);
	free(line.ends);
	xp_view_fini(&view);
	return err;
}
