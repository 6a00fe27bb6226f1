/* SPDX-License-Identifier: MIT */
/* `xperf doctor`: what this machine allows, what that disables, and what would change it. */
#include <xperf/doctor.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "json-numbers.h"
#include "options.h"
#include "terminal.h"

struct values {
	bool json;
};

static const struct option options[] = {
	{ 'j', "json", OPTION_FLAG, offsetof(struct values, json), .help = "write JSON" },
	{ 0 },
};

struct output {
	bool color;
};

/* Indexed by enum xp_check_state. */
static const struct {
	const char *word;
	const char *color;
} states[] = {
	[XP_CHECK_OK] = { "ok", "\033[32m" },
	[XP_CHECK_LIMITS] = { "limits", "\033[33m" },
	[XP_CHECK_OFF] = { "off", "\033[31m" },
};

static int print_text(const struct xp_check *check, void *data)
{
	const struct output *out = data;
	struct wording buf;

	printf("%s%-6s%s  %-26s  %s\n", out->color ? states[check->state].color : "",
	       states[check->state].word, out->color ? "\033[m" : "", check->name, check->value);
	if (*check->effect)
		printf("        %s\n", cli_words(check->effect, &buf));
	if (*check->fix)
		printf("        $ %s\n", cli_words(check->fix, &buf));
	return 0;
}

/* One of the two lists of the summary. */
struct summary {
	bool can;       /* what is listed now */
	bool is_listed; /* something was */
	struct json *json;
};

static int print_ability(const char *what, bool can, void *data)
{
	struct summary *summary = data;
	struct wording buf;

	if (can != summary->can)
		return 0;
	if (summary->json) {
		json_string(summary->json, NULL, cli_words(what, &buf));
		return 0;
	}
	if (!summary->is_listed)
		puts(can ? "\nYou can:" : "\nYou cannot:");
	printf("        %s\n", cli_words(what, &buf));
	summary->is_listed = true;
	return 0;
}

static int print_abilities(struct xp_ctx *ctx, bool can)
{
	struct summary summary = { .can = can };

	return xp_doctor_abilities(ctx, print_ability, &summary);
}

static int examine_as_text(struct xp_ctx *ctx)
{
	struct output out = { .color = terminal_has_color(STDOUT_FILENO) };
	int err = xp_doctor_examine(ctx, print_text, &out) ?: print_abilities(ctx, true);

	return err ? err : print_abilities(ctx, false);
}

static void member(struct json *json, const char *key, const char *value)
{
	struct wording buf;

	json_string(json, key, cli_words(value, &buf));
}

static int print_json(const struct xp_check *check, void *data)
{
	struct json *json = data;

	json_object(json, NULL, &json_compact);
	json_string(json, "name", check->name);
	member(json, "state", states[check->state].word);
	member(json, "value", check->value);
	member(json, "effect", check->effect);
	member(json, "fix", check->fix);
	json_end(json);
	return 0;
}

static int json_abilities(struct xp_ctx *ctx, struct json *json, const char *name, bool can)
{
	struct summary summary = { .can = can, .json = json };

	json_array(json, name, &json_compact);
	int err = xp_doctor_abilities(ctx, print_ability, &summary);
	json_end(json);
	return err;
}

static int examine_as_json(struct xp_ctx *ctx)
{
	static const struct json_layout lines = { "\n", "\n", "\n" };
	struct sink out = SINK_TO_FILE(stdout);
	struct json json;

	json_init(&json, &out, ":");
	json_object(&json, NULL, &json_compact);
	json_string(&json, "schema", "xperf-doctor/1");
	json_array(&json, "checks", &lines);
	int err = xp_doctor_examine(ctx, print_json, &json);
	json_end(&json);
	if (!err)
		err = json_abilities(ctx, &json, "can", true);
	if (!err)
		err = json_abilities(ctx, &json, "cannot", false);
	json_close(&json);
	return err;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { 0 };
	int first, status;

	if (!options_parse(&doctor_command, argc, argv, &values, &first, &status))
		return status;
	if (first < argc)
		return options_misused(&doctor_command, "unexpected argument '%s'", argv[first]);
	struct xp_ctx *ctx = cli_ctx_new(cli, 0);
	if (!ctx)
		return EXIT_FAILED;
	int err = values.json ? examine_as_json(ctx) : examine_as_text(ctx);
	cli_ctx_free(ctx);
	if (!err)
		return 0;
	fprintf(stderr, "Error: %s\n", strerror(-err));
	return EXIT_FAILED;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "Show what limits counting and sampling on this machine, and how to change it",
	.usage = "[<options>]",
	.options = options,
	.run = run,
};
