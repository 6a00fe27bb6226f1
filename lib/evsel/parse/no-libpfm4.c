/* SPDX-License-Identifier: MIT */
/* In place of libpfm4.c where the build has no libpfm4. */
#include "pfm.h"

#include <errno.h>
#include <xperf/diag.h>

static int none(struct xp_diag *diag)
{
	xp_diag_set(diag, -ENOSYS,
		    "vendor event names are unknown: this libxperf was built without libpfm4");
	xp_diag_hint(diag, "Install the package libpfm4-dev and build again");
	return -ENOSYS;
}

int xp_vendor_walk_pmus(xp_vendor_pmu_fn fn, void *data, struct xp_diag *diag)
{
	(void)fn;
	(void)data;
	return none(diag);
}

int xp_vendor_walk_events(const struct xp_vendor_pmu *pmu, xp_vendor_event_fn fn, void *data,
			  struct xp_diag *diag)
{
	(void)pmu;
	(void)fn;
	(void)data;
	return none(diag);
}

int xp_vendor_walk_attrs(const struct xp_vendor_event *event, xp_vendor_attr_fn fn, void *data,
			 struct xp_diag *diag)
{
	(void)event;
	(void)fn;
	(void)data;
	return none(diag);
}

int xp_pfm_encode(const char *text, struct xp_attr *ret_attr, const char **ret_why)
{
	(void)text;
	(void)ret_attr;
	(void)ret_why;
	return -ENOSYS;
}
