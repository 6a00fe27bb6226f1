/* SPDX-License-Identifier: MIT */
/* Values of the options of `xperf annotate`, checked. */
#include "option-values.h"

#include <string.h>

#include "annotate.h"

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

/* Views that other versions of perf have. */
int annotate_view(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;

	(void)arg;
	values->not_available = negated ? NULL : option->name;
	return 0;
}

/* What there is nothing to do for in here, by option. */
int annotate_refuse(const struct option *option, const char *arg, bool negated, void *data)
{
	static const struct {
		const char *name, *why;
	} reasons[] = {
		{ "dump-raw-trace", "records are shown by script -D" },
		{ "itrace", "traces of the AUX area are not decoded" },
		{ "data-type", "types of data are not known here" },
		{ "type-stat", "types of data are not known here" },
		{ "code-with-type", "types of data are not known here" },
		{ "insn-stat", "types of data are not known here" },
	};

	(void)arg;
	(void)data;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && !negated; i++)
		if (!strcmp(reasons[i].name, option->name))
			return option_error(option, "%s", reasons[i].why);
	return 0;
}

/* Values of what is done without other programs. */
int annotate_nothing(const struct option *option, const char *arg, bool negated, void *data)
{
	(void)option, (void)arg, (void)negated, (void)data;
	return 0;
}
