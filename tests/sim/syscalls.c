/* SPDX-License-Identifier: MIT */
/*
 * The table: each call is numbered, takes its time, may be made to fail, and is logged; what it
 * does is in the other files.
 */
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every call begins here. Returns 0, or what it was told to fail with. */
static int begin(struct sim *sim, const char *name)
{
	int err = 0;

	run_charge(sim, sim->sc.call_ns);
	sim->stats.calls++;
	for (int i = 0; i < sim->sc.faults.nr; i++) {
		struct fault *fault = sim->sc.faults.at[i];

		if (fault->name && strcmp(fault->name, name))
			continue;
		fault->seen++;
		if ((fault->name ? fault->seen : sim->stats.calls) == fault->nr)
			err = -fault->err;
	}
	return err;
}

/* Every call ends here. Returns @result. */
static int XP_PRINTF(4, 5) end(struct sim *sim, const char *name, long result, const char *fmt, ...)
{
	va_list ap;

	if (!sim->log)
		return (int)result;
	fprintf(sim->log, "%llu %s(", (unsigned long long)sim->stats.calls, name);
	va_start(ap, fmt);
	vfprintf(sim->log, fmt, ap);
	va_end(ap);
	fprintf(sim->log, ") = %ld @%llu\n", result, (unsigned long long)sim->now);
	return (int)result;
}

static int sim_perf_event_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid,
			       int cpu, int group_fd, unsigned long flags)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "perf_event_open");

	if (!r)
		r = event_open(sim, attr, pid, cpu, group_fd, flags);
	return end(sim, "perf_event_open", r, "type=%u config=%#llx, %d, %d, %d, %#lx", attr->type,
		   (unsigned long long)attr->config, pid, cpu, group_fd, flags);
}

static int sim_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	struct sim *sim = sim_of(sys);
	const struct file *file = file_find(sim, fd);
	int r = begin(sim, "ioctl");

	if (!r && !file)
		r = -EBADF;
	else if (!r)
		r = file->kind == FILE_EVENT ? event_ioctl(sim, file->event, request, arg)
					     : -ENOTTY;
	if (request == PERF_EVENT_IOC_SET_FILTER)
		return end(sim, "ioctl", r, "%d, SET_FILTER, \"%s\"", fd, (const char *)arg);
	return end(sim, "ioctl", r, "%d, %#lx, %#lx", fd, request, arg);
}

static ssize_t sim_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	struct sim *sim = sim_of(sys);
	struct file *file = file_find(sim, fd);
	ssize_t r = begin(sim, "read");

	if (!r)
		r = file ? file_read(sim, file, buf, len) : -EBADF;
	return end(sim, "read", r, "%d, %zu", fd, len);
}

static ssize_t sim_write(const struct xp_sys *sys, int fd, const void *buf, size_t len)
{
	struct sim *sim = sim_of(sys);
	struct file *file = file_find(sim, fd);
	ssize_t r = begin(sim, "write");

	if (!r)
		r = file ? file_write(sim, file, buf, len) : -EBADF;
	return end(sim, "write", r, "%d, %zu", fd, len);
}

/* Only root may look into tracefs, as it is mounted by default. */
static bool is_forbidden(const struct sim *sim, const char *path)
{
	return sim->sc.uid != 0 && strstr(path, "/sys/kernel/tracing/");
}

static int open_real(struct sim *sim, const char *path)
{
	int err = is_forbidden(sim, path) ? -EACCES : file_room(sim);

	if (err)
		return err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	const char *end_of_path = strlen(path) > 48 ? path + strlen(path) - 48 : path;
	struct file *file = file_new(sim, FILE_REAL, fd, end_of_path, &err);
	if (file)
		file->cgroup = roots_cgroup(sim, path);
	return file ? fd : err;
}

static int sim_open(const struct xp_sys *sys, const char *path)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "open");

	if (!r)
		r = open_real(sim, path);
	return end(sim, "open", r, "%s", path);
}

/* A close that fails has closed, as close(2) says of Linux. */
static int sim_close(const struct xp_sys *sys, int fd)
{
	struct sim *sim = sim_of(sys);
	int told = begin(sim, "close");
	int r = file_close(sim, fd);

	return end(sim, "close", told ? told : r, "%d", fd);
}

/* /proc lists processes, though /proc/TID is there for every thread. */
static bool is_hidden_thread(const struct sim *sim, const char *path, const char *name)
{
	size_t len = strlen(sim->root);

	if (strncmp(path, sim->root, len) || strcmp(path + len, "/proc"))
		return false;
	const struct task *task = task_find(sim, atoi(name));
	return task && task->tid != task->tgid;
}

static int list_real(const struct sim *sim, const char *path, xp_dir_fn fn, void *data)
{
	DIR *dir = is_forbidden(sim, path) ? NULL : opendir(path);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return is_forbidden(sim, path) ? -EACCES : -errno;
	while (!r && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    !is_hidden_thread(sim, path, entry->d_name))
			r = fn(entry->d_name, data);
	closedir(dir);
	return r;
}

static int sim_list_dir(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "list_dir");

	if (!r)
		r = list_real(sim, path, fn, data);
	return end(sim, "list_dir", r, "%s", path);
}

static int sim_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, void **ret_addr)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "mmap");

	(void)ret_addr;
	return end(sim, "mmap", r ? r : -ENOSYS, "%zu, %d, %d", len, prot, fd);
}

static int sim_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "munmap");

	(void)addr;
	return end(sim, "munmap", r ? r : -EINVAL, "%zu", len);
}

struct poll_set {
	struct pollfd *fds;
	size_t nr;
	int nr_ready;
};

