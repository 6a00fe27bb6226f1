/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as an offer of events by another process. Events of a list are taken over
 * or opened; each on all CPUs, and each descriptor is closed once.
 */
#include <assert.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "event.h"
#include "shared-events.h"
#include "shared-offer.h"
#include "tree.h"
#include "uapi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIRST_FD = 1000000, MAX_FDS = 256, EVENTS = 3 };

/* @event: its number, PERF_EVENT_IOC_ID; 0: what it is of is no event */
static struct {
	const uint8_t *data;
	size_t size;
	bool is_open[MAX_FDS];
	uint64_t event[MAX_FDS];
	int nr_open;
} kernel;

static struct xp_sys files; /* of a machine */

static int new_fd(uint64_t event)
{
	for (int i = 0; i < MAX_FDS; i++)
		if (!kernel.is_open[i]) {
			kernel.is_open[i] = true;
			kernel.event[i] = event;
			kernel.nr_open++;
			return FIRST_FD + i;
		}
	return -EMFILE;
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	if (fd < FIRST_FD)
		return files.close(sys, fd);
	assert(kernel.is_open[fd - FIRST_FD]);
	kernel.is_open[fd - FIRST_FD] = false;
	kernel.nr_open--;
	return 0;
}

static int fake_open_event(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
			   int group_fd, unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)flags;
	assert(group_fd < 0 || kernel.is_open[group_fd - FIRST_FD]);
	return new_fd(UINT64_MAX);
}

static int fake_pidfd_open(const struct xp_sys *sys, pid_t pid, unsigned int flags)
{
	(void)sys, (void)flags;
	return pid > 0 ? new_fd(0) : -EINVAL;
}

/* Every other descriptor is that of an event, which has its number. */
static int fake_pidfd_getfd(const struct xp_sys *sys, int pidfd, int fd)
{
	(void)sys;
	assert(kernel.is_open[pidfd - FIRST_FD]);
	assert(fd >= 0);
	return new_fd(fd & 1 ? (uint64_t)fd : 0);
}

static int fake_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	uint64_t event = kernel.event[fd - FIRST_FD];

	(void)sys;
	assert(kernel.is_open[fd - FIRST_FD]);
	if (request != PERF_EVENT_IOC_ID)
		return 0;
	if (!event)
		return -ENOTTY;
	*(uint64_t *)arg = event; /* NOLINT(performance-no-int-to-ptr) */
	return 0;
}

static int fake_stat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	(void)sys, (void)path;
	*ret_stat = (struct stat){ .st_uid = geteuid() };
	return 0;
}

static int fake_info(const union bpf_attr *attr)
{
	struct bpf_map_info *info =
		(void *)(uintptr_t)attr->info.info; /* NOLINT(performance-no-int-to-ptr) */

	*info = (struct bpf_map_info){ .type = BPF_MAP_TYPE_ARRAY,
				       .key_size = sizeof(uint32_t),
				       .value_size = (uint32_t)kernel.size,
				       .max_entries = 1,
				       .name = OFFER_NAME };
	return 0;
}

/* There is one map. */
static int fake_bpf(const struct xp_sys *sys, int command, void *data, size_t len)
{
	union bpf_attr *attr = data;
	void *value = (void *)(uintptr_t)attr->value; /* NOLINT(performance-no-int-to-ptr) */

	(void)sys, (void)len;
	switch (command) {
	case BPF_MAP_GET_NEXT_ID:
		if (attr->start_id)
			return -ENOENT;
		attr->next_id = 1;
		return 0;
	case BPF_MAP_GET_FD_BY_ID:
		return new_fd(0);
	case BPF_OBJ_GET_INFO_BY_FD:
		return fake_info(attr);
	case BPF_MAP_LOOKUP_ELEM:
		memcpy(value, kernel.data, kernel.size);
		return 0;
	default:
		return -EINVAL;
	}
}

static struct xp_ctx *context(void)
{
	static const char *const roots[] = { XPERF_FUZZ_ROOT };
	static struct xp_sys sys;
	static struct xp_ctx *ctx;
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &sys, .root = XPERF_FUZZ_ROOT };

	if (ctx)
		return ctx;
	sys = files = *tree_sys(roots, 1);
	sys.close = fake_close;
	sys.perf_event_open = fake_open_event;
	sys.pidfd_open = fake_pidfd_open;
	sys.pidfd_getfd = fake_pidfd_getfd;
	sys.ioctl = fake_ioctl;
	sys.stat = fake_stat;
	sys.bpf = fake_bpf;
	if (xp_ctx_new(&opts, &ctx))
		abort();
	return ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct xp_evlist *list;

	kernel.data = data;
	kernel.size = size;
	if (xp_evlist_new(context(), &list) ||
	    xp_evlist_parse(list, "page-faults,{cpu-clock,minor-faults}", NULL) ||
	    xp_cpus_parse("0-1", &opts.cpus, NULL))
		abort();
	xp_shared_events_reuse(list);
	assert(!xp_evlist_open(list, &opts, NULL));
	for (int i = 0; i < EVENTS; i++)
		for (int cpu = 0; cpu < 2; cpu++) {
			int fd = xp_evsel_fd(xp_evlist_at(list, i), cpu, 0);

			assert(kernel.is_open[fd - FIRST_FD] && kernel.event[fd - FIRST_FD]);
		}
	assert(kernel.nr_open == EVENTS * 2);
	xp_cpus_unref(opts.cpus);
	xp_evlist_free(list);
	assert(!kernel.nr_open);
	return 0;
}
