/* SPDX-License-Identifier: MIT */
/*
 * Command-line options as data: one table per command is parsed, shown by --help, turned into
 * shell completions and compared with the man page.
 *
 * Parsing follows perf: options may stand behind arguments, except where these are a program to
 * run; they end at "--"; short ones can be bundled; "-eX", "-e X", "--event=X" and "--event X" are
 * the same; a unique prefix of a long name will do; "--no-NAME" takes back what "--NAME" said, and
 * where the option itself is called "no-NAME", "--NAME" does. Files of settings come first:
 * defaults.h.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,     /* bool at @offset; --no-NAME clears it */
	OPTION_COUNT,    /* int at @offset, one more each time; --no-NAME zeroes it */
	OPTION_STRING,   /* const char * at @offset; --no-NAME makes it NULL */
	OPTION_INT,      /* int at @offset, decimal, may be negative; --no-NAME zeroes it */
	OPTION_POSITIVE, /* the same, 1 or more */
	OPTION_CALL, /* @call decides; takes a value iff @value is not NULL; @offset is its own */
};

struct option;

/*
 * Parses one occurrence of an OPTION_CALL option. @arg is NULL without a value, @negated after
 * --no-NAME; then it is NULL, too. Returns 0, or a negative number after printing one sentence with
 * option_error().
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
	bool hidden;   /* an alias kept for scripts: parsed when spelled out, not shown */
	bool optional; /* of OPTION_CALL: the value may be left out, and is only taken where it is
			* attached: -zN, --compression-level=N */
};

struct command;

/*
 * Parses the options of a command into @values. argv[0] is skipped. *ret_first is the index of the
 * first argument that is no option; argc if there is none. Arguments with options behind them are
 * moved to the end of @argv, unless the command runs a program. Returns true; or false if the
 * program ends with *ret_status: 0 after --help or --list-opts was printed to stdout, EXIT_USAGE
 * after one sentence and the usage line on stderr.
 */
bool options_parse(const struct command *command, int argc, char **argv, void *values,
		   int *ret_first, int *ret_status);

/* The index of --@name among the options before the first argument, as @command parses them; 0: it
 * is not there. */
int options_find(const struct command *command, int argc, char **argv, const char *name);

/* The index of the first argument that is no option, as @command parses them; @argc: there is none.
 * Nothing is applied. */
int options_first(const struct command *command, int argc, char **argv);

/*
 * Prints "Error: --NAME: " and the text, to stderr: option_error(option, "'%s' is not a CPU list",
 * arg). Returns -1.
 */
int option_error(const struct option *option, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints "Error: ", the text and the usage line, to stderr. Returns EXIT_USAGE. */
int options_misused(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Where options from files of settings are checked later than they are parsed: names the files and
 * lines, to stderr, after a command was misused. */
void options_explain(void);

/* Prints usage line and option list to stdout. */
void options_help(const struct command *command);

/* Prints one line per option to stdout: letter, long name, value name, "-" where there is none,
 * separated by tabs; "[value name]" where it may be left out. */
void options_list(const struct command *command);

/* Prints the long names, with their dashes, in one line to stdout, as perf does for completion. */
void options_list_names(const struct command *command);

/* True if the argument behind an option is its value where none is attached to it. */
bool option_needs_value(const struct option *option);

#endif
