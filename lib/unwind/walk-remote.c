/* SPDX-License-Identifier: MIT */
/* A chain computed by libunwind, which is to be compared with: what the library sees of a thread.
 */
#include "remote.h"
#include "walk-impl.h"

/* One walk. @is_cut: memory was wanted that is not there */
struct remote_walk {
	struct xp_unwinder *unwinder;
	struct xp_unwind_chain *chain;
	bool is_cut;
};

static bool find_table(void *data, uint64_t pc, struct remote_table *ret_table)
{
	struct remote_walk *walk = data;
	struct xp_unwind_map map;
	struct eh_table table;
	uint64_t address;

	if (!xp_unwinder_map(walk->unwinder, pc, &map) || !map.file ||
	    !xp_unwind_file_table(map.file, walk->unwinder->machine, map.offset + (pc - map.start),
				  &table, &address))
		return false;
	/* As far as the code was moved. */
	uint64_t base = table.address + (pc - address);
	*ret_table = (struct remote_table){ map.start, map.end, base, base + table.entries_at,
					    table.nr };
	return true;
}

static bool read_word(void *data, uint64_t address, size_t bytes, uint64_t *ret)
{
	struct remote_walk *walk = data;
	uint64_t word = 0;

	if (!xp_unwinder_read(walk->unwinder, address, &word, bytes)) {
		walk->is_cut = true;
		return false;
	}
	*ret = word;
	return true;
}

static bool add_frame(void *data, uint64_t pc, uint64_t sp, bool is_interrupted)
{
	struct remote_walk *walk = data;
	struct xp_unwind_chain *chain = walk->chain;

	if (chain->nr == chain->max)
		return false;
	chain->pcs[chain->nr] = pc;
	if (chain->sps)
		chain->sps[chain->nr] = sp;
	if (chain->marks)
		chain->marks[chain->nr] = (uint8_t)((chain->nr ? XP_UNWIND_BY_LIBRARY : 0) |
						    (is_interrupted ? XP_UNWIND_INTERRUPTED : 0));
	chain->nr++;
	walk->is_cut = false;
	return true;
}

void xp_unwinder_walk_remote(struct xp_unwinder *unwinder, struct xp_unwind_chain *chain)
{
	static const enum xp_unwind_end ends[] = {
		[REMOTE_COMPLETE] = XP_UNWIND_COMPLETE,
		[REMOTE_NO_INFO] = XP_UNWIND_NO_INFO,
		[REMOTE_BAD] = XP_UNWIND_BAD,
		[REMOTE_ENOUGH] = XP_UNWIND_LIMIT,
	};
	struct remote_walk walk = { .unwinder = unwinder, .chain = chain };
	const struct remote_thread thread = { .frame = &unwinder->frame,
					      .find_table = find_table,
					      .read = read_word,
					      .add = add_frame,
					      .data = &walk };

	chain->nr = 0;
	chain->end_file = NULL;
	enum remote_end end = xp_remote_walk(unwinder->remote, &thread);
	chain->end = ends[end];
	if (!chain->nr)
		add_frame(&walk, unwinder->frame.pc, unwinder->frame.regs[unwinder->machine->sp],
			  false);
	if (walk.is_cut && end != REMOTE_ENOUGH)
		chain->end = XP_UNWIND_END_OF_DUMP;
}
