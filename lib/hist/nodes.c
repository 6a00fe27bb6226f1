/* SPDX-License-Identifier: MIT */
/* The addresses of a profile's call chains and samples, before they are looked up; and the call
 * chains of places that they become afterwards. */
#include "nodes.h"

#include <errno.h>
#include <stdlib.h>

#include "places.h"

static int add_call(struct xp_profile *profile, const struct call *like, uint32_t *ret_nr)
{
	struct call call = *like;

	call.depth = 1;
	if (call.parent != NO_NODE)
		call.depth +=
			((const struct call *)xp_table_at(&profile->calls, call.parent))->depth;
	return xp_table_intern_sized(&profile->calls, &call, sizeof(call), ret_nr) < 0 ? -ENOMEM
										       : 0;
}

/* The address of a node, which has that of its space outside of it. @spaces: per node */
static int find_address(struct xp_profile *profile, uint32_t nr, uint32_t *spaces)
{
	const struct node *node = xp_table_at(&profile->nodes, nr);

	if (node->mode & MODE_SPACE) {
		spaces[nr] = (uint32_t)node->ip;
		return 0;
	}
	spaces[nr] = node->parent == NO_NODE ? 0 : spaces[node->parent];
	return xp_profile_address(profile, spaces[nr],
				  node->mode & ~(uint32_t)(MODE_CUT | MODE_END), node->ip,
				  &profile->node_addresses[nr]);
}

int xp_nodes_init(struct nodes *nodes, struct xp_profile *profile)
{
	uint32_t nr = profile->nodes.nr;
	uint32_t *spaces = calloc((size_t)nr + 1, sizeof(*spaces));
	int err = 0;

	profile->node_addresses = calloc((size_t)nr + 1, sizeof(*profile->node_addresses));
	nodes->calls = calloc((size_t)nr + 1, sizeof(*nodes->calls));
	nodes->raw_addresses = calloc((size_t)profile->raws.nr + 1, sizeof(*nodes->raw_addresses));
	if (!spaces || !profile->node_addresses || !nodes->calls || !nodes->raw_addresses)
		err = -ENOMEM;
	for (uint32_t i = 0; !err && i < nr; i++)
		err = find_address(profile, i, spaces);
	for (uint32_t i = 0; !err && i < profile->raws.nr; i++) {
		const struct raw *raw = xp_table_at(&profile->raws, i);
		uint32_t other = raw->mode & MODE_ANY ? XP_MISC_CPUMODE_MASK : 0;

		if (profile->opts.whole_chains && !(raw->mode & MODE_ANY))
			other = MODE_LEAF;
		err = xp_profile_address(profile, raw->space, raw->mode & ~other, raw->ip,
					 &nodes->raw_addresses[i]);
	}
	free(spaces);
	return err;
}

/* The place of an address, and what is inlined there, called by @call->parent. */
static int add_calls(struct xp_profile *profile, const struct address *address,
		     const struct call *like, uint32_t *ret_nr)
{
	uint32_t inlined = address->inlined;
	struct call call = *like;

	call.place = address->place;
	int err = add_call(profile, &call, ret_nr);
	call.is_cut = 0;
	for (uint32_t i = 0; !err && inlined && i < profile->inlined[inlined]; i++) {
		call.parent = *ret_nr;
		call.place = profile->inlined[inlined + 1 + i];
		err = add_call(profile, &call, ret_nr);
	}
	return err;
}

/* Call chains of addresses become such of places. */
static int make_call(struct nodes *nodes, struct xp_profile *profile, uint32_t nr)
{
	const struct node *node = xp_table_at(&profile->nodes, nr);
	const struct call like = {
		.parent = node->parent == NO_NODE ? NO_NODE : nodes->calls[node->parent],
		.is_joined = (node->mode & MODE_JOINED) != 0,
		.is_cut = (node->mode & MODE_CUT) != 0,
	};

	nodes->calls[nr] = like.parent;
	if (node->mode & MODE_SPACE)
		return 0;
	const struct address *address = xp_address_at(profile, profile->node_addresses[nr]);
	if (xp_place_is_hidden(profile, address->place) && !(node->mode & MODE_ANY))
		return 0;
	return add_calls(profile, address, &like, &nodes->calls[nr]);
}

static bool is_of_mode(uint32_t mode, uint32_t other)
{
	return ((mode ^ other) & XP_MISC_CPUMODE_MASK) == 0;
}

int xp_nodes_call(const struct nodes *nodes, struct xp_profile *profile, uint32_t raw_nr,
		  uint32_t *ret_call)
{
	const struct raw *raw = xp_table_at(&profile->raws, raw_nr);
	const struct node *node =
		raw->chain == NO_NODE ? NULL : xp_table_at(&profile->nodes, raw->chain);
	struct call like = { .parent = node ? nodes->calls[raw->chain] : NO_NODE };

	*ret_call = like.parent;
	if (!profile->opts.whole_chains || raw->mode & MODE_ANY ||
	    (node && is_of_mode(node->mode, raw->mode)))
		return 0;
	return add_calls(profile, xp_address_at(profile, nodes->raw_addresses[raw_nr]), &like,
			 ret_call);
}

int xp_nodes_make_calls(struct nodes *nodes, struct xp_profile *profile)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < profile->nodes.nr; i++)
		err = make_call(nodes, profile, i);
	return err;
}

void xp_nodes_fini(struct nodes *nodes)
{
	free(nodes->calls);
	free(nodes->raw_addresses);
}
