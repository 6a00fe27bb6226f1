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

static bool fail(const char *what, int err)
{
	printf("PAPI: %s: %s\n", what, PAPI_strerror(err));
	return false;
}

static bool begin(void)
{
	int version = PAPI_VER_CURRENT;

	if (!PAPI_is_initialized())
		version = PAPI_library_init(PAPI_VER_CURRENT);
	if (version != PAPI_VER_CURRENT)
		return fail("it cannot be started", version);
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
	int err = PAPI_OK;
	for (int i = 0; i < nr && i < most; i++) {
		int its = PAPI_add_named_event(set, names[i]);

		added += its == PAPI_OK;
		err = its == PAPI_OK ? err : its;
	}
	if (!added)
		return fail(names[0], err);
	err = PAPI_start(set);
	if (err != PAPI_OK)
		return fail("it cannot count", err);
	printf("PAPI reads %d events\n", added);
	return true;
}

void papi_read(void)
{
	PAPI_read(set, values);
}
