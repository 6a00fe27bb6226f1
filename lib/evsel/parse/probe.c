/* SPDX-License-Identifier: MIT */
/*
 * Probes: events that count how often a place of a program or of the kernel is passed, and
 * breakpoints that are written like them.
 *
 *	uprobe:PATH:FUNCTION[+OFFSET | %return][:MODIFIERS]	uprobe:PATH:FILE-OFFSET...
 *	kprobe:FUNCTION[+OFFSET | %return][:MODIFIERS]		kprobe:ADDRESS...
 *	sdt:PATH:PROVIDER:MARKER[:MODIFIERS]
 *	mem:&PATH:SYMBOL[/LENGTH][:ACCESS][:MODIFIERS]
 *
 * Source: linux/perf_event.h, "uprobe_path", "kprobe_func"; the PMUs' format/ in sysfs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "pmu.h"
#include "probe-kinds.h"

int xp_probe_complain(const struct xp_probe *p, int err, struct xp_span span, const char *what,
		      const char *hint)
{
	xp_source_error(&p->r->source, err, span, "%s", what);
	if (*hint)
		xp_diag_hint(p->r->source.diag, "%s", hint);
	return err;
}

int xp_probe_blame_file(const struct xp_probe *p, struct xp_span name, const struct xp_diag *diag)
{
	static const int about_name[] = { -ENODATA, -EEXIST, -EINVAL };
	struct xp_span span = p->text.fields[0];

	for (size_t i = 0; i < XP_ARRAY_LEN(about_name); i++)
		if (diag->err == about_name[i])
			span = name;
	/* What is not in the file is a name that exists nowhere. */
	return xp_probe_complain(p, diag->err == -ENODATA ? -ENOENT : diag->err, span, diag->what,
				 diag->hint);
}

static const struct {
	const char *pmu, *what, *hint;
} missing[] = {
	{ "uprobe", "this kernel has no 'uprobe' PMU: it cannot probe programs",
	  "It needs CONFIG_UPROBE_EVENTS, and Linux 4.17 or later" },
	{ "kprobe", "this kernel has no 'kprobe' PMU: it cannot probe its own functions",
	  "It needs CONFIG_KPROBE_EVENTS, and Linux 4.17 or later" },
};

int xp_probe_find_pmu(struct xp_probe *p, const char *pmu)
{
	int64_t type;
	size_t row = 0;

	p->pmu = pmu;
	if (!xp_file_read_int(p->r->ctx, &type, "/sys/bus/event_source/devices/%s/type", pmu) &&
	    type >= 0 && type <= UINT32_MAX) {
		p->attr = xp_resolver_attr((uint32_t)type, 0);
		return 0;
	}
	while (strcmp(missing[row].pmu, pmu))
		row++;
	return xp_probe_complain(p, -ENOENT, p->ast->parts[0], missing[row].what,
				 missing[row].hint);
}

int xp_probe_write_format(const struct xp_probe *p, const char *format, uint64_t value,
			  struct xp_attr *attr, struct xp_span span, const char *what)
{
	struct xp_span name = { format, strlen(format) };

	if (!xp_pmu_format_write(p->r->ctx, p->pmu, name, value, attr))
		return 0;
	return xp_probe_complain(p, -EOPNOTSUPP, span, what, "Use a later kernel");
}

int xp_probe_parse_modifiers(const struct xp_probe *p, int field)
{
	struct xp_span more = p->text.rest;

	if (p->text.nr > field)
		p->r->modifiers = p->text.fields[field];
	if (p->text.nr > field + 1)
		more = p->text.fields[field + 1];
	if (more.at)
		return xp_probe_complain(p, -EINVAL, (struct xp_span){ more.at - 1, 1 },
					 "unexpected ':'", "Quote the path if it contains colons");
	return 0;
}

int xp_probe_parse_text(const struct xp_probe *p, int field, const char *what, const char *form,
			char **ret_text)
{
	struct xp_span rest = { p->ast->probe.at + p->ast->probe.len, 1 };
	struct xp_span span = rest;
	xp_auto_free char *sentence = NULL;

	if (field < p->text.nr)
		span = xp_probe_text_unquote(p->text.fields[field], &rest);
	if (field < p->text.nr && span.len && rest.len)
		return xp_probe_complain(p, -EINVAL, rest, "':' is missing after the quotes", form);
	if (field < p->text.nr && span.len) {
		*ret_text = strndup(span.at, span.len);
		return *ret_text ? 0 : -ENOMEM;
	}
	span.len = 1;
	if (asprintf(&sentence, "%s is missing here", what) < 0)
		return -ENOMEM;
	return xp_probe_complain(p, -EINVAL, span, sentence, form);
}

int xp_probe_add(const struct xp_probe *p, const struct xp_attr *attr, const char *target,
		 const char *name)
{
	int err = xp_resolver_add(p->r, p->ast, attr, XP_TOOL_NONE, name);

	if (err)
		return err;
	if (!p->pmu)
		return 0;
	struct xp_evsel *evsel = p->r->made.at[p->r->made.nr - 1].evsel;
	evsel->probe = p->pmu;
	evsel->probe_target = target ? strdup(target) : NULL;
	/* uprobe_path and kprobe_func, perf_event_open(2) */
	evsel->attr.config1 = (uintptr_t)evsel->probe_target;
	return target && !evsel->probe_target ? -ENOMEM : 0;
}

int xp_probe_add_as_written(const struct xp_probe *p, const struct xp_attr *attr,
			    const char *target)
{
	xp_auto_free char *name = NULL;

	if (asprintf(&name, "%.*s:%.*s", (int)p->ast->parts[0].len, p->ast->parts[0].at,
		     (int)p->ast->probe.len, p->ast->probe.at) < 0)
		return -ENOMEM;
	return xp_probe_add(p, attr, target, name);
}

static const struct {
	const char *name;
	int (*resolve)(struct xp_probe *p);
} kinds[] = {
	{ "uprobe", xp_probe_resolve_user },
	{ "kprobe", xp_probe_resolve_kernel },
	{ "sdt", xp_probe_resolve_sdt },
	{ "mem", xp_probe_resolve_memory },
};

int xp_probe_resolve(struct xp_resolver *r, const struct xp_ast_event *ast)
{
	struct xp_probe p = { .r = r, .ast = ast };

	for (size_t i = 0; ast->probe.at && i < XP_ARRAY_LEN(kinds); i++) {
		if (!xp_span_equals(ast->parts[0], kinds[i].name))
			continue;
		xp_probe_text_split(ast->probe, &p.text);
		int err = kinds[i].resolve(&p);
		return err ? err : 1;
	}
	return 0;
}
