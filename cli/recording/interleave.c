/* SPDX-License-Identifier: MIT */
/*
 * Source between instructions: the line an instruction is of, with those before it that were not
 * shown yet, where it is not the one that was shown last of its file. Source of the rule:
 * objdump(1), -S, of binutils 2.40, measured.
 */
#include "interleave.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec.h"

enum {
	BEFORE = 5, /* lines before one that is further down than any */
	NAME_ROOM = 4096,
};

struct shown_file {
	size_t file;
	uint32_t last, furthest; /* lines that were shown */
};

/* Directories at the beginning of an absolute path are replaced. Source: objdump(1), --prefix. */
static const char *source_path(const struct source_prefix *prefix, const char *file, char *buf)
{
	const char *rest = file;

	if (!prefix->directory || *file != '/')
		return file;
	for (int i = 0; i < prefix->strip; i++) {
		const char *slash = strchr(rest + 1, '/');

		if (!slash)
			break;
		rest = slash;
	}
	snprintf(buf, PATH_MAX, "%s%s", prefix->directory, rest);
	return buf;
}

static int find(struct interleaving *at, const char *file, struct shown_file **ret)
{
	char buf[PATH_MAX];
	size_t number;
	int err = source_files_find(at->files, source_path(&at->prefix, file, buf), &number);

	for (size_t i = 0; !err && i < at->nr_shown; i++)
		if (at->shown[i].file == number) {
			*ret = &at->shown[i];
			return 0;
		}
	if (!err)
		err = vec_add(&at->shown, at->nr_shown, sizeof(*at->shown));
	if (err)
		return err;
	at->shown[at->nr_shown] = (struct shown_file){ .file = number };
	*ret = &at->shown[at->nr_shown++];
	return 0;
}

/* Of a relative path, which is that of a package's build, the line at least is named. */
static void name_line(const struct code_line *line,
		      void (*fn)(uint32_t number, const char *text, void *data), void *data)
{
	char text[PATH_MAX + 16];

	if (*line->file == '/')
		return;
	snprintf(text, sizeof(text), "%s:%u", line->file, (unsigned int)line->line);
	fn(0, text, data);
}

static int show_lines(struct interleaving *at, const struct code_line *line,
		      void (*fn)(uint32_t number, const char *text, void *data), void *data)
{
	struct shown_file *shown;
	int err = find(at, line->file, &shown);
	uint32_t from = line->line;

	if (err || shown->last == line->line)
		return err;
	shown->last = line->line;
	if (!source_files_line(at->files, shown->file, line->line)) {
		name_line(line, fn, data);
		return 0;
	}
	if (line->line > shown->furthest) {
		from = line->line > BEFORE ? line->line - BEFORE : 1;
		from = from > shown->furthest ? from : shown->furthest + 1;
		shown->furthest = line->line;
	}
	for (; from <= line->line; from++) {
		const char *text = source_files_line(at->files, shown->file, from);

		if (text)
			fn(from, text, data);
	}
	return 0;
}

/* Where an inlined function begins, and where the function goes on after it. */
static void show_function(struct interleaving *at, const struct code_line *line,
			  void (*fn)(uint32_t number, const char *text, void *data), void *data)
{
	const char *name = line->function ? line->function : at->function;
	char text[NAME_ROOM];

	if (strcmp(name, at->inlined) != 0) {
		snprintf(text, sizeof(text), "%s():", name);
		fn(0, text, data);
	}
	at->inlined = name;
}

int interleave(struct interleaving *at, const struct code_line *line,
	       void (*fn)(uint32_t number, const char *text, void *data), void *data)
{
	if (!line->file || !line->line)
		return 0;
	show_function(at, line, fn, data);
	return show_lines(at, line, fn, data);
}

void interleaving_begin(struct interleaving *at, const char *function)
{
	free(at->shown);
	at->shown = NULL;
	at->nr_shown = 0;
	at->function = at->inlined = function;
}

void interleaving_fini(struct interleaving *at)
{
	free(at->shown);
	source_files_free(at->files);
}
