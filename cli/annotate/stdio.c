/* SPDX-License-Identifier: MIT */
/* A function as text. Source of the layout: perf annotate --stdio, 6.1, measured. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>

#include "annotate.h"
#include "escape.h"

enum {
	TAB = 8,
	RULE_BEYOND = 5, /* of the line that is ruled: what a tab takes, and its end */
	BYTES_PER_ROW = 7,
	BYTES_WIDTH = 24,
	PERCENT_WIDTH = 8,
	PERIOD_WIDTH = 12,
};

/* One function being printed. */
struct printing {
	const struct annotation *of;
	struct sink *out;
	enum shown shown;
	int column;        /* width of one */
	int width;         /* of an address */
	size_t next_place; /* of the function, whose instruction is to come */
	const char *last_file;
	uint32_t last_line; /* that -l has named */
};

double annotation_share(const struct annotation *annotation, int event, const struct heat_sum *sum)
{
	const struct percent_type *type = annotation->values->percent_type;
	const struct heat_sum *whole = type->is_global ? &annotation->heat->totals[event]
						       : &annotation->function->sums[event];
	uint64_t part = type->of_hits ? sum->samples : sum->period;
	uint64_t all = type->of_hits ? whole->samples : whole->period;

	return all ? 100.0 * (double)part / (double)all : 0;
}

/* --- heading --- */

static enum shown shown_of(const struct values *values)
{
	return values->period ? SHOWN_PERIOD : values->samples ? SHOWN_SAMPLES : SHOWN_PERCENT;
}

/* A group by its name and in braces, unless it is one for being shown side by side only. */
static void put_names(struct sink *out, const struct annotation *annotation)
{
	const struct event_set *set = annotation->set;
	const struct xp_data *data = annotation->rec->data;
	const char *group = xp_data_event_at(data, set->events[0])->group_name;
	bool in_braces = set->nr > 1 && !annotation->values->group;

	if (in_braces) {
		sink_escaped(out, group ? group : "anon group");
		sink_text(out, " { ");
	}
	for (int i = 0; i < set->nr; i++) {
		const char *name = xp_data_event_at(data, set->events[i])->name;

		sink_text(out, i ? ", " : "");
		sink_escaped(out, name ? name : "?");
	}
	sink_text(out, in_braces ? " }" : "");
}

static const char *file_name(const struct annotation *annotation)
{
	const struct xp_dso *dso = annotation->function->frame->map.dso;

	return annotation->values->full_paths ? dso->name : dso->short_name;
}

/* And a rule below it. */
static void put_heading(struct printing *printing)
{
	static const char *const titles[] = { "Percent", "Samples", "Period" };
	const struct annotation *annotation = printing->of;
	const struct heat_sum *sum = &annotation->function->sums[annotation->set->events[0]];
	int left = printing->column * annotation->set->nr + 2;
	struct sink text = SINK_KEPT;

	sink_text(&text, "Source code & Disassembly of ");
	sink_escaped(&text, file_name(annotation));
	sink_text(&text, " for ");
	put_names(&text, annotation);
	sink_format(&text, " (%llu samples, percent: %s)\n", (unsigned long long)sum->samples,
		    annotation->values->percent_type->text);
	sink_format(printing->out, " %-*s|\t", left - 2, titles[printing->shown]);
	sink_bytes(printing->out, text.buf, text.len);
	size_t rule = (size_t)left + RULE_BEYOND + text.len;
	for (size_t i = 0; i < rule; i++)
		sink_char(printing->out, '-');
	sink_char(printing->out, '\n');
	sink_fini(&text);
}

/* --- lines --- */

static void put_no_columns(const struct printing *printing)
{
	sink_blanks(printing->out, printing->column * printing->of->set->nr + 1);
	sink_char(printing->out, ':');
}

static void put_source(uint32_t number, const char *text, void *data)
{
	struct printing *printing = data;
	struct sink *out = printing->out;
	char digits[16] = "";

	text += strspn(text, " \t");
	put_no_columns(printing);
	if (*text) {
		if (number)
			snprintf(digits, sizeof(digits), "%u", (unsigned int)number);
		sink_format(out, " %-*s ", printing->width, digits);
		sink_tabbed(out, text);
	}
	sink_char(out, '\n');
}

/* Where the function begins. */
static void put_start(struct printing *printing)
{
	enum { LINES_BEFORE = 3, ADDRESS_WIDTH = 16 };
	const struct xp_function *function = &printing->of->function->frame->function;
	struct sink text = SINK_KEPT;

	for (int i = 0; i < LINES_BEFORE; i++)
		put_source(0, "", printing);
	sink_hex(&text, function->start, ADDRESS_WIDTH, '0');
	sink_format(&text, " <%s>:", function->name);
	sink_char(&text, '\0');
	put_source(0, text.buf ? text.buf : "", printing);
	text.len = 0;
	sink_format(&text, "%s():", function->name);
	sink_char(&text, '\0');
	put_source(0, text.buf ? text.buf : "", printing);
	sink_fini(&text);
}

/* Samples at the bytes of an instruction, by event of the set. Returns whether there are any. */
static bool sum_up(struct printing *printing, const struct code_line *line, struct heat_sum *sums)
{
	const struct hot_function *function = printing->of->function;
	const struct event_set *set = printing->of->set;
	bool any = false;

	memset(sums, 0, (size_t)set->nr * sizeof(*sums));
	for (; printing->next_place < function->nr_places; printing->next_place++) {
		const struct heat_place *place = &function->places[printing->next_place];

		if (place->address >= line->address + line->len)
			break;
		for (int i = 0; i < set->nr; i++)
			if (set->events[i] == place->event) {
				sums[i].period += place->sum.period;
				sums[i].samples += place->sum.samples;
				any = true;
			}
	}
	return any;
}

