/* SPDX-License-Identifier: MIT */
/* counted-loop N: executes N times two instructions, and those of starting and ending a program. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(nr) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(nr) : : "cc");
#endif
	return 0;
}
