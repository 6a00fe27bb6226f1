/* SPDX-License-Identifier: MIT */
/*
 * Chrome trace, for timelines: waits and time on a CPU as slices of threads, other samples as
 * instants with their call chain. Times are microseconds since the first sample.
 *
 * Between two samples of a clock that are no further apart than three of its periods, a thread ran.
 *
 * Source: "Trace Event Format", document 1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU of Google.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "stream.h"

enum { NEAR_PERIODS = 3 };

/* What a thread does. @from_ns > @to_ns: nothing is open */
struct lane {
	uint64_t from_ns, to_ns, samples;
	uint32_t call, unused;
	bool is_named;
};

struct chrome {
	struct json json;
	struct lane *lanes; /* per task of the tree */
	uint32_t nr_lanes;
	uint64_t first_ns;
	bool has_first;
	struct xp_str chain;
	struct counted *counted; /* per event of the tree */
	uint32_t nr_counted;
};

/* Of an event of the tree. @to_ns: where its last interval has ended; 0: there was none */
struct counted {
	uint64_t to_ns;
};

static int begin(const struct export *export, void *state)
{
	struct chrome *to = state;

	json_init(&to->json, &export->out->sink, ":");
	json_object(&to->json, NULL, &json_compact);
	json_string(&to->json, "displayTimeUnit", "ns");
	json_array(&to->json, "traceEvents", &json_compact);
	return 0;
}

/* Begins an event of a thread. */
static void open_event(struct chrome *to, const struct tree_task *task, const char *phase,
		       const char *name)
{
	json_object(&to->json, NULL, &json_compact);
	json_string(&to->json, "ph", phase);
	json_string(&to->json, "name", name);
	json_int(&to->json, "pid", task->pid);
	json_int(&to->json, "tid", task->tid);
}

/* Microseconds, with three digits behind the point. */
static void put_time(struct chrome *to, const char *name, uint64_t ns)
{
	json_micro(&to->json, name, ns * 1000);
}

static void put_name(struct chrome *to, const struct tree_task *task, const char *what)
{
	open_event(to, task, "M", what);
	json_object(&to->json, "args", &json_compact);
	json_string(&to->json, "name", task->comm);
	json_end(&to->json);
	json_end(&to->json);
}

static int put_stack(struct chrome *to, const struct xp_tree *tree, uint32_t call, const char *name)
{
	int err = xp_chain_text(tree, call, &to->chain);

	json_string(&to->json, name, xp_str_text(&to->chain));
	return err;
}

/* A slice of a thread, with what it was doing. */
static int put_slice(struct chrome *to, const struct xp_tree *tree, uint32_t task_nr,
		     const char *name, const struct lane *lane)
{
	open_event(to, tree_task(tree, task_nr), "X", name);
	json_string(&to->json, "cat", name);
	put_time(to, "ts", lane->from_ns - to->first_ns);
	put_time(to, "dur", lane->to_ns - lane->from_ns);
	json_object(&to->json, "args", &json_compact);
	if (lane->samples)
		json_uint(&to->json, "samples", lane->samples);
	int err = put_stack(to, tree, lane->call, lane->samples ? "last_stack" : "stack");
	json_end(&to->json);
	json_end(&to->json);
	return err;
}

static int close_lane(struct chrome *to, const struct xp_tree *tree, uint32_t task)
{
	struct lane *lane = &to->lanes[task];
	int err = lane->samples ? put_slice(to, tree, task, "on CPU", lane) : 0;

	*lane = (struct lane){ .is_named = lane->is_named };
	return err;
}

/* A sample of a clock says that its thread ran for a period before it. */
static int add_run(struct chrome *to, const struct xp_tree *tree,
		   const struct stream_sample *sample, uint64_t from_ns)
{
	struct lane *lane = &to->lanes[sample->task];
	int err = 0;

	if (lane->samples && sample->time_ns - lane->to_ns > NEAR_PERIODS * sample->period)
		err = close_lane(to, tree, sample->task);
	if (!lane->samples)
		lane->from_ns = from_ns;
	lane->to_ns = sample->time_ns;
	lane->call = sample->call;
	lane->samples++;
	return err;
}

static int add_wait(struct chrome *to, const struct xp_tree *tree,
		    const struct stream_sample *sample, uint64_t from_ns)
{
	const struct lane wait = { .from_ns = from_ns,
				   .to_ns = sample->time_ns,
				   .call = sample->call };

	return close_lane(to, tree, sample->task)
		       ?: put_slice(to, tree, sample->task, "off CPU", &wait);
}

static int add_instant(struct chrome *to, const struct xp_tree *tree,
		       const struct stream_sample *sample)
{
	const struct tree_event *event = &tree->events[sample->event];

	open_event(to, tree_task(tree, sample->task), "i", event->name);
	json_string(&to->json, "cat", "event");
	json_string(&to->json, "s", "t");
	put_time(to, "ts", sample->time_ns - to->first_ns);
	json_object(&to->json, "args", &json_compact);
	json_uint(&to->json, "period", sample->period);
	if (sample->cpu >= 0)
		json_int(&to->json, "cpu", sample->cpu);
	int err = put_stack(to, tree, sample->call, "stack");
	json_end(&to->json);
	json_end(&to->json);
	return err;
}

