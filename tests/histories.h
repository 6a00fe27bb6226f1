/* SPDX-License-Identifier: MIT */
/*
 * Random histories of processes on 8 CPUs, whose truth is known: maps, names, programs in the
 * kernel, and samples. Each CPU's ring has its records in order, or nearly so; rings are read in
 * any order. With a coarse clock, many records have equal times, and there is one ring: the order
 * in the file is that of what happened. Included behind <cmocka.h>.
 */
#ifndef TESTS_HISTORIES_H
#define TESTS_HISTORIES_H

#include <stdio.h>
#include <stdlib.h>

#include "timeline-records.h"

/* IP | TID | TIME | CALLCHAIN | CPU | PERIOD, and in every trailer TID, TIME, CPU. */
enum { HISTORY_SAMPLE_TYPE = 1 | 2 | 4 | 32 | 128 | 256 };

enum {
	NR_STEPS = 3000,
	NR_CPUS = 8,
	NR_PIDS = 24, /* few: they are used again and again */
	NR_PAGES = 48,
	NR_FILES = 7,
	NR_COMMS = 9,
	NR_PROGS = 4, /* of BPF */
	MAX_CHAIN = 6,
	PAGE = 4096,
};

#define BASE  UINT64_C(0x7f0000000000)
#define PROGS UINT64_C(0xffffffffc0000000)

/* What is at a page: file 0: nothing that is known; from NR_FILES on: a program in the kernel. */
struct page {
	int file;
	uint64_t offset;
};

/* A thread; its pid is the place of its process, whose pages its leader has. */
struct task {
	bool lives;
	int pid;
	int comm;
	struct page pages[NR_PAGES];
};

struct ring {
	struct timed *records;
	size_t nr, cap, read;
};

struct sample {
	uint64_t time_ns, address, period;
	int pid, tid, comm;
	struct page page;
};

struct history {
	uint64_t seed, now;
	bool is_coarse;
	struct task tasks[NR_PIDS + 1]; /* by tid, from 1 */
	int progs[NR_PROGS];            /* which program is there, 0: none */
	int nr_progs;
	struct ring rings[NR_CPUS];
	struct sample samples[NR_STEPS];
	size_t nr_samples;
};

static uint32_t random_below(struct history *h, uint32_t below)
{
	h->seed = h->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(h->seed >> 33) % below;
}

static const char *file_name(int file)
{
	static const char *const names[NR_FILES] = {
		NULL,           "/usr/bin/cat",     "/usr/lib/libc.so.6",
		"[vdso]",       "/opt/a (deleted)", "/usr/lib/libm.so.6",
		"/usr/bin/dog",
	};

	static char prog[32];

	snprintf(prog, sizeof(prog), "bpf_prog_%d", file - NR_FILES + 1);
	return file < NR_FILES ? names[file] : prog;
}

static const char *comm_name(int comm)
{
	static const char *const names[NR_COMMS] = { "init", "sh",  "make", "cc1", "ld",
						     "as",   "cat", "dog",  "perf" };

	return names[comm];
}

static void write_to(struct ring *ring, const struct timed *rec)
{
	if (ring->nr == ring->cap) {
		ring->cap = ring->cap ? ring->cap * 2 : 64;
		ring->records = reallocarray(ring->records, ring->cap, sizeof(*rec));
		assert_non_null(ring->records);
	}
	ring->records[ring->nr++] = *rec;
}

/* A record of now, on any CPU; sometimes an interrupt writes its own before it. */
static void emit(struct history *h, struct timed rec)
{
	struct ring *ring = &h->rings[h->is_coarse ? 0 : random_below(h, NR_CPUS)];

	write_to(ring, &rec);
	if (ring->nr > 1 && rec.time_ns && !h->is_coarse && !random_below(h, 50)) {
		ring->records[ring->nr - 1] = ring->records[ring->nr - 2];
		ring->records[ring->nr - 2] = rec;
	}
}

/* A random thread that lives; the first always does. */
static int any_task(struct history *h)
{
	int tid = 1 + (int)random_below(h, NR_PIDS);

	while (!h->tasks[tid].lives)
		tid = 1 + tid % NR_PIDS;
	return tid;
}

/* A number nobody has, or 0. */
static int free_tid(struct history *h)
{
	int tid = 1 + (int)random_below(h, NR_PIDS);

	return h->tasks[tid].lives ? 0 : tid;
}

