/* SPDX-License-Identifier: MIT */
/*
 * Tracing data of a recording: formats of its tracepoints, each read when its first sample is
 * shown, and the names that records refer to by address.
 *
 * Source: trace-cmd.dat.v6(5), "initial format" to "process information", as perf writes it
 * (version 0.5 or 0.6; the latter ends with names of processes, which samples have anyway).
 */
#include <xperf/traces.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/tracepoint.h>

#include "cleanup.h"
#include "str.h"
#include "tep.h"
#include "vec.h"

enum { NAME_ROOM = 256 };

/* One tracepoint. */
struct trace {
	uint64_t id;
	char *name;         /* "sched:sched_switch" */
	const char *format; /* in the body */
	size_t len;
	void *event; /* once it was read; NULL: not yet, or it cannot be */
	bool tried;
};

struct xp_traces {
	struct xp_tep *tep;
	struct trace *at;
	size_t nr;
	struct xp_str fields;
};

/* What is left of the body. After the first read beyond its end nothing is. */
struct cursor {
	const char *at;
	size_t left;
	bool big_endian;
};

static const char *consume(struct cursor *c, uint64_t len)
{
	const char *at = c->at;

	if (len > c->left) {
		c->left = 0;
		return NULL;
	}
	c->at += len;
	c->left -= (size_t)len;
	return at;
}

static uint64_t consume_number(struct cursor *c, size_t bytes)
{
	const unsigned char *at = (const unsigned char *)consume(c, bytes);
	uint64_t value = 0;

	for (size_t i = 0; at && i < bytes; i++)
		value |= (uint64_t)at[c->big_endian ? bytes - 1 - i : i] << 8 * i;
	return value;
}

/* A string with its end. Returns NULL if there is none. */
static const char *consume_string(struct cursor *c)
{
	return consume(c, strnlen(c->at, c->left) + 1);
}

/* A section that begins with its length. */
static const char *consume_section(struct cursor *c, size_t bytes, size_t *ret_len)
{
	uint64_t len = consume_number(c, bytes);

	*ret_len = (size_t)len;
	return consume(c, len);
}

/* --- formats --- */

static int add_trace(struct xp_traces *traces, const char *system, const char *format, size_t len)
{
	xp_auto_free char *text = strndup(format, len < 4096 ? len : 4096);
	const char *id = text ? strstr(text, "\nID:") : NULL;
	char event[NAME_ROOM], name[2 * NAME_ROOM];
	if (!text)
		return -ENOMEM;
	if (!id || sscanf(text, "name: %255s", event) != 1)
		return 0;
	if (vec_add(&traces->at, traces->nr, sizeof(*traces->at)))
		return -ENOMEM;
	snprintf(name, sizeof(name), "%.255s:%s", system, event);
	traces->at[traces->nr] = (struct trace){ .id = strtoull(id + strlen("\nID:"), NULL, 10),
						 .name = strdup(name),
						 .format = format,
						 .len = len };
	return traces->at[traces->nr++].name ? 0 : -ENOMEM;
}

/* @nr formats of one subsystem. */
static int load_formats(struct xp_traces *traces, struct cursor *c, const char *system, uint64_t nr)
{
	int err = 0;

	while (nr-- && c->left && !err) {
		size_t len;
		const char *format = consume_section(c, sizeof(uint64_t), &len);

		if (format && system)
			err = add_trace(traces, system, format, len);
	}
	return err;
}

static int load_systems(struct xp_traces *traces, struct cursor *c)
{
	int err = load_formats(traces, c, "ftrace", consume_number(c, sizeof(uint32_t)));

	for (uint64_t nr = consume_number(c, sizeof(uint32_t)); nr && c->left && !err; nr--) {
		const char *system = consume_string(c);

		if (system)
			err = load_formats(traces, c, system, consume_number(c, sizeof(uint32_t)));
	}
	return err;
}

/* --- names by address --- */

/* Calls @fn for each line of a section, which is changed. */
static int each_line(struct cursor *c, struct xp_tep *tep,
		     void (*fn)(struct xp_tep *tep, char *line))
{
	size_t len;
	const char *section = consume_section(c, sizeof(uint32_t), &len);
	xp_auto_free char *text = section ? strndup(section, len) : NULL;
	char *rest = NULL;

	if (section && !text)
		return -ENOMEM;
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		fn(tep, line);
	return 0;
}

/* "ffffffff81000000 T _text" */
static void add_function(struct xp_tep *tep, char *line)
{
	char name[NAME_ROOM];
	unsigned long long address;

	if (sscanf(line, "%llx %*c %255s", &address, name) == 2)
		xp_tep_add_function(tep, name, address);
}

/* "0xffffffff81000000 : "text"" */
static void add_format(struct xp_tep *tep, char *line)
{
	char *text, *address = strtok_r(line, ":", &text);

	if (!address || !text || !*text)
		return;
	text += *text == ' ';
	xp_tep_add_format(tep, text, strtoull(address, NULL, 16));
}

/* --- the whole --- */

static const char magic[] = "\x17\x08\x44tracing";

