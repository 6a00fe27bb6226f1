/* SPDX-License-Identifier: MIT */
/* Options of perf that need events of the processor or of its I/O stacks. Which ones: perf-stat(1),
 * "--smi-cost", and perf-iostat(1). */
#include "absent.h"

#include <errno.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "metrics.h"

enum { EVENTS_MAX = 3 };

struct needs {
	const char *option;
	const char *events[EVENTS_MAX]; /* the last ones may be NULL */
};

static const struct needs smi_cost = { "--smi-cost", { "msr/aperf/", "msr/smi/", "cycles" } };
static const struct needs iostat = { "--iostat", { "uncore_iio/event=1/" } };

static int refuse(const struct needs *needs, struct metric_machine *machine, struct xp_diag *diag)
{
	for (int i = 0; i < EVENTS_MAX && needs->events[i]; i++) {
		const struct metric_fact *fact = metric_fact_of(machine, needs->events[i]);

		if (!fact)
			return xp_diag_set(diag, -ENOMEM, "Out of memory");
		if (fact->err)
			return xp_diag_set(diag, -EOPNOTSUPP, "%s: %s cannot be counted: %s",
					   needs->option, needs->events[i], fact->reason);
	}
	return 0;
}

int stat_refuse_absent(const struct stat_config *config, struct xp_ctx *ctx, struct xp_diag *diag)
{
	struct metric_machine machine = { .ctx = ctx };
	int err;

	if (!config->smi_cost && !config->iostat)
		return 0;
	err = xp_cpus_online(ctx, &machine.cpus, diag);
	if (!err && config->smi_cost)
		err = refuse(&smi_cost, &machine, diag);
	if (!err && config->iostat)
		err = refuse(&iostat, &machine, diag);
	metric_machine_fini(&machine);
	xp_cpus_unref(machine.cpus);
	return err;
}
