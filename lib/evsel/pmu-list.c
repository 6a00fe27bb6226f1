/* SPDX-License-Identifier: MIT */
/*
 * The PMUs of this machine and the events they name.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-events: EVENT, and beside it
 * EVENT.scale, EVENT.unit, EVENT.snapshot, EVENT.per-pkg.
 */
#include "pmu-list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ctx.h"
#include "names.h"

#define DEVICES "/sys/bus/event_source/devices"

static int add_name(const char *name, void *data)
{
	return xp_names_add(data, name);
}

int xp_pmus_list(struct xp_ctx *ctx, struct xp_names *names)
{
	int err = xp_file_list(ctx, add_name, names, DEVICES);

	xp_names_sort(names);
	return err;
}

static int add_event(const char *name, void *data)
{
	return strchr(name, '.') ? 0 : xp_names_add(data, name);
}

int xp_pmu_events_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names)
{
	int err = xp_file_list(ctx, add_event, names, DEVICES "/%s/events", pmu);

	xp_names_sort(names);
	return err;
}

int xp_pmu_first_cpu(struct xp_ctx *ctx, const char *pmu, int *ret_cpu)
{
	xp_auto_free char *list = NULL;
	char *end;

	if (xp_file_read(ctx, &list, NULL, DEVICES "/%s/cpumask", pmu))
		return -ENOENT;
	long cpu = strtol(list, &end, 10);
	if (end == list || cpu < 0 || cpu > INT32_MAX)
		return -ENOENT;
	*ret_cpu = (int)cpu;
	return 0;
}
