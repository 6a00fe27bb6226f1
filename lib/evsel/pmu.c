/* SPDX-License-Identifier: MIT */
/*
 * What a PMU's format/ and events/ say. Which PMUs a name stands for is in pmu-resolve.c.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events. That bits
 * are added to those that are set: measured with `perf stat -vv -e msr/event=3,event=4/`, perf 6.1.
 */
#include "pmu.h"

#include <errno.h>
#include <stdlib.h>

#include <xperf/attr.h>

#include "attr-words.h"
#include "cleanup.h"
#include "names.h"
#include "num.h"
#include "pmus.h"

#define DEVICES XP_PMU_DEVICES

/* Files cannot have longer names. */
enum { NAME_LEN_MAX = 255 };

/*
 * Files beside an alias say how its count is shown.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-events, "<event>.unit".
 */
static bool is_alias_detail(struct xp_span name)
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

static int add_alias(const char *name, void *data)
{
	bool is_alias = !is_alias_detail((struct xp_span){ name, strlen(name) });

	return is_alias ? xp_names_add(data, name) : 0;
}

int xp_pmu_events_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names)
{
	return xp_file_list(ctx, add_alias, names, DEVICES "/%s/events", pmu);
}

int xp_pmu_terms_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names)
{
	xp_pmu_events_list(ctx, pmu, names);
	return xp_file_list(ctx, add_name, names, DEVICES "/%s/format", pmu);
}

int xp_pmu_aliases_list(struct xp_ctx *ctx, struct xp_names *names)
{
	const struct xp_names *pmus = xp_pmus_names(ctx);

	for (int i = 0; i < pmus->nr; i++)
		xp_file_list(ctx, add_alias, names, DEVICES "/%s/events", pmus->at[i]);
	return 0;
}

bool xp_pmu_has_alias(struct xp_ctx *ctx, const char *alias)
{
	const struct xp_names *pmus = xp_pmus_names(ctx);

	for (int i = 0; i < pmus->nr; i++)
		if (xp_file_exists(ctx, DEVICES "/%s/events/%s", pmus->at[i], alias))
			return true;
	return false;
}

static int read_fact(struct xp_ctx *ctx, const char *pmu, struct xp_span alias, const char *fact,
		     char **ret_text)
{
	size_t len;
	int err = xp_file_read(ctx, ret_text, &len, DEVICES "/%s/events/%.*s.%s", pmu,
			       (int)alias.len, alias.at, fact);

	if (!err)
		(*ret_text)[strcspn(*ret_text, "\r\n")] = '\0';
	return err;
}

static double read_scale(struct xp_ctx *ctx, const char *pmu, struct xp_span alias)
{
	xp_auto_free char *text = NULL;
	char *end;

	if (read_fact(ctx, pmu, alias, "scale", &text))
		return 1;
	double scale = strtod(text, &end);
	return end == text || !(scale > 0) || scale > 1e300 ? 1 : scale;
}

static bool read_flag(struct xp_ctx *ctx, const char *pmu, struct xp_span alias, const char *fact)
{
	xp_auto_free char *text = NULL;

	return !read_fact(ctx, pmu, alias, fact, &text) && strcmp(text, "0") != 0;
}

void xp_pmu_alias_facts(struct xp_ctx *ctx, const char *pmu, struct xp_span alias,
			struct xp_alias_facts *ret_facts)
{
	*ret_facts = (struct xp_alias_facts){ .scale = read_scale(ctx, pmu, alias) };
	if (read_fact(ctx, pmu, alias, "unit", &ret_facts->unit))
		ret_facts->unit = NULL;
	ret_facts->per_pkg = read_flag(ctx, pmu, alias, "per-pkg");
	ret_facts->snapshot = read_flag(ctx, pmu, alias, "snapshot");
}

int xp_pmu_alias_read(struct xp_ctx *ctx, const char *pmu, struct xp_span alias, char **ret_terms)
{
	if (!is_file_name(alias) || is_alias_detail(alias))
		return -ENOENT;
	int err = xp_file_read(ctx, ret_terms, NULL, DEVICES "/%s/events/%.*s", pmu, (int)alias.len,
			       alias.at);

	return err && err != -ENOMEM ? -ENOENT : err;
}

int xp_pmu_sinks_list(struct xp_ctx *ctx, const char *pmu, struct xp_names *names)
{
	return xp_file_list(ctx, add_name, names, DEVICES "/%s/sinks", pmu);
}

int xp_pmu_sink_read(struct xp_ctx *ctx, const char *pmu, struct xp_span sink, uint64_t *ret_number)
{
	xp_auto_free char *text = NULL;

	if (!xp_file_exists(ctx, DEVICES "/%s/sinks", pmu))
		return -EOPNOTSUPP;
	if (!is_file_name(sink) ||
	    xp_file_read(ctx, &text, NULL, DEVICES "/%s/sinks/%.*s", pmu, (int)sink.len, sink.at))
		return -ENOENT;
	return xp_num_parse(text, strcspn(text, "\r\n"), 0, ret_number) ? -EBADMSG : 0;
}

static uint64_t *find_word(struct xp_attr *attr, struct xp_span name)
{
	const struct xp_attr_word *word = xp_attr_word_find(name);

	return word ? xp_attr_word_at(attr, word) : NULL;
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

	*s->word |= (s->left & mask) << first;
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
