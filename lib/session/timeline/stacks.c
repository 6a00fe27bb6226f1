/* SPDX-License-Identifier: MIT */
/*
 * From the registers and the copy of the stack in a sample to its call chain. An unwinder finds the
 * callers; it asks here what was mapped in the process at the time of the sample.
 *
 * Sources: linux/perf_event.h, enum perf_callchain_context; of the order of a chain's parts, and
 * that each has a limit of its own: perf script, 6.1, measured.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <xperf/arch.h>
#include <xperf/stacks.h>
#include <xperf/timeline.h>

#include "chain-end.h"
#include "chain-mark.h"
#include "jit-dumps.h"
#include "joiner.h"
#include "opts.h"
#include "shortage.h"
#include "timeline-impl.h"

enum {
	DEFAULT_MAX = 127, /* Source: linux/perf_event.h, PERF_MAX_STACK_DEPTH */
	MAX_MAX = 1 << 16, /* a record has room for fewer words */
	PROT_CODE = 4,     /* mman.h, PROT_EXEC */
	SLOTS = 64,        /* a power of two */
};

typedef _Atomic(struct xp_unwind_file *) shared_file;

/* What all that were forked from one have in common. */
struct shared {
	const struct xp_timeline *timeline;
	struct xp_unwind *unwind;
	shared_file *files; /* by index of the DSO; NULL: was not asked for */
	int nr_dsos, max;
	struct jit_dumps dumps;
	bool no_join;
	struct utsname host; /* whose machine it is */
};

/* Process and span of time for which all answers about maps are true that were given under this
 * number. */
struct space {
	uint64_t nr;         /* 0: free */
	uint64_t span_ns[2]; /* first and last */
	int32_t pid;
};

struct xp_stacks {
	struct shared *shared;
	bool is_forked;
	struct xp_unwinder *unwinder; /* NULL: not known for such machines */
	struct space spaces[SLOTS];
	uint64_t nr_spaces;
	struct xp_joiner *joiner; /* NULL: chains end with the copy of the stack */

	/* of the chain that is unwound */
	struct space *space;
	uint64_t time_ns;
	bool is_short_of_memory;

	uint64_t *pcs; /* room for shared.max */
	uint64_t *sps;
	uint8_t *marks;
	uint64_t *chain; /* room for the kernel's part, too, and a marker before each user frame */
};

/* --- maps --- */

/* What is in memory has no description, but for what a JIT compiler has written down. Any thread
 * may be the first; all get the same. */
static struct xp_unwind_file *file_of(struct xp_stacks *stacks, const struct xp_dso *dso)
{
	shared_file *slot = &stacks->shared->files[dso->index];
	struct xp_unwind_file *file = atomic_load_explicit(slot, memory_order_acquire);

	if (file || !xp_timeline_is_file(dso))
		return file;
	const struct xp_symbol_file recorded = xp_timeline_file_of(dso);
	if (xp_unwind_open_file(stacks->shared->unwind, &recorded, &file)) {
		stacks->is_short_of_memory = true;
		return NULL;
	}
	atomic_store_explicit(slot, file, memory_order_release);
	return file;
}

static bool find_map(const struct xp_stacks *stacks, uint64_t address, struct xp_map *ret_map)
{
	ret_map->size = sizeof(*ret_map);
	return xp_timeline_map_at(stacks->shared->timeline, stacks->space->pid, XP_MISC_USER,
				  address, stacks->time_ns, ret_map) > 0 &&
	       ret_map->dso;
}

/* What is known is true from a time to another. */
static void bound(struct space *space, const uint64_t span_ns[2])
{
	if (space->span_ns[0] < span_ns[0])
		space->span_ns[0] = span_ns[0];
	if (space->span_ns[1] > span_ns[1])
		space->span_ns[1] = span_ns[1];
}

