/* SPDX-License-Identifier: MIT */
/*
 * A table of functions: the share of the samples with the function in their call chain, of those in
 * the function itself, and how many these are. A chain counts once for a function that it has
 * several times.
 */
#include <errno.h>
#include <stdlib.h>

#include "format.h"

/* Functions are distinguished by name and file. Weights: with what it called, and alone */
struct function {
	const char *name;
	uint32_t file, marks;
	uint64_t total, self, samples; /* value */
};

struct text {
	const struct export *export;
	const struct xp_tree *tree;
	struct table functions;
	uint32_t *frames;   /* per frame, its function */
	uint64_t *totals;   /* per call, with what it called; of one event */
	uint64_t all;       /* weight of the event */
	uint32_t *in_order; /* functions */
	int file_width;     /* 0: no file is known */
};

static struct function *function_at(const struct text *text, uint32_t nr)
{
	return xp_table_at(&text->functions, nr);
}

static uint32_t function_of(const struct text *text, uint32_t call)
{
	return text->frames[tree_call(text->tree, call)->frame];
}

static int find_functions(struct text *text)
{
	const struct xp_tree *tree = text->tree;

	text->frames = calloc((size_t)tree->frames.nr + 1, sizeof(*text->frames));
	text->totals = calloc((size_t)tree->calls.nr + 1, sizeof(*text->totals));
	if (!text->frames || !text->totals)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->frames.nr; i++) {
		const struct tree_frame *frame = tree_frame(tree, i);
		const struct function key = { .name = frame->name,
					      .file = frame->file,
					      .marks = frame->marks & XP_MARK_KERNEL };

		if (xp_table_intern_sized(&text->functions, &key, offsetof(struct function, total),
					  &text->frames[i]) < 0)
			return -ENOMEM;
	}
	text->in_order = calloc((size_t)text->functions.nr + 1, sizeof(*text->in_order));
	return text->in_order ? 0 : -ENOMEM;
}

/* --- sums of an event --- */

static bool is_in_a_caller(const struct text *text, uint32_t call)
{
	uint32_t function = function_of(text, call);
	uint32_t at = tree_call(text->tree, call)->parent;

	while (at != NO_CALL && function_of(text, at) != function)
		at = tree_call(text->tree, at)->parent;
	return at != NO_CALL;
}

static void add_stacks(struct text *text, uint32_t event)
{
	for (uint32_t i = 0; i < text->tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(text->tree, i);
		uint64_t weight = export_weight(text->export, stack);

		if (stack->event != event)
			continue;
		text->all += weight;
		if (stack->call == NO_CALL)
			continue;
		struct function *function = function_at(text, function_of(text, stack->call));
		text->totals[stack->call] += weight;
		function->self += weight;
		function->samples += stack->samples;
	}
}

/* What calls has a lower number than what it calls. */
static void add_callers(struct text *text)
{
	for (uint32_t i = text->tree->calls.nr; i-- > 0;) {
		uint32_t parent = tree_call(text->tree, i)->parent;

		if (parent != NO_CALL)
			text->totals[parent] += text->totals[i];
		if (text->totals[i] && !is_in_a_caller(text, i))
			function_at(text, function_of(text, i))->total += text->totals[i];
	}
}

static void clear(struct text *text)
{
	text->all = 0;
	memset(text->totals, 0, text->tree->calls.nr * sizeof(*text->totals));
	for (uint32_t i = 0; i < text->functions.nr; i++) {
		struct function *function = function_at(text, i);

		function->total = function->self = function->samples = 0;
	}
}

/* --- the table --- */

static const char *file_of(const struct text *text, const struct function *function)
{
	return function->file == NO_FILE ? "" : text->tree->files[function->file].name;
}

static int compare(const void *a, const void *b, void *data)
{
	const struct text *text = data;
	const struct function *x = function_at(text, *(const uint32_t *)a);
	const struct function *y = function_at(text, *(const uint32_t *)b);

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	int order = strcmp(x->name, y->name);
	return order ? order : strcmp(file_of(text, x), file_of(text, y));
}

