/* SPDX-License-Identifier: MIT */
/* Finds the command and runs it; before that, the program's own options. */
#include "cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Where the program is: everything it runs is part of it. */
static int show_exec_path(const struct cli *cli, int argc, char **argv)
{
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program));

	(void)argc;
	while (len > 0 && program[len - 1] != '/')
		len--;
	if (len <= 0) {
		fprintf(stderr, "%s: %s: /proc/self/exe cannot be read\n", cli->name, argv[0]);
		return EXIT_FAILED;
	}
	printf("%.*s\n", len > 1 ? (int)len - 1 : 1, program);
	return 0;
}

static int list_own(const struct cli *cli, int argc, char **argv);

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
	{ "--list-opts", NULL, list_own },
	{ "--list-options", NULL, list_options },
	{ "--exec-path", NULL, show_exec_path },
	{ "--complete", NULL, completion_print },
	{ NULL, NULL, NULL },
};

/* What may precede a command. */
static int no_pager(const char *value)
{
	(void)value;
	pager_disable();
	return 0;
}

static int ignore(const char *value)
{
	(void)value;
	return 0;
}

static int use_build_id_dir(const char *value)
{
	return setenv("PERF_BUILDID_DIR", value, true);
}

static const struct leading {
	const char *name;
	bool has_value;   /* behind "=", or the next argument */
	bool is_attached; /* behind "=" only; without a value it stands in a command's place */
	int (*use)(const char *value);
} leading_options[] = {
	{ "--no-pager", .use = no_pager },
	{ "--buildid-dir", .has_value = true, .use = use_build_id_dir },
	{ "--exec-path", .has_value = true, .is_attached = true, .use = ignore },
	{ 0 },
};

/* Prints the names of what may stand before or instead of a command, for completion. */
static int list_own(const struct cli *cli, int argc, char **argv)
{
	(void)cli;
	(void)argc;
	(void)argv;
	for (const struct leading *l = leading_options; l->name; l++)
		if (!l->is_attached)
			printf("%s ", l->name);
	for (size_t i = 0; own_options[i].name; i++)
		if (!strncmp(own_options[i].name, "--", 2))
			printf("%s ", own_options[i].name);
	putchar('\n');
	return 0;
}

static const struct leading *find_leading(const char *arg)
{
	for (const struct leading *l = leading_options; l->name; l++) {
		size_t len = strlen(l->name);

		if (!strncmp(arg, l->name, len) &&
		    (arg[len] == '=' || (!arg[len] && !l->is_attached)))
			return l;
	}
	return NULL;
}

/* Uses an option before a command. Returns how many arguments it is; or -1 after one sentence. */
static int use_leading(const struct leading *option, int argc, char **argv)
{
	const char *equals = strchr(argv[0], '=');
	bool takes_next = option->has_value && !equals;
	const char *value = equals ? equals + 1 : argc > 1 ? argv[1] : NULL;

	if (equals && !option->has_value)
		fprintf(stderr, "Error: %s: takes no value\n", option->name);
	else if (takes_next && !value)
		fprintf(stderr, "Error: %s: requires a value\n", option->name);
	else if (option->use(value))
		fprintf(stderr, "Error: %s: Out of memory\n", option->name);
	else
		return takes_next ? 2 : 1;
	return -1;
}

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
	const struct leading *option;

	while (argc && (option = find_leading(argv[0]))) {
		int nr = use_leading(option, argc, argv);

		if (nr < 0)
			return EXIT_USAGE;
		argc -= nr;
		argv += nr;
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
	if (status == EXIT_USAGE)
		options_explain();
	/* A result that did not arrive is none: a full disk must not look like success. */
	int err = stream_flush(&out, stdout);
	if (!err)
		return status;
	fprintf(stderr, "Error: standard output cannot be written: %s\n", strerror(-err));
	return EXIT_FAILED;
}
