/* SPDX-License-Identifier: MIT */
/*
 * Which settings are defaults of which options: one table. Source of keys, their meaning and their
 * values: perf-config(1).
 */
#include "defaults.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <xperf/diag.h>

#include "cli.h"
#include "escape.h"
#include "option-parse.h"
#include "settings.h"

/* What a value becomes. */
enum use {
	USE_VALUE,    /* --OPTION=VALUE */
	USE_SWITCH,   /* --OPTION or --no-OPTION: true or false */
	USE_OPPOSITE, /* the other way round */
	USE_CHOICE,   /* --OPTION for the value that is the row's @choice */
};

/* @choice of USE_VALUE: the values there are, "a|b"; NULL: any, the option knows. A row whose
 * option is hidden is for the default of another option: "-g" does not need a mode. */
static const struct row {
	const char *key, *command, *option;
	enum use use;
	const char *choice;
} rows[] = {
	{ "report.sort_order", "report", "default-sort", USE_VALUE, NULL },
	{ "report.percent-limit", "report", "percent-limit", USE_VALUE, NULL },
	{ "report.children", "report", "children", USE_SWITCH, NULL },
	{ "report.group", "report", "group", USE_SWITCH, NULL },
	{ "report.skip-empty", "report", "skip-empty", USE_SWITCH, NULL },
	{ "hist.percentage", "report", "percentage", USE_VALUE, "relative|absolute" },
	{ "hist.percentage", "diff", "percentage", USE_VALUE, "relative|absolute" },
	{ "hist.percentage", "top", "percentage", USE_VALUE, "relative|absolute" },
	{ "top.children", "top", "children", USE_SWITCH, NULL },
	{ "top.call-graph", "top", "default-call-graph", USE_VALUE, NULL },
	{ "call-graph.print-type", "report", "default-call-graph", USE_VALUE,
	  "graph|fractal|flat|folded" },
	{ "call-graph.order", "report", "default-call-graph", USE_VALUE, "caller|callee" },
	{ "call-graph.sort-key", "report", "default-call-graph", USE_VALUE, "function|address" },
	{ "call-graph.threshold", "report", "default-threshold", USE_VALUE, NULL },
	{ "call-graph.print-limit", "report", "default-print-limit", USE_VALUE, NULL },
	{ "call-graph.record-mode", "record", "default-call-graph", USE_VALUE, NULL },
	{ "record.call-graph", "record", "default-call-graph", USE_VALUE, NULL },
	{ "call-graph.dump-size", "record", "default-dump-size", USE_VALUE, NULL },
	{ "core.proc-map-timeout", "record", "proc-map-timeout", USE_VALUE, NULL },
	{ "record.build-id", "record", "buildid-cache", USE_CHOICE, "cache" },
	{ "record.build-id", "record", "no-buildid-cache", USE_CHOICE, "no-cache" },
	{ "record.build-id", "record", "no-buildid", USE_CHOICE, "skip" },
	{ "record.build-id", "record", "buildid-mmap", USE_CHOICE, "mmap" },
	{ "record.build-id", "record", "no-buildid-mmap", USE_CHOICE, "no-mmap" },
	{ "diff.order", "diff", "order", USE_VALUE, NULL },
	{ "diff.compute", "diff", "compute", USE_VALUE, NULL },
	{ "annotate.disassembler_style", "annotate", "disassembler-style", USE_VALUE, NULL },
	{ "annotate.hide_src_code", "annotate", "source", USE_OPPOSITE, NULL },
	{ "annotate.show_nr_samples", "annotate", "show-nr-samples", USE_SWITCH, NULL },
	{ "annotate.show_total_period", "annotate", "show-total-period", USE_SWITCH, NULL },
	{ "annotate.demangle", "annotate", "demangle", USE_SWITCH, NULL },
	{ "annotate.demangle_kernel", "annotate", "demangle-kernel", USE_SWITCH, NULL },
	{ "color.ui", "report", "stdio-color", USE_VALUE, "always|never|auto" },
	{ "color.ui", "annotate", "stdio-color", USE_VALUE, "always|never|auto" },
	{ "tui.report", "report", "default-stdio", USE_OPPOSITE, NULL },
	{ "tui.annotate", "annotate", "default-stdio", USE_OPPOSITE, NULL },
	{ "tui.top", "top", "default-stdio", USE_OPPOSITE, NULL },
	{ "ui.show-headers", "report", "hide-headings", USE_OPPOSITE, NULL },
	{ "ui.show-headers", "top", "hide-headings", USE_OPPOSITE, NULL },
	{ "stat.big-num", "stat", "big-num", USE_SWITCH, NULL },
	{ "stat.no-csv-summary", "stat", "no-csv-summary", USE_SWITCH, NULL },
	/* Those that defaults_value() is asked for. */
	{ "colors.top", NULL, NULL, USE_VALUE, NULL },
	{ "colors.medium", NULL, NULL, USE_VALUE, NULL },
	{ "colors.normal", NULL, NULL, USE_VALUE, NULL },
	{ "colors.selected", NULL, NULL, USE_VALUE, NULL },
	{ "colors.root", NULL, NULL, USE_VALUE, NULL },
	{ "colors.jump_arrows", NULL, NULL, USE_VALUE, NULL },
	{ "colors.addr", NULL, NULL, USE_VALUE, NULL },
	{ "buildid.dir", NULL, NULL, USE_VALUE, NULL },
	{ "buildid-cache.debuginfod", NULL, NULL, USE_VALUE, NULL },
};

