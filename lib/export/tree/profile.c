/* SPDX-License-Identifier: MIT */
/* What a profile has counted becomes a part of a tree. Rows of the profile are tasks, its places
 * frames. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/export.h>
#include <xperf/profile.h>
#include <xperf/symtab.h>

#include "add.h"
#include "opts.h"
#include "tree.h"

/* @frames: per place, twice: of this sample, and of an earlier one; plus 1 */
struct adding {
	struct xp_tree *tree;
	const struct xp_profile *profile;
	struct xp_tree_opts opts;
	struct tree_adder adder;
	uint32_t *frames;
	uint32_t nr_places;
	uint32_t *calls; /* per call of the profile */
};

/* The number after the last colon of "file.c:12". */
static uint32_t line_of(const struct xp_location *location)
{
	const char *colon = location->line ? strrchr(location->line, ':') : NULL;

	return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

static int make_frame(struct adding *adding, const struct xp_location *location, uint32_t marks,
		      uint32_t *ret_nr)
{
	const struct xp_line line = { .name = location->frame.function.name,
				      .file = location->file,
				      .line = line_of(location),
				      .start_line = location->start_line };
	const struct frame_place place = { .frame = &location->frame,
					   .line = &line,
					   .is_inlined = location->is_inlined,
					   .marks = marks };

	return xp_adder_frame(&adding->adder, &place, ret_nr);
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

static int add_call(struct adding *adding, size_t idx)
{
	struct xp_profile_call call = { .size = sizeof(call) };
	uint32_t frame, parent = NO_CALL;
	int err = xp_profile_call_at(adding->profile, idx, &call)
			  ?: find_frame(adding, &call, &frame)
			  ?: (call.is_cut ? xp_adder_cut(&adding->adder, &parent) : 0);

	if (err)
		return err;
	if (call.parent >= 0)
		parent = adding->calls[call.parent];
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

/* The name of a thread, which can be empty; of a whole process, its own. */
static const char *comm_of(const struct adding *adding, const struct xp_profile_row *row)
{
	const struct xp_tree_opts *opts = &adding->opts;
	const char *name = NULL;

	if (!has(opts, XP_BY_COMM) && !has(opts, XP_BY_THREAD)) {
		if (!has(opts, XP_BY_PROCESS))
			return "";
		name = xp_tree_process(adding->tree, row->pid);
	}
	if (!name)
		name = row->comm;
	return *name ? name : "[no name]";
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
	bool by_cgroup = has(opts, XP_BY_CGROUP) && opts->cgroup && !has(opts, XP_BY_TIME);
	const struct tree_task task = {
		.comm = comm_of(adding, row),
		.cgroup = by_cgroup ? opts->cgroup(row->tag, opts->data) : "",
		.pid = by_process ? row->pid : -1,
		.tid = by_thread ? row->tid : -1,
		.cpu = has(opts, XP_BY_CPU) ? row->cpu : -1,
		.bucket = has(opts, XP_BY_TIME) ? row->tag : 0,
	};

	stack.event = adding->adder.events[from.event];
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
	struct adding adding = { .tree = tree, .profile = profile };
	int err = XP_OPTS_COPY(&adding.opts, opts, struct xp_tree_opts, data, NULL);

	if (err)
		return err;
	if (!profile || !data)
		return -EINVAL;
	err = xp_adder_init(&adding.adder, tree, data,
			    adding.opts.addresses ? XP_EXPORT_ADDRESSES : 0)
		      ?: add_calls(&adding);
	for (size_t i = 0; !err && i < xp_profile_nr_stacks(profile); i++)
		err = add_stack(&adding, i);
	xp_adder_fini(&adding.adder);
	free(adding.frames);
	free(adding.calls);
	return err;
}
