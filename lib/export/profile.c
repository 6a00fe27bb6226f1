/* SPDX-License-Identifier: MIT */
/* What a profile has counted becomes a part of a tree. Rows of the profile are tasks, its places
 * frames. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opts.h"
#include "tree-impl.h"

/* @frames: per place, twice: of this sample, and of an earlier one; plus 1 */
struct adding {
	struct xp_tree *tree;
	const struct xp_profile *profile;
	const struct xp_data *data;
	struct xp_tree_opts opts;
	struct table files; /* struct known_file */
	uint32_t *events;   /* per event of the profile */
	uint32_t *frames;
	uint32_t nr_places;
	uint32_t *calls; /* per call of the profile */
	uint32_t cut;    /* the call that stands for missing callers; NO_CALL: none yet */
};

/* A file of the recording, and its number in the tree. */
struct known_file {
	const struct xp_dso *dso;
	uint64_t nr; /* value */
};

static bool is_clock(const struct xp_attr *attr)
{
	return attr->type == XP_TYPE_SOFTWARE &&
	       (attr->config == XP_SW_CPU_CLOCK || attr->config == XP_SW_TASK_CLOCK);
}

/* Waits that xperf record --off-cpu has measured. */
static bool is_wait(const struct xp_data_event *event)
{
	return event->attr.type == XP_TYPE_SOFTWARE && event->name &&
	       !strcmp(event->name, "offcpu-time");
}

static int add_events(struct adding *adding)
{
	const struct xp_data_event *event;
	int err = 0, nr = 0;

	while (xp_data_event_at(adding->data, nr))
		nr++;
	adding->events = calloc((size_t)nr + 1, sizeof(*adding->events));
	if (!adding->events)
		return -ENOMEM;
	for (int i = 0; !err && i < nr; i++) {
		event = xp_data_event_at(adding->data, i);
		bool is_time = is_clock(&event->attr) || is_wait(event);
		const struct tree_event made = {
			.name = event->name,
			.unit = is_time ? "nanoseconds" : "count",
			.sample_period = event->attr.freq ? 0 : event->attr.sample_period,
			.is_off_cpu = is_wait(event),
		};

		err = xp_tree_add_event(adding->tree, &made, &adding->events[i]);
	}
	return err;
}

static int find_file(struct adding *adding, const struct xp_dso *dso, uint32_t *ret_nr)
{
	const struct known_file key = { .dso = dso };
	uint32_t at;
	int is_new = xp_table_intern(&adding->files, &key, &at), err = 0;

	if (is_new < 0)
		return is_new;
	struct known_file *known = xp_table_at(&adding->files, at);
	if (is_new) {
		struct tree_file file = { .path = dso->name,
					  .name = dso->short_name,
					  .build_id_len = dso->build_id_len,
					  .is_kernel = dso->is_kernel };
		uint32_t nr;

		memcpy(file.build_id, dso->build_id, sizeof(file.build_id));
		err = xp_tree_add_file(adding->tree, &file, &nr);
		known->nr = nr;
	}
	*ret_nr = (uint32_t)known->nr;
	return err;
}

static uint32_t marks_of(const struct xp_location *location)
{
	const struct xp_dso *dso = location->frame.map.dso;

	return (location->level == 'k' || location->level == 'g' ? XP_MARK_KERNEL : 0U) |
	       (location->is_inlined ? XP_MARK_INLINED : 0U) |
	       (dso && dso->is_jit ? XP_MARK_JIT : 0U) |
	       (location->frame.function.name ? 0U : XP_MARK_UNKNOWN);
}

