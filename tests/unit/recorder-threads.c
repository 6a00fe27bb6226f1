/* SPDX-License-Identifier: MIT */
/*
 * The recorder's threads under ThreadSanitizer (test-recorder-threads.sh): two writers of rings in
 * the place of the kernel, the real rings, reader and queue, and a file that checks that every
 * record comes once and in order, while the caller injects, watches and switches. Events and the
 * list are stood in for by the few functions the recorder asks.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <xperf/arch.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/record.h>
#include <xperf/ring.h>
#include <xperf/sample.h>
#include <xperf/unwind.h>

#include "build-ids.h"
#include "ctx.h"
#include "jit.h"
#include "list-impl.h"
#include "recorder-impl.h"
#include "sampling.h"
#include "unwinding.h"
#include "userpage.h"
#include "writer.h"

enum { NR_RINGS = 2, PAGES = 4, NR_SAMPLES = 200000, NR_INJECTED = 3000 };

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "recorder-threads: %s\n", what);
	exit(1);
}

struct sample {
	struct xp_record header;
	uint64_t id;  /* IDENTIFIER: number of the ring + 1 */
	uint64_t seq; /* in the place of IP */
};

/* --- the kernel --- */

static struct perf_event_mmap_page *pages[NR_RINGS];

static int fake_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		     void **ret_addr)
{
	(void)sys;
	(void)prot;
	(void)offset;
	*ret_addr = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), len);
	memset(*ret_addr, 0, len);
	pages[fd] = *ret_addr;
	return 0;
}

static int fake_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	(void)sys;
	(void)len;
	free(addr);
	return 0;
}

/* Writes as the kernel does: as much as there is room for, then head. */
static void *write_ring(void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = PAGES * page;
	int ring = *(int *)arg;
	char *data = (char *)pages[ring] + page;
	uint64_t head = 0;

	for (uint64_t seq = 0; seq < NR_SAMPLES;) {
		uint64_t tail = __atomic_load_n(&pages[ring]->data_tail, __ATOMIC_ACQUIRE);
		const struct sample sample = { { XP_RECORD_SAMPLE, 0, sizeof(sample) },
					       (uint64_t)ring + 1,
					       seq };

		if (head + sizeof(sample) - tail > bytes) {
			sched_yield();
			continue;
		}
		for (size_t i = 0; i < sizeof(sample); i++)
			data[(head + i) % bytes] = ((const char *)&sample)[i];
		head += sizeof(sample);
		__atomic_store_n(&pages[ring]->data_head, head, __ATOMIC_RELEASE);
		seq++;
	}
	return NULL;
}

static uint64_t now(const struct xp_sys *sys)
{
	struct timespec t;

	(void)sys;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Rings have no descriptors here: looked at every millisecond. */
static int fake_poll(const struct xp_sys *sys, struct pollfd *fds, size_t nr, int64_t timeout_ns)
{
	(void)sys;
	(void)timeout_ns;
	for (size_t i = 0; i < nr; i++)
		fds[i].revents = 0;
	return poll(&fds[nr - 1], 1, 1);
}

static ssize_t fake_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	(void)sys;
	ssize_t n = read(fd, buf, len);
	return n < 0 ? -errno : n;
}

static ssize_t fake_write(const struct xp_sys *sys, int fd, const void *buf, size_t len)
{
	(void)sys;
	return write(fd, buf, len);
}

static int fake_event_fd(const struct xp_sys *sys)
{
	(void)sys;
	return eventfd(0, EFD_NONBLOCK);
}

static int fake_set_priority(const struct xp_sys *sys, int priority)
{
	(void)sys;
	return priority ? -EPERM : 0;
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	(void)sys;
	return close(fd);
}

static int fake_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	(void)sys;
	require(request == PERF_EVENT_IOC_ID, "ioctl");
	*(uint64_t *)arg = (uint64_t)fd + 1;
	return 0;
}

static const struct xp_sys sys = { .size = sizeof(sys),
				   .mmap = fake_mmap,
				   .munmap = fake_munmap,
				   .now = now,
				   .poll = fake_poll,
				   .read = fake_read,
				   .write = fake_write,
				   .event_fd = fake_event_fd,
				   .set_priority = fake_set_priority,
				   .ioctl = fake_ioctl,
				   .close = fake_close };

int xp_userpage_time_conv(const volatile struct xp_userpage *page, struct xp_time_conv *ret_conv)
{
	(void)page;
	(void)ret_conv;
	return -EOPNOTSUPP;
}

