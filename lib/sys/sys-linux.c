/* SPDX-License-Identifier: MIT */
/* The real kernel behind struct xp_sys: each call once, -1/errno turned into -errno here. */
#include <xperf/sys.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "close-behind.h"
#include "descriptor.h"
#include "disk.h"
#include "spawn.h"
#include "uapi.h"

static int ret(long value)
{
	return value < 0 ? -errno : (int)value;
}

static int linux_perf_event_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid,
				 int cpu, int group_fd, unsigned long flags)
{
	long fd;

	(void)sys;
	/* It waits for a target that is in the middle of an exec. */
	do
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			     flags | PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return ret(xp_above_standard((int)fd));
}

static int linux_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	(void)sys;
	return ret(ioctl(fd, request, arg));
}

static ssize_t linux_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	(void)sys;
	ssize_t n = read(fd, buf, len);

	return n < 0 ? -errno : n;
}

static ssize_t linux_pread(const struct xp_sys *sys, int fd, void *buf, size_t len, uint64_t offset)
{
	(void)sys;
	ssize_t n = pread(fd, buf, len, (off_t)offset);

	return n < 0 ? -errno : n;
}

static ssize_t linux_write(const struct xp_sys *sys, int fd, const void *buf, size_t len)
{
	ssize_t n;

	(void)sys;
	do {
		n = send(fd, buf, len, MSG_NOSIGNAL);
		if (n < 0 && errno == ENOTSOCK)
			n = write(fd, buf, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int linux_open(const struct xp_sys *sys, const char *path)
{
	(void)sys;
	return ret(xp_above_standard(open(path, O_RDONLY | O_CLOEXEC)));
}

static int linux_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	(void)sys;
	return ret(stat(path, ret_stat));
}

static int linux_close(const struct xp_sys *sys, int fd)
{
	(void)sys;
	return ret(close(fd));
}

static int linux_list_dir(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	DIR *dir = opendir(path);
	int err = 0;

	(void)sys;
	if (!dir)
		return -errno;
	while (!err) {
		errno = 0;
		const struct dirent *entry = readdir(dir);
		if (!entry) {
			err = -errno;
			break;
		}
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			err = fn(entry->d_name, data);
	}
	closedir(dir);
	return err;
}

static int linux_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		      void **ret_addr)
{
	(void)sys;
	void *addr = mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)offset);

	if (addr == MAP_FAILED)
		return -errno;
	*ret_addr = addr;
	return 0;
}

static int linux_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	(void)sys;
	return ret(munmap(addr, len));
}

static int linux_poll(const struct xp_sys *sys, struct pollfd *fds, size_t nr, int64_t timeout_ns)
{
	struct timespec ts = { .tv_sec = timeout_ns / 1000000000,
			       .tv_nsec = timeout_ns % 1000000000 };

	(void)sys;
	return ret(ppoll(fds, nr, timeout_ns < 0 ? NULL : &ts, NULL));
}

static uint64_t nanoseconds(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000 + (uint64_t)ts->tv_nsec;
}

static uint64_t linux_now(const struct xp_sys *sys)
{
	struct timespec ts = { 0 };

	(void)sys;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return nanoseconds(&ts);
}

static int linux_wait(const struct xp_sys *sys, pid_t pid, int options, int *ret_status,
		      struct rusage *ret_usage)
{
	long got;

	(void)sys;
	do
		got = wait4(pid, ret_status, options, ret_usage);
	while (got < 0 && errno == EINTR);
	return ret(got);
}

static int linux_kill(const struct xp_sys *sys, pid_t pid, int sig)
{
	(void)sys;
	return ret(kill(pid, sig));
}

static int linux_pidfd_open(const struct xp_sys *sys, pid_t pid, unsigned int flags)
{
	(void)sys;
	return ret(xp_above_standard((int)syscall(SYS_pidfd_open, pid, flags)));
}

static int linux_pidfd_getfd(const struct xp_sys *sys, int pidfd, int fd)
{
	(void)sys;
	return ret(xp_above_standard((int)syscall(SYS_pidfd_getfd, pidfd, fd, 0)));
}

static int linux_signal_fd(const struct xp_sys *sys, const int *signals, size_t nr)
{
	sigset_t set;

	(void)sys;
	if (!nr)
		return xp_spawn_unblock_signals();
	sigemptyset(&set);
	for (size_t i = 0; i < nr; i++)
		sigaddset(&set, signals[i]);
	/* First the descriptor: it changes nothing yet, and is easily given back. */
	int fd = ret(xp_above_standard(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)));
	int err = fd < 0 ? fd : xp_spawn_block_signals(&set);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

static ssize_t linux_getxattr(const struct xp_sys *sys, const char *path, const char *name,
			      void *buf, size_t len)
{
	(void)sys;
	ssize_t n = getxattr(path, name, buf, len);
	return n < 0 ? -errno : n;
}

