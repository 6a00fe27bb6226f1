/* SPDX-License-Identifier: MIT */
/* Stores to buf1+0x0 and buf1+0x38, and no other data in a cache line of its own. */
#include <stddef.h>

#include "workload.h"

struct buf {
	volatile char data1;
	char reserved[55];
	volatile char data2;
} __attribute__((aligned(64)));

__attribute__((used)) static struct buf buf1;

_Static_assert(offsetof(struct buf, data2) == 0x38, "scripts look for buf1+0x38");

int datasym(int argc, char **argv)
{
	if (workload_start_timer(argc, argv, 1))
		return 1;
	while (!workload_done) {
		buf1.data1++;
		if (buf1.data1 == 123)
			buf1.data1 += 0x3f;
		buf1.data2 += buf1.data1;
	}
	return 0;
}
