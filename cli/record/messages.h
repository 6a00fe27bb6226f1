/* SPDX-License-Identifier: MIT */
/* What `xperf record` prints for people and scripts on standard error. */
#ifndef CLI_RECORD_MESSAGES_H
#define CLI_RECORD_MESSAGES_H

#include <stdio.h>
#include <xperf/bpf-samples.h>

#include "config.h"
#include "output.h"

struct xp_build_ids_kept;
struct xp_chain_ends;
struct xp_ctx;
struct xp_diag;
struct xp_evlist;
struct xp_recorder_stats;

/* What options change nothing, with -v; which frequency the highest is. */
void say_before(struct xp_ctx *ctx, const struct record_config *config);

/* What the kernel did not give, once the events are open. */
void say_differences(const struct record_config *config, const struct xp_evlist *evlist);

/* That two events cannot be told apart in samples, see lib/session/record/sample-owner.c. */
void say_same_events(const struct record_config *config, const struct xp_evlist *evlist);

/* That kernel samples will have no names. */
void say_hidden_kernel(const struct record_config *config);

/* That call chains of waits are those of samples before them. */
void say_last_stacks(const struct record_config *config);

/* --- while it goes on --- */

/* One line on a terminal that is written over and over. */
struct status {
	bool shown_at_all;
	bool is_there;
};

void status_init(struct status *status, const struct record_config *config);
void status_show(struct status *status, const struct xp_recorder_stats *stats, uint64_t since_ns);
void status_clear(struct status *status);

/* --- at the end --- */

/* A file is complete, and another one was begun. */
void say_switched(const struct record_config *config, const struct output_file *file);

/* CPUs or cgroups came or went. @err: why those that came are not recorded; 0: CPUs are */
/* Prints waits that are in no sum, a line each. */
void put_lost_waits(FILE *file, const char *prefix, const struct xp_stack_sums_stats *sums);
void say_changed(const struct record_config *config, int err);

/* Says which files that are gone were kept, and which could not be. @diag: why nothing more is;
 * NULL: nothing failed */
void say_kept(const struct xp_build_ids_kept *kept, const char *dir, const struct xp_diag *diag);

struct closing {
	const struct record_config *config;
	struct xp_evlist *evlist;
	const char *program; /* how we were called */
	const struct output_file *file;
	const struct xp_recorder_stats *stats;
	uint64_t file_samples; /* in the last file */
	uint64_t file_bytes;   /* of records in it, before compression */
	uint64_t elapsed_ns;
	struct xp_chain_ends *chain_ends;       /* NULL: not known */
	bool has_all_chains;                    /* they are of all chains in the file */
	const struct xp_stack_sums_stats *sums; /* NULL: each sample was written */
	char *children; /* of processes that were named, where nothing was sampled; NULL: not known
			 */
	bool has_late;  /* threads that started too fast are missing */
	uint64_t files_beyond;        /* without rules, for which there was no room */
	bool is_by_rules;             /* call chains, in the kernel */
	struct xp_sample_tally tally; /* of filters; zeros: there are none */
};

void say_closing(const struct closing *closing);

#endif
