/* SPDX-License-Identifier: MIT */
/* Samples that say again what the sample before them says. */
#include "trace-repeats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NO_EVENT = -1, CPUS_MAX = 1 << 16 };

static int make_room(struct trace_repeats *repeats, size_t nr)
{
	struct trace_hit *last =
		nr > repeats->nr ? reallocarray(repeats->last, nr, sizeof(*last)) : repeats->last;

	if (!last)
		return -ENOMEM;
	repeats->last = last;
	for (; repeats->nr < nr; repeats->nr++)
		last[repeats->nr] = (struct trace_hit){ .event = NO_EVENT };
	return 0;
}

static bool is_same(const struct trace_hit *a, const struct trace_hit *b)
{
	return a->kind == b->kind && a->tid == b->tid &&
	       !memcmp(a->values, b->values, sizeof(a->values));
}

int trace_repeats_add(struct trace_repeats *repeats, int cpu, const struct trace_hit *hit)
{
	if (cpu < 0 || cpu >= CPUS_MAX)
		return 0;
	if (make_room(repeats, (size_t)cpu + 1))
		return -ENOMEM;
	struct trace_hit *last = &repeats->last[cpu];
	if (last->event != NO_EVENT && last->event != hit->event && is_same(last, hit))
		return 1;
	*last = *hit;
	return 0;
}

void trace_repeats_fini(struct trace_repeats *repeats)
{
	free(repeats->last);
	*repeats = (struct trace_repeats){ 0 };
}