static void sort(struct text *text)
{
	text->file_width = 0;
	for (uint32_t i = 0; i < text->functions.nr; i++) {
		const struct function *function = function_at(text, i);
		int width = (int)strlen(file_of(text, function));

		text->in_order[i] = i;
		if (function->total && width > text->file_width)
			text->file_width = width;
	}
	qsort_r(text->in_order, text->functions.nr, sizeof(*text->in_order), compare, text);
}

static void put_plain(struct out *out, const char *text, int width)
{
	int len = 0;

	for (; *text; len++)
		xp_out_plain(out, &text);
	for (; len < width; len++)
		xp_out_char(out, ' ');
}

static void put_number(struct out *out, uint64_t value, int width)
{
	char digits[24];
	int len = 0;

	do
		digits[len++] = (char)('0' + value % 10);
	while (value /= 10);
	for (; width > len; width--)
		xp_out_char(out, ' ');
	while (len)
		xp_out_char(out, digits[--len]);
}

/* "  12.34%", rounded. */
static void put_share(struct out *out, uint64_t part, uint64_t all)
{
	uint64_t share = (uint64_t)((double)part / (double)all * 10000 + 0.5);

	put_number(out, share / 100, 6);
	xp_out_char(out, '.');
	xp_out_char(out, (char)('0' + share / 10 % 10));
	xp_out_char(out, (char)('0' + share % 10));
	xp_out_char(out, '%');
}

static void put_rows(const struct text *text)
{
	struct out *out = text->export->out;

	for (uint32_t i = 0; i < text->functions.nr; i++) {
		const struct function *function = function_at(text, text->in_order[i]);

		if (!function->total)
			break;
		put_share(out, function->total, text->all);
		put_share(out, function->self, text->all);
		put_number(out, function->samples, 10);
		xp_out_text(out, "  ");
		if (text->file_width) {
			put_plain(out, file_of(text, function), text->file_width);
			xp_out_text(out, "  ");
		}
		xp_out_text(out, function->marks & XP_MARK_KERNEL ? "[k] " : "[.] ");
		put_plain(out, function->name, 0);
		xp_out_char(out, '\n');
	}
}

static void put_event(struct text *text, uint32_t nr)
{
	const struct tree_event *event = &text->tree->events[nr];
	struct out *out = text->export->out;

	clear(text);
	add_stacks(text, nr);
	add_callers(text);
	sort(text);
	xp_out_text(out, "# Samples: ");
	xp_out_dec(out, event->samples);
	xp_out_text(out, " of event '");
	put_plain(out, event->name, 0);
	xp_out_text(out, "'\n# Event count (approx.): ");
	xp_out_dec(out, event->period);
	xp_out_text(out, "\n#\n# Children     Self   Samples  ");
	if (text->file_width) {
		static const char heading[] = "Shared Object";

		if (text->file_width < (int)sizeof(heading) - 1)
			text->file_width = (int)sizeof(heading) - 1;
		put_plain(out, heading, text->file_width);
		xp_out_text(out, "  ");
	}
	xp_out_text(out, "Symbol\n#\n");
	if (text->all)
		put_rows(text);
}

int xp_format_text(const struct export *export)
{
	struct text text = { .export = export,
			     .tree = export->tree,
			     .functions = xp_table(offsetof(struct function, total),
						   sizeof(struct function)) };
	int err = find_functions(&text);
	bool is_first = true;

	for (uint32_t i = 0; !err && i < export->tree->nr_events; i++) {
		if (!export_has_event(export, i))
			continue;
		if (!is_first)
			xp_out_char(export->out, '\n');
		is_first = false;
		put_event(&text, i);
	}
	xp_table_fini(&text.functions);
	free(text.frames);
	free(text.totals);
	free(text.in_order);
	return err;
}
