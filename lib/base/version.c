/* SPDX-License-Identifier: MIT */
/* The version of the library that runs. */
#include <xperf/api.h>

const char *xp_version(void)
{
	return XPERF_VERSION_STRING;
}

int xp_version_num(void)
{
	return XP_VERSION_NUM;
}
