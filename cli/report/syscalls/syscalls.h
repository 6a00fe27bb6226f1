/* SPDX-License-Identifier: MIT */
/* `xperf report --syscalls`: which system calls a recording has, how often, and how long. */
#ifndef SYSCALLS_SYSCALLS_H
#define SYSCALLS_SYSCALLS_H

#include "recording.h"

struct syscalls_opts {
	bool is_total; /* all threads together */
	bool json, quiet;
	bool verbose; /* all damage is reported */
};

/* Reads and prints a recording. Returns the exit status. */
int syscalls_report(const struct cli *cli, const struct recording_opts *read,
		    const struct syscalls_opts *opts);

#endif