static int load_body(struct xp_traces *traces, struct cursor *c, struct xp_diag *diag)
{
	struct xp_tep_machine machine = { 0 };
	size_t len;

	consume_string(c); /* version */
	c->big_endian = machine.big_endian = consume_number(c, 1);
	machine.long_bytes = (int)consume_number(c, 1);
	machine.page_bytes = (int)consume_number(c, sizeof(uint32_t));
	int err = xp_tep_new(&machine, &traces->tep, diag);
	for (int i = 0; !err && i < 2; i++) { /* of pages, and of events in them */
		consume_string(c);
		consume_section(c, sizeof(uint64_t), &len);
	}
	if (!err)
		err = load_systems(traces, c);
	if (!err)
		err = each_line(c, traces->tep, add_function);
	return err ? err : each_line(c, traces->tep, add_format);
}

static int by_id(const void *a, const void *b)
{
	const struct trace *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

int xp_traces_new(const void *body, size_t len, struct xp_traces **ret_traces, struct xp_diag *diag)
{
	struct cursor c = { .at = body, .left = len };
	const char *start = consume(&c, sizeof(magic) - 1);
	struct xp_traces *traces;

	if (!start || memcmp(start, magic, sizeof(magic) - 1))
		return xp_diag_set(diag, -EBADMSG,
				   "The tracing data of the recording cannot be parsed");
	traces = calloc(1, sizeof(*traces));
	int err = traces ? load_body(traces, &c, diag) : -ENOMEM;
	if (err) {
		xp_traces_free(traces);
		return err;
	}
	if (traces->nr)
		qsort(traces->at, traces->nr, sizeof(*traces->at), by_id);
	*ret_traces = traces;
	return 0;
}

void xp_traces_free(struct xp_traces *traces)
{
	if (!traces)
		return;
	for (size_t i = 0; i < traces->nr; i++)
		free(traces->at[i].name);
	free(traces->at);
	xp_str_fini(&traces->fields);
	xp_tep_free(traces->tep);
	free(traces);
}

void xp_traces_set_functions(struct xp_traces *traces, xp_traces_function_fn fn, void *data)
{
	xp_tep_set_functions(traces->tep, fn, data);
}

static struct trace *find(const struct xp_traces *traces, uint64_t id)
{
	struct trace key = { .id = id };

	return traces->nr ? bsearch(&key, traces->at, traces->nr, sizeof(key), by_id) : NULL;
}

const char *xp_traces_name(const struct xp_traces *traces, uint64_t id)
{
	const struct trace *trace = find(traces, id);

	return trace ? trace->name : NULL;
}

/* The library takes no bare tabs in texts, the only place where some formats have them behind
 * "print fmt:". Source: libtraceevent 1.7; maple_tree:ma_read of Linux 6.18. */
static void copy_format(const struct trace *trace, struct xp_str *copy)
{
	static const char title[] = "\nprint fmt:";
	const char *print = memmem(trace->format, trace->len, title, sizeof(title) - 1);
	const char *end = trace->format + strnlen(trace->format, trace->len);

	for (const char *at = trace->format; at < end; at++)
		if (*at == '\t' && print && at > print)
			xp_str_add(copy, "\\t", 2);
		else
			xp_str_add(copy, at, 1);
}

/* The library's event of a number; NULL: there is none. */
static void *event_of(struct xp_traces *traces, uint64_t id)
{
	struct trace *trace = find(traces, id);

	if (!trace)
		return NULL;
	if (!trace->tried) {
		xp_auto_free char *system = strndup(trace->name, strcspn(trace->name, ":"));
		struct xp_str format = { 0 };

		trace->tried = true;
		copy_format(trace, &format);
		if (system && !format.failed)
			xp_tep_add_event(traces->tep, system, xp_str_text(&format), format.len,
					 &trace->event);
		xp_str_fini(&format);
	}
	return trace->event;
}

ssize_t xp_traces_text(struct xp_traces *traces, uint64_t id, int cpu, const void *raw,
		       size_t raw_len, const char **ret_text)
{
	void *event = event_of(traces, id);

	*ret_text = "";
	return event ? xp_tep_text(traces->tep, event, cpu, raw, raw_len, ret_text) : 0;
}

static void add_field(const char *name, void *data)
{
	struct xp_str *fields = data;

	xp_str_addf(fields, "%s%s", fields->len ? "," : "", name);
}

const char *xp_traces_fields(struct xp_traces *traces, uint64_t id)
{
	void *event = event_of(traces, id);

	xp_str_fini(&traces->fields);
	traces->fields = (struct xp_str){ 0 };
	if (event)
		xp_tep_fields(event, add_field, &traces->fields);
	return xp_str_text(&traces->fields);
}

ssize_t xp_traces_raw_text(struct xp_traces *traces, uint64_t id, const void *raw, size_t raw_len,
			   const char **ret_text)
{
	void *event = event_of(traces, id);

	*ret_text = "";
	return event ? xp_tep_raw_text(traces->tep, event, raw, raw_len, ret_text) : 0;
}

int xp_traces_field(struct xp_traces *traces, uint64_t id, const char *name,
		    struct xp_tracepoint_field *ret_field)
{
	void *event = event_of(traces, id);

	return event ? xp_tep_field(event, name, ret_field) : -ENOENT;
}

ssize_t xp_traces_field_text(struct xp_traces *traces, uint64_t id,
			     const struct xp_tracepoint_field *field, const void *raw,
			     size_t raw_len, const char **ret_text)
{
	void *event = event_of(traces, id);

	*ret_text = "";
	return event ? xp_tep_field_text(traces->tep, event, field->name, raw, raw_len, ret_text)
		     : 0;
}
