/* SPDX-License-Identifier: MIT */
/* The map in which a process offers its events, and which of them can be read by others. */
#ifndef EVLIST_SHARED_OFFER_H
#define EVLIST_SHARED_OFFER_H

#include <stdint.h>
#include <xperf/attr.h>

struct xp_evsel;
struct xp_sys;

/* Of an array with one element; at most 15 characters. */
#define OFFER_NAME "xperf_events"

/* The element: this, then events, then descriptors. */
struct offer {
	uint32_t event_size; /* of struct offered_event; another one: of another version */
	uint32_t nr_events;
	uint32_t nr_cpus; /* numbers of CPUs are less */
	int32_t pid;
	uint64_t pid_namespace; /* in which the process has that number */
};

/* Groups stand together, each with its leader first. */
struct offered_event {
	struct xp_attr attr;  /* its key */
	uint32_t nr_in_group; /* of a leader; 0: it is none */
	uint32_t unused;
};

/* By event, then CPU. */
struct offered_fd {
	uint64_t id; /* PERF_EVENT_IOC_ID, which no other event has */
	int32_t fd;  /* -1: it is not there */
	uint32_t unused;
};

static inline uint64_t offer_size(uint64_t nr_events, uint64_t nr_cpus)
{
	return sizeof(struct offer) + nr_events * sizeof(struct offered_event) +
	       nr_events * nr_cpus * sizeof(struct offered_fd);
}

static inline struct offered_event *offer_events(struct offer *offer)
{
	return (struct offered_event *)(offer + 1);
}

static inline struct offered_fd *offer_fd(struct offer *offer, uint32_t event, uint32_t cpu)
{
	struct offered_fd *fds = (struct offered_fd *)(offer_events(offer) + offer->nr_events);

	return &fds[(size_t)event * offer->nr_cpus + cpu];
}

/* Another event with the same key counts the same, on the same CPU. */
struct xp_attr xp_shared_key(const struct xp_evsel *evsel);
/* Of this process; 0: not known. */
uint64_t xp_shared_pid_namespace(const struct xp_sys *sys);
bool xp_shared_can_be(const struct xp_evsel *evsel);

#endif
