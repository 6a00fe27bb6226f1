/* SPDX-License-Identifier: MIT */
/* From a recording to a picture: see picture.h. */
#include "picture.h"

#include <string.h>
#include <xperf/sampling.h>

#include "export.h"
#include "view.h"

bool picture_is_wanted(const struct record_config *config)
{
	return config->flamegraph || config->open;
}

int picture_check(const struct record_config *config, struct xp_diag *diag)
{
	const char *path = config->flamegraph;

	return path && strcmp(path, "-") != 0 ? result_check(path, diag) : 0;
}

void picture_add_chains(struct record_config *config)
{
	if (!picture_is_wanted(config) || config->sampling.callchain != XP_CALLCHAIN_NONE)
		return;
	value_callchain("fp", &config->sampling);
	config->call_graph = CALL_GRAPH_PLAIN;
}

int picture_show(const struct cli *cli, const struct record_config *config, const char *name)
{
	int status = 0;

	if (config->flamegraph)
		status = flamegraph_write(cli, name, config->flamegraph, config->quiet);
	if (config->open) {
		int failed = view_recording(cli, name);

		status = status ? status : failed;
	}
	return status;
}
