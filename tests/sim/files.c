/* SPDX-License-Identifier: MIT */
/*
 * Descriptors: of events, processes, signals, the two pipes of a held child, and of real files
 * (below the generated root). Simulated ones count from 1000000, so that none can be taken for a
 * real one. All that were given out are known, so that what is left behind can be named.
 *
 * Source: pidfd_open(2), signalfd(2), poll(2); an event without a ring polls POLLHUP at any time
 * (checked by promises.c).
 */
#include "model.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

int file_room(const struct sim *sim)
{
	return (rlim_t)sim->nr_open + STANDARD_FILES >= sim->nofile.rlim_cur ? -EMFILE : 0;
}

/* The lowest free place, as the kernel does it. */
static int place_for(struct sim *sim)
{
	for (int i = 0; i < sim->files.nr; i++)
		if (!sim->files.at[i])
			return i;
	vec_add(&sim->files, NULL);
	return sim->files.nr - 1;
}

struct file *file_new(struct sim *sim, enum file_kind kind, int real_fd, const char *what,
		      int *ret_err)
{
	*ret_err = file_room(sim);
	if (*ret_err)
		return NULL;

	int place = place_for(sim);
	struct file *file = xalloc(sizeof(*file));
	sim->files.at[place] = file;
	sim->nr_open++;
	file->kind = kind;
	file->fd = kind == FILE_REAL ? real_fd : FIRST_FD + place;
	snprintf(file->what, sizeof(file->what), "%s", what);
	return file;
}

struct file *file_find(const struct sim *sim, int fd)
{
	if (fd >= FIRST_FD) {
		struct file *file =
			fd - FIRST_FD < sim->files.nr ? sim->files.at[fd - FIRST_FD] : NULL;

		return file && file->kind != FILE_REAL ? file : NULL;
	}
	for (int i = 0; i < sim->files.nr; i++) {
		struct file *file = sim->files.at[i];

		if (file && file->kind == FILE_REAL && file->fd == fd)
			return file;
	}
	return NULL;
}

/* The other end sees that nothing will come. */
static void close_go(struct sim *sim, struct task *task)
{
	if (task->state == TASK_HELD)
		task_exit_process(sim, task, 0);
}

static void complain(struct sim *sim, const char *what, int fd)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %d", what, fd);
	vec_add(&sim->complaints, xstrdup(text));
}

int file_close(struct sim *sim, int fd)
{
	struct file *file = file_find(sim, fd);

	if (!file) {
		complain(sim, "closed without being open:", fd);
		return -EBADF;
	}
	for (int i = 0; i < sim->files.nr; i++)
		if (sim->files.at[i] == file)
			sim->files.at[i] = NULL;
	sim->nr_open--;
	if (file->kind == FILE_REAL)
		close(file->fd);
	if (file->kind == FILE_EVENT && !--file->event->nr_files) {
		truth_note_event(sim, file->event);
		file->event->is_closed = true;
		if (!file->event->nr_maps)
			event_free(sim, file->event);
	}
	if (file->kind == FILE_MAP)
		map_close(file->map);
	if (file->kind == FILE_GO)
		close_go(sim, file->task);
	free(file->written);
	free(file);
	return 0;
}

static bool exec_known(const struct task *task)
{
	return !task->execing || !task_alive(task);
}

short file_ready(const struct sim *sim, const struct file *file)
{
	switch (file->kind) {
	case FILE_EVENT:
		return ring_consume_wakeup(file->event);
	case FILE_PIDFD:
		return file->thread ? (task_alive(file->task) ? 0 : POLLIN)
				    : (task_process_alive(sim, file->task->tgid) ? 0 : POLLIN);
	case FILE_SIGNALS:
		return sim->pending & file->signals ? POLLIN : 0;
	case FILE_COUNTER:
		return (short)(file->counter ? POLLIN | POLLOUT : POLLOUT);
	case FILE_EXEC:
		if (!exec_known(file->task))
			return 0;
		return file->task->exec_errno ? POLLIN | POLLHUP : POLLHUP;
	case FILE_GO:
		return file->task->state == TASK_HELD ? POLLOUT : POLLERR;
	case FILE_MAP:
	case FILE_REAL:
	case FILE_FREE:
		break;
	}
	return POLLIN | POLLOUT;
}

