/* SPDX-License-Identifier: MIT */
/*
 * Rings of the simulated kernel where only it can say what is right: how many samples there are,
 * what is in them, what was lost, when an event is stopped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/record.h>
#include <xperf/ring.h>
#include <xperf/sys.h>

#include "sim.h"
#include "uapi.h"

/* One machine, one event, one ring. */
struct bench {
	struct sim *sim;
	const struct xp_sys *sys;
	struct xp_ctx *ctx;
	int fd;
	struct xp_ring *ring;
	struct xp_child child;
	uint64_t nr[64]; /* records seen, by type */
	uint64_t lost;   /* in LOST records */
};

static const struct xp_attr cycles = { .type = PERF_TYPE_HARDWARE,
				       .size = XP_ATTR_SIZE_VER7,
				       .disabled = 1,
				       .enable_on_exec = 1,
				       .inherit = 1,
				       .sample_id_all = 1,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU };

static void boot(struct bench *b, const char *scenario)
{
	*b = (struct bench){ .sim = sim_new(scenario, "test-sim-rings"), .fd = -1 };
	struct xp_ctx_opts opts = sim_ctx_opts(b->sim);

	b->sys = sim_sys(b->sim);
	assert_int_equal(xp_ctx_new(&opts, &b->ctx), 0);
}

static void halt(struct bench *b)
{
	xp_ring_unmap(b->ring);
	if (b->fd >= 0)
		b->sys->close(b->sys, b->fd);
	xp_ctx_free(b->ctx);
	assert_int_equal(sim_leaks(b->sim, stderr), 0);
	sim_free(b->sim);
}

static void open_on(struct bench *b, const struct xp_attr *attr, pid_t pid, int cpu, size_t pages)
{
	struct xp_ring_opts opts = { .size = sizeof(opts), .pages = pages };

	opts.overwrite = attr->write_backward;
	b->fd = b->sys->perf_event_open(b->sys, attr, pid, cpu, -1, 0);
	assert_true(b->fd >= 0);
	assert_int_equal(xp_ring_map(b->ctx, b->fd, &opts, &b->ring), 0);
}

static void spawn(struct bench *b)
{
	char one[] = "one";

	assert_int_equal(b->sys->spawn(b->sys, (char *[]){ one, NULL }, &b->child), 0);
}

static void start(struct bench *b)
{
	int err;

	assert_int_equal(b->sys->write(b->sys, b->child.go_fd, "", 1), 1);
	assert_int_equal(b->sys->read(b->sys, b->child.exec_fd, &err, sizeof(err)), 0);
	b->sys->close(b->sys, b->child.go_fd);
	b->sys->close(b->sys, b->child.exec_fd);
}

static void drain(struct bench *b, void (*look)(struct bench *b, const struct xp_record *record))
{
	const struct xp_record *record;
	int got;

	xp_ring_begin(b->ring);
	while ((got = xp_ring_next(b->ring, &record)) > 0) {
		b->nr[record->type]++;
		if (record->type == XP_RECORD_LOST)
			b->lost += ((const struct xp_record_lost *)record)->lost;
		if (look)
			look(b, record);
	}
	assert_int_equal(got, 0);
	xp_ring_consume(b->ring);
}

/* Reads until all tasks have ended. */
static void record_to_end(struct bench *b,
			  void (*look)(struct bench *b, const struct xp_record *record))
{
	struct pollfd p = { .fd = b->fd, .events = POLLIN };

	start(b);
	do {
		assert_int_equal(b->sys->poll(b->sys, &p, 1, -1), 1);
		drain(b, look);
	} while (!(p.revents & POLLHUP));
	assert_int_equal(b->sys->wait(b->sys, b->child.pid, 0, NULL, NULL), b->child.pid);
}

#define FAMILY                                                                                     \
	"machine cpus=2\n"                                                                         \
	"kernel max_sample_rate=1000000\n"                                                         \
	"time call=0ns\n"                                                                          \
	"program one\n"                                                                            \
	"	run 5ms cpu=1 sys=40 cycles=3_000_000 cycles:k=1_000_000 page-faults=7\n"                \
	"	fork two 3\n"                                                                            \
	"	wait\n"                                                                                  \
	"	exit 0\n"                                                                                \
	"program two\n"                                                                            \
	"	run 2ms cpu=1 cycles=3_000_000\n"                                                        \
	"	hit sched:sched_wakeup 5\n"                                                              \
	"	exit 0\n"

