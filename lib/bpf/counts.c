/* SPDX-License-Identifier: MIT */
/* The programs of counting.bpf.c: which are loaded for what, and what is in their maps. */
#include "counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "bpf-info.h"
#include "bpf.h"
#include "cleanup.h"
#include "vec.h"

/* Tasks that can be followed at the same time: 4 MiB. */
enum { TASKS_MAX = 65536 };

static const unsigned char bytes[] = {
#include "counting.bpf.hex"
};

static const struct xp_bpf_code code = { "counting", bytes, sizeof(bytes) };

/* Tracepoints that a kind of counting needs. */
static const struct {
	const char *program;
	bool cgroups, tasks;
	bool for_inherit, for_exec;
} hooks[] = {
	{ "resumed", .cgroups = true },
	{ "moved", .cgroups = true },
	{ "ended", .tasks = true },
	{ "forked", .tasks = true, .for_inherit = true },
	{ "renamed", .tasks = true, .for_exec = true },
};

enum { NR_HOOKS = sizeof(hooks) / sizeof(hooks[0]) };

static const char *const steps[] = {
	[XP_BPF_START] = "start",
	[XP_BPF_STOP] = "stop",
	[XP_BPF_SUM_UP] = "sum_up",
};

/* At the beginning and the end of a run of a BPF program. */
static const char *const run_hooks[] = { "entered", "left" };

enum { NR_RUN_HOOKS = sizeof(run_hooks) / sizeof(run_hooks[0]) };

struct xp_bpf_counts {
	struct xp_bpf *bpf;
	struct xp_bpf **programs; /* the same code, attached to one BPF program each */
	size_t nr_programs;
	struct xp_bpf_counts_plan plan;
	int nr_cpus;
	int events, sums, cgroups, wanted, missed, runs; /* descriptors of maps */
};

static bool needs(const struct xp_bpf_counts_plan *plan, int hook)
{
	if (plan->kind == COUNTING_CGROUPS)
		return hooks[hook].cgroups;
	return plan->kind == COUNTING_TASKS && hooks[hook].tasks &&
	       (!hooks[hook].for_inherit || plan->inherit) &&
	       (!hooks[hook].for_exec || plan->at_exec);
}

static int leave_out(struct xp_bpf *bpf, const char *const *programs, int nr)
{
	int err = 0;

	for (int i = 0; i < nr && !err; i++)
		err = xp_bpf_leave_out(bpf, programs[i]);
	return err;
}

/* Maps have at least one element. */
static int make_room(struct xp_bpf *bpf, const struct xp_bpf_counts_plan *plan, int nr_cpus)
{
	const struct {
		const char *map;
		uint64_t entries;
	} rooms[] = {
		{ "events", (uint64_t)plan->nr_events * (uint64_t)nr_cpus },
		{ "readings", plan->nr_events },
		{ "sums", (uint64_t)plan->nr_slots * plan->nr_events },
		{ "cgroups", plan->nr_cgroups },
		{ "tasks", plan->kind == COUNTING_TASKS ? TASKS_MAX : 0 },
		{ "wanted", plan->nr_tasks },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]) && !err; i++)
		err = rooms[i].entries > UINT32_MAX
			      ? -E2BIG
			      : xp_bpf_resize(bpf, rooms[i].map,
					      rooms[i].entries ? (uint32_t)rooms[i].entries : 1);
	return err;
}