static void do_mmap(struct history *h, int tid, uint64_t time_ns)
{
	struct task *leader = &h->tasks[h->tasks[tid].pid];
	uint32_t first = random_below(h, NR_PAGES);
	uint32_t nr = 1 + random_below(h, 12), offset = random_below(h, 100);
	int file = 1 + (int)random_below(h, NR_FILES - 1);

	if (first + nr > NR_PAGES)
		nr = NR_PAGES - first;
	for (uint32_t i = 0; i < nr; i++)
		leader->pages[first + i] = (struct page){ file, (offset + i) * (uint64_t)PAGE };
	emit(h, mmap2_record(time_ns, (uint32_t)h->tasks[tid].pid, BASE + first * PAGE,
			     nr * (uint64_t)PAGE, offset * (uint64_t)PAGE, file_name(file)));
}

/* The kernel does not report. */
static void do_munmap(struct history *h, int tid)
{
	struct task *leader = &h->tasks[h->tasks[tid].pid];
	uint32_t first = random_below(h, NR_PAGES);

	for (uint32_t i = first; i < NR_PAGES && i < first + 3; i++)
		leader->pages[i] = (struct page){ 0 };
}

static void do_fork(struct history *h, int tid, bool is_thread)
{
	int child = free_tid(h);
	struct task *maker = &h->tasks[tid];

	if (!child)
		return;
	h->tasks[child] = h->tasks[maker->pid];
	h->tasks[child].comm = maker->comm;
	h->tasks[child].pid = is_thread ? maker->pid : child;
	emit(h, task_record(XP_RECORD_FORK, h->now, (uint32_t)h->tasks[child].pid, (uint32_t)child,
			    (uint32_t)maker->pid, (uint32_t)tid));
}

static void do_comm(struct history *h, int tid, bool is_exec)
{
	struct task *task = &h->tasks[tid];

	task->comm = (int)random_below(h, NR_COMMS);
	emit(h, comm_record(h->now, (uint32_t)task->pid, (uint32_t)tid, comm_name(task->comm),
			    is_exec));
}

static void end_task(struct history *h, int tid)
{
	h->tasks[tid].lives = false;
	emit(h, task_record(XP_RECORD_EXIT, h->now++, (uint32_t)h->tasks[tid].pid, (uint32_t)tid,
			    (uint32_t)h->tasks[tid].pid, (uint32_t)tid));
}

/* All threads of a process but one. */
static void end_others(struct history *h, int pid, int but)
{
	for (int tid = 1; tid <= NR_PIDS; tid++)
		if (h->tasks[tid].lives && h->tasks[tid].pid == pid && tid != but)
			end_task(h, tid);
}

/* Whoever does it bears the process' number afterwards. */
static void do_exec(struct history *h, int tid)
{
	int pid = h->tasks[tid].pid;

	end_others(h, pid, tid);
	h->tasks[tid].lives = false;
	h->tasks[pid] = (struct task){ .lives = true, .pid = pid };
	do_comm(h, pid, true);
}

/* The first process lives as long as the machine. */
static void do_exit(struct history *h, int tid)
{
	if (tid == 1)
		return;
	if (tid == h->tasks[tid].pid)
		end_others(h, tid, tid);
	end_task(h, tid);
}

/* As an event of HISTORY_SAMPLE_TYPE has it: the address, and some more of the same process. */
static void emit_sample(struct history *h, const struct sample *sample)
{
	bool is_kernel = sample->page.file >= NR_FILES;
	uint64_t words[7 + 1 + MAX_CHAIN] = { 0, sample->address };
	struct timed rec = { .time_ns = sample->time_ns };
	const struct page *pages = h->tasks[sample->pid].pages;
	size_t nr = 7;

	words[2] = (uint32_t)sample->pid | (uint64_t)sample->tid << 32;
	words[3] = sample->time_ns;
	words[4] = random_below(h, NR_CPUS);
	words[5] = sample->period;
	words[nr++] = is_kernel ? XP_CONTEXT_KERNEL : XP_CONTEXT_USER;
	words[nr++] = sample->address;
	if (is_kernel)
		words[nr++] = XP_CONTEXT_USER;
	while (nr < 7 + MAX_CHAIN) {
		uint32_t i = random_below(h, 5);

		if (!pages[i].file)
			break;
		words[nr++] = BASE + i * PAGE + random_below(h, 4) * 64;
	}
	words[6] = nr - 7;
	memcpy(rec.bytes, words, nr * sizeof(*words));
	rec.header =
		(struct xp_record){ XP_RECORD_SAMPLE, is_kernel ? XP_MISC_KERNEL : XP_MISC_USER,
				    (uint16_t)(nr * sizeof(*words)) };
	emit(h, rec);
}

