/* SPDX-License-Identifier: MIT */
/* Which samples the user wants to see. */
#include <errno.h>

#include "script.h"

static bool is_in_time(const struct script *script, uint64_t time_ns)
{
	for (int i = 0; i < script->nr_ranges; i++)
		if (time_ns >= script->ranges[i].first_ns && time_ns <= script->ranges[i].last_ns)
			return true;
	return !script->nr_ranges;
}

static bool is_named(const struct view *view, const char *name)
{
	return name && !strcmp(view->plain_name, name);
}

/* Between the events of --switch-on and --switch-off; those themselves only if asked for. */
static bool is_on(struct script *script, const struct view *view)
{
	const struct values *values = script->config->values;

	if (!values->switch_on && !values->switch_off)
		return true;
	if (script->is_off && is_named(view, values->switch_on)) {
		script->is_off = false;
		return values->show_on_off;
	}
	if (!script->is_off && is_named(view, values->switch_off)) {
		script->is_off = true;
		return values->show_on_off;
	}
	return !script->is_off;
}

bool filter_wants(struct script *script, const struct view *view, const struct xp_sample_id *id)
{
	const struct config *config = script->config;

	return is_in_time(script, id->time_ns == XP_NO_TIME ? XP_NO_TIME : script->now) &&
	       is_on(script, view) &&
	       (!config->cpus || xp_cpus_find(config->cpus, (struct xp_cpu){ id->cpu }) >= 0) &&
	       list_allows_number(&config->pids, id->pid) &&
	       list_allows_number(&config->tids, id->tid) &&
	       (!config->comms.nr ||
		list_allows(&config->comms,
			    xp_timeline_comm_at(script->timeline, id->pid, id->tid, id->time_ns)));
}

static bool is_at(const struct config *config, uint64_t ip)
{
	for (int i = 0; i < config->nr_addresses; i++)
		if (ip >= config->addresses[i] && ip - config->addresses[i] <= config->addr_range)
			return true;
	return false;
}

int filter_wants_place(struct script *script, const struct xp_sample *sample)
{
	const struct config *config = script->config;
	bool by_symbol = config->symbols.nr || config->nr_addresses;
	struct xp_frame frame;

	if (!config->dsos.nr && !by_symbol)
		return true;
	if (xp_resolver_frame(script->resolver, sample->id.pid,
			      sample->record->misc & XP_MISC_CPUMODE_MASK, sample->ip, false,
			      sample->id.time_ns, &frame))
		return -ENOMEM;
	const struct xp_dso *dso = frame.map.dso;
	if (config->dsos.nr && (!dso || (!list_allows(&config->dsos, dso->short_name) &&
					 !list_allows(&config->dsos, dso->name))))
		return false;
	if (!by_symbol || is_at(config, sample->ip))
		return true;
	return config->symbols.nr && frame.function.name &&
	       list_allows(&config->symbols, frame.function.name);
}
