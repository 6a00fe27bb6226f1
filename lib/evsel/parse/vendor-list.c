/* SPDX-License-Identifier: MIT */
/* The vendor events of this machine, by names that parse: events, and events with one unit mask. */
#include "vendor-list.h"

#include <errno.h>
#include <xperf/attr.h>

#include "ctx.h"
#include "str.h"
#include "vendor-walk.h"

struct list {
	xp_vendor_name_fn *fn;
	void *data;
	const struct xp_vendor_pmu *pmu;
	const struct xp_vendor_event *event;
};

/* @umask NULL: the event alone, which some cannot be counted by. */
static int report(struct list *list, const char *umask, const char *desc)
{
	struct xp_str name = { 0 };
	struct xp_attr attr;
	const char *why;

	xp_str_addf(&name, "%s::%s%s%s", list->pmu->name, list->event->name, umask ? ":" : "",
		    umask ? umask : "");
	int err = name.failed ? -ENOMEM : xp_pfm_encode(name.s, &attr, &why);
	if (!err)
		err = list->fn(list->pmu->name, name.s, desc, &attr, list->data);
	else if (err != -ENOMEM)
		err = 0;
	xp_str_fini(&name);
	return err;
}

static int report_attr(const struct xp_vendor_attr *attr, void *data)
{
	return attr->is_umask ? report(data, attr->name, attr->desc) : 0;
}

static int report_event(const struct xp_vendor_event *event, void *data)
{
	struct list *list = data;

	list->event = event;
	int err = report(list, NULL, event->desc);
	return err ? err : xp_vendor_walk_attrs(event, report_attr, list, NULL);
}

static int report_pmu(const struct xp_vendor_pmu *pmu, void *data)
{
	struct list *list = data;

	if (!pmu->is_present || pmu->is_generic)
		return 0;
	list->pmu = pmu;
	return xp_vendor_walk_events(pmu, report_event, list, NULL);
}

int xp_vendor_list(const struct xp_ctx *ctx, xp_vendor_name_fn *fn, void *data)
{
	struct list list = { .fn = fn, .data = data };

	/* libpfm4 looks at the machine it runs on, whatever the root path. */
	if (*ctx->root)
		return 0;
	int err = xp_vendor_walk_pmus(report_pmu, &list, NULL);
	return err == -ENOSYS ? 0 : err;
}
