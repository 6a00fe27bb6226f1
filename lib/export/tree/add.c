/* SPDX-License-Identifier: MIT */
/* What is known of a place in a recording, as a frame: see add.h. */
#include "add.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/export.h>
#include <xperf/record.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>

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

int xp_adder_init(struct tree_adder *adder, struct xp_tree *tree, const struct xp_data *data,
		  unsigned int has)
{
	const struct xp_data_event *event;
	uint32_t nr = 0;
	int err = 0;

	while (xp_data_event_at(data, (int)nr))
		nr++;
	*adder = (struct tree_adder){
		.tree = tree,
		.files = xp_table(offsetof(struct known_file, nr), sizeof(struct known_file)),
		.events = calloc((size_t)nr + 1, sizeof(*adder->events)),
		.nr_events = nr,
		.addresses = has & XP_EXPORT_ADDRESSES,
	};
	if (!adder->events)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < nr; i++) {
		event = xp_data_event_at(data, (int)i);
		bool is_time = is_clock(&event->attr) || is_wait(event);
		const struct tree_event made = {
			.name = event->name,
			.unit = is_time ? "nanoseconds" : "count",
			.sample_period = event->attr.freq ? 0 : event->attr.sample_period,
			.is_off_cpu = is_wait(event),
			.is_tracepoint = event->attr.type == XP_TYPE_TRACEPOINT,
		};

		err = xp_tree_add_event(tree, &made, &adder->events[i]);
	}
	return err;
}

void xp_adder_fini(struct tree_adder *adder)
{
	xp_table_fini(&adder->files);
	free(adder->events);
}

static int find_file(struct tree_adder *adder, const struct xp_dso *dso, uint32_t *ret_nr)
{
	const struct known_file key = { .dso = dso };
	uint32_t at;
	int is_new = xp_table_intern(&adder->files, &key, &at), err = 0;

	if (is_new < 0)
		return is_new;
	struct known_file *known = xp_table_at(&adder->files, at);
	if (is_new) {
		struct tree_file file = { .path = dso->name,
					  .name = dso->short_name,
					  .build_id_len = dso->build_id_len,
					  .is_kernel = dso->is_kernel };
		uint32_t nr;

		memcpy(file.build_id, dso->build_id, sizeof(file.build_id));
		err = xp_tree_add_file(adder->tree, &file, &nr);
		known->nr = nr;
	}
	*ret_nr = (uint32_t)known->nr;
	return err;
}

static uint32_t marks_of(const struct frame_place *place)
{
	const struct xp_dso *dso = place->frame->map.dso;
	uint16_t mode = place->frame->cpumode;

	return place->marks |
	       (mode == XP_MISC_KERNEL || mode == XP_MISC_GUEST_KERNEL ? XP_MARK_KERNEL : 0U) |
	       (place->is_inlined ? XP_MARK_INLINED : 0U) | (dso && dso->is_jit ? XP_MARK_JIT : 0U);
}

/* What is shown where no function is known. Brackets of a name like "[vdso]" are not doubled. */
static void name_file(char *buf, size_t size, const struct xp_dso *dso)
{
	const char *name = dso ? dso->short_name : "unknown";

	snprintf(buf, size, *name == '[' ? "%s" : "[%s]", name);
}

int xp_adder_frame(struct tree_adder *adder, const struct frame_place *place, uint32_t *ret_frame)
{
	const struct xp_frame *at = place->frame;
	const struct xp_line *line = place->line;
	bool has_source = line && line->file && *line->file;
	char unknown[4096];
	struct tree_frame frame = {
		.name = place->is_inlined && line && line->name ? line->name : at->function.name,
		.source = has_source ? line->file : "",
		.line = has_source ? line->line : 0,
		.start_line = has_source ? line->start_line : 0,
		.file = NO_FILE,
		.marks = marks_of(place),
		.address = at->address,
		.key_address = adder->addresses ? at->address : 0,
	};
	int err = at->map.dso ? find_file(adder, at->map.dso, &frame.file) : 0;

	if (!frame.name) {
		name_file(unknown, sizeof(unknown), at->map.dso);
		frame.name = unknown;
		frame.marks |= XP_MARK_UNKNOWN;
	}
	return err ? err : xp_tree_add_frame(adder->tree, &frame, ret_frame);
}

int xp_adder_joined(struct tree_adder *adder, uint32_t nr, uint32_t *ret_frame)
{
	struct tree_frame frame = *tree_frame(adder->tree, nr);

	frame.marks |= XP_MARK_JOINED;
	return xp_tree_add_frame(adder->tree, &frame, ret_frame);
}

int xp_adder_cut(struct tree_adder *adder, uint32_t *ret_call)
{
	const struct tree_frame frame = { .name = "[truncated]",
					  .file = NO_FILE,
					  .marks = XP_MARK_CUT };
	uint32_t nr;

	return xp_tree_add_frame(adder->tree, &frame, &nr)
		       ?: xp_tree_add_call(adder->tree, NO_CALL, nr, ret_call);
}
