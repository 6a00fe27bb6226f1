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
