/* SPDX-License-Identifier: MIT */
/*
 * callgrind: per function its own cost by line, and the cost of each call by the line it is made
 * in. Each event is a cost. What is recursive is counted once per call, as the tool itself counts
 * it.
 *
 * Source: valgrind's manual, "Callgrind Format Specification", version 1.
 */
#include <errno.h>
#include <stdlib.h>

#include "format.h"

/* Functions are distinguished by name, file of code and file of source. */
struct function {
	const char *name, *source;
	uint32_t file, marks;
};

/* Costs are behind each other in struct callgrind.costs: @at times the number of events. */
struct line_cost {
	uint32_t function, line;
	uint64_t at; /* value */
};

/* Of calls from a line of a function to another function. */
struct call_cost {
	uint32_t caller, line, callee, callee_line;
	uint64_t at, nr; /* value */
};

struct callgrind {
	const struct export *export;
	const struct xp_tree *tree;
	struct out *out;
	struct table functions, lines, calls;
	uint32_t *frames; /* per frame, its function */
	uint32_t *values; /* per event, which of the costs it is */
	uint32_t nr_values;
	uint64_t *totals; /* per call of the tree and value, with what it called */
	uint64_t *costs;
	uint32_t nr_costs, cap_costs;
	bool *is_named; /* per function: readers know its number */
};

static int find_functions(struct callgrind *to)
{
	uint32_t nr = to->tree->frames.nr;

	to->frames = calloc((size_t)nr + 1, sizeof(*to->frames));
	if (!to->frames)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		const struct tree_frame *frame = tree_frame(to->tree, i);
		const struct function key = { .name = frame->name,
					      .source = frame->source,
					      .file = frame->file,
					      .marks = frame->marks & ~(uint32_t)XP_MARK_JOINED };

		if (xp_table_intern(&to->functions, &key, &to->frames[i]) < 0)
			return -ENOMEM;
	}
	to->is_named = calloc((size_t)to->functions.nr + 1, sizeof(*to->is_named));
	return to->is_named ? 0 : -ENOMEM;
}

static int number_events(struct callgrind *to)
{
	to->values = calloc((size_t)to->tree->nr_events + 1, sizeof(*to->values));
	if (!to->values)
		return -ENOMEM;
	for (uint32_t i = 0; i < to->tree->nr_events; i++)
		if (export_has_event(to->export, i))
			to->values[i] = to->nr_values++;
	return 0;
}

/* Adds to the costs that a value says are its own; @at: 0: none yet. */
static int add_costs(struct callgrind *to, uint64_t *at, const uint64_t *more)
{
	if (!*at) {
		if (xp_array_grow(&to->costs, &to->cap_costs, (to->nr_costs + 1) * to->nr_values,
				  sizeof(*to->costs)))
			return -ENOMEM;
		*at = ++to->nr_costs;
	}
	for (uint32_t i = 0; i < to->nr_values; i++)
		to->costs[(*at - 1) * to->nr_values + i] += more[i];
	return 0;
}

static const struct tree_frame *frame_of(const struct callgrind *to, uint32_t call)
{
	return tree_frame(to->tree, tree_call(to->tree, call)->frame);
}

static uint32_t function_of(const struct callgrind *to, uint32_t call)
{
	return to->frames[tree_call(to->tree, call)->frame];
}

/* The own cost of the innermost frame of a stack. */
static int add_own(struct callgrind *to, const struct tree_stack *stack)
{
	uint32_t value = to->values[stack->event], nr;
	const struct line_cost key = { .function = function_of(to, stack->call),
				       .line = frame_of(to, stack->call)->line };
	uint64_t *own = &to->totals[(size_t)to->tree->calls.nr * to->nr_values];

	if (xp_table_intern_sized(&to->lines, &key, offsetof(struct line_cost, at), &nr) < 0)
		return -ENOMEM;
	memset(own, 0, to->nr_values * sizeof(*own));
	own[value] = export_weight(to->export, stack);
	to->totals[(size_t)stack->call * to->nr_values + value] += own[value];
	return add_costs(to, &((struct line_cost *)xp_table_at(&to->lines, nr))->at, own);
}

/* A frame's whole cost is that of the call to it. */
static int add_call(struct callgrind *to, uint32_t at)
{
	uint32_t parent = tree_call(to->tree, at)->parent, nr;
	const uint64_t *total = &to->totals[(size_t)at * to->nr_values];

	if (parent == NO_CALL)
		return 0;
	for (uint32_t i = 0; i < to->nr_values; i++)
		to->totals[(size_t)parent * to->nr_values + i] += total[i];
	const struct call_cost key = { .caller = function_of(to, parent),
				       .line = frame_of(to, parent)->line,
				       .callee = function_of(to, at),
				       .callee_line = frame_of(to, at)->line };
	if (xp_table_intern_sized(&to->calls, &key, offsetof(struct call_cost, at), &nr) < 0)
		return -ENOMEM;
	struct call_cost *call = xp_table_at(&to->calls, nr);
	call->nr++;
	return add_costs(to, &call->at, total);
}

static int add_all(struct callgrind *to)
{
	uint32_t nr = to->tree->calls.nr;
	int err = 0;

	to->totals = calloc(((size_t)nr + 1) * (to->nr_values + 1), sizeof(*to->totals));
	if (!to->totals)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < to->tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(to->tree, i);

		if (stack->call != NO_CALL && export_has_event(to->export, stack->event))
			err = add_own(to, stack);
	}
	/* What is called has a higher number than what calls. */
	for (uint32_t i = nr; !err && i-- > 0;)
		err = add_call(to, i);
	return err;
}

