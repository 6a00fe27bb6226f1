/* SPDX-License-Identifier: MIT */
/*
 * Promises of perf_event_open(2) about rings, and how they are read for promises.
 *
 * Most count page faults, of which each is sampled: how many there were is then known to read(2),
 * on any machine, however busy.
 */
#include "promises-rings.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/record.h>
#include <xperf/ring.h>
#include <xperf/sys.h>

#include "uapi.h"

#define SYS (promise_env.sys)

struct xp_attr promise_page_faults(void)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_PAGE_FAULTS);

	attr.read_format = PERF_FORMAT_ID;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			   PERF_SAMPLE_READ;
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	return attr;
}

struct xp_attr promise_tracking(void)
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

int promise_open_on(const struct xp_attr *attr, pid_t pid, int cpu)
{
	int fd = try_open(attr, pid, cpu);

	assert_true(fd >= 0);
	return fd;
}

int promise_redirect(int fd, int to)
{
	return SYS->ioctl(SYS, fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)to);
}

/* Whether this kernel knows what @attr asks for. */
bool promise_is_known(const struct xp_attr *attr)
{
	int fd = try_open(attr, 0, -1);

	if (fd >= 0)
		SYS->close(SYS, fd);
	return fd != -EINVAL;
}

uint64_t promise_id_of(int fd)
{
	uint64_t id = 0;

	assert_int_equal(SYS->ioctl(SYS, fd, PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&id), 0);
	return id;
}

uint64_t promise_count_of(int fd)
{
	uint64_t v[8];

	assert_true(SYS->read(SYS, fd, v, sizeof(v)) > 0);
	return v[0];
}

/* A child that stays on CPU 0. */
struct xp_child promise_spawn_on_0(char *const argv[])
{
	assert_int_equal(SYS->run_on(SYS, 0), 0);
	struct xp_child child = promise_spawn(argv);
	assert_int_equal(SYS->run_on(SYS, -1), 0);
	return child;
}

void rings_init(struct rings *r)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = SYS };

	*r = (struct rings){ 0 };
	assert_int_equal(xp_ctx_new(&opts, &r->ctx), 0);
}

void rings_add(struct rings *r, int fd, size_t pages, bool overwrite)
{
	struct xp_ring_opts opts = { .size = sizeof(opts), .pages = pages, .overwrite = overwrite };

	assert_true(r->nr < MAX_RINGS);
	assert_int_equal(xp_ring_map(r->ctx, fd, &opts, &r->rings[r->nr]), 0);
	r->ids[r->nr] = promise_id_of(fd);
	r->fds[r->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

void rings_add_all(struct rings *r, const struct xp_attr *attr, pid_t pid, size_t pages)
{
	for (int cpu = 0; cpu < promise_env.nr_cpus && cpu < MAX_RINGS; cpu++)
		rings_add(r, promise_open_on(attr, pid, cpu), pages, false);
}

void rings_fini(struct rings *r)
{
	for (int i = 0; i < r->nr; i++) {
		xp_ring_unmap(r->rings[i]);
		SYS->close(SYS, r->fds[i].fd);
	}
	xp_ctx_free(r->ctx);
}

void rings_drain(struct rings *r, int i)
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
void rings_drain_to_end(struct rings *r)
{
	struct pollfd fds[MAX_RINGS];
	int left = r->nr;

	memcpy(fds, r->fds, sizeof(fds));
	while (left) {
		assert_true(SYS->poll(SYS, fds, (size_t)r->nr, -1) > 0);
		for (int i = 0; i < r->nr; i++) {
			if (fds[i].fd >= 0)
				rings_drain(r, i);
			if (fds[i].fd < 0 || !(fds[i].revents & POLLHUP))
				continue;
			fds[i].fd = -1;
			left--;
		}
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
	struct xp_attr attr = promise_tracking(), inherited = attr;
	void *addr = NULL, *again = NULL;

	(void)state;
	inherited.inherit = 1;
	int fd = promise_open_on(&attr, 0, -1), everywhere = promise_open_on(&inherited, 0, -1);
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
	struct xp_attr attr = promise_tracking(), backward = attr, clocked = attr;
	struct xp_child child = promise_spawn(promise_env.work);
	struct rings r;

	(void)state;
	backward.write_backward = 1;
	clocked.use_clockid = 1;
	clocked.clockid = 1; /* CLOCK_MONOTONIC */
	rings_init(&r);
	rings_add(&r, promise_open_on(&attr, child.pid, 0), 1, false);
	int ring = r.fds[0].fd, here = promise_open_on(&attr, 0, 0),
	    bare = promise_open_on(&attr, 0, 0);
	int anywhere = promise_open_on(&attr, child.pid, -1),
	    back = promise_open_on(&backward, 0, 0);
	int clock = promise_open_on(&clocked, 0, 0);

	assert_int_equal(promise_redirect(here, ring), 0); /* of another task, on the same CPU */
	assert_int_equal(promise_redirect(ring, ring), -EINVAL);
	assert_int_equal(promise_redirect(ring, here), -EINVAL); /* it is mapped */
	assert_int_equal(promise_redirect(anywhere, ring), -EINVAL);
	assert_int_equal(promise_redirect(back, ring), -EINVAL);
	assert_int_equal(promise_redirect(clock, ring), -EINVAL);
	assert_int_equal(promise_redirect(here, bare), -EINVAL); /* there is no ring */
	assert_int_equal(promise_redirect(here, 5000), -EBADF);

	struct pollfd p = { .fd = here, .events = POLLIN };
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 0);
	assert_int_equal(promise_redirect(here, -1), 0);
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 1);
	assert_int_equal(p.revents, POLLHUP);
	int fds[] = { here, bare, anywhere, back, clock };
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		SYS->close(SYS, fds[i]);
	rings_fini(&r);
	promise_run_to_end(&child);
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
	struct xp_attr attr = promise_page_faults();
	struct rings r;
	uint64_t v[3];

	(void)state;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	attr.read_format |= XP_FORMAT_LOST;
	if (!promise_is_known(&attr)) {
		print_message("skipped: this kernel does not report lost samples\n");
		skip();
	}
	struct xp_child child = promise_spawn_on_0(promise_env.work);
	rings_init(&r);
	rings_add(&r, promise_open_on(&attr, child.pid, 0), 1, false);
	promise_run_to_end(&child);
	rings_drain(&r, 0);
	assert_int_equal(SYS->read(SYS, r.fds[0].fd, v, sizeof(v)), sizeof(v));
	assert_true(v[2] > 0);
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE] + v[2], v[0]);
	assert_true(r.bytes < xp_ring_bytes(r.rings[0]));
	assert_true(r.bytes + sizeof(struct fault_sample) >= xp_ring_bytes(r.rings[0]));
	rings_fini(&r);
}

