/* SPDX-License-Identifier: MIT */
/* Work that can be given in small steps. Usage: spin THOUSANDS */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000 : 0;
	uint64_t state = 1;

	/* Each step needs the one before. */
	for (uint64_t i = 0; i < nr; i++)
		state = state * UINT64_C(6364136223846793005) + i;
	return state == 42;
}