/* --- list and events --- */

static struct xp_ring_place places[NR_RINGS];
static int nr_rings; /* the last CPU comes online while the others are recorded */
static int fds[NR_RINGS] = { 0, 1 };
static struct xp_cpus *const some_cpus = (void *)fds; /* asked for their number only */
static struct xp_threads *const some_threads = (void *)fds;
static struct xp_evsel evsel = { .attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP },
				 .fds = fds };

int xp_evlist_nr(const struct xp_evlist *evlist)
{
	(void)evlist;
	return NR_RINGS;
}

struct xp_evsel *xp_evlist_at(const struct xp_evlist *evlist, int idx)
{
	(void)evlist;
	(void)idx;
	return &evsel;
}

int xp_evlist_nr_rings(const struct xp_evlist *evlist)
{
	(void)evlist;
	return nr_rings;
}

const struct xp_ring_place *xp_evlist_ring(const struct xp_evlist *evlist, int idx)
{
	(void)evlist;
	return &places[idx];
}

int xp_evlist_pause_overwritten(struct xp_evlist *evlist, bool pause)
{
	(void)evlist;
	(void)pause;
	return 0;
}

bool xp_evlist_next_ring_fd(struct xp_evlist *evlist, int idx)
{
	(void)evlist;
	(void)idx;
	return false;
}

bool xp_evlist_ring_has_aux(const struct xp_evlist *evlist, int idx, bool snapshot)
{
	(void)evlist;
	(void)idx;
	(void)snapshot;
	return false;
}

const struct xp_attr *xp_evsel_attr_const(const struct xp_evsel *e)
{
	return &e->attr;
}

int xp_evsel_ids(struct xp_evsel *e, struct xp_event_id **ret_ids)
{
	(void)e;
	*ret_ids = calloc(1, sizeof(**ret_ids));
	(*ret_ids)->id = 1;
	return 1;
}

uint64_t xp_evsel_lost_at(const struct xp_evsel *e, int cell)
{
	(void)e;
	(void)cell;
	return 0;
}

void xp_build_ids_start_thread(struct xp_build_ids *ids)
{
	(void)ids;
}

int xp_evlist_exclude_self(struct xp_evlist *evlist, struct xp_diag *diag)
{
	(void)evlist;
	(void)diag;
	return 0;
}

int xp_cpus_nr(const struct xp_cpus *cpus)
{
	(void)cpus;
	return NR_RINGS;
}

uint64_t xp_clock_period(const struct xp_attr *attr)
{
	(void)attr;
	return 0;
}

bool xp_evlist_has_slow_clocks(const struct xp_evlist *evlist)
{
	(void)evlist;
	return false;
}

void xp_evlist_slow_clocks(struct xp_evlist *evlist, unsigned int parts)
{
	(void)evlist;
	(void)parts;
}

struct xp_cpus *xp_evlist_cpus(const struct xp_evlist *evlist)
{
	(void)evlist;
	return some_cpus;
}

struct xp_threads *xp_evlist_threads(const struct xp_evlist *evlist)
{
	(void)evlist;
	return some_threads;
}

int xp_evlist_update(struct xp_evlist *evlist)
{
	(void)evlist;
	return 1;
}

bool xp_evlist_can_reopen(const struct xp_evlist *evlist)
{
	(void)evlist;
	return true;
}

bool xp_evlist_any_back(const struct xp_evlist *evlist)
{
	(void)evlist;
	return true;
}

int xp_evlist_add_new_cpus(struct xp_evlist *evlist)
{
	(void)evlist;
	return 0;
}

int xp_evlist_next_back(const struct xp_evlist *evlist)
{
	(void)evlist;
	return nr_rings < NR_RINGS ? nr_rings : -1;
}

static void map_ring(int cpu);

int xp_evlist_reopen_cpu(struct xp_evlist *evlist, int cpu_idx)
{
	(void)evlist;
	map_ring(cpu_idx);
	return 0;
}

void xp_evlist_start_cpu(struct xp_evlist *evlist, int cpu_idx)
{
	(void)evlist;
	(void)cpu_idx;
}

struct xp_cpu xp_cpus_at(const struct xp_cpus *cpus, int idx)
{
	(void)cpus;
	(void)idx;
	return (struct xp_cpu){ 0 };
}

int xp_threads_nr(const struct xp_threads *threads)
{
	(void)threads;
	return 1;
}

