/* SPDX-License-Identifier: MIT */
/*
 * How often clocks of whole CPUs are sampled, while all of it has to stay within a share of the
 * machine's time: halved as long as more is spent or rings and queue fill up, doubled when there is
 * room for it again. Samples say what they stand for.
 *
 * Source: perf_swevent_init_hrtimer() of Linux 6.1: a clock with a frequency has a fixed period;
 * perf_swevent_hrtimer(): samples have the period that the event was opened with.
 */
#include "recorder-rate.h"

#include <stddef.h>
#include <string.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "kernel-walk.h"
#include "recorder-impl.h"
#include "sample-bits.h"
#include "sampling.h"
#include "software-event.h"

enum {
	SAMPLE_NS = 10000,    /* of the kernel for a sample; measured, a virtual machine: 14 us */
	EFFECT_NS = 10000000, /* what was changed has an effect by then */
	CALM_NS = 300000000,  /* before more is tried; twice as long each time it was too much */
	CALM_MOST = 32,       /* times as long */
	SLACK_NS = 20000000,  /* until a reader runs that has to wait for a CPU */
	HIGH_NS = 200000,     /* between samples of a rate that is high */
	OTHER_BYTES = 512,    /* of a sample but its stack, most have less */
	SLOWEST = 256,        /* parts of the rate */
	FULL = 12,
	EMPTY = 10, /* parts in 16 of a ring, which is read when it is half full */
};

void xp_rate_init(struct xp_rate *rate, uint64_t ppm, int nr_cpus)
{
	atomic_init(&rate->parts, 1);
	rate->wait_ns = CALM_NS;
	rate->share = (struct cpu_share){ .ppm = ppm * (uint64_t)nr_cpus, .seconds = 1 };
}

static bool is_pressed(struct xp_rate *rate, const struct xp_load *load, bool is_over)
{
	bool has_lost = load->lost != rate->lost;

	rate->lost = load->lost;
	return is_over || has_lost || load->fill > FULL ||
	       load->backlog > load->backlog_most / 8 * 3;
}

static bool is_calm(const struct xp_rate *rate, const struct xp_load *load)
{
	/* Twice as many samples must not use up what has been saved within a second. */
	return load->fill <= EMPTY && load->backlog < load->backlog_most / 4 &&
	       rate->share.saved_ns > (int64_t)rate->share.ppm * 500;
}

static void set_parts(struct xp_rate *rate, unsigned int parts)
{
	atomic_store(&rate->parts, parts);
	if (parts > atomic_load(&rate->slowest))
		atomic_store(&rate->slowest, parts);
}

bool xp_rate_step(struct xp_rate *rate, const struct xp_load *load)
{
	unsigned int parts = atomic_load(&rate->parts), before = parts;
	uint64_t spent_ns = load->cpu_ns + load->samples * SAMPLE_NS;
	bool is_over = cpu_share_pause(&rate->share, load->now_ns, spent_ns) > 0;

	bool is_high = is_pressed(rate, load, is_over);
	if (parts > 1 && rate->looked_ns)
		atomic_fetch_add(&rate->slowed_ns, load->now_ns - rate->looked_ns);
	if (is_high || !rate->looked_ns || !is_calm(rate, load))
		rate->calm_ns = load->now_ns + rate->wait_ns;
	rate->looked_ns = load->now_ns;
	if (is_high && load->now_ns >= rate->effect_ns && parts < SLOWEST) {
		if (rate->was_raised && rate->wait_ns < CALM_MOST * (uint64_t)CALM_NS)
			rate->wait_ns *= 2;
		rate->was_raised = false;
		rate->calm_ns = load->now_ns + rate->wait_ns;
		parts *= 2;
	} else if (parts > 1 && load->now_ns >= rate->calm_ns) {
		rate->was_raised = true;
		rate->calm_ns = load->now_ns + rate->wait_ns;
		parts /= 2;
	}
	if (parts == before)
		return false;
	rate->effect_ns = load->now_ns + EFFECT_NS;
	set_parts(rate, parts);
	return true;
}

