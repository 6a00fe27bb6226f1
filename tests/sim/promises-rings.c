/* SPDX-License-Identifier: MIT */
/*
 * Promises of perf_event_open(2) about rings, samples and the side band.
 *
 * Most count page faults, of which each is sampled: how many there were is then known to read(2),
 * on any machine, however busy.
 */
#include "promises-rings.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/ring.h>

#include "promises-events.h"
#include "uapi.h"

#define SYS (promise_env.sys)

enum { MAX_RINGS = 256, READING = PERF_FORMAT_ID };

/* A sample of what page_faults() asks for. */
struct fault_sample {
	struct xp_record header;
	uint64_t identifier;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr, id, stream_id;
	uint32_t cpu, reserved;
	uint64_t period;
	uint64_t value, read_id;
};

/* The trailer of what tracking() asks for. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu, reserved;
};

/* A ring on each CPU that is used, and what came out of them. */
struct rings {
	struct xp_ctx *ctx;
	int nr;
	struct pollfd fds[MAX_RINGS];
	struct xp_ring *rings[MAX_RINGS];
	void (*look)(struct rings *r, int i, const struct xp_record *record);
	uint64_t bytes;
	uint64_t nr_of[64]; /* records by type */
	uint64_t lost;      /* as LOST records say */
	uint64_t ids[MAX_RINGS];
	pid_t first_pid;
	uint64_t others;  /* samples of other processes */
	uint64_t in_turn; /* what the next sample must say */
};

static struct xp_attr page_faults(void)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_PAGE_FAULTS);

	attr.read_format = READING;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			   PERF_SAMPLE_READ;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	return attr;
}

static struct xp_attr tracking(void)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_DUMMY);

	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU;
	attr.sample_id_all = 1;
	return attr;
}

static int try_open(const struct xp_attr *attr, pid_t pid, int cpu)
{
	return SYS->perf_event_open(SYS, attr, pid, cpu, -1, 0);
}

static int must_open(const struct xp_attr *attr, pid_t pid, int cpu)
{
	int fd = try_open(attr, pid, cpu);

	assert_true(fd >= 0);
	return fd;
}

static int redirect(int fd, int to)
{
	return SYS->ioctl(SYS, fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)to);
}

/* Whether this kernel knows what @attr asks for. */
static bool is_known(const struct xp_attr *attr)
{
	int fd = try_open(attr, 0, -1);

	if (fd >= 0)
		SYS->close(SYS, fd);
	return fd != -EINVAL;
}

static uint64_t id_of(int fd)
{
	uint64_t id = 0;

	assert_int_equal(SYS->ioctl(SYS, fd, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&id), 0);
	return id;
}

static uint64_t count_of(int fd)
{
	uint64_t v[8];

	assert_true(SYS->read(SYS, fd, v, sizeof(v)) > 0);
	return v[0];
}

/* A child that stays on CPU 0. */
static struct xp_child spawn_on_0(char *const argv[])
{
	assert_int_equal(SYS->run_on(SYS, 0), 0);
	struct xp_child child = promise_spawn(argv);
	assert_int_equal(SYS->run_on(SYS, -1), 0);
	return child;
}

static void init(struct rings *r)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = SYS };

	*r = (struct rings){ 0 };
	assert_int_equal(xp_ctx_new(&opts, &r->ctx), 0);
}

