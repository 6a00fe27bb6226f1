/* SPDX-License-Identifier: MIT */
/* Reading by PAPI, to compare with; self-papi.c, or no-self-papi.c where it is not installed. */
#ifndef BENCH_SELF_PAPI_H
#define BENCH_SELF_PAPI_H

#include <stdbool.h>

/* Starts @nr times the event in place of what was started before. False: it cannot. */
bool papi_open(const char *event, int nr);

/* Reads them all. */
void papi_read(void);

#endif
