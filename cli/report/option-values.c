/* SPDX-License-Identifier: MIT */
/* Values of the options of `xperf report`, checked. */
#include "option-values.h"

#include <string.h>

#include "option-parse.h"
#include "report.h"

int report_graph(const struct option *option, const char *arg, bool negated, void *data)
{
	/* Source: perf-report(1), "--call-graph". */
	static const char without_value[] = "graph,0.5,caller,function,percent";
	struct values *values = data;

	if (negated) {
		values->show.graph.mode = GRAPH_NONE;
		return 0;
	}
	values->show.graph.is_given = true;
	return report_graph_default(option, arg ? arg : without_value, false, data);
}

/* What a later -g changes, without asking for call chains. */
int report_graph_default(const struct option *option, const char *arg, bool negated, void *data)
{
	if (negated || graph_parse(arg, &((struct values *)data)->show.graph))
		return 0;
	return option_error(option,
			    "'%s' is not one of graph, flat, fractal, folded, none; a threshold; "
			    "caller, callee; function, address, srcline; percent, period, count",
			    arg);
}

/* Of rows, and of the call chains below them; a later -g can change the latter. */
int report_percent_limit(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;
	double limit;

	if (option_percent(option, arg, negated, &limit))
		return -1;
	values->show.percent_limit = values->show.graph.min_percent = limit;
	return 0;
}

int report_threshold_default(const struct option *option, const char *arg, bool negated, void *data)
{
	return option_percent(option, arg, negated,
			      &((struct values *)data)->show.graph.min_percent);
}

int report_color(const struct option *option, const char *arg, bool negated, void *data)
{
	return option_color(option, arg, negated, &((struct values *)data)->show.color);
}

int report_pretty(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;

	values->show.raw_counts = !negated && !strcmp(arg, "raw");
	if (!negated && !values->show.raw_counts && strcmp(arg, "normal") != 0)
		return option_error(option, "'%s' is neither normal nor raw", arg);
	return 0;
}

int report_ignore(const struct option *option, const char *arg, bool negated, void *data)
{
	struct values *values = data;
	const char **names = values->show.without_effect;
	size_t nr = 0;
	int err = option_ignore(option, arg, negated, data);

	while (names[nr] && names[nr] != option->name)
		nr++;
	if (!err && !negated && nr + 1 < sizeof(values->show.without_effect) / sizeof(names[0]))
		names[nr] = option->name;
	return err;
}

/* The share that annotated code shows, of which there is none. */
int report_percent_type(const struct option *option, const char *arg, bool negated, void *data)
{
	const struct percent_type *type;

	return option_percent_type(option, arg, negated, &type)
		       ?: report_ignore(option, NULL, negated, data);
}
