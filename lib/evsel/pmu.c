/* SPDX-License-Identifier: MIT */
/*
 * Events of PMUs: PMU/TERMS/ and the names in a PMU's events/ alone. What stands between the
 * slashes is read in terms.c.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events.
 */
#include "pmu.h"

#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "names.h"
#include "num.h"
#include "resolver.h"

#define DEVICES "/sys/bus/event_source/devices"

/* Files cannot have longer names. */
enum { NAME_LEN_MAX = 255 };

/*
 * Files beside an alias say how its count is shown.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-events, "<event>.unit".
 */
static bool tells_about_alias(struct xp_span name)
{
	static const char *const suffixes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };

	for (size_t i = 0; i < XP_ARRAY_LEN(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (name.len > len && !memcmp(name.at + name.len - len, suffixes[i], len))
			return true;
	}
	return false;
}

static bool is_file_name(struct xp_span name)
{
	return name.len && name.len <= NAME_LEN_MAX && *name.at != '.';
}

static int add_name(const char *name, void *data)
{
	return xp_names_add(data, name);
}

static int add_alias_name(const char *name, void *data)
{
	bool is_alias = !tells_about_alias((struct xp_span){ name, strlen(name) });

	return is_alias ? xp_names_add(data, name) : 0;
}

static int list_pmus(struct xp_ctx *ctx, struct xp_names *names)
{
	int err = xp_file_list(ctx, add_name, names, DEVICES);

	xp_names_sort(names);
	return err;
}

int xp_pmu_terms_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names)
{
	xp_file_list(ctx, add_alias_name, names, DEVICES "/%s/events", pmu);
	return xp_file_list(ctx, add_name, names, DEVICES "/%s/format", pmu);
}

int xp_pmu_aliases_list(struct xp_ctx *ctx, struct xp_names *names)
{
	struct xp_names pmus = { 0 };
	int err = list_pmus(ctx, &pmus);

	for (int i = 0; i < pmus.nr; i++)
		xp_file_list(ctx, add_alias_name, names, DEVICES "/%s/events", pmus.at[i]);
	xp_names_fini(&pmus);
	return err;
}

int xp_pmu_alias_read(struct xp_ctx *ctx, const char *pmu, struct xp_span alias, char **ret_terms)
{
	if (!is_file_name(alias) || tells_about_alias(alias))
		return -ENOENT;
	int err = xp_file_read(ctx, ret_terms, NULL, DEVICES "/%s/events/%.*s", pmu, (int)alias.len,
			       alias.at);

	return err && err != -ENOMEM ? -ENOENT : err;
}

/* The words of an attribute that formats name. */
static const struct {
	const char *name;
	size_t offset;
} words[] = {
	{ "config", offsetof(struct xp_attr, config) },
	{ "config1", offsetof(struct xp_attr, config1) },
	{ "config2", offsetof(struct xp_attr, config2) },
	{ "config3", offsetof(struct xp_attr, config3) },
	{ "config4", offsetof(struct xp_attr, config4) },
};

static uint64_t *find_word(struct xp_attr *attr, struct xp_span name)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(words); i++)
		if (xp_span_equals(name, words[i].name))
			return (uint64_t *)((char *)attr + words[i].offset);
	return NULL;
}

/* A value on its way into the bits of a word, lowest bits first. */
struct spreading {
	uint64_t *word;
	uint64_t left;
};

static int spread(uint64_t first, uint64_t last, void *data)
{
	struct spreading *s = data;
	unsigned int width = (unsigned int)(last - first + 1);
	uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;

	*s->word = (*s->word & ~(mask << first)) | (s->left & mask) << first;
	s->left = width < 64 ? s->left >> width : 0;
	return 0;
}

int xp_pmu_format_write(struct xp_ctx *ctx, const char *pmu, struct xp_span format, uint64_t value,
			struct xp_attr *attr)
{
	xp_auto_free char *text = NULL;
	struct xp_attr changed = *attr;

	if (!is_file_name(format) || xp_file_read(ctx, &text, NULL, DEVICES "/%s/format/%.*s", pmu,
						  (int)format.len, format.at))
		return -ENOENT;
	const char *bits = strchr(text, ':');
	if (!bits)
		return -EBADMSG;
	struct spreading s = { find_word(&changed, (struct xp_span){ text, (size_t)(bits - text) }),
			       value };
	if (!s.word || xp_num_ranges(bits + 1, 63, spread, &s, NULL))
		return -EBADMSG;
	if (s.left)
		return -ERANGE;
	*attr = changed;
	return 0;
}

