/* SPDX-License-Identifier: MIT */
/* In place of libtraceevent.c where the build has no libtraceevent. */
#include "format.h"

#include <errno.h>
#include <xperf/diag.h>

#include "tep.h"

static int missing(struct xp_diag *diag)
{
	xp_diag_set(diag, -ENOSYS,
		    "the fields of tracepoints cannot be read: built without libtraceevent");
	xp_diag_hint(diag, "install the libtraceevent development package and build again");
	return -ENOSYS;
}

int xp_format_walk(const char *text, size_t len, xp_format_fn *fn, void *data, struct xp_diag *diag)
{
	(void)text;
	(void)len;
	(void)fn;
	(void)data;
	return missing(diag);
}

int xp_tep_new(const struct xp_tep_machine *machine, struct xp_tep **ret_tep, struct xp_diag *diag)
{
	(void)machine;
	(void)ret_tep;
	return missing(diag);
}

/* Without one of them the rest is never called. */

void xp_tep_free(struct xp_tep *tep)
{
	(void)tep;
}

void xp_tep_add_function(struct xp_tep *tep, const char *name, uint64_t address)
{
	(void)tep;
	(void)name;
	(void)address;
}

void xp_tep_set_functions(struct xp_tep *tep, xp_traces_function_fn fn, void *data)
{
	(void)tep;
	(void)fn;
	(void)data;
}

void xp_tep_add_format(struct xp_tep *tep, const char *text, uint64_t address)
{
	(void)tep;
	(void)text;
	(void)address;
}

int xp_tep_add_event(struct xp_tep *tep, const char *system, const char *text, size_t len,
		     void **ret_event)
{
	(void)tep;
	(void)system;
	(void)text;
	(void)len;
	(void)ret_event;
	return -ENOSYS;
}

ssize_t xp_tep_text(struct xp_tep *tep, void *event, int cpu, const void *raw, size_t len,
		    const char **ret_text)
{
	(void)tep;
	(void)event;
	(void)cpu;
	(void)raw;
	(void)len;
	(void)ret_text;
	return -ENOSYS;
}

ssize_t xp_tep_raw_text(struct xp_tep *tep, void *event, const void *raw, size_t len,
			const char **ret_text)
{
	return xp_tep_text(tep, event, 0, raw, len, ret_text);
}

int xp_tep_field(void *event, const char *name, struct xp_tracepoint_field *ret_field)
{
	(void)event;
	(void)name;
	(void)ret_field;
	return -ENOENT;
}

ssize_t xp_tep_field_text(struct xp_tep *tep, void *event, const char *name, const void *raw,
			  size_t len, const char **ret_text)
{
	(void)name;
	return xp_tep_text(tep, event, 0, raw, len, ret_text);
}

void xp_tep_fields(void *event, void (*fn)(const char *name, void *data), void *data)
{
	(void)event;
	(void)fn;
	(void)data;
}
