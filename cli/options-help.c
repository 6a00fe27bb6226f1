/* SPDX-License-Identifier: MIT */
/* What an option table looks like to people (--help) and to programs (--list-options). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"
#include "terminal.h"

/* Column the descriptions start in; a longer option puts its own on the next line. */
enum { HELP_COLUMN = 30, LEAST_HELP = 20 };

static bool is_end(const struct option *option)
{
	return !option->name && !option->letter;
}

/* From HELP_COLUMN on, broken at blanks where @columns are too few; 0: in one line. */
static void print_text(const char *text, int columns)
{
	size_t room = columns >= HELP_COLUMN + LEAST_HELP ? (size_t)(columns - HELP_COLUMN)
							  : strlen(text);

	while (strlen(text) > room) {
		size_t len = room;

		while (len && text[len] != ' ')
			len--;
		if (!len)
			break;
		printf("%.*s\n%*s", (int)len, text, HELP_COLUMN, "");
		text += len + 1;
	}
	puts(text);
}

static void print_row(const struct option *option, int columns)
{
	int width = option->letter ? printf("    -%c", option->letter) : printf("      ");

	if (option->name)
		width += printf("%s--%s", option->letter ? ", " : "  ", option->name);
	if (option->optional)
		width += printf("[%s<%s>]", option->name ? "=" : "", option->value);
	else if (option->value)
		width += printf(" <%s>", option->value);
	if (width + 2 > HELP_COLUMN) {
		putchar('\n');
		width = 0;
	}
	printf("%*s", HELP_COLUMN - width, "");
	print_text(option->help, columns);
}

void options_help(const struct command *command)
{
	/* A pager has none of its own. */
	int columns = terminal_columns(STDOUT_FILENO);
	pid_t pager = pager_start();

	printf("Usage: %s %s %s\n\n%s.\n", program_invocation_short_name, command->name,
	       command->usage, command->summary);
	if (command->options && !is_end(command->options))
		putchar('\n');
	for (const struct option *o = command->options; o && !is_end(o); o++)
		if (!o->hidden)
			print_row(o, columns);
	if (command->epilogue)
		printf("\n%s\n", command->epilogue);
	pager_end(pager);
}

void options_list(const struct command *command)
{
	for (const struct option *o = command->options; o && !is_end(o); o++) {
		if (o->hidden)
			continue;
		if (o->letter)
			printf("-%c\t", o->letter);
		else
			printf("-\t");
		printf("%s%s\t", o->name ? "--" : "-", o->name ? o->name : "");
		printf(o->optional ? "[%s]\n" : "%s\n", o->value ? o->value : "-");
	}
}

void options_list_names(const struct command *command)
{
	for (const struct option *o = command->options; o && !is_end(o); o++)
		if (o->name && !o->hidden)
			printf("--%s ", o->name);
	putchar('\n');
}
