/* SPDX-License-Identifier: MIT */
/* A run of `xperf record`: what it consists of, and its steps in order. */
#ifndef CLI_RECORD_RECORDER_H
#define CLI_RECORD_RECORDER_H

#include <xperf/record.h>
#include <xperf/recorder.h>

#include "config.h"
#include "control.h"
#include "messages.h"
#include "output.h"
#include "session.h"
#include "sums.h"
#include "target.h"
#include "walks.h"

struct pollfd;
struct xp_build_ids;
struct xp_ctx;
struct xp_data_writer;
struct xp_diag;
struct xp_evlist;
struct xp_evsel;
struct xp_recorder;
struct xp_sample_filters;
struct xp_stack_sums;
struct xp_stack_walks;
struct xp_symbols;
struct xp_unwind;

struct recorder {
	struct record_config config;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	int first_switch_event; /* those from here to the one below switch files */
	int nr_switch_events;
	struct xp_evsel *off_cpu;          /* NULL: waits are not sampled */
	struct xp_evsel *waking;           /* of --bpf --wakers; NULL: none */
	struct xp_sample_filters *filters; /* NULL: there are none */
	struct xp_stack_sums *sums;        /* NULL: each sample is written */
	struct xp_stack_walks *walks;      /* NULL: no sample is walked in the kernel */
	struct target target;
	struct session session;
	struct control control;
	struct output output;
	struct xp_build_ids *build_ids;
	struct xp_symbols *symbols; /* with @unwind */
	struct xp_unwind
		*unwind; /* stacks become call chains; NULL: there are none, or they stay */
	struct xp_data_writer *writer;
	struct xp_recorder *recorder;
	struct xp_unwind *rules; /* that the kernel walks by; NULL: there are none */
	bool is_pumped;          /* the recorder has no threads */
	const char *input_label; /* what a position in the diag is a position in */
	bool kernel_was_hidden;  /* it has been said */

	/* once it goes on; times are xp_ctx_now()'s */
	bool begun; /* the workload runs, or there is none */
	bool enabled;
	bool done; /* other reasons to end than the session's */
	uint64_t start_ns, end_ns;
	int range;             /* of --delay, that comes next or goes on */
	bool in_range;         /* it goes on */
	uint64_t update_at_ns; /* CPUs and cgroups are looked at */
	bool has_changed;      /* some came or went */
	int reopen_err;        /* why CPUs that came are not recorded; 0: they are */
	struct pollfd *polled; /* what the loop waits for */
	size_t nr_polled;
	uint64_t toggle_at_ns;
	uint64_t switch_at_ns;
	uint64_t sums_at_ns;      /* they are written */
	uint64_t sums_wait_ns;    /* between two looks at how much room is left */
	uint64_t sums_look_at_ns; /* they are, too, if there is little room for more */
	uint64_t status_at_ns;
	uint64_t walks_at_ns; /* they are looked after */
	uint64_t walks_wait_ns;
	bool is_walking;
	uint64_t nr_switch_samples; /* of switch events, that have been seen */
	bool limit_was_said;
	struct status status;
	struct xp_recorder_stats at_switch; /* when the file was begun */

	struct output_file file; /* the last one, when it is complete */
};

/* Each returns 0 or a negative errno with @diag filled. */

/* Holds the workload, opens the events, makes the file, describes what is there. */
int recorder_open(struct recorder *recorder, struct xp_diag *diag);
/* Starts, and goes on until it is over; -EINTR: a signal came before it started. */
int recorder_run(struct recorder *recorder, struct xp_diag *diag);
/* Completes the file; also after a failure. */
int recorder_close(struct recorder *recorder, struct xp_diag *diag);

/* Describes what was there before by records, or into the recording itself. */
int recorder_describe(struct recorder *recorder, xp_record_fn fn, void *data, struct xp_diag *diag);
int recorder_describe_here(struct recorder *recorder, struct xp_diag *diag);

/* Goes on in a new file. */
int recorder_switch(struct recorder *recorder, struct xp_diag *diag);
/* Ends it before the workload does, which is asked to end. */
void recorder_stop(struct recorder *recorder);
/* Says once that the size limit is reached. */
void recorder_look_at_limit(struct recorder *recorder, const struct xp_recorder_stats *stats);
/* Switches all events on or off. */
int recorder_enable(struct recorder *recorder, bool on, struct xp_diag *diag);

/* What --control can do; their data is the recorder. */
extern const struct control_ops recorder_control;

#endif