static void add(struct rings *r, int fd, size_t pages, bool overwrite)
{
	struct xp_ring_opts opts = { .size = sizeof(opts), .pages = pages, .overwrite = overwrite };

	assert_true(r->nr < MAX_RINGS);
	assert_int_equal(xp_ring_map(r->ctx, fd, &opts, &r->rings[r->nr]), 0);
	r->ids[r->nr] = id_of(fd);
	r->fds[r->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static void fini(struct rings *r)
{
	for (int i = 0; i < r->nr; i++) {
		xp_ring_unmap(r->rings[i]);
		SYS->close(SYS, r->fds[i].fd);
	}
	xp_ctx_free(r->ctx);
}

static void drain(struct rings *r, int i)
{
	const struct xp_record *record;
	int got;

	r->bytes += xp_ring_begin(r->rings[i]);
	while ((got = xp_ring_next(r->rings[i], &record)) > 0) {
		assert_in_range(record->type, 1, 63);
		r->nr_of[record->type]++;
		if (record->type == XP_RECORD_LOST)
			r->lost += ((const struct xp_record_lost *)record)->lost;
		if (r->look)
			r->look(r, i, record);
	}
	assert_int_equal(got, 0);
	xp_ring_consume(r->rings[i]);
}

/* Reads all rings until none will be written again. */
static void drain_to_end(struct rings *r)
{
	struct pollfd fds[MAX_RINGS];
	int left = r->nr;

	memcpy(fds, r->fds, sizeof(fds));
	while (left) {
		assert_true(SYS->poll(SYS, fds, (size_t)r->nr, -1) > 0);
		for (int i = 0; i < r->nr; i++) {
			if (fds[i].fd >= 0)
				drain(r, i);
			if (fds[i].fd < 0 || !(fds[i].revents & POLLHUP))
				continue;
			fds[i].fd = -1;
			left--;
		}
	}
}

/* perf_event_open(2), ERRORS: what cannot be sampled so */
void promise_sampling_is_refused(void **state)
{
	static const struct {
		const char *what;
		struct xp_attr attr;
	} rows[] = {
		{ "too high a frequency", { .freq = 1, .sample_freq = UINT64_C(1) << 40 } },
		{ "too long a period", { .sample_period = UINT64_C(1) << 63 } },
		{ "unknown field", { .sample_type = UINT64_C(1) << 40 } },
		{ "two kinds of weight",
		  { .sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT } },
		{ "stack of 12 bytes",
		  { .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 12 } },
		{ "stack larger than a record",
		  { .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = UINT16_MAX + 1 } },
		{ "inherited readings without a task",
		  { .sample_type = PERF_SAMPLE_READ, .inherit = 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_attr attr = rows[i].attr;

		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
		attr.size = XP_ATTR_SIZE_VER7;
		int err = try_open(&attr, 0, -1);
		if (err != -EINVAL)
			fail_msg("%s: %d", rows[i].what, err);
	}
}

static int try_map(int fd, size_t pages, uint64_t offset, void **ret_addr)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	return SYS->mmap(SYS, pages * page_bytes, PROT_READ | PROT_WRITE, fd, offset * page_bytes,
			 ret_addr);
}

/* perf_event_open(2), "MMAP layout": 1+2^n pages; the AUX area is for PMUs that trace; inherited
 * events write without locks, so only where one CPU writes. */
void promise_mapping_is_refused(void **state)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct xp_attr attr = tracking(), inherited = attr;
	void *addr = NULL, *again = NULL;

	(void)state;
	inherited.inherit = 1;
	int fd = must_open(&attr, 0, -1), everywhere = must_open(&inherited, 0, -1);
	assert_int_equal(try_map(fd, 4, 0, &addr), -EINVAL);
	assert_int_equal(try_map(fd, 7, 0, &addr), -EINVAL);
	assert_int_equal(try_map(fd, 1, 2, &addr), -EINVAL); /* AUX before the ring */
	assert_int_equal(try_map(everywhere, 2, 0, &addr), -EINVAL);
	assert_int_equal(try_map(everywhere, 1, 0, &addr), -EINVAL);
	assert_null(addr);

	assert_int_equal(try_map(fd, 3, 0, &addr), 0);
	struct perf_event_mmap_page *page = addr;
	assert_int_equal(page->data_offset, page_bytes);
	assert_int_equal(page->data_size, 2 * page_bytes);
	assert_int_equal(try_map(fd, 5, 0, &again), -EINVAL); /* it has a ring, of 2 pages */
	assert_int_equal(try_map(fd, 1, 3, &again), -EINVAL); /* not announced */
	page->aux_offset = 3 * page_bytes;
	page->aux_size = page_bytes;
	assert_int_equal(try_map(fd, 1, 3, &again), -EOPNOTSUPP);
	assert_int_equal(try_map(fd, 3, 0, &again), 0);
	assert_int_equal(SYS->munmap(SYS, again, 3 * page_bytes), 0);
	assert_int_equal(SYS->munmap(SYS, addr, 3 * page_bytes), 0);
	SYS->close(SYS, fd);
	SYS->close(SYS, everywhere);
}

/* perf_event_open(2), PERF_EVENT_IOC_SET_OUTPUT; behaviour of perf_event_set_output() */
void promise_output_goes_to_rings_of_the_same_cpu(void **state)
{
	struct xp_attr attr = tracking(), backward = attr, clocked = attr;
	struct xp_child child = promise_spawn(promise_env.work);
	struct rings r;

	(void)state;
	backward.write_backward = 1;
	clocked.use_clockid = 1;
	clocked.clockid = 1; /* CLOCK_MONOTONIC */
	init(&r);
	add(&r, must_open(&attr, child.pid, 0), 1, false);
	int ring = r.fds[0].fd, here = must_open(&attr, 0, 0), bare = must_open(&attr, 0, 0);
	int anywhere = must_open(&attr, child.pid, -1), back = must_open(&backward, 0, 0);
	int clock = must_open(&clocked, 0, 0);

	assert_int_equal(redirect(here, ring), 0); /* of another task, on the same CPU */
	assert_int_equal(redirect(ring, ring), -EINVAL);
	assert_int_equal(redirect(ring, here), -EINVAL); /* it is mapped */
	assert_int_equal(redirect(anywhere, ring), -EINVAL);
	assert_int_equal(redirect(back, ring), -EINVAL);
	assert_int_equal(redirect(clock, ring), -EINVAL);
	assert_int_equal(redirect(here, bare), -EINVAL); /* there is no ring */
	assert_int_equal(redirect(here, 5000), -EBADF);

	struct pollfd p = { .fd = here, .events = POLLIN };
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 0);
	assert_int_equal(redirect(here, -1), 0);
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 1);
	assert_int_equal(p.revents, POLLHUP);
	int fds[] = { here, bare, anywhere, back, clock };
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		SYS->close(SYS, fds[i]);
	fini(&r);
	promise_run_to_end(&child);
}

