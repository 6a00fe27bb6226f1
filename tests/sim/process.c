/* SPDX-License-Identifier: MIT */
/*
 * Processes as the program under test handles them: held children, waiting, pidfds.
 * Source: wait4(2), pidfd_open(2), pidfd_getfd(2).
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

int process_spawn(struct sim *sim, char *const argv[], struct xp_child *ret_child)
{
	int err;
	struct file *go = file_new(sim, FILE_GO, -1, "pipe to the child", &err);
	struct file *exec = go ? file_new(sim, FILE_EXEC, -1, "pipe from the child", &err) : NULL;

	if (!exec) {
		if (go) { /* not through file_close(): there is no child yet */
			sim->files.at[go->fd - FIRST_FD] = NULL;
			sim->nr_open--;
			free(go);
		}
		return err;
	}
	struct task *task = task_new(sim, 0, "xperf", NULL);
	task->state = TASK_HELD;
	task->execing = true;
	task->is_child_of_self = true;
	task->exec_name = xstrdup(argv[0]);
	go->task = exec->task = task;
	roots_add_task(sim, task);
	task->cpu = sim->self->cpu = sim->self_cpu;
	sideband_fork(sim, sim->self, task);
	*ret_child = (struct xp_child){ .pid = task->tid, .go_fd = go->fd, .exec_fd = exec->fd };
	return 0;
}

struct wait_for {
	pid_t pid;
	bool any_left;
	struct task *ended;
};

static bool child_ended(struct sim *sim, void *arg)
{
	struct wait_for *wait = arg;

	wait->any_left = false;
	for (int i = 0; i < sim->tasks.nr; i++) {
		struct task *task = sim->tasks.at[i];

		if (!task->is_child_of_self || task->state == TASK_GONE ||
		    (wait->pid > 0 && task->tid != wait->pid))
			continue;
		wait->any_left = true;
		if (task->state == TASK_ZOMBIE && !wait->ended)
			wait->ended = task;
	}
	return wait->ended || !wait->any_left;
}

int process_wait(struct sim *sim, pid_t pid, int options, int *ret_status, struct rusage *ret_usage)
{
	struct wait_for wait = { .pid = pid };

	run_until(sim, child_ended, &wait, options & WNOHANG ? sim->now : NEVER);
	if (!wait.any_left)
		return -ECHILD;
	if (!wait.ended)
		return sim->stuck ? -EDEADLK : 0;
	if (ret_status)
		*ret_status = wait.ended->status;
	if (ret_usage)
		task_usage(sim, wait.ended, ret_usage);
	task_reap(sim, wait.ended);
	return wait.ended->tid;
}

int process_pidfd(struct sim *sim, pid_t pid, unsigned int flags)
{
	struct task *task = pid > 0 ? task_find(sim, pid) : NULL;
	bool thread = flags & XP_PIDFD_THREAD;
	int err;

	if (sim->sc.lacks_pidfd)
		return -ENOSYS;
	if (pid <= 0 || (thread && sim->sc.lacks_pidfd_thread))
		return -EINVAL;
	if (!task)
		return -ESRCH;
	if (!thread && task->tid != task->tgid)
		return -EINVAL;
	struct file *file = file_new(sim, FILE_PIDFD, -1, "pidfd", &err);
	if (!file)
		return err;
	file->task = task;
	file->thread = thread;
	return file->fd;
}

int process_getfd(struct sim *sim, int pidfd, int fd)
{
	const struct file *process = file_find(sim, pidfd), *file = file_find(sim, fd);
	int err;

	if (!process || process->kind != FILE_PIDFD)
		return -EBADF;
	if (!task_process_alive(sim, process->task->tgid))
		return -ESRCH;
	if (!file || file->kind != FILE_EVENT)
		return -EBADF;
	struct file *second = file_new(sim, FILE_EVENT, -1, file->what, &err);
	if (!second)
		return err;
	second->event = file->event;
	second->event->nr_files++;
	return second->fd;
}