static int set_up(struct xp_bpf_counts *counts)
{
	const struct xp_bpf_counts_plan *plan = &counts->plan;
	size_t len;
	struct counting_setup *setup = xp_bpf_constants(counts->bpf, &len);
	int err = setup && len >= sizeof(*setup) ? 0 : -EINVAL;

	if (err)
		return err;
	*setup = (struct counting_setup){
		.kind = plan->kind,
		.nr_events = plan->nr_events,
		.nr_cpus = (uint32_t)counts->nr_cpus,
		.by_controller = plan->by_controller,
		.at_exec = plan->at_exec,
	};
	err = leave_out(counts->bpf, run_hooks, NR_RUN_HOOKS);
	if (!err && plan->kind != COUNTING_CGROUPS && plan->kind != COUNTING_TASKS)
		err = xp_bpf_leave_out(counts->bpf, "switched");
	for (int i = 0; i < NR_HOOKS && !err; i++)
		if (!needs(plan, i))
			err = xp_bpf_leave_out(counts->bpf, hooks[i].program);
	return err ?: make_room(counts->bpf, plan, counts->nr_cpus);
}

static int load(struct xp_bpf_counts *counts, struct xp_diag *diag)
{
	int err;

	counts->nr_cpus = xp_bpf_possible_cpus(counts->bpf);
	err = counts->nr_cpus < 0 ? counts->nr_cpus : set_up(counts);
	if (err)
		return xp_diag_set(diag, err, "The BPF program 'counting' cannot be prepared: %s",
				   strerror(-err));
	err = xp_bpf_load(counts->bpf, diag);
	if (err)
		return err;
	counts->events = xp_bpf_map_fd(counts->bpf, "events");
	counts->sums = xp_bpf_map_fd(counts->bpf, "sums");
	counts->cgroups = xp_bpf_map_fd(counts->bpf, "cgroups");
	counts->wanted = xp_bpf_map_fd(counts->bpf, "wanted");
	counts->missed = xp_bpf_map_fd(counts->bpf, "missed");
	counts->runs = xp_bpf_map_fd(counts->bpf, "runs");
	return 0;
}

int xp_bpf_counts_new(const struct xp_bpf_counts_plan *plan, struct xp_bpf_counts **ret_counts,
		      struct xp_diag *diag)
{
	struct xp_bpf_counts *counts;
	int err;

	if (plan->nr_events > COUNTING_EVENTS_MAX)
		return xp_diag_set(diag, -E2BIG, "BPF counts %d different events at most, not %u",
				   COUNTING_EVENTS_MAX, plan->nr_events);
	counts = calloc(1, sizeof(*counts));
	if (!counts)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	counts->plan = *plan;
	err = xp_bpf_open(&code, &counts->bpf, diag) ?: load(counts, diag);
	if (err) {
		xp_bpf_counts_free(counts);
		return err;
	}
	*ret_counts = counts;
	return 0;
}

void xp_bpf_counts_free(struct xp_bpf_counts *counts)
{
	if (!counts)
		return;
	for (size_t i = 0; i < counts->nr_programs; i++)
		xp_bpf_close(counts->programs[i]);
	free(counts->programs);
	xp_bpf_close(counts->bpf);
	free(counts);
}

int xp_bpf_counts_set_event(struct xp_bpf_counts *counts, uint32_t event, int cpu, int fd)
{
	uint32_t key = event * (uint32_t)counts->nr_cpus + (uint32_t)cpu;

	if (cpu < 0 || cpu >= counts->nr_cpus)
		return -ERANGE;
	return xp_bpf_update(counts->bpf, counts->events, &key, &fd);
}

int xp_bpf_counts_add_cgroup(struct xp_bpf_counts *counts, uint64_t id, uint32_t slot)
{
	return xp_bpf_update(counts->bpf, counts->cgroups, &id, &slot);
}

int xp_bpf_counts_add_task(struct xp_bpf_counts *counts, pid_t tid, uint32_t slot)
{
	uint32_t key = (uint32_t)tid;

	return xp_bpf_update(counts->bpf, counts->wanted, &key, &slot);
}

/* Only what is at the program's beginning and end. */
static int prepare(struct xp_bpf_counts *counts, struct xp_bpf *bpf, int fd, const char *function)
{
	int err = leave_out(bpf, steps, sizeof(steps) / sizeof(steps[0]))
			  ?: xp_bpf_leave_out(bpf, "switched");

	for (int i = 0; i < NR_HOOKS && !err; i++)
		err = xp_bpf_leave_out(bpf, hooks[i].program);
	for (int i = 0; i < NR_RUN_HOOKS && !err; i++)
		err = xp_bpf_set_target(bpf, run_hooks[i], fd, function);
	return err ?: xp_bpf_share_all(bpf, counts->bpf) ?: xp_bpf_load(bpf, NULL);
}

