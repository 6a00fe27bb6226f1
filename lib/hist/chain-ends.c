/* SPDX-License-Identifier: MIT */
/*
 * How call chains that the kernel has found by frame pointers end. The kernel follows whatever the
 * register holds, and stops without a word where it can read no further. So only what can be
 * checked counts: whether the first function of a thread is in a chain, whether code is mapped at
 * its last address, and whether a call precedes it.
 *
 * Source of the encodings of calls: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 2, CALL; Arm Architecture Reference Manual, BL and BLR. Of e_entry: elf(5).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

enum {
	PROT_CODE = 4, /* mman.h, PROT_EXEC */
	MACHINE_386 = 3,
	MACHINE_X86_64 = 62,
	MACHINE_AARCH64 = 183, /* elf.h */
	LONGEST_CALL = 7,
};

/* What is known of the user part of a chain, from its outermost frame to a node. */
struct part {
	uint16_t nr;      /* addresses, the kernel's included */
	uint16_t nr_user; /* 0: there is no user part */
	int16_t end;      /* enum xp_chain_end */
	int32_t dso;      /* its index plus 1; 0: none is known */
	bool is_joined;   /* not all of it was seen */
};

/* --- facts about one frame --- */

/* The functions that no other calls. Sources: glibc, musl, Go's runtime. */
static bool is_first_function(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_start_c",
		"__libc_start_call_main",
		"__libc_start_main_impl",
		"__libc_start_main",
		"libc_start_main_stage2",
		"_dl_start_user",
		"start_thread",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
		"__clone_internal",
		"thread_start",
		"runtime.goexit",
		"runtime.goexit.abi0",
		"runtime.mstart",
		"runtime.mstart.abi0",
		"runtime.rt0_go",
		"runtime.rt0_go.abi0",
	};
	size_t len = strcspn(name, "@"); /* "__libc_start_main@@GLIBC_2.34" */

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return true;
	return false;
}

/* Whether an address is in the code that a file is entered at, which is short. */
static bool is_entry(const struct xp_frame *frame)
{
	enum { ENTRY_AT = 24, ENTRY_BYTES = 64 };
	uint64_t entry = 0;
	int machine;

	if (!frame->symtab || xp_symtab_code(frame->symtab, ENTRY_AT, &entry, sizeof(entry),
					     &machine) != sizeof(entry))
		return false;
	if (machine != MACHINE_X86_64 && machine != MACHINE_AARCH64)
		return false;
	return entry && frame->address - entry < ENTRY_BYTES;
}