/* The stream is no help: a parent and a child swap their events when one is switched to the other.
 */
static void look_at_fault(struct rings *r, int i, const struct xp_record *record)
{
	const struct fault_sample *s = (const void *)record;

	if (record->type != XP_RECORD_SAMPLE)
		return;
	assert_int_equal(record->size, offsetof(struct fault_sample, value));
	assert_int_equal(s->identifier, r->ids[i]);
	assert_int_equal(s->id, r->ids[i]);
	assert_int_equal(s->period, 1);
	r->others += (pid_t)s->pid != r->first_pid;
}

/* "Overflow handling", "inherit": each fault of a process and its children is in some ring, or
 * lost; rings of one page wrap many times. */
void promise_samples_add_up(void **state)
{
	struct xp_attr attr = page_faults();
	uint64_t v[3] = { 0 }, count = 0, lost = 0;
	struct rings r;

	(void)state;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ; /* inherited since Linux 6.12 only */
	attr.read_format |= XP_FORMAT_LOST;
	if (!is_known(&attr))
		attr.read_format &= ~(uint64_t)XP_FORMAT_LOST;
	attr.inherit = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	struct xp_child child = promise_spawn(promise_env.family);
	init(&r);
	r.first_pid = child.pid;
	r.look = look_at_fault;
	for (int cpu = 0; cpu < promise_env.nr_cpus && cpu < MAX_RINGS; cpu++)
		add(&r, must_open(&attr, child.pid, cpu),
		    attr.read_format & XP_FORMAT_LOST ? 1 : 1024, false);
	assert_int_equal(promise_start(&child), 0);
	drain_to_end(&r);
	for (int i = 0; i < r.nr; i++) {
		assert_true(SYS->read(SYS, r.fds[i].fd, v, sizeof(v)) > 0);
		count += v[0];
		lost += v[2];
	}
	assert_true(count > 0 && r.lost <= lost);
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE] + lost, count);
	assert_true(r.others > 0);
	assert_int_equal(promise_wait(child.pid), 0);
	fini(&r);
}

static void look_at_turn(struct rings *r, int i, const struct xp_record *record)
{
	const struct fault_sample *s = (const void *)record;

	(void)i;
	if (record->type == XP_RECORD_SAMPLE)
		assert_int_equal(s->value, ++r->in_turn);
}

