/* SPDX-License-Identifier: MIT */
/*
 * The kernel seam: every kernel call the library and the program make goes through this table.
 *
 * The real table is xp_sys_linux(); tests put a simulated kernel here; a program can wrap a table
 * in its own to watch or refuse calls. Every entry takes the table itself first, so that a table
 * embedded in a larger struct finds its state, and answers a negative errno on failure (libc's
 * -1/errno does not leave lib/sys).
 */
#ifndef XPERF_SYS_H
#define XPERF_SYS_H

#include <sys/types.h>
#include <xperf/api.h>

struct iovec;
struct pollfd;
struct rlimit;
struct rusage;
struct stat;
struct utsname;
struct xp_attr;

XP_BEGIN_DECLS

/**
 * struct xp_child - a workload process held before its exec
 * @pid:     process number
 * @go_fd:   writing one byte releases the child to its exec; closing it without makes it exit
 * @exec_fd: reads end of file when the exec succeeded, else one int: the positive errno
 *
 * Both descriptors are close-on-exec and the caller's to close through the table.
 */
struct xp_child {
	pid_t pid;
	int go_fd;
	int exec_fd;
};

/**
 * xp_dir_fn - called once per name in a directory
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_dir_fn)(const char *name, void *data);

/**
 * struct xp_sys - the calls
 *
 * Times are CLOCK_MONOTONIC nanoseconds. Descriptors are close-on-exec from birth. Every int and
 * ssize_t entry returns 0 or a positive result, or a negative errno; EINTR is passed upwards by
 * poll, read and pread only.
 */
