/* SPDX-License-Identifier: MIT */
/* With PAPI: events of the same kind, named its way; a set of different ones where equal ones are
 * refused. */
#include "self-papi.h"

#include <papi.h>
#include <stdio.h>
#include <string.h>

static int set = PAPI_NULL;
static long long values[16];

static const char *const software[] = { "perf::PAGE-FAULTS",    "perf::CONTEXT-SWITCHES",
					"perf::CPU-MIGRATIONS", "perf::MINOR-FAULTS",
					"perf::MAJOR-FAULTS",   "perf::TASK-CLOCK",
					"perf::CPU-CLOCK",      "perf::ALIGNMENT-FAULTS" };
static const char *const hardware[] = { "perf::INSTRUCTIONS", "perf::CYCLES" };

static bool begin(void)
{
	if (!PAPI_is_initialized() && PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return false;
	if (set != PAPI_NULL) {
		PAPI_stop(set, values);
		PAPI_cleanup_eventset(set);
		PAPI_destroy_eventset(&set);
	}
	set = PAPI_NULL;
	return PAPI_create_eventset(&set) == PAPI_OK;
}

bool papi_open(const char *event, int nr)
{
	bool is_software = strstr(event, "faults");
	const char *const *names = is_software ? software : hardware;
	int most = is_software ? 8 : 2, added = 0;

	if (!begin())
		return false;
	for (int i = 0; i < nr && i < most; i++)
		added += PAPI_add_named_event(set, names[i]) == PAPI_OK;
	if (!added || PAPI_start(set) != PAPI_OK)
		return false;
	printf("PAPI reads %d events\n", added);
	return true;
}

void papi_read(void)
{
	PAPI_read(set, values);
}
