/* SPDX-License-Identifier: MIT */
/*
 * Which cgroup an event is of: lists of names as perf's -G and --for-each-cgroup take them, bound
 * to the events of a list. Finding and opening is lib/sys's.
 */
#include <xperf/cgroup.h>

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cgroup.h"
#include "cleanup.h"
#include "list-impl.h"
#include "names.h"
#include "source.h"
#include "suggest.h"
#include "vec.h"

/* One name of a list; moves *at behind it, and to NULL behind the last. */
static struct xp_span next_name(const char **at)
{
	struct xp_span name = { *at, strcspn(*at, ",") };

	*at = (*at)[name.len] ? *at + name.len + 1 : NULL;
	return name;
}

/* --- what went wrong --- */

static void suggest_cgroup(struct xp_ctx *ctx, const struct xp_source *source, struct xp_span name)
{
	struct xp_suggest suggest = { .word = name.at, .len = name.len };
	struct xp_names names = { 0 };

	xp_cgroups_list(ctx, &names);
	for (int i = 0; i < names.nr; i++)
		xp_suggest_offer(&suggest, names.at[i]);
	/* The last part of a name is what people remember. */
	for (int i = 0; i < names.nr && !suggest.best; i++) {
		const char *slash = strrchr(names.at[i], '/');

		if (slash && xp_span_equals(name, slash + 1))
			suggest.best = names.at[i];
	}
	if (suggest.best)
		xp_diag_hint(source->diag, "Did you mean '%s'?", suggest.best);
	else
		xp_diag_hint(source->diag, "Cgroups are the directories below %s",
			     xp_cgroups_path(ctx));
	xp_names_fini(&names);
}

static int explain(struct xp_ctx *ctx, const struct xp_source *source, struct xp_span name, int err)
{
	if (!source->diag)
		return err;
	if (err == -ENODEV) {
		xp_diag_set(source->diag, err,
			    "No cgroups are mounted: neither version 2, nor the controller "
			    "perf_event of version 1");
		xp_diag_hint(source->diag, "Mount them: mount -t cgroup2 none /sys/fs/cgroup");
	} else if (err == -ENOENT) {
		xp_source_error(source, err, name, "There is no cgroup '%.*s'", XP_SPAN_ARGS(name));
		suggest_cgroup(ctx, source, name);
	} else {
		xp_source_error(source, err, name, "The cgroup '%.*s' cannot be opened: %s",
				XP_SPAN_ARGS(name), strerror(-err));
		if (err == -EACCES || err == -EPERM)
			xp_diag_hint(source->diag, "Run it as root, or make %s/%.*s readable",
				     xp_cgroups_path(ctx), XP_SPAN_ARGS(name));
	}
	return err;
}

/* --- the list's cgroups --- */

static const struct xp_cgroup *find(const struct xp_evlist *evlist, struct xp_span name)
{
	for (int i = 0; i < evlist->nr_cgroups; i++)
		if (xp_span_equals(name, evlist->cgroups[i]->name))
			return evlist->cgroups[i];
	return NULL;
}

static void close_dir(const struct xp_evlist *evlist, int fd)
{
	if (fd >= 0)
		evlist->ctx->sys->close(evlist->ctx->sys, fd);
}

/* Owns @name and @fd. Returns NULL on out of memory. */
static const struct xp_cgroup *add(struct xp_evlist *evlist, char *name, int fd)
{
	size_t nr = (size_t)evlist->nr_cgroups;
	struct xp_cgroup *cgroup = malloc(sizeof(*cgroup));

	if (!cgroup || vec_add(&evlist->cgroups, nr, sizeof(struct xp_cgroup *))) {
		free(cgroup);
		close_dir(evlist, fd);
		free(name);
		return NULL;
	}
	*cgroup = (struct xp_cgroup){ name, fd, xp_cgroup_inode(evlist->ctx, name), false };
	evlist->cgroups[evlist->nr_cgroups++] = cgroup;
	return cgroup;
}