/* 20,000,000 and three times 6,000,000, each for itself: a period that divides neither. */
static void a_period_gives_so_many_samples(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;

	(void)state;
	boot(&b, FAMILY);
	spawn(&b);
	attr.sample_period = 7777;
	open_on(&b, &attr, b.child.pid, 1, 4);
	record_to_end(&b, NULL);
	assert_int_equal(sim_truth(b.sim, "cycles", -1, 1, SIM_ANY_MODE), 38000000);
	assert_int_equal(b.nr[XP_RECORD_SAMPLE], 20000000 / 7777 + 3 * (6000000 / 7777));
	assert_int_equal(sim_samples(b.sim, "cycles").written, b.nr[XP_RECORD_SAMPLE]);
	assert_int_equal(sim_samples(b.sim, "cycles").lost, 0);
	halt(&b);
}

static void a_frequency_is_come_to(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;

	(void)state;
	boot(&b, "program one\n\trun 1s cycles=3_000_000\n");
	spawn(&b);
	attr.freq = 1;
	attr.inherit = 0;
	attr.sample_freq = 4000;
	open_on(&b, &attr, b.child.pid, -1, 8);
	record_to_end(&b, NULL);
	assert_in_range(b.nr[XP_RECORD_SAMPLE], 3950, 4100);
	halt(&b);
}

/* What perf_event_open(2) says a sample of these bits is. */
struct sample {
	struct xp_record header;
	uint64_t identifier, ip;
	uint32_t pid, tid;
	uint64_t time, id, stream_id;
	uint32_t cpu, reserved;
	uint64_t period;
	uint64_t value, enabled, running, read_id, lost;
	uint64_t nr, ips[];
};

static uint64_t seen_kernel, seen_user;

static void look_at_sample(struct bench *b, const struct xp_record *record)
{
	const struct sample *s = (const void *)record;

	if (record->type != XP_RECORD_SAMPLE)
		return;
	assert_int_equal(s->identifier, s->id);
	assert_int_equal(s->read_id, s->id);
	assert_int_equal(s->stream_id, s->id);
	assert_int_equal(s->pid, b->child.pid);
	assert_int_equal(s->tid, b->child.pid);
	assert_int_equal(s->cpu, 1);
	assert_int_equal(s->period, 1000000);
	assert_int_equal(s->value, (b->nr[XP_RECORD_SAMPLE]) * 1000000);
	assert_int_equal(s->value, s->enabled * 4);
	assert_int_equal(s->lost, 0);
	bool kernel = s->header.misc == XP_MISC_KERNEL;
	assert_int_equal(s->ips[0], kernel ? XP_CONTEXT_KERNEL : XP_CONTEXT_USER);
	assert_int_equal(s->ips[1], s->ip);
	assert_int_equal(s->header.size, sizeof(*s) + 8 * s->nr);
	assert_true(kernel == s->ip >> 63);
	*(kernel ? &seen_kernel : &seen_user) += 1;
}

static void samples_say_what_is_true(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;

	(void)state;
	boot(&b, "machine cpus=2\ntime call=0ns\nprogram one\n"
		 "\trun 5ms cpu=1 cycles=3_000_000 cycles:k=1_000_000\n");
	spawn(&b);
	attr.inherit = 0;
	attr.sample_period = 1000000;
	attr.sample_type |= PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_PERIOD |
			    PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IDENTIFIER;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | XP_FORMAT_LOST;
	open_on(&b, &attr, b.child.pid, 1, 4);
	seen_kernel = seen_user = 0;
	record_to_end(&b, look_at_sample);
	assert_int_equal(seen_kernel, 5);
	assert_int_equal(seen_user, 15);
	halt(&b);
}

/* Clocks are sampled in time, in the mode that runs then; software events at each event when
 * they report their period. */
