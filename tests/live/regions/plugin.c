/* SPDX-License-Identifier: MIT */
/* A library, and a plugin, with a region: of everything it has, it shows one function. */
#define XPERF_REGIONS
#include <xperf/regions.h>

__attribute__((visibility("default"))) void NAME(void);

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name

void NAME(void)
{
	XP_REGION_SCOPE(TEXT(NAME));
}
