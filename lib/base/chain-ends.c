/* SPDX-License-Identifier: MIT */
/* Counts how call chains end, and in which files. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/chain-ends.h>

#include "index.h"
#include "intern.h"
#include "vec.h"

struct counted {
	enum xp_chain_end end;
	const char *file;
	uint64_t nr;
};

struct xp_chain_ends {
	struct counted *files;
	size_t nr_files, room;
	struct index index; /* of files, unless they were sorted */
	struct xp_intern names;
	uint64_t totals[XP_NR_CHAIN_ENDS];
	bool is_sorted;
};

int xp_chain_ends_new(struct xp_chain_ends **ret_ends)
{
	struct xp_chain_ends *ends = calloc(1, sizeof(*ends));

	if (!ends)
		return -ENOMEM;
	*ret_ends = ends;
	return 0;
}

void xp_chain_ends_free(struct xp_chain_ends *ends)
{
	if (!ends)
		return;
	xp_intern_fini(&ends->names);
	index_fini(&ends->index);
	free(ends->files);
	free(ends);
}

static uint64_t hash_of(enum xp_chain_end end, const char *file)
{
	return xp_hash_fold(xp_hash_seed() ^ (uintptr_t)file, xp_hash_seed() + 2 * (uint64_t)end);
}

/* The places of files have changed: finds them again. */
static int index_again(struct xp_chain_ends *ends)
{
	int err = 0;

	index_fini(&ends->index);
	for (size_t i = 0; !err && i < ends->nr_files; i++)
		err = index_add(&ends->index, hash_of(ends->files[i].end, ends->files[i].file), i);
	ends->is_sorted = err != 0;
	return err;
}

static int find(struct xp_chain_ends *ends, enum xp_chain_end end, const char *file,
		struct counted **ret_counted)
{
	const char *name = xp_intern_add(&ends->names, file, strlen(file));
	uint64_t hash = hash_of(end, name);
	size_t at;

	if (!name || (ends->is_sorted && index_again(ends)))
		return -ENOMEM;
	for (struct index_walk walk = index_walk(&ends->index, hash); index_next(&walk, &at);) {
		*ret_counted = &ends->files[at];
		if ((*ret_counted)->end == end && (*ret_counted)->file == name)
			return 0;
	}
	if (vec_reserve(&ends->files, ends->nr_files, &ends->room, sizeof(*ends->files)) ||
	    index_add(&ends->index, hash, ends->nr_files))
		return -ENOMEM;
	*ret_counted = &ends->files[ends->nr_files++];
	**ret_counted = (struct counted){ .end = end, .file = name };
	return 0;
}

int xp_chain_ends_add(struct xp_chain_ends *ends, enum xp_chain_end end, const char *file,
		      uint64_t nr)
{
	struct counted *counted = NULL;

	if (end >= XP_NR_CHAIN_ENDS)
		return -EINVAL;
	if (file && find(ends, end, file, &counted))
		return -ENOMEM;
	if (counted)
		counted->nr += nr;
	ends->totals[end] += nr;
	return 0;
}

int xp_chain_ends_merge(struct xp_chain_ends *ends, const struct xp_chain_ends *other)
{
	struct counted *counted;

	for (size_t i = 0; i < other->nr_files; i++) {
		const struct counted *from = &other->files[i];

		if (find(ends, from->end, from->file, &counted))
			return -ENOMEM;
		counted->nr += from->nr;
	}
	for (int i = 0; i < XP_NR_CHAIN_ENDS; i++)
		ends->totals[i] += other->totals[i];
	return 0;
}

uint64_t xp_chain_ends_nr(const struct xp_chain_ends *ends, enum xp_chain_end end)
{
	uint64_t nr = 0;

	for (int i = 0; i < XP_NR_CHAIN_ENDS; i++)
		if (end == XP_NR_CHAIN_ENDS || (int)end == i)
			nr += ends->totals[i];
	return nr;
}

static int compare(const void *a, const void *b)
{
	const struct counted *l = a, *r = b;

	if (l->end != r->end)
		return l->end < r->end ? -1 : 1;
	if (l->nr != r->nr)
		return l->nr > r->nr ? -1 : 1;
	return strcmp(l->file, r->file);
}

const char *xp_chain_ends_file(struct xp_chain_ends *ends, enum xp_chain_end end, size_t idx,
			       uint64_t *ret_nr)
{
	if (!ends->is_sorted && ends->nr_files)
		qsort(ends->files, ends->nr_files, sizeof(*ends->files), compare);
	ends->is_sorted = true;
	for (size_t i = 0; i < ends->nr_files; i++) {
		if (ends->files[i].end != end || idx--)
			continue;
		*ret_nr = ends->files[i].nr;
		return ends->files[i].file;
	}
	return NULL;
}
