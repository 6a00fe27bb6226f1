/* SPDX-License-Identifier: MIT */
/*
 * The table: each call is numbered, takes its time, may be made to fail, and is logged; what it
 * does is in the other files.
 */
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Every call begins here. Returns 0, or what it was asked to fail with. */
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

static ssize_t sim_pread(const struct xp_sys *sys, int fd, void *buf, size_t len, uint64_t offset)
{
	struct sim *sim = sim_of(sys);
	struct file *file = file_find(sim, fd);
	ssize_t r = begin(sim, "pread");

	if (!r)
		r = file ? file_pread(file, buf, len, offset) : -EBADF;
	return end(sim, "pread", r, "%d, %zu, %llu", fd, len, (unsigned long long)offset);
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
	roots_look(sim, path);
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
	int injected = begin(sim, "close");
	int r = file_close(sim, fd);

	return end(sim, "close", injected ? injected : r, "%d", fd);
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

static int sim_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		    void **ret_addr)
{
	struct sim *sim = sim_of(sys);
	const struct file *file = file_find(sim, fd);
	int r = begin(sim, "mmap");

	if (!r && !file)
		r = -EBADF;
	else if (!r)
		r = file->kind == FILE_EVENT
			    ? ring_map(sim, file->event, len, prot, offset, ret_addr)
			    : -ENODEV;
	return end(sim, "mmap", r, "%zu, %d, %d, %llu", len, prot, fd, (unsigned long long)offset);
}

static int sim_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	struct sim *sim = sim_of(sys);
	int injected = begin(sim, "munmap");
	int r = ring_unmap(sim, addr, len);

	return end(sim, "munmap", injected ? injected : r, "%zu", len);
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

static int sim_pidfd_getfd(const struct xp_sys *sys, int pidfd, int fd)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "pidfd_getfd");

	if (!r)
		r = process_getfd(sim, pidfd, fd);
	return end(sim, "pidfd_getfd", r, "%d, %d", pidfd, fd);
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

/* Programs of the model open nothing: their limits are those of a task that is there. */
static int limit(struct sim *sim, pid_t pid, int resource, const struct rlimit *set,
		 struct rlimit *ret_old)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit *limited = resource == RLIMIT_NOFILE    ? &sim->nofile
				 : resource == RLIMIT_MEMLOCK ? &sim->memlock
							      : &unlimited;
	struct rlimit old = *limited;

	if (pid)
		return task_find(sim, pid) ? 0 : -ESRCH;
	if (set && set->rlim_cur > set->rlim_max)
		return -EINVAL;
	if (set && set->rlim_max > old.rlim_max && sim->sc.uid)
		return -EPERM;
	if (set)
		*limited = *set;
	if (ret_old)
		*ret_old = old;
	return 0;
}

static int sim_rlimit(const struct xp_sys *sys, pid_t pid, int resource, const struct rlimit *set,
		      struct rlimit *ret_old)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "rlimit");

	if (!r)
		r = limit(sim, pid, resource, set, ret_old);
	return end(sim, "rlimit", r, "%d, %d, %s", (int)pid, resource, set ? "set" : "get");
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

static int sim_event_fd(const struct xp_sys *sys)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "event_fd");

	if (!r) {
		const struct file *file = file_new(sim, FILE_COUNTER, -1, "eventfd", &r);

		r = file ? file->fd : r;
	}
	return end(sim, "event_fd", r, "%s", "");
}

/* There is one thread, and nobody in its way. */
static int sim_set_priority(const struct xp_sys *sys, int priority)
{
	struct sim *sim = sim_of(sys);

	return end(sim, "set_priority", begin(sim, "set_priority"), "%d", priority);
}

