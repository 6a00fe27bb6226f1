/* SPDX-License-Identifier: MIT */
/* A second event that counts what another one does. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>

#include "event.h"

/* @text: NULL is copied, too */
static int copy_text(const char *text, char **ret_copy)
{
	*ret_copy = text ? strdup(text) : NULL;
	return text && !*ret_copy ? -ENOMEM : 0;
}

static int copy_texts(const struct xp_evsel *evsel, struct xp_evsel *copy)
{
	int err = copy_text(evsel->probe_target, &copy->probe_target)
			  ?: copy_text(evsel->tracepoint, &copy->tracepoint)
				     ?: copy_text(evsel->filter, &copy->filter)
						?: copy_text(evsel->foreign, &copy->foreign);

	if (copy->probe_target)
		copy->attr.config1 = (uintptr_t)copy->probe_target;
	return err;
}

int xp_evsel_copy(const struct xp_evsel *evsel, struct xp_evsel **ret_copy)
{
	struct xp_evsel *copy;
	int err = xp_evsel_new(evsel->ctx, &evsel->attr, evsel->name, &copy);

	if (err)
		return err;
	copy->probe = evsel->probe;
	copy->weak = evsel->weak;
	copy->precise_max = evsel->precise_max;
	copy->pmu = evsel->pmu;
	copy->per_pkg = evsel->per_pkg;
	copy->own_cpus = xp_cpus_ref(evsel->own_cpus);
	copy->is_uncore = evsel->is_uncore;
	copy->retire_latency = evsel->retire_latency;
	copy->guest_chosen = evsel->guest_chosen;
	copy->exclude_self = evsel->exclude_self;
	xp_event_terms_copy(&copy->terms, &evsel->terms);
	err = copy_texts(evsel, copy);
	if (err) {
		xp_evsel_free(copy);
		return err;
	}
	*ret_copy = copy;
	return 0;
}
