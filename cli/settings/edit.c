/* SPDX-License-Identifier: MIT */
/* Changes one setting in the text of a file. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "settings.h"

/* The value as a file has it: in quotes if it would be read as something else without. */
static void print_value(FILE *out, const char *value)
{
	size_t len = strlen(value);
	bool is_quoted = strpbrk(value, "#;\"\\\n\t\b\r") ||
			 (len && (value[0] == ' ' || value[len - 1] == ' '));

	const char *quote = is_quoted ? "\"" : "";

	fputs(quote, out);
	for (; *value; value++) {
		static const char special[] = "\t\b\n\\\"", names[] = "tbn\\\"";
		const char *at = strchr(special, *value);

		if (at)
			fprintf(out, "\\%c", names[at - special]);
		else
			fputc(*value, out);
	}
	fputs(quote, out);
}

/* What is set, and where: between two bytes of the text that are left out. */
struct change {
	size_t begin, end;
	bool with_name, with_section;
};

static struct change find_place(const struct settings *settings, size_t len, const char *key)
{
	const struct setting *setting = settings_find(settings, key);
	size_t section_len = settings_section_len(key);

	if (setting)
		return (struct change){ setting->value_begin, setting->value_end, false, false };
	for (size_t i = settings->nr_sections; i-- > 0;) {
		const struct settings_section *section = &settings->sections[i];

		if (!strncmp(section->name, key, section_len) && !section->name[section_len])
			return (struct change){ section->end, section->end, true, false };
	}
	return (struct change){ len, len, true, true };
}

static void print_change(FILE *out, const struct change *change, const char *text, size_t len,
			 const char *key, const char *value)
{
	size_t section_len = settings_section_len(key);

	size_t at = change->begin;

	/* A backslash at the end continues the last value. */
	if (change->with_section && at &&
	    (text[at - 1] != '\n' || (at > 1 && text[at - 2] == '\\')))
		fputc('\n', out);
	if (change->with_section)
		fprintf(out, "[%.*s]", (int)section_len, key);
	if (change->with_name)
		fprintf(out, "\n\t%s = ", key + section_len + 1);
	print_value(out, value);
	if (change->with_section ||
	    (change->end < len && text[change->end] != '\n' && change->with_name))
		fputc('\n', out);
}

int settings_edit(const char *text, size_t len, const char *path, const char *key,
		  const char *value, char **ret_text, size_t *ret_len, struct xp_diag *diag)
{
	struct settings settings = { 0 };

	if (!settings_section_len(key))
		return xp_diag_set(diag, -EINVAL, "'%s' is no setting: it is section.name", key);
	int err = settings_parse(&settings, text, len, path, diag);
	struct change change = err ? (struct change){ 0 } : find_place(&settings, len, key);
	settings_fini(&settings);
	if (err)
		return err;
	FILE *out = open_memstream(ret_text, ret_len);
	if (!out)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	fwrite(text, 1, change.begin, out);
	print_change(out, &change, text, len, key, value);
	fwrite(text + change.end, 1, len - change.end, out);
	return fclose(out) ? xp_diag_set(diag, -ENOMEM, "Out of memory") : 0;
}
