/* SPDX-License-Identifier: MIT */
/* A kernel table that passes every call on. Each entry must hand the lower table its own pointer:
 * a table finds its state by it. */
#include "forward.h"

static const struct xp_sys *under(const struct xp_sys *sys)
{
	return ((const struct forward *)sys)->under;
}

static int pass_perf_event_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid,
				int cpu, int group_fd, unsigned long flags)
{
	return under(sys)->perf_event_open(under(sys), attr, pid, cpu, group_fd, flags);
}

static int pass_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	return under(sys)->ioctl(under(sys), fd, request, arg);
}

static ssize_t pass_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	return under(sys)->read(under(sys), fd, buf, len);
}

static ssize_t pass_pread(const struct xp_sys *sys, int fd, void *buf, size_t len, uint64_t offset)
{
	return under(sys)->pread(under(sys), fd, buf, len, offset);
}

static ssize_t pass_write(const struct xp_sys *sys, int fd, const void *buf, size_t len)
{
	return under(sys)->write(under(sys), fd, buf, len);
}

static int pass_open(const struct xp_sys *sys, const char *path)
{
	return under(sys)->open(under(sys), path);
}

static int pass_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	return under(sys)->stat(under(sys), path, ret_stat);
}

static int pass_close(const struct xp_sys *sys, int fd)
{
	return under(sys)->close(under(sys), fd);
}

static int pass_list_dir(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	return under(sys)->list_dir(under(sys), path, fn, data);
}

static int pass_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		     void **ret_addr)
{
	return under(sys)->mmap(under(sys), len, prot, fd, offset, ret_addr);
}

static int pass_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	return under(sys)->munmap(under(sys), addr, len);
}

static int pass_poll(const struct xp_sys *sys, struct pollfd *fds, size_t nr, int64_t timeout_ns)
{
	return under(sys)->poll(under(sys), fds, nr, timeout_ns);
}

static uint64_t pass_now(const struct xp_sys *sys)
{
	return under(sys)->now(under(sys));
}

static int pass_spawn(const struct xp_sys *sys, char *const argv[], struct xp_child *ret_child)
{
	return under(sys)->spawn(under(sys), argv, ret_child);
}

static int pass_wait(const struct xp_sys *sys, pid_t pid, int options, int *ret_status,
		     struct rusage *ret_usage)
{
	return under(sys)->wait(under(sys), pid, options, ret_status, ret_usage);
}

static int pass_kill(const struct xp_sys *sys, pid_t pid, int sig)
{
	return under(sys)->kill(under(sys), pid, sig);
}

static int pass_pidfd_open(const struct xp_sys *sys, pid_t pid, unsigned int flags)
{
	return under(sys)->pidfd_open(under(sys), pid, flags);
}

static int pass_pidfd_getfd(const struct xp_sys *sys, int pidfd, int fd)
{
	return under(sys)->pidfd_getfd(under(sys), pidfd, fd);
}

static int pass_signal_fd(const struct xp_sys *sys, const int *signals, size_t nr)
{
	return under(sys)->signal_fd(under(sys), signals, nr);
}

static ssize_t pass_getxattr(const struct xp_sys *sys, const char *path, const char *name,
			     void *buf, size_t len)
{
	return under(sys)->getxattr(under(sys), path, name, buf, len);
}

static int pass_rlimit(const struct xp_sys *sys, pid_t pid, int resource, const struct rlimit *set,
		       struct rlimit *ret_old)
{
	return under(sys)->rlimit(under(sys), pid, resource, set, ret_old);
}

static int pass_run_on(const struct xp_sys *sys, int cpu)
{
	return under(sys)->run_on(under(sys), cpu);
}

static uid_t pass_euid(const struct xp_sys *sys)
{
	return under(sys)->euid(under(sys));
}

static int pass_event_fd(const struct xp_sys *sys)
{
	return under(sys)->event_fd(under(sys));
}

static int pass_set_priority(const struct xp_sys *sys, int priority)
{
	return under(sys)->set_priority(under(sys), priority);
}

static int pass_close_behind(const struct xp_sys *sys, const int *fds, size_t nr)
{
	return under(sys)->close_behind(under(sys), fds, nr);
}

static int pass_bpf(const struct xp_sys *sys, int command, void *attr, size_t len)
{
	return under(sys)->bpf(under(sys), command, attr, len);
}

static int pass_create(const struct xp_sys *sys, const char *path, int flags)
{
	return under(sys)->create(under(sys), path, flags);
}

static ssize_t pass_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			    int64_t offset)
{
	return under(sys)->pwritev(under(sys), fd, pieces, nr, offset);
}

static int pass_truncate(const struct xp_sys *sys, int fd, uint64_t len)
{
	return under(sys)->truncate(under(sys), fd, len);
}

static int pass_rename(const struct xp_sys *sys, const char *from, const char *to)
{
	return under(sys)->rename(under(sys), from, to);
}

static int pass_remove(const struct xp_sys *sys, const char *path)
{
	return under(sys)->remove(under(sys), path);
}

static int pass_mkdir(const struct xp_sys *sys, const char *path)
{
	return under(sys)->mkdir(under(sys), path);
}

static int pass_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	return under(sys)->lstat(under(sys), path, ret_stat);
}

static int pass_link(const struct xp_sys *sys, int fd, const char *path)
{
	return under(sys)->link(under(sys), fd, path);
}

static int pass_symlink(const struct xp_sys *sys, const char *target, const char *path)
{
	return under(sys)->symlink(under(sys), target, path);
}

static int pass_uname(const struct xp_sys *sys, struct utsname *ret_name)
{
	return under(sys)->uname(under(sys), ret_name);
}

static int pass_clock(const struct xp_sys *sys, int clockid, uint64_t *ret_ns,
		      uint64_t *ret_resolution_ns)
{
	return under(sys)->clock(under(sys), clockid, ret_ns, ret_resolution_ns);
}

static const struct xp_sys table = {
	.size = sizeof(table),
	.perf_event_open = pass_perf_event_open,
	.ioctl = pass_ioctl,
	.read = pass_read,
	.pread = pass_pread,
	.write = pass_write,
	.open = pass_open,
	.stat = pass_stat,
	.close = pass_close,
	.list_dir = pass_list_dir,
	.mmap = pass_mmap,
	.munmap = pass_munmap,
	.poll = pass_poll,
	.now = pass_now,
	.spawn = pass_spawn,
	.wait = pass_wait,
	.kill = pass_kill,
	.pidfd_open = pass_pidfd_open,
	.pidfd_getfd = pass_pidfd_getfd,
	.signal_fd = pass_signal_fd,
	.rlimit = pass_rlimit,
	.getxattr = pass_getxattr,
	.run_on = pass_run_on,
	.euid = pass_euid,
	.close_behind = pass_close_behind,
	.event_fd = pass_event_fd,
	.set_priority = pass_set_priority,
	.bpf = pass_bpf,
	.create = pass_create,
	.pwritev = pass_pwritev,
	.truncate = pass_truncate,
	.rename = pass_rename,
	.remove = pass_remove,
	.mkdir = pass_mkdir,
	.lstat = pass_lstat,
	.link = pass_link,
	.symlink = pass_symlink,
	.uname = pass_uname,
	.clock = pass_clock,
};

/* An entry added to struct xp_sys must be passed on here too. */
_Static_assert(sizeof(table) == sizeof(size_t) + 38 * sizeof(void (*)(void)),
	       "an entry is not passed on");

void forward_init(struct forward *forward, const struct xp_sys *lower)
{
	forward->sys = table;
	forward->under = lower;
}
