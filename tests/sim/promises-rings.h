/* SPDX-License-Identifier: MIT */
/* The promises about rings and what is in them, and what both files of them use. */
#ifndef SIM_PROMISES_RINGS_H
#define SIM_PROMISES_RINGS_H

#include <poll.h>
#include <sys/types.h>
#include <xperf/attr.h>
#include <xperf/record.h>

#include "promises-events.h"

struct xp_attr;
struct xp_ctx;
struct xp_ring;

enum { MAX_RINGS = 256 };

/* A sample of what promise_page_faults() asks for. */
struct fault_sample {
	struct xp_record header;
	uint64_t identifier;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr, id, stream_id;
	uint32_t cpu, reserved;
	uint64_t period;
	uint64_t value, read_id;
};

/* The trailer of what promise_tracking() asks for. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu, reserved;
};

/* A ring on each CPU that is used, and what came out of them. */
struct rings {
	struct xp_ctx *ctx;
	int nr;
	struct pollfd fds[MAX_RINGS];
	struct xp_ring *rings[MAX_RINGS];
	void (*look)(struct rings *r, int i, const struct xp_record *record);
	uint64_t bytes;
	uint64_t nr_of[64]; /* records by type */
	uint64_t lost;      /* as LOST records say */
	uint64_t ids[MAX_RINGS];
	pid_t first_pid;
	uint64_t others;  /* samples of other processes */
	uint64_t in_turn; /* what the next sample must say */
};

/* promises-rings.c */
/* Each fault is a sample; begins with the exec. */
struct xp_attr promise_page_faults(void);
/* A dummy event whose records have a trailer. */
struct xp_attr promise_tracking(void);
int promise_open_on(const struct xp_attr *attr, pid_t pid, int cpu);
/* Whether this kernel knows what @attr asks for. */
bool promise_is_known(const struct xp_attr *attr);
int promise_redirect(int fd, int to);
uint64_t promise_id_of(int fd);
uint64_t promise_count_of(int fd);
/* A child that stays on CPU 0. */
struct xp_child promise_spawn_on_0(char *const argv[]);

void rings_init(struct rings *r);
/* Takes @fd. */
void rings_add(struct rings *r, int fd, size_t pages, bool overwrite);
/* An event of a task on each CPU. */
void rings_add_all(struct rings *r, const struct xp_attr *attr, pid_t pid, size_t pages);
void rings_fini(struct rings *r);
void rings_drain(struct rings *r, int i);
/* Reads all rings until none will be written again. */
void rings_drain_to_end(struct rings *r);

void promise_sampling_is_refused(void **state);
void promise_mapping_is_refused(void **state);
void promise_output_goes_to_rings_of_the_same_cpu(void **state);
void promise_samples_add_up(void **state);
void promise_a_full_ring_keeps_the_oldest(void **state);
void promise_a_paused_ring_reports_what_it_lost(void **state);
void promise_an_overwritten_ring_keeps_the_newest(void **state);
void promise_a_ring_polls_at_its_watermark(void **state);
void promise_a_ring_polls_hup_at_the_end(void **state);
void promise_clocks_are_sampled_in_time(void **state);
void promise_samples_know_their_event(void **state);
void promise_tasks_are_reported(void **state);
void promise_counts_of_children_are_reported(void **state);
void promise_switches_are_reported(void **state);
void promise_a_mapping_keeps_its_event(void **state);

/* promises-stacks.c */
void promise_registers_are_refused(void **state);
void promise_stacks_are_copied(void **state);
void promise_maps_have_build_ids(void **state);

#endif
