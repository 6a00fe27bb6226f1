/* SPDX-License-Identifier: MIT */
/* One run of what is measured: from the held workload to the last reading. */
#ifndef CLI_STAT_RUN_H
#define CLI_STAT_RUN_H

#include <sys/resource.h>
#include <xperf/evsel.h>

#include "session.h"
#include "stat-config.h"
#include "target.h"

struct iostat;
struct named_metrics;

/* What stays the same over all runs. */
struct stat_job {
	const struct stat_config *config;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct named_metrics *metrics; /* NULL: none are asked for by name. Borrowed */
	struct iostat *iostat;         /* NULL: root ports are not counted. Borrowed */
	struct target target;
	uint64_t least_rss_bytes; /* with less, the size of a command is not known */
	bool as_perf;             /* its answer where no CPU of -C is online */
	bool rows_are_fixed;      /* there is one for each thread of the first run */
	struct session session;   /* of the run that goes on, or failed */
	struct control control;

	/* Called to make the process of the workload, with the list of its words; NULL:
	 * session_prepare(). Returns 0 or a negative errno with @diag filled. */
	int (*prepare)(struct stat_job *job, struct xp_diag *diag);
	/*
	 * Called with the counts of an interval, and the time since counting began and since the
	 * interval before, nanoseconds. Returns 0 or a negative errno with @diag filled.
	 */
	int (*on_interval)(struct stat_job *job, const struct xp_counts *counts,
			   uint64_t since_start_ns, uint64_t length_ns, struct xp_diag *diag);
	/* Called once the events are open. Returns likewise. */
	int (*on_open)(struct stat_job *job, struct xp_diag *diag);
	/* Called when the events have been opened on more CPUs. Returns likewise. */
	int (*on_new_cpus)(struct stat_job *job, struct xp_diag *diag);
};

/* What one run gave. */
struct stat_result {
	struct xp_counts *counts; /* since counting began; NULL with --null. The caller's to free */
	uint64_t wall_ns;
	struct xp_exit exit; /* of the workload */
	bool has_exit;       /* there was one and it has ended */
	struct rusage usage; /* of the workload */
	bool has_usage;
	bool left_running; /* it was asked to end and has not */
	bool ran;          /* false: a signal came before the workload was started */
};

/* Runs once. Returns 0 or a negative errno with @diag filled. */
int stat_run(struct stat_job *job, struct stat_result *ret_result, struct xp_diag *diag);

/* The workload is what is counted. */
static inline bool stat_follows_workload(const struct stat_job *job)
{
	return job->session.workload && !job->target.cpus && !job->target.threads;
}

/* The list has this event. */
bool stat_counts_tool(const struct xp_evlist *evlist, enum xp_tool_event tool);

/* What --control can do; their data is the job. */
extern const struct control_ops stat_control;

#endif
