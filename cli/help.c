/* SPDX-License-Identifier: MIT */
/* `xperf help`: the list of commands, or a command's manual page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"

static const struct option options[] = {
	{ 0 },
};

/* Becomes man(1) where somebody reads; returns if that is not possible. */
static void show_manual(const struct command *command)
{
	char page[64];

	if (!isatty(STDOUT_FILENO))
		return;
	snprintf(page, sizeof(page), "xperf-%s", command->name);
	/* "man -w" says by its status whether there is such a page; its words are not for us. */
	char probe[96];
	snprintf(probe, sizeof(probe), "man -w %s >/dev/null 2>&1", page);
	if (system(probe))
		return;
	execlp("man", "man", page, NULL);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	int first, status;

	(void)cli;
	if (!options_parse(&help_command, argc, argv, NULL, &first, &status))
		return status;
	if (first == argc) {
		commands_help();
		return 0;
	}
	const struct command *command = command_find(argv[first]);
	if (!command)
		return EXIT_UNKNOWN_COMMAND;
	show_manual(command);
	options_help(command);
	return 0;
}

const struct command help_command = {
	.name = "help",
	.summary = "Show the list of commands, or the manual of a command",
	.usage = "[<command>]",
	.options = options,
	.run = run,
};