/* "MMAP layout", data_tail: nothing is overwritten that was not given back; PERF_FORMAT_LOST. */
void promise_a_full_ring_keeps_the_oldest(void **state)
{
	struct xp_attr attr = page_faults();
	struct rings r;
	uint64_t v[3];

	(void)state;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	attr.read_format |= XP_FORMAT_LOST;
	if (!is_known(&attr)) {
		print_message("skipped: this kernel does not tell lost samples\n");
		skip();
	}
	struct xp_child child = spawn_on_0(promise_env.work);
	init(&r);
	add(&r, must_open(&attr, child.pid, 0), 1, false);
	promise_run_to_end(&child);
	drain(&r, 0);
	assert_int_equal(SYS->read(SYS, r.fds[0].fd, v, sizeof(v)), sizeof(v));
	assert_true(v[2] > 0);
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE] + v[2], v[0]);
	assert_true(r.bytes < xp_ring_bytes(r.rings[0]));
	assert_true(r.bytes + sizeof(struct fault_sample) >= xp_ring_bytes(r.rings[0]));
	fini(&r);
}

/* PERF_EVENT_IOC_PAUSE_OUTPUT; PERF_RECORD_LOST comes with the next record that finds room, of
 * whatever event. */
void promise_a_paused_ring_tells_what_it_lost(void **state)
{
	struct xp_child first = spawn_on_0(promise_env.work);
	struct xp_child second = spawn_on_0(promise_env.work);
	struct xp_attr attr = page_faults();
	struct rings r;

	(void)state;
	init(&r);
	int bare = must_open(&attr, second.pid, 0);
	assert_int_equal(SYS->ioctl(SYS, bare, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), -EINVAL);
	add(&r, must_open(&attr, first.pid, 0), 64, false);
	int ring = r.fds[0].fd;
	assert_int_equal(SYS->ioctl(SYS, ring, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	promise_run_to_end(&first);
	drain(&r, 0);
	assert_int_equal(r.bytes, 0);

	assert_int_equal(SYS->ioctl(SYS, ring, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
	assert_int_equal(redirect(bare, ring), 0);
	promise_run_to_end(&second);
	r.look = look_at_turn;
	drain(&r, 0);
	assert_int_equal(r.nr_of[XP_RECORD_LOST], 1);
	assert_int_equal(r.lost, count_of(ring));
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE], count_of(bare));
	SYS->close(SYS, bare);
	fini(&r);
}

static void look_at_turn_back(struct rings *r, int i, const struct xp_record *record)
{
	const struct fault_sample *s = (const void *)record;

	(void)i;
	if (record->type == XP_RECORD_SAMPLE)
		assert_int_equal(s->value, r->in_turn--);
}

/* "write_backward": with a mapping that cannot be written the oldest is overwritten. */
void promise_an_overwritten_ring_keeps_the_newest(void **state)
{
	struct xp_child child = spawn_on_0(promise_env.work);
	struct xp_attr attr = page_faults();
	struct rings r;

	(void)state;
	init(&r);
	attr.write_backward = 1;
	attr.read_format = 0;
	add(&r, must_open(&attr, child.pid, 0), 1, true);
	promise_run_to_end(&child);
	assert_int_equal(SYS->ioctl(SYS, r.fds[0].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	r.in_turn = count_of(r.fds[0].fd);
	r.look = look_at_turn_back;
	drain(&r, 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] < count_of(r.fds[0].fd));
	assert_true(r.bytes <= xp_ring_bytes(r.rings[0]));
	assert_true(r.bytes + sizeof(struct fault_sample) > xp_ring_bytes(r.rings[0]));
	assert_int_equal(xp_ring_begin(r.rings[0]), 0); /* all was seen */
	fini(&r);
}

/* "wakeup_events, wakeup_watermark": readable when more than that was written, or so many samples.
 */
void promise_a_ring_polls_at_its_watermark(void **state)
{
	static const struct {
		bool watermark;
		uint32_t wakeup;
		size_t more_than; /* bytes */
	} rows[] = {
		{ true, 1000, 1000 },
		{ false, 1, sizeof(struct fault_sample) - 1 },
		{ false, 5, 5 * sizeof(struct fault_sample) - 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_child child = spawn_on_0(promise_env.work);
		struct xp_attr attr = page_faults();
		struct rings r;

		init(&r);
		attr.watermark = rows[i].watermark;
		attr.wakeup_events = rows[i].wakeup;
		add(&r, must_open(&attr, child.pid, 0), 64, false);
		assert_int_equal(SYS->poll(SYS, r.fds, 1, 0), 0);
		assert_int_equal(promise_start(&child), 0);
		assert_int_equal(SYS->poll(SYS, r.fds, 1, -1), 1);
		assert_true(r.fds[0].revents & (POLLIN | POLLHUP));
		assert_true(xp_ring_begin(r.rings[0]) > rows[i].more_than);
		promise_wait(child.pid);
		fini(&r);
	}
}

/* "Overflow handling": POLLHUP when the task has ended; nothing before that without a wake-up. */
void promise_a_ring_polls_hup_at_the_end(void **state)
{
	struct xp_child child = promise_spawn(promise_env.family);
	struct xp_attr attr = page_faults();
	struct rings r;

	(void)state;
	init(&r);
	attr.watermark = 1;
	attr.wakeup_watermark = UINT32_MAX; /* as much as there is room for */
	add(&r, must_open(&attr, child.pid, -1), 1024, false);
	assert_int_equal(SYS->poll(SYS, r.fds, 1, 0), 0);
	assert_int_equal(promise_start(&child), 0);
	assert_int_equal(SYS->poll(SYS, r.fds, 1, -1), 1);
	assert_int_equal(r.fds[0].revents, POLLHUP);
	assert_int_equal(promise_wait(child.pid), 0);
	drain(&r, 0);
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE], count_of(r.fds[0].fd));
	fini(&r);
}

/* "sample_period": of a clock, nanoseconds. */
void promise_clocks_are_sampled_in_time(void **state)
{
	enum { PERIOD_NS = 500000 };
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	struct rings r;

	(void)state;
	init(&r);
	attr.disabled = attr.enable_on_exec = 1;
	attr.sample_period = PERIOD_NS;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	add(&r, must_open(&attr, child.pid, -1), 64, false);
	promise_run_to_end(&child);
	drain(&r, 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] > 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] <= count_of(r.fds[0].fd) / PERIOD_NS + 1);
	fini(&r);
}

