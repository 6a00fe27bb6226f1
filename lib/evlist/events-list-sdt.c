/* SPDX-License-Identifier: MIT */
/* The SDT markers of an ELF file as events: one line each, however many places a marker has. */
#include "events-list.h"

#include <errno.h>
#include <string.h>

#include <xperf/diag.h>
#include <xperf/symbol.h>

#include "cleanup.h"
#include "names.h"
#include "str.h"

/* The path as it stands in an event string, the caller's; NULL on out of memory. */
static char *quoted(const char *path)
{
	struct xp_str text = { 0 };
	const char *quote = !strpbrk(path, ":,{} \t\r\n'\"") ? "" : strchr(path, '\'') ? "\"" : "'";

	xp_str_addf(&text, "%s%s%s", quote, path, quote);
	return xp_str_detach(&text);
}

struct markers {
	const char *path; /* quoted */
	struct xp_names names;
};

static int add_marker(const struct xp_sdt *sdt, void *data)
{
	struct markers *m = data;
	struct xp_str name = { 0 };

	xp_str_addf(&name, "sdt:%s:%s:%s", m->path, sdt->provider, sdt->name);
	int err = name.failed ? -ENOMEM : xp_names_add(&m->names, xp_str_text(&name));
	xp_str_fini(&name);
	return err;
}

static int report_markers(struct xp_list_walk *w, struct xp_names *names)
{
	int err = 0;

	xp_names_sort(names);
	if (names->nr)
		xp_openable_event(w->ctx, names->at[0], -1, &w->verdict);
	for (int i = 0; !err && i < names->nr; i++) {
		struct xp_event_info info = { .kind = XP_EVENT_SDT,
					      .name = names->at[i],
					      .pmu = "uprobe" };

		if (!i || strcmp(names->at[i], names->at[i - 1]))
			err = xp_list_report(w, &info);
	}
	return err;
}

int xp_list_sdt(struct xp_list_walk *w)
{
	if (!w->opts.sdt_path)
		return xp_diag_set(w->diag, -EINVAL,
				   "The file with the markers to list is "
				   "missing");
	xp_auto_free char *path = quoted(w->opts.sdt_path);
	struct markers m = { .path = path };
	int err = path ? xp_sdt_walk(w->opts.sdt_path, add_marker, &m, w->diag) : -ENOMEM;

	if (!err)
		err = report_markers(w, &m.names);
	xp_names_fini(&m.names);
	return err;
}
