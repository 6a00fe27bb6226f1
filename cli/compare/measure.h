/* SPDX-License-Identifier: MIT */
/* Runs the commands in rounds and keeps what each run gave. */
#ifndef CLI_COMPARE_MEASURE_H
#define CLI_COMPARE_MEASURE_H

#include <sys/utsname.h>
#include <xperf/doctor.h>

#include "contender.h"
#include "random.h"
#include "run-metrics.h"
#include "stat/plan/named.h"

struct findings;

struct measurement {
	const struct compare_config *config;
	struct stat_config run; /* config->stat, with the command that is run */
	struct contenders contenders;
	struct stat_job job;
	struct named_metrics named; /* of -M */
	struct metrics metrics;
	struct random random;
	uint64_t seed;
	int *order;         /* of the commands in this round */
	size_t nr_rounds;   /* that are complete */
	struct utsname uts; /* the machine */
	int nr_looks;       /* at the data, with --until */
	uint64_t began_ns;  /* the first round */
	uint64_t ended_ns;
	struct xp_disturbance before, after; /* the rounds */
	size_t nr_failed;                    /* runs, with --ignore-failure */
	bool over;                           /* nothing more is run */
	int failed_status;                   /* of the run that ended it all; 0: none */

	/* Called after each complete round, which may end it all by m->over. */
	int (*on_round)(struct measurement *m, struct xp_diag *diag);
	void *data; /* on_round()'s */
};

/* Runs the setups, the rounds, and the cleanups. Returns 0 or a negative errno with @diag filled;
 * after a signal m->job.session.stop_signal is set. */
int measure_all(struct measurement *m, struct xp_diag *diag);

/* Of a command that is run, the complete rounds; else those that were stored. */
size_t measured_runs(const struct measurement *m, size_t contender);
/* Were the runs of both commands made in turns, so that they are pairs? */
bool measured_in_turns(const struct measurement *m, size_t a, size_t b);
/* Copies one metric of all runs of a command to values[0 … measured_runs() - 1]. */
void measured_values(const struct measurement *m, size_t contender, size_t metric, double *values);

/* Fills the values of stored commands, once the metrics are known. Returns 0 or -ENOMEM. */
int import_values(struct measurement *m);

#endif