/* PERF_EVENT_IOC_ID, PERF_SAMPLE_IDENTIFIER: which of the events that share a ring it was. */
void promise_samples_know_their_event(void **state)
{
	struct xp_child child = spawn_on_0(promise_env.work);
	struct xp_attr attr = page_faults();
	uint64_t nr[2] = { 0 };
	const struct xp_record *record;
	struct rings r;

	(void)state;
	init(&r);
	add(&r, must_open(&attr, child.pid, 0), 64, false);
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	int other = must_open(&attr, child.pid, 0);
	assert_int_equal(redirect(other, r.fds[0].fd), 0);
	assert_int_not_equal(id_of(other), r.ids[0]);
	promise_run_to_end(&child);
	xp_ring_begin(r.rings[0]);
	while (xp_ring_next(r.rings[0], &record) > 0) {
		const struct fault_sample *s = (const void *)record;

		assert_true(s->identifier == r.ids[0] || s->identifier == id_of(other));
		assert_int_equal(s->read_id, s->identifier);
		assert_int_equal(s->cpu, 0);
		nr[s->identifier != r.ids[0]]++;
	}
	assert_int_equal(nr[0], count_of(r.fds[0].fd));
	assert_int_equal(nr[1], count_of(other));
	SYS->close(SYS, other);
	fini(&r);
}

/* Each record of the side band, with its trailer. */
static void look_at_task(struct rings *r, int i, const struct xp_record *record)
{
	const struct trailer *t = (const void *)((const char *)record + record->size - sizeof(*t));
	const struct xp_record_task *task = (const void *)record;
	const struct xp_record_comm *comm = (const void *)record;
	const struct xp_record_mmap2 *map = (const void *)record;
	bool of_first = (pid_t)t->pid == r->first_pid;

	assert_int_equal(t->id, r->ids[i]);
	assert_int_equal(t->cpu, i);
	assert_true(t->time > 0);
	switch (record->type) {
	case XP_RECORD_FORK:
		assert_true(of_first && (pid_t)task->parent_pid == r->first_pid);
		assert_int_not_equal(task->pid, r->first_pid);
		assert_int_equal(task->pid, task->tid);
		break;
	case XP_RECORD_EXIT:
		assert_int_equal(task->pid, t->pid);
		r->others += !of_first;
		break;
	case XP_RECORD_COMM:
		assert_int_equal(comm->pid, t->pid);
		assert_true(strlen((const char *)(comm + 1)) > 0);
		r->in_turn += of_first && record->misc & XP_MISC_COMM_EXEC;
		break;
	case XP_RECORD_MMAP2:
		assert_int_equal(map->pid, t->pid);
		assert_true(map->prot & PROT_EXEC);
		assert_int_equal(record->misc & XP_MISC_CPUMODE_MASK, XP_MISC_USER);
		assert_true(map->len > 0 && strlen((const char *)(map + 1)) > 0);
		break;
	}
}

