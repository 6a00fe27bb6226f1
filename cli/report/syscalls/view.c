/* SPDX-License-Identifier: MIT */
/* `xperf report --syscalls`: open, load, print. */
#include <stdlib.h>
#include <string.h>

#include "syscalls-impl.h"
#include "terminal.h"

int syscalls_report(const struct cli *cli, const struct recording_opts *read,
		    const struct syscalls_opts *opts)
{
	struct recording rec = { 0 };
	struct syscalls syscalls = { 0 };
	int err = recording_open(&rec, cli, read) ?: syscalls_load(&rec, opts->is_total, &syscalls);
	pid_t pager = err ? 0 : pager_start();

	if (!err && opts->json)
		err = syscalls_print_json(stdout, &syscalls);
	else if (!err)
		syscalls_print(stdout, &syscalls, opts);
	fflush(stdout);
	pager_end(pager);
	syscalls_fini(&syscalls);
	return recording_close(&rec, err, opts->verbose);
}
