/* SPDX-License-Identifier: MIT */
/*
 * Parses a command's arguments by its option table. What is printed for --help is options-help.c.
 *
 * Source of the habits: perf 6.1, measured. Ours differs in two places: a long name that fits
 * one option as it is spelled is not ambiguous because of a "--no-" form that fits too, and
 * --help is no error.
 */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/suggest.h>

#include "cli.h"
#include "defaults.h"

/* More candidates than these do not help to choose. */
enum { CANDIDATES_SHOWN = 6 };

struct parser {
	const struct command *command;
	int argc;
	char **argv;
	int at; /* the argument being looked at */
	void *values;
	int status; /* to end the program with, where a function here returns false */
};

/* A long option as typed: without dashes, @len bytes, the rest behind "=" or NULL. */
struct typed {
	const char *name;
	size_t len;
	const char *value;
};

/* An option that a file of settings has given. It is kept: its value may be a part of its text. */
static struct from_file {
	struct default_option given;
	const struct option *option;
	struct from_file *next;
} * from_files;

/* The one that is being applied, of which errors are; NULL: the command line. */
static const struct from_file *applied;

/* The option that is being applied was typed as a letter. */
static bool is_letter;

bool option_needs_value(const struct option *option)
{
	return option->value && !option->optional;
}

static bool is_end(const struct option *option)
{
	return !option->name && !option->letter;
}

int option_error(const struct option *option, const char *fmt, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	if (applied)
		defaults_print_place(applied->given.setting);
	else if (option->name && !is_letter)
		fprintf(stderr, "--%s", option->name);
	else
		fprintf(stderr, "-%c", option->letter);
	fputs(": ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static void print_usage(const struct command *command)
{
	fprintf(stderr, "Usage: %s %s %s\n", program_invocation_short_name, command->name,
		command->usage);
}

static bool end_with_usage(struct parser *p)
{
	if (!applied)
		print_usage(p->command);
	p->status = EXIT_USAGE;
	return false;
}

int options_misused(const struct command *command, const char *fmt, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	print_usage(command);
	return EXIT_USAGE;
}

static int set_int(const struct option *option, const char *arg, int *ret_value)
{
	char *end;

	errno = 0;
	long value = strtol(arg, &end, 10);
	if (end == arg || *end)
		return option_error(option, "'%s' is not a number", arg);
	if (errno || value < INT_MIN || value > INT_MAX)
		return option_error(option, "%s is out of range", arg);
	*ret_value = (int)value;
	return 0;
}

static const char *stem_of(const struct option *option)
{
	bool is_negative = option->name && !strncmp(option->name, "no-", 3);

	return option->name ? option->name + 3 * is_negative : "";
}

/* What the command line says with "--NAME" ends what a file says with "--no-NAME", where both are
 * options. */
static void forget_opposite(struct parser *p, const struct option *option)
{
	for (const struct from_file *f = from_files; f; f = f->next)
		if (f->option != option && f->option->kind == OPTION_FLAG &&
		    !strcmp(stem_of(f->option), stem_of(option)))
			*(bool *)((char *)p->values + f->option->offset) = false;
}

/* @arg is not NULL where the option needs a value and is not negated. */
static bool apply(struct parser *p, const struct option *option, const char *arg, bool negated)
{
	void *place = (char *)p->values + option->offset;
	int err = 0;

	if (applied)
		from_files->option = option;
	else
		forget_opposite(p, option);
	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)place = !negated;
		break;
	case OPTION_COUNT:
		*(int *)place = negated ? 0 : *(int *)place + 1;
		break;
	case OPTION_STRING:
		*(const char **)place = negated ? NULL : arg;
		break;
	case OPTION_INT:
		*(int *)place = 0;
		err = negated ? 0 : set_int(option, arg, place);
		break;
	case OPTION_POSITIVE:
		*(int *)place = 0;
		err = negated ? 0 : set_int(option, arg, place);
		if (!err && !negated && *(int *)place < 1)
			err = option_error(option, "%s is less than 1", arg);
		break;
	case OPTION_CALL:
		err = option->call(option, arg, negated, p->values);
		break;
	}
	return err ? end_with_usage(p) : true;
}

/* Reads the value from @attached or from the next argument, and applies the option. */
static bool apply_with_value(struct parser *p, const struct option *option, const char *attached)
{
	if (!attached && p->at + 1 < p->argc)
		attached = p->argv[++p->at];
	if (!attached) {
		option_error(option, "requires a value: <%s>", option->value);
		return end_with_usage(p);
	}
	return apply(p, option, attached, false);
}

