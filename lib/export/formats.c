/* SPDX-License-Identifier: MIT */
/* The formats a tree can be written in. */
#include "formats.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "opts.h"

#define FORMAT(its_name, its_suffix, its_has, its_summary)                                         \
	.shown = { sizeof(struct xp_export_format), its_name, its_summary, its_suffix, its_has, 0 }

static const struct format {
	struct xp_export_format shown;
	format_fn write; /* NULL: it is one of samples */
	const struct stream_format *stream;
} formats[] = {
	{ FORMAT("folded", ".folded", XP_EXPORT_ROOTS | XP_EXPORT_EVENTS,
		 "one line per call chain with its weight, as scripts for flame graphs read"),
	  .write = xp_format_folded },
	{ FORMAT("text", ".txt", XP_EXPORT_EVENTS,
		 "a table of functions, with and without what they call"),
	  .write = xp_format_text },
	{ FORMAT("pprof", ".pb.gz",
		 XP_EXPORT_EVENTS | XP_EXPORT_TASKS | XP_EXPORT_LINES | XP_EXPORT_ADDRESSES |
			 XP_EXPORT_LABELS,
		 "for go tool pprof, Pyroscope, Grafana and speedscope"),
	  .write = xp_format_pprof },
	{ FORMAT("otlp", ".otlp",
		 XP_EXPORT_EVENTS | XP_EXPORT_TASKS | XP_EXPORT_LINES | XP_EXPORT_ADDRESSES |
			 XP_EXPORT_LABELS,
		 "profiles of OpenTelemetry, in development there"),
	  .write = xp_format_otlp },
	{ FORMAT("speedscope", ".speedscope.json", XP_EXPORT_EVENTS | XP_EXPORT_TASKS,
		 "for speedscope.app, per event and thread"),
	  .write = xp_format_speedscope },
	{ FORMAT("callgrind", ".callgrind", XP_EXPORT_EVENTS | XP_EXPORT_LINES,
		 "for KCachegrind, QCachegrind and callgrind_annotate"),
	  .write = xp_format_callgrind },
	{ FORMAT("firefox", ".profile.json.gz",
		 XP_EXPORT_EVENTS | XP_EXPORT_SAMPLES | XP_EXPORT_ADDRESSES | XP_EXPORT_MARKS,
		 "for profiler.firefox.com, with a track per thread"),
	  .stream = &xp_stream_firefox },
	{ FORMAT("chrome", ".trace.json", XP_EXPORT_EVENTS | XP_EXPORT_SAMPLES | XP_EXPORT_MARKS,
		 "a timeline for ui.perfetto.dev and chrome://tracing"),
	  .stream = &xp_stream_chrome },
	{ FORMAT("sqlite", ".db", XP_EXPORT_EVENTS | XP_EXPORT_SAMPLES,
		 "a database of samples, call chains and threads"),
	  .stream = &xp_stream_sqlite },
	{ FORMAT("csv", ".csv", XP_EXPORT_EVENTS | XP_EXPORT_SAMPLES,
		 "a table of all samples for spreadsheets and databases"),
	  .stream = &xp_stream_csv },
	{ FORMAT("jsonl", ".jsonl", XP_EXPORT_EVENTS | XP_EXPORT_SAMPLES,
		 "all samples, one line of JSON each"),
	  .stream = &xp_stream_jsonl },
	{ FORMAT("svg", ".svg", XP_EXPORT_ROOTS | XP_EXPORT_BASE,
		 "a flame graph that browsers show, with zoom and search"),
	  .write = xp_format_svg },
	{ FORMAT("html", ".html",
		 XP_EXPORT_EVENTS | XP_EXPORT_TASKS | XP_EXPORT_BASE | XP_EXPORT_TIMES |
			 XP_EXPORT_NOTES | XP_EXPORT_CODE,
		 "a report for a browser, in one file: flame graph, functions, timeline"),
	  .write = xp_format_html },
};

const struct xp_export_format *xp_export_format_at(size_t idx)
{
	return idx < XP_ARRAY_LEN(formats) ? &formats[idx].shown : NULL;
}

static const struct format *find(const struct xp_export_format *shown)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(formats); i++)
		if (shown == &formats[i].shown)
			return &formats[i];
	return NULL;
}

const struct stream_format *xp_format_stream(const struct xp_export_format *shown)
{
	const struct format *format = find(shown);

	return format ? format->stream : NULL;
}

/* Whether it is a list of them that ends. */
static bool are_roots(const uint8_t by[8])
{
	size_t nr = 0;

	while (nr < 8 && by[nr] && by[nr] < XP_NR_BY)
		nr++;
	return nr < 8 && !by[nr];
}

int xp_export_open(struct export *export, const struct xp_tree *tree,
		   const struct xp_export_opts *opts, struct xp_diag *diag)
{
	int err = XP_OPTS_COPY(&export->opts, opts, struct xp_export_opts, base_event, diag);

	if (err)
		return err;
	if (!export->opts.write || !are_roots(export->opts.by))
		return -EINVAL;
	export->tree = tree;
	export->diag = diag;
	export->out = calloc(1, sizeof(*export->out));
	if (!export->out)
		return -ENOMEM;
	xp_out_init(export->out, export->opts.write, export->opts.data);
	return 0;
}

int xp_export_tree(const struct xp_tree *tree, const struct xp_export_format *shown,
		   const struct xp_export_opts *opts, struct xp_diag *diag)
{
	const struct format *format = find(shown);
	struct export export = { 0 };
	int err = format && format->write ? xp_export_open(&export, tree, opts, diag) : -EINVAL;

	if (err)
		return err;
	if (export.opts.event >= (int)tree->nr_events)
		err = -EINVAL;
	if (!err)
		err = format->write(&export);
	if (!err)
		err = xp_out_flush(export.out);
	free(export.out);
	return err;
}
