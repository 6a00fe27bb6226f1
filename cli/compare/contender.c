/* SPDX-License-Identifier: MIT */
/*
 * From the command line to the commands: texts or lists of arguments, in which each "{name}" is
 * replaced by a value of that parameter. As hyperfine: all combinations are run.
 */
#include "contender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "vec.h"
#include "words.h"

enum { PARAMETERS_MAX = 8 };

/* One -L: a name and its values. */
struct sweep {
	const char *name;
	size_t name_len;
	const char *values;
	size_t nr_values;
};

struct expansion {
	const struct compare_config *config;
	struct contenders *contenders;
	struct sweep sweeps[PARAMETERS_MAX];
	size_t nr_sweeps;
	struct xp_diag *diag;
};

static int out_of_memory(struct xp_diag *diag)
{
	return xp_diag_set(diag, -ENOMEM, "Out of memory");
}

static int parse_sweep(struct expansion *e, const char *text)
{
	const char *equals = strchr(text, '=');
	struct sweep sweep = { text, equals ? (size_t)(equals - text) : 0, equals + 1, 1 };

	if (!equals || equals == text)
		return xp_diag_set(e->diag, -EINVAL,
				   "-L needs a name and values, as threads=1,2,4, not '%s'", text);
	if (e->nr_sweeps == PARAMETERS_MAX)
		return xp_diag_set(e->diag, -E2BIG, "There can be %d parameters (-L) at most",
				   PARAMETERS_MAX);
	for (const char *p = sweep.values; *p; p++)
		sweep.nr_values += *p == ',';
	e->sweeps[e->nr_sweeps++] = sweep;
	return 0;
}

/* The @nr-th value of a list with commas. */
static char *value_at(const char *values, size_t nr)
{
	for (; nr; nr--)
		values = strchr(values, ',') + 1;
	return strndup(values, strcspn(values, ","));
}

/* Values of the @combination-th of all; those of the last -L change first. */
static int set_parameters(const struct expansion *e, size_t combination, struct contender *c)
{
	if (!e->nr_sweeps)
		return 0;
	c->parameters = calloc(e->nr_sweeps, sizeof(*c->parameters));
	if (!c->parameters)
		return out_of_memory(e->diag);
	c->nr_parameters = e->nr_sweeps;
	for (size_t i = e->nr_sweeps; i--;) {
		const struct sweep *sweep = &e->sweeps[i];

		c->parameters[i].name = strndup(sweep->name, sweep->name_len);
		c->parameters[i].value = value_at(sweep->values, combination % sweep->nr_values);
		combination /= sweep->nr_values;
		if (!c->parameters[i].name || !c->parameters[i].value)
			return out_of_memory(e->diag);
	}
	return 0;
}

/* The parameter that "{name}" at @text is, or NULL. */
static const struct parameter *parameter_at(const struct contender *c, const char *text)
{
	for (size_t i = 0; *text == '{' && i < c->nr_parameters; i++) {
		size_t len = strlen(c->parameters[i].name);

		if (!strncmp(text + 1, c->parameters[i].name, len) && text[1 + len] == '}')
			return &c->parameters[i];
	}
	return NULL;
}

/* @text with its parameters; NULL without memory. */
static char *substitute(const struct contender *c, const char *text)
{
	size_t len = 0;
	char *result = NULL;
	FILE *out = open_memstream(&result, &len);

	if (!out)
		return NULL;
	while (*text) {
		const struct parameter *p = parameter_at(c, text);

		if (p) {
			fputs(p->value, out);
			text += strlen(p->name) + 2;
		} else {
			fputc(*text++, out);
		}
	}
	if (!fclose(out))
		return result;
	free(result);
	return NULL;
}

/* A command of a hook; NULL stays NULL. */
static int set_hook(const struct expansion *e, const struct contender *c, const char *text,
		    char **ret_hook)
{
	if (!text)
		return 0;
	*ret_hook = substitute(c, text);
	return *ret_hook ? 0 : out_of_memory(e->diag);
}