/* Whether what lies before an address can be a call: FF /2 with all its forms, or E8. */
static bool ends_in_x86_call(const uint8_t bytes[LONGEST_CALL])
{
	static const int lens[] = { 2, 3, 4, 6, 7 };

	if (bytes[LONGEST_CALL - 5] == 0xe8)
		return true;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		const uint8_t *at = bytes + LONGEST_CALL - lens[i];

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

static bool ends_in_arm_call(const uint8_t bytes[LONGEST_CALL])
{
	const uint8_t *at = bytes + LONGEST_CALL - 4;
	uint32_t word =
		at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;

	/* BL; BLR, and its forms that check the address */
	return word >> 26 == 0x25 || (word & 0xfefff000) == 0xd63f0000;
}

/* What is not known may follow a call. */
static bool can_be_return(const struct xp_frame *frame)
{
	uint64_t offset = frame->ip - frame->map.start + frame->map.offset;
	uint8_t bytes[LONGEST_CALL];
	int machine;

	if (!frame->symtab || offset < sizeof(bytes) ||
	    xp_symtab_code(frame->symtab, offset - sizeof(bytes), bytes, sizeof(bytes), &machine) !=
		    sizeof(bytes))
		return true;
	if (machine == MACHINE_X86_64 || machine == MACHINE_386)
		return ends_in_x86_call(bytes);
	return machine != MACHINE_AARCH64 || ends_in_arm_call(bytes);
}

/* --- chains --- */

static bool is_code(const struct xp_frame *frame)
{
	return frame->map.dso && (!frame->map.prot || frame->map.prot & PROT_CODE);
}

static bool is_first(const struct xp_frame *frame)
{
	if (!is_code(frame))
		return false;
	return frame->function.name ? is_first_function(frame->function.name) : is_entry(frame);
}

static enum xp_chain_end end_at(const struct xp_frame *frame)
{
	if (!is_code(frame))
		return XP_CHAIN_NOWHERE;
	if (is_first(frame))
		return XP_CHAIN_COMPLETE;
	if (!can_be_return(frame))
		return XP_CHAIN_NO_CALL;
	return frame->function.name ? XP_CHAIN_INSIDE : XP_CHAIN_UNNAMED;
}

/* What a frame of user space adds to what is outside of it. */
static void add_frame(struct part *part, const struct xp_frame *frame)
{
	const char *name = frame->function.name;
	bool is_main = part->nr_user == 1 && part->end == XP_CHAIN_UNNAMED && name &&
		       !strcmp(name, "main");

	if (!part->nr_user)
		part->end = (int16_t)end_at(frame);
	else if (part->end != XP_CHAIN_COMPLETE && (is_main || is_first(frame)))
		part->end = XP_CHAIN_COMPLETE;
	if (!part->dso && is_code(frame))
		part->dso = frame->map.dso->index + 1;
	part->nr_user++;
}

/* Of a frame that others are outside of, only the function counts, and that is looked up already
 * where rows have been made. NULL: it is not known. */
static const struct xp_frame *known_frame(const struct xp_profile *profile, uint32_t nr,
					  const struct part *part)
{
	if (!profile->node_addresses || !part->nr_user || !part->dso)
		return NULL;
	const struct address *address = xp_address_at(profile, profile->node_addresses[nr]);
	const struct xp_frame *frame = &profile->places[address->place]->frame;
	return frame->function.name ? frame : NULL;
}

/* @spaces: per node, that of its address */
static int judge_node(struct xp_profile *profile, struct xp_resolver *resolver, uint32_t nr,
		      struct part *parts, uint32_t *spaces)
{
	const struct node *node = xp_table_at(&profile->nodes, nr);
	struct xp_frame frame = { .size = sizeof(frame) };
	bool is_outermost = node->parent == NO_NODE;

	parts[nr] = is_outermost ? (struct part){ 0 } : parts[node->parent];
	spaces[nr] = is_outermost ? 0 : spaces[node->parent];
	if (node->mode & MODE_SPACE) {
		spaces[nr] = (uint32_t)node->ip;
		return 0;
	}
	parts[nr].nr++;
	parts[nr].is_joined |= node->mode & MODE_JOINED;
	/* What has been found complete remains it. */
	if ((node->mode & (XP_MISC_CPUMODE_MASK | MODE_ANY)) != XP_MISC_USER ||
	    (parts[nr].nr_user > 1 && parts[nr].end == XP_CHAIN_COMPLETE))
		return 0;
	const struct xp_frame *known = known_frame(profile, nr, &parts[nr]);
	if (known) {
		add_frame(&parts[nr], known);
		return 0;
	}
	const struct space *space = xp_table_at(&profile->spaces, spaces[nr]);
	int err = xp_resolver_frame(resolver, space->pid, XP_MISC_USER, node->ip, false,
				    space->time_ns, &frame);
	if (!err)
		add_frame(&parts[nr], &frame);
	return err;
}

static enum xp_chain_end end_of(const struct part *part, uint16_t limit)
{
	enum xp_chain_end end = (enum xp_chain_end)part->end;

	if (end == XP_CHAIN_COMPLETE)
		return part->is_joined ? XP_CHAIN_JOINED : end;
	if (part->nr >= limit)
		return XP_CHAIN_LIMIT;
	/* The sample's own address is no return address. */
	return part->nr_user == 1 && end == XP_CHAIN_NO_CALL ? XP_CHAIN_INSIDE : end;
}

static int count_ends(const struct xp_profile *profile, const struct part *parts,
		      const uint16_t *limits, struct xp_chain_ends *ends)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < profile->raws.nr; i++) {
		const struct raw *raw = xp_table_at(&profile->raws, i);
		uint16_t limit =
			limits[((const struct who *)xp_table_at(&profile->whos, raw->who))->event];
		const struct part *part = raw->chain == NO_NODE ? NULL : &parts[raw->chain];

		if (!part || !limit || !part->nr_user || raw->mode & MODE_ANY)
			continue;
		if (limit > profile->opts.max_stack)
			limit = (uint16_t)profile->opts.max_stack;
		const struct xp_dso *dso =
			part->dso ? xp_timeline_dso(profile->timeline, part->dso - 1) : NULL;
		err = xp_chain_ends_add(ends, end_of(part, limit), dso ? dso->name : NULL,
					raw->sum.samples);
	}
	return err;
}

int xp_profile_judge_chains(struct xp_profile *profile, struct xp_resolver *resolver,
			    const uint16_t *limits, struct xp_chain_ends *ends)
{
	uint32_t nr = profile->nodes.nr;
	struct part *parts = calloc((size_t)nr + 1, sizeof(*parts));
	uint32_t *spaces = calloc((size_t)nr + 1, sizeof(*spaces));
	int err = parts && spaces ? xp_profile_flush(profile) : -ENOMEM;

	/* Outer nodes have smaller numbers. */
	for (uint32_t i = 0; !err && i < nr; i++)
		err = judge_node(profile, resolver, i, parts, spaces);
	if (!err)
		err = count_ends(profile, parts, limits, ends);
	free(parts);
	free(spaces);
	return err;
}
