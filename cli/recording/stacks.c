/* SPDX-License-Identifier: MIT */
/* Whether copies of stacks are unwound, and how. */
#include "stacks.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/stacks.h>
#include <xperf/unwind.h>

static const char *const methods[] = {
	[XP_UNWIND_AUTO] = "auto",
	[XP_UNWIND_RULES] = "rules",
	[XP_UNWIND_LIBUNWIND] = "libunwind",
	[XP_UNWIND_LIBDW] = "libdw",
};

int stacks_parse(const struct option *option, const char *arg, bool negated, void *values)
{
	enum xp_unwind_method *method =
		(enum xp_unwind_method *)(void *)((char *)values + option->offset);

	if (negated)
		*method = XP_UNWIND_AUTO;
	for (size_t i = 0; arg && i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(arg, methods[i])) {
			*method = (enum xp_unwind_method)i;
			return 0;
		}
	return negated ? 0
		       : option_error(option, "'%s' is none of auto, rules, libunwind and libdw",
				      arg);
}

static bool are_recorded(const struct recording *rec)
{
	for (int i = 0; i < rec->nr_events; i++)
		if (xp_stacks_are_in(&xp_data_event_at(rec->data, i)->attr))
			return true;
	return false;
}

/* Whether times are those that processes themselves know. */
static bool is_monotonic(const struct recording *rec)
{
	for (int i = 0; i < rec->nr_events; i++) {
		const struct xp_attr *attr = &xp_data_event_at(rec->data, i)->attr;

		if (!attr->use_clockid || attr->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return rec->nr_events;
}

int stacks_open(struct recording *rec, int max)
{
	const struct xp_stacks_opts opts = {
		.size = sizeof(opts),
		.machine = recording_machine(rec),
		.max = max,
		.method = rec->opts->unwind,
		.no_join = !rec->joins,
		.is_monotonic = is_monotonic(rec),
	};

	if (!are_recorded(rec))
		return 0;
	int err = xp_stacks_new(rec->timeline, rec->symbols, &opts, &rec->stacks);
	if (err == -ENOSYS)
		xp_diag_set(&rec->diag, err, "--unwind: %s is not installed", methods[opts.method]);
	return err;
}