static bool poll_ready(struct sim *sim, void *arg)
{
	struct poll_set *set = arg;

	set->nr_ready = 0;
	for (size_t i = 0; i < set->nr; i++) {
		struct pollfd *p = &set->fds[i];
		const struct file *file = p->fd < 0 ? NULL : file_find(sim, p->fd);

		p->revents = 0;
		if (file)
			p->revents = file_ready(sim, file) & (p->events | POLLHUP | POLLERR);
		else if (p->fd >= 0)
			p->revents = POLLNVAL;
		set->nr_ready += !!p->revents;
	}
	return set->nr_ready > 0;
}

static int sim_poll(const struct xp_sys *sys, struct pollfd *fds, size_t nr, int64_t timeout_ns)
{
	struct sim *sim = sim_of(sys);
	struct poll_set set = { .fds = fds, .nr = nr };
	int r = begin(sim, "poll");

	if (!r) {
		run_until(sim, poll_ready, &set,
			  timeout_ns < 0 ? NEVER : sim->now + (uint64_t)timeout_ns);
		r = sim->stuck ? -EDEADLK : set.nr_ready;
	}
	return end(sim, "poll", r, "%zu, %lld", nr, (long long)timeout_ns);
}

static uint64_t sim_now(const struct xp_sys *sys)
{
	return sim_of(sys)->now;
}

static int sim_spawn(const struct xp_sys *sys, char *const argv[], struct xp_child *ret_child)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "spawn");

	if (!r)
		r = process_spawn(sim, argv, ret_child);
	return end(sim, "spawn", r, "%s", argv[0]);
}

static int sim_wait(const struct xp_sys *sys, pid_t pid, int options, int *ret_status,
		    struct rusage *ret_usage)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "wait");

	if (!r)
		r = process_wait(sim, pid, options, ret_status, ret_usage);
	return end(sim, "wait", r, "%d, %d", pid, options);
}

static int sim_kill(const struct xp_sys *sys, pid_t pid, int sig)
{
	struct sim *sim = sim_of(sys);
	struct task *task = task_find(sim, pid);
	int r = begin(sim, "kill");

	if (!r && (sig < 0 || sig > 63))
		r = -EINVAL;
	if (!r)
		r = task ? task_signal(sim, task, sig) : -ESRCH;
	return end(sim, "kill", r, "%d, %d", pid, sig);
}

static int sim_pidfd_open(const struct xp_sys *sys, pid_t pid, unsigned int flags)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "pidfd_open");

	if (!r)
		r = process_pidfd(sim, pid, flags);
	return end(sim, "pidfd_open", r, "%d, %#x", pid, flags);
}

static int signal_file(struct sim *sim, const int *signals, size_t nr)
{
	int err;
	struct file *file = file_new(sim, FILE_SIGNALS, -1, "signals", &err);

	if (!file)
		return err;
	for (size_t i = 0; i < nr; i++)
		file->signals |= UINT64_C(1) << signals[i];
	sim->blocked |= file->signals;
	return file->fd;
}

static int sim_signal_fd(const struct xp_sys *sys, const int *signals, size_t nr)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "signal_fd");

	if (!r && nr)
		r = signal_file(sim, signals, nr);
	else if (!r)
		self_unblock(sim);
	return end(sim, "signal_fd", r, "%zu", nr);
}

static int limit(struct sim *sim, int resource, const struct rlimit *set, struct rlimit *ret_old)
{
	struct rlimit old = sim->nofile;

	if (resource != RLIMIT_NOFILE)
		old = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
	if (set && set->rlim_cur > set->rlim_max)
		return -EINVAL;
	if (set && set->rlim_max > old.rlim_max && sim->sc.uid)
		return -EPERM;
	if (set && resource == RLIMIT_NOFILE)
		sim->nofile = *set;
	if (ret_old)
		*ret_old = old;
	return 0;
}

static int sim_rlimit(const struct xp_sys *sys, int resource, const struct rlimit *set,
		      struct rlimit *ret_old)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "rlimit");

	if (!r)
		r = limit(sim, resource, set, ret_old);
	return end(sim, "rlimit", r, "%d, %s", resource, set ? "set" : "get");
}

static int sim_run_on(const struct xp_sys *sys, int cpu)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "run_on");

	if (!r && (cpu >= sim->sc.nr_cpus || (cpu >= 0 && !sim->cpus[cpu].online)))
		r = -EINVAL;
	if (!r && cpu >= 0)
		sim->self_cpu = cpu;
	sim->stats.hops++;
	return end(sim, "run_on", r, "%d", cpu);
}

static uid_t sim_euid(const struct xp_sys *sys)
{
	return sim_of(sys)->sc.uid;
}

static int sim_close_behind(const struct xp_sys *sys, const int *fds, size_t nr)
{
	struct sim *sim = sim_of(sys);
	int told = begin(sim, "close_behind"), r = 0;

	for (size_t i = 0; i < nr; i++) {
		int err = file_close(sim, fds[i]);

		r = r ? r : err;
	}
	sim->stats.closed_behind += nr;
	return end(sim, "close_behind", told ? told : r, "%zu", nr);
}

const struct xp_sys sim_table = {
	.perf_event_open = sim_perf_event_open,
	.ioctl = sim_ioctl,
	.read = sim_read,
	.write = sim_write,
	.open = sim_open,
	.close = sim_close,
	.list_dir = sim_list_dir,
	.mmap = sim_mmap,
	.munmap = sim_munmap,
	.poll = sim_poll,
	.now = sim_now,
	.spawn = sim_spawn,
	.wait = sim_wait,
	.kill = sim_kill,
	.pidfd_open = sim_pidfd_open,
	.signal_fd = sim_signal_fd,
	.rlimit = sim_rlimit,
	.run_on = sim_run_on,
	.euid = sim_euid,
	.close_behind = sim_close_behind,
};
