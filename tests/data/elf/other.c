/* SPDX-License-Identifier: MIT */
/* A second function twice(), as local as the first. */
int other(int x);

static int twice(int x)
{
	return 3 * x;
}

int other(int x)
{
	return twice(x);
}
