/* SPDX-License-Identifier: MIT */
/* Which vendor event a text means. */
#ifndef EVSEL_VENDOR_H
#define EVSEL_VENDOR_H

#include "pfm.h"
#include "resolver.h"

/*
 * One event of the text.
 * @event_at: the part that names the event; what follows are its attributes
 * @with_generic: names may also be the kernel's own
 * @pmu, @event: what was found
 * @umask: what @event was found with, "" for none; NULL: the text has libpfm4's name of the event
 */
struct xp_vendor_wanted {
	struct xp_resolver *r;
	const struct xp_ast_event *ast;
	int event_at;
	bool with_generic;
	struct xp_vendor_pmu pmu;
	struct xp_vendor_event event;
	const char *umask;
};

/*
 * vendor-spelled.c: finds an event of a PMU as guides write it, EVENT.UMASK. Returns 1, 0 (there is
 * none, *ret_umask is NULL), or why it cannot be known.
 */
int xp_vendor_find_spelled(const struct xp_vendor_pmu *pmu, struct xp_span name,
			   struct xp_vendor_event *ret_event, const char **ret_umask);

/* Finds EVENT. Returns 1, 0 (no PMU of this machine has it), or why not. */
int xp_vendor_find_alone(struct xp_vendor_wanted *w);

/* Finds PMU::EVENT. Returns 1, or why not. */
int xp_vendor_find_with_pmu(struct xp_vendor_wanted *w);

/* Complains about an EVENT that was not found. Returns -ENOENT. */
int xp_vendor_unknown_alone(const struct xp_vendor_wanted *w);

/* NAME of "NAME=VALUE". */
struct xp_span xp_vendor_name_of(struct xp_span part);

/* Returns 1 if the event has a unit mask or modifier of this name, or 0. */
int xp_vendor_find_attr(const struct xp_vendor_wanted *w, struct xp_span name,
			struct xp_vendor_attr *ret_attr);

/* Complains about a part that is no unit mask or modifier of the event. Returns -ENOENT. */
int xp_vendor_unknown_attr(const struct xp_vendor_wanted *w, struct xp_span part);

/* Adds a hint to the last complaint: the unit masks or the modifiers of the event. */
void xp_vendor_show_attrs(const struct xp_vendor_wanted *w, bool umasks);

#endif
