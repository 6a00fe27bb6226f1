/* SPDX-License-Identifier: MIT */
/* A function that is chosen when the program starts. */
int chosen(void) __attribute__((ifunc("choose")));

static int one(void)
{
	return 1;
}

static void *choose(void)
{
	return (void *)one;
}

int main(void)
{
	return chosen();
}
