/* SPDX-License-Identifier: MIT */
/*
 * Rings: memory an event's records are written to, and how they get there.
 *
 * Promises kept:
 *  - a ring belongs to all its events: that it was mapped by, and those directed into it; inherited
 *    events write into that of the event they come from;
 *  - a record is written whole or not at all, and never up to the tail itself, so that a ring is
 *    never full to the last byte; what found no room is counted, per event for
 *    PERF_FORMAT_LOST and per ring for the LOST record in front of the next one that does;
 *  - mapped without write permission there is no tail and the oldest is overwritten;
 *    write_backward writes downwards from 0;
 *  - a wake-up comes when more than the watermark (default: half the ring) was written since the
 *    last one, or every wakeup_events samples; poll() reports it once;
 *  - the mapping keeps an event alive whose descriptor is closed.
 *
 * Source: perf_event_open(2), "MMAP layout", "Overflow handling", PERF_EVENT_IOC_SET_OUTPUT,
 * PERF_EVENT_IOC_PAUSE_OUTPUT, perf_event_mlock_kb; behaviour of kernel/events/ring_buffer.c and
 * of perf_mmap() and perf_event_set_output() in kernel/events/core.c.
 */
#include "model.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/record.h>

struct ring {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t bytes;
	int nr_maps;
	bool overwrite;
	bool paused;
	bool readable; /* a wake-up that poll() has not reported */
	uint64_t head;
	uint64_t lost; /* since the last LOST record */
	uint64_t watermark, woken;
	uint64_t nr_samples; /* since the last wake-up for their number */
	struct vec events;
};

/* What munmap() is given. */
struct mapping {
	void *addr;
	size_t len;
	struct event *event;
	struct ring *ring;
};

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void attach(struct event *event, struct ring *ring)
{
	if (event->ring)
		vec_remove(&event->ring->events, event);
	event->ring = ring;
	if (ring)
		vec_add(&ring->events, event);
}

void ring_detach(struct event *event)
{
	attach(event, NULL);
}

static struct ring *ring_new(const struct xp_attr *attr, size_t bytes, bool overwrite)
{
	struct ring *ring = xalloc(sizeof(*ring));
	void *memory;

	if (posix_memalign(&memory, page_bytes(), page_bytes() + bytes))
		abort();
	memset(memory, 0, page_bytes() + bytes);
	ring->page = memory;
	ring->page->data_offset = page_bytes();
	ring->page->data_size = bytes;
	ring->page->size = offsetof(struct perf_event_mmap_page, __reserved);
	ring->data = (unsigned char *)memory + page_bytes();
	ring->bytes = bytes;
	ring->overwrite = overwrite;
	ring->paused = !bytes;
	ring->watermark = attr->watermark ? attr->wakeup_watermark : 0;
	if (ring->watermark > bytes)
		ring->watermark = bytes;
	if (!ring->watermark)
		ring->watermark = bytes / 2;
	return ring;
}

static void ring_free(struct ring *ring)
{
	while (ring->events.nr)
		ring_detach(ring->events.at[0]);
	vec_fini(&ring->events);
	free(ring->page);
	free(ring);
}

/* What a user may lock: some for each CPU, and then what the process may. */
static bool may_lock(const struct sim *sim, size_t more)
{
	uint64_t locked = more, allowed = sim->memlock.rlim_cur;

	if (!sim->sc.uid || sim->sc.paranoid < 0 || allowed == RLIM_INFINITY)
		return true;
	for (int i = 0; i < sim->sc.nr_cpus; i++)
		if (sim->cpus[i].online)
			allowed += sim->sc.mlock_kb * 1024;
	for (int i = 0; i < sim->mappings.nr; i++) {
		const struct mapping *mapping = sim->mappings.at[i];

		locked += mapping->len;
	}
	return locked <= allowed;
}

static void add_mapping(struct sim *sim, struct event *event, size_t len, void **ret_addr)
{
	struct mapping *mapping = xalloc(sizeof(*mapping));

	*mapping = (struct mapping){ event->ring->page, len, event, event->ring };
	vec_add(&sim->mappings, mapping);
	event->nr_maps++;
	event->ring->nr_maps++;
	*ret_addr = mapping->addr;
}

/* There is no PMU that traces; what comes before that answer is checked. */
static int map_aux(const struct event *event, size_t len, uint64_t offset)
{
	const struct ring *ring = event->ring;

	if (!ring || offset < page_bytes() + ring->bytes || ring->page->aux_offset != offset ||
	    ring->page->aux_size != len)
		return -EINVAL;
	return -EOPNOTSUPP;
}

