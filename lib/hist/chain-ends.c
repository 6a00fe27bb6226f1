/* SPDX-License-Identifier: MIT */
/*
 * How call chains end. One that was computed, while recording or from a copy of the stack, says it
 * itself (chain-mark.h). The kernel follows whatever the frame pointer's register holds, and stops
 * without a word where it can read no further. So only what can be checked counts: whether the
 * first function of a thread is in a chain, whether code is mapped at its last address, and whether
 * a call precedes it.
 *
 * Source of the encodings of calls: x86-call.h; Arm Architecture Reference Manual, BL and BLR. Of
 * e_entry: elf(5).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/chain-ends.h>
#include <xperf/resolve.h>

#include "chain-mark.h"
#include "first-function.h"
#include "places.h"
#include "timeline.h"
#include "x86-call.h"

enum {
	PROT_CODE = 4, /* mman.h, PROT_EXEC */
	MACHINE_386 = 3,
	MACHINE_X86_64 = 62,
	MACHINE_AARCH64 = 183, /* elf.h */
};

/* What is known of the user part of a chain, from its outermost frame to a node. */
struct part {
	uint16_t nr;      /* addresses, the kernel's included */
	uint16_t nr_user; /* 0: there is no user part */
	int16_t end;      /* enum xp_chain_end */
	int32_t dso;      /* its index plus 1; 0: none is known */
	bool is_joined;   /* not all of it was seen */
	bool is_said;     /* the end, by the chain itself */
	bool is_in_exec;  /* the kernel was replacing the program */
};

/* --- facts about one frame --- */

