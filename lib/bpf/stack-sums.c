/* SPDX-License-Identifier: MIT */
/*
 * Sums of samples: the maps of each event's program are read from time to time, and each sum
 * becomes a sample. How the two generations take turns: the number of the one that is added to is
 * changed, then a map in a map is replaced by itself, which returns when no program runs any more
 * that has seen the old number; the other generation then stands still.
 *
 * Source: kernel/bpf/syscall.c, maybe_wait_bpf_programs(), since Linux 4.20.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/bpf-samples.h>
#include <xperf/chain-ends.h>
#include <xperf/record.h>
#include <xperf/sampling.h>

#include "bpf.h"
#include "event.h"
#include "opts.h"
#include "stack-records.h"
#include "stack-tally.h"
#include "stack-walk.h"

/* How many are read by one call. */
enum { SUMS_AT_ONCE = 512, CHAINS_AT_ONCE = 64, WAITS_AT_ONCE = 64 };

/* One reading. */
struct reading {
	struct xp_stack_sums *sums;
	const struct program *program;
	struct stack_records records;
	struct stack_key keys[SUMS_AT_ONCE];
	struct stack_sum values[SUMS_AT_ONCE];
	uint64_t chain_keys[CHAINS_AT_ONCE];
	struct stack_chain chains[CHAINS_AT_ONCE];
};

/* --- room --- */

int xp_stack_sums_are_filling(const struct xp_stack_sums *sums)
{
	bool are_filling = false;

	for (int i = 0; i < sums->nr && !are_filling; i++) {
		const struct program *program = &sums->programs[i];
		struct stack_tally all = { 0 };
		int err = xp_stack_tally_add(program->bpf, &all);

		if (err)
			return err;
		are_filling = all.new_sums - program->old_sums > STACK_SUMS_MAX / 2 ||
			      all.new_chains - program->old_chains > STACK_CHAINS_MAX / 2;
	}
	return are_filling;
}

/* --- a generation --- */

static int set_generation(const struct program *program, uint32_t number, bool is_stopped)
{
	uint32_t zero = 0, value = number | (is_stopped ? GENERATION_STOPPED : 0);

	return xp_bpf_update(program->bpf, program->generation, &zero, &value);
}

/* Until none runs any more that has seen the value before. */
static int wait_for_programs(const struct program *program)
{
	uint32_t any = 0;

	return xp_bpf_update(program->bpf, program->sums_of, &any, &program->sums[any]);
}

static int next_generation(struct program *program, bool is_stopped)
{
	uint32_t old = program->now;
	int err = set_generation(program, !old, is_stopped);

	if (err)
		return err;
	program->now = !old;
	return wait_for_programs(program);
}

int xp_stack_sums_stop(struct xp_stack_sums *sums, uint64_t now_ns)
{
	int err = 0;

	for (int i = 0; i < sums->nr && !err; i++)
		err = set_generation(&sums->programs[i], sums->programs[i].now, true)
			      ?: wait_for_programs(&sums->programs[i]);
	if (!err)
		sums->stopped_ns = now_ns;
	return err;
}

static int keep_chains(void *data, uint32_t nr)
{
	struct reading *r = data;
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++)
		err = xp_stack_chains_add(&r->sums->read, r->chain_keys[i], &r->chains[i]);
	return err;
}

static int write_sums(void *data, uint32_t nr)
{
	struct reading *r = data;
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++)
		if (r->values[i].samples)
			err = xp_stack_records_write(&r->records, &r->keys[i], &r->values[i]);
	return err;
}

/* Takes them out: the maps are empty when they are added to again. */
static int drain(struct reading *r, uint32_t generation)
{
	const struct program *program = r->program;
	const struct xp_bpf_room chains = { r->chain_keys, r->chains, CHAINS_AT_ONCE };
	const struct xp_bpf_room sums = { r->keys, r->values, SUMS_AT_ONCE };

	xp_stack_chains_empty(&r->sums->read);
	return xp_bpf_drain(program->bpf, program->chains[generation], &chains, keep_chains, r)
		       ?: xp_bpf_drain(program->bpf, program->sums[generation], &sums, write_sums,
				       r);
}

/* --- waits that go on --- */

