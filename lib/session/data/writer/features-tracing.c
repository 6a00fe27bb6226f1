/* SPDX-License-Identifier: MIT */
/*
 * TRACING_DATA: what readers need to take the tracepoints of a recording apart, as tracefs has it.
 *
 * Source: trace-cmd.dat.v6(5), "initial format" to "process information", of which perf writes
 * version 0.6; Documentation/trace/events.rst.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "bytes.h"
#include "cleanup.h"
#include "ctx.h"
#include "features.h"
#include "names.h"
#include "tracefs.h"
#include "vec.h"

struct tracepoint {
	uint64_t id;
	char *subsystem;
	char *event;
};

struct tracing {
	struct xp_ctx *ctx;
	const char *dir; /* where tracefs is */
	struct tracepoint *at;
	int nr;
};

static bool is_known(const struct tracing *t, uint64_t id)
{
	for (int i = 0; i < t->nr; i++)
		if (t->at[i].id == id)
			return true;
	return false;
}

static int keep(struct tracing *t, uint64_t id, const char *subsystem, const char *event)
{
	if (vec_add(&t->at, (size_t)t->nr, sizeof(*t->at)))
		return -ENOMEM;
	struct tracepoint *at = &t->at[t->nr];
	*at = (struct tracepoint){ id, strdup(subsystem), strdup(event) };
	if (!at->subsystem || !at->event) {
		free(at->subsystem);
		free(at->event);
		return -ENOMEM;
	}
	t->nr++;
	return 0;
}

/* By its name, "sched:sched_switch" and perhaps modifiers. */
static int find_by_name(struct tracing *t, uint64_t id, const char *name)
{
	xp_auto_free char *subsystem = strdup(name);
	char *event = subsystem ? strchr(subsystem, ':') : NULL;
	uint64_t found;

	if (!subsystem)
		return -ENOMEM;
	if (!event)
		return -ENOENT;
	*event++ = '\0';
	event[strcspn(event, ":")] = '\0';
	if (xp_tracefs_id(t->ctx, subsystem, event, &found) || found != id)
		return -ENOENT;
	return keep(t, id, subsystem, event);
}

/* Returns -ENOENT where the subsystem has no tracepoint of that number. */
static int find_in(struct tracing *t, uint64_t id, const char *subsystem)
{
	struct xp_names events = { 0 };
	int err = -ENOENT;
	uint64_t found;

	xp_tracefs_events(t->ctx, subsystem, &events);
	for (int i = 0; i < events.nr && err == -ENOENT; i++)
		if (!xp_tracefs_id(t->ctx, subsystem, events.at[i], &found) && found == id)
			err = keep(t, id, subsystem, events.at[i]);
	xp_names_fini(&events);
	return err;
}

/* One that goes by another name: each is looked at. */
static int find_by_id(struct tracing *t, uint64_t id)
{
	struct xp_names subsystems = { 0 };
	int err = -ENOENT;

	xp_tracefs_subsystems(t->ctx, &subsystems);
	for (int i = 0; i < subsystems.nr && err == -ENOENT; i++)
		err = find_in(t, id, subsystems.at[i]);
	xp_names_fini(&subsystems);
	return err;
}

static int find_all(struct tracing *t, const struct xp_feature_source *from)
{
	for (int i = 0; i < from->nr_events; i++) {
		const struct xp_data_event *event = &from->events[i];
		uint64_t id = event->attr.config;

		if (event->attr.type != XP_TYPE_TRACEPOINT || is_known(t, id))
			continue;
		int err = find_by_name(t, id, event->name);
		if (err == -ENOENT)
			err = find_by_id(t, id);
		if (err && err != -ENOENT)
			return err;
	}
	return t->nr ? 0 : -ENOENT;
}

/* A file with its length before it; nothing, and length 0, where it cannot be read. */
static int add_file(struct tracing *t, const char *name, size_t bytes_of_len, struct xp_str *out)
{
	xp_auto_free char *text = NULL;
	size_t len = 0;
	int err = xp_file_read(t->ctx, &text, &len, "%s/%s", t->dir, name);

	if (bytes_of_len == sizeof(uint32_t))
		add_u32(out, (uint32_t)len);
	else
		add_u64(out, len);
	add_bytes(out, text, len);
	return err;
}

static int add_format(struct tracing *t, const struct tracepoint *tracepoint, struct xp_str *out)
{
	struct xp_str name = { 0 };
	int err =
		xp_str_addf(&name, "events/%s/%s/format", tracepoint->subsystem, tracepoint->event);

	if (!err)
		err = add_file(t, name.s, sizeof(uint64_t), out);
	xp_str_fini(&name);
	return err;
}

static bool is_first_of_subsystem(const struct tracing *t, int idx)
{
	for (int i = 0; i < idx; i++)
		if (!strcmp(t->at[i].subsystem, t->at[idx].subsystem))
			return false;
	return true;
}

static int add_subsystem(struct tracing *t, const char *subsystem, struct xp_str *out)
{
	size_t nr_at;
	uint32_t nr = 0;
	int err = 0;

	add_bytes(out, subsystem, strlen(subsystem) + 1);
	nr_at = out->len;
	add_u32(out, 0); /* how many, known at the end */
	for (int i = 0; i < t->nr && !err; i++) {
		if (strcmp(t->at[i].subsystem, subsystem))
			continue;
		err = add_format(t, &t->at[i], out);
		nr++;
	}
	set_u32(out, nr_at, nr);
	return err;
}

static int add_subsystems(struct tracing *t, struct xp_str *out)
{
	size_t nr_at = out->len;
	uint32_t nr = 0;
	int err = 0;

	add_u32(out, 0); /* how many, known at the end */
	for (int i = 0; i < t->nr && !err; i++) {
		if (!is_first_of_subsystem(t, i))
			continue;
		err = add_subsystem(t, t->at[i].subsystem, out);
		nr++;
	}
	set_u32(out, nr_at, nr);
	return err;
}

static int add_all(struct tracing *t, struct xp_str *out)
{
	static const char magic[] = "\x17\x08\x44tracing0.6";
	static const uint8_t machine[] = { __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long) };

	add_bytes(out, magic, sizeof(magic));
	add_bytes(out, machine, sizeof(machine));
	add_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	add_bytes(out, "header_page", sizeof("header_page"));
	int err = add_file(t, "events/header_page", sizeof(uint64_t), out);
	add_bytes(out, "header_event", sizeof("header_event"));
	if (!err)
		err = add_file(t, "events/header_event", sizeof(uint64_t), out);
	add_u32(out, 0); /* formats of ftrace's own records */
	if (!err)
		err = add_subsystems(t, out);
	add_u32(out, 0); /* kallsyms: maps and their files say it better */
	add_file(t, "printk_formats", sizeof(uint32_t), out);
	add_file(t, "saved_cmdlines", sizeof(uint64_t), out);
	return err;
}

static bool has_tracepoints(const struct xp_feature_source *from)
{
	for (int i = 0; i < from->nr_events; i++)
		if (from->events[i].attr.type == XP_TYPE_TRACEPOINT)
			return true;
	return false;
}

int xp_feature_tracing_data(const struct xp_feature_source *from, struct xp_str *out)
{
	struct tracing t = { .ctx = from->ctx };

	if (!has_tracepoints(from))
		return -ENOENT;
	t.dir = xp_tracefs_path(from->ctx);
	if (!t.dir)
		return -ENOENT;
	int err = find_all(&t, from) ?: add_all(&t, out);
	for (int i = 0; i < t.nr; i++) {
		free(t.at[i].subsystem);
		free(t.at[i].event);
	}
	free(t.at);
	return err;
}
