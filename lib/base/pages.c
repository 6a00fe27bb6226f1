/* SPDX-License-Identifier: MIT */
/*
 * Memory for large tables. What is small comes from the heap. What is large is mapped, aligned so
 * that pages of 2 MiB fit: a table that grows is then not paid for by a page fault per 4 KiB, which
 * in a process of several threads wait for each other, nor by a TLB that is too small for it.
 */
#include "pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE = 2 << 20 };

static size_t rounded(size_t bytes)
{
	return (bytes + LARGE - 1) & ~(size_t)(LARGE - 1);
}

void *xp_pages_alloc(size_t bytes)
{
	size_t len = rounded(bytes);

	if (bytes < LARGE)
		return calloc(1, bytes);
	if (len < bytes || len > SIZE_MAX - LARGE)
		return NULL;
	char *at =
		mmap(NULL, len + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	size_t before = rounded((uintptr_t)at) - (uintptr_t)at;
	if (before)
		munmap(at, before);
	munmap(at + before + len, LARGE - before);
	madvise(at + before, len, MADV_HUGEPAGE);
	return at + before;
}

void xp_pages_free(void *at, size_t bytes)
{
	if (bytes < LARGE)
		free(at);
	else if (at)
		munmap(at, rounded(bytes));
}