static void software_events_are_sampled(void **state)
{
	static const struct {
		uint64_t config;
		uint64_t period, more_type;
		bool exclude_kernel;
		uint64_t samples;
	} rows[] = {
		{ PERF_COUNT_SW_CPU_CLOCK, 100000, 0, false, 50 + 3 * 20 },
		{ PERF_COUNT_SW_TASK_CLOCK, 100000, 0, true, 30 + 3 * 20 },
		{ PERF_COUNT_SW_TASK_CLOCK, 1, 0, false, 500 + 3 * 200 }, /* no less than 10 us */
		{ PERF_COUNT_SW_PAGE_FAULTS, 10, 0, false, 3 },
		{ PERF_COUNT_SW_PAGE_FAULTS, 10, PERF_SAMPLE_PERIOD, false, 35 },
		{ PERF_COUNT_SW_DUMMY, 1, 0, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_attr attr = cycles;
		struct bench b;

		boot(&b, FAMILY);
		spawn(&b);
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = rows[i].config;
		attr.sample_period = rows[i].period;
		attr.sample_type |= rows[i].more_type;
		attr.exclude_kernel = rows[i].exclude_kernel;
		open_on(&b, &attr, b.child.pid, 1, 4);
		record_to_end(&b, NULL);
		if (b.nr[XP_RECORD_SAMPLE] != rows[i].samples)
			fail_msg("row %zu: %llu", i, (unsigned long long)b.nr[XP_RECORD_SAMPLE]);
		halt(&b);
	}
}

static void look_at_raw(struct bench *b, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint32_t size;
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
		char task[16];
	} *s = (const void *)record;

	if (record->type != XP_RECORD_SAMPLE)
		return;
	assert_int_equal(s->header.size, 8 + 40);
	assert_int_equal(s->size, 36);
	assert_int_equal(s->type, 305);
	assert_int_not_equal(s->pid, b->child.pid);
	assert_string_equal(s->task, "two");
}

static void tracepoints_have_their_fields(void **state)
{
	struct xp_attr attr = { .type = PERF_TYPE_TRACEPOINT,
				.size = XP_ATTR_SIZE_VER7,
				.config = 305,
				.sample_period = 1,
				.inherit = 1,
				.sample_type = PERF_SAMPLE_RAW };
	struct bench b;

	(void)state;
	boot(&b, FAMILY);
	spawn(&b);
	open_on(&b, &attr, b.child.pid, 1, 1);
	record_to_end(&b, look_at_raw);
	assert_int_equal(b.nr[XP_RECORD_SAMPLE], 15);
	halt(&b);
}

/* A reader that never comes, until the end: what is in the ring, the LOST record, the count of
 * read(2) and the truth agree. */
static void what_is_lost_is_counted(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;
	uint64_t v[2];

	(void)state;
	boot(&b, FAMILY);
	spawn(&b);
	attr.sample_period = 10000;
	attr.task = 1;
	attr.read_format = XP_FORMAT_LOST;
	open_on(&b, &attr, b.child.pid, 1, 1);
	start(&b);
	sim_advance(b.sim, 7000000); /* into the second forked one */
	drain(&b, NULL);
	assert_int_equal(b.lost, 0);
	assert_int_equal(b.sys->wait(b.sys, b.child.pid, 0, NULL, NULL), b.child.pid);
	drain(&b, NULL);
	assert_true(b.nr[XP_RECORD_LOST] == 1 && b.lost > 0);
	assert_int_equal(b.sys->read(b.sys, b.fd, v, sizeof(v)), sizeof(v));
	assert_int_equal(v[1], sim_samples(b.sim, "cycles").lost +
				       sim_records(b.sim, XP_RECORD_FORK).lost +
				       sim_records(b.sim, XP_RECORD_EXIT).lost);
	assert_true(v[1] > b.lost); /* the rest is reported with the next record */
	assert_int_equal(b.nr[XP_RECORD_SAMPLE] + sim_samples(b.sim, "cycles").lost, 3800);
	halt(&b);
}

/* 1000 samples a second at most, four in a tick of 4 ms; the fifth stops it, and it does not count
 * until the next tick. */
