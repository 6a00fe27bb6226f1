/* SPDX-License-Identifier: MIT */
/*
 * Rows in the order in which they are laid before they are sorted: halves are sorted by threads of
 * their own, then merged. What is divided, and thereby what is compared, is the same whoever does
 * it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

enum { MIN_ROWS = 4096 }; /* that are worth a thread */

/* @spare: room for half of them; @nr_threads: that may work on them */
struct laying {
	const struct xp_profile *profile;
	uint32_t *rows, *spare;
	uint32_t nr;
	int nr_threads;
};

/* Merges the first @nr_first rows with the others. Of equal ones the first come first. */
static void merge(const struct laying *laying, uint32_t nr_first)
{
	const struct xp_profile *profile = laying->profile;
	uint32_t *to = laying->rows, *first = laying->spare, *second = to + nr_first;
	const uint32_t *first_end = first + nr_first, *end = to + laying->nr;

	memcpy(first, to, nr_first * sizeof(*to));
	while (first < first_end && second < end)
		*to++ = xp_row_lay(profile, &profile->rows[*first], &profile->rows[*second]) <= 0
				? *first++
				: *second++;
	memcpy(to, first, (size_t)(first_end - first) * sizeof(*to));
}

static void *lay(void *arg)
{
	const struct laying *laying = arg;
	uint32_t half = laying->nr / 2;
	bool is_shared = laying->nr_threads > 1 && laying->nr >= MIN_ROWS;
	struct laying first = *laying, second = *laying;
	pthread_t thread;

	if (laying->nr < 2)
		return NULL;
	first.nr = half;
	second.rows += half;
	second.spare += half / 2;
	second.nr -= half;
	second.nr_threads = laying->nr_threads / 2;
	first.nr_threads -= second.nr_threads;
	is_shared = is_shared && !pthread_create(&thread, NULL, lay, &second);
	lay(&first);
	if (is_shared)
		pthread_join(thread, NULL);
	else
		lay(&second);
	merge(laying, half);
	return NULL;
}

int xp_rows_lay(const struct xp_profile *profile, uint32_t *rows, uint32_t nr)
{
	struct laying laying = { .profile = profile, .rows = rows, .nr = nr };

	/* A caller's comparison of tags is for one thread. */
	laying.nr_threads = profile->has_key[XP_KEY_TAG] ? 1 : xp_profile_threads(profile);
	laying.spare = calloc((size_t)nr + 1, sizeof(*laying.spare));
	if (!laying.spare)
		return -ENOMEM;
	lay(&laying);
	free(laying.spare);
	return 0;
}