static int map_at(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	struct xp_stacks *stacks = data;
	const struct jit_dumps *dumps = &stacks->shared->dumps;
	struct space *space = stacks->space;
	struct xp_map map;

	if (!find_map(stacks, address, &map)) { /* How long that is true is not known. */
		space->span_ns[0] = space->span_ns[1] = stacks->time_ns;
		return xp_jit_dumps_map(dumps, space->pid, address, stacks->time_ns, ret_map,
					space->span_ns);
	}
	bound(space, (const uint64_t[]){ map.from_ns, map.to_ns });
	if (map.dso->is_jit && xp_jit_dumps_map(dumps, map.dso->jit_pid, address, stacks->time_ns,
						ret_map, space->span_ns))
		return 1;
	ret_map->start = map.start;
	ret_map->end = map.end;
	ret_map->offset = map.offset;
	ret_map->file = file_of(stacks, map.dso);
	ret_map->is_executable = !map.prot || map.prot & PROT_CODE;
	return 1;
}

/* The number under which answers are kept. Samples of a process come together by and large, and
 * what is mapped changes rarely. */
static uint64_t enter_space(struct xp_stacks *stacks, int32_t pid, uint64_t time_ns)
{
	struct space *space = &stacks->spaces[(uint32_t)pid * 0x9e3779b1U >> 26];

	if (!space->nr || space->pid != pid || time_ns < space->span_ns[0] ||
	    time_ns > space->span_ns[1])
		*space = (struct space){ ++stacks->nr_spaces, { 0, UINT64_MAX }, pid };
	stacks->space = space;
	stacks->time_ns = time_ns;
	return space->nr;
}

/* --- chains --- */

/* Copies what of a recorded chain is the kernel's. Returns words. */
static size_t copy_kernel(const struct xp_stacks *stacks, const struct xp_sample *sample)
{
	size_t nr = 0;

	for (int frames = 0; nr < sample->nr_callchain; nr++) {
		uint64_t word = sample->callchain[nr];

		frames += word < XP_CONTEXT_MAX;
		if (frames > stacks->shared->max || nr > (size_t)stacks->shared->max * 2)
			break;
		stacks->chain[nr] = word;
	}
	return nr;
}

static bool has_user_part(const struct xp_sample *sample)
{
	struct xp_chain_walk at = { .ips = sample->callchain,
				    .nr = sample->nr_callchain,
				    .cpumode = sample->record->misc & XP_MISC_CPUMODE_MASK };

	while (xp_chain_next(&at))
		if (at.cpumode == XP_MISC_USER)
			return true;
	return false;
}

/* An address in the call stands for a return address, as with perf: what is after the call may be
 * another function. */
static size_t add_user(struct xp_stacks *stacks, size_t at, size_t nr, size_t nr_seen)
{
	for (size_t i = 0; i < nr; i++) {
		bool is_exact = stacks->marks[i] & (XP_UNWIND_INTERRUPTED | XP_UNWIND_NOT_CALLED);
		bool is_return = i && !is_exact;

		if (i == nr_seen) {
			stacks->chain[at++] = XP_CONTEXT_USER;
			stacks->chain[at++] = XP_CONTEXT_USER;
		}
		if (!is_return)
			stacks->chain[at++] = XP_CONTEXT_USER;
		stacks->chain[at++] = stacks->pcs[i] - is_return;
	}
	return at;
}

static bool is_mapped(void *data, uint64_t address, uint64_t since_ns)
{
	struct xp_map map;

	return find_map(data, address, &map) && map.from_ns <= since_ns;
}

/* Returns how many frames. */
static size_t join(struct xp_stacks *stacks, const struct xp_sample *sample,
		   struct xp_unwind_chain *chain)
{
	const struct xp_join_thread thread = {
		.pid = sample->id.pid,
		.tid = sample->id.tid,
		.time_ns = sample->id.time_ns,
		.space = stacks->space->nr,
		.is_mapped = is_mapped,
		.data = stacks,
	};

	if (!stacks->joiner)
		return 0;
	xp_joiner_forget(
		stacks->joiner, thread.tid,
		xp_timeline_named_ns(stacks->shared->timeline, thread.tid, thread.time_ns));
	return xp_joiner_add(stacks->joiner, &thread, chain);
}