static void too_many_samples_stop_an_event(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;
	uint64_t count;

	(void)state;
	boot(&b, "kernel max_sample_rate=1000\ntime call=0ns\nprogram one\n"
		 "\trun 40ms cycles=1_000_000\n");
	spawn(&b);
	attr.inherit = 0;
	attr.sample_period = 100000;
	open_on(&b, &attr, b.child.pid, -1, 4);
	record_to_end(&b, NULL);
	assert_int_equal(b.nr[XP_RECORD_THROTTLE], 10);
	assert_in_range(b.nr[XP_RECORD_UNTHROTTLE], 9, 10);
	assert_int_equal(b.nr[XP_RECORD_SAMPLE], 50);
	assert_int_equal(b.sys->read(b.sys, b.fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 5000000);
	attr.freq = 1;
	attr.sample_freq = 1001;
	assert_int_equal(b.sys->perf_event_open(b.sys, &attr, 0, -1, -1, 0), -EINVAL);
	halt(&b);
}

static void switches_are_reported_both_ways(void **state)
{
	struct xp_attr attr = { .type = PERF_TYPE_SOFTWARE,
				.size = XP_ATTR_SIZE_VER7,
				.config = PERF_COUNT_SW_DUMMY,
				.sample_id_all = 1,
				.sample_type = PERF_SAMPLE_TID,
				.context_switch = 1 };
	struct bench b;

	(void)state;
	boot(&b, "time call=0ns slice=1ms\nprogram one\n\trun 3ms\n\tsleep 1ms\n\trun 1ms\n"
		 "task 2000 one\n");
	spawn(&b);
	attr.disabled = 0;
	open_on(&b, &attr, b.child.pid, -1, 1);
	record_to_end(&b, NULL);
	/* in, preempted, in, preempted, in, asleep, in; what has ended has no events */
	assert_int_equal(b.nr[XP_RECORD_SWITCH], 7);
	halt(&b);

	memset(&b, 0, sizeof(b));
	boot(&b, "time call=0ns\nprogram one\n\trun 3ms\n\tsleep 1ms\n\trun 1ms\n");
	spawn(&b);
	open_on(&b, &attr, -1, 0, 1);
	start(&b);
	assert_int_equal(b.sys->wait(b.sys, b.child.pid, 0, NULL, NULL), b.child.pid);
	drain(&b, NULL);
	/* idle, one, idle, one, idle: out and in each time */
	assert_int_equal(b.nr[XP_RECORD_SWITCH_CPU_WIDE], 8);
	halt(&b);
}

/* The mapping keeps the event: it goes on, and is gone with it. */
static void a_mapping_keeps_its_event(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;

	(void)state;
	boot(&b, FAMILY);
	spawn(&b);
	attr.sample_period = 1000000;
	open_on(&b, &attr, b.child.pid, 1, 1);
	b.sys->close(b.sys, b.fd);
	b.fd = -1;
	start(&b);
	assert_int_equal(b.sys->wait(b.sys, b.child.pid, 0, NULL, NULL), b.child.pid);
	drain(&b, NULL);
	assert_int_equal(b.nr[XP_RECORD_SAMPLE], 20 + 3 * 6);
	halt(&b);
}

/* perf_event_open(2), perf_event_mlock_kb: so much for each CPU, then RLIMIT_MEMLOCK. */
static void memory_is_limited(void **state)
{
	struct xp_ring_opts opts = { .size = sizeof(opts), .pages = 128 };
	struct xp_attr attr = cycles;
	struct xp_ring *second = NULL;
	struct bench b;

	(void)state;
	boot(&b, "machine cpus=2\nuser uid=1000 memlock_kb=0\nkernel mlock_kb=516\n");
	attr.exclude_kernel = 1;
	attr.inherit = 0;
	open_on(&b, &attr, 0, -1, 128);
	int fd = b.sys->perf_event_open(b.sys, &attr, 0, -1, -1, 0);
	if (sysconf(_SC_PAGESIZE) == 4096) {
		assert_int_equal(xp_ring_map(b.ctx, fd, &opts, &second), 0);
		xp_ring_unmap(second);
	}
	opts.pages = 256;
	assert_int_equal(xp_ring_map(b.ctx, fd, &opts, &second), -EPERM);
	struct rlimit more = { 4096 * 1024, 4096 * 1024 };
	assert_int_equal(b.sys->rlimit(b.sys, 0, RLIMIT_MEMLOCK, &more, NULL), -EPERM);
	b.sys->close(b.sys, fd);
	halt(&b);
}

static void what_happens_is_reported(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;

	(void)state;
	boot(&b, "program one\n\tname other\n\tmap /usr/lib/libx.so\n\trun 1ms\n");
	spawn(&b);
	attr.inherit = 0;
	attr.comm = attr.mmap = attr.task = attr.comm_exec = 1;
	open_on(&b, &attr, b.child.pid, -1, 1);
	record_to_end(&b, NULL);
	assert_int_equal(b.nr[XP_RECORD_COMM], 2);
	assert_int_equal(b.nr[XP_RECORD_MMAP], 2);
	assert_int_equal(b.nr[XP_RECORD_EXIT], 1);
	halt(&b);
}

static void look_at_reading(struct bench *b, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint32_t pid, tid;
		uint64_t value, enabled, running;
	} *reading = (const void *)record;

	if (record->type != XP_RECORD_READ)
		return;
	assert_int_not_equal(reading->pid, b->child.pid);
	assert_int_equal(reading->value, 6000000);
	assert_int_equal(reading->running, 2000000);
}

