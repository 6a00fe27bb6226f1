/* SPDX-License-Identifier: MIT */
/* Finds the command and runs it; before that, the program's own options. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "completion.h"
#include "options.h"
#include "stream.h"
#include "terminal.h"

bool cli_is_perf(const struct cli *cli)
{
	return !strcmp(cli->name, "perf");
}

/* Prints the names of all commands in one line, for scripts. */
static int list_commands(const struct cli *cli, int argc, char **argv)
{
	(void)cli;
	(void)argc;
	(void)argv;
	for (const struct command *const *c = commands; *c; c++)
		printf("%s ", (*c)->name);
	putchar('\n');
	return 0;
}

/* Prints the option table of the command in argv[1]. */
static int list_options(const struct cli *cli, int argc, char **argv)
{
	const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;

	if (argc < 2)
		fprintf(stderr, "%s: %s needs the name of a command\n", cli->name, argv[0]);
	if (!command)
		return EXIT_UNKNOWN_COMMAND;
	options_list(command);
	return 0;
}

/* The version and what was built in, by the name perf has for it. */
static int show_build(const struct cli *cli, int argc, char **argv)
{
	char build_options[] = "--build-options";
	char *args[] = { argv[0], build_options, NULL };

	(void)argc;
	return version_command.run(cli, 2, args);
}

/* What may stand in a command's place: a command, or something small that is none. */
static const struct {
	const char *name;
	const struct command *command;
	int (*run)(const struct cli *cli, int argc, char **argv);
} own_options[] = {
	{ "--help", &help_command, NULL },
	{ "-h", &help_command, NULL },
	{ "--version", &version_command, NULL },
	{ "-v", &version_command, NULL },
	{ "-vv", NULL, show_build },
	{ "--list-cmds", NULL, list_commands },
	{ "--list-options", NULL, list_options },
	{ "--complete", NULL, completion_print },
	{ NULL, NULL, NULL },
};

/* Runs what an option in a command's place asks for. */
static int run_own(const struct cli *cli, int argc, char **argv)
{
	for (size_t i = 0; own_options[i].name; i++) {
		if (strcmp(own_options[i].name, argv[0]))
			continue;
		if (own_options[i].command)
			return own_options[i].command->run(cli, argc, argv);
		return own_options[i].run(cli, argc, argv);
	}
	fprintf(stderr, "Error: unknown option '%s'. See '%s --help'.\n", argv[0], cli->name);
	return EXIT_USAGE;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	for (; argc && !strcmp(argv[0], "--no-pager"); argc--) {
		pager_disable();
		argv++;
	}
	if (!argc) {
		commands_help();
		return EXIT_UNKNOWN_COMMAND;
	}
	if (argv[0][0] == '-')
		return run_own(cli, argc, argv);

	const struct command *command = command_find(argv[0]);
	return command ? command->run(cli, argc, argv) : EXIT_UNKNOWN_COMMAND;
}

int cli_main(int argc, char **argv, const struct xp_ctx_opts *seam)
{
	static struct stream out = { .fd = STDOUT_FILENO };
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	struct cli cli = { .name = slash ? slash + 1 : argc ? argv[0] : "xperf", .seam = seam };
	FILE *file = stream_open(&out);

	if (file)
		stdout = file;
	int status = run(&cli, argc ? argc - 1 : 0, argv + 1);
	/* A result that did not arrive is none: a full disk must not look like success. */
	int err = stream_flush(&out, stdout);
	if (!err)
		return status;
	fprintf(stderr, "Error: standard output cannot be written: %s\n", strerror(-err));
	return EXIT_FAILED;
}
