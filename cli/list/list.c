/* SPDX-License-Identifier: MIT */
/* `xperf list`: the events of this machine, and whether they can be opened. */
#include "list.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cli.h"
#include "options.h"
#include "result.h"
#include "terminal.h"

struct values {
	bool json, raw_dump, desc, long_desc, details, deprecated;
	const char *output, *unit;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'd', "desc", OPTION_FLAG, VALUE(desc), .help = "show what each event counts, if known" },
	{ 'v', "long-desc", OPTION_FLAG, VALUE(long_desc), .help = "the same as --desc" },
	{ 0, "details", OPTION_FLAG, VALUE(details),
	  .help = "show the event by numbers or terms, and the capabilities of its PMU" },
	{ 0, "unit", OPTION_STRING, VALUE(unit), .value = "PMU",
	  .help = "list only the events of this PMU (a pattern, or a name without its number)" },
	{ 0, "deprecated", OPTION_FLAG, VALUE(deprecated),
	  .help = "no effect: no event is left out as deprecated" },
	{ 'j', "json", OPTION_FLAG, VALUE(json), .help = "write JSON" },
	{ 0, "raw-dump", OPTION_FLAG, VALUE(raw_dump), .help = "print names only, on one line" },
	{ 'o', "output", OPTION_STRING, VALUE(output), .value = "file",
	  .help = "write to this file" },
	{ 0 },
};

struct state {
	struct xp_ctx *ctx;
	const struct list_format *format;
	struct list_output out;
	struct selection selection;
	const char *unit;    /* NULL: of any PMU, or none */
	struct xp_diag diag; /* what could not be listed */
};

static int show(const struct xp_event_info *event, void *data)
{
	struct state *state = data;

	if (!selection_has(&state->selection, event) ||
	    (state->unit && !selection_is_unit(state->unit, event->pmu)))
		return 0;
	if (state->out.as_perf && event->state == XP_EVENT_ABSENT && event->kind != XP_EVENT_RAW &&
	    event->kind != XP_EVENT_BREAKPOINT)
		return 0;
	state->format->event(&state->out, event);
	state->out.nr++;
	return 0;
}

/* Keeps a copy of the nearest name: it is gone when the walk goes on. */
static void offer(struct xp_suggest *suggest, const char *name)
{
	const char *before = suggest->best;

	xp_suggest_offer(suggest, name);
	if (suggest->best == before)
		return;
	suggest->best = strdup(name);
	free((char *)before);
}

static int offer_names(const struct xp_event_info *event, void *suggest)
{
	offer(suggest, event->name);
	if (*event->alias)
		offer(suggest, event->alias);
	return 0;
}

static void say_no_match(struct state *state, const char *word)
{
	struct xp_suggest suggest = { .word = word, .len = strlen(word) };
	struct xp_list_opts opts = { .size = sizeof(opts), .kinds = state->selection.kinds };

	xp_events_list(state->ctx, &opts, offer_names, &suggest, NULL);
	fprintf(stderr, "No event matches '%s'", word);
	if (suggest.best)
		fprintf(stderr, "; did you mean '%s'?\n", suggest.best);
	else
		fputs(".\n", stderr);
	free((char *)suggest.best);
}

/* The events of one word. Returns 0 or a negative errno. */
static int list_word(struct state *state, const char *word, const struct values *values)
{
	int before = state->out.nr;

	selection_make(word, &state->selection);
	if (state->selection.metric_groups)
		return metric_groups_list(state->ctx, state->format, &state->out, &state->diag);
	if (state->selection.metrics)
		return metrics_list(state->ctx, state->format, &state->out)
			       ?: named_metrics_list(state->ctx, state->format, &state->out,
						     &state->diag);
	struct xp_list_opts opts = { .size = sizeof(opts),
				     .kinds = state->selection.kinds,
				     .encoding = values->details || values->json };
	if (xp_events_list(state->ctx, &opts, show, state, &state->diag) == -ENOMEM)
		return -ENOMEM;
	/* What cannot be listed is said at the end, and is no failure. */
	if (state->out.nr > before)
		return 0;
	if (state->unit)
		fprintf(stderr, "No PMU '%s' has such events.\n", state->unit);
	else if (*state->selection.pattern && !state->out.as_perf)
		say_no_match(state, word);
	return 0;
}