enum { NR_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The files are those of the process, as its environment is. */
static struct settings settings;
static struct xp_diag failure;
static enum { NOT_LOADED, LOADED, NOT_READABLE } state;

bool defaults_load(void)
{
	if (state == NOT_LOADED)
		state = settings_load(&settings, SETTINGS_ANY, &failure) ? NOT_READABLE : LOADED;
	if (state == NOT_READABLE)
		cli_print_diag(&failure, NULL);
	return state == LOADED;
}

const char *defaults_value(const char *key)
{
	const struct setting *setting = settings_find(&settings, key);

	return setting ? setting->value : NULL;
}

void defaults_print_place(const struct setting *setting)
{
	escape_print(stderr, setting->path);
	fprintf(stderr, ", line %d: %s", setting->line, setting->key);
}

/* @wanted: in words, "|" between those that are possible */
static int fail(const struct setting *setting, const char *wanted)
{
	fputs("Error: ", stderr);
	defaults_print_place(setting);
	fputs(": '", stderr);
	escape_print(stderr, setting->value);
	fprintf(stderr, "' is not %s", strchr(wanted, '|') ? "one of " : "");
	for (; *wanted; wanted++)
		fputs(*wanted == '|' ? ", " : (char[]){ *wanted, '\0' }, stderr);
	fputc('\n', stderr);
	return -1;
}

/* Returns 1 or 0; -1: it is neither true nor false. */
static int truth_of(const char *value)
{
	static const char *const words[][4] = { { "false", "no", "off", "0" },
						{ "true", "yes", "on", "1" } };

	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 4; i++)
			if (!strcasecmp(value, words[truth][i]))
				return truth;
	return -1;
}

/* The choices of all rows of a key, with "|" between them. */
static const char *choices_of(const char *key, char *buf, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; i < NR_ROWS && len < room; i++)
		if (!strcmp(rows[i].key, key))
			len += (size_t)snprintf(buf + len, room - len, "%s%s", len ? "|" : "",
						rows[i].choice);
	return buf;
}

/* Returns 1 with the option's text, 0: none, or -1 after one sentence. */
static int option_text(const struct row *row, const struct setting *setting, char *text,
		       size_t room)
{
	const char *value = setting->value, *choices;
	int truth = truth_of(value), len;
	char buf[128];

	if (row->use == USE_CHOICE) {
		choices = choices_of(row->key, buf, sizeof(buf));
		if (!option_is_one_of(value, choices))
			return fail(setting, choices);
		snprintf(text, room, "%s", row->option);
		return !strcmp(value, row->choice);
	}
	if (row->use != USE_VALUE) {
		if (truth < 0)
			return fail(setting, "true or false");
		snprintf(text, room, "%s%s", truth == (row->use == USE_SWITCH) ? "" : "no-",
			 row->option);
		return 1;
	}
	if (row->choice && !option_is_one_of(value, row->choice))
		return fail(setting, row->choice);
	len = snprintf(text, room, "%s=%s", row->option, value);
	return len < (int)room ? 1 : fail(setting, "a value: it is too long");
}

int defaults_next(const struct command *command, size_t *at, struct default_option *ret_option)
{
	while (*at < NR_ROWS) {
		const struct row *row = &rows[(*at)++];

		if (!row->command || strcmp(row->command, command->name) != 0)
			continue;
		const struct setting *setting = settings_find(&settings, row->key);
		int found = setting ? option_text(row, setting, ret_option->text,
						  sizeof(ret_option->text))
				    : 0;

		ret_option->setting = setting;
		if (found)
			return found;
	}
	return 0;
}

static bool is_used(const char *key)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (!strcmp(rows[i].key, key))
			return true;
	return false;
}

void defaults_report_unused(void)
{
	for (size_t i = 0; i < settings.nr_settings; i++) {
		if (is_used(settings.settings[i].key))
			continue;
		fputs("Note: ", stderr);
		defaults_print_place(&settings.settings[i]);
		fputs(" is not used here\n", stderr);
	}
}
