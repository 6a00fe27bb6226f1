/* SPDX-License-Identifier: MIT */
/*
 * Probes in threads and processes that are started later. What an attribute points to the kernel
 * reads again at a fork, in the memory of the task that forks: that is not ours, and the fork
 * fails with EFAULT (measured: Linux 6.1, 6.18). A kprobe can do without, by its address, and a
 * uprobe by a name in tracefs (probe-named.c).
 *
 * Without that, a uprobe that is opened on threads as they are found misses what they did before,
 * and on CPUs it counts all processes, for its filter knows threads by their number only: so
 * alone.c prints no number where something was started.
 */
#include <string.h>
#include <xperf/attr.h>

#include "event.h"
#include "kernel-symbols.h"
#include "probe.h"

struct place {
	const char *name;
	uint64_t address;
	int nr;
};

static int look_at(const char *name, uint64_t address, void *data)
{
	struct place *place = data;

	if (!strcmp(name, place->name)) {
		place->address = address;
		place->nr++;
	}
	return 0;
}

bool xp_probe_can_inherit(struct xp_evsel *evsel, bool follows)
{
	struct xp_attr *attr = &evsel->attr;
	struct place place = { .name = evsel->probe_target };

	if (!evsel->probe || !attr->config1)
		return true;
	if (!strcmp(evsel->probe, "uprobe"))
		return follows && xp_probe_name(evsel);
	if (strcmp(evsel->probe, "kprobe") ||
	    xp_kernel_functions_walk(evsel->ctx, look_at, &place) || place.nr != 1 ||
	    !place.address)
		return false;
	attr->kprobe_func = 0;
	attr->kprobe_addr = place.address + attr->probe_offset;
	return true;
}
