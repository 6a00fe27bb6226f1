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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
#include <xperf/diag.h>
#include <xperf/tracepoint.h>

#include "cleanup.h"
#include "loaded.h"
#include "tep.h"

/* The functions used, by the types the header gives them. */
struct libtraceevent {
	void *handle;
	__typeof__(tep_alloc) *alloc;
	__typeof__(tep_free) *free;
	__typeof__(tep_parse_format) *parse_format;
	__typeof__(tep_set_loglevel) *set_loglevel;
	__typeof__(tep_set_file_bigendian) *set_file_bigendian;
	__typeof__(tep_set_long_size) *set_long_size;
	__typeof__(tep_set_page_size) *set_page_size;
	__typeof__(tep_register_function) *register_function;
	__typeof__(tep_set_function_resolver) *set_function_resolver;
	__typeof__(tep_register_print_string) *register_print_string;
	__typeof__(tep_parse_event) *parse_event;
	__typeof__(tep_find_event_by_name) *find_event_by_name;
	__typeof__(tep_print_event) *print_event;
	__typeof__(tep_print_field) *print_field;
	__typeof__(tep_read_number) *read_number;
	__typeof__(trace_seq_init) *seq_init;
	__typeof__(trace_seq_reset) *seq_reset;
	__typeof__(trace_seq_destroy) *seq_destroy;
	__typeof__(trace_seq_printf) *seq_printf;
};

static const struct loaded_function functions[] = {
	{ "tep_alloc", offsetof(struct libtraceevent, alloc) },
	{ "tep_free", offsetof(struct libtraceevent, free) },
	{ "tep_parse_format", offsetof(struct libtraceevent, parse_format) },
	{ "tep_set_loglevel", offsetof(struct libtraceevent, set_loglevel) },
	{ "tep_set_file_bigendian", offsetof(struct libtraceevent, set_file_bigendian) },
	{ "tep_set_long_size", offsetof(struct libtraceevent, set_long_size) },
	{ "tep_set_page_size", offsetof(struct libtraceevent, set_page_size) },
	{ "tep_register_function", offsetof(struct libtraceevent, register_function) },
	{ "tep_set_function_resolver", offsetof(struct libtraceevent, set_function_resolver) },
	{ "tep_register_print_string", offsetof(struct libtraceevent, register_print_string) },
	{ "tep_parse_event", offsetof(struct libtraceevent, parse_event) },
	{ "tep_find_event_by_name", offsetof(struct libtraceevent, find_event_by_name) },
	{ "tep_print_event", offsetof(struct libtraceevent, print_event) },
	{ "tep_read_number", offsetof(struct libtraceevent, read_number) },
	{ "tep_print_field", offsetof(struct libtraceevent, print_field) },
	{ "trace_seq_init", offsetof(struct libtraceevent, seq_init) },
	{ "trace_seq_reset", offsetof(struct libtraceevent, seq_reset) },
	{ "trace_seq_destroy", offsetof(struct libtraceevent, seq_destroy) },
	{ "trace_seq_printf", offsetof(struct libtraceevent, seq_printf) },
};

/* It stays loaded, so that the next format does not pay for loading it again. */
static int load(struct libtraceevent *lib, struct xp_diag *diag)
{
	lib->handle = library_load("libtraceevent.so.1", RTLD_NODELETE, functions,
				   XP_ARRAY_LEN(functions), lib);
	if (lib->handle) {
		lib->set_loglevel(TEP_LOG_NONE); /* it would print */
		return 0;
	}
	xp_diag_set(diag, -ENOSYS,
		    "the fields of tracepoints cannot be read: libtraceevent.so.1 cannot be "
		    "loaded");
	xp_diag_hint(diag, "install libtraceevent, which reads the records of tracepoints");
	return -ENOSYS;
}

static bool is_string(const struct tep_format_field *field)
{
	enum { ELSEWHERE = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC };

	if (field->flags & ELSEWHERE)
		return strstr(field->type, "char");
	return !strcmp(field->type, "char *") || !strcmp(field->type, "const char *");
}

