/* SPDX-License-Identifier: MIT */
/* Call chains that were taken out of the kernel, until the sums that name them are written. */
#ifndef BPF_STACK_CHAINS_H
#define BPF_STACK_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "index.h"
#include "stack-sums.h"

/* Zero-initialised is empty. @words: of each chain its key, the number of its frames, and these */
struct stack_chains {
	uint64_t *words;
	size_t nr, room;
	struct index by_key;
};

/* Keeps a copy; the room of chains before is used again. Returns 0 or -ENOMEM. */
int xp_stack_chains_add(struct stack_chains *chains, uint64_t key, const struct stack_chain *chain);
/* The frames of a chain. Returns how many; 0: there is no such chain. */
size_t xp_stack_chains_find(const struct stack_chains *chains, uint64_t key,
			    const uint64_t **ret_ips);
void xp_stack_chains_empty(struct stack_chains *chains);
void xp_stack_chains_fini(struct stack_chains *chains);

#endif
