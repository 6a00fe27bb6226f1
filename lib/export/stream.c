/* SPDX-License-Identifier: MIT */
/*
 * Samples one by one: their call chains become calls of the tree, and the format gets the number.
 * What is known of an address is kept as long as it is true, so nothing is looked up or allocated
 * for a sample like one before.
 */
#include "formats.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/export.h>
#include <xperf/record.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/stacks.h>
#include <xperf/symtab.h>

#include "add.h"
#include "opts.h"

/* Source: linux/perf_event.h, PERF_MAX_STACK_DEPTH */
enum { KERNEL_CHAIN = 127 };

/* An address, and what it was for a while: frames, of which the first is outermost. */
struct known {
	int32_t pid;
	uint16_t mode, is_return;
	uint64_t ip;
	uint64_t from_ns, to_ns; /* value; from > to: not known yet */
	uint32_t frames, nr_frames;
};

/* An address of a call chain. */
struct step {
	uint32_t known, is_joined;
};

/* The call chain of a sample, innermost first, and of the one before it, outermost first, with the
 * calls it led to: the next one often begins alike. */
struct path {
	struct step *steps, *last;
	uint32_t *calls;
	uint32_t nr, nr_last, cap, cap_last, cap_calls;
	uint32_t first; /* the call in front of all of them, of the last chain */
};

struct xp_exporter {
	struct xp_tree *tree;
	struct xp_resolver *resolver;
	const struct stream_format *format;
	struct export export;
	struct tree_adder adder;
	struct table known;
	uint32_t *frames;
	uint32_t nr_frames, cap_frames;
	struct path path;
	void *state;
};

int xp_exporter_new(struct xp_tree *tree, const struct xp_data *data, struct xp_resolver *resolver,
		    const struct xp_export_format *shown, const struct xp_export_opts *opts,
		    struct xp_diag *diag, struct xp_exporter **ret_exporter)
{
	const struct stream_format *format = xp_format_stream(shown);
	struct xp_exporter *exporter = calloc(1, sizeof(*exporter));

	if (!exporter)
		return -ENOMEM;
	exporter->tree = tree;
	exporter->resolver = resolver;
	exporter->format = format;
	exporter->known = xp_table(offsetof(struct known, from_ns), sizeof(struct known));
	int err = format && data && resolver ? xp_export_open(&exporter->export, tree, opts, diag)
					     : -EINVAL;
	if (!err)
		err = xp_adder_init(&exporter->adder, tree, data, shown->has);
	if (!err && !(exporter->state = calloc(1, format->state_bytes + 1)))
		err = -ENOMEM;
	if (!err && format->begin)
		err = format->begin(&exporter->export, exporter->state);
	if (err) {
		xp_exporter_free(exporter);
		return err;
	}
	*ret_exporter = exporter;
	return 0;
}

void xp_exporter_free(struct xp_exporter *exporter)
{
	if (!exporter)
		return;
	if (exporter->state && exporter->format->free)
		exporter->format->free(exporter->state);
	xp_adder_fini(&exporter->adder);
	xp_table_fini(&exporter->known);
	free(exporter->frames);
	free(exporter->path.steps);
	free(exporter->path.last);
	free(exporter->path.calls);
	free(exporter->state);
	free(exporter->export.out);
	free(exporter);
}

/* --- addresses --- */

static int add_frame(struct xp_exporter *exporter, const struct xp_frame *at,
		     const struct xp_line *line, bool is_inlined)
{
	const struct frame_place place = { .frame = at, .line = line, .is_inlined = is_inlined };

	if (xp_array_grow(&exporter->frames, &exporter->cap_frames, exporter->nr_frames,
			  sizeof(*exporter->frames)))
		return -ENOMEM;
	return xp_adder_frame(&exporter->adder, &place, &exporter->frames[exporter->nr_frames++]);
}

/* The frames from @first on become those of an address, in the place of those it had. */
static void replace_frames(struct xp_exporter *exporter, uint32_t first, struct known *known)
{
	uint32_t nr = exporter->nr_frames - first;

	exporter->path.nr_last = 0; /* what it led to can be something else now */
	if (nr == known->nr_frames) {
		memcpy(exporter->frames + known->frames, exporter->frames + first,
		       nr * sizeof(*exporter->frames));
		exporter->nr_frames = first;
		return;
	}
	known->frames = first;
	known->nr_frames = nr;
}

