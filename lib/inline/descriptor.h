/* SPDX-License-Identifier: MIT */
/* Descriptors that live as long as a recording is made or read. */
#ifndef INLINE_DESCRIPTOR_H
#define INLINE_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Moves a descriptor away from the numbers of standard streams: where a program has closed those,
 * its own messages would be written over what is opened there. @fd: closed if it is moved;
 * negative: returned as it is, with errno as it was. Returns the descriptor, or -1 with errno.
 */
static inline int xp_above_standard(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int err = errno;
	close(fd);
	errno = err;
	return above;
}

#endif