static int unknown_pmu(struct xp_resolver *r, struct xp_span name)
{
	struct xp_names pmus = { 0 };

	xp_source_error(&r->source, -ENOENT, name, "this machine has no PMU '%.*s'",
			XP_SPAN_ARGS(name));
	list_pmus(r->ctx, &pmus);
	xp_source_suggest_from(&r->source, name, &pmus, "It has");
	xp_names_fini(&pmus);
	return -ENOENT;
}

static int read_type(struct xp_ctx *ctx, struct xp_span pmu, uint32_t *ret_type)
{
	int64_t type;

	if (!is_file_name(pmu) ||
	    xp_file_read_int(ctx, &type, DEVICES "/%.*s/type", (int)pmu.len, pmu.at) || type < 0 ||
	    type > UINT32_MAX)
		return -ENOENT;
	*ret_type = (uint32_t)type;
	return 0;
}

/* The list of CPUs in a file of the PMU; NULL: none. */
static struct xp_cpus *read_cpus(struct xp_ctx *ctx, const char *pmu, const char *file)
{
	xp_auto_free char *text = NULL;
	struct xp_cpus *cpus = NULL;

	if (xp_file_read(ctx, &text, NULL, DEVICES "/%s/%s", pmu, file) ||
	    xp_cpus_parse(text, &cpus, NULL))
		return NULL;
	return cpus;
}

/* "cpus": the kind of CPU the PMU is in; "cpumask": one CPU of each part of the machine it is for.
 */
static void find_cpus(struct xp_ctx *ctx, const char *pmu, struct xp_evsel *evsel)
{
	evsel->own_cpus = read_cpus(ctx, pmu, "cpus");
	if (evsel->own_cpus)
		return;
	evsel->own_cpus = read_cpus(ctx, pmu, "cpumask");
	evsel->is_uncore = evsel->own_cpus;
}

static int add_event(struct xp_resolver *r, const struct xp_ast_event *ast, const char *pmu,
		     const struct xp_attr *attr, const char *name)
{
	int err = xp_resolver_add(r, ast, attr, XP_TOOL_NONE, name);

	if (!err)
		find_cpus(r->ctx, pmu, r->made.at[r->made.nr - 1].evsel);
	return err;
}

int xp_pmu_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_attr attr = xp_resolver_attr(0, 0);
	struct xp_span name = { 0 };

	if (!ast->has_terms || ast->nr_parts > 1)
		return 0;
	if (read_type(r->ctx, ast->parts[0], &attr.type))
		return unknown_pmu(r, ast->parts[0]);
	xp_auto_free char *pmu = strndup(ast->parts[0].at, ast->parts[0].len);
	int err = pmu ? xp_terms_apply(r, ast, pmu, &attr, &name) : -ENOMEM;
	if (err)
		return err;
	xp_auto_free char *given = name.at ? strndup(name.at, name.len) : NULL;
	if (name.at && !given)
		return -ENOMEM;
	r->modifiers = ast->modifiers;
	err = add_event(r, ast, pmu, &attr, given);
	return err ? err : 1;
}

static int add_alias(struct xp_resolver *r, const struct xp_ast_event *ast, const char *pmu)
{
	struct xp_attr attr = xp_resolver_attr(0, 0);
	int err = read_type(r->ctx, (struct xp_span){ pmu, strlen(pmu) }, &attr.type);

	if (!err)
		err = xp_terms_apply_alias(r, pmu, ast->parts[0], &attr);
	return err ? err : add_event(r, ast, pmu, &attr, NULL);
}

int xp_pmu_alias_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_names pmus = { 0 };
	int before = r->made.nr;
	int err = 0;

	if (ast->has_terms || !is_file_name(ast->parts[0]))
		return 0;
	list_pmus(r->ctx, &pmus);
	for (int i = 0; !err && i < pmus.nr; i++) {
		err = add_alias(r, ast, pmus.at[i]);
		if (err == -ENOENT)
			err = 0;
	}
	xp_names_fini(&pmus);
	if (!err && r->made.nr > before)
		err = xp_resolver_modifiers_at(r, ast, 1);
	return err ? err : r->made.nr > before;
}
