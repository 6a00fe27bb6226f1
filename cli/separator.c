/* SPDX-License-Identifier: MIT */
/* "-t": the text between the columns of report and diff. Source of its rules: perf 6.1. */
#include "separator.h"

#include <string.h>

enum { STAND_IN = '.' };

int separator_parse(const struct option *option, const char *arg, bool negated, void *values)
{
	const char **separator = (const char **)((char *)values + option->offset);

	if (!negated && *arg == STAND_IN)
		return option_error(option, "a separator cannot start with '.', which replaces "
					    "separators inside names");
	*separator = negated || !*arg ? NULL : arg;
	return 0;
}

void separator_hide(char *name, const char *separator)
{
	while (separator && (name = strchr(name, *separator)) != NULL)
		*name = STAND_IN;
}
