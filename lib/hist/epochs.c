/* SPDX-License-Identifier: MIT */
/* Spans of time in which nothing changes for a task: changes in one array, sorted by task and time.
 */
#include "epochs.h"

#include <errno.h>
#include <stdlib.h>

#include "search.h"
#include "table.h"

int xp_epochs_add(struct epochs *epochs, const struct change *change)
{
	if (xp_array_grow(&epochs->changes, &epochs->cap, epochs->nr, sizeof(*epochs->changes)))
		return -ENOMEM;
	epochs->changes[epochs->nr++] = *change;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct change *l = a, *r = b;

	if (l->task != r->task)
		return l->task < r->task ? -1 : 1;
	return (l->time_ns > r->time_ns) - (l->time_ns < r->time_ns);
}

void xp_epochs_sort(struct epochs *epochs)
{
	if (epochs->nr)
		qsort(epochs->changes, epochs->nr, sizeof(*epochs->changes), compare);
	epochs->sorted = true;
}

struct epoch xp_epochs_find(const struct epochs *epochs, int32_t task, uint64_t time_ns)
{
	struct change at = { .task = task, .time_ns = time_ns };
	struct epoch epoch = { .task = task, .before_ns = UINT64_MAX };
	/* The first change behind this time. */
	uint32_t low =
		(uint32_t)search_behind(&at, epochs->changes, epochs->nr, sizeof(at), compare);

	if (low && epochs->changes[low - 1].task == task)
		epoch.from_ns = epochs->changes[low - 1].time_ns;
	if (low < epochs->nr && epochs->changes[low].task == task)
		epoch.before_ns = epochs->changes[low].time_ns;
	epoch.nr = low;
	return epoch;
}

void xp_epochs_fini(struct epochs *epochs)
{
	free(epochs->changes);
	*epochs = (struct epochs){ 0 };
}