pid_t xp_threads_tid(const struct xp_threads *threads, int idx)
{
	(void)threads;
	(void)idx;
	return 0;
}

/* --- unwinding: a chain is what is in the stack, of code that is mapped --- */

enum { CODE = 0x10000, NR_FRAMES = 1, NR_STACKS = 500 };

struct xp_unwinder {
	struct xp_unwind_calls calls;
};

int xp_unwinder_new(struct xp_unwind *unwind, const char *machine,
		    const struct xp_unwind_calls *calls, struct xp_unwinder **ret_unwinder)
{
	(void)unwind;
	(void)machine;
	*ret_unwinder = malloc(sizeof(**ret_unwinder));
	(*ret_unwinder)->calls = *calls;
	return 0;
}

void xp_unwinder_free(struct xp_unwinder *unwinder)
{
	free(unwinder);
}

int xp_unwinder_walk(struct xp_unwinder *unwinder, const struct xp_unwind_start *start,
		     struct xp_unwind_chain *chain)
{
	const uint64_t *stack = start->stack;
	struct xp_unwind_map map = { 0 };

	require(unwinder->calls.map(unwinder->calls.data, CODE, &map), "nothing is mapped");
	require(chain->max >= NR_FRAMES && start->stack_len == sizeof(*stack), "no room");
	for (uint64_t i = 0; i < NR_FRAMES; i++) {
		chain->pcs[i] = *stack + i;
		chain->sps[i] = i;
		chain->marks[i] = 0;
	}
	chain->nr = NR_FRAMES;
	chain->end = XP_UNWIND_COMPLETE;
	return 0;
}

bool xp_unwind_file_is_made(struct xp_unwind_file *file)
{
	return !file;
}

int xp_unwind_open(struct xp_unwind *unwind, const char *path, const void *build_id,
		   size_t build_id_len, struct xp_unwind_file **ret_file)
{
	(void)path;
	(void)build_id;
	(void)build_id_len;
	return xp_unwind_open_mapped(unwind, NULL, ret_file);
}

int xp_unwind_open_mapped(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
			  struct xp_unwind_file **ret_file)
{
	(void)unwind;
	(void)mapped;
	*ret_file = NULL;
	return -ENOMEM;
}

const char *xp_unwind_file_name(const struct xp_unwind_file *file)
{
	(void)file;
	return "";
}

const char *xp_unwind_file_reason(struct xp_unwind_file *file)
{
	(void)file;
	return "";
}

/* --- no process makes code --- */

int xp_jit_open_mapped(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
		       const struct xp_jit_clock *clock, struct xp_unwind_file **ret_file)
{
	(void)clock;
	return xp_unwind_open_mapped(unwind, mapped, ret_file);
}

bool xp_jit_refresh(struct xp_unwind_file *file, uint64_t *ret_latest_ns)
{
	(void)file;
	(void)ret_latest_ns;
	return false;
}

void xp_jit_retire(struct xp_unwind_file *file)
{
	(void)file;
}

bool xp_jit_find(struct xp_unwind_file *file, uint64_t address, uint64_t time_ns,
		 struct xp_unwind_map *ret_map, uint64_t ret_span[2])
{
	(void)file;
	(void)address;
	(void)time_ns;
	(void)ret_map;
	(void)ret_span;
	return false;
}

/* --- the file --- */

struct xp_data_writer {
	uint64_t nr_records;
	uint64_t nr_ids; /* that came later */
	bool closed;     /* after a switch nothing may come */
	bool is_next;    /* it was begun when all ids were there */
};

static uint64_t next_seq[NR_RINGS], nr_injected; /* of the writer's thread */

int xp_data_writer_write(struct xp_data_writer *writer, const void *records, size_t len,
			 bool from_ring)
{
	require(!writer->closed, "a record came into the old file");
	for (size_t at = 0; at < len;
	     at += ((const struct xp_record *)((const char *)records + at))->size) {
		const struct sample *sample = (const void *)((const char *)records + at);

		writer->nr_records++;
		if (sample->header.type == XP_RECORD_SAMPLE)
			require(sample->id < NR_RINGS || writer->nr_ids || writer->is_next,
				"a sample came before its id");
		if (sample->header.type == XP_RECORD_SAMPLE)
			require(sample->seq == next_seq[sample->id - 1]++, "out of order");
		if (sample->header.type == XP_RECORD_COMM)
			require(sample->seq == nr_injected++ && !from_ring, "injected twice");
	}
	return 0;
}

