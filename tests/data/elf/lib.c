/* SPDX-License-Identifier: MIT */
/* A library with two versions of thing(). */
int old_thing(void);
int new_thing(void);
int plain_thing(void);

__asm__(".symver old_thing, thing@V1");
__asm__(".symver new_thing, thing@@V2");

int old_thing(void)
{
	return 1;
}

int new_thing(void)
{
	return 2;
}

int plain_thing(void)
{
	return 3;
}
