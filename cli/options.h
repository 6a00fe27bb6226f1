/* SPDX-License-Identifier: MIT */
/*
 * Command-line options as data: one table per command is parsed, shown by --help, turned into
 * shell completions and compared with the man page.
 *
 * Parsing follows perf: options end at the first argument that is none, or at "--"; short ones
 * can be bundled; "-eX", "-e X", "--event=X" and "--event X" are the same; a unique prefix of a
 * long name will do; "--no-NAME" takes back what "--NAME" said.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,   /* bool at @offset; --no-NAME clears it */
	OPTION_COUNT,  /* int at @offset, one more each time; --no-NAME zeroes it */
	OPTION_STRING, /* const char * at @offset */
	OPTION_INT,    /* int at @offset, decimal, may be negative */
	OPTION_CALL,   /* @call decides; takes a value iff @value is not NULL */
};

struct option;

/*
 * Takes one occurrence of an OPTION_CALL option. @arg is NULL without a value, @negated after
 * --no-NAME. Returns 0, or a negative number after printing one sentence with option_error().
 */
typedef int (*option_fn)(const struct option *option, const char *arg, bool negated, void *values);

/* One row of a table; a table ends with a zero row. */
struct option {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes; NULL: letter only */
	enum option_kind kind;
	size_t offset;     /* in the struct the command keeps its values in */
	const char *value; /* what a value is called in --help: "event"; NULL: takes none */
	const char *help;  /* one line */
	option_fn call;
	bool hidden; /* an alias kept for scripts: parsed, not shown */
};

struct command;

/*
 * Parses the options of a command into @values. argv[0] is skipped. *ret_first is the index of the
 * first argument that is no option. Returns 0, or the exit status to leave with plus one: 1 after
 * --help was printed to stdout, 130 after one sentence and the usage line on stderr.
 */
int options_parse(const struct command *command, int argc, char **argv, void *values,
		  int *ret_first);

/* Prints "Error: ..." about an option, to stderr. Returns -1. */
int option_error(const struct option *option, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints usage line and option list: to stdout for --help. */
void options_help(const struct command *command);

#endif
