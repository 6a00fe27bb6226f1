/* SPDX-License-Identifier: MIT */
/*
 * What stands between the slashes: PMU/event=0x3c,umask=1,name=mine/. An alias stands for the
 * terms in its file. The numbered words are set, then the bits of formats are added to them,
 * whatever the order. Terms that every event has are common-terms.c's.
 *
 * Source: perf-list(1), "PARAMETERIZED EVENTS" and "EVENT MODIFIERS"; the order: measured with
 * `perf stat -vv -e msr/event=1,config=2/` (3, either way round), perf 6.1.
 */
#include "resolver.h"

#include <errno.h>
#include <stdlib.h>

#include "attr-words.h"
#include "cache-names.h"
#include "cleanup.h"
#include "common-terms.h"
#include "event-names.h"
#include "grammar.h"
#include "names.h"
#include "num.h"
#include "pmus.h"
#include "uapi.h"

/* What a list of terms applies to. */
struct target {
	struct xp_resolver *r;
	const struct xp_source *source;
	const struct xp_ast_event *event;
	struct xp_draft *draft;
	struct xp_attr bits;  /* what formats have set */
	struct xp_span alias; /* whose terms these are; absent: the user's */
};

/* A term without a value is switched on. Returns 0, or why the value is no number. */
static int number_of(const struct xp_ast_term *term, uint64_t *ret_value)
{
	*ret_value = 1;
	return term->value.at ? xp_num_parse(term->value.at, term->value.len, 0, ret_value) : 0;
}

static int no_number(const struct target *t, const struct xp_ast_term *term, int err)
{
	return xp_source_error(t->source, -EINVAL, term->value,
			       err == -ERANGE ? "the value of '%.*s' has more than 64 bits"
					      : "the value of '%.*s' is not a number",
			       XP_SPAN_ARGS(term->name));
}

static int apply_word(struct target *t, const struct xp_attr_word *word,
		      const struct xp_ast_term *term)
{
	uint64_t value;
	int err = number_of(term, &value);

	if (err)
		return no_number(t, term, err);
	*xp_attr_word_at(&t->draft->attr, word) = value;
	return 0;
}

static int apply_name(struct target *t, const struct xp_ast_term *term)
{
	if (!term->value.len)
		return xp_source_error(t->source, -EINVAL, term->name,
				       "a name is missing, as in name=mine");
	t->draft->name = term->value;
	return 0;
}

static int unknown_term(const struct target *t, struct xp_span name)
{
	/* What an alias's file says is not the user's to spell. */
	int err = t->alias.at ? -EINVAL : -ENOENT;
	struct xp_names names = { 0 };

	if (!t->source->diag)
		return err;
	if (t->draft->pmu) {
		xp_source_error(t->source, err, name, "the PMU '%s' has no term '%.*s'",
				t->draft->pmu->name, XP_SPAN_ARGS(name));
		xp_pmu_terms_list(t->r->ctx, t->draft->pmu->name, &names);
	} else {
		xp_source_error(t->source, err, name, "there is no term '%.*s'",
				XP_SPAN_ARGS(name));
	}
	for (const struct xp_attr_word *word = xp_attr_words; word->name; word++)
		xp_names_add(&names, word->name);
	xp_names_add(&names, "name");
	xp_event_terms_list(&names);
	xp_source_suggest_from(t->source, name, &names, "It has");
	xp_names_fini(&names);
	return err;
}

/* An alias leaves a value to the user by "TERM=?". Returns the user's term of that name. */
static const struct xp_ast_term *find_parameter(const struct target *t, struct xp_span name)
{
	for (int i = 0; i < t->event->nr_terms; i++) {
		const struct xp_ast_term *term = &t->r->ast->terms[t->event->first_term + i];

		if (term->name.len == name.len && !memcmp(term->name.at, name.at, name.len) &&
		    term->value.at)
			return term;
	}
	return NULL;
}

