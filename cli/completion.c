/* SPDX-License-Identifier: MIT */
/*
 * Writes completion scripts for shells from the tables of commands and options. The build installs
 * what this prints; of xperf only `list --raw-dump` runs while somebody completes an event.
 */
#include "completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "options.h"

/* Prints @text for the inside of single quotes: each character of @special behind a backslash, a
 * quote as the shell wants it. */
static void print_quoted(const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs(quote, stdout);
			continue;
		}
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* The next option to offer, or NULL. Start with the table itself. */
static const struct option *visible(const struct option *option)
{
	while (option && (option->name || option->letter) && option->hidden)
		option++;
	return option && (option->name || option->letter) ? option : NULL;
}

static bool accepts_events(const struct option *option)
{
	return option->value && !strcasecmp(option->value, "event");
}

/* Words that values are made of. @is_list: several, separated by commas. Values that are shown as
 * "a|b" need no row. */
static const struct choices {
	const char *command, *option, *words;
	bool is_list;
} all_choices[] = {
	{ "report", "sort",
	  "comm dso symbol pid tid cpu parent srcline srcfile trace time weight local_weight cgroup "
	  "socket symoff dso_from dso_to symbol_from symbol_to mispredict abort in_tx mem "
	  "symbol_daddr dso_daddr waker parallelism",
	  true },
	{ "report", "fields",
	  "overhead overhead_children overhead_sys overhead_us sample period comm dso symbol pid tid "
	  "cpu srcline srcfile",
	  true },
	{ "report", "call-graph",
	  "graph flat fractal folded none caller callee function address srcline percent period "
	  "count",
	  true },
	{ "report", "percent-type", "local-period global-period local-hits global-hits", false },
	{ "annotate", "percent-type", "local-period global-period local-hits global-hits", false },
	{ "diff", "sort", "dso symbol comm pid cpu", true },
	{ "diff", "compute", "delta-abs delta ratio", false },
	{ "script", "fields",
	  "comm tid pid time cpu event trace ip sym dso addr symoff srcline period weight phys_addr "
	  "brstack brstacksym iregs uregs flags data_src insn insnlen disasm cgroup metric",
	  true },
	{ "record", "call-graph", "auto fp dwarf lbr", false },
	{ "record", "clockid", "monotonic monotonic_raw realtime boottime tai", false },
	{ "record", "branch-filter", "any any_call any_ret ind_call cond call u k hv", true },
};

/* True if the value is shown as words to choose from: "always|never". */
static bool shows_words(const char *value)
{
	return value && strchr(value, '|') &&
	       strspn(value, "abcdefghijklmnopqrstuvwxyz-|") == strlen(value);
}

/* The words of an option's value. Returns NULL if there are none; @choices has room for those it
 * shows, in @text. */
static const struct choices *choices_of(const struct command *command, const struct option *option,
					struct choices *choices, char text[128])
{
	size_t nr = sizeof(all_choices) / sizeof(all_choices[0]);

	for (size_t i = 0; option->name && i < nr; i++)
		if (!strcmp(all_choices[i].command, command->name) &&
		    !strcmp(all_choices[i].option, option->name))
			return &all_choices[i];
	if (!shows_words(option->value))
		return NULL;
	snprintf(text, 128, "%s", option->value);
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar = ' ';
	*choices = (struct choices){ .words = text };
	return choices;
}

static void print_command_names(const char *separator)
{
	for (const struct command *const *c = commands; *c; c++)
		printf("%s%s", c == commands ? "" : separator, (*c)->name);
}

/* The words for one command: all its options, those that take the next word as a value, and those
 * whose value is a list of events. */
static void bash_command(const struct command *command)
{
	printf("\t%s)\n\t\toptions='--help", command->name);
	for (const struct option *o = visible(command->options); o; o = visible(o + 1)) {
		if (o->name)
			printf(" --%s", o->name);
		else
			printf(" -%c", o->letter);
	}
	printf("'\n\t\tvalued=' ");
	for (const struct option *o = visible(command->options); o; o = visible(o + 1)) {
		if (!option_needs_value(o))
			continue;
		if (o->letter)
			printf("-%c ", o->letter);
		if (o->name)
			printf("--%s ", o->name);
	}
	printf("'\n\t\tevents=' ");
	for (const struct option *o = visible(command->options); o; o = visible(o + 1)) {
		if (!accepts_events(o))
			continue;
		if (o->letter)
			printf("-%c ", o->letter);
		if (o->name)
			printf("--%s ", o->name);
	}
	printf("'\n\t\t;;\n");
}

