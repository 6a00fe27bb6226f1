/* SPDX-License-Identifier: MIT */
/* The code of the hottest functions: instructions, their source, and the samples at them. */
#include "hot-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/export.h>
#include <xperf/resolve.h>

#include "interleave.h"
#include "vec.h"

/* A report stays small, whatever is hot in it. */
enum {
	MOST_FUNCTIONS = 50,
	MOST_ROWS = 15000, /* of all */
	MOST_ROWS_OF_ONE = 3000,
	MOST_BYTES = 500000,  /* of texts */
	LONGEST_LINE = 500,   /* of source, in bytes */
	SMALL_FUNCTION = 400, /* instructions of one that is shown as a whole */
	AROUND = 24,          /* instructions on each side of one with samples, of others */
};

static const double least_share = 0.001; /* of the samples of an event */

/* A function, and the largest share that it has of an event. */
struct candidate {
	const struct hot_function *function;
	double share;
};

/* @text: where it begins in the texts */
struct row {
	struct xp_code_row row;
	size_t text;
};

struct making {
	const struct heat *heat;
	struct xp_tree *tree;
	struct interleaving source;
	bool with_lines;
	size_t nr_rows, nr_bytes; /* of all functions so far */

	/* the function that is made */
	const struct code *code;
	const char *file; /* of source that is added */
	struct sink texts;
	struct row *rows;
	struct xp_code_sum *sums;
	size_t nr, nr_sums;
	int err;
};

/* --- which functions --- */

static double share_of(const struct heat *heat, const struct hot_function *function)
{
	double most = 0;

	for (int i = 0; i < heat->nr_events; i++) {
		double all = (double)heat->totals[i].period;
		double share = all > 0 ? (double)function->sums[i].period / all : 0;

		most = share > most ? share : most;
	}
	return most;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->share < y->share || x->share > y->share)
		return x->share > y->share ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* The hottest first. Returns their number. */
static size_t choose(const struct heat *heat, struct candidate *candidates)
{
	size_t nr = 0;

	for (size_t i = 0; i < heat->nr_functions; i++) {
		const struct hot_function *function = &heat->functions[i];
		double share = share_of(heat, function);

		if (share >= least_share)
			candidates[nr++] = (struct candidate){ function, share };
	}
	if (nr)
		qsort(candidates, nr, sizeof(*candidates), compare);
	return nr < MOST_FUNCTIONS ? nr : MOST_FUNCTIONS;
}

/* --- rows --- */

