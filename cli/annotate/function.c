/* SPDX-License-Identifier: MIT */
/* One function of a recording at a time, for who browses in a report. */
#include "function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>
#include <xperf/resolve.h>

#include "annotate.h"
#include "option-values.h"

struct annotator {
	struct values values;
	struct recording rec;
	struct heat heat;
	struct interleaving source;
	struct event_set *sets;
	size_t nr_sets;
};

static int load(struct annotator *annotator, const struct cli *cli)
{
	struct recording *rec = &annotator->rec;
	int err = recording_open(rec, cli, &annotator->values.read);

	if (!err)
		err = heat_load(rec, &annotator->heat);
	if (err)
		return err;
	annotator->source.files = source_files_new();
	if (!annotator->source.files)
		return -ENOMEM;
	return event_sets_make(rec, &annotator->values, &annotator->sets, &annotator->nr_sets);
}

int annotator_new(const struct cli *cli, const struct recording_opts *opts,
		  struct annotator **ret_annotator, struct xp_diag *diag)
{
	struct annotator *annotator = calloc(1, sizeof(*annotator));

	if (!annotator)
		return -ENOMEM;
	annotator->values = (struct values){ .read = *opts, .percent_type = percent_types };
	int err = load(annotator, cli);
	if (err) {
		*diag = annotator->rec.diag;
		annotator_free(annotator);
		return err;
	}
	*ret_annotator = annotator;
	return 0;
}

void annotator_free(struct annotator *annotator)
{
	if (!annotator)
		return;
	event_sets_free(annotator->sets, annotator->nr_sets);
	interleaving_fini(&annotator->source);
	heat_fini(&annotator->heat);
	recording_fini(&annotator->rec);
	xp_data_close(annotator->rec.data);
	cli_ctx_free(annotator->rec.ctx);
	free(annotator);
}

static bool is_same(const struct xp_frame *a, const struct xp_frame *b)
{
	return a->function.start == b->function.start && a->map.dso && b->map.dso &&
	       !strcmp(a->map.dso->name, b->map.dso->name) && a->function.name &&
	       b->function.name && !strcmp(a->function.name, b->function.name);
}

static const struct hot_function *find_function(const struct heat *heat,
						const struct xp_frame *frame)
{
	for (size_t i = 0; i < heat->nr_functions; i++)
		if (is_same(heat->functions[i].frame, frame))
			return &heat->functions[i];
	return NULL;
}

static const struct event_set *find_set(const struct annotator *annotator, int event)
{
	for (size_t i = 0; i < annotator->nr_sets; i++)
		for (int e = 0; e < annotator->sets[i].nr; e++)
			if (annotator->sets[i].events[e] == event)
				return &annotator->sets[i];
	return NULL;
}

static int compare_addresses(const void *key, const void *member)
{
	const uint64_t *address = key;
	const struct code_line *line = member;

	return *address < line->address ? -1 : *address > line->address;
}

/* The instruction that one jumps to; NO_LINE: none of this function. */
static size_t target_of(const struct code *code, const struct code_line *line)
{
	const struct code_line *target = line->kind != XP_INSTRUCTION_JUMP
						 ? NULL
						 : bsearch(&line->target, code->at, code->nr,
							   sizeof(*code->at), compare_addresses);

	return target ? (size_t)(target - code->at) : NO_LINE;
}

/* @starts: where the lines of instructions begin; becomes the instructions that they jump to */
static int find_lines(const struct code *code, size_t *starts, const char *text,
		      struct code_lines *lines)
{
	size_t line = 0, at = 0;

	lines->at = calloc(code->nr, sizeof(*lines->at));
	if (!lines->at)
		return -ENOMEM;
	lines->nr = code->nr;
	for (size_t i = 0; i < code->nr; i++) {
		for (; at < starts[i]; at++)
			line += text[at] == '\n';
		lines->at[i].line = line;
		starts[i] = target_of(code, &code->at[i]);
	}
	code_lines_complete(lines, text, starts);
	return 0;
}

static int print(const struct annotation *annotation, struct code_lines *ret_code)
{
	int err = annotation->starts ? annotation_print(annotation) : -ENOMEM;

	if (err)
		return err;
	sink_char(annotation->out, '\0');
	return annotation->out->err
		       ?: find_lines(annotation->code, annotation->starts, annotation->out->buf,
				     ret_code);
}

int annotation_print_lines(struct annotation *annotation, struct code_lines *ret_lines,
			   struct xp_diag *diag)
{
	const struct values *values = annotation->values;
	struct code code;
	int err = code_read(annotation->function, values->intel,
			    !values->no_source || values->lines, &code, diag);

	annotation->code = &code;
	annotation->starts = err ? NULL : calloc(code.nr, sizeof(*annotation->starts));
	if (!err)
		err = print(annotation, ret_lines);
	free(annotation->starts);
	annotation->starts = NULL;
	code_fini(&code);
	return err;
}

int annotator_print(struct annotator *annotator, const struct xp_frame *frame, int event,
		    struct sink *out, struct code_lines *ret_code, struct xp_diag *diag)
{
	struct annotation annotation = { .values = &annotator->values,
					 .rec = &annotator->rec,
					 .heat = &annotator->heat,
					 .set = find_set(annotator, event),
					 .function = find_function(&annotator->heat, frame),
					 .source = &annotator->source,
					 .out = out };

	if (!annotation.set || !annotation.function)
		return xp_diag_set(diag, -ENOENT, "no sample is in this function itself");
	return annotation_print_lines(&annotation, ret_code, diag);
}
