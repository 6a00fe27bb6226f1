/* SPDX-License-Identifier: MIT */
/* Straight-line code; lines 24-26, 9-11, 30-32, 16-18 run in this order, scripts know that. */
#include "workload.h"

static volatile int number;

static void first_part(void)
{
	number = number * 3 + 1;
	number = number ^ 0x55;
	number = number & 0xffff;
}

static void second_part(void)
{
	number = number * 5 + 2;
	number = number ^ 0xaa;
	number = number & 0xffff;
}

/* Calls the two parts, with work of its own before each. */
void deterministic(void)
{
	number = number * 7 + 3;
	number = number ^ 0x33;
	number = number & 0xffff;

	first_part();

	number = number * 9 + 4;
	number = number ^ 0xcc;
	number = number & 0xffff;

	second_part();

	number++;
}
