/* SPDX-License-Identifier: MIT */
/*
 * Build ids of kernel modules that several modules have. perf 7.0 gave all modules the id of one:
 * by such ids files are taken for others, so that they are left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/timeline.h>

#include "timeline-impl.h"

/* @name: as it is shown; interned. @len: the length of the id, in its place */
struct module_id {
	const char *name;
	const uint8_t *id;
	uint8_t *len;
};

static bool is_module(const char *name)
{
	static const char *const others[] = { "[kernel", "[guest.kernel", "[vdso", "[bpf" };

	if (*name == '/')
		return strstr(strrchr(name, '/'), ".ko");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return *name == '[';
}

static int by_id(const void *a, const void *b)
{
	const struct module_id *x = a, *y = b;

	if (*x->len != *y->len)
		return *x->len < *y->len ? -1 : 1;
	return memcmp(x->id, y->id, *x->len);
}

static int collect(struct xp_timeline *timeline, struct module_id *ids, size_t *ret_nr)
{
	struct xp_dso *dsos = timeline->dsos.at;
	struct known_id *known = timeline->known.at;
	size_t nr = 0;

	for (size_t i = 0; i < timeline->dsos.nr; i++)
		if (dsos[i].is_kernel && dsos[i].build_id_len && is_module(dsos[i].name))
			ids[nr++] = (struct module_id){ dsos[i].short_name, dsos[i].build_id,
							&dsos[i].build_id_len };
	for (size_t i = 0; i < timeline->known.nr; i++) {
		if (!known[i].len || !is_module(known[i].name))
			continue;
		const char *name = xp_timeline_module_name(timeline, known[i].name);
		if (!name)
			return -ENOMEM;
		ids[nr++] = (struct module_id){ name, known[i].build_id, &known[i].len };
	}
	*ret_nr = nr;
	return 0;
}

/* Forgets an id that modules of several names have. */
static void drop(struct xp_timeline *timeline, struct module_id *ids, size_t nr)
{
	bool differ = false;

	for (size_t i = 1; i < nr; i++)
		differ |= ids[i].name != ids[0].name;
	for (size_t i = 0; i < nr && differ; i++)
		*ids[i].len = 0;
	timeline->nr_shared_ids += differ;
}

int xp_timeline_drop_shared_ids(struct xp_timeline *timeline)
{
	size_t most = timeline->dsos.nr + timeline->known.nr, nr = 0;
	struct module_id *ids = calloc(most + 1, sizeof(*ids));
	int err = ids ? collect(timeline, ids, &nr) : -ENOMEM;

	if (!err)
		qsort(ids, nr, sizeof(*ids), by_id);
	for (size_t first = 0, end; first < nr && !err; first = end) {
		for (end = first + 1; end < nr && !by_id(&ids[first], &ids[end]); end++)
			;
		drop(timeline, ids + first, end - first);
	}
	free(ids);
	return err;
}

int xp_timeline_nr_shared_ids(const struct xp_timeline *timeline)
{
	return timeline->nr_shared_ids;
}
