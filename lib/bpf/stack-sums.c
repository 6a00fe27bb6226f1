/* SPDX-License-Identifier: MIT */
/*
 * Sums of samples: one program for each event, whose maps are read from time to time. Each sum
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
#include <xperf/sample.h>
#include <xperf/sampling.h>

#include "bpf.h"
#include "event.h"
#include "opts.h"
#include "stack-chains.h"
#include "stack-sums.h"
#include "stack-tally.h"
#include "stack-walk.h"

static const _Alignas(8) unsigned char bytes[] = {
#include "stack-sums.bpf.hex"
};

/* What samples can have that are sums. */
#define SUMMED                                                                                     \
	(XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_ID |      \
	 XP_SAMPLE_CPU | XP_SAMPLE_PERIOD | XP_SAMPLE_IDENTIFIER | XP_SAMPLE_CGROUP)
#define NEEDED (XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_PERIOD)

/* The markers of two parts beside their frames. */
enum { CHAIN_MAX = 2 * (STACK_FRAMES_MAX + 1) };

/* How many are read by one call. */
enum { SUMS_AT_ONCE = 512, CHAINS_AT_ONCE = 64 };

/* Of one event. */
struct program {
	struct xp_evsel *evsel;
	struct xp_bpf *bpf;
	int sums[2], chains[2]; /* descriptors of the maps, by generation */
	int generation, sums_of;
	uint32_t now;                  /* the generation that is added to */
	uint64_t old_sums, old_chains; /* elements that were added before it, or at its beginning */
};

struct xp_stack_sums {
	struct program *programs;
	int nr;
	struct stack_chains read; /* of the generation that is read */
	struct stack_walk *walk;  /* NULL: frame pointers are followed */
	struct xp_diag no_walk;   /* why */
	uint64_t written, first_ns, last_ns;
};

/* One reading. */
struct reading {
	struct xp_stack_sums *sums;
	const struct program *program;
	struct xp_event_id *ids; /* of the event */
	int nr_ids;
	xp_record_fn fn;
	void *data;
	struct stack_key keys[SUMS_AT_ONCE];
	struct stack_sum values[SUMS_AT_ONCE];
	uint64_t chain_keys[CHAINS_AT_ONCE];
	struct stack_chain chains[CHAINS_AT_ONCE];
	uint64_t chain[CHAIN_MAX];
	_Alignas(8) char record[(CHAIN_MAX + 32) * sizeof(uint64_t)];
};

/* --- loading --- */

static bool is_dummy(const struct xp_evsel *evsel)
{
	return evsel->attr.type == XP_TYPE_SOFTWARE && evsel->attr.config == XP_SW_DUMMY;
}

static int check_event(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	uint64_t type = evsel->attr.sample_type;

	if (evsel->attr.type == XP_TYPE_TRACEPOINT || evsel->probe)
		return xp_diag_set(diag, -EINVAL,
				   "Samples of %s cannot be summed: each has its own fields",
				   evsel->name);
	if (evsel->sample_filter)
		return xp_diag_set(diag, -EINVAL,
				   "Samples of %s cannot both be filtered and be summed",
				   evsel->name);
	if ((type & NEEDED) != NEEDED || type & ~SUMMED)
		return xp_diag_set(diag, -EINVAL,
				   "Samples of %s cannot be summed: they need task, time, period "
				   "and call chain, and can have CPU and cgroup beside them",
				   evsel->name);
	return 0;
}

static void find_maps(struct program *program)
{
	struct xp_bpf *bpf = program->bpf;

	program->sums[0] = xp_bpf_map_fd(bpf, "sums0");
	program->sums[1] = xp_bpf_map_fd(bpf, "sums1");
	program->chains[0] = xp_bpf_map_fd(bpf, "chains0");
	program->chains[1] = xp_bpf_map_fd(bpf, "chains1");
	program->generation = xp_bpf_map_fd(bpf, "generation");
	program->sums_of = xp_bpf_map_fd(bpf, "sums");
}

