/* SPDX-License-Identifier: MIT */
/*
 * CPUs: a run queue each, whose head runs for a slice; and the events of what runs, which go
 * to the truth and to the events that are scheduled.
 *
 * A switch is counted for the task that leaves, a migration for the task that arrives, while they
 * are on the CPU. A task that has ended is no longer counted; its last switch is the idle task's.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

void sched_init(struct sim *sim)
{
	sim->cpus = xalloc((size_t)sim->sc.nr_cpus * sizeof(*sim->cpus));
	for (int i = 0; i < sim->sc.nr_cpus; i++) {
		struct cpu *cpu = &sim->cpus[i];

		cpu->nr = i;
		cpu->online = !sim->sc.offline[i];
		cpu->rotate_at = NEVER;
		cpu->slice_end = NEVER;
		cpu->ctx.cpu = i;
		cpu->idle = xalloc(sizeof(*cpu->idle));
		cpu->idle->ctx.task = cpu->idle;
		cpu->idle->ctx.cpu = -1;
		cpu->idle->cpu = i;
		cpu->idle->truth = xalloc((size_t)sim->sc.nr_kinds * (size_t)sim->sc.nr_cpus *
					  sizeof(struct tally));
	}
}

void sched_fini(struct sim *sim)
{
	for (int i = 0; sim->cpus && i < sim->sc.nr_cpus; i++) {
		struct cpu *cpu = &sim->cpus[i];

		vec_fini(&cpu->queue);
		vec_fini(&cpu->ctx.leaders);
		task_free(cpu->idle);
	}
	free(sim->cpus);
}

struct task *sched_current(const struct cpu *cpu)
{
	return cpu->queue.nr ? cpu->queue.at[0] : cpu->idle;
}

int sched_least_loaded(const struct sim *sim)
{
	int best = -1;

	for (int i = 0; i < sim->sc.nr_cpus; i++)
		if (sim->cpus[i].online &&
		    (best < 0 || sim->cpus[i].queue.nr < sim->cpus[best].queue.nr))
			best = i;
	return best;
}

struct hit {
	struct sim *sim;
	struct scene scene;
	int kind;
	uint64_t micro;
	enum sim_mode mode;
};

static void hit_event(struct event *event, void *arg)
{
	const struct hit *hit = arg;
	bool here = event->cpu < 0 || event->cpu == hit->scene.cpu;

	if (event->kind != hit->kind || !event_counts_mode(event, hit->mode) ||
	    !event_sees(event, hit->scene.task))
		return;
	if (here && event_effective_state(event) >= EVENT_INACTIVE)
		event->truth += hit->micro;
	if (event->state != EVENT_ACTIVE)
		return;
	event->acc += hit->micro;
	if (!event->sampler.on)
		return;
	event->sampler.left -= (int64_t)hit->micro;
	sample_hit(hit->sim, event, &hit->scene, hit->mode);
}

static struct tally *tally_of(const struct sim *sim, struct task *task, int kind, int cpu)
{
	return &task->truth[kind * sim->sc.nr_cpus + cpu];
}

void sched_hit(struct sim *sim, struct cpu *cpu, struct task *task, int kind, uint64_t n,
	       enum sim_mode mode)
{
	struct hit hit = { .sim = sim, .kind = kind, .micro = n * MICRO, .mode = mode };

	if (!task_alive(task))
		task = cpu->idle;
	hit.scene = (struct scene){ task, cpu->nr };
	if (!task->execing) {
		struct tally *tally = tally_of(sim, task, kind, cpu->nr);

		*(mode == SIM_USER ? &tally->user : &tally->kernel) += hit.micro;
	}
	context_each(&cpu->ctx, hit_event, &hit);
	context_each(&task->ctx, hit_event, &hit);
}

static void leave(struct event *event, void *arg)
{
	(void)arg;
	if (event->state == EVENT_ACTIVE)
		event->state = EVENT_INACTIVE;
}

/* @prev has left the CPU; what runs now is the head of the queue. */
static void switch_from(struct sim *sim, struct cpu *cpu, struct task *prev)
{
	struct task *next = sched_current(cpu);

	sched_hit(sim, cpu, prev, KIND_CONTEXT_SWITCHES, 1, SIM_KERNEL);
	sched_hit(sim, cpu, prev, KIND_SCHED_SWITCH, 1, SIM_KERNEL);
	sideband_switch(sim, cpu->nr, prev, next,
			prev->state == TASK_QUEUED && prev->cpu == cpu->nr && prev != cpu->idle
				? SWITCH_PREEMPTED
				: SWITCH_OUT);
	context_each(&prev->ctx, leave, NULL);
	pmu_reschedule(sim, cpu);
	sideband_switch(sim, cpu->nr, next, prev, SWITCH_IN);
	cpu->slice_end = cpu->queue.nr > 1 ? sim->now + sim->sc.slice_ns : NEVER;
	if (next->migrated)
		sched_hit(sim, cpu, next, KIND_MIGRATIONS, 1, SIM_KERNEL);
	next->migrated = false;
}

