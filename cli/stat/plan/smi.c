/* SPDX-License-Identifier: MIT */
/* --smi-cost. Source: perf-stat(1), "--smi-cost"; the titles are those of perf 6.1. */
#include "smi.h"

#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/pmu.h>

#include "cli.h"

static const struct {
	const char *metric;
	const char *title;
} titles[] = { { "smi_cycles", "SMI cycles%" }, { "smi_num", "SMI#" } };

const char *smi_title(const char *metric)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (!strcmp(titles[i].metric, metric))
			return titles[i].title;
	return NULL;
}

/* The option that it is about comes first. */
static int name_option(struct xp_diag *diag, int err)
{
	char what[sizeof(diag->what)];

	if (!err)
		return 0;
	memcpy(what, diag->what, sizeof(what));
	snprintf(diag->what, sizeof(diag->what), "--smi-cost: %.*s",
		 (int)(sizeof(what) - sizeof("--smi-cost: ")), what);
	return err;
}

int smi_freeze(struct xp_ctx *ctx, bool *ret_changed, struct xp_diag *diag)
{
	bool was;
	int err = xp_pmu_freeze_on_smi(ctx, true, &was, diag);

	*ret_changed = !err && !was;
	return name_option(diag, err);
}

int smi_thaw(struct xp_ctx *ctx, bool *changed, int err, struct xp_diag *diag)
{
	struct xp_diag own = { 0 };
	int thaw_err = *changed ? xp_pmu_freeze_on_smi(ctx, false, NULL, &own) : 0;

	*changed = false;
	name_option(&own, thaw_err);
	if (thaw_err && err)
		cli_print_diag(&own, NULL);
	else if (thaw_err)
		*diag = own;
	return err ? err : thaw_err;
}
