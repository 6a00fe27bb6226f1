/* SPDX-License-Identifier: MIT */
/* The file of a result, complete or as it was before: see result.h. */
#include "result.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>

/* --- what must not be written --- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool result_is_input(const char *path, const char *input)
{
	struct stat written, read;
	char data[PATH_MAX];

	if (!input || stat(path, &written) || !S_ISREG(written.st_mode))
		return false;
	if (!strcmp(input, "-"))
		return !fstat(STDIN_FILENO, &read) && is_same(&written, &read);
	if (!stat(input, &read) && is_same(&written, &read))
		return true;
	return snprintf(data, sizeof(data), "%s/data", input) < (int)sizeof(data) &&
	       !stat(data, &read) && is_same(&written, &read);
}

/* --- signals --- */

/* A result that a signal ends is removed; a closed pipe and a limit are errors of the write. */
static void remove_unfinished(int sig);

static struct {
	int number;
	void (*handler)(int);
	struct sigaction before;
} signals[] = {
	{ .number = SIGHUP, .handler = remove_unfinished },
	{ .number = SIGINT, .handler = remove_unfinished },
	{ .number = SIGTERM, .handler = remove_unfinished },
	{ .number = SIGPIPE, .handler = SIG_IGN },
	{ .number = SIGXFSZ, .handler = SIG_IGN },
};

enum { NR_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* What a signal removes. A program writes one result at a time. */
static const char *volatile unfinished;

static void remove_unfinished(int sig)
{
	if (unfinished)
		unlink(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void handle_signals(const char *beside)
{
	unfinished = beside;
	for (int i = 0; i < NR_SIGNALS; i++) {
		struct sigaction action = { .sa_handler = signals[i].handler };

		sigaction(signals[i].number, NULL, &signals[i].before);
		/* Who ignores it (nohup) goes on doing so. */
		if (signals[i].before.sa_handler != SIG_IGN)
			sigaction(signals[i].number, &action, NULL);
	}
}

static void restore_signals(void)
{
	for (int i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].number, &signals[i].before, NULL);
	unfinished = NULL;
}

/* --- files --- */

static int cannot_write(const char *path, int err, struct xp_diag *diag)
{
	return xp_diag_set(diag, err, "'%s' cannot be written: %s", path, strerror(-err));
}

int result_descriptor(const char *path)
{
	static const struct {
		const char *prefix, *rest;
		int fd;
	} names[] = {
		{ "/dev/stdout", "", STDOUT_FILENO },
		{ "/proc/self/fd/", NULL, -1 },
		{ "/dev/stderr", "", STDERR_FILENO },
		{ "/dev/fd/", NULL, -1 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i].prefix);
		unsigned int fd;
		char more;

		if (strncmp(path, names[i].prefix, len))
			continue;
		if (names[i].rest && !strcmp(path + len, names[i].rest))
			return names[i].fd;
		if (!names[i].rest && sscanf(path + len, "%9u%c", &fd, &more) == 1)
			return (int)fd;
	}
	return -1;
}

/* The file it is written to meanwhile, with owner and mode of the one that it replaces. Returns
 * the descriptor or a negative errno: the directory may belong to somebody else. */
static int open_beside(struct result *result, const struct stat *old)
{
	result->target = old ? realpath(result->path, NULL) : strdup(result->path);
	if (!result->target || asprintf(&result->beside, "%s.XXXXXX", result->target) < 0) {
		result->beside = NULL;
		return -ENOMEM;
	}
	int fd = mkostemp(result->beside, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	mode_t mask = umask(0);
	umask(mask);
	if (old && (old->st_uid != geteuid() || old->st_gid != getegid()) &&
	    fchown(fd, old->st_uid, old->st_gid))
		old = NULL;
	fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
	return fd;
}

static void forget(struct result *result)
{
	free(result->target);
	free(result->beside);
	result->target = result->beside = NULL;
}

static int open_in_place(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && ftruncate(fd, 0)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* Where it is written to. Returns the descriptor or a negative errno. */
static int open_file(struct result *result, bool keeps_old)
{
	int descriptor = result_descriptor(result->path), fd = -1;
	struct stat old;
	bool is_there = !stat(result->path, &old), is_new = !is_there && errno == ENOENT;

	if (descriptor >= 0) {
		fd = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd < 0 ? -errno : fd;
	}
	if (is_there && S_ISREG(old.st_mode) && keeps_old)
		return -EEXIST;
	if (is_new || (is_there && S_ISREG(old.st_mode) && !access(result->path, W_OK)))
		fd = open_beside(result, is_there ? &old : NULL);
	if (fd >= 0)
		return fd;
	forget(result);
	return open_in_place(result->path);
}

int result_open(struct result *result, const char *path, const char *input, bool keeps_old,
		struct xp_diag *diag)
{
	*result = (struct result){ .path = path };
	if (result_is_input(path, input))
		return xp_diag_set(diag, -EEXIST, "'%s' cannot be written: it is also the input",
				   path);
	int fd = open_file(result, keeps_old);
	if (fd < 0) {
		cannot_write(path, fd, diag);
		if (fd == -EEXIST)
			xp_diag_hint(diag, "Use --force to replace it");
		return fd;
	}
	result->stream.fd = fd;
	result->file = stream_open(&result->stream);
	if (result->file) {
		handle_signals(result->beside);
		return 0;
	}
	close(fd);
	if (result->beside)
		unlink(result->beside);
	forget(result);
	return cannot_write(path, -ENOMEM, diag);
}

/* A file that is not there yet: it is made and removed. A link to nothing is replaced later. */
static int check_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	close(fd);
	return unlink(path) ? -errno : 0;
}

int result_check(const char *path, struct xp_diag *diag)
{
	struct stat old;
	int err;

	if (result_descriptor(path) >= 0)
		return 0;
	if (stat(path, &old))
		err = errno == ENOENT ? check_new(path) : -errno;
	else if (S_ISDIR(old.st_mode))
		err = -EISDIR;
	else
		err = access(path, W_OK) ? -errno : 0;
	return err ? cannot_write(path, err, diag) : 0;
}

int result_close(struct result *result, int err, struct xp_diag *diag)
{
	if (!result->file)
		return err;
	int failed = stream_flush(&result->stream, result->file);
	fclose(result->file);
	if (close(result->stream.fd) && !failed)
		failed = -errno;
	if (!err && !failed && result->beside && rename(result->beside, result->target))
		failed = -errno;
	if ((err || failed) && result->beside)
		unlink(result->beside);
	restore_signals();
	forget(result);
	result->file = NULL;
	return failed ? cannot_write(result->path, failed, diag) : err;
}
