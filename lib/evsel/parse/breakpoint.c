/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints: mem:ADDRESS[/LENGTH][:ACCESS][:MODIFIERS], or with terms
 * mem:ADDRESS[/LENGTH][:ACCESS]/TERMS/MODIFIERS, ACCESS of r, w, x; or, for ADDRESS, &PATH:SYMBOL
 * in a program whose addresses are fixed, without terms.
 *
 * Source: perf-list(1), "EVENT DESCRIPTORS"; perf_event_open(2), "bp_type"; defaults: measured with
 * `perf stat -vv`, perf 6.1; terms: `perf evlist -v`, perf 7.2.
 */
#include "breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <xperf/attr.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "num.h"
#include "resolver.h"
#include "uapi.h"

static const struct {
	char letter;
	uint32_t type;
} accesses[] = {
	{ 'r', HW_BREAKPOINT_R },
	{ 'w', HW_BREAKPOINT_W },
	{ 'x', HW_BREAKPOINT_X },
};

bool xp_breakpoint_is_access(struct xp_span span)
{
	return span.len && xp_span_has_only(span, "rwx");
}

static int parse_access(const struct xp_source *source, struct xp_span span, uint32_t *ret_type)
{
	uint32_t type = 0;

	for (size_t i = 0; i < span.len; i++) {
		uint32_t bit = 0;

		for (size_t a = 0; a < XP_ARRAY_LEN(accesses); a++)
			if (accesses[a].letter == span.at[i])
				bit = accesses[a].type;
		if (type & bit)
			return xp_source_error(source, -EINVAL, (struct xp_span){ span.at + i, 1 },
					       "the access '%c' is given twice", span.at[i]);
		type |= bit;
	}
	*ret_type = type;
	return 0;
}

static int parse_number(const struct xp_source *source, struct xp_span span, const char *what,
			uint64_t *ret_value)
{
	if (!xp_num_parse(span.at, span.len, 0, ret_value))
		return 0;
	if (span.len)
		xp_source_error(source, -EINVAL, span, "'%.*s' is not the %s of a breakpoint",
				XP_SPAN_ARGS(span), what);
	else
		xp_source_error(source, -EINVAL, span, "the %s of the breakpoint is missing", what);
	xp_diag_hint(source->diag, "A breakpoint is mem:ADDRESS[/LENGTH][:rwx]");
	return -EINVAL;
}

/* A whole word where code is executed, else four bytes. */
static uint64_t default_length(uint32_t type)
{
	return type == HW_BREAKPOINT_X ? sizeof(long) : 4;
}

int xp_breakpoint_set(const struct xp_source *source, struct xp_span access, struct xp_span length,
		      struct xp_attr *attr)
{
	int err = access.len ? parse_access(source, access, &attr->bp_type) : 0;

	if (!attr->bp_len)
		attr->bp_len = default_length(attr->bp_type);
	if (!err && length.at)
		err = parse_number(source, length, "length", &attr->bp_len);
	return err;
}

int xp_breakpoint_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_attr attr = xp_resolver_attr(XP_TYPE_BREAKPOINT, 0);
	bool has_access = ast->nr_parts > 2 && xp_breakpoint_is_access(ast->parts[2]);
	int err = 0;

	if (!xp_span_equals(ast->parts[0], "mem") || ast->nr_parts < 2)
		return 0;
	attr.bp_type = HW_BREAKPOINT_RW;
	err = parse_number(&r->source, ast->parts[1], "address", &attr.bp_addr);
	if (!err)
		err = xp_breakpoint_set(&r->source,
					has_access ? ast->parts[2] : (struct xp_span){ 0 },
					ast->length, &attr);
	if (err)
		return err;
	return xp_resolver_add_with_terms(r, ast, &attr, XP_TOOL_NONE, has_access ? 3 : 2);
}