static int load_one(struct program *program, const struct stack_walk *walk, struct xp_diag *diag)
{
	static const struct xp_bpf_code code = { "stack sums", bytes, sizeof(bytes) };
	struct xp_evsel *evsel = program->evsel;
	size_t len;
	int err = check_event(evsel, diag) ?: xp_bpf_open(&code, &program->bpf, diag);

	if (err)
		return err;
	struct stack_constants *constants = xp_bpf_constants(program->bpf, &len);
	if (!constants || len != sizeof(*constants) || xp_stack_walk_use(walk, program->bpf))
		return xp_diag_set(diag, -EBADMSG, "The BPF program '%s' is damaged", code.name);
	*constants = (struct stack_constants){
		.with_cgroups = !!(evsel->attr.sample_type & XP_SAMPLE_CGROUP),
		.with_rules = !!walk,
	};
	err = xp_bpf_load(program->bpf, diag);
	if (err)
		return err;
	find_maps(program);
	evsel->program_fd = xp_bpf_program_fd(program->bpf, "sum");
	evsel->has_program = true;
	return 0;
}

static int load_all(struct xp_stack_sums *sums, struct xp_evlist *evlist, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < xp_evlist_nr(evlist) && !err; i++) {
		struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		if (is_dummy(evsel))
			continue;
		sums->programs[sums->nr].evsel = evsel;
		err = load_one(&sums->programs[sums->nr++], sums->walk, diag);
	}
	return err;
}

static void unload_all(struct xp_stack_sums *sums)
{
	for (int i = 0; i < sums->nr; i++) {
		sums->programs[i].evsel->has_program = false;
		xp_bpf_close(sums->programs[i].bpf);
		sums->programs[i] = (struct program){ 0 };
	}
	sums->nr = 0;
	xp_stack_walk_close(sums->walk);
	sums->walk = NULL;
}

/* There is nothing in the rings but what is to be known at once. */
static void wake_at_once(struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		struct xp_attr *attr = &xp_evlist_at(evlist, i)->attr;

		attr->watermark = 1;
		attr->wakeup_watermark = 1;
	}
}

/* Of a list that has events. */
static int open_walk(struct xp_stack_sums *sums, const struct xp_evlist *evlist,
		     struct xp_unwind *unwind)
{
	const struct xp_evsel *evsel = xp_evlist_at(evlist, 0);
	bool build_ids = false;

	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		build_ids |= xp_evlist_at(evlist, i)->attr.build_id;
	return xp_stack_walk_open(evsel->ctx, unwind, build_ids, &sums->walk, &sums->no_walk);
}

/* By rules, or, where the kernel does not have what that takes, by frame pointers. */
static int load(struct xp_stack_sums *sums, struct xp_evlist *evlist, struct xp_unwind *unwind,
		struct xp_diag *diag)
{
	int err = unwind && xp_evlist_nr(evlist) ? open_walk(sums, evlist, unwind) : 0;

	if (sums->walk) {
		err = load_all(sums, evlist, &sums->no_walk);
		if (!err) {
			wake_at_once(evlist);
			return 0;
		}
		unload_all(sums);
	}
	return load_all(sums, evlist, diag);
}

int xp_stack_sums_load(struct xp_evlist *evlist, struct xp_unwind *unwind,
		       struct xp_stack_sums **ret_sums, struct xp_diag *diag)
{
	struct xp_stack_sums *sums = calloc(1, sizeof(*sums));

