/* SPDX-License-Identifier: MIT */
/* Which parts of a table are free: the first that is large enough is taken, and neighbours are
 * joined. */
#ifndef BPF_ROW_ROOM_H
#define BPF_ROW_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_extent {
	uint32_t first, nr;
};

struct row_room {
	struct row_extent *free; /* by @first */
	size_t nr, room;
	uint32_t nr_free; /* rows, of all */
};

/* All of a table. Returns 0 or -ENOMEM. */
int xp_row_room_init(struct row_room *rows, uint32_t nr);
void xp_row_room_fini(struct row_room *rows);
/* Returns false: there are not so many, at least 1, side by side. */
bool xp_row_room_alloc(struct row_room *rows, uint32_t nr, uint32_t *ret_first);
/* Without memory they are never taken again. */
void xp_row_room_free(struct row_room *rows, uint32_t first, uint32_t nr);

#endif