/* What the kernel replaces a program by. Source: Linux, fs/exec.c, since 2.6 */
static bool is_exec(const char *name)
{
	static const char *const names[] = { "bprm_execve", "begin_new_exec",
					     "search_binary_handler", "load_elf_binary" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
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

static bool ends_in_arm_call(const uint8_t bytes[X86_CALL_MAX])
{
	const uint8_t *at = bytes + X86_CALL_MAX - 4;
	uint32_t word =
		at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;

	/* BL; BLR, and its forms that check the address */
	return word >> 26 == 0x25 || (word & 0xfefff000) == 0xd63f0000;
}

/* What is not known may follow a call. @ip: an address of the frame's file */
static bool follows_call(const struct xp_frame *frame, uint64_t ip)
{
	uint64_t offset = ip - frame->map.start + frame->map.offset;
	uint8_t bytes[X86_CALL_MAX];
	int machine;

	if (!frame->symtab || offset < sizeof(bytes) ||
	    xp_symtab_code(frame->symtab, offset - sizeof(bytes), bytes, sizeof(bytes), &machine) !=
		    sizeof(bytes))
		return true;
	if (machine == MACHINE_X86_64 || machine == MACHINE_386)
		return x86_call_ends(bytes);
	return machine != MACHINE_AARCH64 || ends_in_arm_call(bytes);
}

/* Of a chain that was unwound, the address is the last one of the call. */
static bool can_be_return(const struct xp_frame *frame)
{
	return follows_call(frame, frame->ip) || follows_call(frame, frame->ip + 1);
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
	return frame->function.name ? xp_is_first_function(frame->function.name) : is_entry(frame);
}

static enum xp_chain_end end_at(const struct xp_frame *frame)
{
	if (!is_code(frame))
		return XP_CHAIN_NOWHERE;
	if (is_first(frame))
		return XP_CHAIN_COMPLETE;
	if (!strcmp(frame->map.dso->name, "[uprobes]"))
		return XP_CHAIN_PROBED;
	if (!can_be_return(frame))
		return XP_CHAIN_NO_CALL;
	if (frame->function.name)
		return XP_CHAIN_INSIDE;
	return xp_timeline_is_file(frame->map.dso) ? XP_CHAIN_UNNAMED : XP_CHAIN_MADE_CODE;
}

/* What a frame of user space says. @end: of a chain that ends there, once that was asked; @dso: as
 * of a part */
struct facts {
	bool is_known, has_end, is_first, is_main, is_exec;
	int16_t end;
	int32_t dso;
};

struct judging {
	struct xp_profile *profile;
	struct xp_resolver *resolver;
	struct part *parts;  /* per node */
	uint32_t *spaces;    /* per node, that of its address */
	struct facts *facts; /* per address of the profile; NULL: they have no numbers yet */
};

static void note_facts(struct facts *facts, const struct xp_frame *frame, bool with_end)
{
	const char *name = frame->function.name;

	facts->is_known = true;
	facts->is_exec = is_exec(name);
	facts->is_first = is_first(frame);
	facts->is_main = name && !strcmp(name, "main");
	facts->dso = is_code(frame) && xp_timeline_is_file(frame->map.dso)
			     ? frame->map.dso->index + 1
			     : 0;
	if (with_end)
		facts->end = (int16_t)end_at(frame);
	facts->has_end = with_end;
}

/* What a frame adds to what is outside of it. The file of an end that the chain says is that of its
 * last address. */
static void add_frame(struct part *part, const struct facts *facts)
{
	if (part->is_said) {
		if (part->end == XP_CHAIN_MADE_CODE ||
		    (!part->nr_user && xp_chain_end_is_in_file((enum xp_chain_end)part->end)))
			part->dso = facts->dso;
		part->nr_user++;
		return;
	}
	bool is_main = part->nr_user == 1 && part->end == XP_CHAIN_UNNAMED && facts->is_main;

	if (!part->nr_user)
		part->end = facts->end;
	else if (part->end != XP_CHAIN_COMPLETE && (is_main || facts->is_first))
		part->end = XP_CHAIN_COMPLETE;
	if (!part->dso)
		part->dso = facts->dso;
	part->nr_user++;
}

/* A chain can only end at the first frame of user space. Frames of the kernel say whether that was
 * there still. */
static int judge_frame(struct judging *judging, uint32_t nr)
{
	struct part *part = &judging->parts[nr];
	const struct xp_profile *profile = judging->profile;
	const struct node *node = xp_table_at(&profile->nodes, nr);
	const struct space *space = xp_table_at(&profile->spaces, judging->spaces[nr]);
	struct xp_frame frame = { .size = sizeof(frame) };
	struct facts own = { 0 }, *facts = &own;
	uint16_t mode = node->mode & XP_MISC_CPUMODE_MASK;
	bool with_end = !part->nr_user;
	int err = 0;

	if (judging->facts)
		facts = &judging->facts[profile->node_addresses[nr]];
	if (!facts->is_known || (with_end && !facts->has_end)) {
		err = xp_resolver_frame(judging->resolver, space->pid, mode, node->ip, false,
					space->time_ns, &frame);
		if (!err)
			note_facts(facts, &frame, with_end);
	}
	if (!err && mode == XP_MISC_USER)
		add_frame(part, facts);
	else if (!err)
		part->is_in_exec |= facts->is_exec;
	return err;
}

/* What has been found complete remains it, and what a chain says itself. In execve() frame pointers
 * lead to nothing but where the system call came from. */
static bool is_wanted(const struct part *part, uint32_t mode)
{
	if (part->is_said)
		return mode == XP_MISC_USER && !part->dso &&
		       (part->end == XP_CHAIN_MADE_CODE ||
			(!part->nr_user && xp_chain_end_is_in_file((enum xp_chain_end)part->end)));
	if (mode == XP_MISC_KERNEL)
		return part->nr_user == 1 && part->end != XP_CHAIN_COMPLETE;
	return mode == XP_MISC_USER && (part->nr_user <= 1 || part->end != XP_CHAIN_COMPLETE);
}

static int judge_node(struct judging *judging, uint32_t nr)
{
	const struct node *node = xp_table_at(&judging->profile->nodes, nr);
	struct part *part = &judging->parts[nr];
	bool is_outermost = node->parent == NO_NODE;

	*part = is_outermost ? (struct part){ 0 } : judging->parts[node->parent];
	judging->spaces[nr] = is_outermost ? 0 : judging->spaces[node->parent];
	if (node->mode & MODE_SPACE) {
		judging->spaces[nr] = (uint32_t)node->ip;
		return 0;
	}
	if (!part->nr++ && node->mode & MODE_END) {
		part->end = (int16_t)((node->mode >> END_SHIFT & 31) - 1);
		part->is_said = true;
	}
	part->is_joined |= node->mode & MODE_JOINED;
	return is_wanted(part, node->mode & (XP_MISC_CPUMODE_MASK | MODE_ANY))
		       ? judge_frame(judging, nr)
		       : 0;
}

static enum xp_chain_end end_of(const struct part *part, uint16_t limit)
{
	enum xp_chain_end end = (enum xp_chain_end)part->end;

	if (part->is_said)
		return end;
	if (end == XP_CHAIN_COMPLETE)
		return part->is_joined ? XP_CHAIN_JOINED : end;
	if (part->is_in_exec)
		return XP_CHAIN_NO_STACK;
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

		bool is_judged = part && (part->is_said || (limit && part->nr_user));
		if (!is_judged || raw->mode & MODE_ANY)
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
	struct judging judging = { .profile = profile, .resolver = resolver };
	int err = 0;

	judging.parts = calloc((size_t)nr + 1, sizeof(*judging.parts));
	judging.spaces = calloc((size_t)nr + 1, sizeof(*judging.spaces));
	if (profile->node_addresses)
		judging.facts = calloc((size_t)profile->addresses.nr + 1, sizeof(*judging.facts));
	if (!judging.parts || !judging.spaces || (profile->node_addresses && !judging.facts))
		err = -ENOMEM;
	if (!err)
		err = xp_profile_flush(profile);
	/* Outer nodes have smaller numbers. */
	for (uint32_t i = 0; !err && i < nr; i++)
		err = judge_node(&judging, i);
	if (!err)
		err = count_ends(profile, judging.parts, limits, ends);
	free(judging.parts);
	free(judging.spaces);
	free(judging.facts);
	return err;
}