static struct xp_tracepoint_field describe(const struct tep_format_field *field, bool is_common)
{
	return (struct xp_tracepoint_field){
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
}

static int walk_list(const struct tep_format_field *field, bool is_common, xp_format_fn *fn,
		     void *data)
{
	int err = 0;

	for (; field && !err; field = field->next) {
		const struct xp_tracepoint_field found = describe(field, is_common);

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

/* --- records as text --- */

struct xp_tep {
	struct libtraceevent lib;
	struct tep_handle *handle;
	struct trace_seq text;
	bool is_swapped; /* the recording machine's byte order is not this one's */
	bool has_functions;
	xp_traces_function_fn function_at;
	void *function_data;
};

int xp_tep_new(const struct xp_tep_machine *machine, struct xp_tep **ret_tep, struct xp_diag *diag)
{
	struct xp_tep *tep = calloc(1, sizeof(*tep));
	int err = tep ? load(&tep->lib, diag) : -ENOMEM;

	if (!err) {
		tep->handle = tep->lib.alloc();
		err = tep->handle ? 0 : -ENOMEM;
	}
	if (err) {
		free(tep);
		return err;
	}
	tep->lib.seq_init(&tep->text);
	tep->lib.set_file_bigendian(tep->handle,
				    machine->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep->is_swapped = machine->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tep->lib.set_long_size(tep->handle, machine->long_bytes);
	tep->lib.set_page_size(tep->handle, machine->page_bytes);
	*ret_tep = tep;
	return 0;
}

void xp_tep_free(struct xp_tep *tep)
{
	if (!tep)
		return;
	tep->lib.seq_destroy(&tep->text);
	tep->lib.free(tep->handle);
	dlclose(tep->lib.handle);
	free(tep);
}

void xp_tep_add_function(struct xp_tep *tep, const char *name, uint64_t address)
{
	/* It keeps a copy of the name. */
	tep->lib.register_function(tep->handle, (char *)(uintptr_t)name, address, NULL);
	tep->has_functions = true;
}

static char *function_at(void *data, unsigned long long *address, char **ret_module)
{
	const struct xp_tep *tep = data;
	uint64_t start = *address;
	const char *name = tep->function_at(*address, &start, tep->function_data);

	*ret_module = NULL;
	*address = start;
	return (char *)(uintptr_t)name;
}

/* It would not look into its own list any more. */
void xp_tep_set_functions(struct xp_tep *tep, xp_traces_function_fn fn, void *data)
{
	if (tep->has_functions)
		return;
	tep->function_at = fn;
	tep->function_data = data;
	tep->lib.set_function_resolver(tep->handle, function_at, tep);
}

void xp_tep_add_format(struct xp_tep *tep, const char *text, uint64_t address)
{
	/* It takes off quotes and a "\\n" at the end, and looks for them without looking whether
	 * there is room for them. */
	enum { SHORTEST = 3 };

	if (strlen(text) >= SHORTEST + (size_t)(*text == '"'))
		tep->lib.register_print_string(tep->handle, text, address);
}

/* Found by its name, as the library does not hand it out. */
int xp_tep_add_event(struct xp_tep *tep, const char *system, const char *text, size_t len,
		     void **ret_event)
{
	enum { NAME_ROOM = 256 };
	char name[NAME_ROOM];

	if (sscanf(text, "name: %255s", name) != 1)
		return -EBADMSG;
	tep->lib.parse_event(tep->handle, text, len, system);
	*ret_event = tep->lib.find_event_by_name(tep->handle, system, name);
	return *ret_event ? 0 : -EBADMSG;
}

/* What the word of a dynamic field refers to: its length above, its offset below. Source:
 * Documentation/trace/events.rst, "Event formats". */
static bool has_content(const struct xp_tep *tep, const struct tep_format_field *field,
			const char *raw, size_t len)
{
	uint32_t word;

	memcpy(&word, raw + field->offset, sizeof(word));
	if (tep->is_swapped)
		word = __builtin_bswap32(word);
	size_t offset = word & 0xffff, bytes = word >> 16;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		offset += (size_t)field->offset + sizeof(word);
	if (offset > len || bytes > len - offset)
		return false;
	return !(field->flags & TEP_FIELD_IS_STRING) || memchr(raw + offset, '\0', len - offset);
}

/* The library reads fields wherever the format says that they are. */
static bool has_fields(const struct xp_tep *tep, const struct tep_format_field *field,
		       const char *raw, size_t len)
{
	for (; field; field = field->next) {
		if (field->offset < 0 || field->size < 0 || (size_t)field->offset > len ||
		    (size_t)field->size > len - (size_t)field->offset)
			return false;
		if ((field->flags & TEP_FIELD_IS_DYNAMIC) && field->size == sizeof(uint32_t) &&
		    !has_content(tep, field, raw, len))
			return false;
	}
	return true;
}

static bool has_all(const struct xp_tep *tep, const struct tep_event *event, const void *raw,
		    size_t len)
{
	return has_fields(tep, event->format.common_fields, raw, len) &&
	       has_fields(tep, event->format.fields, raw, len);
}

static ssize_t detach_text(const struct xp_tep *tep, const char **ret_text)
{
	if (tep->text.state != TRACE_SEQ__GOOD)
		return -ENOMEM;
	*ret_text = tep->text.buffer;
	return (ssize_t)tep->text.len;
}

ssize_t xp_tep_text(struct xp_tep *tep, void *event, int cpu, const void *raw, size_t len,
		    const char **ret_text)
{
	struct tep_record record = { .cpu = cpu, .size = (int)len, .data = (void *)(uintptr_t)raw };

	if (!has_all(tep, event, raw, len))
		return -EBADMSG;
	tep->lib.seq_reset(&tep->text);
	tep->lib.print_event(((struct tep_event *)event)->tep, &tep->text, &record, "%s",
			     TEP_PRINT_INFO);
	return detach_text(tep, ret_text);
}

/* Addresses and words whose meaning is not said are in hexadecimal. Source: perf 6.1. */
static void put_number(struct xp_tep *tep, const struct tep_format_field *field, const char *raw)
{
	unsigned long long number =
		tep->lib.read_number(tep->handle, raw + field->offset, field->size);
	int unused = 64 - 8 * field->size;
	bool is_signed = field->flags & TEP_FIELD_IS_SIGNED;

	if (field->flags & TEP_FIELD_IS_POINTER ||
	    (field->flags & TEP_FIELD_IS_LONG && (!is_signed || field->size == 4)))
		tep->lib.seq_printf(&tep->text, "0x%llx", number);
	else if (is_signed)
		tep->lib.seq_printf(&tep->text, "%lld", (long long)(number << unused) >> unused);
	else
		tep->lib.seq_printf(&tep->text, "%llu", number);
}

/* A text in the record itself need not have an end. */
static void put_field(struct xp_tep *tep, const struct tep_format_field *field, const char *raw)
{
	enum { ELSEWHERE = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC };
	bool is_number =
		field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;

	if (field->flags & TEP_FIELD_IS_STRING && !(field->flags & TEP_FIELD_IS_DYNAMIC))
		tep->lib.seq_printf(&tep->text, "%.*s", field->size, raw + field->offset);
	else if (is_number && !(field->flags & ELSEWHERE))
		put_number(tep, field, raw);
	else
		tep->lib.print_field(&tep->text, (void *)(uintptr_t)raw,
				     (struct tep_format_field *)(uintptr_t)field);
}

ssize_t xp_tep_raw_text(struct xp_tep *tep, void *event, const void *raw, size_t len,
			const char **ret_text)
{
	const struct tep_event *e = event;

	if (!has_all(tep, e, raw, len))
		return -EBADMSG;
	tep->lib.seq_reset(&tep->text);
	for (const struct tep_format_field *f = e->format.fields; f; f = f->next) {
		tep->lib.seq_printf(&tep->text, " %s=", f->name);
		put_field(tep, f, raw);
	}
	return detach_text(tep, ret_text);
}

static const struct tep_format_field *find_field(const struct tep_event *event, const char *name)
{
	const struct tep_format_field *field = event->format.fields;

	while (field && strcmp(field->name, name) != 0)
		field = field->next;
	return field;
}

int xp_tep_field(void *event, const char *name, struct xp_tracepoint_field *ret_field)
{
	const struct tep_format_field *field = find_field(event, name);

	if (!field)
		return -ENOENT;
	*ret_field = describe(field, false);
	return 0;
}

ssize_t xp_tep_field_text(struct xp_tep *tep, void *event, const char *name, const void *raw,
			  size_t len, const char **ret_text)
{
	const struct tep_format_field *field = find_field(event, name);

	if (!field || !has_all(tep, event, raw, len))
		return -EBADMSG;
	tep->lib.seq_reset(&tep->text);
	put_field(tep, field, raw);
	return detach_text(tep, ret_text);
}

void xp_tep_fields(void *event, void (*fn)(const char *name, void *data), void *data)
{
	const struct tep_event *e = event;

	for (const struct tep_format_field *f = e->format.fields; f; f = f->next)
		fn(f->name, data);
}