/* The frame of an address, then those inlined there, the outermost first. */
static int look_up(struct xp_exporter *exporter, const struct known *key, uint64_t time_ns,
		   struct known *ret)
{
	struct xp_frame frame = { .size = sizeof(frame), .map.size = sizeof(frame.map) };
	const struct xp_line *lines = NULL;
	int nr = 0, err = xp_resolver_frame(exporter->resolver, key->pid, key->mode, key->ip, false,
					    time_ns, &frame);

	if (!err && !exporter->export.opts.no_lines)
		nr = xp_frame_lines(&frame, key->is_return, &lines);
	err = err ? err : nr < 0 ? nr : 0;
	uint32_t first = exporter->nr_frames;
	for (int i = nr ? nr : 1; !err && i-- > 0;)
		err = add_frame(exporter, &frame, nr ? &lines[i] : NULL, i + 1 < nr);
	replace_frames(exporter, first, ret);
	/* Without a map, nothing says how long that is true. */
	ret->from_ns = frame.map.dso ? frame.map.from_ns : time_ns;
	ret->to_ns = frame.map.dso ? frame.map.to_ns : time_ns;
	return err;
}

static int find_known(struct xp_exporter *exporter, const struct xp_sample *sample, uint16_t mode,
		      uint64_t ip, bool is_return, uint32_t *ret_nr)
{
	const struct known key = { .pid = mode == XP_MISC_KERNEL ? -1 : sample->id.pid,
				   .mode = mode,
				   .is_return = is_return,
				   .ip = ip };
	struct known asked = key;
	uint64_t time_ns = sample->id.time_ns;
	int is_new = xp_table_intern_sized(&exporter->known, &key, offsetof(struct known, from_ns),
					   ret_nr);

	if (is_new < 0)
		return is_new;
	struct known *known = xp_table_at(&exporter->known, *ret_nr);
	if (!is_new && time_ns >= known->from_ns && time_ns <= known->to_ns)
		return 0;
	asked.pid = sample->id.pid;
	return look_up(exporter, &asked, time_ns, known);
}

/* --- call chains --- */

static int add_path(struct xp_exporter *exporter, const struct xp_sample *sample,
		    const struct xp_chain_walk *at)
{
	struct path *path = &exporter->path;
	uint32_t nr = path->nr;

	if (xp_array_grow(&path->steps, &path->cap, nr, sizeof(*path->steps)))
		return -ENOMEM;
	path->steps[nr].is_joined = at->is_joined;
	path->nr++;
	return find_known(exporter, sample, at->cpumode, at->ip, at->is_return,
			  &path->steps[nr].known);
}

/* As for a profile with whole_chains: where the chain has no part of the mode that the sample was
 * in, it ends at the sample's own address. */
static int read_path(struct xp_exporter *exporter, const struct xp_sample *sample)
{
	uint16_t mode = sample->record->misc & XP_MISC_CPUMODE_MASK;
	const struct xp_chain_walk own = { .cpumode = mode, .ip = sample->ip };
	struct xp_chain_walk at = { .ips = sample->callchain,
				    .nr = sample->nr_callchain,
				    .cpumode = mode };
	struct path *path = &exporter->path;
	int err = 0;

	path->nr = 0;
	while (!err && xp_chain_next(&at)) {
		if (!path->nr && at.cpumode != mode)
			err = add_path(exporter, sample, &own);
		if (!err)
			err = add_path(exporter, sample, &at);
	}
	return err || path->nr ? err : add_path(exporter, sample, &own);
}

/* All frames of an address. */
static int add_calls(struct xp_exporter *exporter, const struct step *step, uint32_t *call)
{
	const struct known *known = xp_table_at(&exporter->known, step->known);
	int err = 0;

	for (uint32_t i = 0; !err && i < known->nr_frames; i++) {
		uint32_t frame = exporter->frames[known->frames + i];

		if (step->is_joined)
			err = xp_adder_joined(&exporter->adder, frame, &frame);
		if (!err)
			err = xp_tree_add_call(exporter->tree, *call, frame, call);
	}
	return err;
}

/* How many of the outermost steps are those of the last chain. */
static uint32_t nr_alike(const struct path *path, uint32_t first)
{
	uint32_t nr = 0, most = path->nr < path->nr_last ? path->nr : path->nr_last;

	while (first == path->first && nr < most &&
	       !memcmp(&path->last[nr], &path->steps[path->nr - 1 - nr], sizeof(*path->last)))
		nr++;
	return nr;
}