static int linux_rlimit(const struct xp_sys *sys, pid_t pid, int resource, const struct rlimit *set,
			struct rlimit *ret_old)
{
	(void)sys;
	return ret(prlimit(pid, (enum __rlimit_resource)resource, set, ret_old));
}

/*
 * The thread's mask before its first hop, until it is back. The kernel keeps one per thread, and so
 * do we: threads with contexts of their own do not meet here. CPU sets of the largest size the
 * kernel has today.
 */
static _Thread_local struct {
	bool saved;
	cpu_set_t mask[8];
} affinity;

static int linux_run_on(const struct xp_sys *sys, int cpu)
{
	cpu_set_t one[8];

	(void)sys;
	if (cpu < 0 && !affinity.saved)
		return 0;
	if (!affinity.saved) {
		if (sched_getaffinity(0, sizeof(affinity.mask), affinity.mask) < 0)
			return -errno;
		affinity.saved = true;
	}
	if (cpu < 0) {
		affinity.saved = false;
		return ret(sched_setaffinity(0, sizeof(affinity.mask), affinity.mask));
	}
	CPU_ZERO_S(sizeof(one), one);
	CPU_SET_S((size_t)cpu, sizeof(one), one);
	return ret(sched_setaffinity(0, sizeof(one), one));
}

static uid_t linux_euid(const struct xp_sys *sys)
{
	(void)sys;
	return geteuid();
}

static int linux_spawn(const struct xp_sys *sys, char *const argv[], struct xp_child *ret_child)
{
	(void)sys;
	return xp_spawn_held(argv, ret_child);
}

static int linux_close_behind(const struct xp_sys *sys, const int *fds, size_t nr)
{
	(void)sys;
	return xp_close_behind(fds, nr);
}

static int linux_bpf(const struct xp_sys *sys, int command, void *attr, size_t len)
{
	(void)sys;
	return ret(syscall(SYS_bpf, command, attr, len));
}

/* By the way of /proc no privilege is needed. Source: open(2), O_TMPFILE. */
static int linux_link(const struct xp_sys *sys, int fd, const char *path)
{
	char from[32];

	(void)sys;
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	return ret(linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}

static int linux_symlink(const struct xp_sys *sys, const char *target, const char *path)
{
	(void)sys;
	return ret(symlink(target, path));
}

static int linux_uname(const struct xp_sys *sys, struct utsname *ret_name)
{
	(void)sys;
	return ret(uname(ret_name));
}

static int linux_clock(const struct xp_sys *sys, int clockid, uint64_t *ret_ns,
		       uint64_t *ret_resolution_ns)
{
	struct timespec now, resolution;

	(void)sys;
	if (clock_gettime(clockid, &now) || clock_getres(clockid, &resolution))
		return -errno;
	*ret_ns = nanoseconds(&now);
	*ret_resolution_ns = nanoseconds(&resolution);
	return 0;
}

static int linux_event_fd(const struct xp_sys *sys)
{
	(void)sys;
	return ret(xp_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
}

static int linux_set_priority(const struct xp_sys *sys, int priority)
{
	enum { MOST_FAVOURABLE = -20 };
	const struct sched_param param = { .sched_priority = priority };

	(void)sys;
	if (priority)
		return ret(sched_setscheduler(0, SCHED_FIFO, &param));
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), MOST_FAVOURABLE);
	return 0;
}

static const struct xp_sys linux_sys = {
	.size = sizeof(linux_sys),
	.perf_event_open = linux_perf_event_open,
	.ioctl = linux_ioctl,
	.read = linux_read,
	.pread = linux_pread,
	.write = linux_write,
	.open = linux_open,
	.stat = linux_stat,
	.close = linux_close,
	.list_dir = linux_list_dir,
	.mmap = linux_mmap,
	.munmap = linux_munmap,
	.poll = linux_poll,
	.now = linux_now,
	.spawn = linux_spawn,
	.wait = linux_wait,
	.kill = linux_kill,
	.pidfd_open = linux_pidfd_open,
	.pidfd_getfd = linux_pidfd_getfd,
	.signal_fd = linux_signal_fd,
	.rlimit = linux_rlimit,
	.getxattr = linux_getxattr,
	.run_on = linux_run_on,
	.euid = linux_euid,
	.close_behind = linux_close_behind,
	.bpf = linux_bpf,
	.event_fd = linux_event_fd,
	.set_priority = linux_set_priority,
	.create = xp_disk_create,
	.pwritev = xp_disk_pwritev,
	.truncate = xp_disk_truncate,
	.rename = xp_disk_rename,
	.remove = xp_disk_remove,
	.mkdir = xp_disk_mkdir,
	.lstat = xp_disk_lstat,
	.link = linux_link,
	.symlink = linux_symlink,
	.uname = linux_uname,
	.clock = linux_clock,
};

const struct xp_sys *xp_sys_linux(void)
{
	return &linux_sys;
}
