/* SPDX-License-Identifier: MIT */
/* Values of the options that stat, stat report and compare share. */
#include "shared-options.h"

#include <string.h>

#include "option-parse.h"
#include "vec.h"

static const struct aggr_option {
	const char *name;
	enum xp_aggr_mode mode;
} aggr_options[] = {
	{ "no-aggr", XP_AGGR_CPU },         { "per-socket", XP_AGGR_SOCKET },
	{ "per-die", XP_AGGR_DIE },         { "per-core", XP_AGGR_CORE },
	{ "per-node", XP_AGGR_NODE },       { "per-thread", XP_AGGR_THREAD },
	{ "per-cluster", XP_AGGR_CLUSTER },
};

int stat_parse_aggr(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	(void)arg;
	for (size_t i = 0; i < sizeof(aggr_options) / sizeof(aggr_options[0]); i++)
		if (!strcmp(aggr_options[i].name, option->name))
			config->aggr_mode = negated ? XP_AGGR_GLOBAL : aggr_options[i].mode;
	return 0;
}

/* "L2" or "l2", as perf. */
int stat_parse_cache(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	if (arg && !negated &&
	    ((arg[0] != 'L' && arg[0] != 'l') || arg[1] < '1' ||
	     arg[1] > '0' + XP_CACHE_LEVEL_MAX || arg[2]))
		return option_error(option, "'%s' is no level of a cache: L1 to L%d", arg,
				    XP_CACHE_LEVEL_MAX);
	config->aggr_mode = negated ? XP_AGGR_GLOBAL : XP_AGGR_CACHE;
	config->cache_level = arg && !negated ? arg[1] - '0' : 0;
	return 0;
}

int stat_parse_separator(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	if (!negated && !*arg)
		return option_error(option, "the separator is empty");
	config->separator = negated ? NULL : !strcmp(arg, "\\t") ? "\t" : arg;
	return 0;
}

int stat_parse_json(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	if (negated) {
		config->json = config->document = false;
		return 0;
	}
	if (arg && strcmp(arg, "v1") != 0)
		return option_error(option, "'%s' is no version of the document: there is v1", arg);
	if (arg)
		config->document = true;
	else
		config->json = true;
	return 0;
}

int stat_parse_compat(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	if (!negated && strcmp(arg, "6") != 0 && strcmp(arg, "6.1") != 0 && strcmp(arg, "7") != 0)
		return option_error(option, "there is no output of perf '%s': choose 6 or 7", arg);
	config->perf7 = !negated && arg[0] == '7';
	return 0;
}

int stat_parse_metrics(const struct option *option, const char *arg, bool negated, void *values)
{
	struct stat_config *config = values;

	if (negated)
		return option_error(option, "metrics cannot be undone");
	if (vec_add(&config->metrics, (size_t)config->nr_metrics, sizeof(*config->metrics)))
		return option_error(option, "out of memory");
	config->metrics[config->nr_metrics++] = arg;
	return 0;
}
