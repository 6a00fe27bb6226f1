/* SPDX-License-Identifier: MIT */
/*
 * Tasks: processes and threads that go through the steps of their program, fork, exec and end.
 *
 * A process ends with its first thread, as main() returning ends it. A parent in the model collects
 * its children at once; a child of the program under test stays a zombie until wait().
 */
#include "model.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool task_alive(const struct task *task)
{
	return task->state < TASK_ZOMBIE;
}

static void set_comm(struct task *task, const char *name)
{
	const char *slash = strrchr(name, '/');

	snprintf(task->comm, sizeof(task->comm), "%.15s", slash ? slash + 1 : name);
}

/* A new process (@tgid 0) or thread; in no queue yet. */
struct task *task_new(struct sim *sim, pid_t tgid, const char *comm, struct task *parent)
{
	struct task *task = xalloc(sizeof(*task));

	task->tid = sim->next_pid++;
	task->tgid = tgid ? tgid : task->tid;
	task->uid = parent ? parent->uid : sim->sc.uid;
	task->parent = parent;
	task->cgroup = parent ? parent->cgroup : "";
	task->state = TASK_SLEEPING;
	task->wake_at = NEVER;
	task->ctx.task = task;
	task->ctx.cpu = -1;
	task->truth =
		xalloc((size_t)sim->sc.nr_kinds * (size_t)sim->sc.nr_cpus * sizeof(struct tally));
	set_comm(task, comm);
	vec_add(&sim->tasks, task);
	return task;
}

void task_free(struct task *task)
{
	vec_fini(&task->ctx.leaders);
	free(task->truth);
	free(task->exec_name);
	free(task);
}

struct task *task_find(const struct sim *sim, pid_t tid)
{
	for (int i = 0; i < sim->tasks.nr; i++) {
		struct task *task = sim->tasks.at[i];

		if (task->tid == tid && task->state != TASK_GONE)
			return task;
	}
	return NULL;
}

bool task_process_alive(const struct sim *sim, pid_t tgid)
{
	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *task = sim->tasks.at[i];

		if (task->tgid == tgid && task_alive(task))
			return true;
	}
	return false;
}

/* Where a program starts: where its first run wants to be, else on the least loaded CPU. */
static int first_cpu(const struct sim *sim, const struct program *program)
{
	for (int i = 0; program && i < program->nr_steps; i++)
		if (program->steps[i].op == STEP_RUN && program->steps[i].cpu >= 0)
			return program->steps[i].cpu;
	return sched_least_loaded(sim);
}

void task_release(struct sim *sim, struct task *task)
{
	task->left_ns = sim->sc.exec_ns;
	sched_enqueue(sim, task, first_cpu(sim, scenario_program(&sim->sc, task->exec_name)));
}

static void do_exec(struct sim *sim, struct task *task)
{
	const struct program *program = scenario_program(&sim->sc, task->exec_name);

	if (!program || program->exec_errno) {
		task->exec_errno = program ? program->exec_errno : ENOENT;
		task_exit_process(sim, task, 127 << 8);
		return;
	}
	task->execing = false;
	task->program = program;
	task->pc = 0;
	set_comm(task, task->exec_name);
	roots_set_comm(sim, task);
	context_exec(sim, task);
	sched_hit(sim, &sim->cpus[task->cpu], task, KIND_SCHED_EXEC, 1, SIM_KERNEL);
	if (sim->exec_at == NEVER)
		sim->exec_at = sim->now;
}

static void fork_one(struct sim *sim, struct task *task, const struct step *step)
{
	bool is_thread = step->op == STEP_THREAD;
	struct task *child = task_new(sim, is_thread ? task->tgid : 0, step->program->name, task);

	child->program = step->program;
	roots_add_task(sim, child);
	context_fork(sim, task, child, is_thread);
	sched_hit(sim, &sim->cpus[task->cpu], task, KIND_SCHED_FORK, 1, SIM_KERNEL);
	sched_enqueue(sim, child, first_cpu(sim, child->program));
}

static bool has_children(const struct sim *sim, const struct task *parent)
{
	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *task = sim->tasks.at[i];

		if (task->parent == parent && task_alive(task))
			return true;
	}
	return false;
}

static void start_run(struct sim *sim, struct task *task, const struct step *step)
{
	int cpu = step->cpu == -2 ? sched_least_loaded(sim) : step->cpu;

	task->left_ns = step->ns;
	task->step = step;
	if (cpu < 0 || cpu == task->cpu)
		return;
	task->step = NULL; /* leaving takes no time, and nothing of the run happens here */
	sched_dequeue(sim, task);
	task->step = step;
	task->migrated = true;
	sched_enqueue(sim, task, cpu);
}

static void block(struct sim *sim, struct task *task, enum task_state state, uint64_t wake_at)
{
	task->state = state;
	task->wake_at = wake_at;
	sched_dequeue(sim, task);
}

/* Back to the first step, some more times. Returns false when they are used up. */
static bool repeat(struct task *task, uint64_t times)
{
	if (!task->repeating) {
		task->repeating = true;
		task->repeats_left = times;
	}
	if (!task->repeats_left)
		return false;
	task->repeats_left--;
	task->pc = 0;
	return true;
}

static enum sim_mode hit_mode(const struct sim *sim, int kind)
{
	return sim->sc.kinds[kind].traits & KIND_USER ? SIM_USER : SIM_KERNEL;
}

