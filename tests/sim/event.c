/* SPDX-License-Identifier: MIT */
/*
 * One event's life: states, times and counts, groups, inheritance, exec and exit.
 *
 * Promises kept, all from perf_event_open(2) and the behaviour of kernel/events/core.c:
 *  - enabled time runs while an event is enabled and its task is on a CPU (always, for CPU events),
 *    also when a task event asks for another CPU; running time while it has what it needs;
 *  - members count only while their leader is enabled;
 *  - enable_on_exec starts an event once; inherited events start as the parent's are at the fork,
 *    and their counts and times are the parent's when they are read, while they live and after;
 *  - an event of a cgroup is there while a task of it, or of one below, is on the CPU; its times
 * run then only;
 *  - RESET zeroes the count, not the times, and not what ended children have counted;
 *  - closing a leader leaves its members as events of their own.
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum event_state event_effective_state(const struct event *event)
{
	return event->leader->state <= EVENT_OFF ? event->leader->state : event->state;
}

/* The idle tasks are in the root. */
bool event_sees(const struct event *event, const struct task *task)
{
	size_t len = event->cgroup ? strlen(event->cgroup) : 0;
	const char *of_task = task->cgroup ? task->cgroup : "";

	return !len ||
	       (!strncmp(of_task, event->cgroup, len) && (!of_task[len] || of_task[len] == '/'));
}

bool event_counts_mode(const struct event *event, enum sim_mode mode)
{
	return !(mode == SIM_USER ? event->attr.exclude_user : event->attr.exclude_kernel);
}

uint64_t event_rate(const struct sim *sim, const struct event *event, const struct rate *rates,
		    uint64_t ns)
{
	uint64_t per_ms = 0;

	if (event->kind < 0)
		return 0;
	if (sim->sc.kinds[event->kind].traits & KIND_CLOCK)
		return ns * MICRO;
	if (!rates)
		return 0;
	if (event_counts_mode(event, SIM_USER))
		per_ms += rates[event->kind].user;
	if (event_counts_mode(event, SIM_KERNEL))
		per_ms += rates[event->kind].kernel;
	return per_ms * ns;
}

void event_accrue(const struct sim *sim, struct event *event, int on_cpu, const struct rate *rates,
		  uint64_t ns)
{
	if (event_effective_state(event) < EVENT_INACTIVE)
		return;

	bool here = event->cpu < 0 || event->cpu == on_cpu;
	uint64_t micro = here ? event_rate(sim, event, rates, ns) : 0;
	event->enabled_ns += ns;
	event->truth += micro;
	if (event->state != EVENT_ACTIVE)
		return;
	event->running_ns += ns;
	if (event->is_hw && event->sampler.throttled)
		return;
	event->acc += micro;
	if (event->sampler.on)
		event->sampler.left -= (int64_t)micro;
}

void context_each(struct context *ctx, void (*fn)(struct event *event, void *arg), void *arg)
{
	for (int i = 0; i < ctx->leaders.nr; i++) {
		struct event *leader = ctx->leaders.at[i];

		fn(leader, arg);
		for (int s = 0; s < leader->siblings.nr; s++)
			fn(leader->siblings.at[s], arg);
	}
}

void context_touch(struct sim *sim, struct context *ctx)
{
	int nr = ctx->task ? ctx->task->cpu : ctx->cpu;
	struct cpu *cpu = &sim->cpus[nr];

	if (!ctx->task || sched_current(cpu) == ctx->task)
		pmu_reschedule(sim, cpu);
}

void event_attach(struct sim *sim, struct event *event)
{
	sample_init(sim, event);
	sim->nr_sampling += event->sampler.on;
	if (event->leader == event)
		vec_add(&event->ctx->leaders, event);
	else
		vec_add(&event->leader->siblings, event);
	context_touch(sim, event->ctx);
}

