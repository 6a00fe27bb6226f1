/* SPDX-License-Identifier: MIT */
/* Promises of the kernel about files that are written, the machine's name and its clocks. */
#include "promises-disk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "promises.h"

#define SYS (promise_env.sys)

/* A directory of the test's own, and paths in it. */
static char dir[64];
static char path_a[80], path_b[80];

static void begin_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%.40s/promise.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(path_a, sizeof(path_a), "%s/a", dir);
	snprintf(path_b, sizeof(path_b), "%s/b", dir);
}

static void end_dir(void)
{
	unlink(path_a);
	unlink(path_b);
	assert_int_equal(rmdir(dir), 0);
}

static int create_new(const char *path)
{
	return SYS->create(SYS, path, O_CREAT | O_EXCL);
}

static ssize_t put(int fd, const char *text, int64_t offset)
{
	struct iovec pieces[] = { { (void *)text, 1 }, { (void *)(text + 1), strlen(text + 1) } };

	return SYS->pwritev(SYS, fd, pieces, 2, offset);
}

static size_t content(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, buf, len);

	assert_true(n >= 0);
	close(fd);
	return (size_t)n;
}

/* open(2): O_EXCL, O_NOFOLLOW */
void promise_create_is_exclusive(void **state)
{
	struct stat st;

	(void)state;
	begin_dir();
	mode_t mask = umask(0);
	int fd = create_new(path_a);
	umask(mask);
	assert_true(fd >= 0);
	assert_int_equal(SYS->lstat(SYS, path_a, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(create_new(path_a), -EEXIST);
	assert_int_equal(symlink(path_a, path_b), 0);
	assert_int_equal(create_new(path_b), -EEXIST);
	assert_int_equal(SYS->create(SYS, path_b, 0), -ELOOP);
	int through = SYS->create(SYS, path_b, O_CREAT | O_TRUNC);
	assert_true(through >= 0);
	assert_int_equal(SYS->close(SYS, through), 0);
	assert_int_equal(SYS->lstat(SYS, path_b, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	SYS->close(SYS, fd);
	end_dir();
}

/* linkat(2), symlink(2), stat(2): one more name is the same file; what is there is left alone */
void promise_names_are_added(void **state)
{
	struct stat a, b;

	(void)state;
	begin_dir();
	int fd = create_new(path_a);
	assert_true(fd >= 0);
	assert_int_equal(SYS->link(SYS, fd, path_b), 0);
	assert_int_equal(SYS->link(SYS, fd, path_b), -EEXIST);
	assert_int_equal(SYS->stat(SYS, path_a, &a), 0);
	assert_int_equal(SYS->stat(SYS, path_b, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	SYS->close(SYS, fd);
	assert_int_equal(SYS->link(SYS, fd, path_b), -ENOENT);
	assert_int_equal(SYS->symlink(SYS, "a", path_b), -EEXIST);
	assert_int_equal(SYS->remove(SYS, path_b), 0);
	assert_int_equal(SYS->symlink(SYS, "a", path_b), 0);
	assert_int_equal(SYS->stat(SYS, path_b, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(SYS->lstat(SYS, path_b, &b), 0);
	assert_true(S_ISLNK(b.st_mode));
	assert_int_equal(SYS->remove(SYS, path_a), 0);
	assert_int_equal(SYS->stat(SYS, path_b, &b), -ENOENT);
	end_dir();
}

/* pwritev(2), writev(2), ftruncate(2) */
void promise_writes_go_to_the_given_offset(void **state)
{
	char got[16] = { 0 };

	(void)state;
	begin_dir();
	int fd = create_new(path_a);
	assert_int_equal(put(fd, "end", 5), 3);
	assert_int_equal(put(fd, "beg", 0), 3);
	assert_int_equal(content(path_a, got, sizeof(got)), 8);
	assert_memory_equal(got, "beg\0\0end", 8);
	/* the position is still the beginning, and moves on */
	assert_int_equal(put(fd, "12", -1), 2);
	assert_int_equal(put(fd, "34", -1), 2);
	assert_int_equal(SYS->truncate(SYS, fd, 4), 0);
	assert_int_equal(content(path_a, got, sizeof(got)), 4);
	assert_memory_equal(got, "1234", 4);
	SYS->close(SYS, fd);
	assert_int_equal(put(fd, "no", 0), -EBADF);
	end_dir();
}

/* pread(2) */
void promise_reads_from_the_given_offset(void **state)
{
	char got[16] = { 0 };

	(void)state;
	begin_dir();
	int fd = create_new(path_a);
	assert_int_equal(put(fd, "begin", 0), 5);
	SYS->close(SYS, fd);
	fd = SYS->open(SYS, path_a);
	assert_int_equal(SYS->pread(SYS, fd, got, sizeof(got), 2), 3);
	assert_memory_equal(got, "gin", 3);
	assert_int_equal(SYS->pread(SYS, fd, got, sizeof(got), 5), 0);
	/* the position is still the beginning */
	assert_int_equal(SYS->read(SYS, fd, got, 1), 1);
	assert_int_equal(got[0], 'b');
	SYS->close(SYS, fd);
	assert_int_equal(SYS->pread(SYS, fd, got, 1, 0), -EBADF);
	end_dir();
}

static bool is_pending(int sig)
{
	sigset_t set;

	assert_int_equal(sigpending(&set), 0);
	return sigismember(&set, sig);
}

/* write(2), EPIPE; it would end this program if the signal came */
void promise_no_reader_no_signal(void **state)
{
	(void)state;
	begin_dir();
	assert_int_equal(mkfifo(path_a, 0600), 0);
	int reader = open(path_a, O_RDONLY | O_NONBLOCK);
	int fd = SYS->create(SYS, path_a, 0);
	assert_true(fd >= 0);
	assert_int_equal(put(fd, "text", -1), 4);
	close(reader);
	assert_int_equal(put(fd, "text", -1), -EPIPE);
	assert_int_equal(put(fd, "text", 0), -ESPIPE);
	assert_false(is_pending(SIGPIPE));
	SYS->close(SYS, fd);
	end_dir();
}

/* setrlimit(2), RLIMIT_FSIZE: what fits is written, then EFBIG; likewise without the signal */
void promise_file_limit_no_signal(void **state)
{
	struct rlimit old, low;

	(void)state;
	begin_dir();
	int fd = create_new(path_a);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){ 6, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	ssize_t first = put(fd, "12345678", 0), second = put(fd, "9", 6);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(first, 6);
	assert_int_equal(second, -EFBIG);
	assert_false(is_pending(SIGXFSZ));
	SYS->close(SYS, fd);
	end_dir();
}

/* rename(2), remove(3) */
void promise_names_change(void **state)
{
	char got[4] = { 0 };
	struct stat st;

	(void)state;
	begin_dir();
	int a = create_new(path_a), b = create_new(path_b);
	assert_int_equal(put(a, "aa", 0), 2);
	assert_int_equal(SYS->rename(SYS, path_a, path_b), 0);
	assert_int_equal(SYS->lstat(SYS, path_a, &st), -ENOENT);
	assert_int_equal(content(path_b, got, sizeof(got)), 2);
	assert_int_equal(SYS->rename(SYS, path_a, path_b), -ENOENT);
	assert_int_equal(SYS->remove(SYS, path_b), 0);
	assert_int_equal(SYS->remove(SYS, path_b), -ENOENT);
	/* a name that is gone leaves the file to who has it open */
	assert_int_equal(put(a, "aa", 2), 2);
	SYS->close(SYS, a);
	SYS->close(SYS, b);
	end_dir();
}

/* mkdir(2), rmdir(2), rename(2) */
void promise_directories(void **state)
{
	char inner[96];

	(void)state;
	begin_dir();
	snprintf(inner, sizeof(inner), "%s/data", path_a);
	assert_int_equal(SYS->mkdir(SYS, path_a), 0);
	assert_int_equal(SYS->mkdir(SYS, path_a), -EEXIST);
	SYS->close(SYS, create_new(inner));
	assert_int_equal(SYS->remove(SYS, path_a), -ENOTEMPTY);
	SYS->close(SYS, create_new(path_b));
	assert_int_equal(SYS->rename(SYS, path_a, path_b), -ENOTDIR);
	assert_int_equal(SYS->rename(SYS, path_b, path_a), -EISDIR);
	assert_int_equal(SYS->remove(SYS, inner), 0);
	assert_int_equal(SYS->remove(SYS, path_a), 0);
	end_dir();
}

void promise_uname(void **state)
{
	struct utsname name = { 0 };

	(void)state;
	assert_int_equal(SYS->uname(SYS, &name), 0);
	assert_string_equal(name.sysname, "Linux");
	assert_true(name.machine[0] && name.release[0]);
}

/* clock_gettime(2) */
void promise_clocks(void **state)
{
	uint64_t before = SYS->now(SYS), ns, resolution_ns;

	(void)state;
	assert_int_equal(SYS->clock(SYS, CLOCK_MONOTONIC, &ns, &resolution_ns), 0);
	assert_true(ns >= before && ns <= SYS->now(SYS));
	assert_true(resolution_ns > 0);
	assert_int_equal(SYS->clock(SYS, CLOCK_REALTIME, &ns, &resolution_ns), 0);
	assert_true(ns > UINT64_C(1500000000) * 1000000000); /* 2017 */
	assert_int_equal(SYS->clock(SYS, 4000, &ns, &resolution_ns), -EINVAL);
}

/* eventfd(2) */
void promise_counters_add_up(void **state)
{
	struct pollfd pollfd = { .fd = SYS->event_fd(SYS), .events = POLLIN };
	uint64_t one = 1, sum;

	(void)state;
	assert_true(pollfd.fd >= 0);
	assert_int_equal(SYS->poll(SYS, &pollfd, 1, 0), 0);
	assert_int_equal(SYS->read(SYS, pollfd.fd, &sum, sizeof(sum)), -EAGAIN);
	for (int i = 0; i < 3; i++)
		assert_int_equal(SYS->write(SYS, pollfd.fd, &one, sizeof(one)), sizeof(one));
	assert_int_equal(SYS->poll(SYS, &pollfd, 1, 0), 1);
	assert_int_equal(SYS->read(SYS, pollfd.fd, &sum, sizeof(sum)), sizeof(sum));
	assert_int_equal(sum, 3);
	assert_int_equal(SYS->poll(SYS, &pollfd, 1, 0), 0);
	assert_int_equal(SYS->close(SYS, pollfd.fd), 0);
}

/* setpriority(2), EACCES */
void promise_set_priority_is_no_failure(void **state)
{
	(void)state;
	assert_int_equal(SYS->set_priority(SYS, 0), 0);
}
