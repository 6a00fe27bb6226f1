/* SPDX-License-Identifier: MIT */
#include "given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_room(struct xp_evsel *evsel, int nr)
{
	int *given = reallocarray(evsel->given, (size_t)nr, sizeof(*given));

	if (!given)
		return -ENOMEM;
	memset(given + evsel->nr_given, -1, (size_t)(nr - evsel->nr_given) * sizeof(*given));
	evsel->given = given;
	evsel->nr_given = nr;
	return 0;
}

bool xp_evsel_is_given(const struct xp_evsel *evsel, int cpu)
{
	return cpu >= 0 && cpu < evsel->nr_given && evsel->given[cpu] >= 0;
}

int xp_evsel_give(struct xp_evsel *evsel, int cpu, int fd)
{
	if (xp_evsel_is_given(evsel, cpu))
		return -EEXIST;
	int err = cpu < evsel->nr_given ? 0 : make_room(evsel, cpu + 1);
	if (!err)
		evsel->given[cpu] = fd;
	return err;
}

int xp_evsel_take_given(const struct xp_evsel *evsel, int cpu)
{
	if (!xp_evsel_is_given(evsel, cpu))
		return -1;
	int fd = evsel->given[cpu];
	evsel->given[cpu] = -1;
	return fd;
}

void xp_evsel_forget_given(struct xp_evsel *evsel)
{
	for (int cpu = 0; cpu < evsel->nr_given; cpu++)
		if (evsel->given[cpu] >= 0)
			evsel->ctx->sys->close(evsel->ctx->sys, evsel->given[cpu]);
	free(evsel->given);
	evsel->given = NULL;
	evsel->nr_given = 0;
}