static int add_open_chain(struct stack_chains *chains, uint64_t key,
			  const struct stack_chain *chain)
{
	const uint64_t *ips;

	if (!key || xp_stack_chains_find(chains, key, &ips))
		return 0;
	return xp_stack_chains_add(chains, key, chain);
}

static int write_open(struct reading *r, const struct stack_wait *wait)
{
	struct xp_stack_sums *sums = r->sums;
	const struct stack_sum sum = {
		.samples = 1,
		.period = sums->stopped_ns - wait->off_ns,
		.last_ns = sums->stopped_ns,
		.cpu = (uint32_t)wait->cpu,
	};

	if (!wait->off_ns || wait->off_ns >= sums->stopped_ns || sum.period < r->program->min_ns)
		return 0;
	sums->nr_open++;
	sums->open_ns += sum.period;
	if (wait->end.why < RULE_NR_ENDS)
		sums->open_ends[wait->end.why]++;
	return add_open_chain(&sums->read, wait->key.kernel, &wait->kernel)
		       ?: add_open_chain(&sums->read, wait->key.user, &wait->user)
		       ?: xp_stack_records_write(&r->records, &wait->key, &sum);
}

/* Some of them. */
struct open_waits {
	struct reading *reading;
	uint64_t tasks[WAITS_AT_ONCE];
	struct stack_wait waits[WAITS_AT_ONCE];
};

static int write_some(void *data, uint32_t nr)
{
	const struct open_waits *open = data;
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++)
		err = write_open(open->reading, &open->waits[i]);
	return err;
}

static int write_all_open(struct reading *r)
{
	const struct program *program = r->program;
	struct open_waits *open = calloc(1, sizeof(*open));

	if (!open)
		return -ENOMEM;
	const struct xp_bpf_room room = { open->tasks, open->waits, WAITS_AT_ONCE };
	open->reading = r;
	int err = xp_bpf_drain(program->bpf, program->waits, &room, write_some, open);
	free(open);
	return err;
}

/* --- the whole --- */

static int read_program(struct reading *r, struct program *program)
{
	uint32_t old = program->now;
	struct stack_tally all = { 0 };
	int err = xp_stack_tally_add(program->bpf, &all)
			  ?: next_generation(program, r->sums->stopped_ns);

	if (err)
		return err;
	program->old_sums = all.new_sums;
	program->old_chains = all.new_chains;
	r->program = program;
	err = xp_stack_records_begin(&r->records, r->sums, program) ?: drain(r, old);
	if (!err && program->waits >= 0 && r->sums->stopped_ns)
		err = write_all_open(r);
	if (!err && all.missed > program->reported_missed) {
		err = xp_stack_records_lose(&r->records, all.missed - program->reported_missed);
		program->reported_missed = all.missed;
	}
	xp_stack_records_end(&r->records);
	return err;
}

int xp_stack_sums_read(struct xp_stack_sums *sums, xp_record_fn fn, void *data)
{
	static const struct xp_record round = { .type = XP_RECORD_FINISHED_ROUND,
						.size = sizeof(round) };
	struct reading *r = calloc(1, sizeof(*r));
	uint64_t before = sums->written;
	int err = 0;

	if (!r)
		return -ENOMEM;
	r->sums = sums;
	r->records.fn = fn;
	r->records.data = data;
	for (int i = 0; i < sums->nr && !err; i++)
		err = read_program(r, &sums->programs[i]);
	if (!err && sums->written != before)
		err = fn(&round, data);
	free(r);
	return err;
}

/* --- numbers --- */

enum { OVERHEAD = 48 }; /* of an element of a hash. Source: kernel/bpf/hashtab.c */

static uint64_t bytes_of(const struct program *program, bool with_wakers)
{
	const uint64_t sum = OVERHEAD + sizeof(struct stack_key) + sizeof(struct stack_sum);
	const uint64_t chain = OVERHEAD + sizeof(uint64_t) + sizeof(struct stack_chain);
	const uint64_t wait = OVERHEAD + sizeof(uint64_t) + sizeof(struct stack_wait);
	const uint64_t wake = OVERHEAD + sizeof(uint64_t) + sizeof(struct stack_wake);

	return 2 * (STACK_SUMS_MAX * sum + STACK_CHAINS_MAX * chain) +
	       (program->waits >= 0 ? STACK_WAITS_MAX * (wait + (with_wakers ? wake : 0)) : 0);
}

