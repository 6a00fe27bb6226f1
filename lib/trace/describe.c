/* SPDX-License-Identifier: MIT */
/*
 * A tracepoint described: the files tracefs has about it, read into one object.
 * Source: Documentation/trace/events.rst, "Event formats".
 */
#include <xperf/tracepoint.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "ctx.h"
#include "format.h"
#include "tracefs.h"
#include "vec.h"

/* The public part points into the private one. */
struct description {
	struct xp_tracepoint tp; /* first */
	char *subsystem, *event, *print_fmt;
	struct xp_tracepoint_field *fields;
};

void xp_tracepoint_free(struct xp_tracepoint *tp)
{
	struct description *d = (struct description *)tp;

	if (!d)
		return;
	for (int i = 0; i < d->tp.nr_fields; i++) {
		free((char *)d->fields[i].name);
		free((char *)d->fields[i].type);
	}
	free(d->fields);
	free(d->subsystem);
	free(d->event);
	free(d->print_fmt);
	free(d);
}

static int add_field(const struct xp_tracepoint_field *field, void *data)
{
	struct description *d = data;

	if (vec_add(&d->fields, (size_t)d->tp.nr_fields, sizeof(d->fields[0])))
		return -ENOMEM;
	d->tp.fields = d->fields;
	struct xp_tracepoint_field *added = &d->fields[d->tp.nr_fields++];
	*added = *field;
	added->name = strdup(field->name);
	added->type = strdup(field->type);
	return added->name && added->type ? 0 : -ENOMEM;
}

/* The line behind "print fmt: ", the caller's; NULL on out of memory. */
static char *print_fmt_of(const char *text)
{
	static const char mark[] = "print fmt: ";
	const char *line = strstr(text, mark);

	if (!line)
		return strdup("");
	line += sizeof(mark) - 1;
	return strndup(line, strcspn(line, "\n"));
}

/* Reads the two files. */
static int fill(struct description *d, struct xp_ctx *ctx, struct xp_diag *diag)
{
	xp_auto_free char *text = NULL;
	size_t len;

	if (!d->subsystem || !d->event)
		return -ENOMEM;
	int err = xp_tracefs_id(ctx, d->subsystem, d->event, &d->tp.id)
			  ?: xp_file_read(ctx, &text, &len, "%s/events/%s/%s/format", xp_tracefs_path(ctx),
				d->subsystem, d->event)
			  ?: xp_format_walk(text, len, add_field, d, diag);

	if (err)
		return err;
	d->print_fmt = print_fmt_of(text);
	d->tp.print_fmt = d->print_fmt;
	return d->print_fmt ? 0 : -ENOMEM;
}

static int explain(struct xp_ctx *ctx, const struct description *d, int err, struct xp_diag *diag)
{
	const char *path = xp_tracefs_path(ctx);
	struct xp_tracefs_why why;

	if (err == -ENOSYS) /* said already */
		return err;
	if (err == -ENOMEM)
		return xp_diag_set(diag, err, "Out of memory");
	if (err == -ENOENT && path)
		return xp_diag_set(diag, err, "there is no tracepoint '%s:%s'", d->subsystem,
				   d->event);
	if (err == -EBADMSG)
		return xp_diag_set(diag, err, "%s/events/%s/%s/format cannot be parsed", path,
				   d->subsystem, d->event);
	xp_tracefs_explain(ctx, err, &why);
	xp_diag_set(diag, err, "%s:%s cannot be looked up: %s", d->subsystem, d->event, why.reason);
	xp_diag_hint(diag, "%s", why.hint);
	return err;
}

int xp_tracepoint_new(struct xp_ctx *ctx, const char *subsystem, const char *event,
		      struct xp_tracepoint **ret_tp, struct xp_diag *diag)
{
	struct description *d = calloc(1, sizeof(*d));

	if (!d)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	d->tp.subsystem = d->subsystem = strdup(subsystem);
	d->tp.event = d->event = strdup(event);
	int err = fill(d, ctx, diag);
	if (err) {
		err = explain(ctx, d, err, diag);
		xp_tracepoint_free(&d->tp);
		return err;
	}
	*ret_tp = &d->tp;
	return 0;
}

const struct xp_tracepoint_field *xp_tracepoint_field_find(const struct xp_tracepoint *tp,
							   const char *name, size_t len)
{
	for (int i = 0; i < tp->nr_fields; i++)
		if (!strncmp(tp->fields[i].name, name, len) && !tp->fields[i].name[len])
			return &tp->fields[i];
	return NULL;
}
