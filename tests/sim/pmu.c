/* SPDX-License-Identifier: MIT */
/*
 * Counters: on each CPU some general ones and some that count one kind of event only.
 *
 * A group goes on whole or not at all. Pinned groups go first, the CPU's before the task's; one
 * that does not fit is in error until it is enabled again. Then the others, in order; the first
 * that does not fit ends the turn of its context, and the mux timer moves the head of the line to
 * its end. Groups of software events always go on. The watchdog is a pinned cycles event that
 * nobody sees: it takes a counter, but is not thought of when a group is opened.
 *
 * With rates that stay constant over a rotation, value * enabled / running is the truth; where
 * they change, it errs by at most one turn's share of the difference.
 *
 * Source: perf_event_open(2), "pinned", "exclusive"; behaviour of merge_sched_in() and
 * perf_rotate_context() in kernel/events/core.c, and of validate_group() in arch/x86/events.
 */
#include "model.h"

/* What is in use on one CPU. */
struct load {
	bool fixed[MAX_FIXED];
	int general;
	int nr_hw; /* events the user sees */
	bool exclusive;
};

static void use_counter(const struct sim *sim, struct load *load, int kind)
{
	for (int i = 0; i < sim->sc.nr_fixed; i++) {
		if (sim->sc.fixed[i] != kind || load->fixed[i])
			continue;
		load->fixed[i] = true;
		return;
	}
	load->general++;
}

static void place_event(const struct sim *sim, struct load *load, const struct event *event)
{
	if (!event->is_hw)
		return;
	load->nr_hw++;
	use_counter(sim, load, event->kind);
}

static bool fits(const struct sim *sim, const struct load *load)
{
	return load->general <= sim->sc.nr_general;
}

bool pmu_group_fits(const struct sim *sim, const struct event *leader, const struct event *more)
{
	struct load load = { 0 };

	place_event(sim, &load, leader);
	for (int i = 0; i < leader->siblings.nr; i++)
		place_event(sim, &load, leader->siblings.at[i]);
	if (more)
		place_event(sim, &load, more);
	return fits(sim, &load);
}

static bool has_hw(const struct event *leader)
{
	bool hw = leader->is_hw;

	for (int i = 0; i < leader->siblings.nr; i++)
		hw |= ((const struct event *)leader->siblings.at[i])->is_hw;
	return hw;
}

static void go_on(struct event *leader)
{
	leader->state = EVENT_ACTIVE;
	for (int i = 0; i < leader->siblings.nr; i++) {
		struct event *sibling = leader->siblings.at[i];

		if (sibling->state == EVENT_INACTIVE)
			sibling->state = EVENT_ACTIVE;
	}
}

/* Puts a group on the PMU, whole. */
static bool try_group(const struct sim *sim, struct load *load, struct event *leader, bool room)
{
	struct load with = *load;

	if (!has_hw(leader)) {
		go_on(leader);
		return true;
	}
	if (!room || load->exclusive || (leader->attr.exclusive && load->nr_hw))
		return false;
	place_event(sim, &with, leader);
	for (int i = 0; i < leader->siblings.nr; i++) {
		const struct event *sibling = leader->siblings.at[i];

		if (sibling->state >= EVENT_INACTIVE)
			place_event(sim, &with, sibling);
	}
	if (!fits(sim, &with))
		return false;
	with.exclusive = leader->attr.exclusive;
	*load = with;
	go_on(leader);
	return true;
}

static void schedule_pass(struct sim *sim, struct cpu *cpu, struct context *ctx, struct load *load,
			  bool pinned)
{
	bool room = true;

	for (int i = 0; i < ctx->leaders.nr; i++) {
		struct event *leader = ctx->leaders.at[i];
		bool here = leader->cpu < 0 || leader->cpu == cpu->nr;

		if (sim->sc.pmu_is_partial && !sim->sc.pmu_cpus[cpu->nr])
			here &= !has_hw(leader);

		here &= event_sees(leader, sched_current(cpu));
		if (leader->attr.pinned != pinned || leader->state != EVENT_INACTIVE || !here)
			continue;
		if (try_group(sim, load, leader, room))
			continue;
		room = false;
		if (pinned) {
			leader->state = EVENT_ERROR;
			continue;
		}
		ctx->rotate = true;
		if (cpu->rotate_at == NEVER)
			cpu->rotate_at = sim->now + sim->sc.mux_ns;
	}
}

static void unschedule(struct event *event, void *arg)
{
	(void)arg;
	if (event->state == EVENT_ACTIVE)
		event->state = EVENT_INACTIVE;
}

void pmu_reschedule(struct sim *sim, struct cpu *cpu)
{
	struct context *ctxs[] = { &cpu->ctx, &sched_current(cpu)->ctx };
	struct load load = { 0 };

	if (sim->sc.watchdog)
		use_counter(sim, &load, KIND_CYCLES);
	for (size_t i = 0; i < ARRAY_LEN(ctxs); i++) {
		context_each(ctxs[i], unschedule, NULL);
		ctxs[i]->rotate = false;
	}
	for (size_t i = 0; i < ARRAY_LEN(ctxs); i++)
		schedule_pass(sim, cpu, ctxs[i], &load, true);
	for (size_t i = 0; i < ARRAY_LEN(ctxs); i++)
		schedule_pass(sim, cpu, ctxs[i], &load, false);
}

/* The first flexible group that needs counters goes to the end of the line. */
static void rotate_context(struct context *ctx)
{
	for (int i = 0; ctx->rotate && i < ctx->leaders.nr; i++) {
		struct event *leader = ctx->leaders.at[i];

		if (leader->attr.pinned || !has_hw(leader))
			continue;
		vec_remove(&ctx->leaders, leader);
		vec_add(&ctx->leaders, leader);
		return;
	}
}

void pmu_rotate(struct sim *sim, struct cpu *cpu)
{
	struct context *task_ctx = &sched_current(cpu)->ctx;
	bool needed = cpu->ctx.rotate || task_ctx->rotate;

	cpu->rotate_at = NEVER; /* armed again by a group that does not fit */
	if (!needed)
		return;
	rotate_context(&cpu->ctx);
	rotate_context(task_ctx);
	pmu_reschedule(sim, cpu);
}