	if (sums)
		sums->programs = calloc((size_t)xp_evlist_nr(evlist) + 1, sizeof(*sums->programs));
	if (!sums || !sums->programs) {
		free(sums);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	int err = load(sums, evlist, unwind, diag);
	if (err)
		xp_stack_sums_free(sums);
	else
		*ret_sums = sums;
	return err;
}

void xp_stack_sums_free(struct xp_stack_sums *sums)
{
	if (!sums)
		return;
	unload_all(sums);
	xp_stack_chains_fini(&sums->read);
	free(sums->programs);
	free(sums);
}

/* --- one sum --- */

/*
 * Appends a part of the call chain. Returns how many words there are then. Where the kernel has
 * made the whole chain before, its part begins with the marker (measured, Linux 6.18).
 */
static size_t add_part(struct reading *r, uint64_t key, uint64_t marker, size_t nr)
{
	const uint64_t *ips;
	size_t nr_ips = key ? xp_stack_chains_find(&r->sums->read, key, &ips) : 0;

	if (!nr_ips)
		return nr;
	r->chain[nr++] = marker;
	for (size_t i = 0; i < nr_ips; i++)
		if (ips[i] < XP_CONTEXT_MAX)
			r->chain[nr++] = ips[i];
	return nr;
}

/* The event has one id for each place; one of the CPU is as good as any of the others there. */
static uint64_t id_on(const struct reading *r, uint32_t cpu)
{
	for (int i = 0; i < r->nr_ids; i++)
		if (r->ids[i].cpu == (int)cpu)
			return r->ids[i].id;
	return r->nr_ids ? r->ids[0].id : 0;
}

static void note_time(struct xp_stack_sums *sums, uint64_t time_ns)
{
	if (!sums->first_ns || time_ns < sums->first_ns)
		sums->first_ns = time_ns;
	if (time_ns > sums->last_ns)
		sums->last_ns = time_ns;
}

static int write_sum(struct reading *r, const struct stack_key *key, const struct stack_sum *sum)
{
	size_t nr = add_part(r, key->kernel, XP_CONTEXT_KERNEL, 0);
	const struct xp_record head = { .type = XP_RECORD_SAMPLE,
					.misc = nr ? XP_MISC_KERNEL : XP_MISC_USER };

	nr = add_part(r, key->user, XP_CONTEXT_USER, nr);
	const struct xp_sample sample = {
		.size = sizeof(sample),
		.record = &head,
		.id = { .id = id_on(r, sum->cpu),
			.time_ns = sum->last_ns,
			.pid = (int32_t)key->pid,
			.tid = (int32_t)key->tid,
			.cpu = sum->cpu },
		.ip = nr > 1 ? r->chain[1] : 0,
		.period = sum->period,
		.callchain = r->chain,
		.nr_callchain = nr,
		.cgroup = key->cgroup,
	};
	int len = xp_sample_encode(&sample, &r->program->evsel->attr, r->record, sizeof(r->record));
	if (len < 0)
		return len;
	r->sums->written++;
	note_time(r->sums, sum->last_ns);
	return r->fn((const void *)r->record, r->data);
}

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

static int next_generation(struct program *program)
{
	uint32_t zero = 0, old = program->now, next = !old;
	int err = xp_bpf_update(program->bpf, program->generation, &zero, &next);

	if (err)
		return err;
	program->now = next;
	return xp_bpf_update(program->bpf, program->sums_of, &old, &program->sums[old]);
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
			err = write_sum(r, &r->keys[i], &r->values[i]);
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

static int read_program(struct reading *r, struct program *program)
{
	uint32_t old = program->now;
	struct stack_tally all = { 0 };
	int err = xp_stack_tally_add(program->bpf, &all) ?: next_generation(program);

	if (err)
		return err;
	program->old_sums = all.new_sums;
	program->old_chains = all.new_chains;
	r->nr_ids = xp_evsel_ids(program->evsel, &r->ids);
	if (r->nr_ids < 0)
		return r->nr_ids;
	r->program = program;
	err = drain(r, old);
	free(r->ids);
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
	r->fn = fn;
	r->data = data;
	for (int i = 0; i < sums->nr && !err; i++)
		err = read_program(r, &sums->programs[i]);
	if (!err && sums->written != before)
		err = fn(&round, data);
	free(r);
	return err;
}

/* --- numbers --- */

int xp_stack_sums_get_stats(const struct xp_stack_sums *sums, struct xp_stack_sums_stats *ret_stats)
{
	enum { OVERHEAD = 48 }; /* of an element of a hash. Source: kernel/bpf/hashtab.c */
	const uint64_t sum = OVERHEAD + sizeof(struct stack_key) + sizeof(struct stack_sum);
	const uint64_t chain = OVERHEAD + sizeof(uint64_t) + sizeof(struct stack_chain);
	struct xp_stack_sums_stats stats = {
		.written = sums->written,
		.first_ns = sums->first_ns,
		.last_ns = sums->last_ns,
		.bytes = (uint64_t)sums->nr * 2 * (STACK_SUMS_MAX * sum + STACK_CHAINS_MAX * chain),
	};
	struct stack_tally all = { 0 };
	int err = 0;

	if (sums->walk)
		stats.bytes += xp_stack_walk_bytes();
	for (int i = 0; i < sums->nr && !err; i++)
		err = xp_stack_tally_add(sums->programs[i].bpf, &all);
	stats.samples = all.samples;
	stats.period = all.period;
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
	struct stack_ends all = { 0 };
	struct xp_chain_ends *ends = NULL;
	int err = sums->walk ? xp_chain_ends_new(&ends) : -ENODATA;

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
