/* SPDX-License-Identifier: MIT */
/* From events to rings in one call: what attributes need to know of the target is derived from it.
 */
#include <errno.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "opts.h"
#include "sampling-impl.h"

/* A ring per CPU is what events that follow children need. */
static int find_cpus(struct xp_evlist *evlist, struct xp_open_opts *open, struct xp_diag *diag)
{
	if (open->cpus || (open->threads && !open->inherit)) {
		xp_cpus_ref(open->cpus);
		return 0;
	}
	return xp_cpus_online(evlist->ctx, &open->cpus, diag);
}

int xp_evlist_open_rings(struct xp_evlist *evlist, const struct xp_sampling_opts *sampling,
			 const struct xp_open_opts *open, struct xp_diag *diag)
{
	const struct xp_rings_opts rings = { .size = sizeof(rings) };
	struct xp_sampling_opts s = { 0 };
	struct xp_open_opts o = { 0 };
	int err = XP_OPTS_COPY(&s, sampling, struct xp_sampling_opts, no_inherit, diag)
			  ?: XP_OPTS_COPY(&o, open, struct xp_open_opts, join_software, diag);

	if (err)
		return err;
	if (evlist->is_open)
		return xp_diag_set(diag, -EALREADY, "The events are open");
	s.system_wide = !o.threads;
	s.cpu_list = o.cpus;
	s.has_workload = o.enable_on_exec;
	err = xp_evlist_config_sampling(evlist, &s, diag) ?: find_cpus(evlist, &o, diag);
	if (err)
		return err;
	err = xp_evlist_open_sampling(evlist, &o, diag);
	if (!err) {
		err = xp_evlist_map_rings(evlist, &rings, diag);
		if (err)
			xp_evlist_close(evlist);
	}
	xp_cpus_unref(o.cpus);
	return err;
}
