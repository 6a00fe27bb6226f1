/* SPDX-License-Identifier: MIT */
/* Whose a record is that comes from a ring: the ids of an open list. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>

#include "id-map.h"
#include "sample-owner.h"

struct xp_event_ids {
	struct xp_id_map map;
	int nr;
	struct xp_attr attrs[]; /* the id is at the same place for all */
};

static const struct xp_attr *attr_at(const void *list, int event)
{
	const struct xp_event_ids *ids = list;

	return &ids->attrs[event];
}

static int add_event(struct xp_event_ids *ids, struct xp_evlist *evlist, int idx)
{
	struct xp_event_id *its;
	int nr = xp_evsel_ids(xp_evlist_at(evlist, idx), &its), err = 0;

	if (nr == -ENOTCONN && xp_evlist_cpus(evlist))
		return 0; /* the list is open, this event is not supported */
	if (nr < 0)
		return nr;
	for (int i = 0; i < nr && !err; i++)
		err = xp_id_map_add(&ids->map, its[i].id, idx);
	free(its);
	return err;
}

int xp_event_ids_new(struct xp_evlist *evlist, struct xp_event_ids **ret_ids)
{
	struct xp_event_ids *ids;
	int err = 0;

	if (!xp_evlist_cpus(evlist))
		return -ENOTCONN;
	int nr = xp_evlist_nr(evlist);
	ids = calloc(1, sizeof(*ids) + (size_t)nr * sizeof(ids->attrs[0]));
	if (!ids)
		return -ENOMEM;
	ids->nr = nr;
	for (int i = 0; i < nr && !err; i++) {
		ids->attrs[i] = *xp_evsel_attr_const(xp_evlist_at(evlist, i));
		err = add_event(ids, evlist, i);
	}
	if (err)
		xp_event_ids_free(ids);
	else
		*ret_ids = ids;
	return err;
}

int xp_event_ids_of(const struct xp_event_ids *ids, const struct xp_record *record)
{
	const struct xp_owners owners = { attr_at, ids, ids->nr, false };

	if (ids->nr == 1)
		return 0;
	uint64_t id = xp_sample_id_of(record, &ids->attrs[0]);
	int event = id ? xp_id_map_find(&ids->map, id) : -1;
	return id && event < 0 && record->type == XP_RECORD_SAMPLE
		       ? xp_sample_owner(record, &owners)
		       : event;
}

void xp_event_ids_free(struct xp_event_ids *ids)
{
	if (!ids)
		return;
	xp_id_map_fini(&ids->map);
	free(ids);
}