/* --- text --- */

static void put_name(struct out *out, const char *name)
{
	while (*name)
		xp_out_plain(out, &name);
}

/* "fn=(3) name", and later only the number. */
static void put_function(struct callgrind *to, const char *prefix, uint32_t nr)
{
	const struct function *function = xp_table_at(&to->functions, nr);
	bool has_file = function->file != NO_FILE;
	struct out *out = to->out;

	xp_out_text(out, prefix);
	xp_out_text(out, "ob=");
	put_name(out, has_file ? to->tree->files[function->file].path : "???");
	xp_out_char(out, '\n');
	xp_out_text(out, prefix);
	xp_out_text(out, *prefix ? "fi=" : "fl=");
	put_name(out, *function->source ? function->source : "???");
	xp_out_char(out, '\n');
	xp_out_text(out, prefix);
	xp_out_text(out, "fn=(");
	xp_out_dec(out, nr + 1);
	xp_out_char(out, ')');
	if (!to->is_named[nr]) {
		xp_out_char(out, ' ');
		put_name(out, function->name);
		xp_out_text(out, xp_mark_suffix(function->marks));
	}
	to->is_named[nr] = true;
	xp_out_char(out, '\n');
}

static void put_costs(struct callgrind *to, uint32_t line, uint64_t at)
{
	xp_out_dec(to->out, line);
	for (uint32_t i = 0; i < to->nr_values; i++) {
		xp_out_char(to->out, ' ');
		xp_out_dec(to->out, to->costs[(at - 1) * to->nr_values + i]);
	}
	xp_out_char(to->out, '\n');
}

static void put_call(struct callgrind *to, const struct call_cost *call)
{
	put_function(to, "c", call->callee);
	xp_out_text(to->out, "calls=");
	xp_out_dec(to->out, call->nr);
	xp_out_char(to->out, ' ');
	xp_out_dec(to->out, call->callee_line);
	xp_out_char(to->out, '\n');
	put_costs(to, call->line, call->at);
}

/* Numbers of entries, by the function that is their first word. */
static int compare(const void *a, const void *b, void *table)
{
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	uint32_t left = *(const uint32_t *)xp_table_at(table, l);
	uint32_t right = *(const uint32_t *)xp_table_at(table, r);

	if (left != right)
		return left < right ? -1 : 1;
	return (l > r) - (l < r);
}

static uint32_t *sorted(const struct table *table)
{
	uint32_t *order = calloc((size_t)table->nr + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < table->nr; i++)
		order[i] = i;
	if (order && table->nr)
		qsort_r(order, table->nr, sizeof(*order), compare, (void *)(uintptr_t)table);
	return order;
}

/* Each function with its lines, then its calls. */
static int put_functions(struct callgrind *to)
{
	uint32_t *lines = sorted(&to->lines), *calls = sorted(&to->calls), line = 0, call = 0;

	for (uint32_t i = 0; lines && calls && i < to->functions.nr; i++) {
		const struct line_cost *own;
		const struct call_cost *called;

		xp_out_char(to->out, '\n');
		put_function(to, "", i);
		for (; line < to->lines.nr; line++) {
			own = xp_table_at(&to->lines, lines[line]);
			if (own->function != i)
				break;
			put_costs(to, own->line, own->at);
		}
		for (; call < to->calls.nr; call++) {
			called = xp_table_at(&to->calls, calls[call]);
			if (called->caller != i)
				break;
			put_call(to, called);
		}
	}
	free(lines);
	free(calls);
	return lines && calls ? 0 : -ENOMEM;
}

/* Names of events are words there. */
static void put_event(struct out *out, const char *name)
{
	xp_out_char(out, ' ');
	while (*name)
		if (*name != ' ') {
			xp_out_plain(out, &name);
		} else {
			xp_out_char(out, '_');
			name++;
		}
}

static void put_heading(const struct callgrind *to)
{
	struct out *out = to->out;

	xp_out_text(out, "# callgrind format\nversion: 1\ncreator: libxperf\ncmd: ");
	put_name(out, to->tree->info.title);
	xp_out_text(out, "\npositions: line\nevents:");
	for (uint32_t i = 0; i < to->tree->nr_events; i++)
		if (export_has_event(to->export, i))
			put_event(out, to->tree->events[i].name);
	xp_out_char(out, '\n');
}

int xp_format_callgrind(const struct export *export)
{
	struct callgrind to = {
		.export = export,
		.tree = export->tree,
		.out = export->out,
		.functions = xp_table(sizeof(struct function), sizeof(struct function)),
		.lines = xp_table(offsetof(struct line_cost, at), sizeof(struct line_cost)),
		.calls = xp_table(offsetof(struct call_cost, at), sizeof(struct call_cost)),
	};
	int err = find_functions(&to) ?: number_events(&to);

	put_heading(&to);
	if (!err && to.nr_values)
		err = add_all(&to) ?: put_functions(&to);
	xp_table_fini(&to.functions);
	xp_table_fini(&to.lines);
	xp_table_fini(&to.calls);
	free(to.frames);
	free(to.values);
	free(to.totals);
	free(to.costs);
	free(to.is_named);
	return err;
}