/* Returns -ENOENT without a complaint if the PMU has no such format. */
static int apply_format(struct target *t, const struct xp_ast_term *term)
{
	const char *pmu = t->draft->pmu->name;
	uint64_t value = 0;

	if (t->alias.at && term->value.at && xp_span_equals(term->value, "?")) {
		if (find_parameter(t, term->name))
			return 0; /* it applies with the user's terms */
		return xp_source_error(&t->r->source, -EINVAL, t->alias,
				       "'%.*s' needs a value for '%.*s', as in %s/%.*s,%.*s=1/",
				       XP_SPAN_ARGS(t->alias), XP_SPAN_ARGS(term->name), pmu,
				       XP_SPAN_ARGS(t->alias), XP_SPAN_ARGS(term->name));
	}
	int bad = number_of(term, &value);
	int err = xp_pmu_format_write(t->r->ctx, pmu, term->name, value, &t->bits);
	if (!err || err == -ENOENT)
		return bad && !err ? no_number(t, term, bad) : err;
	if (err == -ERANGE)
		return xp_source_error(t->source, -EINVAL,
				       term->value.at ? term->value : term->name,
				       "the value is too large for '%.*s' of the PMU '%s'",
				       XP_SPAN_ARGS(term->name), pmu);
	return xp_source_error(t->source, -EINVAL, term->name,
			       "the format of '%.*s' of the PMU '%s' cannot be parsed",
			       XP_SPAN_ARGS(term->name), pmu);
}

/*
 * "@tmc_etr0": what the driver of a PMU gets, which is CoreSight's sink. perf 6.1 lets other
 * drivers' pass unheard.
 */
static int apply_driver_config(struct target *t, const struct xp_ast_term *term)
{
	const struct xp_span format = { "sinkid", strlen("sinkid") };
	const struct xp_pmu *pmu = t->draft->pmu;
	struct xp_span sink = { term->name.at + 1, term->name.len - 1 };
	struct xp_names names = { 0 };
	uint64_t number = 0;
	int err = pmu ? xp_pmu_sink_read(t->r->ctx, pmu->name, sink, &number) : -EOPNOTSUPP;

	if (!err && !term->value.at)
		err = xp_pmu_format_write(t->r->ctx, pmu->name, format, number, &t->bits);
	if (!err && !term->value.at)
		return 0;
	if (err == -EOPNOTSUPP) {
		xp_source_error(
			t->source, -EINVAL, term->name,
			"'%.*s' is not possible here: only trace units have sinks to choose from",
			XP_SPAN_ARGS(term->name));
		return -EINVAL;
	}
	xp_source_error(t->source, err == -ENOENT ? err : -EINVAL, term->name,
			err == -ENOENT ? "the PMU '%s' has no sink '%.*s'"
				       : "the PMU '%s' does not accept its sink as '%.*s'",
			pmu->name, XP_SPAN_ARGS(sink));
	xp_pmu_sinks_list(t->r->ctx, pmu->name, &names);
	xp_source_suggest_from(t->source, sink, &names, "It has");
	xp_names_fini(&names);
	return err == -ENOENT ? err : -EINVAL;
}

/* "r1a8": the config as such. */
static bool is_raw(const struct xp_ast_term *term, uint64_t *ret_config)
{
	return !term->value.at && *term->name.at == 'r' &&
	       !xp_num_parse(term->name.at + 1, term->name.len - 1, 16, ret_config);
}

static bool is_pmu_of_cpus(const struct xp_pmu *pmu)
{
	return pmu->is_core || pmu->type == XP_TYPE_RAW;
}

/* "cpu_core/cycles/", "software/cs/": a generic event of this PMU. Returns 1, 0 or -errno. */
static int apply_generic(struct target *t, struct xp_span name)
{
	const struct xp_event_name *row = xp_event_name_find(name);
	const struct xp_pmu *pmu = t->draft->pmu;
	struct xp_attr *attr = &t->draft->attr;
	uint64_t config;

	if (pmu->type == XP_TYPE_SOFTWARE && row && row->type == XP_TYPE_SOFTWARE && !row->tool) {
		attr->config = row->config;
		return 1;
	}
	if (!is_pmu_of_cpus(pmu) || (row && row->type != XP_TYPE_HARDWARE))
		return 0;
	int found = row ? 1 : xp_cache_name_parse(t->source, name, &config);
	if (found <= 0)
		return found;
	attr->type = row ? XP_TYPE_HARDWARE : XP_TYPE_HW_CACHE;
	attr->config = row ? row->config : config;
	return 1;
}