static int sim_close_behind(const struct xp_sys *sys, const int *fds, size_t nr)
{
	struct sim *sim = sim_of(sys);
	int injected = begin(sim, "close_behind"), r = 0;

	for (size_t i = 0; i < nr; i++) {
		int err = file_close(sim, fds[i]);

		r = r ? r : err;
	}
	sim->stats.closed_behind += nr;
	return end(sim, "close_behind", injected ? injected : r, "%zu", nr);
}

/* The machine has no BPF programs, and lets root alone ask. */
static int sim_bpf(const struct xp_sys *sys, int command, void *attr, size_t len)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "bpf");

	if (!r)
		r = sim->sc.uid                       ? -EPERM
		    : command == BPF_PROG_GET_NEXT_ID ? -ENOENT
						      : maps_call(sim, command, attr);
	return end(sim, "bpf", r, "%d, %zu", command, len);
}

/* Files that are written are real ones; the standard streams are open from the start. */
static int writable_fd(struct sim *sim, int fd)
{
	const struct file *file = file_find(sim, fd);

	if (fd >= 0 && fd < STANDARD_FILES)
		return fd;
	return file && file->kind == FILE_REAL ? file->fd : -EBADF;
}

static int create_real(struct sim *sim, const char *path, int flags)
{
	bool of_machine = roots_has(sim, path);
	int err = of_machine && sim->sc.uid ? -EACCES : file_room(sim);

	if (err)
		return err;
	int fd = xp_sys_linux()->create(xp_sys_linux(), path, flags);
	if (fd < 0)
		return fd;
	const char *end_of_path = strlen(path) > 48 ? path + strlen(path) - 48 : path;
	struct file *file = file_new(sim, FILE_REAL, fd, end_of_path, &err);
	if (file && of_machine)
		file->written = xstrdup(path + strlen(sim->root));
	return file ? fd : err;
}

static int sim_create(const struct xp_sys *sys, const char *path, int flags)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "create");

	if (!r)
		r = create_real(sim, path, flags);
	return end(sim, "create", r, "%s, %#x", path, flags);
}

static ssize_t sim_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			   int64_t offset)
{
	struct sim *sim = sim_of(sys);
	const struct file *file = file_find(sim, fd);
	int real = writable_fd(sim, fd);
	ssize_t r = begin(sim, "pwritev");

	if (!r)
		r = real < 0 ? real
			     : xp_sys_linux()->pwritev(xp_sys_linux(), real, pieces, nr, offset);
	if (r > 0 && file && file->written)
		truth_note_write(sim, file->written, pieces[0].iov_base, pieces[0].iov_len);
	return end(sim, "pwritev", r, "%d, %d, %lld", fd, nr, (long long)offset);
}

static int sim_truncate(const struct xp_sys *sys, int fd, uint64_t len)
{
	struct sim *sim = sim_of(sys);
	int real = writable_fd(sim, fd);
	int r = begin(sim, "truncate");

	if (!r)
		r = real < 0 ? real : xp_sys_linux()->truncate(xp_sys_linux(), real, len);
	return end(sim, "truncate", r, "%d, %llu", fd, (unsigned long long)len);
}

static int sim_rename(const struct xp_sys *sys, const char *from, const char *to)
{
	int r = begin(sim_of(sys), "rename");

	if (!r)
		r = xp_sys_linux()->rename(xp_sys_linux(), from, to);
	return end(sim_of(sys), "rename", r, "%s, %s", from, to);
}

static int sim_remove(const struct xp_sys *sys, const char *path)
{
	int r = begin(sim_of(sys), "remove");

	if (!r)
		r = xp_sys_linux()->remove(xp_sys_linux(), path);
	return end(sim_of(sys), "remove", r, "%s", path);
}

static int sim_mkdir(const struct xp_sys *sys, const char *path)
{
	int r = begin(sim_of(sys), "mkdir");

	if (!r)
		r = xp_sys_linux()->mkdir(xp_sys_linux(), path);
	return end(sim_of(sys), "mkdir", r, "%s", path);
}

