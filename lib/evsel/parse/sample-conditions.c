/* SPDX-License-Identifier: MIT */
/*
 * Conditions on the samples of an event: FIELD OPERATOR VALUE, joined by "||", which are
 * alternatives, and by ",", each of which has to hold; "||" binds tighter.
 *
 * Source: perf-record(1) of perf 6.4 to 7.2, "--filter", for events that are no tracepoints; the
 * words for places in the memory system are bits of union perf_mem_data_src, linux/perf_event.h.
 */
#include "sample-conditions.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/bpf-samples.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cgroup.h"
#include "cleanup.h"
#include "names.h"
#include "num.h"
#include "source.h"
#include "suggest.h"

/* A word in the place of a number. */
struct word {
	const char *name;
	uint64_t value;
};

static const struct word ops[] = { { "na", 0x01 },     { "load", 0x02 }, { "store", 0x04 },
				   { "pfetch", 0x08 }, { "exec", 0x10 }, { 0 } };
static const struct word levels[] = { { "l1", 0x1 },        { "l2", 0x2 },  { "l3", 0x3 },
				      { "l4", 0x4 },        { "cxl", 0x9 }, { "io", 0xa },
				      { "any_cache", 0xb }, { "lfb", 0xc }, { "ram", 0xd },
				      { "pmem", 0xe },      { "na", 0xf },  { 0 } };
static const struct word snoops[] = { { "na", 0x01 },   { "none", 0x02 },
				      { "hit", 0x04 },  { "miss", 0x08 },
				      { "hitm", 0x10 }, { "fwd", 0x20 },
				      { "peer", 0x40 }, { 0 } };
static const struct word remotes[] = { { "remote", 1 }, { 0 } };
static const struct word locks[] = { { "na", 1 }, { "locked", 2 }, { 0 } };
static const struct word tlbs[] = { { "na", 0x01 },       { "l1_hit", 0x0a },
				    { "l1_miss", 0x0c },  { "l2_hit", 0x12 },
				    { "l2_miss", 0x14 },  { "any_hit", 0x02 },
				    { "any_miss", 0x04 }, { "walk", 0x20 },
				    { "fault", 0x40 },    { 0 } };
static const struct word blocks[] = { { "na", 1 }, { "by_data", 2 }, { "by_addr", 4 }, { 0 } };
static const struct word hops[] = {
	{ "hops0", 1 }, { "hops1", 2 }, { "hops2", 3 }, { "hops3", 4 }, { 0 }
};

/*
 * @bits from bit @shift on, and @more_bits from @more_shift on, are the value; 0: all of it.
 * Other names of a field come behind the one that suggestions show.
 */
