/* SPDX-License-Identifier: MIT */
/* A program whose instructions are shown: a loop with a branch, a table and an inlined function. */
static const unsigned char table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };

static inline __attribute__((always_inline)) unsigned int turned(unsigned int x, unsigned int by)
{
	return x << by | x >> (32 - by);
}

__attribute__((noinline)) unsigned int mix(unsigned int x, int rounds)
{
	unsigned int sum = 0;

	for (int i = 0; i < rounds; i++) {
		x ^= turned(x, 13);
		if (x & 1)
			sum += table[x & 15];
		else
			sum ^= x;
	}
	return sum;
}

void _start(void)
{
	volatile unsigned int sum = 0;

	for (unsigned int i = 1;; i++)
		sum += mix(i, 1000);
}
