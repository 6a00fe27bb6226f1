/* SPDX-License-Identifier: MIT */
/* `xperf report --sched`: open, load, print. */
#include <stdlib.h>
#include <string.h>

#include "sched-impl.h"
#include "terminal.h"

int sched_report(const struct cli *cli, const struct recording_opts *read,
		 const struct sched_opts *opts)
{
	struct recording rec = { 0 };
	struct sched sched = { 0 };
	int err = recording_open(&rec, cli, read) ?: sched_times_load(&rec, &sched);
	pid_t pager = err ? 0 : pager_start();

	if (!err && opts->json)
		err = sched_print_json(stdout, &sched);
	else if (!err)
		sched_print(stdout, &sched, opts);
	fflush(stdout);
	pager_end(pager);
	sched_times_fini(&sched);
	return recording_close(&rec, err, opts->verbose);
}
