/* SPDX-License-Identifier: MIT */
/* Files of metrics: "field: value" by lines, xperf-metrics(5). */
#include "defs-impl.h"
#include "vec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cleanup.h"
#include "str.h"
#include "utf8.h"

enum { FILE_BYTES_MAX = 1 << 20, METRICS_MAX = 10000, NAME_LEN_MAX = 100 };

static const char group_field[] = "group";

struct file {
	struct xp_metric_defs *defs; /* of this file */
	const char *origin;
	struct xp_diag *diag;
	const char *at, *end;
	int line;

	struct metric *metric; /* the one that is read; NULL: none */
	struct group *group;   /* the one metrics are in; NULL: none */
};

static int wrong(const struct file *file, int line, const char *fmt, ...) XP_PRINTF(3, 4);

static int wrong(const struct file *file, int line, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return xp_diag_set(file->diag, -EINVAL, "%s:%d: %s", file->origin, line, text);
}

static int no_memory(const struct file *file)
{
	return xp_diag_set(file->diag, -ENOMEM, "Out of memory");
}

/* --- lines --- */

/* Ends a text at the end of its line. */
static size_t line_len(const struct file *file)
{
	const char *newline = memchr(file->at, '\n', (size_t)(file->end - file->at));

	return (size_t)((newline ? newline : file->end) - file->at);
}