int xp_data_writer_write_outside(struct xp_data_writer *writer, const struct xp_record *record,
				 const void *bytes, size_t len)
{
	(void)record;
	(void)bytes;
	return xp_data_writer_write(writer, NULL, 0 * len, false);
}

int xp_data_writer_flush(struct xp_data_writer *writer)
{
	return xp_data_writer_write(writer, NULL, 0, false);
}

uint64_t xp_data_writer_bytes(const struct xp_data_writer *writer)
{
	return writer->nr_records;
}

uint64_t xp_data_writer_dropped_samples(const struct xp_data_writer *writer)
{
	(void)writer;
	return 0;
}

bool xp_data_writer_can_add_ids(const struct xp_data_writer *writer)
{
	(void)writer;
	return true;
}

int xp_data_writer_add_id(struct xp_data_writer *writer, uint64_t known, uint64_t id)
{
	require(known && id == NR_RINGS, "another id");
	writer->nr_ids++;
	return 0;
}

int xp_build_ids_add(struct xp_build_ids *ids, const struct xp_record *record)
{
	(void)ids;
	(void)record;
	return 0;
}

/* --- the test --- */

static struct xp_ctx *ring_ctx;

static void map_ring(int cpu)
{
	const struct xp_ring_opts opts = { .size = sizeof(opts), .pages = PAGES };

	places[cpu] = (struct xp_ring_place){ .fd = -1, .cpu = cpu, .tid = -1 };
	require(!xp_ring_map(ring_ctx, cpu, &opts, &places[cpu].ring), "no ring");
	nr_rings = cpu + 1;
}

static void inject(struct xp_recorder *recorder, uint64_t seq)
{
	const struct sample own = { { XP_RECORD_COMM, 0, sizeof(own) }, 0, seq };

	require(!xp_recorder_inject(recorder, &own.header, sizeof(own)), "not injected");
}

static void ask_things(struct xp_recorder *recorder, struct xp_data_writer *writers, int nr)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };

	for (int i = 0; i < NR_INJECTED; i++) {
		inject(recorder, (uint64_t)i);
		xp_recorder_get_stats(recorder, &stats);
		if (i == NR_INJECTED / 3)
			xp_recorder_watch(recorder, &evsel);
		if (i % (NR_INJECTED / (nr - 1)) == NR_INJECTED / nr / 2) {
			struct xp_data_writer *next = writers + 1 + i / (NR_INJECTED / (nr - 1));

			xp_recorder_prepare_switch(recorder);
			next->is_next = true;
			require(!xp_recorder_switch(recorder, next), "not switched");
			next[-1].closed = true;
			require(!xp_recorder_snapshot(recorder), "no snapshot");
		}
	}
}

/* @unwind: NULL: stacks stay. */
static void record(struct xp_unwind *unwind)
{
	static struct xp_data_writer writers[8];
	const uint32_t here = 1;
	struct xp_ctx ctx = { .sys = &sys, .here = &here };
	const struct xp_recorder_opts opts = { .size = sizeof(opts),
					       .evlist = (struct xp_evlist *)&ctx,
					       .writer = writers,
					       .flush_ns = 3000000,
					       .unwind = unwind };
	struct xp_recorder_stats stats = { .size = sizeof(stats) };
	struct xp_recorder *recorder;
	pthread_t threads[NR_RINGS];
	int numbers[NR_RINGS];

	memset(writers, 0, sizeof(writers));
	memset(next_seq, 0, sizeof(next_seq));
	nr_injected = 0;
	ring_ctx = &ctx;
	for (int i = 0; i < NR_RINGS - 1; i++)
		map_ring(i);
	require(!xp_recorder_new(&ctx, &opts, &recorder), "no recorder");
	require(!xp_recorder_start(recorder, NULL), "not started");
	for (int i = 0; i < NR_RINGS; i++) {
		if (i == NR_RINGS - 1)
			require(xp_recorder_update_cpus(recorder) == 1, "not opened again");
		numbers[i] = i;
		pthread_create(&threads[i], NULL, write_ring, &numbers[i]);
	}
	ask_things(recorder, writers, (int)(sizeof(writers) / sizeof(writers[0])));
	for (int i = 0; i < NR_RINGS; i++)
		pthread_join(threads[i], NULL);
	require(!xp_recorder_stop(recorder, NULL), "failed");

	xp_recorder_get_stats(recorder, &stats);
	require(stats.samples == NR_RINGS * (uint64_t)NR_SAMPLES, "not all were counted");
	for (int i = 0; i < NR_RINGS; i++)
		require(next_seq[i] == NR_SAMPLES, "not all were written");
	require(nr_injected == NR_INJECTED, "not all were injected");
	require(xp_recorder_watched(recorder) > 0, "nothing was watched");
	xp_recorder_free(recorder);
	for (int i = 0; i < NR_RINGS; i++)
		xp_ring_unmap(places[i].ring);
}

