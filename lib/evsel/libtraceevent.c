/* SPDX-License-Identifier: MIT */
/*
 * Format files through libtraceevent, which is loaded here when the first one is read and not
 * linked: counting tracepoints does not need it.
 *
 * Source: libtraceevent's event-parse.h, version 1.7; the library's name is its ABI's,
 * libtraceevent.so.1. What is a string: linux kernel/trace/trace_events_filter.c, by type.
 */
#include "format.h"

#include <dlfcn.h>
#include <errno.h>
#include <event-parse.h>
#include <string.h>

#include "cleanup.h"
#include "loaded.h"

/* The functions used, by the types the header gives them. */
struct libtraceevent {
	void *handle;
	__typeof__(tep_alloc) *alloc;
	__typeof__(tep_free) *free;
	__typeof__(tep_parse_format) *parse_format;
	__typeof__(tep_set_loglevel) *set_loglevel;
};

static const struct xp_loaded_function functions[] = {
	{ "tep_alloc", offsetof(struct libtraceevent, alloc) },
	{ "tep_free", offsetof(struct libtraceevent, free) },
	{ "tep_parse_format", offsetof(struct libtraceevent, parse_format) },
	{ "tep_set_loglevel", offsetof(struct libtraceevent, set_loglevel) },
};

/* It stays loaded, so that the next format does not pay for loading it again. */
static int load(struct libtraceevent *lib, struct xp_diag *diag)
{
	lib->handle = xp_library_load("libtraceevent.so.1", RTLD_NODELETE, functions,
				      XP_ARRAY_LEN(functions), lib);
	if (lib->handle) {
		lib->set_loglevel(TEP_LOG_NONE); /* it would print */
		return 0;
	}
	xp_diag_set(diag, -ENOSYS,
		    "the fields of tracepoints cannot be read: cannot load libtraceevent.so.1");
	xp_diag_hint(diag, "install libtraceevent, what tracepoints record is read with it");
	return -ENOSYS;
}

static bool is_string(const struct tep_format_field *field)
{
	enum { ELSEWHERE = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC };

	if (field->flags & ELSEWHERE)
		return strstr(field->type, "char");
	return !strcmp(field->type, "char *") || !strcmp(field->type, "const char *");
}

static int walk_list(const struct tep_format_field *field, bool is_common, xp_format_fn *fn,
		     void *data)
{
	int err = 0;

	for (; field && !err; field = field->next) {
		const struct xp_tracepoint_field found = {
			.name = field->name,
			.type = field->type,
			.offset = (uint32_t)field->offset,
			.size = (uint32_t)field->size,
			.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
			.is_array = field->flags & TEP_FIELD_IS_ARRAY,
			.is_string = is_string(field),
			.is_dynamic = field->flags & TEP_FIELD_IS_DYNAMIC,
			.is_relative = field->flags & TEP_FIELD_IS_RELATIVE,
			.is_common = is_common,
		};

		err = fn(&found, data);
	}
	return err;
}

static int walk_event(const struct tep_event *event, xp_format_fn *fn, void *data)
{
	int err = walk_list(event->format.common_fields, true, fn, data);

	return err ? err : walk_list(event->format.fields, false, fn, data);
}

int xp_format_walk(const char *text, size_t len, xp_format_fn *fn, void *data, struct xp_diag *diag)
{
	struct libtraceevent lib = { 0 };
	struct tep_event *event = NULL;
	int err = load(&lib, diag);

	if (err)
		return err;
	struct tep_handle *tep = lib.alloc();
	if (!tep)
		err = -ENOMEM;
	/* The name of the subsystem is the caller's business, but the library wants one. */
	else if (lib.parse_format(tep, &event, text, len, "xperf") || !event)
		err = -EBADMSG;
	else
		err = walk_event(event, fn, data);
	lib.free(tep);
	dlclose(lib.handle);
	return err;
}