static void skip_line(struct file *file)
{
	size_t len = line_len(file);

	file->at += len;
	file->at += file->at < file->end;
	file->line++;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Appends what is in a line, without blanks around it; tabs become blanks. */
static int append(struct xp_str *value, const char *text, size_t len)
{
	while (len && is_blank(text[0])) {
		text++;
		len--;
	}
	while (len && is_blank(text[len - 1]))
		len--;
	if (len && value->len && xp_str_add(value, " ", 1))
		return -ENOMEM;
	for (size_t i = 0; i < len; i++)
		if (xp_str_add(value, text[i] == '\t' ? " " : &text[i], 1))
			return -ENOMEM;
	return 0;
}

/* The value of a field, with the lines after it that begin with a blank. */
static int read_value(struct file *file, size_t skip, struct xp_str *value)
{
	int err = append(value, file->at + skip, line_len(file) - skip);

	skip_line(file);
	while (!err && file->at < file->end && is_blank(*file->at)) {
		err = append(value, file->at, line_len(file));
		skip_line(file);
	}
	return err;
}

/* --- fields --- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Names are written in formulas and lists as they are. */
static int check_name(const struct file *file, int line, const char *name)
{
	static const char *const words[] = { "all", "if",      "else",      "min",
					     "max", "d_ratio", "has_event", "source_count" };
	size_t len = 0;

	while (is_letter(name[len]) ||
	       (len && ((name[len] >= '0' && name[len] <= '9') || name[len] == '.')))
		len++;
	if (!len || name[len] || len > NAME_LEN_MAX)
		return wrong(file, line,
			     "A name consists of at most %d letters, digits, '_' and '.', and "
			     "begins with a letter",
			     NAME_LEN_MAX);
	for (size_t i = 0; i < XP_ARRAY_LEN(words); i++)
		if (!strcmp(words[i], name))
			return wrong(file, line, "'%s' has a meaning in formulas: it is no name",
				     name);
	return 0;
}

/* Completes the metric that is read. */
static int end_metric(struct file *file)
{
	struct metric *metric = file->metric;
	int err;

	if (!metric)
		return 0;
	for (int i = 0; i < NR_FIELDS; i++)
		if (xp_metric_fields[i].is_required && !metric->values[i])
			return wrong(file, metric->def.line, "The metric %s has no %s",
				     metric->values[FIELD_METRIC], xp_metric_fields[i].name);
	err = xp_metric_complete(metric, file->defs, file->origin, file->diag);
	if (err)
		return err;
	if (xp_metric_defs_find(file->defs, metric->def.name))
		return wrong(file, metric->def.line, "There are two metrics %s", metric->def.name);
	if (file->defs->nr == METRICS_MAX)
		return wrong(file, metric->def.line, "There are more than %d metrics", METRICS_MAX);
	if (vec_add(&file->defs->at, (size_t)file->defs->nr, sizeof(struct metric *)))
		return no_memory(file);
	file->defs->at[file->defs->nr++] = metric;
	file->metric = NULL;
	return 0;
}

static int begin_metric(struct file *file, int line)
{
	int err = end_metric(file);

	if (err)
		return err;
	file->metric = calloc(1, sizeof(*file->metric));
	if (!file->metric)
		return no_memory(file);
	file->metric->def.line = line;
	if (!file->group)
		return 0;
	file->metric->groups = strdup(file->group->name);
	return file->metric->groups ? 0 : no_memory(file);
}

static int begin_group(struct file *file, int line, const char *name)
{
	int err = end_metric(file) ?: check_name(file, line, name);

	if (err)
		return err;
	file->group = xp_metric_group_get(file->defs, name, strlen(name));
	return file->group ? 0 : no_memory(file);
}

static int set_group_text(const struct file *file, int line, char **value)
{
	if (!file->group)
		return wrong(file, line, "Before this, '%s:' or '%s:' is missing",
			     xp_metric_fields[FIELD_METRIC].name, group_field);
	if (file->group->text)
		return wrong(file, line, "The group %s has two texts", file->group->name);
	file->group->text = *value;
	file->group->shown.text = *value;
	*value = NULL;
	return 0;
}

/* A field of the metric that is read; owns *value on success. */
static int set_field(struct file *file, enum field field, int line, char **value)
{
	int err = 0;

	if (!**value)
		return wrong(file, line, "'%s:' has no value", xp_metric_fields[field].name);
	if (field == FIELD_TEXT && !file->metric)
		return set_group_text(file, line, value);
	if (field == FIELD_METRIC)
		err = check_name(file, line, *value) ?: begin_metric(file, line);
	if (err)
		return err;
	if (!file->metric)
		return wrong(file, line, "Before this, '%s:' is missing",
			     xp_metric_fields[FIELD_METRIC].name);
	if (file->metric->values[field])
		return wrong(file, line, "The metric %s has '%s:' twice",
			     file->metric->values[FIELD_METRIC], xp_metric_fields[field].name);
	file->metric->values[field] = *value;
	*value = NULL;
	return 0;
}

static int unknown_field(const struct file *file, const char *name, size_t len)
{
	struct xp_suggest suggest = { .word = name, .len = len };
	const char *tab = memchr(name, '\t', len);
	size_t shown = tab ? (size_t)(tab - name) : len;

	for (int i = 0; i < NR_FIELDS; i++)
		xp_suggest_offer(&suggest, xp_metric_fields[i].name);
	xp_suggest_offer(&suggest, group_field);
	return wrong(file, file->line, "There is no field '%.*s'%s%s%s",
		     (int)(shown < NAME_LEN_MAX ? shown : NAME_LEN_MAX), name,
		     suggest.best ? "; did you mean '" : "", suggest.best ? suggest.best : "",
		     suggest.best ? "'?" : "");
}

/* Which field a name is; NR_FIELDS: that of a group; -1: none. */
static int field_of(const char *name, size_t len)
{
	for (int i = 0; i < NR_FIELDS; i++)
		if (strlen(xp_metric_fields[i].name) == len &&
		    !memcmp(xp_metric_fields[i].name, name, len))
			return i;
	return len == strlen(group_field) && !memcmp(group_field, name, len) ? NR_FIELDS : -1;
}

static int read_field(struct file *file)
{
	const char *colon = memchr(file->at, ':', line_len(file));
	size_t len = colon ? (size_t)(colon - file->at) : 0;
	int line = file->line, field;
	struct xp_str value = { 0 };
	char *text;
	int err;

	if (!colon)
		return wrong(file, line, "A line has a field and its value: 'formula: a / b'");
	field = field_of(file->at, len);
	if (field < 0)
		return unknown_field(file, file->at, len);
	err = read_value(file, len + 1, &value);
	text = err ? NULL : strdup(xp_str_text(&value));
	xp_str_fini(&value);
	if (!text)
		return no_memory(file);
	if (field == NR_FIELDS)
		err = begin_group(file, line, text);
	else
		err = set_field(file, (enum field)field, line, &text);
	free(text);
	return err;
}

/* What is shown on terminals has no bytes that do something there. */
static int check_bytes(const struct file *file)
{
	size_t nr = line_len(file);
	char line[NAME_LEN_MAX + 1];

	for (size_t i = 0, len; i < nr; i += len) {
		const unsigned char *c = (const unsigned char *)file->at + i;

		len = 1;
		if (*c == '\t' || (*c >= ' ' && *c < 0x7f))
			continue;
		/* A character is looked at with the bytes after it, which may not be there. */
		snprintf(line, sizeof(line), "%.*s", (int)(nr - i < 8 ? nr - i : 8),
			 (const char *)c);
		len = utf8_len((const unsigned char *)line);
		if (!len || utf8_is_control((const unsigned char *)line, len))
			return wrong(file, file->line, "This line has bytes that are no text");
	}
	return 0;
}

static int read_line(struct file *file)
{
	size_t nr_blanks = 0, nr = line_len(file);

	while (nr_blanks < nr && is_blank(file->at[nr_blanks]))
		nr_blanks++;
	if (nr_blanks == nr || *file->at == '#') {
		skip_line(file);
		return 0;
	}
	if (nr_blanks)
		return wrong(file, file->line,
			     "This line continues nothing: fields begin at the margin");
	return read_field(file);
}

static int check_all_bytes(const struct file *file)
{
	struct file each = *file;
	int err = 0;

	while (!err && each.at < each.end) {
		err = check_bytes(&each);
		skip_line(&each);
	}
	return err;
}

/* --- sets --- */

/* Where the metric of this name is, or goes. Returns -1 without memory. */
static int place_of(struct xp_metric_defs *defs, const char *name)
{
	for (int i = 0; i < defs->nr; i++)
		if (!strcmp(defs->at[i]->def.name, name))
			return i;
	if (vec_add(&defs->at, (size_t)defs->nr, sizeof(struct metric *)))
		return -1;
	defs->at[defs->nr] = NULL;
	return defs->nr++;
}

/* Moves all that a file has into the set. */
static int move(struct xp_metric_defs *from, struct xp_metric_defs *to, const struct file *file)
{
	for (int i = 0; i < from->nr_groups; i++) {
		struct group *group = from->groups[i];
		struct group *there = xp_metric_group_get(to, group->name, strlen(group->name));

		if (!there)
			return no_memory(file);
		if (!group->text)
			continue;
		free(there->text);
		there->text = group->text;
		there->shown.text = group->text;
		group->text = NULL;
	}
	for (int i = 0; i < from->nr; i++) {
		int place = place_of(to, from->at[i]->def.name);

		if (place < 0)
			return no_memory(file);
		xp_metric_free(to->at[place]);
		to->at[place] = from->at[i];
		from->at[i] = NULL;
	}
	return 0;
}

int xp_metric_defs_parse(struct xp_metric_defs *defs, const char *text, size_t len,
			 const char *origin, struct xp_diag *diag)
{
	struct file file = {
		.origin = origin, .diag = diag, .at = text, .end = text + len, .line = 1
	};
	int err;

	if (len > FILE_BYTES_MAX)
		return xp_diag_set(diag, -E2BIG, "%s is larger than %d bytes", origin,
				   FILE_BYTES_MAX);
	if (xp_metric_defs_new(&file.defs))
		return no_memory(&file);
	err = check_all_bytes(&file);
	while (!err && file.at < file.end)
		err = read_line(&file);
	if (!err)
		err = end_metric(&file);
	if (!err)
		err = move(file.defs, defs, &file);
	xp_metric_free(file.metric);
	xp_metric_defs_free(file.defs);
	return err;
}
