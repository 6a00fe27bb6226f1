/* SPDX-License-Identifier: MIT */
/* Reading one counter, and scaling what was read. */
#include "event.h"

#include <errno.h>
#include <xperf/cpus.h>

#include "uapi.h"

static bool is_position(const struct xp_evsel *evsel, int cpu_idx, int thread_idx)
{
	return cpu_idx >= 0 && cpu_idx < xp_cpus_nr(evsel->cpus) && thread_idx >= 0 &&
	       thread_idx < xp_threads_nr(evsel->threads);
}

int xp_evsel_read(struct xp_evsel *evsel, int cpu_idx, int thread_idx, struct xp_count *ret_count)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	uint64_t buf[4] = { 0 }; /* value, enabled, running, lost: see open.c */
	int fd = is_position(evsel, cpu_idx, thread_idx) ? xp_evsel_fd(evsel, cpu_idx, thread_idx)
							 : -1;

	if (!xp_ctx_is_here(evsel->ctx))
		return -EPERM;
	if (fd < 0)
		return -ENOTCONN;
	if (evsel->attr.read_format & XP_FORMAT_GROUP)
		return -EOPNOTSUPP;
	ssize_t n = sys->read(sys, fd, buf, sizeof(buf));
	if (n < 0)
		return (int)n;
	if (!n)
		return -ENODATA; /* pinned, and could not be scheduled */
	if ((size_t)n < 3 * sizeof(buf[0]))
		return -EBADMSG;
	*ret_count =
		(struct xp_count){ .value = buf[0], .enabled_ns = buf[1], .running_ns = buf[2] };
	return 0;
}

double xp_count_scale(const struct xp_count *count)
{
	if (!count->running_ns)
		return 0;
	if (count->running_ns >= count->enabled_ns)
		return (double)count->value;
	return (double)count->value * (double)count->enabled_ns / (double)count->running_ns;
}