static const char *color_of(const struct values *values, double share)
{
	if (!values->color || share < 0.5)
		return "";
	return share < 5 ? "\033[32m" : "\033[31m";
}

static void put_column(struct printing *printing, int event, const struct heat_sum *sum)
{
	double share = annotation_share(printing->of, event, sum);
	const char *color = color_of(printing->of->values, share);

	sink_text(printing->out, color);
	if (printing->shown == SHOWN_SAMPLES)
		sink_dec(printing->out, sum->samples, printing->column, ' ');
	else if (printing->shown == SHOWN_PERIOD)
		sink_dec(printing->out, sum->period, printing->column, ' ');
	else
		sink_format(printing->out, "%*.2f", printing->column, share);
	sink_text(printing->out, *color ? "\033[m" : "");
}

/* Bytes [from, to) of an instruction; a row is filled up where text follows. */
static void put_bytes(struct sink *out, const uint8_t *bytes, uint32_t from, uint32_t to, bool pad)
{
	for (uint32_t i = from; i < to; i++) {
		sink_text(out, i > from ? " " : "");
		sink_hex(out, bytes[i], 2, '0');
	}
	if (pad)
		sink_blanks(out, BYTES_WIDTH - (int)((to - from) * 3 - 1));
}

static void put_address(struct printing *printing, uint64_t address)
{
	char text[32], *end = put_hex(text, address, 0, ' ');
	int len = (int)(end - text);

	sink_text(printing->out, "   ");
	sink_blanks(printing->out, printing->width > len ? printing->width - len : 0);
	sink_bytes(printing->out, text, (size_t)len);
	sink_char(printing->out, ':');
	sink_blanks(printing->out, TAB - (len + 1) % TAB);
}

/* With -l, the first instruction of a line that has samples names it. */
static void put_place(struct printing *printing, const struct code_line *line, bool is_hot)
{
	bool is_same = line->line == printing->last_line && printing->last_file && line->file &&
		       !strcmp(line->file, printing->last_file);

	if (!printing->of->values->lines || !is_hot || !line->file || !line->line || is_same)
		return;
	sink_text(printing->out, " // ");
	summary_place(printing->of, line);
	printing->last_file = line->file;
	printing->last_line = line->line;
}

static void put_instruction(struct printing *printing, const struct code_line *line,
			    struct heat_sum *sums)
{
	const struct annotation *annotation = printing->of;
	const struct code *code = annotation->code;
	const uint8_t *bytes = code->bytes + (line->address - code->at[0].address);
	uint32_t in_row = line->len < BYTES_PER_ROW ? line->len : BYTES_PER_ROW;
	bool is_hot = sum_up(printing, line, sums);

	for (int i = 0; i < annotation->set->nr; i++)
		put_column(printing, annotation->set->events[i], &sums[i]);
	sink_text(printing->out, " :");
	put_address(printing, line->address);
	if (annotation->values->raw)
		put_bytes(printing->out, bytes, 0, in_row, true);
	sink_text(printing->out, code->text.buf + line->text);
	code_put_target(code, line, annotation->function->frame->symtab, printing->out);
	put_place(printing, line, is_hot);
	sink_char(printing->out, '\n');
}

/* The rest of an instruction that has more bytes than a row. */
static void put_more_bytes(struct printing *printing, const struct code_line *line)
{
	const struct code *code = printing->of->code;
	const struct heat_sum none = { 0 };

	for (uint32_t at = BYTES_PER_ROW; at < line->len; at += BYTES_PER_ROW) {
		uint32_t end = line->len < at + BYTES_PER_ROW ? line->len : at + BYTES_PER_ROW;

		for (int i = 0; i < printing->of->set->nr; i++)
			put_column(printing, printing->of->set->events[i], &none);
		sink_text(printing->out, " :");
		put_address(printing, line->address + at);
		put_bytes(printing->out, code->bytes + (line->address - code->at[0].address), at,
			  end, false);
		sink_char(printing->out, '\n');
	}
}

static int address_width(const struct annotation *annotation)
{
	const struct code *code = annotation->code;
	char text[32];
	uint64_t end = code->at[0].address + code->len;

	return (int)(put_hex(text, end, 0, ' ') - text);
}

int annotation_print(const struct annotation *annotation)
{
	const struct code *code = annotation->code;
	struct printing printing = { .of = annotation,
				     .out = annotation->out,
				     .shown = shown_of(annotation->values),
				     .width = address_width(annotation) };
	struct heat_sum *sums = calloc((size_t)annotation->set->nr, sizeof(*sums));
	int err = sums ? 0 : -ENOMEM;

	if (!err && annotation->values->lines)
		err = summary_print(annotation);
	printing.column = printing.shown == SHOWN_PERIOD ? PERIOD_WIDTH : PERCENT_WIDTH;
	if (!err) {
		put_heading(&printing);
		put_start(&printing);
	}
	interleaving_begin(annotation->source, annotation->function->frame->function.name);
	for (size_t i = 0; !err && i < code->nr; i++) {
		if (!annotation->values->no_source)
			err = interleave(annotation->source, &code->at[i], put_source, &printing);
		if (annotation->starts)
			annotation->starts[i] = annotation->out->len;
		put_instruction(&printing, &code->at[i], sums);
		if (annotation->values->raw)
			put_more_bytes(&printing, &code->at[i]);
	}
	free(sums);
	return err ? err : annotation->out->err;
}