int ring_map(struct sim *sim, struct event *event, size_t len, int prot, uint64_t offset,
	     void **ret_addr)
{
	size_t pages = len / page_bytes();

	if (event->cpu < 0 && event->attr.inherit)
		return -EINVAL;
	if (offset)
		return map_aux(event, len, offset);
	if (!pages || len % page_bytes() || (pages > 1 && (pages - 1) & (pages - 2)))
		return -EINVAL;
	if (event->ring && event->ring->bytes != len - page_bytes())
		return -EINVAL;
	if (!event->ring && !may_lock(sim, len))
		return -EPERM;
	if (!event->ring)
		attach(event, ring_new(&event->attr, len - page_bytes(), !(prot & PROT_WRITE)));
	add_mapping(sim, event, len, ret_addr);
	return 0;
}

static void unmap(struct sim *sim, struct mapping *mapping)
{
	struct event *event = mapping->event;

	if (!--mapping->ring->nr_maps)
		ring_free(mapping->ring);
	vec_remove(&sim->mappings, mapping);
	free(mapping);
	if (!--event->nr_maps && event->is_closed)
		event_free(sim, event);
}

int ring_unmap(struct sim *sim, const void *addr, size_t len)
{
	for (int i = 0; i < sim->mappings.nr; i++) {
		struct mapping *mapping = sim->mappings.at[i];

		if (mapping->addr != addr || mapping->len != len)
			continue;
		unmap(sim, mapping);
		return 0;
	}
	return -EINVAL;
}

void ring_unmap_all(struct sim *sim)
{
	while (sim->mappings.nr)
		unmap(sim, sim->mappings.at[0]);
	vec_fini(&sim->mappings);
}

/* @to NULL: into none. */
int ring_set_output(struct event *event, struct event *to)
{
	if (to && (to == event || to->cpu != event->cpu ||
		   to->attr.write_backward != event->attr.write_backward ||
		   to->attr.use_clockid != event->attr.use_clockid ||
		   to->attr.clockid != event->attr.clockid || !to->ring))
		return -EINVAL;
	if (to && to->cpu < 0 && to->ctx != event->ctx)
		return -EINVAL;
	if (event->nr_maps)
		return -EINVAL;
	attach(event, to ? to->ring : NULL);
	return 0;
}

int ring_pause(const struct event *event, bool pause)
{
	if (!event->ring || !event->ring->bytes)
		return -EINVAL;
	event->ring->paused = pause;
	return 0;
}

short ring_consume_wakeup(const struct event *event)
{
	bool readable;

	if (event_is_hup(event) || !event->ring)
		return POLLHUP;
	readable = event->ring->readable;
	event->ring->readable = false;
	return readable ? POLLIN : 0;
}

static void copy_in(struct ring *ring, uint64_t at, const unsigned char *bytes, size_t len)
{
	size_t place = at & (ring->bytes - 1), first = ring->bytes - place;

	if (first > len)
		first = len;
	memcpy(ring->data + place, bytes, first);
	memcpy(ring->data, bytes + first, len - first);
}

static bool has_room(const struct ring *ring, bool backward, size_t len)
{
	uint64_t tail = ring->page->data_tail;
	uint64_t space = backward ? ring->head - tail - 1 : tail - ring->head - 1;

	return ring->overwrite || (space & (ring->bytes - 1)) >= len;
}

static void wake(struct ring *ring, bool backward, unsigned int wakeup_events)
{
	uint64_t written = backward ? -ring->head : ring->head;

	if (written - ring->woken > ring->watermark) {
		ring->woken += ring->watermark;
		ring->readable = true;
	}
	if (wakeup_events && ++ring->nr_samples >= wakeup_events) {
		ring->nr_samples -= wakeup_events;
		ring->readable = true;
	}
}

static bool lose(struct sim *sim, struct event *event, uint32_t type)
{
	event->ring->lost++;
	event->lost++;
	sim->output[type].lost++;
	return false;
}

bool ring_write(struct sim *sim, struct event *from, const struct scene *scene,
		const struct xp_record *record)
{
	struct event *event = from->parent ? from->parent : from;
	struct ring *ring = event->ring;
	bool backward = event->attr.write_backward;
	bool is_sample = record->type == XP_RECORD_SAMPLE;
	const struct record *lost = NULL;

	if (!ring)
		return false;
	if (ring->paused)
		return ring->bytes ? lose(sim, event, record->type) : false;
	if (ring->lost)
		lost = record_lost(sim, event, scene, ring->lost);
	size_t lost_len = lost ? lost->len : 0, len = lost_len + record->size;
	if (len >= ring->bytes || !has_room(ring, backward, len))
		return lose(sim, event, record->type);
	uint64_t at = backward ? ring->head - len : ring->head;
	ring->head = backward ? at : at + len;
	if (lost) {
		ring->lost = 0;
		sim->output[XP_RECORD_LOST].written++;
		copy_in(ring, at, lost->bytes, lost_len);
	}
	copy_in(ring, at + lost_len, (const unsigned char *)record, record->size);
	ring->page->data_head = ring->head;
	sim->output[record->type].written++;
	wake(ring, backward, is_sample && !event->attr.watermark ? event->attr.wakeup_events : 0);
	return true;
}