/* The address alone. */
static size_t find_pc(struct xp_stacks *stacks, const struct xp_regs *regs)
{
	const struct xp_arch_regs *known =
		xp_arch_regs_find(stacks->shared->host.machine, regs->abi);
	uint64_t bit = known ? UINT64_C(1) << known->ip_bit : 0;
	int at = __builtin_popcountll(regs->mask & (bit - 1));

	if (!(regs->mask & bit) || at >= regs->nr)
		return 0;
	stacks->pcs[0] = regs->values[at];
	stacks->marks[0] = 0;
	return 1;
}

static bool is_unwound(const struct xp_sample *sample)
{
	return !sample->user_regs.nr || !sample->stack || has_user_part(sample);
}

/* Returns 1, 0: it cannot be walked; -ENOMEM. */
static int walk(struct xp_stacks *stacks, const struct xp_sample *sample,
		struct xp_unwind_chain *chain)
{
	uint64_t valid =
		sample->stack_valid < sample->stack_len ? sample->stack_valid : sample->stack_len;
	const struct xp_unwind_start start = {
		.size = sizeof(start),
		.regs = sample->user_regs,
		.stack = sample->stack,
		.stack_len = valid,
		.space = enter_space(stacks, sample->id.pid, sample->id.time_ns),
	};

	*chain = (struct xp_unwind_chain){
		.size = sizeof(*chain),
		.pcs = stacks->pcs,
		.sps = stacks->sps,
		.marks = stacks->marks,
		.max = (size_t)stacks->shared->max,
	};
	int err = stacks->unwinder ? xp_unwinder_walk(stacks->unwinder, &start, chain) : -EINVAL;
	if (err == -ENOMEM || stacks->is_short_of_memory)
		return -ENOMEM;
	/* A file that cannot be opened ends the chain, which says so. */
	return !err || xp_is_shortage(err);
}

/* The chain in @stacks becomes that of the sample. @nr_seen: the others are from another sample */
static void set_chain(struct xp_stacks *stacks, struct xp_sample *sample, size_t nr, size_t nr_seen)
{
	if (!nr)
		return;
	sample->nr_callchain = add_user(stacks, copy_kernel(stacks, sample), nr, nr_seen);
	sample->callchain = stacks->chain;
}

/* @chain: with the arrays of @stacks, in the space that it is in */
static void complete(struct xp_stacks *stacks, struct xp_sample *sample,
		     struct xp_unwind_chain *chain)
{
	size_t nr_joined = join(stacks, sample, chain);

	set_chain(stacks, sample, chain->nr, chain->nr - nr_joined);
	sample->nr_callchain +=
		xp_chain_mark(xp_unwind_chain_end(chain, nr_joined, sample->record->misc),
			      stacks->chain + sample->nr_callchain);
}

int xp_stacks_unwind(struct xp_stacks *stacks, struct xp_sample *sample)
{
	struct xp_unwind_chain chain;

	if (sample->size < offsetof(struct xp_sample, aux_len))
		return -EINVAL;
	if (is_unwound(sample))
		return 0;
	int got = walk(stacks, sample, &chain);
	if (got < 0)
		return got;
	if (got) {
		complete(stacks, sample, &chain);
	} else {
		size_t nr = find_pc(stacks, &sample->user_regs);

		set_chain(stacks, sample, nr, nr);
	}
	return 0;
}

int xp_stacks_walk(struct xp_stacks *stacks, const struct xp_sample *sample,
		   struct xp_unwind_chain *ret_chain, uint64_t ret_span_ns[2])
{
	if (sample->size < offsetof(struct xp_sample, aux_len))
		return -EINVAL;
	int got = is_unwound(sample) ? 0 : walk(stacks, sample, ret_chain);
	if (got > 0)
		memcpy(ret_span_ns, stacks->space->span_ns, sizeof(stacks->space->span_ns));
	return got;
}

int xp_stacks_complete(struct xp_stacks *stacks, struct xp_sample *sample,
		       const struct xp_unwind_chain *chain, const uint64_t span_ns[2])
{
	struct xp_unwind_chain own = *chain;

	if (sample->size < offsetof(struct xp_sample, aux_len) || !chain->nr ||
	    chain->nr > (size_t)stacks->shared->max)
		return -EINVAL;
	enter_space(stacks, sample->id.pid, sample->id.time_ns);
	bound(stacks->space, span_ns);
	own.pcs = memcpy(stacks->pcs, chain->pcs, chain->nr * sizeof(*chain->pcs));
	own.sps = memcpy(stacks->sps, chain->sps, chain->nr * sizeof(*chain->sps));
	own.marks = memcpy(stacks->marks, chain->marks, chain->nr * sizeof(*chain->marks));
	own.max = (size_t)stacks->shared->max;
	complete(stacks, sample, &own);
	return 0;
}

