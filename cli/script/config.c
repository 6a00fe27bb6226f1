/* SPDX-License-Identifier: MIT */
/* Checks what the options of `script` say. */
#include "config.h"

#include <errno.h>
#include <xperf/diag.h>

/* What excludes each other. */
static int check_views(const struct values *values, struct xp_diag *diag)
{
	if (values->reltime && values->deltatime)
		return xp_diag_set(diag, -EINVAL, "--reltime and --deltatime exclude each other");
	if (values->json && (values->per_event_dump || values->dump))
		return xp_diag_set(diag, -EINVAL,
				   "--json cannot be combined with another output "
				   "format");
	if (values->max_blocks < 0)
		return xp_diag_set(diag, -EINVAL, "--max-blocks: %d is negative",
				   values->max_blocks);
	if (values->max_stack < 0)
		return xp_diag_set(diag, -EINVAL, "--max-stack: %d is negative", values->max_stack);
	return 0;
}

int config_make(const struct values *values, struct config *config, struct xp_diag *diag)
{
	*config = (struct config){ .values = values };
	if (words_parse("stop-bt", values->stop_bt, &config->stops, diag))
		return -1;
	return check_views(values, diag) ? -1 : 0;
}

void config_fini(struct config *config)
{
	words_fini(&config->stops);
}
