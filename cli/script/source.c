/* SPDX-License-Identifier: MIT */
/*
 * The source code of the line a sample was at. A thread's line is printed again only after another
 * one. Source of the layout: perf script, 6.1, measured.
 */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>

#include "index.h"
#include "script.h"
#include "source-files.h"
#include "vec.h"

/* What was printed last of a thread. */
struct last {
	int32_t tid;
	uint32_t line; /* 0: nothing yet */
	size_t source;
};

struct sources {
	struct source_files *files;
	struct last *last;
	size_t nr_threads;
	struct index by_tid;
	uint64_t seed;
};

struct sources *sources_new(void)
{
	struct sources *sources = calloc(1, sizeof(*sources));

	if (!sources)
		return NULL;
	sources->seed = xp_hash_seed();
	sources->files = source_files_new();
	if (sources->files)
		return sources;
	free(sources);
	return NULL;
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	source_files_free(sources->files);
	free(sources->last);
	index_fini(&sources->by_tid);
	free(sources);
}

/* Returns NULL without memory. */
static struct last *last_of(struct sources *sources, int32_t tid)
{
	uint64_t hash = xp_hash_word(sources->seed, (uint32_t)tid);
	size_t at;

	for (struct index_walk walk = index_walk(&sources->by_tid, hash); index_next(&walk, &at);)
		if (sources->last[at].tid == tid)
			return &sources->last[at];
	if (vec_add(&sources->last, sources->nr_threads, sizeof(*sources->last)) ||
	    index_add(&sources->by_tid, hash, sources->nr_threads))
		return NULL;
	sources->last[sources->nr_threads] = (struct last){ .tid = tid };
	return &sources->last[sources->nr_threads++];
}

/* --- printing --- */

static int show_line(struct script *script, int32_t tid, const struct xp_line *line)
{
	struct sources *sources = script->sources;
	struct last *last = last_of(sources, tid);
	size_t at;
	int err = last ? source_files_find(sources->files, line->file, &at) : -ENOMEM;
	char number[16];

	if (err || (last->line == line->line && last->source == at))
		return err;
	const char *text = source_files_line(sources->files, at, line->line);
	if (!text)
		return 0;
	snprintf(number, sizeof(number), "|%-8u ", (unsigned int)line->line);
	sink_text(&script->out, number);
	sink_tabbed(&script->out, text);
	sink_char(&script->out, '\n');
	*last = (struct last){ .tid = tid, .line = line->line, .source = at };
	return 0;
}

int source_show(struct script *script, const struct where *where, int32_t tid)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	const struct xp_line *lines;

	if (xp_resolver_frame(script->rec->resolver, where->pid, where->mode, where->ip, false,
			      where->time_ns, &frame))
		return -ENOMEM;
	int nr = xp_frame_lines(&frame, false, &lines);
	return nr > 0 && lines[0].file ? show_line(script, tid, &lines[0]) : nr < 0 ? nr : 0;
}
