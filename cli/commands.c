/* SPDX-License-Identifier: MIT */
/* The table of commands: a new one is one row. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/suggest.h>

#include "cli.h"

/* clang-format off */
const struct command *const commands[] = {
	&stat_command,
	&compare_command,
	&record_command,
	&top_command,
	&report_command,
	&annotate_command,
	&script_command,
	&diff_command,
	&export_command,
	&flamegraph_command,
	&view_command,
	&list_command,
	&doctor_command,
	&archive_command,
	&buildid_cache_command,
	&buildid_list_command,
	&check_command,
	&config_command,
	&data_command,
	&evlist_command,
	&help_command,
	&inject_command,
	&test_command,
	&version_command,
	NULL,
};
/* clang-format on */

static void offer_name(struct xp_suggest *suggest)
{
	for (const struct command *const *c = commands; *c; c++)
		xp_suggest_offer(suggest, (*c)->name);
}

const struct command *command_find(const char *name)
{
	struct xp_suggest suggest = { .word = name, .len = strlen(name) };
	const char *self = program_invocation_short_name;

	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	if (command_is_perfs(name))
		return NULL;
	offer_name(&suggest);
	fprintf(stderr, "%s has no command '%s'", self, name);
	if (suggest.best)
		fprintf(stderr, ", did you mean '%s'?\n", suggest.best);
	else
		fprintf(stderr, ". See '%s help'.\n", self);
	return NULL;
}

void commands_help(void)
{
	const char *self = program_invocation_short_name;

	printf("Usage: %s [--version] [--help] COMMAND [ARGS]\n\nCommands:\n", self);
	for (const struct command *const *c = commands; *c; c++)
		printf("    %-13s %s\n", (*c)->name, (*c)->summary);
	printf("\n'%s help COMMAND' shows the manual of a command, '%s COMMAND --help' its "
	       "options.\n",
	       self, self);
}
