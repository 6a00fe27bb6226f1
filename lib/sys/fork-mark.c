/* SPDX-License-Identifier: MIT */
/*
 * A page the kernel clears in the child. Memory of our own, not a question to the kernel: no call
 * of struct xp_sys.
 * Source: madvise(2), MADV_WIPEONFORK.
 */
#include "fork-mark.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int xp_fork_mark_new(const volatile uint32_t **ret_mark)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t *mark =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return -ENOMEM;
	madvise(mark, bytes, MADV_WIPEONFORK);
	*mark = 1;
	*ret_mark = mark;
	return 0;
}

void xp_fork_mark_free(const volatile uint32_t *mark)
{
	if (mark)
		munmap((void *)mark, (size_t)sysconf(_SC_PAGESIZE));
}
