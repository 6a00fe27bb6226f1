/* SPDX-License-Identifier: MIT */
/*
 * Vendor events as the vendors' guides and perf write them: EVENT.UMASK in one word, as in
 * "l2_rqsts.miss". Only letters and digits count, so that dots, underscores and case may differ.
 */
#include "vendor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "names.h"

enum { PLAIN_MAX = 128 };

/* Letters and digits of a name. */
struct plain {
	char text[PLAIN_MAX];
	size_t len;
};

static struct plain plain_of(const char *name, size_t len)
{
	struct plain plain = { .len = 0 };

	for (size_t i = 0; i < len && plain.len < PLAIN_MAX - 1; i++)
		if (isalnum((unsigned char)name[i]))
			plain.text[plain.len++] = (char)tolower((unsigned char)name[i]);
	return plain;
}

/*
 * Events of fixed counters, which libpfm4 names otherwise. Source: Intel SDM volume 3, "Association
 * of Fixed-Function Performance Counters with Architectural Performance Events".
 */
static const struct {
	const char *guides, *libpfm4;
} fixed[] = {
	{ "instretiredany", "instretiredanyp" },
	{ "cpuclkunhaltedthread", "unhaltedcorecycles" },
	{ "cpuclkunhaltedcore", "unhaltedcorecycles" },
	{ "cpuclkunhaltedreftsc", "unhaltedreferencecycles" },
	{ "cpuclkunhaltedref", "unhaltedreferencecycles" },
};

/* What is looked for, and where what bears it goes. */
struct spelled {
	struct plain wanted;
	size_t event_len; /* of the event's part */
	struct xp_vendor_event *event;
	const char **umask;
};

static int is_rest(const struct xp_vendor_attr *attr, void *data)
{
	const struct spelled *s = data;
	struct plain name = plain_of(attr->name, strlen(attr->name));

	if (!attr->is_umask || name.len != s->wanted.len - s->event_len ||
	    memcmp(name.text, s->wanted.text + s->event_len, name.len))
		return 0;
	*s->umask = attr->name;
	return 1;
}

static int is_spelled(const struct xp_vendor_event *event, void *data)
{
	struct spelled *s = data;
	struct plain name = plain_of(event->name, strlen(event->name));

	if (!name.len || name.len > s->wanted.len || memcmp(name.text, s->wanted.text, name.len))
		return 0;
	s->event_len = name.len;
	*s->umask = "";
	if (name.len < s->wanted.len && xp_vendor_walk_attrs(event, is_rest, s, NULL) <= 0)
		return 0;
	*s->event = *event;
	return 1;
}

int xp_vendor_find_spelled(const struct xp_vendor_pmu *pmu, struct xp_span name,
			   struct xp_vendor_event *ret_event, const char **ret_umask)
{
	struct spelled s = { .wanted = plain_of(name.at, name.len),
			     .event = ret_event,
			     .umask = ret_umask };
	int found = xp_vendor_walk_events(pmu, is_spelled, &s, NULL);

	for (size_t i = 0; i < XP_ARRAY_LEN(fixed) && !found; i++) {
		if (strcmp(s.wanted.text, fixed[i].guides) != 0)
			continue;
		s.wanted = plain_of(fixed[i].libpfm4, strlen(fixed[i].libpfm4));
		found = xp_vendor_walk_events(pmu, is_spelled, &s, NULL);
	}
	if (found <= 0)
		*ret_umask = NULL;
	return found;
}

/* --- names to choose the nearest from --- */

struct spelling {
	struct xp_names *names;
	const char *event;
};

static int add_umask(const struct xp_vendor_attr *attr, void *data)
{
	const struct spelling *spelling = data;
	char name[2 * PLAIN_MAX];

	if (!attr->is_umask)
		return 0;
	snprintf(name, sizeof(name), "%s.%s", spelling->event, attr->name);
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return xp_names_add(spelling->names, name);
}

static int add_event(const struct xp_vendor_event *event, void *data)
{
	struct spelling spelling = { .names = data, .event = event->name };

	return xp_vendor_walk_attrs(event, add_umask, &spelling, NULL);
}

static int add_present(const struct xp_vendor_pmu *pmu, void *data)
{
	return pmu->is_present && !pmu->is_generic
		       ? xp_vendor_walk_events(pmu, add_event, data, NULL)
		       : 0;
}

void xp_vendor_spellings_list(struct xp_names *names)
{
	xp_vendor_walk_pmus(add_present, names, NULL);
}
