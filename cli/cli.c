/* SPDX-License-Identifier: MIT */
/* Finds the command and runs it. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const struct command *find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int cli_main(int argc, char **argv, const struct xp_ctx_opts *seam)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	struct cli cli = { .name = slash ? slash + 1 : argc ? argv[0] : "xperf", .seam = seam };
	const struct command *command = find(argc > 1 ? argv[1] : "help");

	if (!command) {
		fprintf(stderr, "%s: '%s' is not a %s-command. See '%s help'.\n", cli.name, argv[1],
			cli.name, cli.name);
		return EXIT_UNKNOWN_COMMAND;
	}
	return command->run(&cli, argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv);
}
