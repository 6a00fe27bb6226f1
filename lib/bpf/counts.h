/* SPDX-License-Identifier: MIT */
/*
 * The programs of counting.bpf.c in the kernel: their events, what is counted for which slot, sums.
 * Which events these are, and what for, is the business of those who ask.
 */
#ifndef BPF_COUNTS_H
#define BPF_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "counting.h"

struct xp_bpf_counts;
struct xp_cpus;
struct xp_diag;
struct xp_sys;

/* What is to be loaded. */
struct xp_bpf_counts_plan {
	enum counting_kind kind;
	uint32_t nr_events;
	uint32_t nr_slots;
	uint32_t nr_cgroups;
	uint32_t nr_tasks;  /* that are named */
	bool by_controller; /* cgroups are those of version 1 */
	bool at_exec;       /* tasks count from their exec on */
	bool inherit;       /* and what they start counts with them */
};

/* One CPU's share of a sum; times in nanoseconds. */
struct xp_bpf_sum {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/*
 * Loads the programs; nothing is attached yet. Cgroups and tasks need to be told of each switch by
 * an event on each CPU. Returns 0, -E2BIG (too many events), or as xp_bpf_open() and xp_bpf_load(),
 * with @diag filled.
 */
int xp_bpf_counts_new(const struct xp_bpf_counts_plan *plan, struct xp_bpf_counts **ret_counts,
		      struct xp_diag *diag);
/* Nothing stays in the kernel. */
void xp_bpf_counts_free(struct xp_bpf_counts *counts);

/* Before xp_bpf_counts_attach(). Each returns 0 or a negative errno. An event on a CPU is the
 * descriptor's until another one is set. */
int xp_bpf_counts_set_event(struct xp_bpf_counts *counts, uint32_t event, int cpu, int fd);
int xp_bpf_counts_add_cgroup(struct xp_bpf_counts *counts, uint64_t id, uint32_t slot);
int xp_bpf_counts_add_task(struct xp_bpf_counts *counts, pid_t tid, uint32_t slot);

/* The BPF program of a descriptor, which may be closed then; @function: its first one. Returns 0 or
 * the kernel's refusal. */
int xp_bpf_counts_add_program(struct xp_bpf_counts *counts, int fd, const char *function);

/* From now on it is known what runs. Returns 0 or a negative errno with @diag filled. */
int xp_bpf_counts_attach(struct xp_bpf_counts *counts, struct xp_diag *diag);

/* @fd: of the event of a CPU that happens at each switch, of tasks. It is enabled.
 * Returns 0, -EEXIST (it was given before) or another negative errno, with @diag filled. */
int xp_bpf_counts_set_switch(struct xp_bpf_counts *counts, int fd, struct xp_diag *diag);

/* What is done on each CPU. */
enum xp_bpf_step {
	XP_BPF_START,  /* sums grow from now on */
	XP_BPF_STOP,   /* no longer */
	XP_BPF_SUM_UP, /* sums are those of now */
};

/* CPUs that are offline are passed over. Returns 0 or a negative errno. */
int xp_bpf_counts_run(struct xp_bpf_counts *counts, enum xp_bpf_step step,
		      const struct xp_cpus *cpus);

/* CPUs a sum is of. */
int xp_bpf_counts_nr_cpus(const struct xp_bpf_counts *counts);
/* @ret_sums: by CPU. Returns 0 or a negative errno. */
int xp_bpf_counts_read(struct xp_bpf_counts *counts, uint32_t slot, uint32_t event,
		       struct xp_bpf_sum *ret_sums);
/* Runs of BPF programs. */
struct xp_bpf_runs {
	uint64_t nr_counted;
	uint64_t nr_broken;  /* another task ran before they ended: not counted */
	uint64_t nr_skipped; /* of which the kernel did not show the beginning or end */
};
int xp_bpf_counts_read_runs(struct xp_bpf_counts *counts, const struct xp_sys *sys,
			    struct xp_bpf_runs *ret_runs);
/* Tasks that were started and are not counted, for there was no room. */
uint64_t xp_bpf_counts_nr_missed(struct xp_bpf_counts *counts);

#endif
