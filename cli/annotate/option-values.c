/* SPDX-License-Identifier: MIT */
/* Values of the options of `xperf annotate`, checked. */
#include "option-values.h"

#include <stdio.h>
#include <string.h>

#include "annotate.h"
#include "screen.h"

int annotate_percent_type(const struct option *option, const char *arg, bool negated, void *data)
{
	return option_percent_type(option, arg, negated, &((struct values *)data)->percent_type);
}

int annotate_style(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;

	values->intel = !negated && !strcmp(arg, "intel");
	if (!negated && !values->intel && strcmp(arg, "att") != 0)
		return option_error(option, "'%s' is neither intel nor att", arg);
	return 0;
}

int annotate_limit(const struct option *option, const char *arg, bool negated, void *data)
{
	return option_percent(option, arg, negated, &((struct values *)data)->percent_limit);
}

int annotate_color(const struct option *option, const char *arg, bool negated, void *data)
{
	return option_color(option, arg, negated, &((struct values *)data)->color);
}

/* Overrides the default of a file of settings. */
int annotate_tui(const struct option *option, const char *arg, bool negated, void *data)
{
	const char *obstacle = negated ? NULL : screen_obstacle();

	(void)arg;
	((struct values *)data)->stdio = negated;
	if (obstacle)
		fprintf(stderr, "Warning: --%s is not available: %s; --stdio is used\n",
			option->name, obstacle);
	return 0;
}

/* Views that other versions of perf have. */
int annotate_view(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;

	(void)arg;
	values->not_available = negated ? NULL : option->name;
	return 0;
}
