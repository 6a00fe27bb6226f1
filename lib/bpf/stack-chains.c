/* SPDX-License-Identifier: MIT */
/* Call chains by their keys, which are hashes. */
#include "stack-chains.h"

#include <errno.h>
#include <string.h>

#include "vec.h"

enum { KEY, NR, IPS };

int xp_stack_chains_add(struct stack_chains *chains, uint64_t key, const struct stack_chain *chain)
{
	uint64_t nr = chain->nr < STACK_FRAMES_MAX ? chain->nr : STACK_FRAMES_MAX;

	if (vec_reserve_more(&chains->words, chains->nr, IPS + nr, &chains->room,
			     sizeof(*chains->words)) ||
	    index_add(&chains->by_key, key, chains->nr))
		return -ENOMEM;
	uint64_t *words = chains->words + chains->nr;
	words[KEY] = key;
	words[NR] = nr;
	memcpy(words + IPS, chain->ips, nr * sizeof(*words));
	chains->nr += IPS + nr;
	return 0;
}

size_t xp_stack_chains_find(const struct stack_chains *chains, uint64_t key,
			    const uint64_t **ret_ips)
{
	size_t at;

	for (struct index_walk walk = index_walk(&chains->by_key, key); index_next(&walk, &at);) {
		const uint64_t *words = chains->words + at;

		if (words[KEY] != key)
			continue;
		*ret_ips = words + IPS;
		return words[NR];
	}
	return 0;
}

void xp_stack_chains_empty(struct stack_chains *chains)
{
	index_fini(&chains->by_key);
	chains->nr = 0;
}

void xp_stack_chains_fini(struct stack_chains *chains)
{
	xp_stack_chains_empty(chains);
	free(chains->words);
	*chains = (struct stack_chains){ 0 };
}
