/* SPDX-License-Identifier: MIT */
/* Parses the text of a file of settings, which anybody may have written. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "settings.h"
#include "vec.h"

struct parser {
	struct settings *settings;
	const char *text, *at, *end;
	const char *path;
	char *word; /* as long as the text: what is being read, without quotes */
	int line;
	struct xp_diag *diag;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

/* The next character; a newline at the end. */
static char peek(const struct parser *p)
{
	return p->at < p->end ? *p->at : '\n';
}

static int fail(struct parser *p, const char *what)
{
	return xp_diag_set(p->diag, -EINVAL, "%s, line %d: %s", p->path, p->line, what);
}

static size_t end_of_line(const struct parser *p)
{
	const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));

	return (size_t)((newline ? newline : p->end) - p->text);
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
}

/* --- "[section]", '[section "sub"]' --- */

static int add_section(struct parser *p, size_t len, size_t begin)
{
	struct settings *settings = p->settings;
	struct settings_section *before =
		settings->nr_sections ? &settings->sections[settings->nr_sections - 1] : NULL;

	/* Two headings in one line: nothing of the first is after the second. */
	if (before && before->end > begin)
		before->end = begin;
	if (vec_add(&settings->sections, settings->nr_sections, sizeof(*settings->sections)))
		return -ENOMEM;
	char *name = strndup(p->word, len);
	if (!name)
		return -ENOMEM;
	settings->sections[settings->nr_sections++] =
		(struct settings_section){ name, end_of_line(p) };
	return 0;
}

/* After the quote that begins it. */
static int parse_subsection(struct parser *p, size_t *len)
{
	p->word[(*len)++] = '.';
	for (; peek(p) != '"'; p->at++) {
		if (peek(p) == '\\')
			p->at++;
		if (peek(p) == '\n')
			return fail(p, "the quote of the section's name is not closed");
		p->word[(*len)++] = *p->at;
	}
	p->at++;
	return 0;
}

static int parse_section(struct parser *p)
{
	size_t len = 0, begin = (size_t)(p->at - p->text);
	int err = 0;

	p->at++;
	skip_blanks(p);
	while (is_name(peek(p)) || peek(p) == '.')
		p->word[len++] = *p->at++;
	skip_blanks(p);
	if (len && peek(p) == '"') {
		p->at++;
		err = parse_subsection(p, &len);
		skip_blanks(p);
	}
	if (err)
		return err;
	if (!len)
		return fail(p, "the name of the section is missing");
	if (peek(p) != ']')
		return fail(p, "']' is missing after the name of the section");
	p->at++;
	return add_section(p, len, begin);
}

/* --- "name = value" --- */

/* What a backslash stands for; a newline is left out. Returns 0; -EINVAL: nothing. */
static int parse_escape(struct parser *p, size_t *len)
{
	static const char names[] = "tbn\\\"", values[] = "\t\b\n\\\"";
	const char *name;

	p->at++;
	if (p->at < p->end && *p->at == '\n') {
		p->line++;
		return 0;
	}
	name = p->at < p->end ? memchr(names, *p->at, sizeof(names) - 1) : NULL;
	if (!name)
		return fail(p, "'\\' is followed by none of t, b, n, \\, \" and the end of the "
			       "line");
	p->word[(*len)++] = values[name - names];
	return 0;
}

/* Up to the end of the line or a comment, without blanks at the end that are not quoted. */
static int parse_value(struct parser *p, struct setting *setting, size_t *ret_len)
{
	size_t len = 0, used = 0;
	bool is_quoted = false;
	int err = 0;

	skip_blanks(p);
	setting->value_begin = setting->value_end = (size_t)(p->at - p->text);
	for (; p->at < p->end && *p->at != '\n'; p->at++) {
		bool is_space = !is_quoted && is_blank(*p->at);

		if (!is_quoted && (*p->at == '#' || *p->at == ';'))
			break;
		if (*p->at == '"')
			is_quoted = !is_quoted;
		else if (*p->at == '\\')
			err = parse_escape(p, &len);
		else
			p->word[len++] = *p->at;
		if (err)
			return err;
		if (is_space)
			continue;
		used = len;
		setting->value_end = (size_t)(p->at - p->text) + 1;
	}
	*ret_len = used;
	return is_quoted ? fail(p, "the quote of the value is not closed") : 0;
}