/* "task", "comm", "comm_exec", "mmap", "mmap2", "sample_id_all" */
void promise_tasks_are_told(void **state)
{
	struct xp_child child = promise_spawn(promise_env.family);
	struct xp_attr attr = tracking();
	struct rings r;

	(void)state;
	init(&r);
	attr.inherit = 1;
	attr.task = attr.comm = attr.comm_exec = attr.mmap = attr.mmap2 = 1;
	for (int cpu = 0; cpu < promise_env.nr_cpus && cpu < MAX_RINGS; cpu++)
		add(&r, must_open(&attr, child.pid, cpu), 32, false);
	r.first_pid = child.pid;
	r.look = look_at_task;
	assert_int_equal(promise_start(&child), 0);
	drain_to_end(&r);
	assert_int_equal(promise_wait(child.pid), 0);
	/* A checker of leaks may fork once more. */
	assert_in_range(r.nr_of[XP_RECORD_FORK], 2, 3);
	assert_int_equal(r.nr_of[XP_RECORD_EXIT], r.nr_of[XP_RECORD_FORK] + 1);
	assert_int_equal(r.others, r.nr_of[XP_RECORD_FORK]); /* ends of children */
	assert_int_equal(r.in_turn, 1);                      /* its exec */
	assert_true(r.nr_of[XP_RECORD_MMAP2] > 0);
	assert_int_equal(r.nr_of[XP_RECORD_MMAP], 0);
	assert_int_equal(r.nr_of[XP_RECORD_LOST], 0);
	fini(&r);
}

static void look_at_switch(struct rings *r, int i, const struct xp_record *record)
{
	(void)i;
	assert_int_equal(record->type, XP_RECORD_SWITCH);
	assert_int_equal(record->size, sizeof(*record) + sizeof(struct trailer));
	/* What has come in goes out, and the other way round. */
	bool out = record->misc & XP_MISC_SWITCH_OUT;
	if (r->in_turn)
		assert_int_equal(out, r->in_turn == 1);
	r->in_turn = out ? 2 : 1;
	r->others += out;
}

/* "context_switch" */
void promise_switches_are_told(void **state)
{
	struct xp_child child = promise_spawn(promise_env.hold);
	struct xp_attr attr = tracking();
	struct rings r;

	(void)state;
	init(&r);
	attr.context_switch = 1;
	attr.disabled = attr.enable_on_exec = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	add(&r, must_open(&attr, child.pid, -1), 8, false);
	r.look = look_at_switch;
	assert_int_equal(promise_start(&child), 0);
	while (!r.others) {
		assert_int_equal(SYS->poll(SYS, r.fds, 1, -1), 1);
		drain(&r, 0);
	}
	SYS->kill(SYS, child.pid, SIGKILL);
	promise_wait(child.pid);
	fini(&r);
}

/* mmap(2): "closing the file descriptor does not unmap the region", and the region is the
 * event's. */
void promise_a_mapping_keeps_its_event(void **state)
{
	struct xp_child child = promise_spawn(promise_env.work);
	struct xp_attr attr = page_faults();
	struct rings r;

	(void)state;
	init(&r);
	add(&r, must_open(&attr, child.pid, -1), 64, false);
	SYS->close(SYS, r.fds[0].fd);
	r.look = look_at_turn;
	promise_run_to_end(&child);
	drain(&r, 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] > 0);
	xp_ring_unmap(r.rings[0]);
	xp_ctx_free(r.ctx);
}