/* The event has counted each switch; where the kernel runs a BPF program already, such as while it
 * reads a map, it runs no other one. Source: kernel/events/core.c, bpf_overflow_handler(). */
static int add_waits(const struct program *program, struct xp_stack_sums_stats *stats)
{
	uint64_t counted = xp_evsel_counted(program->evsel);
	struct stack_tally tally = { 0 };
	int err = xp_stack_tally_add(program->bpf, &tally);

	stats->switches_unseen += counted > tally.switches ? counted - tally.switches : 0;
	stats->switches += counted;
	stats->waits_not_followed += tally.not_followed;
	return err;
}

int xp_stack_sums_get_stats(const struct xp_stack_sums *sums, struct xp_stack_sums_stats *ret_stats)
{
	struct xp_stack_sums_stats stats = {
		.written = sums->written,
		.first_ns = sums->first_ns,
		.last_ns = sums->last_ns,
	};
	struct stack_tally all = { 0 };
	int err = 0;

	if (sums->walk)
		stats.bytes += xp_stack_walk_bytes();
	for (int i = 0; i < sums->nr && !err; i++) {
		const struct program *program = &sums->programs[i];

		stats.bytes += bytes_of(program, sums->wakers.evsel);
		err = xp_stack_tally_add(program->bpf, &all);
		if (!err && program->waits >= 0)
			err = add_waits(program, &stats);
	}
	stats.samples = all.samples + sums->nr_open;
	stats.period = all.period + sums->open_ns;
	stats.missed = all.missed;
	stats.missed_period = all.missed_period;
	return err ? err : XP_OUTPUT_COPY(ret_stats, &stats, struct xp_stack_sums_stats, bytes);
}

/* --- rules --- */

const char *xp_stack_sums_why_pointers(const struct xp_stack_sums *sums)
{
	return sums->walk ? NULL : sums->no_walk.what;
}

uint64_t xp_stack_sums_files_beyond(const struct xp_stack_sums *sums)
{
	return sums->walk ? xp_stack_walk_beyond(sums->walk) : 0;
}

void xp_stack_sums_note(struct xp_stack_sums *sums, const struct xp_record *record,
			uint64_t time_ns)
{
	if (sums->walk)
		xp_stack_walk_note(sums->walk, record, time_ns);
}

void xp_stack_sums_known(struct xp_stack_sums *sums, uint64_t until_ns)
{
	if (sums->walk)
		xp_stack_walk_known(sums->walk, until_ns);
}

void xp_stack_sums_describe(struct xp_stack_sums *sums)
{
	if (sums->walk)
		xp_stack_walk_describe(sums->walk);
}

void xp_stack_sums_wait(struct xp_stack_sums *sums)
{
	if (sums->walk)
		xp_stack_walk_wait(sums->walk);
}

static int add_ends(const struct program *program, struct stack_ends *all)
{
	int nr = xp_bpf_possible_cpus(program->bpf);
	struct stack_ends *ends = nr > 0 ? calloc((size_t)nr, sizeof(*ends)) : NULL;
	uint32_t zero = 0;

	if (!ends)
		return nr > 0 ? -ENOMEM : nr;
	int err = xp_bpf_lookup(program->bpf, xp_bpf_map_fd(program->bpf, "ends"), &zero, ends);
	for (int i = 0; i < nr && !err; i++)
		for (int end = 0; end < RULE_NR_ENDS; end++)
			all->nr[end] += ends[i].nr[end];
	free(ends);
	return err;
}

int xp_stack_sums_chain_ends(const struct xp_stack_sums *sums, struct xp_chain_ends **ret_ends)
{
	struct stack_ends all;
	struct xp_chain_ends *ends = NULL;
	int err = sums->walk ? xp_chain_ends_new(&ends) : -ENODATA;

	memcpy(all.nr, sums->open_ends, sizeof(all.nr));

	for (int i = 0; i < sums->nr && !err; i++)
		err = add_ends(&sums->programs[i], &all);
	if (!err)
		err = xp_stack_walk_add_ends(sums->walk, &all, ends);
	if (err)
		xp_chain_ends_free(ends);
	else
		*ret_ends = ends;
	return err;
}
