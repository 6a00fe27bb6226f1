/* SPDX-License-Identifier: MIT */
/*
 * Time: it jumps from one event to the next, never past one. What runs stays the same in
 * between, so what accrues is a product.
 */
#include "model.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_AT_ONE_INSTANT = 1000000 };

static uint64_t later(uint64_t at, uint64_t ns)
{
	return ns >= NEVER - at ? NEVER : at + ns;
}

static uint64_t action_time(const struct sim *sim, const struct action *action)
{
	if (action->done)
		return NEVER;
	return action->after_exec ? later(sim->exec_at, action->at) : action->at;
}

static void earliest(uint64_t *next, uint64_t at)
{
	if (at < *next)
		*next = at;
}

static uint64_t next_event_time(struct sim *sim)
{
	uint64_t next = sample_next(sim);

	for (int i = 0; i < sim->sc.nr_cpus; i++) {
		const struct cpu *cpu = &sim->cpus[i];
		const struct task *task = sched_current(cpu);

		if (task != cpu->idle)
			earliest(&next, later(sim->now, task->left_ns));
		if (cpu->queue.nr > 1)
			earliest(&next, cpu->slice_end);
		earliest(&next, cpu->rotate_at);
	}
	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *task = sim->tasks.at[i];

		if (task->state == TASK_SLEEPING)
			earliest(&next, task->wake_at);
	}
	for (int i = 0; i < sim->sc.actions.nr; i++)
		earliest(&next, action_time(sim, sim->sc.actions.at[i]));
	return next < sim->now ? sim->now : next;
}

/* A key of the terminal: the whole foreground gets it. */
static void signal_all(struct sim *sim, int sig)
{
	self_signal(sim, sig, SI_KERNEL);
	for (int i = 0; i < sim->tasks.nr; i++) {
		struct task *task = sim->tasks.at[i];
		const struct task *top = task;

		while (top->parent)
			top = top->parent;
		if (top->is_child_of_self && task->tid == task->tgid && task_alive(task))
			task_signal(sim, task, sig);
	}
}

static void perform(struct sim *sim, struct action *action)
{
	struct task *task;

	action->done = true;
	switch (action->op) {
	case ACTION_SIGNAL:
		self_signal(sim, action->signal, SI_USER);
		break;
	case ACTION_SIGNAL_ALL:
		signal_all(sim, action->signal);
		break;
	case ACTION_KILL:
		task = task_find(sim, action->pid);
		if (task)
			task_signal(sim, task, action->signal);
		break;
	case ACTION_UNPLUG:
		context_unplug(sim, &sim->cpus[action->cpu]);
		roots_set_online(sim, action->cpu, false);
		break;
	case ACTION_PLUG:
		sim->cpus[action->cpu].online = true;
		roots_set_online(sim, action->cpu, true);
		break;
	}
}

static bool fire_cpu(struct sim *sim, struct cpu *cpu)
{
	struct task *task = sched_current(cpu);

	if (task != cpu->idle && !task->left_ns) {
		task_go_on(sim, task);
		return true;
	}
	if (cpu->queue.nr > 1 && cpu->slice_end <= sim->now) {
		sched_slice_over(sim, cpu);
		return true;
	}
	if (cpu->rotate_at <= sim->now) {
		pmu_rotate(sim, cpu);
		return true;
	}
	return false;
}

/* Lets happen what is due. Returns false when nothing was. */
static bool fire(struct sim *sim)
{
	bool happened = false;

	for (int i = 0; i < sim->sc.actions.nr; i++) {
		if (action_time(sim, sim->sc.actions.at[i]) <= sim->now) {
			perform(sim, sim->sc.actions.at[i]);
			happened = true;
		}
	}
	for (int i = 0; i < sim->tasks.nr; i++) {
		struct task *task = sim->tasks.at[i];

		if (task->state == TASK_SLEEPING && task->wake_at <= sim->now) {
			sched_enqueue(sim, task, task->cpu);
			happened = true;
		}
	}
	for (int i = 0; i < sim->sc.nr_cpus; i++)
		happened |= fire_cpu(sim, &sim->cpus[i]);
	return happened;
}

void run_stuck(struct sim *sim, const char *why)
{
	if (!sim->stuck)
		fprintf(stderr, "simulated kernel: %s at %llu ns\n", why,
			(unsigned long long)sim->now);
	sim->stuck = true;
	if (sim->exit_when_stuck)
		exit(98);
}

bool run_until(struct sim *sim, bool (*ready)(struct sim *sim, void *arg), void *arg,
	       uint64_t deadline)
{
	for (int at_once = 0; !sim->stuck;) {
		uint64_t next = next_event_time(sim);

		if (next == sim->now && fire(sim)) {
			if (++at_once > MAX_AT_ONE_INSTANT)
				run_stuck(sim, "things keep happening without time passing");
			continue;
		}
		if (ready && ready(sim, arg))
			return true;
		if (sim->now >= deadline)
			return false;
		next = next_event_time(sim);
		earliest(&next, deadline);
		if (next > sim->sc.limit_ns)
			run_stuck(sim, "the program waits for what never comes");
		else
			sched_accrue(sim, next - sim->now);
		at_once = 0;
	}
	return false;
}

/* All clocks tick with virtual time; that of the wall began in 2020. */
uint64_t run_clock(const struct sim *sim, int clockid)
{
	const uint64_t year_2020 = UINT64_C(1577836800) * 1000000000;

	return sim->now + (clockid == CLOCK_REALTIME ? year_2020 : 0);
}

void run_charge(struct sim *sim, uint64_t ns)
{
	if (ns)
		run_until(sim, NULL, NULL, later(sim->now, ns));
}

void sim_advance(struct sim *sim, uint64_t ns)
{
	run_until(sim, NULL, NULL, later(sim->now, ns));
}
