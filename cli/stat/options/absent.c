/* SPDX-License-Identifier: MIT */
/* Options of perf that need events of the processor or of its I/O stacks. Which ones: perf-stat(1),
 * "--smi-cost", and perf-iostat(1). */
#include "absent.h"

#include <errno.h>

#include "metrics.h"

enum { EVENTS_MAX = 3 };

struct absent {
	const char *option;
	const char *events[EVENTS_MAX]; /* the last ones may be NULL */
	const char *otherwise;          /* why it is not there where the events are */
};

static const struct absent smi_cost = {
	"--smi-cost",
	{ "msr/aperf/", "msr/smi/", "cycles" },
	"it needs freeze_on_smi, which changes how the counters of all CPUs work, and is not switched "
	"on here; msr/smi/ counts the interrupts",
};

static const struct absent iostat = {
	"--iostat",
	{ "uncore_iio/event=1/" },
	"I/O stacks are not listed; their counters are the events of the PMUs uncore_iio_N",
};

static int refuse(const struct absent *absent, struct metric_machine *machine, struct xp_diag *diag)
{
	for (int i = 0; i < EVENTS_MAX && absent->events[i]; i++) {
		const struct metric_fact *fact = metric_fact_of(machine, absent->events[i]);

		if (!fact)
			return xp_diag_set(diag, -ENOMEM, "Out of memory");
		if (fact->err)
			return xp_diag_set(diag, -EOPNOTSUPP, "%s: %s cannot be counted: %s",
					   absent->option, absent->events[i], fact->reason);
	}
	return xp_diag_set(diag, -EOPNOTSUPP, "%s: %s", absent->option, absent->otherwise);
}

int stat_refuse_absent(const struct stat_config *config, struct xp_ctx *ctx, struct xp_diag *diag)
{
	struct metric_machine machine = { .ctx = ctx };
	int err;

	if (!config->smi_cost && !config->iostat)
		return 0;
	err = xp_cpus_online(ctx, &machine.cpus, diag)
		      ?: refuse(config->smi_cost ? &smi_cost : &iostat, &machine, diag);
	metric_machine_fini(&machine);
	xp_cpus_unref(machine.cpus);
	return err;
}