/* One line for each option with words: a "," before them if they make a list. */
static void bash_choices(const struct command *command)
{
	for (const struct option *o = visible(command->options); o; o = visible(o + 1)) {
		struct choices room;
		char text[128];
		const struct choices *choices = choices_of(command, o, &room, text);

		if (!choices)
			continue;
		fputs("\t\t", stdout);
		if (o->letter)
			printf("\"%s -%c\"%s", command->name, o->letter, o->name ? " | " : "");
		if (o->name)
			printf("\"%s --%s\"", command->name, o->name);
		printf(") words='%s%s' ;;\n", choices->is_list ? ", " : "", choices->words);
	}
}

static const char bash_head[] =
	"# bash completion for xperf, made from its option tables\n"
	"_xperf_events()\n"
	"{\n"
	"\tlocal typed='' first i=$COMP_CWORD\n"
	"\n"
	"\twhile ((i > $1)); do\n"
	"\t\ttyped=${COMP_WORDS[i--]}$typed\n"
	"\tdone\n"
	"\tfirst=${typed%\"${typed##*[,\\{]}\"}\n"
	"\tCOMPREPLY=($(compgen -P \"$first\" -W \"$(\"${COMP_WORDS[0]}\" list --raw-dump 2>/dev/null)\" \\\n"
	"\t\t-- \"${typed#\"$first\"}\"))\n"
	"\t[[ $typed != *:* ]] || COMPREPLY=(\"${COMPREPLY[@]#\"${typed%:*}:\"}\")\n"
	"\tcompopt -o nospace 2>/dev/null\n"
	"}\n"
	"\n"
	"_xperf_value()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} words='' first=''\n"
	"\n"
	"\tcase \"$1 $2\" in\n";

static const char bash_value[] =
	"\tesac\n"
	"\t[[ -n $words ]] || return\n"
	"\tif [[ $words == ,* ]]; then\n"
	"\t\twords=${words#,}\n"
	"\t\tfirst=${cur%\"${cur##*[,+]}\"}\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\tfi\n"
	"\tCOMPREPLY=($(compgen -P \"$first\" -W \"$words\" -- \"${cur#\"$first\"}\"))\n"
	"}\n"
	"\n"
	"_xperf()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} options='' valued='' events='' word i j\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\tCOMPREPLY=($(compgen -W '--help --version ";

static const char bash_middle[] = "' -- \"$cur\"))\n"
				  "\t\treturn\n"
				  "\tfi\n"
				  "\tcase ${COMP_WORDS[1]} in\n";

/* Behind the first word that is no option everything belongs to somebody else. */
static const char bash_tail[] =
	"\tesac\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tcase $word in\n"
	"\t\t--) return ;;\n"
	"\t\t-*)\n"
	"\t\t\t[[ ${COMP_WORDS[i + 1]} != '=' ]] || ((i++))\n"
	"\t\t\tif [[ $events == *\" $word \"* ]]; then\n"
	"\t\t\t\tfor ((j = i + 1; j < COMP_CWORD; j++)); do\n"
	"\t\t\t\t\t[[ ${COMP_WORDS[j]} == : || ${COMP_WORDS[j + 1]} == : ]] || break\n"
	"\t\t\t\tdone\n"
	"\t\t\t\tif ((j >= COMP_CWORD && i < COMP_CWORD)); then\n"
	"\t\t\t\t\t_xperf_events \"$i\"\n"
	"\t\t\t\t\treturn\n"
	"\t\t\t\tfi\n"
	"\t\t\t\t((i = j))\n"
	"\t\t\t\tcontinue\n"
	"\t\t\tfi\n"
	"\t\t\tif ((i + 1 == COMP_CWORD)) && [[ $valued == *\" $word \"* || ${COMP_WORDS[i]} == = ]]; then\n"
	"\t\t\t\t_xperf_value \"${COMP_WORDS[1]}\" \"$word\"\n"
	"\t\t\t\treturn\n"
	"\t\t\tfi\n"
	"\t\t\t[[ $valued != *\" $word \"* ]] || ((i++))\n"
	"\t\t\t;;\n"
	"\t\t*) return ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif ((i == COMP_CWORD)) && [[ $cur == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	"\tfi\n"
	"}\n"
	"complete -o default -F _xperf xperf\n";

static void print_bash(void)
{
	fputs(bash_head, stdout);
	for (const struct command *const *c = commands; *c; c++)
		bash_choices(*c);
	fputs(bash_value, stdout);
	print_command_names(" ");
	fputs(bash_middle, stdout);
	for (const struct command *const *c = commands; *c; c++)
		bash_command(*c);
	fputs(bash_tail, stdout);
}