static const struct field {
	const char *name;
	enum sample_field field;
	uint64_t type; /* what a sample has to have */
	uint8_t shift, bits, more_shift, more_bits;
	const struct word *words;
} fields[] = {
	{ "ip", SAMPLE_FIELD_IP, XP_SAMPLE_IP, .bits = 0 },
	{ "id", SAMPLE_FIELD_ID, XP_SAMPLE_ID, .bits = 0 },
	{ "tid", SAMPLE_FIELD_TID, XP_SAMPLE_TID, .bits = 0 },
	{ "pid", SAMPLE_FIELD_PID, XP_SAMPLE_TID, .bits = 0 },
	{ "cpu", SAMPLE_FIELD_CPU, XP_SAMPLE_CPU, .bits = 0 },
	{ "time", SAMPLE_FIELD_TIME, XP_SAMPLE_TIME, .bits = 0 },
	{ "addr", SAMPLE_FIELD_ADDR, XP_SAMPLE_ADDR, .bits = 0 },
	{ "period", SAMPLE_FIELD_PERIOD, XP_SAMPLE_PERIOD, .bits = 0 },
	{ "txn", SAMPLE_FIELD_TRANSACTION, XP_SAMPLE_TRANSACTION, .bits = 0 },
	{ "weight", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, .bits = 32 },
	{ "weight1", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, .bits = 32 },
	{ "ins_lat", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, 32, 16 },
	{ "weight2", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, 32, 16 },
	{ "p_stage_cyc", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, 48, 16 },
	{ "retire_lat", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, 48, 16 },
	{ "weight3", SAMPLE_FIELD_WEIGHT, XP_SAMPLE_WEIGHT_STRUCT, 48, 16 },
	{ "phys_addr", SAMPLE_FIELD_PHYS_ADDR, XP_SAMPLE_PHYS_ADDR, .bits = 0 },
	{ "code_pgsz", SAMPLE_FIELD_CODE_PAGE, XP_SAMPLE_CODE_PAGE_SIZE, .bits = 0 },
	{ "code_page_size", SAMPLE_FIELD_CODE_PAGE, XP_SAMPLE_CODE_PAGE_SIZE, .bits = 0 },
	{ "data_pgsz", SAMPLE_FIELD_DATA_PAGE, XP_SAMPLE_DATA_PAGE_SIZE, .bits = 0 },
	{ "data_page_size", SAMPLE_FIELD_DATA_PAGE, XP_SAMPLE_DATA_PAGE_SIZE, .bits = 0 },
	{ "mem_op", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 0, 5, .words = ops },
	{ "mem_lvlnum", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 33, 4, .words = levels },
	{ "mem_lvl", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 33, 4, .words = levels },
	{ "mem_snoop", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 19, 5, 38, 2, snoops },
	{ "mem_remote", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 37, 1, .words = remotes },
	{ "mem_lock", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 24, 2, .words = locks },
	{ "mem_dtlb", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 26, 7, .words = tlbs },
	{ "mem_blk", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 40, 3, .words = blocks },
	{ "mem_hops", SAMPLE_FIELD_DATA_SOURCE, XP_SAMPLE_DATA_SRC, 43, 3, .words = hops },
	{ "cgroup", SAMPLE_FIELD_CGROUP, XP_SAMPLE_CGROUP, .bits = 0 },
	{ "uid", SAMPLE_FIELD_UID, 0, .bits = 0 },
	{ "gid", SAMPLE_FIELD_GID, 0, .bits = 0 },
};

/* Longer ones before those they begin with. */
static const struct {
	const char *text;
	enum sample_operator op;
} operators[] = {
	{ "==", SAMPLE_IS },         { "!=", SAMPLE_IS_NOT }, { "<=", SAMPLE_LESS_OR_IS },
	{ ">=", SAMPLE_MORE_OR_IS }, { "<", SAMPLE_LESS },    { ">", SAMPLE_MORE },
	{ "&", SAMPLE_HAS_BITS },
};

/* One filter being read. */
struct reader {
	struct xp_ctx *ctx;
	struct xp_source source;
	const char *at;
	uint64_t type;
};

const char *xp_sample_field_name(uint32_t field)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(fields); i++)
		if (fields[i].field == field)
			return fields[i].name;
	return "?";
}

static struct xp_span here(const struct reader *r, size_t len)
{
	return (struct xp_span){ r->at, len };
}

static int complain(const struct reader *r, size_t len, const char *what)
{
	return xp_source_error(&r->source, -EINVAL, here(r, len), "%s", what);
}

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static size_t word_len(const char *at)
{
	size_t len = 0;

	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len;
}

/* --- fields --- */

static int unknown_field(const struct reader *r, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };

	xp_source_error(&r->source, -EINVAL, name, "samples have no field '%.*s'",
			XP_SPAN_ARGS(name));
	for (size_t i = 0; i < XP_ARRAY_LEN(fields); i++)
		xp_suggest_offer(&suggest, fields[i].name);
	xp_source_suggest(&r->source, &suggest,
			  "Fields are ip, addr, period, time, cpu, pid, tid, uid, gid, cgroup, "
			  "weight, phys_addr, data_pgsz, mem_op and others of the manual");
	return -EINVAL;
}