static void thread_exit(struct sim *sim, struct task *task, int status);

static void do_step(struct sim *sim, struct task *task, const struct step *step)
{
	switch (step->op) {
	case STEP_RUN:
		start_run(sim, task, step);
		break;
	case STEP_SLEEP:
		block(sim, task, TASK_SLEEPING, sim->now + step->ns);
		break;
	case STEP_FORK:
	case STEP_THREAD:
		for (uint64_t i = 0; i < step->count; i++)
			fork_one(sim, task, step);
		break;
	case STEP_HIT:
		sched_hit(sim, &sim->cpus[task->cpu], task, step->kind, step->count,
			  hit_mode(sim, step->kind));
		break;
	case STEP_WAIT:
		if (has_children(sim, task))
			block(sim, task, TASK_WAITING, NEVER);
		break;
	case STEP_REPEAT:
		repeat(task, step->count);
		break;
	case STEP_EXIT:
		task_exit_process(sim, task, (int)(step->count & 0xff) << 8);
		break;
	case STEP_RAISE:
		task_signal(sim, task, (int)step->count);
		break;
	}
}

void task_go_on(struct sim *sim, struct task *task)
{
	task->step = NULL;
	if (task->execing) {
		do_exec(sim, task);
		return;
	}
	if (task->pc < task->program->nr_steps)
		do_step(sim, task, &task->program->steps[task->pc++]);
	else if (task->tid == task->tgid)
		task_exit_process(sim, task, 0);
	else
		thread_exit(sim, task, 0);
}

static void add_usage(struct task *to, const struct task *from)
{
	to->dead_user_pct_ns += from->user_pct_ns + from->dead_user_pct_ns;
	to->dead_kernel_pct_ns += from->kernel_pct_ns + from->dead_kernel_pct_ns;
}

/* Its own and its children's time goes to the parent that collects it. */
void task_reap(struct sim *sim, struct task *task)
{
	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *thread = sim->tasks.at[i];

		if (thread->tgid == task->tgid && task->parent)
			add_usage(task->parent, thread);
	}
	task->state = TASK_GONE;
}

static void thread_exit(struct sim *sim, struct task *task, int status)
{
	struct task *parent = task->parent;
	bool queued = task->state == TASK_QUEUED;

	if (queued && sched_current(&sim->cpus[task->cpu]) == task)
		sched_hit(sim, &sim->cpus[task->cpu], task, KIND_SCHED_EXIT, 1, SIM_KERNEL);
	context_exit(sim, task);
	task->status = status;
	task->state = TASK_ZOMBIE;
	if (queued)
		sched_dequeue(sim, task);
	task->step = NULL;
	roots_remove_task(sim, task);
	if (task->tid != task->tgid)
		task->state = TASK_GONE;
	else if (task->is_child_of_self)
		self_signal(sim, SIGCHLD, WIFSIGNALED(status) ? CLD_KILLED : CLD_EXITED);
	else
		task_reap(sim, task);
	if (parent && parent->state == TASK_WAITING && !has_children(sim, parent))
		sched_enqueue(sim, parent, parent->cpu);
}

void task_exit_process(struct sim *sim, struct task *task, int status)
{
	pid_t tgid = task->tgid;

	for (int i = sim->tasks.nr - 1; i >= 0; i--) { /* the first thread last */
		struct task *thread = sim->tasks.at[i];

		if (thread->tgid == tgid && task_alive(thread))
			thread_exit(sim, thread, status);
	}
}

int task_signal(struct sim *sim, struct task *task, int sig)
{
	bool ignored = sig == SIGCHLD || sig == SIGCONT || sig == SIGWINCH;

	if (task == sim->self) {
		if (sig)
			self_signal(sim, sig, SI_USER);
		return 0;
	}
	if (task->program && sig != SIGKILL)
		ignored |= task->program->ignored_signals >> sig & 1;
	if (sig && !ignored && task_alive(task))
		task_exit_process(sim, task, sig);
	return 0;
}

void task_background(struct sim *sim, const struct background *background)
{
	const struct program *program = scenario_program(&sim->sc, background->program_name);
	pid_t next = sim->next_pid;

	sim->next_pid = background->pid;
	for (int i = 0; i < background->nr_threads; i++) {
		struct task *task =
			task_new(sim, i ? background->pid : 0, background->program_name, NULL);

		task->uid = background->uid;
		task->cgroup = background->cgroup;
		task->program = program;
		roots_add_task(sim, task);
		sched_enqueue(sim, task,
			      background->cpu >= 0 ? background->cpu : first_cpu(sim, program));
	}
	if (next > sim->next_pid)
		sim->next_pid = next;
}

static struct timeval timeval_of(uint64_t pct_ns)
{
	uint64_t us = pct_ns / 100 / 1000;

	return (struct timeval){ .tv_sec = (time_t)(us / 1000000),
				 .tv_usec = (suseconds_t)(us % 1000000) };
}

void task_usage(const struct sim *sim, const struct task *task, struct rusage *ret_usage)
{
	struct task sum = { 0 };

	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *thread = sim->tasks.at[i];

		if (thread->tgid == task->tgid)
			add_usage(&sum, thread);
	}
	*ret_usage = (struct rusage){ .ru_utime = timeval_of(sum.dead_user_pct_ns),
				      .ru_stime = timeval_of(sum.dead_kernel_pct_ns) };
}
