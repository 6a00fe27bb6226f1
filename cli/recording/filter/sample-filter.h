/* SPDX-License-Identifier: MIT */
/* Which samples count: --time, --cpu, --switch-on, --comm, --pid, --tid, --dso, --symbol. */
#ifndef RECORDING_SAMPLE_FILTER_H
#define RECORDING_SAMPLE_FILTER_H

#include <xperf/api.h>

#include "switches.h"
#include "times.h"
#include "words.h"

struct xp_cpus;
struct xp_data;
struct xp_diag;
struct xp_frame;

/* The options as they were given; NULL: not given. */
struct filter_opts {
	const char *time, *cpus;
	const char *switch_on, *switch_off;
	const char *comms, *pids, *tids;
	const char *dsos, *symbols;
	const char *addr_range; /* how far addresses among @symbols reach */
	bool with_addresses;    /* symbols that begin with 0x are addresses */
	bool show_on_off;       /* events that switch are shown, too */
};

/* The same, parsed. Zeroed: every sample passes. */
struct sample_filter {
	struct time_spans times;
	struct xp_cpus *cpus; /* NULL: all */
	struct switches switches;
	struct words comms, dsos, symbols;
	struct numbers pids, tids;
	uint64_t *addresses;
	size_t nr_addresses;
	uint64_t addr_range; /* bytes after each address, which belong to it */
	bool leaves_out;     /* some samples; else all pass */
	uint64_t first_ns,
		last_ns; /* of the samples, where times need to know; first > last: none */
};

/* Returns 0, or a negative errno with @diag filled; in any case sample_filter_fini() follows. */
int sample_filter_parse(struct sample_filter *filter, const struct filter_opts *opts,
			struct xp_diag *diag);
void sample_filter_fini(struct sample_filter *filter);

/*
 * Before the first pass: whether the recording has what is asked for. Of each sample in the first
 * pass: its event and time, in any order; after it. The first returns 0 or -EINVAL with @diag
 * filled, the second 0 or -ENOMEM.
 */
int sample_filter_check(struct sample_filter *filter, const struct xp_data *data,
			struct xp_diag *diag);
bool sample_filter_needs_times(const struct sample_filter *filter);
int sample_filter_note(struct sample_filter *filter, int event, uint64_t time_ns);
void sample_filter_finish(struct sample_filter *filter, const struct xp_data *data);

/* Whether a sample passes by its time, its CPU and the events that switch. Several threads may ask.
 */
bool sample_filter_pass(const struct sample_filter *filter, int event, int cpu, uint64_t time_ns);
/* The same, whatever its time is in --time. */
bool sample_filter_pass_at_any_time(const struct sample_filter *filter, int event, int cpu,
				    uint64_t time_ns);
/* Whether anything depends on that. */
bool sample_filter_has_moments(const struct sample_filter *filter);
/* Whether it passes by who it was. */
bool sample_filter_pass_task(const struct sample_filter *filter, int32_t pid, int32_t tid,
			     const char *comm);
/* Whether it passes by where it was. */
bool sample_filter_has_places(const struct sample_filter *filter);
bool sample_filter_pass_frame(const struct sample_filter *filter, const struct xp_frame *frame);

#endif