/* Times begin with the first of all; what comes late is not before it. */
static uint64_t since_first(struct chrome *to, uint64_t time_ns)
{
	if (!to->has_first)
		to->first_ns = time_ns;
	to->has_first = true;
	return time_ns > to->first_ns ? time_ns - to->first_ns : 0;
}

/* The lane of a thread, which gets its name the first time. */
static int find_lane(struct chrome *to, const struct xp_tree *tree, uint32_t task_nr)
{
	const struct tree_task *task = tree_task(tree, task_nr);

	if (xp_array_grow(&to->lanes, &to->nr_lanes, task_nr, sizeof(*to->lanes)))
		return -ENOMEM;
	if (to->lanes[task_nr].is_named)
		return 0;
	to->lanes[task_nr].is_named = true;
	put_name(to, task, "thread_name");
	if (task->pid == task->tid)
		put_name(to, task, "process_name");
	return 0;
}

static int add_mark(const struct export *export, void *state, const struct stream_mark *mark)
{
	const struct tree_task *task = tree_task(export->tree, mark->task);
	struct chrome *to = state;
	bool is_moment = mark->to_ns <= mark->from_ns;
	uint64_t from_ns = since_first(to, mark->from_ns);
	int err = find_lane(to, export->tree, mark->task);

	if (err)
		return err;
	open_event(to, task, is_moment ? "i" : "X", mark->name);
	json_string(&to->json, "cat", "mark");
	if (is_moment)
		json_string(&to->json, "s", "t");
	put_time(to, "ts", from_ns);
	if (!is_moment)
		put_time(to, "dur", since_first(to, mark->to_ns) - from_ns);
	json_object(&to->json, "args", &json_compact);
	if (*mark->text)
		json_string(&to->json, "text", mark->text);
	json_end(&to->json);
	json_end(&to->json);
	return 0;
}

/* A counter keeps its value until its next event. */
static void put_count(struct chrome *to, const struct tree_event *event, uint64_t since_ns,
		      double value)
{
	json_object(&to->json, NULL, &json_compact);
	json_string(&to->json, "ph", "C");
	json_string(&to->json, "name", event->name);
	json_uint(&to->json, "pid", 0);
	put_time(to, "ts", since_ns);
	json_object(&to->json, "args", &json_compact);
	json_amount(&to->json, event->unit, value);
	json_end(&to->json);
	json_end(&to->json);
}

static int add_count(const struct export *export, void *state, const struct stream_count *count)
{
	const struct tree_event *event = &export->tree->events[count->event];
	struct chrome *to = state;
	uint64_t from_ns = since_first(to, count->from_ns);

	if (xp_array_grow(&to->counted, &to->nr_counted, count->event, sizeof(*to->counted)))
		return -ENOMEM;
	struct counted *counted = &to->counted[count->event];
	if (counted->to_ns && counted->to_ns < from_ns)
		put_count(to, event, counted->to_ns, 0);
	put_count(to, event, from_ns, count->value);
	counted->to_ns = since_first(to, count->to_ns);
	return 0;
}

static int add_sample(const struct export *export, void *state, const struct stream_sample *sample)
{
	const struct xp_tree *tree = export->tree;
	const struct tree_event *event = &tree->events[sample->event];
	struct chrome *to = state;
	uint64_t since_ns = since_first(to, sample->time_ns);
	int err = find_lane(to, tree, sample->task);

	if (err)
		return err;
	if (strcmp(event->unit, "nanoseconds") != 0)
		return add_instant(to, tree, sample);
	uint64_t from_ns =
		sample->period < since_ns ? sample->time_ns - sample->period : to->first_ns;
	return event->is_off_cpu ? add_wait(to, tree, sample, from_ns)
				 : add_run(to, tree, sample, from_ns);
}

static int end(const struct export *export, void *state)
{
	struct chrome *to = state;
	int err = 0;

	for (uint32_t i = 0; !err && i < export->tree->tasks.nr && i < to->nr_lanes; i++)
		err = close_lane(to, export->tree, i);
	for (uint32_t i = 0; i < to->nr_counted && i < export->tree->nr_events; i++)
		if (to->counted[i].to_ns)
			put_count(to, &export->tree->events[i], to->counted[i].to_ns, 0);
	json_end(&to->json);
	json_end(&to->json);
	xp_out_char(export->out, '\n');
	return err;
}

static void free_state(void *state)
{
	struct chrome *to = state;

	free(to->lanes);
	free(to->counted);
	xp_str_fini(&to->chain);
}

const struct stream_format xp_stream_chrome = {
	.state_bytes = sizeof(struct chrome),
	.begin = begin,
	.sample = add_sample,
	.mark = add_mark,
	.count = add_count,
	.end = end,
	.free = free_state,
};
