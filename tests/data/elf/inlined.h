/* SPDX-License-Identifier: MIT */
/* Is inlined into what is inlined itself: tests know these lines by their numbers. */
static inline __attribute__((always_inline)) int inner(int x)
{
	__asm__ volatile("mark: nop");
	return x + 1;
}
