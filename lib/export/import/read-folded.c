/* SPDX-License-Identifier: MIT */
/* Folded stacks of any program become a tree; marks at the ends of names are understood. See
 * folded.c for their form. */
#include <errno.h>
#include <string.h>
#include <xperf/export.h>

#include "cleanup.h"
#include "tree.h"

enum { FRAME_MAX = 4096 };

/* The last word of a line, if it is a number; text before it is the chain. Fractions are cut off.
 * Returns false if it is none, or there is no chain. */
static bool parse_weight(const char *line, size_t len, size_t *ret_chain, uint64_t *ret_weight)
{
	size_t at = len;
	uint64_t weight = 0;

	while (at && line[at - 1] != ' ' && line[at - 1] != '\t')
		at--;
	if (at < 2 || at == len || line[at] < '0' || line[at] > '9')
		return false;
	*ret_chain = at - 1;
	for (; at < len && line[at] >= '0' && line[at] <= '9'; at++)
		if (__builtin_mul_overflow(weight, 10, &weight) ||
		    __builtin_add_overflow(weight, (uint64_t)(line[at] - '0'), &weight))
			return false;
	if (at < len && line[at] == '.')
		for (at++; at < len && line[at] >= '0' && line[at] <= '9';)
			at++;
	*ret_weight = weight;
	return at == len;
}

/* The mark at the end of a name, which becomes shorter. */
static uint32_t parse_mark(const char *name, size_t *len)
{
	static const struct {
		char letter;
		uint32_t mark;
	} marks[] = {
		{ 'k', XP_MARK_KERNEL }, { 'i', XP_MARK_INLINED }, { 'j', XP_MARK_JIT },
		{ 'e', XP_MARK_JOINED }, { 'o', XP_MARK_OFF_CPU },
	};
	const char *end = name + *len;

	if (*len > 4 && end[-4] == '_' && end[-3] == '[' && end[-1] == ']')
		for (size_t i = 0; i < XP_ARRAY_LEN(marks); i++)
			if (end[-2] == marks[i].letter) {
				*len -= 4;
				return marks[i].mark;
			}
	return 0;
}

/* What a whole name says. */
static uint32_t parse_name(const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(name, "[truncated]"))
		return XP_MARK_CUT;
	return len > 2 && name[0] == '[' && name[len - 1] == ']' ? XP_MARK_UNKNOWN : 0;
}

/* Names longer than FRAME_MAX are cut, and those with a NUL end there. */
static int add_frame(struct xp_tree *tree, uint32_t parent, const char *text, size_t len,
		     uint32_t *ret_call)
{
	char name[FRAME_MAX];
	struct tree_frame frame = { .name = name, .file = NO_FILE };
	uint32_t nr;

	frame.marks = parse_mark(text, &len);
	if (len >= sizeof(name))
		len = sizeof(name) - 1;
	memcpy(name, text, len);
	name[len] = '\0';
	if (!*name)
		frame.name = "[unknown]";
	if (!frame.marks)
		frame.marks = parse_name(frame.name);
	return xp_tree_add_frame(tree, &frame, &nr) ?: xp_tree_add_call(tree, parent, nr, ret_call);
}

static int add_chain(struct xp_tree *tree, const char *line, size_t len, uint64_t weight)
{
	const struct tree_event event = { .name = "samples", .unit = "count" };
	const struct tree_task task = { .pid = -1, .tid = -1, .cpu = -1 };
	struct tree_stack stack = { .call = NO_CALL, .period = weight, .samples = weight };
	int err = xp_tree_add_event(tree, &event, &stack.event)
			  ?: xp_tree_add_task(tree, &task, &stack.task);

	/* Sums are numbers of 64 bits. */
	if (!err && tree->events[stack.event].period > UINT64_MAX - weight)
		err = -EBADMSG;
	for (const char *at = line, *end = line + len; !err && at <= end;) {
		const char *next = memchr(at, ';', (size_t)(end - at));
		size_t frame_len = (size_t)((next ? next : end) - at);

		err = add_frame(tree, stack.call, at, frame_len, &stack.call);
		at += frame_len + 1;
	}
	return err ? err : xp_tree_add_stack(tree, &stack);
}

int xp_tree_add_folded(struct xp_tree *tree, const char *line, size_t len)
{
	uint64_t weight;
	size_t chain;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	if (!len)
		return 0;
	return parse_weight(line, len, &chain, &weight) ? add_chain(tree, line, chain, weight)
							: -EBADMSG;
}