/* The number after the last colon of "file.c:12". */
static uint32_t line_of(const struct xp_location *location)
{
	const char *colon = location->line ? strrchr(location->line, ':') : NULL;

	return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

/* What is shown where no function is known. Brackets of a name like "[vdso]" are not doubled. */
static void name_file(char *buf, size_t size, const struct xp_dso *dso)
{
	const char *name = dso ? dso->short_name : "unknown";

	snprintf(buf, size, *name == '[' ? "%s" : "[%s]", name);
}

static int make_frame(struct adding *adding, const struct xp_location *location, uint32_t marks,
		      uint32_t *ret_nr)
{
	const struct xp_frame *at = &location->frame;
	bool has_source = location->file && *location->file;
	char unknown[4096];
	struct tree_frame frame = {
		.name = at->function.name,
		.source = has_source ? location->file : "",
		.line = has_source ? line_of(location) : 0,
		.file = NO_FILE,
		.marks = marks_of(location) | marks,
		.address = at->address,
		.key_address = adding->opts.addresses ? at->address : 0,
	};
	int err = at->map.dso ? find_file(adding, at->map.dso, &frame.file) : 0;

	if (!frame.name) {
		name_file(unknown, sizeof(unknown), at->map.dso);
		frame.name = unknown;
	}
	return err ? err : xp_tree_add_frame(adding->tree, &frame, ret_nr);
}

static int find_frame(struct adding *adding, const struct xp_profile_call *call, uint32_t *ret_nr)
{
	uint32_t at = call->place * 2 + call->is_joined;
	int err = xp_array_grow(&adding->frames, &adding->nr_places, at, sizeof(*adding->frames));

	if (err)
		return err;
	if (!adding->frames[at]) {
		err = make_frame(adding, call->location, call->is_joined ? XP_MARK_JOINED : 0U,
				 &adding->frames[at]);
		adding->frames[at] += !err;
	}
	*ret_nr = adding->frames[at] - 1;
	return err;
}

/* What stands for the callers of a chain that is as long as the kernel lets it be. */
static int find_cut(struct adding *adding)
{
	const struct tree_frame frame = { .name = "[truncated]",
					  .file = NO_FILE,
					  .marks = XP_MARK_CUT };
	uint32_t nr;

	if (adding->cut != NO_CALL)
		return 0;
	return xp_tree_add_frame(adding->tree, &frame, &nr)
		       ?: xp_tree_add_call(adding->tree, NO_CALL, nr, &adding->cut);
}

static int add_call(struct adding *adding, size_t idx)
{
	struct xp_profile_call call = { .size = sizeof(call) };
	uint32_t frame, parent;
	int err = xp_profile_call_at(adding->profile, idx, &call)
			  ?: find_frame(adding, &call, &frame)
			  ?: (call.is_cut ? find_cut(adding) : 0);

	if (err)
		return err;
	parent = call.is_cut ? adding->cut : call.parent < 0 ? NO_CALL : adding->calls[call.parent];
	return xp_tree_add_call(adding->tree, parent, frame, &adding->calls[idx]);
}

static int add_calls(struct adding *adding)
{
	size_t nr = xp_profile_nr_calls(adding->profile);
	int err = 0;

	adding->calls = calloc(nr + 1, sizeof(*adding->calls));
	if (!adding->calls)
		return -ENOMEM;
	for (size_t i = 0; !err && i < nr; i++)
		err = add_call(adding, i);
	return err;
}

static bool has(const struct xp_tree_opts *opts, enum xp_by by)
{
	return opts->by >> by & 1;
}

static int add_stack(struct adding *adding, size_t idx)
{
	const struct xp_tree_opts *opts = &adding->opts;
	struct xp_profile_stack from = { .size = sizeof(from) };
	struct tree_stack stack = { .call = NO_CALL };
	int err = xp_profile_stack_at(adding->profile, idx, &from);

	if (err)
		return err;
	const struct xp_profile_row *row = from.row;
	bool by_thread = has(opts, XP_BY_THREAD);
	bool by_process = by_thread || has(opts, XP_BY_PROCESS);
	bool by_cgroup = has(opts, XP_BY_CGROUP) && opts->cgroup;
	const struct tree_task task = {
		.comm = by_process || has(opts, XP_BY_COMM) ? row->comm : "",
		.cgroup = by_cgroup ? opts->cgroup(row->tag, opts->data) : "",
		.pid = by_process ? row->pid : -1,
		.tid = by_thread ? row->tid : -1,
		.cpu = has(opts, XP_BY_CPU) ? row->cpu : -1,
	};

	stack.event = adding->events[from.event];
	stack.period = from.period;
	stack.samples = from.samples;
	if (from.call >= 0)
		stack.call = adding->calls[from.call];
	return xp_tree_add_task(adding->tree, &task, &stack.task)
		       ?: xp_tree_add_stack(adding->tree, &stack);
}

int xp_tree_add_profile(struct xp_tree *tree, const struct xp_profile *profile,
			const struct xp_data *data, const struct xp_tree_opts *opts)
{
	struct adding adding = { .tree = tree, .profile = profile, .data = data, .cut = NO_CALL };
	int err = XP_OPTS_COPY(&adding.opts, opts, struct xp_tree_opts, data, NULL);

	if (err)
		return err;
	adding.files = xp_table(offsetof(struct known_file, nr), sizeof(struct known_file));
	err = add_events(&adding) ?: add_calls(&adding);
	for (size_t i = 0; !err && i < xp_profile_nr_stacks(profile); i++)
		err = add_stack(&adding, i);
	xp_table_fini(&adding.files);
	free(adding.events);
	free(adding.frames);
	free(adding.calls);
	return err;
}
