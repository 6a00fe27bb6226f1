/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints at symbols: mem:&PATH:SYMBOL[/LENGTH][:ACCESS][:MODIFIERS]. By default a variable of
 * a size that a breakpoint can have is watched as a whole, and a function where it is entered.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <xperf/diag.h>

#include "breakpoint.h"
#include "cleanup.h"
#include "probe-kinds.h"
#include "uapi.h"

static const char form[] = "A breakpoint at a symbol is mem:&PATH:SYMBOL[/LENGTH][:rwx]";

/* Cuts "/LENGTH" off a field; behind quotes if it has them. Returns it; absent: none. */
static struct xp_span cut_length(struct xp_span *field)
{
	struct xp_span rest;
	struct xp_span name = xp_probe_text_unquote(*field, &rest);
	struct xp_span where = name.at == field->at ? name : rest;
	const char *slash = where.len ? memrchr(where.at, '/', where.len) : NULL;

	if (!slash)
		return (struct xp_span){ 0 };
	const char *end = field->at + field->len;
	field->len = (size_t)(slash - field->at);
	return (struct xp_span){ slash + 1, (size_t)(end - slash - 1) };
}

static bool can_watch_whole(const struct xp_symbol_place *symbol)
{
	return symbol->size == 1 || symbol->size == 2 || symbol->size == 4 || symbol->size == 8;
}

static int locate(struct xp_probe *p, const char *path, const char *name)
{
	struct xp_symbol_place symbol = { 0 };
	struct xp_diag diag = { 0 };
	int err = p->r->elf->find_symbol(path, name, XP_SYMBOL_OTHER, &symbol, &diag);

	if (err)
		return xp_probe_blame_file(p, p->text.fields[1], &diag);
	if (!symbol.is_fixed) {
		xp_source_error(
			&p->r->source, -EINVAL, p->text.fields[0],
			"'%s' is position independent: '%s' has an address only in a process", path,
			name);
		xp_diag_hint(p->r->source.diag, "Link it with -no-pie, or give the address in the "
						"process: mem:0xADDRESS");
		return -EINVAL;
	}
	p->attr.bp_addr = symbol.address;
	p->attr.bp_type = HW_BREAKPOINT_RW;
	if (symbol.type == XP_SYMBOL_FUNCTION)
		p->attr.bp_type = HW_BREAKPOINT_X;
	else if (can_watch_whole(&symbol))
		p->attr.bp_len = symbol.size;
	return 0;
}

int xp_probe_resolve_memory(struct xp_probe *p)
{
	struct xp_span length =
		p->text.nr > 1 ? cut_length(&p->text.fields[1]) : (struct xp_span){ 0 };
	bool has_access = p->text.nr > 2 && xp_breakpoint_is_access(p->text.fields[2]);
	xp_auto_free char *path = NULL;
	xp_auto_free char *name = NULL;

	p->attr = xp_resolver_attr(XP_TYPE_BREAKPOINT, 0);
	p->text.fields[0].at++; /* the '&' */
	p->text.fields[0].len--;
	int err = xp_probe_parse_text(p, 0, "the path of the file", form, &path)
			  ?: xp_probe_parse_text(p, 1, "the symbol", form, &name);
	if (!err)
		err = xp_probe_parse_modifiers(p, has_access ? 3 : 2);
	if (!err)
		err = locate(p, path, name);
	if (!err)
		err = xp_breakpoint_set(&p->r->source,
					has_access ? p->text.fields[2] : (struct xp_span){ 0 },
					length, &p->attr);
	return err ? err : xp_probe_add_as_written(p, &p->attr, NULL);
}