static void children_are_reported(void **state)
{
	struct xp_attr attr = cycles;
	struct bench b;

	(void)state;
	boot(&b, FAMILY);
	spawn(&b);
	attr.inherit_stat = attr.namespaces = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	open_on(&b, &attr, b.child.pid, 1, 1);
	record_to_end(&b, look_at_reading);
	assert_int_equal(b.nr[XP_RECORD_READ], 3);
	assert_int_equal(b.nr[XP_RECORD_NAMESPACES], 3);
	halt(&b);
}

/* The files of a task show the file whose mapping is reported. */
static void tasks_have_maps(void **state)
{
	char path[256], line[128] = "";
	struct bench b;

	(void)state;
	boot(&b, "program one\n\trun 1ms\ntask 2000 one threads=3\n");
	snprintf(path, sizeof(path), "%s/proc/2000/maps", sim_root(b.sim));
	FILE *maps = fopen(path, "r");
	assert_non_null(maps);
	assert_non_null(fgets(line, sizeof(line), maps));
	fclose(maps);
	assert_string_equal(line, "400000-410000 r-xp 00000000 08:01 4711 /usr/bin/one\n");
	halt(&b);
}

/* The clock of the time stamps is asked for; not every one goes with hardware events. */
static void time_stamps_have_a_clock(void **state)
{
	static const struct {
		uint32_t type;
		int clockid;
		int err;
	} rows[] = {
		{ PERF_TYPE_HARDWARE, CLOCK_MONOTONIC, 0 },
		{ PERF_TYPE_HARDWARE, CLOCK_REALTIME, -EINVAL },
		{ PERF_TYPE_SOFTWARE, CLOCK_REALTIME, 0 },
		{ PERF_TYPE_SOFTWARE, CLOCK_PROCESS_CPUTIME_ID, -EINVAL },
	};
	struct bench b;

	(void)state;
	boot(&b, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_attr attr = { .type = rows[i].type,
					.size = XP_ATTR_SIZE_VER7,
					.use_clockid = 1,
					.clockid = rows[i].clockid };
		int fd = b.sys->perf_event_open(b.sys, &attr, 0, -1, -1, 0);

		assert_int_equal(fd < 0 ? fd : 0, rows[i].err);
		if (fd >= 0)
			b.sys->close(b.sys, fd);
	}
	halt(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_period_gives_so_many_samples),
		cmocka_unit_test(a_frequency_is_come_to),
		cmocka_unit_test(samples_say_what_is_true),
		cmocka_unit_test(software_events_are_sampled),
		cmocka_unit_test(tracepoints_have_their_fields),
		cmocka_unit_test(what_is_lost_is_counted),
		cmocka_unit_test(too_many_samples_stop_an_event),
		cmocka_unit_test(switches_are_reported_both_ways),
		cmocka_unit_test(a_mapping_keeps_its_event),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(what_happens_is_reported),
		cmocka_unit_test(children_are_reported),
		cmocka_unit_test(tasks_have_maps),
		cmocka_unit_test(time_stamps_have_a_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
