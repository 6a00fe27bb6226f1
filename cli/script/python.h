/* SPDX-License-Identifier: MIT */
/* Scripts in Python, and perf's scripts by name. */
#ifndef SCRIPT_PYTHON_H
#define SCRIPT_PYTHON_H

#include <sys/types.h>

/* A script that is running. */
struct python {
	pid_t pid;
	int fd; /* what is written there, it reads */
};

/*
 * Starts a script, with NULL-terminated arguments. Returns 0, or -1 after one sentence. SIGPIPE is
 * ignored from then on: a script need not read to the end.
 */
int python_start(struct python *python, const char *script, char **arguments);
/* Closes the pipe and waits. Returns the exit status. */
int python_end(struct python *python);

/* "report NAME", "record NAME": says what to use instead of a script that comes with perf. Returns
 * the exit status. */
int script_by_name(const char *what, const char *name);
/* Lists them, for -l. */
void scripts_list(void);

#endif
