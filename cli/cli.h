/* SPDX-License-Identifier: MIT */
/* What the commands share: the table of commands and how one is started. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

struct option;
struct xp_ctx;
struct xp_ctx_opts;
struct xp_diag;

/* Exit statuses scripts rely on. Source: perf 6.1, measured. */
enum {
	EXIT_UNKNOWN_COMMAND = 1,
	EXIT_USAGE = 129,
	EXIT_FAILED = 255, /* the command could not be carried out */
};

/* What a command gets. */
struct cli {
	const char *name;               /* how the program was called: "xperf", or "perf" */
	const struct xp_ctx_opts *seam; /* what contexts are made with; NULL: this machine */
};

/* True if the program is called by the name of perf: a link to it stands in for perf. */
bool cli_is_perf(const struct cli *cli);

/* One command. */
struct command {
	const char *name;
	const char *summary;          /* one line for the list of commands */
	const char *usage;            /* behind the command's name: "[<options>] [<command>]" */
	const struct option *options; /* zero-terminated; NULL: it parses by itself */
	bool runs_program;            /* what follows the first argument is that program's */
	const char *program_word;     /* so is what follows this argument; NULL: there is none */
	int (*run)(const struct cli *cli, int argc,
		   char **argv); /* argv[0] is the command; returns the exit status */
	const char *epilogue;    /* more text for --help, behind the options; may be NULL */
};

/* The table, ended by NULL. */
extern const struct command *const commands[];

/* Finds a command by its name. Returns NULL after one sentence on stderr, with the nearest name. */
const struct command *command_find(const char *name);

/* True, after one sentence on stderr that names what to use, if @name is a command of perf that is
 * not here. */
bool command_is_perfs(const char *name);

/* Prints the list of commands. */
void commands_help(void);

/* Runs the program: finds the command, runs it. @seam as for xp_ctx_new(). Returns the exit status.
 */
int cli_main(int argc, char **argv, const struct xp_ctx_opts *seam);

/*
 * Makes a context on the command's seam. With @verbose > 1 every event that is opened is shown on
 * stderr; if the environment has PERF_TEST_ATTR=DIR, every opened one is described in a file there.
 * Prints what is wrong; returns NULL then.
 */
struct xp_ctx *cli_ctx_new(const struct cli *cli, int verbose);

/* Frees the context and what cli_ctx_new() put around its kernel table. */
void cli_ctx_free(struct xp_ctx *ctx);

/* The directory of files by build id: that of --buildid-dir or PERF_BUILDID_DIR, else ~/.debug. It
 * need not exist, and is to be freed; NULL without memory. */
char *cli_build_id_dir(void);

struct wording {
	char text[1024];
};

/*
 * @text of the library (a sentence or hint of struct xp_diag, the reason of an event, what struct
 * xp_check says) with the options and commands of this program. Returns @text, or what it became
 * in @buf.
 */
const char *cli_words(const char *text, struct wording *buf);

/*
 * Prints a failure to stderr: "Error: " sentence, caret under the input, hint. @label: what kind
 * of text the user wrote, "event", for inputs in which scripts look for "event syntax error"; NULL
 * for others.
 */
void cli_print_diag(const struct xp_diag *diag, const char *label);

/* The commands, one folder or file each. */
extern const struct command annotate_command;
extern const struct command archive_command;
extern const struct command buildid_cache_command;
extern const struct command buildid_list_command;
extern const struct command compare_command;
extern const struct command config_command;
extern const struct command data_command;
extern const struct command diff_command;
extern const struct command doctor_command;
extern const struct command evlist_command;
extern const struct command export_command;
extern const struct command flamegraph_command;
extern const struct command inject_command;
extern const struct command list_command;
extern const struct command record_command;
extern const struct command report_command;
extern const struct command script_command;
extern const struct command stat_command;
extern const struct command top_command;
extern const struct command version_command;
extern const struct command view_command;
extern const struct command check_command;
extern const struct command test_command;
extern const struct command help_command;

#endif