static int find_or_open(struct xp_evlist *evlist, const struct xp_source *source,
			struct xp_span name, const struct xp_cgroup **ret_cgroup)
{
	*ret_cgroup = find(evlist, name);
	if (*ret_cgroup)
		return 0;
	char *text = strndup(name.at, name.len);
	int fd = text ? xp_cgroup_open_dir(evlist->ctx, text) : -ENOMEM;

	if (fd < 0) {
		free(text);
		return explain(evlist->ctx, source, name, fd);
	}
	/*
	 * Where events of the root cgroup are beside others, the kernel confuses the times of all
	 * (measured, Linux 6.18: enabled 6 times as long as it was, counts scaled up to 20 times).
	 */
	if (xp_cgroup_is_all(evlist->ctx, text)) {
		close_dir(evlist, fd);
		fd = -1;
	}
	*ret_cgroup = add(evlist, text, fd);
	return *ret_cgroup ? 0 : xp_diag_set(source->diag, -ENOMEM, "Out of memory");
}

void xp_evlist_check_cgroups(struct xp_evlist *evlist)
{
	for (int i = 0; i < evlist->nr_cgroups; i++) {
		struct xp_cgroup *cgroup = evlist->cgroups[i];

		cgroup->is_another = cgroup->fd >= 0 &&
				     xp_cgroup_is_another(evlist->ctx, cgroup->name, cgroup->inode);
	}
}

void xp_evlist_free_cgroups(struct xp_evlist *evlist)
{
	for (int i = 0; i < evlist->nr_cgroups; i++) {
		close_dir(evlist, evlist->cgroups[i]->fd);
		free(evlist->cgroups[i]->name);
		free(evlist->cgroups[i]);
	}
	free(evlist->cgroups);
	evlist->cgroups = NULL;
	evlist->nr_cgroups = 0;
}

bool xp_evlist_has_cgroups(const struct xp_evlist *evlist)
{
	return evlist->nr_cgroups || evlist->nr_cgroup_names;
}

/* --- binding --- */

/* Puts the @nth event that is shown, and those shown with it, into @cgroup. Returns 0 or -ERANGE.
 */
static int bind_nth(struct xp_evlist *evlist, int nth, const struct xp_cgroup *cgroup)
{
	const struct xp_evsel *shown = NULL;

	for (int i = 0; i < evlist->nr && !shown; i++)
		if (evlist->at[i]->merged_into == evlist->at[i] && !nth--)
			shown = evlist->at[i];
	for (int i = 0; i < evlist->nr && cgroup; i++)
		if (evlist->at[i]->merged_into == shown)
			evlist->at[i]->cgroup = cgroup;
	return shown ? 0 : -ERANGE;
}

static int bind_all_from(struct xp_evlist *evlist, int first, const struct xp_cgroup *cgroup)
{
	for (int i = first; i < evlist->nr; i++)
		evlist->at[i]->cgroup = cgroup;
	return 0;
}

static int check_closed(const struct xp_evlist *evlist, struct xp_diag *diag)
{
	return evlist->is_open ? xp_diag_set(diag, -EBUSY, "The events are open") : 0;
}

static int bind_name(struct xp_evlist *evlist, const struct xp_source *source, struct xp_span name)
{
	const struct xp_cgroup *cgroup = NULL;
	int err = name.len ? find_or_open(evlist, source, name, &cgroup) : 0;

	if (!err)
		err = bind_nth(evlist, evlist->nr_cgroup_names++, cgroup);
	if (err != -ERANGE)
		return err;
	if (!name.len)
		return 0;
	xp_source_error(source, err, name,
			"There are more cgroups than events: no event is left "
			"for '%.*s'",
			XP_SPAN_ARGS(name));
	xp_diag_hint(source->diag, "Name one event per cgroup before it, or count all events in "
				   "each cgroup");
	return err;
}

int xp_evlist_bind_cgroups(struct xp_evlist *evlist, const char *names, struct xp_diag *diag)
{
	struct xp_source source = { .text = names, .diag = diag };
	const char *at = names;
	int err = check_closed(evlist, diag);

	while (at && !err)
		err = bind_name(evlist, &source, next_name(&at));
	if (!err && evlist->nr_cgroup_names == 1 && evlist->nr_cgroups)
		bind_all_from(evlist, 0, evlist->cgroups[0]);
	return err;
}

