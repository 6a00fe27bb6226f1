/* SPDX-License-Identifier: MIT */
/* Control groups by their numbers, and the namespaces of them that threads were in. */
#include "cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/record.h>

#include "search.h"
#include "vec.h"

/* @nr: in the order in which they came */
struct cgroup {
	uint64_t id;
	size_t nr;
	char *path;
};

struct namespace
{
	int32_t tid;
	uint64_t time_ns;
	size_t nr;
	struct cgroup_namespace what;
};

int cgroups_add(struct cgroups *cgroups, const struct xp_record_cgroup *record)
{
	size_t nr = cgroups->nr;

	if (vec_add(&cgroups->at, nr, sizeof(*cgroups->at)))
		return -ENOMEM;
	cgroups->at[nr] = (struct cgroup){ record->id, nr, strdup((const char *)(record + 1)) };
	if (!cgroups->at[nr].path)
		return -ENOMEM;
	cgroups->nr++;
	cgroups->is_sorted = false;
	return 0;
}

int cgroups_add_namespaces(struct cgroups *cgroups, const struct xp_record_namespaces *record,
			   uint64_t time_ns)
{
	enum { CGROUP = 6 }; /* of the namespaces, the last */
	const struct xp_namespace *at = (const void *)(record + 1);
	size_t nr = cgroups->nr_namespaces;

	if (record->nr <= CGROUP)
		return 0;
	if (vec_add(&cgroups->namespaces, nr, sizeof(*cgroups->namespaces)))
		return -ENOMEM;
	cgroups->namespaces[cgroups->nr_namespaces++] =
		(struct namespace){ .tid = (int32_t)record->tid,
				    .time_ns = time_ns,
				    .nr = nr,
				    .what = { at[CGROUP].device, at[CGROUP].inode } };
	cgroups->is_sorted = false;
	return 0;
}

static int compare_cgroups(const void *a, const void *b)
{
	const struct cgroup *l = a, *r = b;

	if (l->id != r->id)
		return l->id < r->id ? -1 : 1;
	return (l->nr > r->nr) - (l->nr < r->nr);
}

static int compare_namespaces(const void *a, const void *b)
{
	const struct namespace *l = a, *r = b;

	if (l->tid != r->tid)
		return l->tid < r->tid ? -1 : 1;
	if (l->time_ns != r->time_ns)
		return l->time_ns < r->time_ns ? -1 : 1;
	return (l->nr > r->nr) - (l->nr < r->nr);
}

static void sort(struct cgroups *cgroups)
{
	if (cgroups->is_sorted)
		return;
	if (cgroups->nr)
		qsort(cgroups->at, cgroups->nr, sizeof(*cgroups->at), compare_cgroups);
	if (cgroups->nr_namespaces)
		qsort(cgroups->namespaces, cgroups->nr_namespaces, sizeof(*cgroups->namespaces),
		      compare_namespaces);
	cgroups->is_sorted = true;
}

const char *cgroups_path(struct cgroups *cgroups, uint64_t id)
{
	const struct cgroup first = { .id = id };

	sort(cgroups);
	size_t i = search_before(&first, cgroups->at, cgroups->nr, sizeof(first), compare_cgroups);
	return i < cgroups->nr && cgroups->at[i].id == id ? cgroups->at[i].path : NULL;
}

struct cgroup_namespace cgroups_namespace(struct cgroups *cgroups, int32_t tid, uint64_t time_ns)
{
	const struct namespace last = { .tid = tid, .time_ns = time_ns, .nr = SIZE_MAX };

	sort(cgroups);
	size_t i = search_before(&last, cgroups->namespaces, cgroups->nr_namespaces, sizeof(last),
				 compare_namespaces);
	if (!i || cgroups->namespaces[i - 1].tid != tid)
		return (struct cgroup_namespace){ 0 };
	return cgroups->namespaces[i - 1].what;
}

void cgroups_fini(struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++)
		free(cgroups->at[i].path);
	free(cgroups->at);
	free(cgroups->namespaces);
}