/* True if @option, in its negated form or not, begins with what was typed, or is it (@whole). */
static bool fits(const struct option *option, bool negated, const struct typed *typed, bool whole)
{
	const char *form = option->name;
	const char *text = typed->name;
	size_t len = typed->len;

	if (!form || (option->hidden && !whole))
		return false;
	/* "--no-no-NAME" is what perf calls the other side of "--no-NAME", beside "--NAME". */
	bool twice = len >= 6 && !strncmp(text, "no-no-", 6);
	if (negated && !twice && !strncmp(form, "no-", 3)) {
		form += 3;
	} else if (negated) {
		size_t common = len < 3 ? len : 3;

		if (strncmp(text, "no-", common) || (whole && len < 3))
			return false;
		text += common;
		len -= common;
	}
	return !strncmp(form, text, len) && (!whole || !form[len]);
}

/* Returns how many options fit, *ret_option the first of them. */
static int count_fits(const struct option *options, bool negated, const struct typed *typed,
		      bool whole, const struct option **ret_option)
{
	int nr = 0;

	for (const struct option *o = options; !is_end(o); o++) {
		if (!fits(o, negated, typed, whole))
			continue;
		if (!nr++)
			*ret_option = o;
		if (whole)
			break;
	}
	return nr;
}

static bool say_ambiguous(struct parser *p, bool negated, const struct typed *typed)
{
	int nr = 0;

	fprintf(stderr, "Error: option '--%.*s' is ambiguous, it could be", (int)typed->len,
		typed->name);
	for (const struct option *o = p->command->options; !is_end(o); o++) {
		if (!fits(o, negated, typed, false))
			continue;
		if (nr++ == CANDIDATES_SHOWN) {
			fputs(", …", stderr);
			break;
		}
		bool undo = negated && strncmp(o->name, "no-", 3);
		const char *name = negated && !undo ? o->name + 3 : o->name;
		fprintf(stderr, "%s --%s%s", nr > 1 ? "," : "", undo ? "no-" : "", name);
	}
	fputc('\n', stderr);
	return end_with_usage(p);
}

static bool say_unknown(struct parser *p, const struct typed *typed)
{
	struct xp_suggest suggest = { .word = typed->name, .len = typed->len };

	for (const struct option *o = p->command->options; !is_end(o); o++)
		if (o->name && !o->hidden)
			xp_suggest_offer(&suggest, o->name);
	fprintf(stderr, "Error: unknown option '--%.*s'", (int)typed->len, typed->name);
	if (suggest.best)
		fprintf(stderr, ", did you mean '--%s'?", suggest.best);
	fputc('\n', stderr);
	return end_with_usage(p);
}

static bool end_with_help(struct parser *p)
{
	options_help(p->command);
	p->status = 0;
	return false;
}

static bool end_with_names(struct parser *p)
{
	options_list_names(p->command);
	p->status = 0;
	return false;
}

static bool apply_long(struct parser *p, const struct option *option, bool negated,
		       const struct typed *typed)
{
	if (option_needs_value(option) && !negated)
		return apply_with_value(p, option, typed->value);
	if (typed->value && (negated || !option->optional)) {
		option_error(option, "takes no value%s", negated ? " when negated" : "");
		return end_with_usage(p);
	}
	return apply(p, option, typed->value, negated);
}

/* Whole names go before prefixes, names as they are before negated ones. */
static bool parse_long(struct parser *p, const char *arg)
{
	const char *equals = strchr(arg, '=');
	struct typed typed = { .name = arg,
			       .len = equals ? (size_t)(equals - arg) : strlen(arg),
			       .value = equals ? equals + 1 : NULL };

	is_letter = false;
	for (int way = 0; way < 4; way++) {
		bool whole = way < 2, negated = way & 1;
		const struct option *option;
		int nr = count_fits(p->command->options, negated, &typed, whole, &option);

		if (nr == 1)
			return apply_long(p, option, negated, &typed);
		if (nr)
			return say_ambiguous(p, negated, &typed);
		if (way == 1 && !strcmp(arg, "help"))
			return end_with_help(p);
		if (way == 1 && !strcmp(arg, "list-opts"))
			return end_with_names(p);
	}
	return say_unknown(p, &typed);
}

