/* SPDX-License-Identifier: MIT */
/* `xperf list metric` and `metricgroup`: metrics of files, and whether this machine can compute
 * them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/metric.h>

#include "list.h"
#include "metrics.h"

/* The event that is the hardest to count decides. */
struct worst {
	struct metric_machine *machine;
	enum xp_event_state state;
	char reason[256];
};

static int learn(const char *event, void *data)
{
	struct worst *worst = data;
	const struct metric_fact *fact = metric_fact_of(worst->machine, event);
	enum xp_event_state state;

	if (!fact)
		return -ENOMEM;
	state = !fact->err                                    ? XP_EVENT_OPENS
		: fact->err == -EACCES || fact->err == -EPERM ? XP_EVENT_FORBIDDEN
							      : XP_EVENT_ABSENT;
	if (state <= worst->state)
		return 0;
	worst->state = state;
	snprintf(worst->reason, sizeof(worst->reason), "%s", fact->reason);
	return 0;
}

/* Returns 0 or a negative errno. */
static int find_worst(const struct xp_metric_defs *defs, const struct xp_metric_def *def,
		      struct metric_machine *machine, struct worst *ret)
{
	struct xp_diag diag = { 0 };

	*ret = (struct worst){ .machine = machine, .state = XP_EVENT_OPENS };
	if (!xp_metric_defs_check(defs, def, &diag))
		return metric_needs(defs, def, machine, learn, ret);
	ret->state = XP_EVENT_ABSENT;
	snprintf(ret->reason, sizeof(ret->reason), "%.255s", diag.what);
	return 0;
}

static int list_one(const struct xp_metric_defs *defs, const struct xp_metric_def *def,
		    struct metric_machine *machine, const struct list_format *format,
		    struct list_output *out)
{
	struct worst worst;
	int err = find_worst(defs, def, machine, &worst);

	if (err || (out->as_perf && worst.state == XP_EVENT_ABSENT))
		return err;
	format->named_metric(out, def, worst.state, worst.reason);
	out->nr++;
	return 0;
}

int named_metrics_list(struct xp_ctx *ctx, const struct list_format *format,
		       struct list_output *out, struct xp_diag *diag)
{
	struct metric_machine machine = { .ctx = ctx };
	struct xp_metric_defs *defs;
	int err = metrics_load(&defs, diag);

	if (err)
		return err;
	for (int i = 0; i < xp_metric_defs_nr(defs) && !err; i++)
		err = list_one(defs, xp_metric_defs_at(defs, i), &machine, format, out);
	metric_machine_fini(&machine);
	xp_metric_defs_free(defs);
	return err;
}

/* Whether this machine can compute a metric of the group. Returns 1, 0, or a negative errno. */
static int has_metrics(const struct xp_metric_defs *defs, const struct xp_metric_group *group,
		       struct metric_machine *machine)
{
	struct worst worst = { .state = XP_EVENT_ABSENT };
	int err = 0;

	for (int i = 0; i < xp_metric_defs_nr(defs) && worst.state == XP_EVENT_ABSENT && !err;
	     i++) {
		const struct xp_metric_def *def = xp_metric_defs_at(defs, i);

		if (metric_is_in_group(def, group->name))
			err = find_worst(defs, def, machine, &worst);
	}
	return err ? err : worst.state != XP_EVENT_ABSENT;
}

int metric_groups_list(struct xp_ctx *ctx, const struct list_format *format,
		       struct list_output *out, struct xp_diag *diag)
{
	struct metric_machine machine = { .ctx = ctx };
	const struct xp_metric_group *group;
	struct xp_metric_defs *defs;
	int err = metrics_load(&defs, diag);

	if (err)
		return err;
	format->groups(out);
	for (int i = 0; !err && (group = xp_metric_defs_group(defs, i)); i++) {
		int is_shown = out->as_perf ? has_metrics(defs, group, &machine) : 1;

		err = is_shown < 0 ? is_shown : 0;
		if (is_shown <= 0)
			continue;
		format->group(out, group);
		out->nr++;
	}
	metric_machine_fini(&machine);
	xp_metric_defs_free(defs);
	return err;
}
