/* SPDX-License-Identifier: MIT */
/*
 * Markers in programs: sdt:PATH:PROVIDER:NAME, both with '*' and '?'. Each place of a marker is an
 * event of the same name; the kernel raises the semaphore of a marker while its event is open.
 *
 * Source: the uprobe PMU's format/ref_ctr_offset (Linux 4.20).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "glob.h"
#include "names.h"
#include "probe-kinds.h"
#include "suggest.h"

struct marking {
	struct xp_probe *p;
	const char *path, *provider, *marker;
	struct xp_names all;
	bool is_glob;
	int nr;
};

static int add_marker(struct marking *m, const struct xp_sdt *sdt)
{
	struct xp_probe *p = m->p;
	struct xp_attr attr = p->attr;
	xp_auto_free char *name = NULL;

	attr.probe_offset = sdt->offset;
	if (sdt->semaphore) {
		int err = xp_probe_write_format(
			p, "ref_ctr_offset", sdt->semaphore, &attr, p->text.fields[2],
			"this kernel cannot switch the marker on: its 'uprobe' PMU "
			"has no place for the marker's semaphore");
		if (err)
			return err;
	}
	m->nr++;
	if (asprintf(&name, "sdt:%.*s:%s:%s", (int)p->text.fields[0].len, p->text.fields[0].at,
		     sdt->provider, sdt->name) < 0)
		return -ENOMEM;
	if (m->is_glob)
		return xp_probe_add(p, &attr, m->path, name);
	p->attr.config = attr.config;
	p->attr.probe_offset = attr.probe_offset;
	int err = xp_probe_add_as_written(p, m->path);
	p->attr.config = 0;
	return err;
}

static int look_at(const struct xp_sdt *sdt, void *data)
{
	struct marking *m = data;
	xp_auto_free char *name = NULL;

	if (xp_glob_match(m->provider, strlen(m->provider), sdt->provider) &&
	    xp_glob_match(m->marker, strlen(m->marker), sdt->name))
		return add_marker(m, sdt);
	if (asprintf(&name, "%s:%s", sdt->provider, sdt->name) < 0)
		return -ENOMEM;
	return xp_names_add(&m->all, name);
}

static int unknown_marker(const struct marking *m)
{
	const struct xp_probe *p = m->p;
	struct xp_span span = { p->text.fields[1].at,
				(size_t)(p->text.fields[2].at + p->text.fields[2].len -
					 p->text.fields[1].at) };
	struct xp_suggest suggest = { .word = span.at, .len = span.len };

	xp_source_error(&p->r->source, -ENOENT, span, "'%s' has no marker '%s:%s'", m->path,
			m->provider, m->marker);
	for (int i = 0; i < m->all.nr; i++)
		xp_suggest_offer(&suggest, m->all.at[i]);
	if (suggest.best)
		xp_diag_hint(p->r->source.diag, "Did you mean '%s'?", suggest.best);
	else
		xp_diag_hint(p->r->source.diag, "`xperf list sdt %s` shows those it has", m->path);
	return -ENOENT;
}

static int walk(struct marking *m)
{
	struct xp_diag diag = { 0 };
	int err = m->p->r->elf->walk_sdt(m->path, look_at, m, &diag);

	if (diag.err)
		return xp_probe_blame_file(m->p, m->p->text.fields[0], &diag);
	return err ? err : m->nr ? 0 : unknown_marker(m);
}

int xp_probe_resolve_sdt(struct xp_probe *p)
{
	static const char form[] = "A marker is sdt:PATH:PROVIDER:NAME";
	xp_auto_free char *path = NULL;
	xp_auto_free char *provider = NULL;
	xp_auto_free char *marker = NULL;
	int err = xp_probe_take_text(p, 0, "the path of the file", form, &path);

	if (!err)
		err = xp_probe_take_text(p, 1, "the marker's provider", form, &provider);
	if (!err)
		err = xp_probe_take_text(p, 2, "the marker's name", form, &marker);
	if (!err)
		err = xp_probe_take_modifiers(p, 3);
	if (!err)
		err = xp_probe_find_pmu(p, "uprobe");
	if (err)
		return err;
	struct marking m = { .p = p,
			     .path = path,
			     .provider = provider,
			     .marker = marker,
			     .is_glob = xp_is_glob(provider, strlen(provider)) ||
					xp_is_glob(marker, strlen(marker)) };
	err = walk(&m);
	xp_names_fini(&m.all);
	return err;
}