/* Out of its group; the members of a leader stand alone from now on. */
static void detach(struct event *event)
{
	if (event->leader != event) {
		vec_remove(&event->leader->siblings, event);
		return;
	}
	vec_remove(&event->ctx->leaders, event);
	for (int i = 0; i < event->siblings.nr; i++) {
		struct event *sibling = event->siblings.at[i];

		sibling->leader = sibling;
		if (sibling->state > EVENT_EXIT)
			vec_add(&sibling->ctx->leaders, sibling);
	}
	vec_fini(&event->siblings);
}

void event_free(struct sim *sim, struct event *event)
{
	while (event->children.nr)
		event_free(sim, event->children.at[event->children.nr - 1]);
	vec_fini(&event->children);
	if (event->parent)
		vec_remove(&event->parent->children, event);
	if (event->torn_from)
		vec_remove(&event->torn_from->torn, event);
	for (int i = 0; i < event->torn.nr; i++)
		((struct event *)event->torn.at[i])->torn_from = NULL;
	vec_fini(&event->torn);
	detach(event);
	ring_detach(event);
	sim->nr_sampling -= event->sampler.on;
	context_touch(sim, event->ctx);
	free(event);
}

static void enable(struct event *event)
{
	if (event->state == EVENT_ERROR || event->state == EVENT_OFF)
		event->state = EVENT_INACTIVE;
}

static void disable(struct event *event)
{
	if (event->state >= EVENT_INACTIVE)
		event->state = EVENT_OFF;
}

static void reset(struct event *event)
{
	event->acc = 0;
	event->truth = 0;
}

static void apply(struct sim *sim, struct event *event, void (*fn)(struct event *event))
{
	fn(event);
	context_touch(sim, event->ctx);
	for (int i = 0; i < event->children.nr; i++) {
		struct event *child = event->children.at[i];

		fn(child);
		context_touch(sim, child->ctx);
	}
}

static const struct {
	unsigned long request;
	void (*fn)(struct event *event);
} switches[] = {
	{ PERF_EVENT_IOC_ENABLE, enable },
	{ PERF_EVENT_IOC_DISABLE, disable },
	{ PERF_EVENT_IOC_RESET, reset },
};

/* Taken, but not followed: what a filter means is the real kernel's. */
static int set_filter(struct event *event, unsigned long text)
{
	if (event->attr.type != PERF_TYPE_TRACEPOINT || !*(const char *)text)
		return -EINVAL;
	if (event->has_filter)
		return -EEXIST;
	event->has_filter = true;
	return 0;
}

/* PERF_EVENT_IOC_SET_OUTPUT: @fd is that of an event, or -1. */
static int set_output(const struct sim *sim, struct event *event, int fd)
{
	const struct file *file = fd < 0 ? NULL : file_find(sim, fd);

	if (fd != -1 && (!file || file->kind != FILE_EVENT))
		return -EBADF;
	return ring_set_output(event, file ? file->event : NULL);
}

int event_ioctl(struct sim *sim, struct event *event, unsigned long request, unsigned long arg)
{
	if (request == PERF_EVENT_IOC_ID) {
		*(uint64_t *)arg = event->id;
		return 0;
	}
	if (request == PERF_EVENT_IOC_SET_FILTER)
		return set_filter(event, arg);
	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		return set_output(sim, event, (int)arg);
	if (request == PERF_EVENT_IOC_PAUSE_OUTPUT)
		return ring_pause(event, arg);
	for (size_t i = 0; i < ARRAY_LEN(switches); i++) {
		if (switches[i].request != request)
			continue;
		if (!(arg & PERF_IOC_FLAG_GROUP)) {
			apply(sim, event, switches[i].fn);
			return 0;
		}
		struct event *leader = event->leader;
		apply(sim, leader, switches[i].fn);
		for (int s = 0; s < leader->siblings.nr; s++)
			apply(sim, leader->siblings.at[s], switches[i].fn);
		return 0;
	}
	return -ENOTTY;
}