static int add_setting(struct parser *p, struct setting *setting, const char *name, size_t name_len,
		       size_t value_len)
{
	struct settings *settings = p->settings;
	struct settings_section *section = &settings->sections[settings->nr_sections - 1];
	size_t section_len = strlen(section->name);

	if (vec_add(&settings->settings, settings->nr_settings, sizeof(*settings->settings)))
		return -ENOMEM;
	setting->key = malloc(section_len + name_len + 2);
	setting->value = strndup(p->word, value_len);
	if (!setting->key || !setting->value) {
		free(setting->key);
		free(setting->value);
		return -ENOMEM;
	}
	memcpy(setting->key, section->name, section_len);
	setting->key[section_len] = '.';
	memcpy(setting->key + section_len + 1, name, name_len);
	setting->key[section_len + 1 + name_len] = '\0';
	settings->settings[settings->nr_settings++] = *setting;
	section->end = end_of_line(p);
	return 0;
}

static int parse_setting(struct parser *p)
{
	struct setting setting = { .path = p->path, .line = p->line };
	const char *name = p->at;
	size_t value_len;

	while (is_name(peek(p)))
		p->at++;
	size_t name_len = (size_t)(p->at - name);
	if (!name_len)
		return fail(p, "this is neither \"[section]\" nor \"name = value\"");
	if (!p->settings->nr_sections)
		return fail(p, "a setting comes before the first section");
	skip_blanks(p);
	if (peek(p) != '=')
		return fail(p, "'=' is missing after the name of the setting");
	p->at++;
	int err = parse_value(p, &setting, &value_len);
	return err ? err : add_setting(p, &setting, name, name_len, value_len);
}

static int parse_all(struct parser *p)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some editors write first */
	int err = 0;

	if (p->end - p->at >= 3 && !memcmp(p->at, mark, 3))
		p->at += 3;
	while (p->at < p->end && !err) {
		if (*p->at == '\n')
			p->line++;
		if (*p->at == '\n' || is_blank(*p->at))
			p->at++;
		else if (*p->at == '#' || *p->at == ';')
			p->at = p->text + end_of_line(p);
		else
			err = *p->at == '[' ? parse_section(p) : parse_setting(p);
	}
	return err;
}

static void free_sections(struct settings *settings)
{
	for (size_t i = 0; i < settings->nr_sections; i++)
		free(settings->sections[i].name);
	free(settings->sections);
	settings->sections = NULL;
	settings->nr_sections = 0;
}

/* The copy of a file's name that its settings share. */
static const char *add_path(struct settings *settings, const char *path)
{
	char *copy = strdup(path);

	if (!copy || vec_add(&settings->paths, settings->nr_paths, sizeof(*settings->paths))) {
		free(copy);
		return NULL;
	}
	return settings->paths[settings->nr_paths++] = copy;
}

int settings_parse(struct settings *settings, const char *text, size_t len, const char *path,
		   struct xp_diag *diag)
{
	struct parser p = { .settings = settings,
			    .text = text,
			    .at = text,
			    .end = text + len,
			    .path = add_path(settings, path),
			    .word = malloc(len + 1),
			    .line = 1,
			    .diag = diag };
	int err = p.path && p.word ? 0 : -ENOMEM;

	free_sections(settings);
	if (!err && memchr(text, '\0', len))
		err = xp_diag_set(diag, -EINVAL, "%s: this is no text", path);
	if (!err)
		err = parse_all(&p);
	free(p.word);
	return err == -ENOMEM ? xp_diag_set(diag, err, "Out of memory") : err;
}

void settings_fini(struct settings *settings)
{
	for (size_t i = 0; i < settings->nr_settings; i++) {
		free(settings->settings[i].key);
		free(settings->settings[i].value);
	}
	for (size_t i = 0; i < settings->nr_paths; i++)
		free(settings->paths[i]);
	free_sections(settings);
	free(settings->settings);
	free(settings->paths);
	*settings = (struct settings){ 0 };
}

const struct setting *settings_find(const struct settings *settings, const char *key)
{
	for (size_t i = settings->nr_settings; i-- > 0;)
		if (!strcmp(settings->settings[i].key, key))
			return &settings->settings[i];
	return NULL;
}

size_t settings_section_len(const char *key)
{
	const char *dot = strrchr(key, '.');

	if (!dot || dot == key || !dot[1])
		return 0;
	for (const char *c = key; *c; c++)
		if (!is_name(*c) && *c != '.')
			return 0;
	return (size_t)(dot - key);
}
