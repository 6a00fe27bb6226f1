/* SPDX-License-Identifier: MIT */
/* Offering events to other processes. */
#include "shared-offer.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/cpus.h>

#include "cleanup.h"
#include "list-impl.h"
#include "shared-events.h"
#include "uapi.h"

struct xp_attr xp_shared_key(const struct xp_evsel *evsel)
{
	struct xp_attr key = evsel->attr;

	/* Opening a list sets these; on whole CPUs they change no count. */
	key.sample_type = key.read_format = 0;
	key.disabled = key.enable_on_exec = key.inherit = 0;
	return key;
}

/* What happens at a switch has to be counted before the switch is attributed: events of a kind
 * happen from the newest to the oldest, and another process's can be older (counter-shared.c). */
static bool counts_switches(const struct xp_evsel *evsel)
{
	return evsel->attr.type == XP_TYPE_SOFTWARE &&
	       (evsel->attr.config == XP_SW_CONTEXT_SWITCHES ||
		evsel->attr.config == XP_SW_CGROUP_SWITCHES);
}

/* Attributes of probes have addresses of this process; filters are not a part of attributes. */
bool xp_shared_can_be(const struct xp_evsel *evsel)
{
	return !evsel->probe && !evsel->filter && !evsel->exclude_self && !evsel->cgroup &&
	       !counts_switches(evsel);
}

uint64_t xp_shared_pid_namespace(const struct xp_sys *sys)
{
	struct stat st;

	return sys->stat(sys, "/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

static bool can_all_be(const struct xp_read_group *group)
{
	for (int i = 0; i < group->nr; i++)
		if (!xp_shared_can_be(group->members[i]))
			return false;
	return true;
}

static uint32_t count_events(const struct xp_evlist *list)
{
	int nr = 0;

	for (int g = 0; g < list->nr_groups; g++)
		if (can_all_be(&list->groups[g]))
			nr += list->groups[g].nr;
	return (uint32_t)nr;
}

/* One more than the highest number. */
static uint32_t end_of_cpus(const struct xp_cpus *cpus)
{
	return (uint32_t)xp_cpus_at(cpus, xp_cpus_nr(cpus) - 1).nr + 1;
}

static void fill_fds(struct offer *offer, uint32_t event, const struct xp_evsel *evsel)
{
	const struct xp_sys *sys = evsel->ctx->sys;

	for (uint32_t cpu = 0; cpu < offer->nr_cpus; cpu++)
		offer_fd(offer, event, cpu)->fd = -1;
	for (int i = 0; i < xp_cpus_nr(evsel->cpus); i++) {
		struct offered_fd *at =
			offer_fd(offer, event, (uint32_t)xp_cpus_at(evsel->cpus, i).nr);
		int fd = xp_evsel_fd(evsel, i, 0);

		if (fd >= 0 &&
		    !sys->ioctl(sys, fd, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&at->id))
			at->fd = fd;
	}
}

static void fill(struct offer *offer, const struct xp_evlist *list)
{
	uint32_t event = 0;

	for (int g = 0; g < list->nr_groups; g++) {
		const struct xp_read_group *group = &list->groups[g];

		for (int i = 0; i < group->nr && can_all_be(group); i++, event++) {
			offer_events(offer)[event] = (struct offered_event){
				.attr = xp_shared_key(group->members[i]),
				.nr_in_group = i ? 0 : (uint32_t)group->nr,
			};
			fill_fds(offer, event, group->members[i]);
		}
	}
}

/* Returns the descriptor of a map that holds it. */
static int store(const struct xp_sys *sys, const struct offer *offer, size_t size)
{
	union bpf_attr new = { .map_type = BPF_MAP_TYPE_ARRAY,
			       .key_size = sizeof(uint32_t),
			       .value_size = (uint32_t)size,
			       .max_entries = 1,
			       .map_name = OFFER_NAME };
	uint32_t key = 0;
	int fd = sys->bpf(sys, BPF_MAP_CREATE, &new, sizeof(new));

	if (fd < 0)
		return fd;
	union bpf_attr update = { .map_fd = (uint32_t)fd };
	update.key = (uintptr_t)&key;
	update.value = (uintptr_t)offer;
	int err = sys->bpf(sys, BPF_MAP_UPDATE_ELEM, &update, sizeof(update));
	if (err)
		sys->close(sys, fd);
	return err ? err : fd;
}

int xp_shared_events_offer(const struct xp_evlist *list, pid_t pid)
{
	uint32_t nr = count_events(list), nr_cpus = end_of_cpus(list->cpus);
	uint64_t size = offer_size(nr, nr_cpus);

	if (!nr)
		return -ENOENT;
	if (size > INT32_MAX)
		return -E2BIG;
	xp_auto_free struct offer *offer = calloc(1, size);
	if (!offer)
		return -ENOMEM;
	*offer = (struct offer){ .event_size = sizeof(struct offered_event),
				 .nr_events = nr,
				 .nr_cpus = nr_cpus,
				 .pid = (int32_t)pid,
				 .pid_namespace = xp_shared_pid_namespace(list->ctx->sys) };
	fill(offer, list);
	return store(list->ctx->sys, offer, size);
}