bool event_is_hup(const struct event *event)
{
	return event->state == EVENT_EXIT && !event->children.nr;
}

static void start_on_exec(struct event *event, void *arg)
{
	(void)arg;
	if (!event->attr.enable_on_exec)
		return;
	event->attr.enable_on_exec = 0;
	if (event->state < EVENT_INACTIVE)
		event->state = EVENT_INACTIVE;
}

void context_exec(struct sim *sim, struct task *task)
{
	context_each(&task->ctx, start_on_exec, NULL);
	context_touch(sim, &task->ctx);
}

/* The copy of an event for a child of its task. */
static struct event *inherit(struct sim *sim, struct event *from, struct task *child,
			     struct event *leader)
{
	struct event *event = xalloc(sizeof(*event));

	event->id = from->id;
	event->stream_id = sim->next_id++;
	event->attr = from->attr;
	event->kind = from->kind;
	event->is_hw = from->is_hw;
	event->pid = from->pid;
	event->cpu = from->cpu;
	event->ctx = &child->ctx;
	event->leader = leader ? leader : event;
	event->parent = from->parent ? from->parent : from;
	event->state = from->state >= EVENT_INACTIVE ? EVENT_INACTIVE : EVENT_OFF;
	sample_init(sim, event);
	sim->nr_sampling += event->sampler.on;
	vec_add(&event->parent->children, event);
	vec_add(leader ? &leader->siblings : &child->ctx.leaders, event);
	return event;
}

void context_fork(struct sim *sim, struct task *parent, struct task *child, bool is_thread)
{
	for (int i = 0; i < parent->ctx.leaders.nr; i++) {
		struct event *from = parent->ctx.leaders.at[i];

		if (!from->attr.inherit || (from->attr.inherit_thread && !is_thread))
			continue;
		struct event *leader = inherit(sim, from, child, NULL);
		for (int s = 0; s < from->siblings.nr; s++)
			inherit(sim, from->siblings.at[s], child, leader);
	}
}

static void fold_into_parent(struct event *event)
{
	struct event *parent = event->parent;

	parent->dead.acc += event->acc;
	parent->dead.truth += event->truth;
	parent->dead.enabled_ns += event->enabled_ns;
	parent->dead.running_ns += event->running_ns;
}

static void collect(struct event *event, void *arg)
{
	vec_add(arg, event);
}

void context_exit(struct sim *sim, struct task *task)
{
	struct vec events = { 0 };

	context_each(&task->ctx, collect, &events);
	vec_fini(&task->ctx.leaders);
	for (int i = 0; i < events.nr; i++) {
		struct event *event = events.at[i];

		event->state = EVENT_EXIT;
		if (!event->parent)
			continue;
		sideband_counts(sim, event);
		fold_into_parent(event);
	}
	for (int i = 0; i < events.nr; i++) {
		struct event *event = events.at[i];

		if (event->parent)
			event_free(sim, event);
	}
	vec_fini(&events);
}

/*
 * Groups are taken apart and never put together again; what a leader had counted stays readable,
 * and its members read as it does. Source: measured, Linux 5.10 and 6.12.
 */
static void tear(struct event *event, void *arg)
{
	(void)arg;
	if (event->state > EVENT_OFF)
		event->state = EVENT_OFF;
	if (event->leader == event)
		return;
	event->torn_from = event->leader;
	vec_add(&event->leader->torn, event);
	event->leader = event;
}

void context_unplug(struct sim *sim, struct cpu *cpu)
{
	cpu->online = false;
	context_each(&cpu->ctx, tear, NULL);
	for (int i = 0; i < cpu->ctx.leaders.nr; i++)
		vec_fini(&((struct event *)cpu->ctx.leaders.at[i])->siblings);
	vec_fini(&cpu->ctx.leaders);
	pmu_reschedule(sim, cpu);
}