static ssize_t read_signal(struct sim *sim, const struct file *file, void *buf, size_t len)
{
	struct signalfd_siginfo info = { 0 };
	uint64_t ready = sim->pending & file->signals;

	if (len < sizeof(info))
		return -EINVAL;
	if (!ready)
		return -EAGAIN;
	info.ssi_signo = (uint32_t)__builtin_ctzll(ready);
	info.ssi_code = sim->signal_code[info.ssi_signo];
	sim->pending &= ~(UINT64_C(1) << info.ssi_signo);
	memcpy(buf, &info, sizeof(info));
	return sizeof(info);
}

static bool exec_is_known(struct sim *sim, void *task)
{
	(void)sim;
	return exec_known(task);
}

/* End of file when the exec succeeded, else the errno, once. */
static ssize_t read_exec(struct sim *sim, struct task *task, void *buf, size_t len)
{
	if (!run_until(sim, exec_is_known, task, NEVER))
		return -EDEADLK;
	if (!task->exec_errno || len < sizeof(task->exec_errno))
		return 0;
	memcpy(buf, &task->exec_errno, sizeof(task->exec_errno));
	task->exec_errno = 0;
	return sizeof(task->exec_errno);
}

static ssize_t read_counter(struct file *file, void *buf, size_t len)
{
	if (len < sizeof(file->counter))
		return -EINVAL;
	if (!file->counter)
		return -EAGAIN;
	memcpy(buf, &file->counter, sizeof(file->counter));
	file->counter = 0;
	return sizeof(file->counter);
}

static ssize_t write_counter(struct file *file, const void *buf, size_t len)
{
	uint64_t more;

	if (len < sizeof(more))
		return -EINVAL;
	memcpy(&more, buf, sizeof(more));
	file->counter += more;
	return sizeof(more);
}

ssize_t file_read(struct sim *sim, struct file *file, void *buf, size_t len)
{
	ssize_t n;

	switch (file->kind) {
	case FILE_EVENT:
		return event_read(sim, file->event, buf, len);
	case FILE_SIGNALS:
		return read_signal(sim, file, buf, len);
	case FILE_COUNTER:
		return read_counter(file, buf, len);
	case FILE_EXEC:
		return read_exec(sim, file->task, buf, len);
	case FILE_REAL:
		n = read(file->fd, buf, len);
		return n < 0 ? -errno : n;
	case FILE_PIDFD:
	case FILE_GO:
	case FILE_MAP:
	case FILE_FREE:
		break;
	}
	return -EINVAL;
}

/* Of events the kernel says ESPIPE, for they are no files. */
ssize_t file_pread(const struct file *file, void *buf, size_t len, uint64_t offset)
{
	ssize_t n;

	if (file->kind != FILE_REAL)
		return -ESPIPE;
	n = pread(file->fd, buf, len, (off_t)offset);
	return n < 0 ? -errno : n;
}

ssize_t file_write(struct sim *sim, struct file *file, const void *buf, size_t len)
{
	if (file->kind == FILE_COUNTER)
		return write_counter(file, buf, len);
	if (file->kind != FILE_GO)
		return -EINVAL;
	if (!task_alive(file->task))
		return -EPIPE;
	if (len && file->task->state == TASK_HELD)
		task_release(sim, file->task);
	return (ssize_t)len;
}

static const int harmless[] = { SIGCHLD, SIGCONT, SIGWINCH, SIGURG };

void self_signal(struct sim *sim, int sig, int code)
{
	sim->signal_code[sig] = code;
	if (sim->blocked >> sig & 1) {
		sim->pending |= UINT64_C(1) << sig;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		if (harmless[i] == sig)
			return;
	sim->killed_by = sig;
	if (sim->exit_when_stuck) {
		fprintf(stderr, "simulated kernel: signal %d ended the program\n", sig);
		exit(128 + sig);
	}
}

void self_unblock(struct sim *sim)
{
	uint64_t pending = sim->pending;

	sim->blocked = sim->pending = 0;
	for (int sig = 1; sig < 64; sig++)
		if (pending >> sig & 1)
			self_signal(sim, sig, sim->signal_code[sig]);
}
