/* SPDX-License-Identifier: MIT */
/* An event string into the list: the parsed events move in, and their groups get leaders. */
#include "list-impl.h"

#include <errno.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>

#include "parse.h"

/* lib/evsel/parse does not see lib/symbol, nor the reverse. */
static const struct xp_elf_lookup elf = {
	.find_symbol = xp_symbol_find,
	.walk_sdt = xp_sdt_walk,
};

static int move_in(struct xp_evlist *evlist, struct xp_parsed *parsed)
{
	for (int i = 0; i < parsed->nr; i++) {
		int err = xp_evlist_add(evlist, parsed->at[i].evsel);

		if (err)
			return err;
		parsed->at[i].evsel = NULL;
	}
	return 0;
}

/* Members stand next to each other; the first leads. */
static void set_leaders(struct xp_evlist *evlist, int first, const struct xp_parsed *parsed)
{
	struct xp_evsel *leader = NULL;

	for (int i = 0; i < parsed->nr; i++) {
		struct xp_evsel *evsel = evlist->at[first + i];
		int group = parsed->at[i].group;

		if (!i || group < 0 || group != parsed->at[i - 1].group) {
			leader = evsel;
			leader->weak = group >= 0 && parsed->at[i].weak;
			continue;
		}
		evsel->leader = leader;
		leader->group_size++;
	}
}

int xp_evlist_group(struct xp_evlist *evlist, int first, int nr)
{
	if (evlist->is_open)
		return -EBUSY;
	if (first < 0 || nr < 1 || nr > evlist->nr - first)
		return -EINVAL;
	struct xp_evsel *leader = evlist->at[first];
	/* A group that is cut would have a leader outside. */
	if (leader->leader != leader ||
	    (first + nr < evlist->nr && evlist->at[first + nr]->leader != evlist->at[first + nr]))
		return -EINVAL;
	for (int i = first; i < first + nr; i++) {
		evlist->at[i]->leader = leader;
		evlist->at[i]->group_size = 1;
		evlist->at[i]->weak = false;
	}
	leader->group_size = nr;
	return 0;
}

static int append(struct xp_evlist *evlist, const char *text, bool vendor_only,
		  struct xp_diag *diag)
{
	struct xp_parsed parsed;
	int first = evlist->nr;

	if (evlist->is_open)
		return xp_diag_set(diag, -EBUSY, "Events cannot be added to an open list");
	int err = vendor_only ? xp_vendor_events_parse(evlist->ctx, text, &parsed, diag)
			      : xp_events_parse(evlist->ctx, &elf, text, &parsed, diag);
	if (err)
		return err;
	err = move_in(evlist, &parsed);
	if (err) {
		xp_evlist_shrink_to(evlist, first);
		xp_diag_set(diag, err, "Out of memory");
	} else {
		set_leaders(evlist, first, &parsed);
	}
	xp_parsed_fini(&parsed);
	return err;
}

int xp_evlist_parse(struct xp_evlist *evlist, const char *text, struct xp_diag *diag)
{
	return append(evlist, text, false, diag);
}

int xp_evlist_parse_vendor(struct xp_evlist *evlist, const char *text, struct xp_diag *diag)
{
	return append(evlist, text, true, diag);
}
