/* SPDX-License-Identifier: MIT */
/* Call chains, entry by entry: what the markers between their addresses say. */
#include <xperf/sample.h>

/* Entries that follow belong to nobody that is known. */
enum { MODE_UNKNOWN = 0 };

static uint16_t mode_of(uint64_t marker)
{
	switch (marker) {
	case XP_CONTEXT_HV:
		return XP_MISC_HYPERVISOR;
	case XP_CONTEXT_KERNEL:
		return XP_MISC_KERNEL;
	case XP_CONTEXT_USER:
		return XP_MISC_USER;
	case XP_CONTEXT_GUEST_KERNEL:
		return XP_MISC_GUEST_KERNEL;
	case XP_CONTEXT_GUEST_USER:
		return XP_MISC_GUEST_USER;
	default:
		return MODE_UNKNOWN;
	}
}

bool xp_chain_next_marked(struct xp_chain_walk *walk)
{
	/* Files of other programs have two markers, too, but only where functions of user space
	 * begin. */
	bool follows_user = walk->is_inside && walk->cpumode == XP_MISC_USER;
	bool is_first = !walk->is_inside;
	const struct xp_chain_walk before = *walk;
	uint64_t marker = 0;

	for (; walk->nr; walk->ips++, walk->nr--) {
		if (*walk->ips >= XP_CONTEXT_MAX) {
			bool is_second =
				follows_user && marker == XP_CONTEXT_USER && *walk->ips == marker;

			walk->cpumode = mode_of(*walk->ips);
			/* What comes first after two of them was called like others. */
			is_first = !is_second;
			walk->is_joined =
				is_second || (walk->is_joined && *walk->ips == XP_CONTEXT_USER);
			marker = is_second ? 0 : *walk->ips;
			walk->is_lost = walk->cpumode == MODE_UNKNOWN;
		} else if (!walk->is_lost) {
			break;
		}
	}
	/* Markers behind the last address, which say how the chain ends, are nobody's. */
	if (!walk->nr) {
		walk->cpumode = before.cpumode;
		walk->is_joined = before.is_joined;
		return false;
	}
	walk->is_return = !is_first;
	walk->is_inside = true;
	walk->ip = *walk->ips++;
	walk->nr--;
	return true;
}