/* What whoever runs the test owns, the simulated user owns. */
static int own(const struct sim *sim, int result, struct stat *st)
{
	if (!result && st->st_uid == geteuid())
		st->st_uid = sim->sc.uid;
	return result;
}

static int sim_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "stat");

	if (!r)
		r = is_forbidden(sim, path) ? -EACCES
					    : xp_sys_linux()->stat(xp_sys_linux(), path, ret_stat);
	return end(sim, "stat", own(sim, r, ret_stat), "%s", path);
}

static int sim_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	struct sim *sim = sim_of(sys);
	int r = begin(sim, "lstat");

	if (!r)
		r = xp_sys_linux()->lstat(xp_sys_linux(), path, ret_stat);
	return end(sim, "lstat", own(sim, r, ret_stat), "%s", path);
}

static int sim_link(const struct xp_sys *sys, int fd, const char *path)
{
	struct sim *sim = sim_of(sys);
	const struct file *file = file_find(sim, fd);
	int r = begin(sim, "link");

	if (!r)
		r = file && file->kind == FILE_REAL
			    ? xp_sys_linux()->link(xp_sys_linux(), file->fd, path)
			    : -ENOENT;
	return end(sim, "link", r, "%d, %s", fd, path);
}

static int sim_symlink(const struct xp_sys *sys, const char *target, const char *path)
{
	int r = begin(sim_of(sys), "symlink");

	if (!r)
		r = xp_sys_linux()->symlink(xp_sys_linux(), target, path);
	return end(sim_of(sys), "symlink", r, "%s, %s", target, path);
}

static int sim_uname(const struct xp_sys *sys, struct utsname *ret_name)
{
	static const struct utsname name = { .sysname = "Linux",
					     .nodename = "simulated",
					     .release = "6.1.0-sim",
					     .version = "#1 SMP",
					     .machine = "x86_64" };
	int r = begin(sim_of(sys), "uname");

	if (!r)
		*ret_name = name;
	return end(sim_of(sys), "uname", r, "%s", name.release);
}

static int sim_clock(const struct xp_sys *sys, int clockid, uint64_t *ret_ns,
		     uint64_t *ret_resolution_ns)
{
	int r = begin(sim_of(sys), "clock");

	if (!r && (clockid < 0 || clockid > CLOCK_TAI))
		r = -EINVAL;
	if (!r) {
		*ret_ns = run_clock(sim_of(sys), clockid);
		*ret_resolution_ns = 1;
	}
	return end(sim_of(sys), "clock", r, "%d", clockid);
}

/* Files of the model have no attributes. */
static ssize_t sim_getxattr(const struct xp_sys *sys, const char *path, const char *name, void *buf,
			    size_t len)
{
	(void)buf;
	(void)len;
	int r = begin(sim_of(sys), "getxattr");

	return end(sim_of(sys), "getxattr", r ? r : -ENODATA, "%s, %s", path, name);
}

const struct xp_sys sim_table = {
	.size = sizeof(sim_table),
	.perf_event_open = sim_perf_event_open,
	.ioctl = sim_ioctl,
	.read = sim_read,
	.pread = sim_pread,
	.write = sim_write,
	.open = sim_open,
	.stat = sim_stat,
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
	.pidfd_getfd = sim_pidfd_getfd,
	.signal_fd = sim_signal_fd,
	.rlimit = sim_rlimit,
	.run_on = sim_run_on,
	.euid = sim_euid,
	.close_behind = sim_close_behind,
	.event_fd = sim_event_fd,
	.set_priority = sim_set_priority,
	.bpf = sim_bpf,
	.create = sim_create,
	.pwritev = sim_pwritev,
	.truncate = sim_truncate,
	.rename = sim_rename,
	.remove = sim_remove,
	.mkdir = sim_mkdir,
	.lstat = sim_lstat,
	.link = sim_link,
	.symlink = sim_symlink,
	.uname = sim_uname,
	.clock = sim_clock,
	.getxattr = sim_getxattr,
};
