/* SPDX-License-Identifier: MIT */
/*
 * Numbers by lot; see random.h for the generator. The shuffle: R. Durstenfeld, "Algorithm 235:
 * Random permutation", Communications of the ACM 7 (1964).
 */
#include "random.h"

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Numbers above the last multiple of @end would favour small results. */
uint64_t random_below(struct random *random, uint64_t end)
{
	uint64_t excess = UINT64_MAX % end + 1 == end ? 0 : UINT64_MAX % end + 1, value;

	do
		value = random_next(random);
	while (value > UINT64_MAX - excess);
	return value % end;
}

void random_order(struct random *random, int *order, int n)
{
	for (int i = 0; i < n; i++) {
		int at = (int)random_below(random, (uint64_t)i + 1);

		if (at < i)
			order[i] = order[at];
		order[at] = i;
	}
}
