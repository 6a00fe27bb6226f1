/* SPDX-License-Identifier: MIT */
/* Spans of time in which nothing changes for a task: its name, or its maps. */
#ifndef HIST_EPOCHS_H
#define HIST_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

/* @position: in the file; until they are sorted */
struct change {
	int32_t task;
	uint64_t time_ns, position;
};

/* Zero-initialised is empty. */
struct epochs {
	struct change *changes;
	uint32_t nr, cap;
	bool sorted;
};

/* The span one looks at, so that the next look costs nothing. Zero-initialised: none. */
struct epoch {
	uint64_t from_ns, before_ns;
	int32_t task;
	uint32_t nr; /* equal numbers are equal spans of one task */
};

int xp_epochs_add(struct epochs *epochs, const struct change *change);
/* Before the first xp_epochs_find(). */
void xp_epochs_sort(struct epochs *epochs);
struct epoch xp_epochs_find(const struct epochs *epochs, int32_t task, uint64_t time_ns);
void xp_epochs_fini(struct epochs *epochs);

static inline bool xp_epoch_has(const struct epoch *epoch, int32_t task, uint64_t time_ns)
{
	return epoch->task == task && time_ns >= epoch->from_ns && time_ns < epoch->before_ns;
}

#endif