static int set_hooks(const struct expansion *e, size_t nr, struct contender *c)
{
	const struct compare_config *config = e->config;
	const struct texts *prepares = &config->prepares;
	const char *prepare = !prepares->nr ? NULL : prepares->at[prepares->nr > 1 ? nr : 0];

	return set_hook(e, c, config->setup, &c->setup)
		       ?: set_hook(e, c, prepare, &c->prepare)
		       ?: set_hook(e, c, config->conclude, &c->conclude)
		       ?: set_hook(e, c, config->cleanup, &c->cleanup);
}

/* The words with their parameters, NULL-terminated, and *ret_len bytes for all of them. */
static char **substitute_all(const struct contender *c, char *const *words, size_t nr,
			     size_t *ret_len)
{
	char **texts = calloc(nr + 1, sizeof(*texts));

	*ret_len = 0;
	for (size_t i = 0; texts && i < nr; i++) {
		texts[i] = substitute(c, words[i]);
		if (!texts[i]) {
			for (; i; i--)
				free(texts[i - 1]);
			free(texts);
			return NULL;
		}
		*ret_len += strlen(texts[i]) + 1;
	}
	return texts;
}

/* One block: pointers, then the words. */
static int copy_words(const struct expansion *e, char *const *words, size_t nr, struct contender *c)
{
	size_t len;
	char **texts = substitute_all(c, words, nr, &len);

	c->argv = malloc((nr + 1) * sizeof(*c->argv) + len);
	c->text = calloc(1, len + 1);
	char *to = c->argv ? (char *)(c->argv + nr + 1) : NULL, *text = c->text;
	for (size_t i = 0; texts && to && text && i < nr; i++) {
		c->argv[i] = to;
		to = stpcpy(to, texts[i]) + 1;
		text = stpcpy(stpcpy(text, i ? " " : ""), texts[i]);
	}
	for (size_t i = 0; texts && i < nr; i++)
		free(texts[i]);
	if (texts && to && text)
		c->argv[nr] = NULL;
	free(texts);
	return texts && to && text ? 0 : out_of_memory(e->diag);
}

/* The shell may have options: "bash --norc". */
static int pass_to_shell(const struct expansion *e, struct contender *c)
{
	char **shell = NULL;
	int err = words_split(e->config->shell, &shell, e->diag);
	size_t nr = 0;

	if (err)
		return err;
	while (shell[nr])
		nr++;
	c->argv = malloc((nr + 3) * sizeof(*c->argv) + strlen(e->config->shell) + nr + 4);
	if (c->argv) {
		char *to = (char *)(c->argv + nr + 3);

		for (size_t i = 0; i < nr; i++) {
			c->argv[i] = to;
			to = stpcpy(to, shell[i]) + 1;
		}
		c->argv[nr] = strcpy(to, "-c");
		c->argv[nr + 1] = c->text;
		c->argv[nr + 2] = NULL;
	}
	free(shell);
	return c->argv ? 0 : out_of_memory(e->diag);
}

static int set_text(const struct expansion *e, const char *text, struct contender *c)
{
	c->text = substitute(c, text);
	if (!c->text)
		return out_of_memory(e->diag);
	return e->config->shell ? pass_to_shell(e, c) : words_split(c->text, &c->argv, e->diag);
}

/* A command as it was typed: one text, or with @is_list the words up to "--". */
struct template
{
	char **words;
	size_t nr_words;
	bool is_list;
};

static int add(struct expansion *e, const struct template *template, size_t nr, size_t combination)
{
	struct contenders *all = e->contenders;
	const struct texts *names = &e->config->names;

	if (all->nr == CONTENDERS_MAX)
		return xp_diag_set(e->diag, -E2BIG, "There can be %d commands at most",
				   CONTENDERS_MAX);
	if (vec_add(&all->at, all->nr, sizeof(*all->at)))
		return out_of_memory(e->diag);
	struct contender *c = &all->at[all->nr];
	*c = (struct contender){ 0 };
	all->nr++;
	int err = set_parameters(e, combination, c);
	if (!err)
		err = template->is_list ? copy_words(e, template->words, template->nr_words, c)
					: set_text(e, template->words[0], c);
	if (!err)
		err = set_hooks(e, nr, c);
	if (err)
		return err;
	c->name = nr < names->nr ? substitute(c, names->at[nr]) : strdup(c->text);
	return c->name ? 0 : out_of_memory(e->diag);
}

