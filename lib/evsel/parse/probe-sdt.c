/* SPDX-License-Identifier: MIT */
/*
 * Markers in programs: sdt:PATH:PROVIDER:NAME[@OFFSET], both names with '*' and '?'. A marker can
 * stand in several places, as where its function is inlined: each is an event, shown as one with
 * the others, and has its offset in the file behind its own name. The kernel raises the semaphore
 * of a marker while its event is open.
 *
 * Source: the uprobe PMU's format/ref_ctr_offset (Linux 4.20).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cleanup.h"
#include "glob.h"
#include "names.h"
#include "num.h"
#include "probe-kinds.h"
#include "str.h"
#include "suggest.h"

/*
 * @place: the offset in the file of the only place that is meant, if @has_place
 * @first: where the events of the marking begin
 */
struct marking {
	struct xp_probe *p;
	const char *path, *provider, *marker;
	uint64_t place;
	bool has_place;
	struct xp_names all;
	bool is_glob;
	int first;
};

static int fill_attr(const struct marking *m, const struct xp_sdt *sdt, struct xp_attr *attr)
{
	attr->probe_offset = sdt->offset;
	if (!sdt->semaphore)
		return 0;
	return xp_probe_write_format(m->p, "ref_ctr_offset", sdt->semaphore, attr,
				     m->p->text.fields[2],
				     "this kernel cannot switch the marker on: its 'uprobe' PMU "
				     "has no term for the marker's semaphore");
}

/* "sdt:PATH:PROVIDER:NAME@OFFSET:MODIFIERS", the caller's. @place: with the offset */
static char *name_of(const struct marking *m, const struct xp_sdt *sdt, bool place)
{
	const struct xp_probe_text *text = &m->p->text;
	struct xp_span path = text->fields[0];
	struct xp_str name = { 0 };

	xp_str_addf(&name, "sdt:%.*s:%s:%s", (int)path.len, path.at, sdt->provider, sdt->name);
	if (place)
		xp_str_addf(&name, "@%#" PRIx64, sdt->offset);
	if (text->nr > 3)
		xp_str_addf(&name, ":%.*s", (int)text->fields[3].len, text->fields[3].at);
	return xp_str_detach(&name);
}

/* Shows the newest event as one with an earlier one of its name. */
static void merge(const struct marking *m)
{
	const struct xp_parsed *made = &m->p->r->made;
	struct xp_evsel *evsel = made->at[made->nr - 1].evsel;

	for (int i = m->first; i < made->nr - 1; i++) {
		struct xp_evsel *other = made->at[i].evsel;

		if (strcmp(other->name, evsel->name))
			continue;
		evsel->merged_into = other->merged_into;
		evsel->is_merged = other->is_merged = true;
		return;
	}
}

/* A place that has two notes of a marker is passed once. */
static bool is_there(const struct marking *m, const char *own_name)
{
	const struct xp_parsed *made = &m->p->r->made;

	for (int i = m->first; i < made->nr; i++)
		if (!strcmp(made->at[i].evsel->own_name, own_name))
			return true;
	return false;
}

static int add_marker(struct marking *m, const struct xp_sdt *sdt)
{
	struct xp_attr attr = m->p->attr;
	xp_auto_free char *name = name_of(m, sdt, false);
	xp_auto_free char *own = name_of(m, sdt, true);
	int err = name && own ? fill_attr(m, sdt, &attr) : -ENOMEM;

	if (err || is_there(m, own))
		return err;
	err = m->is_glob ? xp_probe_add(m->p, &attr, m->path, name)
			 : xp_probe_add_as_written(m->p, &attr, m->path);
	if (err)
		return err;
	m->p->r->made.at[m->p->r->made.nr - 1].evsel->own_name = own;
	own = NULL;
	merge(m);
	return 0;
}

static const char where_places_are[] =
	"The file's section .note.stapsdt lists the places of its markers";

/* Cuts "@OFFSET" off the marker's name. */
static int cut_offset(struct marking *m, char *marker)
{
	struct xp_span field = m->p->text.fields[2];
	char *at = strchr(marker, '@');

	if (!at)
		return 0;
	if (xp_num_parse(at + 1, strlen(at + 1), 0, &m->place))
		return xp_probe_complain(m->p, -EINVAL, field,
					 "'@' must be followed by the offset of one of the "
					 "marker's places in the file",
					 where_places_are);
	*at = '\0';
	m->has_place = true;
	return 0;
}

static bool is_meant(const struct marking *m, const struct xp_sdt *sdt)
{
	return xp_glob_match(m->provider, strlen(m->provider), sdt->provider) &&
	       xp_glob_match(m->marker, strlen(m->marker), sdt->name) &&
	       (!m->has_place || m->place == sdt->offset);
}

static int look_at(const struct xp_sdt *sdt, void *data)
{
	struct marking *m = data;
	xp_auto_free char *name = NULL;

	if (is_meant(m, sdt))
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

	if (m->has_place) {
		xp_source_error(&p->r->source, -ENOENT, span,
				"'%s' has no marker '%s:%s' at %#" PRIx64, m->path, m->provider,
				m->marker, m->place);
		xp_diag_hint(p->r->source.diag, "%s", where_places_are);
		return -ENOENT;
	}
	xp_source_error(&p->r->source, -ENOENT, span, "'%s' has no marker '%s:%s'", m->path,
			m->provider, m->marker);
	for (int i = 0; i < m->all.nr; i++)
		xp_suggest_offer(&suggest, m->all.at[i]);
	if (suggest.best)
		xp_diag_hint(p->r->source.diag, "Did you mean '%s'?", suggest.best);
	else
		xp_diag_hint(p->r->source.diag, "The section .note.stapsdt of %s lists its markers",
			     m->path);
	return -ENOENT;
}

static int walk(struct marking *m)
{
	struct xp_diag diag = { 0 };
	int err = m->p->r->elf->walk_sdt(m->path, look_at, m, &diag);

	if (diag.err)
		return xp_probe_blame_file(m->p, m->p->text.fields[0], &diag);
	return err ? err : m->p->r->made.nr > m->first ? 0 : unknown_marker(m);
}

int xp_probe_resolve_sdt(struct xp_probe *p)
{
	static const char form[] = "A marker is sdt:PATH:PROVIDER:NAME";
	xp_auto_free char *path = NULL;
	xp_auto_free char *provider = NULL;
	xp_auto_free char *marker = NULL;
	int err = xp_probe_parse_text(p, 0, "the path of the file", form, &path)
			  ?: xp_probe_parse_text(p, 1, "the marker's provider", form, &provider)
			  ?: xp_probe_parse_text(p, 2, "the marker's name", form, &marker)
			  ?: xp_probe_parse_modifiers(p, 3)
			  ?: xp_probe_find_pmu(p, "uprobe");

	if (err)
		return err;
	struct marking m = { .p = p,
			     .path = path,
			     .provider = provider,
			     .marker = marker,
			     .first = p->r->made.nr,
			     .is_glob = xp_is_glob(provider, strlen(provider)) ||
					xp_is_glob(marker, strlen(marker)) };
	err = cut_offset(&m, marker) ?: walk(&m);
	xp_names_fini(&m.all);
	return err;
}