int xp_bpf_counts_add_program(struct xp_bpf_counts *counts, int fd, const char *function)
{
	struct xp_bpf *bpf;
	int err = vec_add(&counts->programs, counts->nr_programs, sizeof(struct xp_bpf *))
			  ?: xp_bpf_open(&code, &bpf, NULL);

	if (err)
		return err;
	err = prepare(counts, bpf, fd, function);
	for (int i = 0; i < NR_RUN_HOOKS && !err; i++)
		err = xp_bpf_attach(bpf, run_hooks[i], NULL);
	if (err)
		xp_bpf_close(bpf);
	else
		counts->programs[counts->nr_programs++] = bpf;
	return err;
}

int xp_bpf_counts_attach(struct xp_bpf_counts *counts, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < NR_HOOKS && !err; i++)
		if (needs(&counts->plan, i))
			err = xp_bpf_attach(counts->bpf, hooks[i].program, diag);
	return err;
}

int xp_bpf_counts_set_switch(struct xp_bpf_counts *counts, int fd, struct xp_diag *diag)
{
	return xp_bpf_attach_event(counts->bpf, "switched", fd, diag);
}

int xp_bpf_counts_run(struct xp_bpf_counts *counts, enum xp_bpf_step step,
		      const struct xp_cpus *cpus)
{
	int program = xp_bpf_program_fd(counts->bpf, steps[step]);
	int err = program < 0 ? program : 0;

	for (int i = 0; i < xp_cpus_nr(cpus) && !err; i++) {
		err = xp_bpf_run_on(counts->bpf, program, xp_cpus_at(cpus, i).nr);
		if (err == -ENXIO)
			err = 0;
	}
	return err;
}

int xp_bpf_counts_nr_cpus(const struct xp_bpf_counts *counts)
{
	return counts->nr_cpus;
}

int xp_bpf_counts_read(struct xp_bpf_counts *counts, uint32_t slot, uint32_t event,
		       struct xp_bpf_sum *ret_sums)
{
	uint32_t key = slot * counts->plan.nr_events + event;

	return xp_bpf_lookup(counts->bpf, counts->sums, &key, ret_sums);
}

uint64_t xp_bpf_counts_nr_missed(struct xp_bpf_counts *counts)
{
	uint32_t key = 0;
	uint64_t nr = 0;

	return xp_bpf_lookup(counts->bpf, counts->missed, &key, &nr) ? 0 : nr;
}

static uint64_t nr_skipped(const struct xp_bpf_counts *counts, const struct xp_sys *sys)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < counts->nr_programs; i++)
		for (int k = 0; k < NR_RUN_HOOKS; k++)
			nr += xp_bpf_info_misses(
				sys, xp_bpf_program_fd(counts->programs[i], run_hooks[k]));
	return nr;
}

int xp_bpf_counts_read_runs(struct xp_bpf_counts *counts, const struct xp_sys *sys,
			    struct xp_bpf_runs *ret_runs)
{
	xp_auto_free struct counting_run *runs = calloc((size_t)counts->nr_cpus, sizeof(*runs));
	uint32_t key = 0;
	int err = runs ? xp_bpf_lookup(counts->bpf, counts->runs, &key, runs) : -ENOMEM;

	if (err)
		return err;
	*ret_runs = (struct xp_bpf_runs){ .nr_skipped = nr_skipped(counts, sys) };
	for (int i = 0; i < counts->nr_cpus; i++) {
		ret_runs->nr_counted += runs[i].nr_counted;
		ret_runs->nr_broken += runs[i].nr_broken;
	}
	return 0;
}