static int read_field(struct reader *r, const struct field **ret_field)
{
	skip_blanks(r);
	struct xp_span name = here(r, word_len(r->at));

	if (*r->at == '(' || *r->at == '!') {
		complain(r, 1, "conditions have no parentheses and no '!'");
		xp_diag_hint(r->source.diag, "'||' binds tighter than ','");
		return -EINVAL;
	}
	if (!name.len)
		return complain(r, 1, "the name of a field is missing here");
	for (size_t i = 0; i < XP_ARRAY_LEN(fields); i++)
		if (xp_span_equals(name, fields[i].name)) {
			*ret_field = &fields[i];
			r->at += name.len;
			return 0;
		}
	return unknown_field(r, name);
}

/* --- operators --- */

static int read_operator(struct reader *r, const struct field *field, struct sample_term *term)
{
	skip_blanks(r);
	for (size_t i = 0; i < XP_ARRAY_LEN(operators); i++) {
		size_t len = strlen(operators[i].text);

		if (strncmp(r->at, operators[i].text, len) || !strncmp(r->at, "&&", 2))
			continue;
		term->op = operators[i].op;
		r->at += len;
		return 0;
	}
	xp_source_error(&r->source, -EINVAL, here(r, 1), "'%s' is not compared with anything here",
			field->name);
	xp_diag_hint(r->source.diag, "%s",
		     *r->at == '=' ? "Did you mean '=='?" : "The operators are == != < <= > >= &");
	return -EINVAL;
}

/* --- values --- */

static int unknown_word(const struct reader *r, const struct field *field, struct xp_span word)
{
	struct xp_names names = { 0 };

	xp_source_error(&r->source, -EINVAL, word, "'%.*s' is no value of %s", XP_SPAN_ARGS(word),
			field->name);
	for (const struct word *w = field->words; w->name; w++)
		xp_names_add(&names, w->name);
	xp_source_suggest_from(&r->source, word, &names, "Its values");
	xp_names_fini(&names);
	return -EINVAL;
}

static int read_word(struct reader *r, const struct field *field, uint64_t *ret_value)
{
	struct xp_span word = here(r, word_len(r->at));

	for (const struct word *w = field->words; w->name; w++)
		if (xp_span_equals(word, w->name)) {
			*ret_value = w->value;
			r->at += word.len;
			return 0;
		}
	return unknown_word(r, field, word);
}

/* A cgroup by its path, up to what joins conditions. */
static int read_cgroup(struct reader *r, uint64_t *ret_value)
{
	struct xp_span path = here(r, strcspn(r->at, " \t\n,|"));
	xp_auto_free char *name = strndup(path.at, path.len);

	*ret_value = name && r->ctx ? xp_cgroup_inode(r->ctx, name) : 0;
	if (r->ctx && !*ret_value)
		return xp_source_error(&r->source, -EINVAL, path, "there is no cgroup '%.*s'",
				       XP_SPAN_ARGS(path));
	r->at += path.len;
	return 0;
}

static int read_value(struct reader *r, const struct field *field, uint64_t *ret_value)
{
	skip_blanks(r);
	struct xp_span value = here(r, word_len(r->at));

	if (field->field == SAMPLE_FIELD_CGROUP && *r->at == '/')
		return read_cgroup(r, ret_value);
	if (!value.len)
		return xp_source_error(&r->source, -EINVAL, here(r, 1),
				       *r->at == '-' ? "'%s' is never negative"
						     : "what '%s' is compared with is missing here",
				       field->name);
	if (field->words && !isdigit((unsigned char)*r->at))
		return read_word(r, field, ret_value);
	int err = xp_num_parse(value.at, value.len, 0, ret_value);
	if (err)
		return xp_source_error(&r->source, -EINVAL, value,
				       err == -ERANGE ? "'%.*s' is longer than 64 bits"
						      : "'%.*s' is not a number",
				       XP_SPAN_ARGS(value));
	r->at += value.len;
	return 0;
}