/* --- life --- */

static void shared_free(struct shared *shared)
{
	if (!shared)
		return;
	xp_jit_dumps_fini(&shared->dumps);
	xp_unwind_free(shared->unwind);
	free(shared->files);
	free(shared);
}

void xp_stacks_free(struct xp_stacks *stacks)
{
	if (!stacks)
		return;
	xp_unwinder_free(stacks->unwinder);
	if (!stacks->is_forked)
		shared_free(stacks->shared);
	free(stacks->pcs);
	free(stacks->sps);
	free(stacks->marks);
	free(stacks->chain);
	xp_joiner_free(stacks->joiner);
	free(stacks);
}

/* One that uses @shared. Returns 0 or -ENOMEM. */
static int make(struct shared *shared, struct xp_stacks **ret_stacks)
{
	struct xp_stacks *stacks = calloc(1, sizeof(*stacks));
	size_t max = (size_t)shared->max;

	if (!stacks)
		return -ENOMEM;
	const struct xp_unwind_calls calls = { .size = sizeof(calls),
					       .map = map_at,
					       .data = stacks };
	*stacks = (struct xp_stacks){
		.shared = shared,
		.is_forked = true,
		.pcs = calloc(max, sizeof(*stacks->pcs)),
		.sps = calloc(max, sizeof(*stacks->sps)),
		.marks = calloc(max, sizeof(*stacks->marks)),
		.chain = calloc(max * 4 + 3 + XP_CHAIN_MARK_MAX, sizeof(*stacks->chain)),
	};
	int err = stacks->pcs && stacks->sps && stacks->marks && stacks->chain ? 0 : -ENOMEM;
	if (!err && !shared->no_join)
		err = xp_joiner_new(&stacks->joiner);
	if (!err)
		err = xp_unwinder_new(shared->unwind, shared->host.machine, &calls,
				      &stacks->unwinder);
	if (err == -ENOMEM) {
		xp_stacks_free(stacks);
		return err;
	}
	*ret_stacks = stacks;
	return 0;
}

int xp_stacks_new(const struct xp_timeline *timeline, struct xp_symbols *symbols,
		  const struct xp_stacks_opts *opts, struct xp_stacks **ret_stacks)
{
	struct xp_stacks_opts known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, opts, struct xp_stacks_opts, padding, NULL);

	if (err)
		return err;
	if (!timeline || !timeline->is_sealed || known.max < 0)
		return -EINVAL;
	struct shared *shared = calloc(1, sizeof(*shared));
	if (!shared)
		return -ENOMEM;
	shared->timeline = timeline;
	shared->nr_dsos = xp_timeline_nr_dsos(timeline);
	shared->no_join = known.no_join;
	shared->max = known.max > MAX_MAX ? MAX_MAX : known.max ? known.max : DEFAULT_MAX;
	shared->files = calloc((size_t)shared->nr_dsos + 1, sizeof(*shared->files));
	if (known.machine)
		snprintf(shared->host.machine, sizeof(shared->host.machine), "%s", known.machine);
	else
		uname(&shared->host);
	const struct xp_unwind_opts how = { .size = sizeof(how), .method = known.method };
	err = shared->files ? xp_unwind_new(symbols, &how, &shared->unwind) : -ENOMEM;
	if (!err)
		err = xp_jit_dumps_find(&shared->dumps, timeline, shared->unwind,
					known.is_monotonic);
	if (!err)
		err = make(shared, ret_stacks);
	if (err)
		shared_free(shared);
	else
		(*ret_stacks)->is_forked = false;
	return err;
}

int xp_stacks_fork(const struct xp_stacks *stacks, struct xp_stacks **ret_stacks)
{
	return make(stacks->shared, ret_stacks);
}