/* The next command at *@words; false: there is none. */
static bool next_template(char ***words, bool is_list, struct template *ret_template)
{
	char **begin = *words, **end = begin;

	if (!*begin)
		return false;
	for (end++; is_list && *end && strcmp(*end, "--") != 0; end++)
		;
	*ret_template = (struct template){ begin, (size_t)(end - begin), is_list };
	*words = is_list && *end ? end + 1 : end;
	return true;
}

/* Each with @combination. */
static int add_all(struct expansion *e, bool is_list, size_t combination, size_t *ret_nr)
{
	char **words = e->config->words;
	struct template template;
	int err = 0;

	for (*ret_nr = 0; !err && next_template(&words, is_list, &template); ++*ret_nr)
		err = add(e, &template, *ret_nr, combination);
	return err;
}

static bool has_separator(char *const *words)
{
	for (; *words; words++)
		if (!strcmp(*words, "--"))
			return true;
	return false;
}

/* What only the number of commands shows to be wrong. */
static int check(const struct expansion *e, bool is_list, size_t nr)
{
	const struct compare_config *config = e->config;

	if (is_list && config->shell)
		return xp_diag_set(
			e->diag, -EINVAL,
			"--shell needs commands as texts, not lists of arguments with -- between them");
	if (config->prepares.nr > 1 && config->prepares.nr != nr)
		return xp_diag_set(
			e->diag, -EINVAL,
			"--prepare is given %zu times for %zu commands: once for all, or once for each",
			config->prepares.nr, nr);
	if (config->names.nr > nr)
		return xp_diag_set(e->diag, -EINVAL,
				   "There are %zu names (--command-name) for %zu commands",
				   config->names.nr, nr);
	return 0;
}

static size_t nr_templates(char **words, bool is_list)
{
	struct template template;
	size_t nr = 0;

	while (next_template(&words, is_list, &template))
		nr++;
	return nr;
}

int contenders_init(struct contenders *contenders, const struct compare_config *config,
		    struct xp_diag *diag)
{
	struct expansion e = { .config = config, .contenders = contenders, .diag = diag };
	bool is_list = has_separator(config->words);
	size_t nr_combinations = 1, nr;
	int err = check(&e, is_list, nr_templates(config->words, is_list))
			  ?: contenders_import(contenders, config, diag);

	for (size_t i = 0; !err && i < config->sweeps.nr; i++) {
		err = parse_sweep(&e, config->sweeps.at[i]);
		if (!err)
			nr_combinations *= e.sweeps[i].nr_values;
		if (!err && nr_combinations > CONTENDERS_MAX)
			err = xp_diag_set(diag, -E2BIG, "There can be %d commands at most",
					  CONTENDERS_MAX);
	}
	for (size_t i = 0; !err && i < nr_combinations; i++)
		err = add_all(&e, is_list, i, &nr);
	return err;
}

void contenders_fini(struct contenders *contenders)
{
	for (size_t i = 0; i < contenders->nr; i++) {
		struct contender *c = &contenders->at[i];

		for (size_t p = 0; p < c->nr_parameters; p++) {
			free(c->parameters[p].name);
			free(c->parameters[p].value);
		}
		free(c->parameters);
		free(c->name);
		free(c->text);
		free(c->argv);
		free(c->setup);
		free(c->prepare);
		free(c->conclude);
		free(c->cleanup);
		free(c->values);
		free(c->statuses);
	}
	free(contenders->at);
	stored_fini(&contenders->stored);
	*contenders = (struct contenders){ 0 };
}
