/* SPDX-License-Identifier: MIT */
/*
 * read(2) on an event: the layout of read_format, with what inherited events have counted.
 *
 * A pinned event in error reads end of file; a buffer that is too short is ENOSPC; a read through
 * any member of a group that asks for PERF_FORMAT_GROUP gives the whole group, leader first.
 * Source: perf_event_open(2), "Reading results"; checked by promises.c.
 */
#include "model.h"

#include <errno.h>
#include <string.h>

/* The longest reading open.c admits is 16 KiB, counted with one member more than there are. */
enum { READ_WORDS_MAX = 16384 / 8 + 8 };

/* Beside the bits of read_format: without what inherited events have counted, as the samples of an
 * inherited event have it, Linux 6.12. */
#define OWN_ONLY (UINT64_C(1) << 63)

static struct reading sum_of(const struct event *event, uint64_t format)
{
	uint64_t acc = event->acc + event->dead.acc, truth = event->truth + event->dead.truth;
	struct reading sum = { .enabled_ns = event->enabled_ns + event->dead.enabled_ns,
			       .running_ns = event->running_ns + event->dead.running_ns };

	if (format & OWN_ONLY)
		return (struct reading){ .value = event->acc / MICRO,
					 .enabled_ns = event->enabled_ns,
					 .running_ns = event->running_ns };
	for (int i = 0; i < event->children.nr; i++) {
		const struct event *child = event->children.at[i];

		acc += child->acc;
		truth += child->truth;
		sum.enabled_ns += child->enabled_ns;
		sum.running_ns += child->running_ns;
	}
	sum.value = acc / MICRO;
	sum.truth = truth / MICRO;
	return sum;
}

static uint64_t *put_times(uint64_t *out, const struct reading *sum, uint64_t format)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*out++ = sum->enabled_ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*out++ = sum->running_ns;
	return out;
}

static uint64_t *put_identity(uint64_t *out, const struct event *event, uint64_t format)
{
	if (format & PERF_FORMAT_ID)
		*out++ = event->id;
	if (format & XP_FORMAT_LOST)
		*out++ = event->lost;
	return out;
}

static uint64_t *put_single(uint64_t *out, const struct event *event, uint64_t format)
{
	struct reading sum = sum_of(event, format);

	*out++ = sum.value;
	out = put_times(out, &sum, format);
	return put_identity(out, event, format);
}

static uint64_t *put_member(uint64_t *out, const struct event *event, uint64_t format)
{
	*out++ = sum_of(event, format).value;
	return put_identity(out, event, format);
}

static uint64_t *put_group(uint64_t *out, const struct event *leader, uint64_t format)
{
	struct reading sum = sum_of(leader, format);

	*out++ = (uint64_t)leader->siblings.nr + 1;
	out = put_times(out, &sum, format);
	out = put_member(out, leader, format);
	for (int i = 0; i < leader->siblings.nr; i++)
		out = put_member(out, leader->siblings.at[i], format);
	return out;
}

static size_t words_of(uint64_t format, int nr_members)
{
	size_t times = (size_t)__builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	size_t each = 1 + (size_t)__builtin_popcountll(format & (PERF_FORMAT_ID | XP_FORMAT_LOST));

	if (format & PERF_FORMAT_GROUP)
		return 1 + times + each * (size_t)nr_members;
	return times + each;
}

/* One interrupt to another CPU fetches an event that counts there, members included. */
static void count_ipi(struct sim *sim, const struct event *event)
{
	const struct context *ctx = event->ctx;

	if (event->state == EVENT_ACTIVE &&
	    (ctx->task ? ctx->task->cpu : ctx->cpu) != sim->self_cpu)
		sim->stats.ipis++;
	for (int i = 0; i < event->children.nr; i++)
		count_ipi(sim, event->children.at[i]);
}

/* What closing an event will report of it. */
static void note(struct event *event)
{
	event->last = sum_of(event, 0);
}

void record_reading(struct record *r, const struct event *event)
{
	uint64_t format = event->attr.read_format | (event->attr.inherit ? OWN_ONLY : 0);
	uint64_t words[READ_WORDS_MAX];
	const uint64_t *end = format & PERF_FORMAT_GROUP ? put_group(words, event->leader, format)
							 : put_single(words, event, format);

	record_bytes(r, words, (size_t)(end - words) * sizeof(words[0]));
}

ssize_t event_read(struct sim *sim, struct event *event, void *buf, size_t len)
{
	uint64_t format = event->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;
	struct event *whole = event->torn_from ? event->torn_from : event->leader;
	struct event *first = group ? whole : event;
	int nr = group ? first->siblings.nr + 1 : 1;
	size_t bytes = words_of(format, nr) * sizeof(uint64_t);

	sim->stats.reads++;
	if (event->state == EVENT_ERROR)
		return 0;
	if (len < bytes)
		return -ENOSPC;
	count_ipi(sim, first);

	uint64_t words[READ_WORDS_MAX];
	uint64_t *end = group ? put_group(words, first, format) : put_single(words, first, format);
	note(first);
	for (int i = 0; group && i < first->siblings.nr; i++)
		note(first->siblings.at[i]);
	memcpy(buf, words, (size_t)(end - words) * sizeof(words[0]));
	return (ssize_t)bytes;
}
