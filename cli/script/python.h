/* SPDX-License-Identifier: MIT */
/* Scripts in Python, and perf's scripts by name. */
#ifndef SCRIPT_PYTHON_H
#define SCRIPT_PYTHON_H

#include <stdbool.h>
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

/* The file of a script that comes with perf, if that is installed, or below PERF_EXEC_PATH. Returns
 * the path, the caller's to free; NULL: there is none. */
char *script_find(const char *name);
/* Whether xperf has something better than to run the script. */
bool script_has_replacement(const char *name);
/* "report NAME", "record NAME": says what to use instead of a script that comes with perf; @name
 * NULL: of any. Returns the exit status. */
int script_refuse(const char *what, const char *name);
/* Lists them, for -l. */
void scripts_list(void);

#endif