static void write_sample(struct history *h, int tid)
{
	struct task *task = &h->tasks[tid];
	uint32_t i = random_below(h, NR_PAGES), within = random_below(h, PAGE);
	struct sample *sample = &h->samples[h->nr_samples++];
	uint32_t prog = random_below(h, NR_PROGS * 4);

	*sample = (struct sample){ .time_ns = h->now,
				   .address = BASE + i * PAGE + within,
				   .period = 1 + random_below(h, 1000),
				   .pid = task->pid,
				   .tid = tid,
				   .comm = task->comm,
				   .page = h->tasks[task->pid].pages[i] };
	sample->page.offset += within;
	if (prog < NR_PROGS && h->progs[prog]) {
		sample->address = PROGS + prog * PAGE + within;
		sample->page = (struct page){ NR_FILES + h->progs[prog] - 1, within };
	}
	if (sample->page.file)
		emit_sample(h, sample);
}

/* A program comes to a place in the kernel, or goes. */
static void do_prog(struct history *h)
{
	uint32_t place = random_below(h, NR_PROGS);
	bool goes = h->progs[place];
	int prog = goes ? h->progs[place] : ++h->nr_progs;

	h->progs[place] = goes ? 0 : prog;
	emit(h, ksymbol_record(h->now, PROGS + place * PAGE, PAGE, goes,
			       file_name(NR_FILES + prog - 1)));
}

static void step(struct history *h)
{
	int tid = any_task(h);
	uint32_t what = random_below(h, 100);

	if (!h->is_coarse || !random_below(h, 20))
		h->now += 1 + random_below(h, 1000);
	if (what < 50)
		write_sample(h, tid);
	else if (what < 70)
		do_mmap(h, tid, h->now);
	else if (what < 74)
		do_munmap(h, tid);
	else if (what < 75)
		do_prog(h);
	else if (what < 83)
		do_fork(h, tid, false);
	else if (what < 88)
		do_fork(h, tid, true);
	else if (what < 91)
		do_comm(h, tid, false);
	else if (what < 96)
		do_exec(h, tid);
	else
		do_exit(h, tid);
}

/* Processes that were there before: recorded with time 0, anywhere in the file. */
static void begin(struct history *h)
{
	for (int tid = 1; tid <= 3; tid++) {
		h->tasks[tid] = (struct task){ .lives = true, .pid = tid, .comm = tid };
		emit(h, task_record(XP_RECORD_FORK, 0, (uint32_t)tid, (uint32_t)tid, 1, 1));
		emit(h, comm_record(0, (uint32_t)tid, (uint32_t)tid, comm_name(tid), false));
		struct ring *ring = &h->rings[0];
		h->tasks[tid].pages[0] = (struct page){ 1, 0 };
		h->tasks[tid].pages[1] = (struct page){ 1, PAGE };
		struct timed rec = mmap2_record(0, (uint32_t)tid, BASE, 2 * PAGE, 0, file_name(1));
		write_to(ring, &rec);
	}
}

/* A history from its beginning to its end. Freed by history_free(). */
static inline struct history *history_new(uint64_t seed, bool is_coarse)
{
	struct history *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->seed = seed;
	h->is_coarse = is_coarse;
	h->now = 1000;
	begin(h);
	for (int i = 0; i < NR_STEPS; i++)
		step(h);
	return h;
}

static inline void history_free(struct history *h)
{
	for (int i = 0; i < NR_CPUS; i++)
		free(h->rings[i].records);
	free(h);
}

/* Rings are read in pieces, in any order. */
static inline void history_read(struct history *h, void (*fn)(const struct timed *rec, void *data),
				void *data)
{
	size_t left = 0;

	for (int i = 0; i < NR_CPUS; i++)
		left += h->rings[i].nr;
	while (left) {
		struct ring *ring = &h->rings[random_below(h, NR_CPUS)];

		for (uint32_t n = random_below(h, 40); n && ring->read < ring->nr; n--, left--)
			fn(&ring->records[ring->read++], data);
	}
}

#endif