static const struct xp_attr with_stack = { .sample_type = XP_SAMPLE_TID | XP_SAMPLE_TIME |
							  XP_SAMPLE_CALLCHAIN |
							  XP_SAMPLE_REGS_USER |
							  XP_SAMPLE_STACK_USER,
					   .sample_id_all = 1,
					   .sample_regs_user = 1 << 8,
					   .sample_stack_user = 8 };

static void add_map(struct xp_block *block)
{
	const struct {
		struct xp_record_mmap2 map;
		char name[8];
		uint64_t id[2];
	} map = { .map = { .header = { XP_RECORD_MMAP2, 0, sizeof(map) },
			   .pid = 1,
			   .tid = 1,
			   .address = CODE,
			   .len = CODE,
			   .prot = 4 },
		  .name = "/code",
		  .id = { (uint64_t)1 << 32 | 1, 1 } };

	memcpy(block->bytes, &map, sizeof(map));
	block->len = sizeof(map);
}

static void add_stack(struct xp_block *block, uint64_t number)
{
	const uint64_t pc = CODE;
	const struct xp_sample sample = {
		.size = sizeof(sample),
		.id = { .pid = 1, .tid = 1, .time_ns = number + 2 },
		.user_regs = { .abi = 2, .mask = 1 << 8, .values = &pc, .nr = 1 },
		.stack = &number,
		.stack_len = sizeof(number),
		.stack_valid = sizeof(number),
	};
	int len = xp_sample_encode(&sample, &with_stack, block->bytes + block->len,
				   block->room - block->len);

	require(len > 0, "not encoded");
	block->len += (size_t)len;
}

static void require_chains(const struct xp_block *block)
{
	struct xp_attr attr = with_stack;
	uint64_t number = 0;
	size_t size;

	xp_unwound_attr(&attr, 0);
	for (size_t at = 0; at < block->len; at += size) {
		const struct xp_record *record = (const void *)(block->bytes + at);
		struct xp_sample sample = { .size = sizeof(sample) };

		size = record->size;
		if (record->type != XP_RECORD_SAMPLE)
			continue;
		require(!xp_sample_decode(record, &attr, &sample), "no sample");
		/* With a marker on either side: it is complete. */
		require(sample.nr_callchain == NR_FRAMES + 2, "no chain");
		require(sample.callchain[1] == number++, "the chain of another sample");
	}
	require(number == NR_STACKS, "not all samples");
}

/* Until the second thread was there in time. */
static void unwind_with_two(struct xp_unwind *unwind)
{
	enum { BEHIND = 1 << 20 };
	const struct xp_recorder_opts opts = { .unwind = unwind, .backlog_bytes = BEHIND };
	struct xp_shed_event event = { .attr = &with_stack };
	struct xp_shed events = { .events = &event, .nr_events = 1 };
	struct xp_unwinding *unwinding;
	struct xp_scan scan = { 0 };

	require(!xp_unwinding_new(&opts, &events, false, &unwinding), "no unwinding");
	require(!xp_unwinding_start_thread(unwinding), "no second thread");
	while (!xp_unwinding_nr_second(unwinding)) {
		struct xp_block *block = xp_block_new(XP_BLOCK_RING, 1 << 18);
		struct xp_block *end = xp_block_new(XP_BLOCK_SWITCH, 0);

		add_map(block);
		for (uint64_t i = 0; i < NR_STACKS; i++)
			add_stack(block, i);
		require(!xp_unwinding_hold(unwinding, block), "not held");
		require(xp_unwinding_hold(unwinding, end) == block, "not released");
		xp_unwinding_ahead(unwinding, block, BEHIND);
		xp_unwinding_block(unwinding, &scan, block);
		require_chains(block);
		free(block);
		free(end);
	}
	xp_unwinding_free(unwinding);
}

int main(void)
{
	static char unwind;

	record(NULL);
	record((struct xp_unwind *)&unwind);
	unwind_with_two((struct xp_unwind *)&unwind);
	return 0;
}