static const struct option *find_letter(const struct option *options, char letter)
{
	for (const struct option *o = options; !is_end(o); o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

/* One argument of short options, bundled or with a value attached. */
static bool parse_short(struct parser *p, const char *letters)
{
	bool goes_on = true;

	is_letter = true;
	for (const char *s = letters; *s && goes_on; s++) {
		const struct option *option = find_letter(p->command->options, *s);

		if (option && option_needs_value(option))
			return apply_with_value(p, option, s[1] ? s + 1 : NULL);
		if (option && option->optional)
			return apply(p, option, s[1] ? s + 1 + (s[1] == '=') : NULL, false);
		if (option) {
			goes_on = apply(p, option, NULL, false);
		} else if (*s == 'h') {
			goes_on = end_with_help(p);
		} else {
			fprintf(stderr, "Error: unknown option '-%c'\n", *s);
			goes_on = end_with_usage(p);
		}
	}
	return goes_on;
}

/* The value of the option @arg is the next argument. */
static bool takes_next(const struct option *options, const char *arg)
{
	const struct option *option = NULL;

	for (const char *s = arg + 1; arg[1] != '-' && *s; s++) {
		option = find_letter(options, *s);
		if (option && option->optional)
			return false;
		if (option && option_needs_value(option))
			return !s[1];
	}
	struct typed typed = { .name = arg + 2, .len = strlen(arg + 2) };
	return arg[1] == '-' &&
	       (count_fits(options, false, &typed, true, &option) ||
		count_fits(options, false, &typed, false, &option) == 1) &&
	       option_needs_value(option);
}

static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1] && strcmp(arg, "--") != 0;
}

int options_find(const struct command *command, int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc && is_option(argv[i]); i++) {
		if (!strncmp(argv[i], "--", 2) && !strcmp(argv[i] + 2, name))
			return i;
		i += takes_next(command->options, argv[i]);
	}
	return 0;
}

int options_first(const struct command *command, int argc, char **argv)
{
	int i = 1;

	for (; i < argc && is_option(argv[i]); i++)
		i += takes_next(command->options, argv[i]);
	i += i < argc && !strcmp(argv[i], "--");
	return i < argc ? i : argc;
}

/* Moves an option, [from, to) of @argv, before the words from @first_word on. */
static void move_option(char **argv, int first_word, int from, int to)
{
	char *option[2]; /* and its value */
	size_t nr = (size_t)(to - from);

	memcpy(option, argv + from, nr * sizeof(*argv));
	memmove(argv + first_word + nr, argv + first_word,
		(size_t)(from - first_word) * sizeof(*argv));
	memcpy(argv + first_word, option, nr * sizeof(*argv));
}

/* Applies what the files of settings have for the command. */
static bool apply_files(struct parser *p)
{
	bool goes_on;
	int found = 1;

	if (p->command == &config_command)
		return true; /* it reads them itself, and repairs them */
	goes_on = defaults_load();
	p->status = EXIT_USAGE;
	for (size_t at = 0; goes_on && found > 0;) {
		struct from_file *f = calloc(1, sizeof(*f));

		found = f ? defaults_next(p->command, &at, &f->given) : -1;
		if (found <= 0) {
			free(f);
			break;
		}
		f->next = from_files;
		applied = from_files = f;
		goes_on = parse_long(p, f->given.text);
		applied = NULL;
	}
	return goes_on && found >= 0;
}

/* With -v. */
static void report_unused(const struct parser *p)
{
	const struct option *option = find_letter(p->command->options, 'v');

	if (option && option->kind == OPTION_COUNT &&
	    *(int *)((char *)p->values + option->offset) > 0)
		defaults_report_unused();
}

void options_explain(void)
{
	for (const struct from_file *f = from_files; f; f = f->next) {
		if (f->option->kind != OPTION_STRING)
			continue;
		fputs("Note: ", stderr);
		defaults_print_place(f->given.setting);
		fputs(" is a default here\n", stderr);
	}
}

/* Whether what follows an argument belongs to a program. */
static bool is_program(const struct command *command, const char *arg)
{
	return command->runs_program ||
	       (command->program_word && !strcmp(arg, command->program_word));
}

bool options_parse(const struct command *command, int argc, char **argv, void *values,
		   int *ret_first, int *ret_status)
{
	struct parser p = { .command = command, .argc = argc, .argv = argv, .values = values };
	bool goes_on = true, is_end = false;
	int nr_words = 0;

	if (!apply_files(&p)) {
		*ret_status = p.status;
		return false;
	}
	p.status = 0;
	for (p.at = 1; p.at < argc && goes_on && !is_end; p.at++) {
		const char *arg = argv[p.at];
		int from = p.at;

		if (arg[0] != '-' || !arg[1]) {
			if (is_program(command, arg))
				break;
			nr_words++;
			continue;
		}
		is_end = !strcmp(arg, "--");
		if (!is_end)
			goes_on =
				arg[1] == '-' ? parse_long(&p, arg + 2) : parse_short(&p, arg + 1);
		if (nr_words && goes_on)
			move_option(argv, from - nr_words, from, p.at + 1);
	}
	*ret_first = p.at - nr_words;
	*ret_status = p.status;
	if (goes_on)
		report_unused(&p);
	return goes_on;
}
