/* SPDX-License-Identifier: MIT */
/*
 * Which return belongs to which entry. A thread is in one call at a time: what it returns from is
 * what it entered last, if the number is the same. It is -1 after a signal handler has ended, as
 * the kernel then goes on where the signal came.
 *
 * Source: the kernel's include/linux/entry-common.h, arch/x86/kernel/signal_64.c (orig_ax = -1),
 * arch/arm64/include/asm/processor.h (forget_syscall).
 */
#include "sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "losses.h"
#include "vec.h"

enum { NR_FORGOTTEN = -1, MAX_ERRNO = 4095 };

struct thread {
	int32_t tid;
	int32_t pid;
	const char *comm;
	bool is_seen; /* it has entered or returned before */
	bool is_open; /* it is in a call: */
	struct syscall_event entry;
	uint64_t last_ns; /* when it entered or returned last */
};

struct syscall_sums {
	bool is_total;
	uint64_t seed;
	const struct losses *losses;
	struct thread *threads;
	struct syscall_sum *rows;
	size_t nr_threads, nr_rows;
	struct index by_tid, by_call;
	struct syscall_sum total;
};

bool syscall_has_failed(int64_t result)
{
	return result < 0 && result >= -MAX_ERRNO;
}

struct syscall_sums *syscall_sums_new(bool is_total, const struct losses *losses)
{
	struct syscall_sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->is_total = is_total;
	sums->losses = losses;
	sums->seed = xp_hash_seed();
	return sums;
}

void syscall_sums_free(struct syscall_sums *sums)
{
	if (!sums)
		return;
	index_fini(&sums->by_tid);
	index_fini(&sums->by_call);
	free(sums->threads);
	free(sums->rows);
	free(sums);
}

/* --- threads and rows --- */

/* Returns NULL without memory; valid until the next call. */
static struct thread *thread_of(struct syscall_sums *sums, const struct syscall_event *event)
{
	uint64_t hash = xp_hash_word(sums->seed, (uint32_t)event->tid);
	size_t at;

	for (struct index_walk walk = index_walk(&sums->by_tid, hash); index_next(&walk, &at);)
		if (sums->threads[at].tid == event->tid)
			return &sums->threads[at];
	if (vec_add(&sums->threads, sums->nr_threads, sizeof(*sums->threads)) ||
	    index_add(&sums->by_tid, hash, sums->nr_threads))
		return NULL;
	sums->threads[sums->nr_threads] = (struct thread){ .tid = event->tid };
	return &sums->threads[sums->nr_threads++];
}

static bool is_row(const struct syscall_sum *row, const struct syscall_sum *key)
{
	return row->tid == key->tid && row->nr == key->nr && row->abi == key->abi &&
	       row->is_compat == key->is_compat;
}

static struct syscall_sum *row_of(struct syscall_sums *sums, const struct syscall_event *call)
{
	const struct syscall_sum key = {
		.pid = -1,
		.tid = sums->is_total ? -1 : call->tid,
		.abi = call->abi,
		.is_compat = call->is_compat,
		.nr = call->nr,
	};
	uint64_t hash = xp_hash_fold(xp_hash_word(sums->seed, (uint64_t)key.nr),
				     sums->seed ^ ((uint64_t)(uint32_t)key.tid << 8 |
						   (unsigned int)key.abi << 1 | key.is_compat));
	size_t at;

	for (struct index_walk walk = index_walk(&sums->by_call, hash); index_next(&walk, &at);)
		if (is_row(&sums->rows[at], &key))
			return &sums->rows[at];
	if (vec_add(&sums->rows, sums->nr_rows, sizeof(*sums->rows)) ||
	    index_add(&sums->by_call, hash, sums->nr_rows))
		return NULL;
	sums->rows[sums->nr_rows] = key;
	return &sums->rows[sums->nr_rows++];
}

/* --- calls --- */

static void add_time(struct syscall_sum *sum, uint64_t ns, bool has_failed)
{
	sum->min_ns = sum->nr_calls && sum->min_ns < ns ? sum->min_ns : ns;
	sum->max_ns = sum->max_ns > ns ? sum->max_ns : ns;
	sum->total_ns += ns;
	sum->nr_calls++;
	sum->nr_errors += has_failed;
}

/* Returns 0 or -ENOMEM. */
static int add_untimed(struct syscall_sums *sums, const struct syscall_event *call,
		       enum syscall_fate fate)
{
	struct syscall_sum *row = call->counts ? row_of(sums, call) : NULL;

