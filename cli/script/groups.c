/* SPDX-License-Identifier: MIT */
/* Control groups of a recording: their paths by the numbers that samples bear. */
#include <errno.h>
#include <stdlib.h>

#include "script.h"

struct group {
	uint64_t id;
	char *path;
};

struct groups {
	struct group *at;
	size_t nr;
	size_t last; /* the one that was asked for last: often asked for again */
};

void groups_free(struct groups *groups)
{
	for (size_t i = 0; groups && i < groups->nr; i++)
		free(groups->at[i].path);
	if (groups)
		free(groups->at);
	free(groups);
}

int groups_add(struct script *script, const struct xp_record *record)
{
	const struct xp_record_cgroup *cgroup = (const void *)record;

	if (!script->groups && !(script->groups = calloc(1, sizeof(*script->groups))))
		return -ENOMEM;
	struct groups *groups = script->groups;
	struct group *at = reallocarray(groups->at, groups->nr + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	groups->at = at;
	at[groups->nr] = (struct group){ cgroup->id, strdup((const char *)(cgroup + 1)) };
	if (!at[groups->nr].path)
		return -ENOMEM;
	groups->nr++;
	return 0;
}

const char *groups_path(const struct script *script, uint64_t id)
{
	struct groups *groups = script->groups;

	if (!groups)
		return NULL;
	if (groups->last < groups->nr && groups->at[groups->last].id == id)
		return groups->at[groups->last].path;
	for (size_t i = 0; i < groups->nr; i++)
		if (groups->at[i].id == id) {
			groups->last = i;
			return groups->at[i].path;
		}
	return NULL;
}
