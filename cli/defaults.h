/* SPDX-License-Identifier: MIT */
/* Defaults of options from files of settings: ~/.perfconfig, /etc/perfconfig, PERF_CONFIG. */
#ifndef CLI_DEFAULTS_H
#define CLI_DEFAULTS_H

#include <stdbool.h>
#include <stddef.h>

struct command;
struct setting;

/* Reads the files, once. Returns true; or false after one sentence, each time it is called. */
bool defaults_load(void);

/* The value of a setting that is no option's; NULL: it is not set. Files that cannot be read set
 * nothing. */
const char *defaults_value(const char *key);

/* One option that a setting gives to a command, as it would be typed, without "--". */
struct default_option {
	const struct setting *setting;
	char text[512];
};

/*
 * The next option for @command; start with *at = 0. Returns 1 with @ret_option, 0 at the end, or -1
 * after one sentence that has file and line.
 */
int defaults_next(const struct command *command, size_t *at, struct default_option *ret_option);

/* Names the settings that no command uses, to stderr. */
void defaults_report_unused(void);

/* Prints file and line of a setting, and its key, for the beginning of a sentence. */
void defaults_print_place(const struct setting *setting);

#endif