void sched_enqueue(struct sim *sim, struct task *task, int nr)
{
	struct cpu *cpu = &sim->cpus[nr];

	task->state = TASK_QUEUED;
	task->cpu = nr;
	vec_add(&cpu->queue, task);
	if (cpu->queue.nr == 1)
		switch_from(sim, cpu, cpu->idle);
	else if (cpu->slice_end == NEVER)
		cpu->slice_end = sim->now + sim->sc.slice_ns;
}

void sched_dequeue(struct sim *sim, struct task *task)
{
	struct cpu *cpu = &sim->cpus[task->cpu];
	bool runs = sched_current(cpu) == task;

	vec_remove(&cpu->queue, task);
	if (runs)
		switch_from(sim, cpu, task);
}

void sched_slice_over(struct sim *sim, struct cpu *cpu)
{
	struct task *task = cpu->queue.at[0];

	vec_remove(&cpu->queue, task);
	vec_add(&cpu->queue, task);
	switch_from(sim, cpu, task);
}

struct stretch {
	const struct sim *sim;
	int cpu;
	const struct task *task;
	const struct rate *rates; /* NULL: nothing happens */
	uint64_t ns;
};

static void accrue_event(struct event *event, void *arg)
{
	const struct stretch *stretch = arg;

	if (event_sees(event, stretch->task))
		event_accrue(stretch->sim, event, stretch->cpu, stretch->rates, stretch->ns);
}

static void accrue_truth(const struct stretch *stretch, struct task *task)
{
	const struct sim *sim = stretch->sim;

	tally_of(sim, task, KIND_CPU_CLOCK, stretch->cpu)->user += stretch->ns * MICRO;
	tally_of(sim, task, KIND_TASK_CLOCK, stretch->cpu)->user += stretch->ns * MICRO;
	for (int kind = 0; stretch->rates && kind < sim->sc.nr_kinds; kind++) {
		struct tally *tally = tally_of(sim, task, kind, stretch->cpu);

		tally->user += stretch->rates[kind].user * stretch->ns;
		tally->kernel += stretch->rates[kind].kernel * stretch->ns;
	}
}

static void accrue_task(struct task *task, uint64_t ns)
{
	uint64_t pct = task->step ? (uint64_t)task->step->sys_pct : 0;

	task->kernel_pct_ns += ns * pct;
	task->user_pct_ns += ns * (100 - pct);
	if (task->left_ns != NEVER)
		task->left_ns -= ns;
}

void sched_accrue(struct sim *sim, uint64_t ns)
{
	for (int i = 0; i < sim->sc.nr_cpus; i++) {
		struct cpu *cpu = &sim->cpus[i];
		struct task *task = sched_current(cpu);
		struct stretch stretch = { .sim = sim,
					   .cpu = i,
					   .task = task,
					   .ns = ns,
					   .rates = task->step ? task->step->rates : NULL };

		if (!task->execing)
			accrue_truth(&stretch, task);
		if (task != cpu->idle)
			accrue_task(task, ns);
		context_each(&cpu->ctx, accrue_event, &stretch);
		context_each(&task->ctx, accrue_event, &stretch);
	}
	sim->now += ns;
	sample_due(sim);
}