/* PERF_EVENT_IOC_PAUSE_OUTPUT; PERF_RECORD_LOST comes with the next record that finds room, of
 * whatever event. */
void promise_a_paused_ring_reports_what_it_lost(void **state)
{
	struct xp_child first = promise_spawn_on_0(promise_env.work);
	struct xp_child second = promise_spawn_on_0(promise_env.work);
	struct xp_attr attr = promise_page_faults();
	struct rings r;

	(void)state;
	rings_init(&r);
	int bare = promise_open_on(&attr, second.pid, 0);
	assert_int_equal(SYS->ioctl(SYS, bare, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), -EINVAL);
	rings_add(&r, promise_open_on(&attr, first.pid, 0), 64, false);
	int ring = r.fds[0].fd;
	assert_int_equal(SYS->ioctl(SYS, ring, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	promise_run_to_end(&first);
	rings_drain(&r, 0);
	assert_int_equal(r.bytes, 0);

	assert_int_equal(SYS->ioctl(SYS, ring, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
	assert_int_equal(promise_redirect(bare, ring), 0);
	promise_run_to_end(&second);
	r.look = look_at_turn;
	rings_drain(&r, 0);
	assert_int_equal(r.nr_of[XP_RECORD_LOST], 1);
	assert_int_equal(r.lost, promise_count_of(ring));
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE], promise_count_of(bare));
	SYS->close(SYS, bare);
	rings_fini(&r);
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
	struct xp_child child = promise_spawn_on_0(promise_env.work);
	struct xp_attr attr = promise_page_faults();
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.write_backward = 1;
	attr.read_format = 0;
	rings_add(&r, promise_open_on(&attr, child.pid, 0), 1, true);
	promise_run_to_end(&child);
	assert_int_equal(SYS->ioctl(SYS, r.fds[0].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	r.in_turn = promise_count_of(r.fds[0].fd);
	r.look = look_at_turn_back;
	rings_drain(&r, 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] < promise_count_of(r.fds[0].fd));
	assert_true(r.bytes <= xp_ring_bytes(r.rings[0]));
	assert_true(r.bytes + sizeof(struct fault_sample) > xp_ring_bytes(r.rings[0]));
	assert_int_equal(xp_ring_begin(r.rings[0]), 0); /* all was seen */
	rings_fini(&r);
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
		struct xp_child child = promise_spawn_on_0(promise_env.work);
		struct xp_attr attr = promise_page_faults();
		struct rings r;

		rings_init(&r);
		attr.watermark = rows[i].watermark;
		attr.wakeup_events = rows[i].wakeup;
		rings_add(&r, promise_open_on(&attr, child.pid, 0), 64, false);
		assert_int_equal(SYS->poll(SYS, r.fds, 1, 0), 0);
		assert_int_equal(promise_start(&child), 0);
		assert_int_equal(SYS->poll(SYS, r.fds, 1, -1), 1);
		assert_true(r.fds[0].revents & (POLLIN | POLLHUP));
		assert_true(xp_ring_begin(r.rings[0]) > rows[i].more_than);
		promise_wait(child.pid);
		rings_fini(&r);
	}
}

/* "Overflow handling": POLLHUP when the task has ended; nothing before that without a wake-up. */
void promise_a_ring_polls_hup_at_the_end(void **state)
{
	struct xp_child child = promise_spawn(promise_env.family);
	struct xp_attr attr = promise_page_faults();
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.watermark = 1;
	attr.wakeup_watermark = UINT32_MAX; /* as much as there is room for */
	rings_add(&r, promise_open_on(&attr, child.pid, -1), 1024, false);
	assert_int_equal(SYS->poll(SYS, r.fds, 1, 0), 0);
	assert_int_equal(promise_start(&child), 0);
	assert_int_equal(SYS->poll(SYS, r.fds, 1, -1), 1);
	assert_int_equal(r.fds[0].revents, POLLHUP);
	assert_int_equal(promise_wait(child.pid), 0);
	rings_drain(&r, 0);
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE], promise_count_of(r.fds[0].fd));
	rings_fini(&r);
}

/* mmap(2): "closing the file descriptor does not unmap the region", and the region is the
 * event's. */
void promise_a_mapping_keeps_its_event(void **state)
{
	struct xp_child child = promise_spawn(promise_env.work);
	struct xp_attr attr = promise_page_faults();
	struct rings r;

	(void)state;
	rings_init(&r);
	rings_add(&r, promise_open_on(&attr, child.pid, -1), 64, false);
	SYS->close(SYS, r.fds[0].fd);
	r.look = look_at_turn;
	promise_run_to_end(&child);
	rings_drain(&r, 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] > 0);
	xp_ring_unmap(r.rings[0]);
	xp_ctx_free(r.ctx);
}
