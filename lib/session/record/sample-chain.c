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
	bool is_first = !walk->is_inside;

	for (; walk->nr; walk->ips++, walk->nr--) {
		if (*walk->ips >= XP_CONTEXT_MAX) {
			walk->cpumode = mode_of(*walk->ips);
			is_first = true;
			walk->is_lost = walk->cpumode == MODE_UNKNOWN;
		} else if (!walk->is_lost) {
			break;
		}
	}
	walk->is_return = !is_first;
	walk->is_inside = true;
	if (!walk->nr)
		return false;
	walk->ip = *walk->ips++;
	walk->nr--;
	return true;
}
