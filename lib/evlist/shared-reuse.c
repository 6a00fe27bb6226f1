/* SPDX-License-Identifier: MIT */
/* Finding events that other processes offer, and using them. */
#include <limits.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "given.h"
#include "list-impl.h"
#include "shared-events.h"
#include "shared-offer.h"
#include "uapi.h"

/* --- which offers there are --- */

/* The offer that a map holds, the caller's; NULL: it holds none. */
static struct offer *read_map(const struct xp_sys *sys, int fd)
{
	struct bpf_map_info map = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd, .info_len = sizeof(map) } };
	uint32_t key = 0;

	attr.info.info = (uintptr_t)&map;
	if (sys->bpf(sys, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) ||
	    map.type != BPF_MAP_TYPE_ARRAY || strcmp(map.name, OFFER_NAME) != 0 ||
	    map.key_size != sizeof(key) || map.value_size < sizeof(struct offer))
		return NULL;
	/* Elements are copied in units of 8 bytes. */
	struct offer *offer = calloc(1, ((size_t)map.value_size + 7) & ~(size_t)7);
	attr = (union bpf_attr){ .map_fd = (uint32_t)fd };
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)offer;
	if (!offer || sys->bpf(sys, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)) ||
	    offer->event_size != sizeof(struct offered_event) || offer->nr_cpus > XP_CPU_MAX ||
	    offer_size(offer->nr_events, offer->nr_cpus) != map.value_size) {
		free(offer);
		return NULL;
	}
	return offer;
}

/* Another user's events may not be what they are said to be, and in another namespace the number is
 * another process's. */
static bool is_of_this_user(struct xp_ctx *ctx, const struct offer *offer)
{
	char path[PATH_MAX];
	struct stat st;

	if (offer->pid_namespace != xp_shared_pid_namespace(ctx->sys))
		return false;
	int len = snprintf(path, sizeof(path), "%s/proc/%d", ctx->root, (int)offer->pid);

	return len < (int)sizeof(path) && !ctx->sys->stat(ctx->sys, path, &st) &&
	       st.st_uid == ctx->sys->euid(ctx->sys);
}

/* --- which events count the same --- */

/* The event at @first leads a group of the list's; that at @offered, one of the offer's. */
static bool count_the_same(const struct xp_evlist *list, int first, struct offer *offer,
			   uint32_t offered)
{
	const struct offered_event *events = offer_events(offer) + offered;
	uint32_t nr = (uint32_t)list->at[first]->group_size;

	if (events->nr_in_group != nr || nr > offer->nr_events - offered)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		const struct xp_evsel *evsel = list->at[first + (int)i];
		struct xp_attr key = xp_shared_key(evsel);

		if (!xp_shared_can_be(evsel) || memcmp(&key, &events[i].attr, sizeof(key)) != 0)
			return false;
	}
	return true;
}

/* --- reusing --- */

/* Returns a descriptor of that very event, or -1. */
static int duplicate_fd(const struct xp_sys *sys, int process, const struct offered_fd *offered)
{
	uint64_t id = 0;
	int fd = offered->fd < 0 ? -1 : sys->pidfd_getfd(sys, process, offered->fd);

	if (fd < 0)
		return -1;
	if (!sys->ioctl(sys, fd, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&id) &&
	    id == offered->id)
		return fd;
	sys->close(sys, fd);
	return -1;
}

/* All members of a group on one CPU, or none. Returns whether they were reused. */
static bool reuse_group(struct xp_evlist *list, int first, struct offer *offer, uint32_t offered,
			uint32_t cpu, int process)
{
	const struct xp_sys *sys = list->ctx->sys;
	int nr = list->at[first]->group_size, reused = 0;

	while (reused < nr) {
		struct xp_evsel *evsel = list->at[first + reused];
		int fd = duplicate_fd(sys, process,
				      offer_fd(offer, offered + (uint32_t)reused, cpu));

		if (fd < 0)
			break;
		if (xp_evsel_give(evsel, (int)cpu, fd)) {
			sys->close(sys, fd);
			break;
		}
		reused++;
	}
	if (reused == nr)
		return true;
	while (reused-- > 0)
		sys->close(sys, xp_evsel_take_given(list->at[first + reused], (int)cpu));
	return false;
}

static void reuse_on_cpus(struct xp_evlist *list, int first, struct offer *offer, uint32_t offered,
			  int process)
{
	int nr = 0;

	for (uint32_t cpu = 0; cpu < offer->nr_cpus; cpu++)
		if (!xp_evsel_is_given(list->at[first], (int)cpu))
			nr += reuse_group(list, first, offer, offered, cpu, process);
	if (nr)
		xp_log(list->ctx, XP_LOG_INFO, "%s: on %d CPUs it is that of process %d",
		       list->at[first]->name, nr, (int)offer->pid);
}

static void reuse_from(struct xp_evlist *list, struct offer *offer)
{
	const struct xp_sys *sys = list->ctx->sys;
	int process = is_of_this_user(list->ctx, offer) ? sys->pidfd_open(sys, offer->pid, 0) : -1;

	if (process < 0)
		return;
	for (int i = 0; i < list->nr; i++)
		for (uint32_t k = 0; k < offer->nr_events && list->at[i]->leader == list->at[i];
		     k++)
			if (count_the_same(list, i, offer, k)) {
				reuse_on_cpus(list, i, offer, k, process);
				break;
			}
	sys->close(sys, process);
}

static bool can_any_be(const struct xp_evlist *list)
{
	for (int i = 0; i < list->nr; i++)
		if (xp_shared_can_be(list->at[i]))
			return true;
	return false;
}

void xp_shared_events_reuse(struct xp_evlist *list)
{
	const struct xp_sys *sys = list->ctx->sys;
	union bpf_attr attr = { 0 };

	if (!can_any_be(list))
		return;
	while (!sys->bpf(sys, BPF_MAP_GET_NEXT_ID, &attr, sizeof(attr))) {
		union bpf_attr map = { .map_id = attr.next_id };
		int fd = sys->bpf(sys, BPF_MAP_GET_FD_BY_ID, &map, sizeof(map));

		attr = (union bpf_attr){ .start_id = attr.next_id };
		if (fd < 0)
			continue;
		xp_auto_free struct offer *offer = read_map(sys, fd);
		if (offer)
			reuse_from(list, offer);
		sys->close(sys, fd);
	}
}
