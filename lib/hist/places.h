/* SPDX-License-Identifier: MIT */
/* From the addresses of a profile to its places: each is looked up once, by any thread, and then
 * numbered, in order. */
#ifndef HIST_PLACES_H
#define HIST_PLACES_H

#include "profile-impl.h"

/* Entries of the table of addresses: what is looked up, and what it has become. @inlined: where the
 * profile's list of that name has the functions inlined there; 0: none */
struct address {
	uint32_t space, mode;
	uint64_t ip;
	uint32_t place, inlined;
};

/* What is found at an address. */
struct looked_up {
	struct xp_frame frame;
	const struct xp_line *lines;
	int nr_lines;
	char level;
};

static inline struct address *xp_address_at(const struct xp_profile *profile, uint32_t nr)
{
	return xp_table_at(&profile->addresses, nr);
}

static inline bool xp_place_is_hidden(const struct xp_profile *profile, uint32_t place)
{
	return profile->opts.hide_unresolved && !profile->places[place]->frame.function.name;
}

/* How many threads look its addresses up. */
static inline int xp_profile_lookers(const struct xp_profile *profile)
{
	enum { MIN_ADDRESSES = 256 };

	return profile->addresses.nr < MIN_ADDRESSES ? 1 : xp_profile_threads(profile);
}

/* The number of an address, which is to be looked up. Returns 0 or -ENOMEM. */
int xp_profile_address(struct xp_profile *profile, uint32_t space, uint32_t mode, uint64_t ip,
		       uint32_t *ret_nr);

/* The address in the file's terms; as it ran where there is no file. */
uint64_t xp_place_ip(const struct xp_frame *frame);
/* What stands for an address that is not looked up. */
struct looked_up xp_address_unknown(const struct xp_profile *profile, uint32_t nr);
/* Only reads the profile; no address is added meanwhile. Returns 0 or -ENOMEM. */
int xp_address_look_up(const struct xp_profile *profile, struct xp_resolver *resolver, uint32_t nr,
		       struct looked_up *ret_found);
/* Makes places of what was found. Returns 0 or -ENOMEM. */
int xp_address_number(struct xp_profile *profile, uint32_t nr, const struct looked_up *found);

/* lookup.c: both, for all addresses. Returns 0 or -ENOMEM. */
int xp_profile_look_up(struct xp_profile *profile, struct xp_resolver *resolver);

#endif
