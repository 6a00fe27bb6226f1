/* SPDX-License-Identifier: MIT */
/*
 * A program to be probed: main [N] calls leaf() N times, writes `turns` N times and passes the
 * marker app:switched N times if something has raised its semaphore.
 */
#include <stdlib.h>

#include "mark.h"

volatile unsigned short app_on_semaphore __attribute__((section(".probes")));
int table[4] = { 1, 2, 3, 4 };
int empty[4];
volatile int turns;
__thread int own;

int other(int x);

int leaf(int x)
{
	MARK(app, plain, 0);
	return x + 1;
}

static int twice(int x)
{
	if (app_on_semaphore)
		MARK(app, switched, app_on_semaphore);
	return 2 * x;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 0;

	for (turns = 0; turns < nr; turns++)
		own += leaf(nr) + twice(nr) + other(nr) + empty[0] + table[0];
	MARK(app, plain, 0);
	return 0;
}