/* --- samples --- */

static void multiply(void *at, uint64_t opened, unsigned int parts)
{
	uint64_t period;

	memcpy(&period, at, sizeof(period));
	if (period != opened)
		return;
	period *= parts;
	memcpy(at, &period, sizeof(period));
}

/* A sample that BPF wrote, of a clock with frequency or period. */
static void mend_walked(const struct xp_shed *shed, const struct xp_attr *attr,
			struct xp_record *record, unsigned int parts)
{
	struct xp_sample sample = { .size = sizeof(sample) };
	struct walked walked;

	if (xp_sample_decode(record, attr, &sample) ||
	    sample.raw_len < offsetof(struct walked, ips))
		return;
	memcpy(&walked, sample.raw, offsetof(struct walked, ips));
	const struct xp_shed_event *event = xp_shed_event_by_id(shed, walked.id);
	if (event)
		multiply((char *)sample.raw + offsetof(struct walked, period),
			 xp_clock_period(event->attr), parts);
}

static void mend_sample(const struct xp_shed *shed, struct xp_record *record, unsigned int parts)
{
	const struct xp_shed_event *event = xp_shed_event_of(shed, record);
	const uint64_t before = XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID |
				XP_SAMPLE_TIME | XP_SAMPLE_ADDR | XP_SAMPLE_ID |
				XP_SAMPLE_STREAM_ID | XP_SAMPLE_CPU;

	if (!event)
		return;
	if (xp_shed_is_walked(shed, event)) {
		mend_walked(shed, event->attr, record, parts);
		return;
	}
	size_t at = sizeof(*record) +
		    (size_t)__builtin_popcountll(event->attr->sample_type & before) * WORD;
	if (xp_clock_period(event->attr) && record->size >= at + WORD)
		multiply((char *)record + at, xp_clock_period(event->attr), parts);
}

void xp_rate_mend(const struct xp_shed *shed, unsigned int parts, char *records, size_t len)
{
	struct xp_record *record;

	for (size_t at = 0; at < len && parts > 1; at += record->size) {
		record = (void *)(records + at);
		if (record->type == XP_RECORD_SAMPLE)
			mend_sample(shed, record, parts);
	}
}

/* --- of the recorder --- */

/* Half of a ring of a high rate lasts so long at first that nothing is lost before the first look.
 */
void xp_reader_begin_rate(struct xp_recorder *r)
{
	unsigned int parts = 1;

	for (int i = 0; i < r->shed.nr_events && r->rate.share.ppm; i++) {
		const struct xp_attr *attr = r->shed.events[i].attr;
		uint64_t bytes = attr->sample_stack_user + OTHER_BYTES;
		uint64_t lasts_ns = r->least_ring_bytes / 2 * xp_clock_period(attr) / bytes;

		while (lasts_ns && xp_clock_period(attr) < HIGH_NS && lasts_ns * parts < SLACK_NS &&
		       parts < SLOWEST)
			parts *= 2;
	}
	if (parts == 1)
		return;
	set_parts(&r->rate, parts);
	xp_evlist_slow_clocks(r->opts.evlist, parts);
}

void xp_reader_look_at_rate(struct xp_recorder *r, uint64_t now_ns)
{
	struct xp_rate *rate = &r->rate;
	const struct xp_load load = {
		.now_ns = now_ns,
		.cpu_ns = cpu_share_spent_by_all(),
		.samples = xp_scan_get(&r->scan, XP_NR_SAMPLES),
		.lost = xp_scan_get(&r->scan, XP_NR_LOST),
		.backlog = atomic_load_explicit(&r->queue.backlog, memory_order_relaxed),
		.backlog_most = r->opts.backlog_bytes,
		.fill = rate->fill,
	};

	rate->fill = 0;
	if (rate->share.ppm && xp_rate_step(rate, &load))
		xp_evlist_slow_clocks(r->opts.evlist, atomic_load(&rate->parts));
}