struct xp_sys {
	/** sizeof(struct xp_sys) of whoever made the table; also of one that is a copy of another.
	 */
	size_t size;
	/** perf_event_open(2); PERF_FLAG_FD_CLOEXEC is added by the table. Returns a descriptor. */
	int (*perf_event_open)(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid,
			       int cpu, int group_fd, unsigned long flags);
	/** ioctl(2) on an event or a file. */
	int (*ioctl)(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg);
	/** read(2), on events, signal descriptors, pipes and files. */
	ssize_t (*read)(const struct xp_sys *sys, int fd, void *buf, size_t len);
	/** pread(2), on files; by several threads at once. */
	ssize_t (*pread)(const struct xp_sys *sys, int fd, void *buf, size_t len, uint64_t offset);
	/** write(2), on the way to a child. When nobody reads any more: -EPIPE, never a signal. */
	ssize_t (*write)(const struct xp_sys *sys, int fd, const void *buf, size_t len);
	/** open(2) read-only. @path is complete (the root path is already in front). */
	int (*open)(const struct xp_sys *sys, const char *path);
	/** stat(2). @path as for open. */
	int (*stat)(const struct xp_sys *sys, const char *path, struct stat *ret_stat);
	/** close(2). */
	int (*close)(const struct xp_sys *sys, int fd);
	/** Calls @fn for each name in a directory except "." and "..". */
	int (*list_dir)(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data);
	/** mmap(2), MAP_SHARED on an event; @offset in bytes. */
	int (*mmap)(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		    void **ret_addr);
	/** munmap(2). */
	int (*munmap)(const struct xp_sys *sys, void *addr, size_t len);
	/** poll(2) with a timeout in nanoseconds, < 0: for ever. Returns the number of ready
	 * descriptors. */
	int (*poll)(const struct xp_sys *sys, struct pollfd *fds, size_t nr, int64_t timeout_ns);
	/** clock_gettime(2), CLOCK_MONOTONIC, nanoseconds. */
	uint64_t (*now)(const struct xp_sys *sys);
	/** fork(2); the child waits for a byte on a pipe, then searches PATH and execs @argv. */
	int (*spawn)(const struct xp_sys *sys, char *const argv[], struct xp_child *ret_child);
	/** wait4(2). Returns the pid, 0 with WNOHANG and nothing to report. */
	int (*wait)(const struct xp_sys *sys, pid_t pid, int options, int *ret_status,
		    struct rusage *ret_usage);
	/** kill(2). */
	int (*kill)(const struct xp_sys *sys, pid_t pid, int sig);
	/** pidfd_open(2). Returns a descriptor that polls readable when the process has ended. */
	int (*pidfd_open)(const struct xp_sys *sys, pid_t pid, unsigned int flags);
	/**
	 * Blocks @signals in this process and returns a descriptor that reads a struct
	 * signalfd_siginfo for each that arrives, without waiting. Spawned children start with the
	 * mask that was in force before. Where SIGCHLD was ignored it is not any more, for wait()
	 * would find no child. With @nr 0 all that comes back, and the answer is 0.
	 */
	int (*signal_fd)(const struct xp_sys *sys, const int *signals, size_t nr);
	/** prlimit(2); @pid 0: this process; @set may be NULL, @ret_old may be NULL. */
	int (*rlimit)(const struct xp_sys *sys, pid_t pid, int resource, const struct rlimit *set,
		      struct rlimit *ret_old);
	/** sched_setaffinity(2) of this thread to @cpu; -1: back to the mask before the first hop
	 * since it was last back. */
	int (*run_on)(const struct xp_sys *sys, int cpu);
	/** geteuid(2). */
	uid_t (*euid)(const struct xp_sys *sys);
	/**
	 * Gives descriptors away to a background process that closes them, and closes them here:
	 * what is slow about the last close of a descriptor is then not waited for. If there can
	 * be no such process they are closed here nevertheless.
	 */
	int (*close_behind)(const struct xp_sys *sys, const int *fds, size_t nr);
	/** bpf(2); descriptors it makes are close-on-exec. */
	int (*bpf)(const struct xp_sys *sys, int command, void *attr, size_t len);
	/** eventfd(2): reads as the sum of what was written, as u64, and is empty then; -EAGAIN
	 * where there is nothing. Returns a descriptor. */
	int (*event_fd)(const struct xp_sys *sys);
	/** Lets the calling thread run before others: by SCHED_FIFO of a @priority from 1 on, or,
	 * if that is 0, as far as it is allowed, which never fails. */
	int (*set_priority)(const struct xp_sys *sys, int priority);
	/** open(2) for writing. @flags: O_CREAT | O_EXCL, a new file of mode 0600, or 0, one that
	 * is there, neither through a symbolic link; O_CREAT | O_TRUNC, either of them, emptied,
	 * also through links, as a shell redirects. Returns a descriptor. */
	int (*create)(const struct xp_sys *sys, const char *path, int flags);
	/** pwritev(2); @offset -1: writev(2). Fewer bytes than asked for are no failure. Nobody
	 * reads any more: -EPIPE, the file is at its limit: -EFBIG, never a signal. */
	ssize_t (*pwritev)(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			   int64_t offset);
	/** ftruncate(2). */
	int (*truncate)(const struct xp_sys *sys, int fd, uint64_t len);
	/** rename(2). */
	int (*rename)(const struct xp_sys *sys, const char *from, const char *to);
	/** remove(3): a file, or an empty directory. */
	int (*remove)(const struct xp_sys *sys, const char *path);
	/** mkdir(2), mode 0700. */
	int (*mkdir)(const struct xp_sys *sys, const char *path);
	/** lstat(2). */
	int (*lstat)(const struct xp_sys *sys, const char *path, struct stat *ret_stat);
	/** linkat(2) of an open file: one more name for it. */
	int (*link)(const struct xp_sys *sys, int fd, const char *path);
	/** symlink(2). */
	int (*symlink)(const struct xp_sys *sys, const char *target, const char *path);
	/** uname(2). */
	int (*uname)(const struct xp_sys *sys, struct utsname *ret_name);
	/** clock_gettime(2) and clock_getres(2), both in nanoseconds. */
	int (*clock)(const struct xp_sys *sys, int clockid, uint64_t *ret_ns,
		     uint64_t *ret_resolution_ns);
	/** getxattr(2). Returns the bytes of the value. */
	ssize_t (*getxattr)(const struct xp_sys *sys, const char *path, const char *name, void *buf,
			    size_t len);
	/** pidfd_getfd(2): a second descriptor of what @fd is in the process of @pidfd. */
	int (*pidfd_getfd)(const struct xp_sys *sys, int pidfd, int fd);
};

/**
 * xp_sys_linux - the real kernel
 *
 * Returns the table; static storage.
 */
XP_API const struct xp_sys *xp_sys_linux(void);

XP_END_DECLS

#endif
