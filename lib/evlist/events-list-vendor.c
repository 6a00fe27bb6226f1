/* SPDX-License-Identifier: MIT */
/*
 * The events of this machine's PMUs under their makers' names: where an event has unit masks, one
 * for each mask, since that is what can be counted. Source: libpfm(3).
 */
#include "events-list.h"

#include <errno.h>
#include <string.h>

#include <xperf/evlist.h>
#include <xperf/vendor.h>

#include "str.h"

struct vendor_walk {
	struct xp_list_walk *w;
	const struct xp_vendor_pmu *pmu;
	const struct xp_vendor_event *event;
	bool asked;   /* the verdict is this PMU's */
	int nr_masks; /* told of this event */
};

static int tell(struct vendor_walk *v, const char *mask, const char *desc)
{
	struct xp_event_info info = { .kind = XP_EVENT_VENDOR, .pmu = v->pmu->name, .desc = desc };
	struct xp_str name = { 0 };

	xp_str_addf(&name, "%s::%s%s%s", v->pmu->name, v->event->name, mask ? ":" : "",
		    mask ? mask : "");
	info.name = xp_str_text(&name);
	if (!v->asked && !name.failed)
		v->asked = xp_openable_event(v->w->ctx, info.name, -1, &v->w->verdict);
	int err = name.failed ? -ENOMEM : xp_list_tell(v->w, &info);
	xp_str_fini(&name);
	return err;
}

static int tell_mask(const struct xp_vendor_attr *attr, void *data)
{
	struct vendor_walk *v = data;

	if (!attr->is_umask)
		return 0;
	v->nr_masks++;
	return tell(v, attr->name, attr->desc);
}

static int walk_event(const struct xp_vendor_event *event, void *data)
{
	struct vendor_walk *v = data;

	v->event = event;
	v->nr_masks = 0;
	int err = xp_vendor_walk_attrs(event, tell_mask, v, v->w->diag);
	return err || v->nr_masks ? err : tell(v, NULL, event->desc);
}

static int walk_pmu(const struct xp_vendor_pmu *pmu, void *data)
{
	struct xp_list_walk *w = data;
	struct vendor_walk v = { .w = w, .pmu = pmu };

	/* The generic ones hold the kernel's names, which are listed as such. */
	if (!pmu->is_present || pmu->is_generic)
		return 0;
	w->verdict = (struct xp_verdict){ .state = XP_EVENT_OPENS };
	return xp_vendor_walk_events(pmu, walk_event, &v, w->diag);
}

int xp_list_vendor(struct xp_list_walk *w)
{
	return xp_vendor_walk_pmus(walk_pmu, w, w->diag);
}
