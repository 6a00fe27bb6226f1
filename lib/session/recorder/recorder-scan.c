/* SPDX-License-Identifier: MIT */
/*
 * One look at each record on its way: how many samples, what was lost, throttled and mapped, the
 * first and the last time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sample.h>

#include "recorder-impl.h"
#include "sample-bits.h"

/* Words of a sample before field @bit, which all have up to ID. */
static int words_before(uint64_t sample_type, uint64_t bit)
{
	/* in the order of the record */
	static const uint64_t fields[] = { XP_SAMPLE_IDENTIFIER, XP_SAMPLE_IP,   XP_SAMPLE_TID,
					   XP_SAMPLE_TIME,       XP_SAMPLE_ADDR, XP_SAMPLE_ID };
	int nr = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && fields[i] != bit; i++)
		nr += !!(sample_type & fields[i]);
	return sample_type & bit ? nr : -1;
}

static int id_word(uint64_t sample_type)
{
	int word = words_before(sample_type, XP_SAMPLE_IDENTIFIER);

	return word < 0 ? words_before(sample_type, XP_SAMPLE_ID) : word;
}

static uint64_t type_of(const struct xp_evlist *evlist, int idx)
{
	/* the list is only read */
	return xp_evsel_attr_const(xp_evlist_at(evlist, idx))->sample_type;
}

void xp_scan_init(struct xp_scan *scan, const struct xp_evlist *evlist,
		  const struct xp_shed *events)
{
	scan->events = events;
	scan->watch_all = xp_evlist_nr(evlist) == 1;
	scan->time_at = words_before(type_of(evlist, 0), XP_SAMPLE_TIME);
	scan->id_at = id_word(type_of(evlist, 0));
	for (int i = 1; i < xp_evlist_nr(evlist); i++) {
		if (words_before(type_of(evlist, i), XP_SAMPLE_TIME) != scan->time_at)
			scan->time_at = -1;
		if (id_word(type_of(evlist, i)) != scan->id_at)
			scan->id_at = -1;
	}
}

void xp_scan_fini(struct xp_scan *scan)
{
	struct xp_watched *watched = atomic_load(&scan->watched);

	while (watched) {
		struct xp_watched *before = watched->before;

		free(watched);
		watched = before;
	}
}

static bool contains(const uint64_t *ids, uint64_t id)
{
	while (*ids && *ids != id)
		ids++;
	return *ids;
}

int xp_scan_watch(struct xp_scan *scan, const struct xp_new_id *ids, size_t nr)
{
	struct xp_watched *old = atomic_load(&scan->watched), *all;
	size_t nr_all = 0;

	if (!old)
		return 0;
	while (old->ids[nr_all])
		nr_all++;
	all = calloc(1, sizeof(*all) + (nr_all + nr + 1) * sizeof(*all->ids));
	if (!all)
		return -ENOMEM;
	all->before = old;
	memcpy(all->ids, old->ids, nr_all * sizeof(*all->ids));
	for (size_t i = 0; i < nr; i++)
		if (contains(old->ids, ids[i].known))
			all->ids[nr_all++] = ids[i].id;
	atomic_store_explicit(&scan->watched, all, memory_order_release);
	return 0;
}

static uint64_t word_of(const struct xp_record *record, int word)
{
	const uint64_t *words = (const uint64_t *)(record + 1);

	if (word < 0 || record->size < sizeof(*record) + (size_t)(word + 1) * sizeof(*words))
		return 0;
	return words[word];
}

static void note_times(struct xp_scan *scan, const struct xp_record *first,
		       const struct xp_record *last)
{
	uint64_t from = word_of(first, scan->time_at), to = word_of(last, scan->time_at);
	uint64_t earliest = xp_scan_get(scan, XP_FIRST_TIME);

	/* Rings are read one after the other; overwritten ones newest first. */
	if (to < from) {
		uint64_t later = from;

		from = to;
		to = later;
	}
	if (!earliest || from < earliest)
		atomic_store_explicit(&scan->counters[XP_FIRST_TIME], from, memory_order_relaxed);
	if (to > xp_scan_get(scan, XP_LAST_TIME))
		atomic_store_explicit(&scan->counters[XP_LAST_TIME], to, memory_order_relaxed);
}

static bool is_watched(const struct xp_scan *scan, const struct xp_watched *watched,
		       const struct xp_record *record)
{
	return scan->watch_all || contains(watched->ids, word_of(record, scan->id_at));
}

static uint64_t lost_of(const struct xp_record *record)
{
	/* LOST has the id before it */
	return word_of(record, record->type == XP_RECORD_LOST);
}

static void note_name(struct xp_scan *scan, const struct xp_record *record)
{
	uint64_t time_ns = xp_shed_time_of(scan->events, record);

	if (time_ns != XP_NO_TIME && time_ns > scan->names_ns)
		scan->names_ns = time_ns;
}

static void note_other(struct xp_scan *scan, const struct xp_record *record,
		       struct xp_scanned *scanned)
{
	if (xp_names_something(record))
		note_name(scan, record);
	switch (record->type) {
	case XP_RECORD_LOST:
	case XP_RECORD_LOST_SAMPLES:
		xp_scan_add(scan, XP_NR_LOST, lost_of(record));
		break;
	case XP_RECORD_THROTTLE:
		xp_scan_add(scan, XP_NR_THROTTLED, 1);
		break;
	case XP_RECORD_MMAP:
	case XP_RECORD_MMAP2:
		scanned->has_maps = true;
		break;
	default:
		break;
	}
}

struct xp_scanned xp_scan_records(struct xp_scan *scan, const char *records, size_t len)
{
	const struct xp_watched *watched =
		atomic_load_explicit(&scan->watched, memory_order_acquire);
	const struct xp_record *first = NULL, *last = NULL;
	uint64_t nr_samples = 0, nr_records = 0, nr_watched = 0;
	struct xp_scanned scanned = { 0 };

	while (len - scanned.bytes >= sizeof(struct xp_record)) {
		const struct xp_record *record = (const void *)(records + scanned.bytes);

		if (record->size < sizeof(*record) || record->size % 8) {
			scanned.damaged = true;
			break;
		}
		if (record->size > len - scanned.bytes)
			break;
		scanned.bytes += record->size;
		nr_records++;
		if (record->type != XP_RECORD_SAMPLE) {
			note_other(scan, record, &scanned);
			continue;
		}
		nr_samples++;
		last = record;
		if (!first)
			first = record;
		if (watched && is_watched(scan, watched, record))
			nr_watched++;
	}
	if (last && scan->time_at >= 0)
		note_times(scan, first, last);
	xp_scan_add(scan, XP_NR_SAMPLES, nr_samples);
	xp_scan_add(scan, XP_NR_RECORDS, nr_records);
	xp_scan_add(scan, XP_NR_BYTES, scanned.bytes);
	xp_scan_add(scan, XP_NR_WATCHED, nr_watched);
	return scanned;
}
