/* SPDX-License-Identifier: MIT */
/*
 * Source between instructions: the line an instruction is of, with those before it that were not
 * shown yet, where the line changes. Source of the rule: objdump(1), -S, of binutils 2.40,
 * measured.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "vec.h"

enum { BEFORE = 5 }; /* lines before one that is further down than any */

struct shown_file {
	size_t file;
	uint32_t last; /* the furthest line that was shown */
};

/* Directories at the beginning of an absolute path are replaced. Source: objdump(1), --prefix. */
const char *source_path(const struct values *values, const char *file, char *buf)
{
	const char *rest = file;

	if (!values->prefix || *file != '/')
		return file;
	for (int i = 0; i < values->prefix_strip; i++) {
		const char *slash = strchr(rest + 1, '/');

		if (!slash)
			break;
		rest = slash;
	}
	snprintf(buf, PATH_MAX, "%s%s", values->prefix, rest);
	return buf;
}

static int find(struct interleaving *at, const char *file, struct shown_file **ret)
{
	char buf[PATH_MAX];
	size_t number;
	int err = source_files_find(at->files, source_path(at->values, file, buf), &number);

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

static const char *trimmed(const char *text)
{
	return text + strspn(text, " \t");
}

static int show_lines(struct interleaving *at, const struct code_line *line,
		      void (*fn)(uint32_t number, const char *text, void *data), void *data)
{
	struct shown_file *shown;
	int err = find(at, line->file, &shown);
	uint32_t from = line->line;

	if (err)
		return err;
	if (line->line > shown->last) {
		from = line->line > BEFORE ? line->line - BEFORE : 1;
		from = from > shown->last ? from : shown->last + 1;
		shown->last = line->line;
	}
	for (; from <= line->line; from++) {
		const char *text = source_files_line(at->files, shown->file, from);

		if (text)
			fn(from, trimmed(text), data);
	}
	return 0;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

int interleave(struct interleaving *at, const struct code_line *line,
	       void (*fn)(uint32_t number, const char *text, void *data), void *data)
{
	char name[512];

	if (!line->file || !line->line)
		return 0;
	if (at->file && !is_same(line->function, at->function) && line->function) {
		snprintf(name, sizeof(name), "%s():", line->function);
		fn(0, name, data);
	}
	bool is_new = at->line != line->line || !is_same(at->file, line->file);
	at->file = line->file;
	at->function = line->function;
	at->line = line->line;
	return is_new ? show_lines(at, line, fn, data) : 0;
}

void interleaving_reset(struct interleaving *at)
{
	at->nr_shown = 0;
	free(at->shown);
	at->shown = NULL;
	at->file = at->function = NULL;
	at->line = 0;
}

void interleaving_fini(struct interleaving *at)
{
	interleaving_reset(at);
	source_files_free(at->files);
}
