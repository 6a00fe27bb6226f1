/* SPDX-License-Identifier: MIT */
/*
 * Probes of places in code: uprobe:PATH:PLACE and kprobe:PLACE, where PLACE is a function, an
 * offset within one, its return, or a number.
 *
 * Source: linux/perf_event.h, "uprobe_path", "kprobe_func", "probe_offset".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "num.h"
#include "plural.h"
#include "probe-kinds.h"

/* FUNCTION+OFFSET, FUNCTION%return or a number. */
struct place {
	struct xp_span whole;
	struct xp_span name; /* len 0: a number alone */
	struct xp_span plus; /* absent: none */
	uint64_t number;     /* what stands alone or behind "+" */
	bool is_return;
};

static const char place_form[] =
	"A place is FUNCTION, FUNCTION+OFFSET, FUNCTION%return or 0xOFFSET";

static int parse_number(const struct xp_probe *p, struct xp_span span, uint64_t *ret_number)
{
	if (!xp_num_parse(span.at, span.len, 0, ret_number))
		return 0;
	span.len += !span.len;
	return xp_probe_complain(p, -EINVAL, span, "this is not an offset", place_form);
}

/* "%return" at the end of @rest. */
static int parse_return(const struct xp_probe *p, struct xp_span *rest, bool *ret_is_return)
{
	const char *percent = memchr(rest->at, '%', rest->len);

	*ret_is_return = percent;
	if (!percent)
		return 0;
	struct xp_span suffix = { percent, rest->len - (size_t)(percent - rest->at) };
	if (!xp_span_equals(suffix, "%return"))
		return xp_probe_complain(p, -EINVAL, suffix,
					 "nothing but '%return' can follow a function", place_form);
	rest->len -= suffix.len;
	return 0;
}

/* The name is cut off its offset at the last '+'. */
static void cut_at_plus(struct xp_span *name, struct xp_span *rest)
{
	const char *plus = memrchr(name->at, '+', name->len);

	if (rest->len || !plus || plus == name->at)
		return;
	*rest = (struct xp_span){ plus, name->len - (size_t)(plus - name->at) };
	name->len -= rest->len;
}

static int parse_place(const struct xp_probe *p, int field, struct place *ret_place)
{
	struct place place = { .whole = p->text.fields[field] };
	struct xp_span rest;
	int err = 0;

	if (field >= p->text.nr || !place.whole.len)
		return xp_probe_complain(
			p, -EINVAL, (struct xp_span){ p->ast->probe.at + p->ast->probe.len, 1 },
			"a function or an offset is missing here", place_form);
	bool is_quoted = strchr("'\"", *place.whole.at);
	place.name = xp_probe_text_unquote(place.whole, &rest);
	err = parse_return(p, is_quoted ? &rest : &place.name, &place.is_return);
	if (err)
		return err;
	if (!is_quoted)
		cut_at_plus(&place.name, &rest);
	if (rest.len) {
		place.plus = rest;
		if (*rest.at != '+')
			return xp_probe_complain(p, -EINVAL, rest, "this is not an offset",
						 place_form);
		err = parse_number(p, (struct xp_span){ rest.at + 1, rest.len - 1 }, &place.number);
	} else if (!is_quoted && place.name.len && strchr("0123456789", *place.name.at)) {
		err = parse_number(p, place.name, &place.number);
		place.name.len = 0;
	} else if (!place.name.len) {
		err = xp_probe_complain(p, -EINVAL, place.whole,
					"the name of the function is missing", place_form);
	}
	if (!err)
		*ret_place = place;
	return err;
}

static int set_return(struct xp_probe *p, const struct place *place)
{
	if (!place->is_return)
		return 0;
	if (place->plus.at || !place->name.len)
		return xp_probe_complain(p, -EINVAL, place->whole,
					 "'%return' needs a function without an offset",
					 place_form);
	return xp_probe_write_format(p, "retprobe", 1, &p->attr, place->whole,
				     "this kernel cannot probe returns");
}

/* Turns a function of the file into an offset in the file. */
static int locate(struct xp_probe *p, const char *path, const struct place *place)
{
	struct xp_symbol_place symbol = { 0 };
	struct xp_diag diag = { 0 };

	p->attr.probe_offset = place->number;
	if (!place->name.len)
		return 0;
	xp_auto_free char *name = strndup(place->name.at, place->name.len);
	if (!name)
		return -ENOMEM;
	if (p->r->elf->find_symbol(path, name, XP_SYMBOL_FUNCTION, &symbol, &diag))
		return xp_probe_blame_file(p, place->name, &diag);
	if (symbol.size && place->number >= symbol.size) {
		xp_source_error(&p->r->source, -EINVAL, place->plus, "'%s' has only %" PRIu64 " %s",
				name, symbol.size, plural(symbol.size, "byte", "bytes"));
		return -EINVAL;
	}
	p->attr.probe_offset += symbol.offset;
	return 0;
}

int xp_probe_resolve_user(struct xp_probe *p)
{
	static const char form[] = "A probe of a program is uprobe:PATH:FUNCTION";
	xp_auto_free char *path = NULL;
	struct place place;
	int err = xp_probe_parse_text(p, 0, "the path of the file", form, &path)
			  ?: parse_place(p, 1, &place)
			  ?: xp_probe_parse_modifiers(p, 2)
			  ?: xp_probe_find_pmu(p, "uprobe")
			  ?: locate(p, path, &place)
			  ?: set_return(p, &place);

	return err ? err : xp_probe_add_as_written(p, &p->attr, path);
}

int xp_probe_resolve_kernel(struct xp_probe *p)
{
	xp_auto_free char *function = NULL;
	struct place place;
	int err = parse_place(p, 0, &place)
			  ?: xp_probe_parse_modifiers(p, 1)
			  ?: xp_probe_find_pmu(p, "kprobe")
			  ?: set_return(p, &place);

	if (err)
		return err;
	/* kprobe_addr without a function, and the offset with one, are the same word. */
	p->attr.probe_offset = place.number;
	if (place.name.len) {
		function = strndup(place.name.at, place.name.len);
		if (!function)
			return -ENOMEM;
	}
	return xp_probe_add_as_written(p, &p->attr, function);
}
