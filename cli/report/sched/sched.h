/* SPDX-License-Identifier: MIT */
/* `xperf report --sched`: how long the tasks of a recording ran, waited and slept. */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include "recording.h"

struct sched_opts {
	bool json, quiet;
	bool verbose; /* all damage is reported */
};

/* Reads and prints a recording. Returns the exit status. */
int sched_report(const struct cli *cli, const struct recording_opts *read,
		 const struct sched_opts *opts);

#endif