static int find_call(struct xp_exporter *exporter, const struct xp_sample *sample,
		     uint32_t *ret_call)
{
	struct path *path = &exporter->path;
	uint32_t call = NO_CALL;
	int err = read_path(exporter, sample);

	if (!err && path->nr >= KERNEL_CHAIN && !xp_stacks_have_made(sample))
		err = xp_adder_cut(&exporter->adder, &call);
	if (err || xp_array_grow(&path->last, &path->cap_last, path->nr, sizeof(*path->last)) ||
	    xp_array_grow(&path->calls, &path->cap_calls, path->nr, sizeof(*path->calls)))
		return err ? err : -ENOMEM;
	uint32_t at = nr_alike(path, call);
	path->first = call;
	if (at)
		call = path->calls[at - 1];
	for (; !err && at < path->nr; at++) {
		path->last[at] = path->steps[path->nr - 1 - at];
		err = add_calls(exporter, &path->last[at], &call);
		path->calls[at] = call;
	}
	path->nr_last = err ? 0 : path->nr;
	*ret_call = call;
	return err;
}

static int add_sample(struct xp_exporter *exporter, const struct xp_export_sample *sample)
{
	const struct xp_sample *from = sample->sample;
	const struct stream_format *format = exporter->format;
	const struct tree_task task = { .comm = sample->comm,
					.cgroup = sample->cgroup,
					.pid = from->id.pid,
					.tid = from->id.tid,
					.cpu = -1 };
	struct stream_sample made = { .time_ns = sample->time_ns,
				      .period = from->period,
				      .event = exporter->adder.events[sample->event],
				      .cpu = from->id.cpu };
	int err = xp_tree_add_task(exporter->tree, &task, &made.task)
			  ?: find_call(exporter, from, &made.call);

	if (err)
		return err;
	exporter->tree->events[made.event].period += from->period;
	exporter->tree->events[made.event].samples++;
	return format->sample ? format->sample(&exporter->export, exporter->state, &made) : 0;
}

int xp_exporter_add(struct xp_exporter *exporter, const struct xp_export_sample *sample)
{
	struct xp_export_sample known = { .size = 0 };
	int err = XP_OPTS_COPY(&known, sample, struct xp_export_sample, event, NULL);

	if (!err && (!known.sample || known.event < 0 ||
		     (uint32_t)known.event >= exporter->adder.nr_events))
		err = -EINVAL;
	if (!err)
		err = add_sample(exporter, &known);
	return err ? err : exporter->export.out->sink.err;
}

static int add_mark(struct xp_exporter *exporter, const struct xp_export_mark *mark)
{
	const struct tree_task task = {
		.comm = mark->comm, .pid = mark->pid, .tid = mark->tid, .cpu = -1
	};
	struct stream_mark made = { .from_ns = mark->time_ns,
				    .to_ns = mark->time_ns + mark->duration_ns,
				    .name = xp_tree_text(exporter->tree, mark->name),
				    .text = xp_tree_text(exporter->tree, mark->text) };

	if (!made.name || !made.text)
		return -ENOMEM;
	return xp_tree_add_task(exporter->tree, &task, &made.task)
		       ?: exporter->format->mark(&exporter->export, exporter->state, &made);
}

int xp_exporter_add_mark(struct xp_exporter *exporter, const struct xp_export_mark *mark)
{
	struct xp_export_mark known = { .size = 0 };
	int err = XP_OPTS_COPY(&known, mark, struct xp_export_mark, tid, NULL);

	if (!err && exporter->format->mark)
		err = add_mark(exporter, &known);
	return err ? err : exporter->export.out->sink.err;
}

static int add_count(struct xp_exporter *exporter, const struct xp_export_count *count)
{
	const struct tree_task all = { .comm = "counts", .cpu = -1 };
	struct stream_count made = { .from_ns = count->from_ns,
				     .to_ns = count->to_ns,
				     .value = count->value,
				     .event = exporter->adder.events[count->event] };

	return xp_tree_add_task(exporter->tree, &all, &made.task)
		       ?: exporter->format->count(&exporter->export, exporter->state, &made);
}

int xp_exporter_add_count(struct xp_exporter *exporter, const struct xp_export_count *count)
{
	struct xp_export_count known = { .size = 0 };
	int err = XP_OPTS_COPY(&known, count, struct xp_export_count, event, NULL);

	if (!err && (known.event < 0 || (uint32_t)known.event >= exporter->adder.nr_events))
		err = -EINVAL;
	if (!err && exporter->format->count)
		err = add_count(exporter, &known);
	return err ? err : exporter->export.out->sink.err;
}

int xp_exporter_end(struct xp_exporter *exporter)
{
	const struct stream_format *format = exporter->format;
	int err = format->end ? format->end(&exporter->export, exporter->state) : 0;

	return err ? err : xp_out_flush(exporter->export.out);
}