/* Cut texts end between characters. */
static size_t shortened(const char *text)
{
	size_t len = strnlen(text, LONGEST_LINE + 1);

	if (len <= LONGEST_LINE)
		return len;
	for (len = LONGEST_LINE; len && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

static void add_row(struct making *making, struct xp_code_row row, const char *text)
{
	if (!making->err)
		making->err = vec_add(&making->rows, making->nr, sizeof(*making->rows));
	if (making->err)
		return;
	making->rows[making->nr++] = (struct row){ row, making->texts.len };
	sink_bytes(&making->texts, text, shortened(text));
	sink_char(&making->texts, '\0');
	making->err = making->texts.err;
}

static void add_source(uint32_t number, const char *text, void *data)
{
	struct making *making = data;
	const struct xp_code_row row = { .kind = number ? XP_CODE_SOURCE : XP_CODE_NAME,
					 .line = number,
					 .file = number ? making->file : NULL };

	add_row(making, row, text);
}

static void add_instruction(struct making *making, const struct code_line *line,
			    struct xp_symtab *symtab)
{
	const struct code *code = making->code;
	const struct xp_code_row row = { .kind = XP_CODE_INSTRUCTION,
					 .line = line->line,
					 .file = line->file,
					 .offset = line->address - code->at[0].address };
	struct sink text = SINK_KEPT;

	sink_text(&text, code->text.buf + line->text);
	code_put_target(code, line, symtab, &text);
	sink_char(&text, '\0');
	if (text.err)
		making->err = text.err;
	else
		add_row(making, row, text.buf);
	sink_fini(&text);
}

/* Its samples, which are those at any of its bytes. Returns the next place. */
static size_t add_sums(struct making *making, const struct hot_function *function, size_t place,
		       uint64_t end)
{
	for (; place < function->nr_places && function->places[place].address < end; place++) {
		const struct heat_place *at = &function->places[place];

		if (!making->err)
			making->err =
				vec_add(&making->sums, making->nr_sums, sizeof(*making->sums));
		if (making->err)
			break;
		making->sums[making->nr_sums++] =
			(struct xp_code_sum){ .row = (uint32_t)making->nr - 1,
					      .event = at->event,
					      .period = at->sum.period,
					      .samples = at->sum.samples };
	}
	return place;
}

/* Which instructions are shown. @kept: zeroed */
static void mark_kept(const struct code *code, const struct hot_function *function, bool *kept)
{
	size_t around = code->nr <= SMALL_FUNCTION ? code->nr : AROUND, place = 0;

	for (size_t i = 0, to = 0; i < code->nr; i++) {
		uint64_t end = code->at[i].address + code->at[i].len;
		bool is_hot = false;

		for (; place < function->nr_places && function->places[place].address < end;
		     place++)
			is_hot = true;
		if (!is_hot)
			continue;
		for (to = i > around && i - around > to ? i - around : to;
		     to < code->nr && to <= i + around; to++)
			kept[to] = true;
	}
}

static bool is_full(const struct making *making)
{
	return making->nr >= MOST_ROWS_OF_ONE || making->nr_rows + making->nr >= MOST_ROWS ||
	       making->nr_bytes + making->texts.len >= MOST_BYTES;
}

/* Adds an instruction with its source, or counts it among those that are left out. */
static void add_line(struct making *making, const struct code_line *line, bool is_kept,
		     struct xp_symtab *symtab)
{
	const struct xp_code_row skipped = { .kind = XP_CODE_SKIPPED, .offset = 1 };

	if (is_kept) {
		making->file = line->file;
		if (making->with_lines)
			making->err = interleave(&making->source, line, add_source, making);
		add_instruction(making, line, symtab);
	} else if (making->nr && making->rows[making->nr - 1].row.kind == XP_CODE_SKIPPED) {
		making->rows[making->nr - 1].row.offset++;
	} else {
		add_row(making, skipped, "");
	}
}

static int make_rows(struct making *making, const struct hot_function *function)
{
	const struct code *code = making->code;
	bool *kept = calloc(code->nr + 1, sizeof(*kept));
	size_t place = 0;

	if (!kept)
		return -ENOMEM;
	mark_kept(code, function, kept);
	interleaving_begin(&making->source, function->frame->function.name);
	for (size_t i = 0; !making->err && i < code->nr; i++) {
		const struct code_line *line = &code->at[i];
		bool is_last = i + 1 == code->nr;

		add_line(making, line, kept[i] && !is_full(making), function->frame->symtab);
		place = add_sums(making, function, place,
				 is_last ? UINT64_MAX : line->address + line->len);
	}
	free(kept);
	return making->err;
}

/* --- the tree --- */

/* Events of one name are one event there. */
static int event_in(const struct xp_tree *tree, const char *name)
{
	struct xp_tree_event event = { .size = sizeof(event) };

	for (int i = 0; !xp_tree_event_at(tree, i, &event); i++)
		if (!strcmp(event.name, name ? name : ""))
			return i;
	return -1;
}

static int add_to_tree(struct making *making, const struct hot_function *function)
{
	const struct xp_data *data = making->heat->rec->data;
	struct xp_code_row *rows = calloc(making->nr + 1, sizeof(*rows));
	const struct xp_tree_code code = {
		.size = sizeof(code),
		.function = function->frame->function.name,
		.file = function->frame->map.dso->short_name,
		.address = function->frame->function.start,
		.rows = rows,
		.nr_rows = making->nr,
		.sums = making->sums,
		.nr_sums = making->nr_sums,
	};

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < making->nr; i++) {
		rows[i] = making->rows[i].row;
		rows[i].text = making->texts.buf + making->rows[i].text;
	}
	for (size_t i = 0; i < making->nr_sums; i++)
		making->sums[i].event =
			event_in(making->tree, xp_data_event_at(data, making->sums[i].event)->name);
	int err = xp_tree_add_code(making->tree, &code);
	free(rows);
	return err;
}

static void clear(struct making *making)
{
	making->nr_rows += making->nr;
	making->nr_bytes += making->texts.len;
	free(making->rows);
	free(making->sums);
	sink_fini(&making->texts);
	making->rows = NULL;
	making->sums = NULL;
	making->nr = making->nr_sums = 0;
	making->texts = SINK_KEPT;
}

static int add_function(struct making *making, const struct hot_function *function)
{
	struct xp_diag diag = { 0 };
	struct code code;
	int err = code_read(function, false, making->with_lines, &code, &diag);

	making->code = &code;
	if (!err && code.nr)
		err = make_rows(making, function) ?: add_to_tree(making, function);
	clear(making);
	code_fini(&code);
	return err == -ENODATA || err == -ENOTSUP ? 0 : err;
}

int hot_code_add(const struct heat *heat, bool with_lines, struct xp_tree *tree)
{
	struct candidate *candidates = calloc(heat->nr_functions + 1, sizeof(*candidates));
	struct making making = { .heat = heat,
				 .tree = tree,
				 .source = { .files = source_files_new() },
				 .with_lines = with_lines,
				 .texts = SINK_KEPT };
	int err = candidates && making.source.files ? 0 : -ENOMEM;
	size_t nr = err ? 0 : choose(heat, candidates);

	for (size_t i = 0; !err && i < nr && making.nr_rows < MOST_ROWS; i++)
		err = add_function(&making, candidates[i].function);
	interleaving_fini(&making.source);
	free(candidates);
	return err == -ENOSYS ? 0 : err;
}