/* What completes a value. */
static void zsh_value(const struct command *command, const struct option *option)
{
	struct choices room;
	char text[128];
	const struct choices *choices = choices_of(command, option, &room, text);

	if (choices && choices->is_list)
		printf(":_values -s , %s %s", option->name, choices->words);
	else if (choices)
		printf(":(%s)", choices->words);
	else if (accepts_events(option))
		fputs(":{compadd -- $(xperf list --raw-dump 2>/dev/null)}", stdout);
	else
		fputs(":_default", stdout);
}

static void zsh_option(const struct command *command, const struct option *option)
{
	const char *plus = option->optional ? "-" : option->value ? "+" : "";
	const char *equals = option->optional ? "=-" : option->value ? "=" : "";

	bool repeats = option->kind == OPTION_COUNT || option->kind == OPTION_CALL;

	if (option->letter && option->name && repeats)
		printf("\t\t\t'*'{-%c%s,--%s%s}'[", option->letter, plus, option->name, equals);
	else if (option->letter && option->name)
		printf("\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
		       option->letter, plus, option->name, equals);
	else if (option->name)
		printf("\t\t\t'%s--%s%s[", repeats ? "*" : "", option->name, equals);
	else
		printf("\t\t\t'%s-%c%s[", repeats ? "*" : "", option->letter, plus);
	print_quoted(option->help, "[]\\", "'\\''");
	putchar(']');
	if (option->value) {
		fputs(option->optional ? "::" : ":", stdout);
		print_quoted(option->value, ":\\", "'\\''");
		zsh_value(command, option);
	}
	puts("' \\");
}

static void print_zsh(void)
{
	puts("#compdef xperf\n"
	     "# zsh completion for xperf, made from its option tables\n"
	     "_xperf()\n"
	     "{\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t\t'%s:", (*c)->name);
		print_quoted((*c)->summary, "\\", "'\\''");
		puts("'");
	}
	puts("\t)\n"
	     "\tif ((CURRENT == 2)); then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tshift words\n"
	     "\t((CURRENT--))\n"
	     "\tcase $words[1] in");
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t%s)\n\t\t_arguments -s -S -A '-*' \\\n", (*c)->name);
		for (const struct option *o = visible((*c)->options); o; o = visible(o + 1))
			zsh_option(*c, o);
		puts("\t\t\t'(- *)'{-h,--help}'[show the options]' \\\n"
		     "\t\t\t'*::argument:_default'\n"
		     "\t\t;;");
	}
	puts("\tesac\n"
	     "}\n"
	     "_xperf \"$@\"");
}

/* Ends the description, and says what completes a value. */
static void fish_value(const struct command *command, const struct option *option)
{
	struct choices room;
	char text[128];
	const struct choices *choices = choices_of(command, option, &room, text);

	if (choices && choices->is_list)
		printf("' -f -a '(__fish_append , %s)'\n", choices->words);
	else if (choices)
		printf("' -f -a '%s'\n", choices->words);
	else
		puts(accepts_events(option)
			     ? "' -f -a '(xperf list --raw-dump | string split \" \")'"
			     : "'");
}

static void fish_command(const struct command *command)
{
	printf("complete -c xperf -n __fish_use_subcommand -f -a %s -d '", command->name);
	print_quoted(command->summary, "\\", "\\'");
	puts("'");
	for (const struct option *o = visible(command->options); o; o = visible(o + 1)) {
		printf("complete -c xperf -n '__fish_seen_subcommand_from %s'", command->name);
		if (o->letter)
			printf(" -s %c", o->letter);
		if (o->name)
			printf(" -l %s", o->name);
		printf("%s -d '", option_needs_value(o) ? " -r" : "");
		print_quoted(o->help, "\\", "\\'");
		fish_value(command, o);
	}
}

static void print_fish(void)
{
	puts("# fish completion for xperf, made from its option tables");
	for (const struct command *const *c = commands; *c; c++)
		fish_command(*c);
}

static const struct {
	const char *name;
	void (*print)(void);
} shells[] = {
	{ "bash", print_bash },
	{ "zsh", print_zsh },
	{ "fish", print_fish },
};

int completion_print(const struct cli *cli, int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, argv[1]))
			continue;
		shells[i].print();
		return 0;
	}
	fprintf(stderr, "%s: %s wants one of: bash, zsh, fish\n", cli->name, argv[0]);
	return 1;
}