int xp_evlist_bind_cgroup(struct xp_evlist *evlist, int first, const char *name,
			  struct xp_diag *diag)
{
	struct xp_source source = { .text = name, .diag = diag };
	struct xp_span span = { name, strlen(name) };
	const struct xp_cgroup *cgroup;
	int err = check_closed(evlist, diag) ?: find_or_open(evlist, &source, span, &cgroup);

	return err ? err : bind_all_from(evlist, first, cgroup);
}

/* --- the cgroups a list means --- */

/* Looking for what is meant. */
struct search {
	struct xp_ctx *ctx;
	struct xp_source source;
	struct xp_names all; /* of the machine; read when first needed */
	struct xp_names meant;
};

static int add_meant(struct search *search, const char *name)
{
	for (int i = 0; i < search->meant.nr; i++)
		if (!strcmp(search->meant.at[i], name))
			return 0;
	return xp_names_add(&search->meant, name);
}

static int add_matching(struct search *search, const regex_t *regex)
{
	int err = search->all.nr ? 0 : xp_cgroups_list(search->ctx, &search->all);
	bool any = false;

	for (int i = 0; i < search->all.nr && !err; i++) {
		if (regexec(regex, search->all.at[i], 0, NULL, 0))
			continue;
		any = true;
		err = add_meant(search, search->all.at[i]);
	}
	return err ? err : any ? 0 : -ENOENT;
}

static int match(struct search *search, struct xp_span span, const char *pattern)
{
	char why[128];
	regex_t regex;
	int bad = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (bad) {
		regerror(bad, &regex, why, sizeof(why));
		return xp_source_error(&search->source, -EINVAL, span,
				       "'%.*s' is neither a cgroup nor a regular expression: %s",
				       XP_SPAN_ARGS(span), why);
	}
	int err = add_matching(search, &regex);
	regfree(&regex);
	if (!err || err == -ENOMEM)
		return err;
	if (err != -ENOENT)
		return xp_source_error(&search->source, err, span,
				       "The cgroups that '%.*s' matches cannot be listed: %s",
				       XP_SPAN_ARGS(span), strerror(-err));
	xp_source_error(&search->source, err, span, "No cgroup matches '%.*s'", XP_SPAN_ARGS(span));
	xp_diag_hint(search->source.diag, "Cgroups are the directories below %s",
		     xp_cgroups_path(search->ctx));
	return err;
}

static bool is_pattern(const char *name)
{
	return strpbrk(name, "{}[]()|*+?^$");
}

static int add_name(struct search *search, struct xp_span span)
{
	const struct xp_sys *sys = search->ctx->sys;

	/* "/a" is "a", and what is empty is all */
	while (span.len > 1 && *span.at == '/') {
		span.at++;
		span.len--;
	}
	xp_auto_free char *name = span.len ? strndup(span.at, span.len) : strdup("/");
	if (!name)
		return -ENOMEM;
	int fd = xp_cgroup_open_dir(search->ctx, name);
	if (fd >= 0)
		sys->close(sys, fd);
	if (fd == -ENOENT && is_pattern(name))
		return match(search, span, name);
	return fd < 0 ? explain(search->ctx, &search->source, span, fd) : add_meant(search, name);
}

int xp_cgroups_walk(struct xp_ctx *ctx, const char *names, xp_cgroup_fn fn, void *data,
		    struct xp_diag *diag)
{
	struct search search = { .ctx = ctx, .source = { .text = names, .diag = diag } };
	const char *at = names;
	int r = 0;

	while (at && !r)
		r = add_name(&search, next_name(&at));
	if (r == -ENOMEM)
		xp_diag_set(diag, r, "Out of memory");
	for (int i = 0; i < search.meant.nr && !r; i++)
		r = fn(search.meant.at[i], data);
	xp_names_fini(&search.all);
	xp_names_fini(&search.meant);
	return r;
}
