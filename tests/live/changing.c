/* SPDX-License-Identifier: MIT */
/*
 * To be preloaded: a file that somebody changes while it is read. Before the CHANGE_AT-th read of
 * the file CHANGE_FILE, it is cut or grown to CHANGE_LEN bytes, or gets the bytes of CHANGE_BY.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int nr;

static void replace(const char *path, const char *by)
{
	int in = open(by, O_RDONLY | O_CLOEXEC), out = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t (*real)(int, void *, size_t) =
		(ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	char bytes[65536];
	ssize_t n;

	while (in >= 0 && out >= 0 && (n = real(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)n) != n)
			break;
	close(in);
	close(out);
}

static void change(int fd)
{
	const char *path = getenv("CHANGE_FILE"), *at = getenv("CHANGE_AT");
	const char *len = getenv("CHANGE_LEN"), *by = getenv("CHANGE_BY");
	struct stat wanted, its;

	if (!path || !at || stat(path, &wanted) || fstat(fd, &its) || its.st_ino != wanted.st_ino ||
	    its.st_dev != wanted.st_dev || atomic_fetch_add(&nr, 1) + 1 != atoi(at))
		return;
	if (by)
		replace(path, by);
	else if (len && truncate(path, atol(len)))
		_exit(2);
}

ssize_t read(int fd, void *buf, size_t len)
{
	static ssize_t (*real)(int, void *, size_t);

	if (!real)
		real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	change(fd);
	return real(fd, buf, len);
}

ssize_t pread64(int fd, void *buf, size_t len, off_t offset)
{
	static ssize_t (*real)(int, void *, size_t, off_t);

	if (!real)
		real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
	change(fd);
	return real(fd, buf, len, offset);
}

ssize_t pread(int fd, void *buf, size_t len, off_t offset)
{
	return pread64(fd, buf, len, offset);
}