/* On a hybrid machine a generic event says whose it is, whatever its terms said of config. */
static void add_pmu_type(struct xp_resolver *r, struct xp_draft *draft)
{
	bool is_generic =
		draft->attr.type == XP_TYPE_HARDWARE || draft->attr.type == XP_TYPE_HW_CACHE;
	const struct xp_pmu *const *core;

	if (draft->pmu && is_generic && xp_pmus_core(r->ctx, &core))
		draft->attr.config |= (uint64_t)draft->pmu->type << 32;
}

static int apply_alias(struct target *t, struct xp_span alias);

/* Returns -ENOENT without a complaint if the PMU has no such term. */
static int apply_of_pmu(struct target *t, const struct xp_ast_term *term)
{
	int err = -ENOENT;

	if (!t->alias.at && !term->value.at)
		err = apply_alias(t, term->name);
	if (err == -ENOENT)
		err = apply_format(t, term);
	if (err == -ENOENT && !t->alias.at && !term->value.at) {
		int found = apply_generic(t, term->name);

		err = found > 0 ? 0 : found ? found : -ENOENT;
	}
	return err;
}

static int apply_term(struct target *t, const struct xp_ast_term *term)
{
	const struct xp_attr_word *word = xp_attr_word_find(term->name);
	uint64_t raw;

	if (word)
		return apply_word(t, word, term);
	if (xp_span_equals(term->name, "name"))
		return apply_name(t, term);
	if (*term->name.at == '@')
		return apply_driver_config(t, term);
	if (xp_event_term_exists(term->name))
		return 0; /* resolve.c parses it, of whatever kind the event is */
	int err = t->draft->pmu ? apply_of_pmu(t, term) : -ENOENT;
	if (err != -ENOENT)
		return err;
	if (is_raw(term, &raw)) {
		t->draft->attr.config = raw;
		return 0;
	}
	return unknown_term(t, term->name);
}

static int apply_all(struct target *t, const struct xp_ast *ast, int first, int nr)
{
	int err = 0;

	for (int i = 0; !err && i < nr; i++)
		err = apply_term(t, &ast->terms[first + i]);
	return err;
}

/* Returns -ENOENT without a complaint if the PMU has no such alias. */
static int apply_alias(struct target *t, struct xp_span alias)
{
	struct xp_source source = t->r->source;
	struct xp_ast ast = { 0 };
	struct target inner = { .r = t->r,
				.source = &source,
				.event = t->event,
				.draft = t->draft,
				.bits = t->bits,
				.alias = alias };
	xp_auto_free char *text = NULL;
	int err = xp_pmu_alias_read(t->r->ctx, t->draft->pmu->name, alias, &text);

	if (err)
		return err;
	source.blame = alias;
	err = xp_grammar_parse_terms(&source, text, &ast)
		      ?: apply_all(&inner, &ast, 0, ast.nr_terms);
	xp_ast_fini(&ast);
	if (err)
		return err;
	t->bits = inner.bits;
	xp_draft_fini(t->draft);
	xp_pmu_alias_facts(t->r->ctx, t->draft->pmu->name, alias, &t->draft->facts);
	return 0;
}

void xp_draft_fini(struct xp_draft *draft)
{
	free(draft->facts.unit);
	draft->facts.unit = NULL;
}

int xp_terms_draft(struct xp_resolver *r, const struct xp_ast_event *ast, struct xp_span alias,
		   struct xp_draft *draft)
{
	struct target t = { .r = r, .source = &r->source, .event = ast, .draft = draft };
	int err = alias.at ? apply_alias(&t, alias) : 0;

	if (err)
		return err == -ENOENT ? -ENODATA : err;
	err = apply_all(&t, r->ast, ast->first_term, ast->nr_terms);
	for (const struct xp_attr_word *word = xp_attr_words; !err && word->name; word++)
		*xp_attr_word_at(&draft->attr, word) |= *xp_attr_word_at(&t.bits, word);
	if (!err)
		add_pmu_type(r, draft);
	return err;
}

int xp_terms_apply(struct xp_resolver *r, const struct xp_ast_event *ast, struct xp_attr *attr,
		   struct xp_span *ret_name)
{
	struct xp_draft draft = { .attr = *attr };
	int err = xp_terms_draft(r, ast, (struct xp_span){ 0 }, &draft);

	if (err)
		return err;
	*attr = draft.attr;
	*ret_name = draft.name;
	return 0;
}
