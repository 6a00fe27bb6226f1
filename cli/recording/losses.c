/* SPDX-License-Identifier: MIT */
/*
 * LOST records, and when the CPU of each had its last record before it.
 *
 * Source: perf_event_open(2), PERF_RECORD_LOST and PERF_RECORD_LOST_SAMPLES; the kernel's
 * kernel/events/ring_buffer.c: the record is written before the first one that has room again.
 */
#include "losses.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "ordered.h"
#include "search.h"
#include "vec.h"

/* More than there are; what a damaged file has. */
enum { CPUS_MAX = 1 << 16 };

/* @last_ns: by CPU, of its last record; 0: it had none */
struct finding {
	struct recording *rec;
	struct losses *losses;
	uint64_t *last_ns;
	size_t nr_cpus, room;
};

static int count(const struct xp_record *record, const struct xp_sample_id *id, void *data)
{
	struct losses *losses = data;

	(void)id;
	if (record->type == XP_RECORD_LOST)
		losses->records += ((const struct xp_record_lost *)record)->lost;
	else if (record->type == XP_RECORD_LOST_SAMPLES)
		losses->samples += ((const struct xp_record_lost_samples *)record)->lost;
	return 0;
}

static int keep_all(const struct xp_record *record, void *data)
{
	(void)data;
	return record->type < XP_RECORD_HEADER_ATTR;
}

/* CPUs up to this one are in the array from now on. Returns 0 or -ENOMEM. */
static int make_room(struct finding *finding, size_t cpu)
{
	size_t more = cpu + 1 - finding->nr_cpus;

	if (cpu < finding->nr_cpus)
		return 0;
	if (vec_reserve_more(&finding->last_ns, finding->nr_cpus, more, &finding->room,
			     sizeof(*finding->last_ns)))
		return -ENOMEM;
	memset(finding->last_ns + finding->nr_cpus, 0, more * sizeof(*finding->last_ns));
	finding->nr_cpus = cpu + 1;
	return 0;
}

static int add_loss(struct losses *losses, uint64_t from_ns, uint64_t to_ns)
{
	if (vec_add(&losses->at, losses->nr, sizeof(*losses->at)))
		return -ENOMEM;
	losses->at[losses->nr++] = (struct loss){ from_ns, to_ns };
	return 0;
}

/* Where a record was written; a negative number: that is not known. */
static int64_t cpu_of(const struct recording *rec, const struct xp_record *record)
{
	const struct xp_data_event *event =
		xp_data_event_at(rec->data, xp_data_event_of(rec->data, record));
	struct xp_sample sample = { .size = sizeof(sample), .id.cpu = -1 };
	struct xp_sample_id id = { .cpu = -1 };

	if (!event || !(event->attr.sample_type & XP_SAMPLE_CPU))
		return -1;
	if (record->type == XP_RECORD_SAMPLE) {
		xp_sample_decode(record, &event->attr, &sample);
		return sample.id.cpu;
	}
	xp_sample_id_decode(record, &event->attr, &id);
	return id.cpu;
}

static int find(const struct xp_record *record, uint64_t time_ns, uint64_t position, void *data)
{
	struct finding *finding = data;
	int64_t cpu = cpu_of(finding->rec, record);
	bool is_known = cpu >= 0 && cpu < CPUS_MAX, is_loss = record->type == XP_RECORD_LOST;

	(void)position;
	if (!is_known)
		return is_loss ? add_loss(finding->losses, 0, time_ns) : 0;
	int err = make_room(finding, (size_t)cpu);
	if (!err && is_loss)
		err = add_loss(finding->losses, finding->last_ns[cpu], time_ns);
	if (!err)
		finding->last_ns[cpu] = time_ns;
	return err;
}

/* A ring that was full to the end has no record that says so: only the kernel's count of samples is
 * larger. */
static int add_last_loss(const struct finding *finding)
{
	uint64_t first_ns = UINT64_MAX;

	if (finding->losses->samples <= finding->losses->records)
		return 0;
	for (size_t i = 0; i < finding->nr_cpus; i++)
		if (finding->last_ns[i] && finding->last_ns[i] < first_ns)
			first_ns = finding->last_ns[i];
	return add_loss(finding->losses, finding->nr_cpus ? first_ns : 0, UINT64_MAX);
}

static int compare(const void *a, const void *b)
{
	const struct loss *l = a, *r = b;

	return (l->from_ns > r->from_ns) - (l->from_ns < r->from_ns);
}

static void join(struct losses *losses)
{
	size_t nr = 0;

	if (losses->nr)
		qsort(losses->at, losses->nr, sizeof(*losses->at), compare);
	for (size_t i = 0; i < losses->nr; i++) {
		struct loss *last = nr ? &losses->at[nr - 1] : NULL;

		if (!last || losses->at[i].from_ns > last->to_ns)
			losses->at[nr++] = losses->at[i];
		else if (losses->at[i].to_ns > last->to_ns)
			last->to_ns = losses->at[i].to_ns;
	}
	losses->nr = nr;
}

int losses_load(struct recording *rec, struct losses *ret_losses)
{
	struct finding finding = { .rec = rec, .losses = ret_losses };
	const struct xp_order_opts order = { .size = sizeof(order), .keep = keep_all };

	*ret_losses = (struct losses){ 0 };
	int err = recording_load(rec, count, ret_losses);
	if (err || !losses_nr(ret_losses))
		return err;
	err = recording_each_ordered(rec, &order, true, find, &finding);
	err = err ?: add_last_loss(&finding);
	join(ret_losses);
	free(finding.last_ns);
	return err;
}

void losses_fini(struct losses *losses)
{
	free(losses->at);
	*losses = (struct losses){ 0 };
}

/* For search_before(): ends before a moment, or there. */
static int ends_before(const void *element, const void *key)
{
	return ((const struct loss *)element)->to_ns <= *(const uint64_t *)key ? -1 : 1;
}

bool losses_between(const struct losses *losses, uint64_t from_ns, uint64_t to_ns)
{
	if (!losses->nr)
		return false;
	size_t next =
		search_before(&from_ns, losses->at, losses->nr, sizeof(*losses->at), ends_before);
	return next < losses->nr && losses->at[next].from_ns < to_ns;
}
