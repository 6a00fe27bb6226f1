/* SPDX-License-Identifier: MIT */
/* Values that options of several commands have, checked. */
#include "option-parse.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

int option_percent(const struct option *option, const char *arg, bool negated, double *ret_percent)
{
	char *end = NULL;
	double percent = negated ? 0 : strtod(arg, &end);

	if (!negated &&
	    (end == arg || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 100)))
		return option_error(option, "'%s' is not a percentage", arg);
	*ret_percent = percent;
	return 0;
}

int option_color(const struct option *option, const char *arg, bool negated, bool *ret_color)
{
	*ret_color = !negated && !strcmp(arg, "always");
	if (negated || *ret_color || !strcmp(arg, "never"))
		return 0;
	if (strcmp(arg, "auto") != 0)
		return option_error(option, "'%s' is not always, never or auto", arg);
	*ret_color = isatty(STDOUT_FILENO);
	return 0;
}

const struct percent_type percent_types[] = {
	{ "local-period", "local period", false, false },
	{ "global-period", "global period", true, false },
	{ "local-hits", "local hits", false, true },
	{ "global-hits", "global hits", true, true },
	{ 0 },
};

int option_percent_type(const struct option *option, const char *arg, bool negated,
			const struct percent_type **ret_type)
{
	const struct percent_type *type = percent_types;

	while (!negated && type->name && strcmp(type->name, arg) != 0)
		type++;
	if (!type->name)
		return option_error(option,
				    "'%s' is not one of local-period, global-period, local-hits, "
				    "global-hits",
				    arg);
	*ret_type = type;
	return 0;
}

bool option_is_one_of(const char *word, const char *words)
{
	size_t len = strlen(word);

	for (const char *at = words; *at; at += strcspn(at, "|"), at += *at == '|')
		if (strcspn(at, "|") == len && !strncmp(at, word, len))
			return true;
	return false;
}

int option_ignore(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)values;
	if (negated || !option->value)
		return 0;
	if (strchr(option->value, '|') && !option_is_one_of(arg, option->value))
		return option_error(option, "'%s' is not one of %s", arg, option->value);
	if (!strcmp(option->value, "n") &&
	    (!*arg || strspn(arg, "0123456789") != strlen(arg) || strlen(arg) > 9))
		return option_error(option, "'%s' is not a number", arg);
	return 0;
}

int option_refuse(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)arg;
	(void)values;
	return negated ? 0 : option_error(option, "%s", option->help);
}

int option_note(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)arg;
	*(const char **)((char *)values + option->offset) = negated ? NULL : option->name;
	return 0;
}
