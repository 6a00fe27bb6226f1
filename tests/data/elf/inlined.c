/* SPDX-License-Identifier: MIT */
#include "inlined.h"

/*
 * As C++ would name it:
 * more::middle(int).
 */
static inline __attribute__((always_inline)) int _ZN4more6middleEi(int x)
{
	return inner(x) * 3;
}

__attribute__((noinline)) int outer(int x)
{
	__asm__ volatile("" : "+r"(x));
	return _ZN4more6middleEi(x);
}

int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc) == 3;
}