/* The markers of a file. Names hold for other directories, too. */
static int list_sdt(struct state *state, const char *file)
{
	char *path = file ? realpath(file, NULL) : NULL;
	struct xp_list_opts opts = { .size = sizeof(opts),
				     .kinds = 1U << XP_EVENT_SDT,
				     .sdt_path = path ? path : file };

	state->selection = (struct selection){ .kinds = opts.kinds };
	int err = xp_events_list(state->ctx, &opts, show, state, &state->diag);
	free(path);
	return err == -ENODATA ? 0 : err;
}

static int list_words(struct state *state, int nr, char **words, const struct values *values)
{
	int err = 0;

	state->format->start(&state->out);
	if (!nr)
		err = list_word(state, "", values);
	for (int i = 0; !err && i < nr; i++)
		if (strcmp(words[i], "sdt"))
			err = list_word(state, words[i], values);
		else
			err = list_sdt(state, i + 1 < nr ? words[++i] : NULL);
	state->format->end(&state->out);
	return err;
}

static int run_on(const struct cli *cli, const struct values *values, int nr, char **words,
		  FILE *file, int fd)
{
	struct state state = {
		.ctx = cli_ctx_new(cli, 0),
		.format = values->json       ? &list_json
			  : values->raw_dump ? &list_names
					     : &list_text,
		.unit = values->unit,
		.out = { .file = file,
			 .desc = values->desc || values->long_desc,
			 .details = values->details,
			 .as_perf = cli_is_perf(cli),
			 .color = terminal_has_color(fd) },
	};

	if (!state.ctx)
		return EXIT_FAILED;
	state.out.ctx = state.ctx;
	pid_t pager = file == stdout ? pager_start() : 0;
	int err = list_words(&state, nr, words, values);
	pager_end(pager);
	struct wording buf;

	if (state.diag.err && (err || !values->raw_dump))
		fprintf(stderr, "%s%s%s%s\n", err ? "Error: " : "", state.diag.what,
			*state.diag.hint ? "\nHint: " : "", cli_words(state.diag.hint, &buf));
	else if (err)
		fprintf(stderr, "Error: %s\n", strerror(-err));
	cli_ctx_free(state.ctx);
	return err ? EXIT_FAILED : 0;
}

/* Writes to the file of --output, which is complete when it appears. */
static int run_to_file(const struct cli *cli, const struct values *values, int nr, char **words)
{
	const char *input = NULL;
	struct result result = { 0 };
	struct xp_diag diag = { 0 };
	int status = EXIT_FAILED;

	/* A file whose markers are listed must not be replaced by the list. */
	for (int i = 0; i + 1 < nr; i++)
		if (!strcmp(words[i], "sdt") && result_is_input(values->output, words[i + 1]))
			input = words[i + 1];
	int err = result_open(&result, values->output, input, false, &diag);
	if (!err) {
		status = run_on(cli, values, nr, words, result.file, result.stream.fd);
		err = result_close(&result, status ? -ECANCELED : 0, &diag);
	}
	if (diag.err)
		cli_print_diag(&diag, NULL);
	return err ? EXIT_FAILED : status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status;

	if (!options_parse(&list_command, argc, argv, &values, &first, &status))
		return status;
	if (values.output)
		return run_to_file(cli, &values, argc - first, argv + first);
	return run_on(cli, &values, argc - first, argv + first, stdout, STDOUT_FILENO);
}

const struct command list_command = {
	.name = "list",
	.summary = "List the events of this machine, and whether they can be counted",
	.usage =
		"[<options>] [hw|sw|cache|tracepoint|pmu|vendor|tool|metric|metricgroup|sdt <file>|<pattern>|<part of a name>]...",
	.options = options,
	.run = run,
};