/* --- the whole --- */

static int read_term(struct reader *r, struct sample_term *ret_term)
{
	const struct field *field = NULL;
	uint64_t value = 0;
	int err = read_field(r, &field) ?: read_operator(r, field, ret_term)
							       ?: read_value(r, field, &value);

	if (err)
		return err;
	ret_term->value = value;
	ret_term->field = field->field;
	ret_term->shift = field->shift;
	ret_term->bits = field->bits;
	ret_term->more_shift = field->more_shift;
	ret_term->more_bits = field->more_bits;
	r->type |= field->type;
	return 0;
}

/* Returns 1 if a condition follows, 0 at the end, -EINVAL. */
static int read_join(struct reader *r, struct sample_term *term)
{
	skip_blanks(r);
	term->is_last = strncmp(r->at, "||", 2) != 0;
	if (!*r->at)
		return 0;
	if (*r->at == ',' || !term->is_last) {
		r->at += term->is_last ? 1 : 2;
		return 1;
	}
	size_t len = word_len(r->at);
	complain(r, len ? len : 1, "',' or '||' is missing before this");
	if (*r->at == '&' || (len == 3 && !strncasecmp(r->at, "and", 3)))
		xp_diag_hint(r->source.diag, "',' joins conditions that all have to hold");
	if (*r->at == '|' || (len == 2 && !strncasecmp(r->at, "or", 2)))
		xp_diag_hint(r->source.diag, "Did you mean '||'?");
	return -EINVAL;
}

int xp_sample_filter_parse(struct xp_ctx *ctx, const char *text, struct xp_sample_filter *filter,
			   uint64_t *ret_type, struct xp_diag *diag)
{
	struct reader r = { .ctx = ctx, .source = { .text = text, .diag = diag }, .at = text };
	struct xp_sample_filter all = *filter;
	int more = 1;

	skip_blanks(&r);
	if (!*r.at)
		return complain(&r, 1, "the filter is empty");
	while (more == 1) {
		struct sample_term term = { 0 };
		const char *begin = r.at;
		int err = read_term(&r, &term);

		if (err)
			return err;
		if (all.nr == SAMPLE_TERMS_MAX)
			return xp_source_error(&r.source, -EINVAL,
					       (struct xp_span){ begin, (size_t)(r.at - begin) },
					       "an event has room for %d conditions",
					       SAMPLE_TERMS_MAX);
		more = read_join(&r, &term);
		if (more < 0)
			return more;
		all.terms[all.nr++] = term;
	}
	*filter = all;
	*ret_type = r.type;
	return 0;
}

/* One form of the weight excludes the other, and has what the shorter one is asked for. */
static uint64_t joined_types(uint64_t old, uint64_t more)
{
	if (more & XP_SAMPLE_WEIGHT_STRUCT)
		old &= ~XP_SAMPLE_WEIGHT;
	return old | more;
}

int xp_evsel_add_sample_filter(struct xp_evsel *evsel, const char *filter, struct xp_diag *diag)
{
	struct xp_sample_filter none = { 0 };
	uint64_t type;

	if (evsel->fds)
		return xp_diag_set(diag, -EBUSY, "%s is open", evsel->name);
	if (evsel->attr.type == XP_TYPE_TRACEPOINT || evsel->probe)
		return xp_diag_set(diag, -EOPNOTSUPP, "%s has fields of its own to be filtered by",
				   evsel->name);
	struct xp_sample_filter *all = evsel->sample_filter ?: &none;
	int err = xp_sample_filter_parse(evsel->ctx, filter, all, &type, diag);
	if (err)
		return err;
	if (all == &none) {
		evsel->sample_filter = malloc(sizeof(none));
		if (!evsel->sample_filter)
			return xp_diag_set(diag, -ENOMEM, "Out of memory");
		*evsel->sample_filter = none;
	}
	evsel->attr.sample_type = joined_types(evsel->attr.sample_type, type);
	return 0;
}
