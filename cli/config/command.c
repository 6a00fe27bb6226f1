/* SPDX-License-Identifier: MIT */
/*
 * `xperf config`: shows and changes what files of settings have. Source of the command line and of
 * what it prints: perf-config(1); perf 6.1, measured.
 */
#include "settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "cli.h"
#include "escape.h"
#include "options.h"

struct values {
	bool list, user, system;
	const char *get, *set;
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 'l', "list", OPTION_FLAG, VALUE(list), .help = "show all settings" },
	{ 0, "get", OPTION_STRING, VALUE(get), .value = "key",
	  .help = "print the value of a setting; without one, the exit status is 1" },
	{ 0, "set", OPTION_STRING, VALUE(set), .value = "key=value",
	  .help = "set it, as key=value alone does" },
	{ 0, "user", OPTION_FLAG, VALUE(user), .help = "use ~/.perfconfig only" },
	{ 0, "system", OPTION_FLAG, VALUE(system), .help = "use /etc/perfconfig only" },
	{ 0 },
};

static enum settings_place place_of(const struct values *values)
{
	return values->system ? SETTINGS_SYSTEM : values->user ? SETTINGS_USER : SETTINGS_ANY;
}

static int fail(const struct xp_diag *diag)
{
	cli_print_diag(diag, NULL);
	return EXIT_FAILED;
}

static void print_setting(const struct setting *setting)
{
	escape_print(stdout, setting->key);
	putchar('=');
	escape_print(stdout, setting->value);
	putchar('\n');
}

/* Each key once, where it is first, with the value that counts. */
static void print_all(const struct settings *settings)
{
	for (size_t i = 0; i < settings->nr_settings; i++) {
		const char *key = settings->settings[i].key;
		bool is_first = true;

		for (size_t j = 0; j < i && is_first; j++)
			is_first = strcmp(settings->settings[j].key, key) != 0;
		if (is_first)
			print_setting(settings_find(settings, key));
	}
}

/* --get KEY. Returns the exit status. */
static int get(const struct settings *settings, const char *key)
{
	const struct setting *setting = settings_find(settings, key);

	if (!setting)
		return 1;
	puts(setting->value);
	return 0;
}

static int set(const struct values *values, const char *text)
{
	const char *equals = strchr(text, '=');
	struct xp_diag diag = { 0 };
	char *key = equals ? strndup(text, (size_t)(equals - text)) : NULL;

	if (!equals)
		return options_misused(&config_command, "--set: '%s' is not key=value", text);
	int err = key ? settings_store(place_of(values), key, equals + 1, &diag)
		      : xp_diag_set(&diag, -1, "Out of memory");
	free(key);
	return err ? fail(&diag) : 0;
}

/* "key" prints it, "key=value" sets it. */
static int use_word(const struct values *values, const char *word)
{
	struct settings settings = { 0 };
	struct xp_diag diag = { 0 };

	if (strchr(word, '='))
		return set(values, word);
	if (!settings_section_len(word))
		return options_misused(&config_command, "'%s' is no setting: it is section.name",
				       word);
	int err = settings_load(&settings, place_of(values), &diag);
	const struct setting *setting = err ? NULL : settings_find(&settings, word);
	if (setting)
		print_setting(setting);
	settings_fini(&settings);
	return err ? fail(&diag) : 0;
}

static int show(const struct values *values)
{
	struct settings settings = { 0 };
	struct xp_diag diag = { 0 };
	int err = settings_load(&settings, place_of(values), &diag), status = 0;

	if (!err && values->get)
		status = get(&settings, values->get);
	else if (!err)
		print_all(&settings);
	settings_fini(&settings);
	return err ? fail(&diag) : status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status = 0;

	(void)cli;
	if (!options_parse(&config_command, argc, argv, &values, &first, &status))
		return status;
	if (values.user && values.system)
		return options_misused(&config_command, "--user and --system exclude each other");
	if (values.list + !!values.get + !!values.set + (first < argc) > 1)
		return options_misused(&config_command, "only one of -l, --get, --set and keys is "
							"possible");
	if (values.set)
		return set(&values, values.set);
	if (values.get && !settings_section_len(values.get))
		return options_misused(&config_command,
				       "--get: '%s' is no setting: it is section.name", values.get);
	if (first == argc)
		return show(&values);
	for (; first < argc && !status; first++)
		status = use_word(&values, argv[first]);
	return status;
}

const struct command config_command = {
	.name = "config",
	.summary = "Show and change settings: defaults of options",
	.usage = "[<options>] [<section.name[=value]>...]",
	.options = options,
	.run = run,
};