	if (!call->counts)
		return 0;
	if (!row)
		return -ENOMEM;
	row->untimed[fate]++;
	sums->total.untimed[fate]++;
	return 0;
}

/* @now_ns: when that is known */
static int end_without_return(struct syscall_sums *sums, struct thread *thread, uint64_t now_ns)
{
	bool has_loss = losses_between(sums->losses, thread->last_ns, now_ns);

	if (!thread->is_open)
		return 0;
	thread->is_open = false;
	return add_untimed(sums, &thread->entry, has_loss ? SYSCALL_UNSURE : SYSCALL_OPEN);
}

int syscall_sums_enter(struct syscall_sums *sums, const struct syscall_event *event)
{
	struct thread *thread = thread_of(sums, event);

	if (!thread || end_without_return(sums, thread, event->time_ns))
		return -ENOMEM;
	thread->pid = event->pid;
	thread->comm = event->comm;
	thread->is_seen = thread->is_open = true;
	thread->entry = *event;
	thread->last_ns = event->time_ns;
	return 0;
}

static int add_call(struct syscall_sums *sums, struct thread *thread,
		    const struct syscall_event *event)
{
	struct syscall_event call = thread->entry;
	bool has_failed = syscall_has_failed(event->result);

	call.counts = event->counts;
	thread->is_open = false;
	bool has_loss = losses_between(sums->losses, call.time_ns, event->time_ns);
	thread->last_ns = event->time_ns;
	if (has_loss || event->time_ns < call.time_ns)
		return add_untimed(sums, &call, SYSCALL_UNSURE);
	if (!call.counts)
		return 0;
	struct syscall_sum *row = row_of(sums, &call);
	if (!row)
		return -ENOMEM;
	add_time(row, event->time_ns - call.time_ns, has_failed);
	add_time(&sums->total, event->time_ns - call.time_ns, has_failed);
	return 0;
}

int syscall_sums_return(struct syscall_sums *sums, const struct syscall_event *event)
{
	struct thread *thread = thread_of(sums, event);

	if (!thread)
		return -ENOMEM;
	bool is_first = !thread->is_seen;
	/* Whether its entry was lost or came before the recording: the call was in a loss. */
	bool has_loss = losses_between(sums->losses, thread->last_ns, event->time_ns);
	thread->pid = event->pid;
	thread->comm = event->comm;
	thread->is_seen = true;
	if (thread->is_open && (event->nr == thread->entry.nr || event->nr == NR_FORGOTTEN))
		return add_call(sums, thread, event);
	if (end_without_return(sums, thread, event->time_ns))
		return -ENOMEM;
	thread->last_ns = event->time_ns;
	/* A new task begins where its parent's call returns. */
	if (is_first && !event->result && syscall_makes_task(event->abi, event->nr))
		return 0;
	return add_untimed(sums, event, has_loss ? SYSCALL_UNSURE : SYSCALL_ENTERED);
}

/* --- rows --- */

static int compare(const void *a, const void *b)
{
	const struct syscall_sum *l = a, *r = b;

	if (l->total_ns != r->total_ns)
		return l->total_ns > r->total_ns ? -1 : 1;
	if (l->nr_calls != r->nr_calls)
		return l->nr_calls > r->nr_calls ? -1 : 1;
	if (l->nr != r->nr)
		return l->nr < r->nr ? -1 : 1;
	return (l->tid > r->tid) - (l->tid < r->tid);
}

static void name_rows(struct syscall_sums *sums)
{
	for (size_t i = 0; i < sums->nr_rows && !sums->is_total; i++) {
		struct syscall_sum *row = &sums->rows[i];
		const struct thread *thread =
			thread_of(sums, &(struct syscall_event){ .tid = row->tid });

		row->pid = thread->pid;
		row->comm = thread->comm;
	}
}

int syscall_sums_finish(struct syscall_sums *sums)
{
	for (size_t i = 0; i < sums->nr_threads; i++)
		if (end_without_return(sums, &sums->threads[i], UINT64_MAX))
			return -ENOMEM;
	name_rows(sums);
	if (sums->nr_rows)
		qsort(sums->rows, sums->nr_rows, sizeof(*sums->rows), compare);
	return 0;
}

const struct syscall_sum *syscall_sums_at(const struct syscall_sums *sums, size_t idx)
{
	return idx < sums->nr_rows ? &sums->rows[idx] : NULL;
}

const struct syscall_sum *syscall_sums_total(const struct syscall_sums *sums)
{
	return &sums->total;
}
