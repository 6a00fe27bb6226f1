/* SPDX-License-Identifier: MIT */
/*
 * Cores, dies and packages by the lists of the CPUs they have. The numbers core_id and die_id do
 * not do: on some machines they repeat within a package.
 *
 * Source: Documentation/admin-guide/cputopology.rst; the names of files are the older ones, which
 * every kernel has. Lists hold CPUs that are online only.
 */
#include "topology.h"

#include <errno.h>
#include <xperf/cpus.h>

#include "cleanup.h"
#include "num.h"

#define CPUS "/sys/devices/system/cpu"

static const char *const lists[] = {
	[XP_SHARED_CORE] = "thread_siblings_list",
	[XP_SHARED_DIE] = "die_cpus_list",
	[XP_SHARED_PACKAGE] = "core_siblings_list",
};

/* Calls @fn for the ranges of the CPUs that share something with @cpu. Returns what @fn did. */
static int walk_sharers(struct xp_ctx *ctx, int cpu, enum xp_shared what,
			int (*fn)(uint64_t first, uint64_t last, void *data), void *data)
{
	xp_auto_free char *text = NULL;
	int err = xp_file_read(ctx, &text, NULL, CPUS "/cpu%d/topology/%s", cpu, lists[what]);

	if (err)
		return err;
	err = xp_num_ranges(text, XP_CPU_MAX, fn, data, NULL);
	return err < 0 ? -EBADMSG : err;
}

static int keep_first(uint64_t first, uint64_t last, void *data)
{
	(void)last;
	*(uint64_t *)data = first;
	return 1;
}

int xp_topology_count(struct xp_ctx *ctx, enum xp_shared what, uint64_t *ret_nr)
{
	struct xp_cpus *online;
	uint64_t nr = 0;
	int err = xp_cpus_online(ctx, &online, NULL);

	if (err)
		return err;
	/* Each is counted at the first of its CPUs. */
	for (int i = 0; i < xp_cpus_nr(online) && err >= 0; i++) {
		int cpu = xp_cpus_at(online, i).nr;
		uint64_t first;

		err = walk_sharers(ctx, cpu, what, keep_first, &first);
		nr += err > 0 && first == (uint64_t)cpu;
	}
	xp_cpus_unref(online);
	if (err < 0)
		return err;
	*ret_nr = nr;
	return 0;
}

int xp_topology_smt(struct xp_ctx *ctx, uint64_t *ret_on)
{
	struct xp_cpus *online;
	uint64_t nr_cores;
	int64_t active;

	if (!xp_file_read_int(ctx, &active, CPUS "/smt/active")) {
		*ret_on = active == 1;
		return 0;
	}
	/* Linux before 4.19 */
	int err = xp_topology_count(ctx, XP_SHARED_CORE, &nr_cores)
			  ?: xp_cpus_online(ctx, &online, NULL);
	if (err)
		return err;
	*ret_on = nr_cores < (uint64_t)xp_cpus_nr(online);
	xp_cpus_unref(online);
	return 0;
}

/* Stops with 1 at a CPU that is not in the set. */
static int find_missing(uint64_t first, uint64_t last, void *data)
{
	const struct xp_cpus *cpus = data;

	for (uint64_t cpu = first; cpu <= last; cpu++)
		if (xp_cpus_find(cpus, (struct xp_cpu){ (int)cpu }) < 0)
			return 1;
	return 0;
}

int xp_topology_whole_cores(struct xp_ctx *ctx, const struct xp_cpus *cpus, uint64_t *ret_whole)
{
	uint64_t smt;
	int missing = xp_topology_smt(ctx, &smt);

	for (int i = 0; !missing && smt && i < xp_cpus_nr(cpus); i++)
		missing = walk_sharers(ctx, xp_cpus_at(cpus, i).nr, XP_SHARED_CORE, find_missing,
				       (void *)cpus);
	if (missing < 0)
		return missing;
	*ret_whole = !missing;
	return 0;
}
