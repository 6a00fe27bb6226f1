/* SPDX-License-Identifier: MIT */
/* Promises of perf_event_open(2) about what is in rings: samples, and what tasks do. */
#include "promises-rings.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <xperf/attr.h>
#include <xperf/record.h>
#include <xperf/ring.h>
#include <xperf/sys.h>

#include "uapi.h"

#define SYS (promise_env.sys)

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
		int err = SYS->perf_event_open(SYS, &attr, 0, -1, -1, 0);
		if (err != -EINVAL)
			fail_msg("%s: %d", rows[i].what, err);
	}
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
	struct xp_attr attr = promise_page_faults();
	uint64_t v[3] = { 0 }, count = 0, lost = 0;
	struct rings r;

	(void)state;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_READ; /* inherited since Linux 6.12 only */
	attr.read_format |= XP_FORMAT_LOST;
	if (!promise_is_known(&attr))
		attr.read_format &= ~(uint64_t)XP_FORMAT_LOST;
	attr.inherit = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	struct xp_child child = promise_spawn(promise_env.family);
	rings_init(&r);
	r.first_pid = child.pid;
	r.look = look_at_fault;
	rings_add_all(&r, &attr, child.pid, attr.read_format & XP_FORMAT_LOST ? 1 : 1024);
	assert_int_equal(promise_start(&child), 0);
	rings_drain_to_end(&r);
	for (int i = 0; i < r.nr; i++) {
		assert_true(SYS->read(SYS, r.fds[i].fd, v, sizeof(v)) > 0);
		count += v[0];
		lost += v[2];
	}
	assert_true(count > 0 && r.lost <= lost);
	assert_int_equal(r.nr_of[XP_RECORD_SAMPLE] + lost, count);
	/* On a busy machine those of the children can be what was lost. */
	assert_true(r.others > 0 || lost > 0);
	assert_int_equal(promise_wait(child.pid), 0);
	rings_fini(&r);
}

/* "sample_period": of a clock, nanoseconds. */
void promise_clocks_are_sampled_in_time(void **state)
{
	enum { PERIOD_NS = 500000 };
	struct xp_attr attr = promise_software(PERF_COUNT_SW_TASK_CLOCK);
	struct xp_child child = promise_spawn(promise_env.work);
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.disabled = attr.enable_on_exec = 1;
	attr.sample_period = PERIOD_NS;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	rings_add(&r, promise_open_on(&attr, child.pid, -1), 64, false);
	promise_run_to_end(&child);
	rings_drain(&r, 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] > 0);
	assert_true(r.nr_of[XP_RECORD_SAMPLE] <= promise_count_of(r.fds[0].fd) / PERIOD_NS + 1);
	rings_fini(&r);
}

/* PERF_EVENT_IOC_ID, PERF_SAMPLE_IDENTIFIER: which of the events that share a ring it was. */
void promise_samples_know_their_event(void **state)
{
	struct xp_child child = promise_spawn_on_0(promise_env.work);
	struct xp_attr attr = promise_page_faults();
	uint64_t nr[2] = { 0 };
	const struct xp_record *record;
	struct rings r;

	(void)state;
	rings_init(&r);
	rings_add(&r, promise_open_on(&attr, child.pid, 0), 64, false);
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	int other = promise_open_on(&attr, child.pid, 0);
	assert_int_equal(promise_redirect(other, r.fds[0].fd), 0);
	assert_int_not_equal(promise_id_of(other), r.ids[0]);
	promise_run_to_end(&child);
	xp_ring_begin(r.rings[0]);
	while (xp_ring_next(r.rings[0], &record) > 0) {
		const struct fault_sample *s = (const void *)record;

		assert_true(s->identifier == r.ids[0] || s->identifier == promise_id_of(other));
		assert_int_equal(s->read_id, s->identifier);
		assert_int_equal(s->cpu, 0);
		nr[s->identifier != r.ids[0]]++;
	}
	assert_int_equal(nr[0], promise_count_of(r.fds[0].fd));
	assert_int_equal(nr[1], promise_count_of(other));
	SYS->close(SYS, other);
	rings_fini(&r);
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
void promise_tasks_are_reported(void **state)
{
	struct xp_child child = promise_spawn(promise_env.family);
	struct xp_attr attr = promise_tracking();
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.inherit = 1;
	attr.task = attr.comm = attr.comm_exec = attr.mmap = attr.mmap2 = 1;
	rings_add_all(&r, &attr, child.pid, 32);
	r.first_pid = child.pid;
	r.look = look_at_task;
	assert_int_equal(promise_start(&child), 0);
	rings_drain_to_end(&r);
	assert_int_equal(promise_wait(child.pid), 0);
	/* A checker of leaks may fork once more. */
	assert_in_range(r.nr_of[XP_RECORD_FORK], 2, 3);
	assert_int_equal(r.nr_of[XP_RECORD_EXIT], r.nr_of[XP_RECORD_FORK] + 1);
	assert_int_equal(r.others, r.nr_of[XP_RECORD_FORK]); /* ends of children */
	assert_int_equal(r.in_turn, 1);                      /* its exec */
	assert_true(r.nr_of[XP_RECORD_MMAP2] > 0);
	assert_int_equal(r.nr_of[XP_RECORD_MMAP], 0);
	assert_int_equal(r.nr_of[XP_RECORD_LOST], 0);
	rings_fini(&r);
}

/* What an inherited event reports at the end of its task; that may be the first one, with which it
 * was swapped. */
static void look_at_reading(struct rings *r, int i, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint32_t pid, tid;
		uint64_t value, id;
		struct trailer trailer;
	} *reading = (const void *)record;

	if (record->type != XP_RECORD_READ)
		return;
	assert_int_equal(record->size, sizeof(*reading));
	assert_int_equal(reading->pid, reading->tid);
	assert_int_equal(reading->pid, reading->trailer.pid);
	assert_int_equal(reading->trailer.id, r->ids[i]);
	r->in_turn += reading->value;
}

/* "inherit_stat": what each child has counted, on each CPU */
void promise_counts_of_children_are_reported(void **state)
{
	struct xp_child child = promise_spawn(promise_env.family);
	struct xp_attr attr = promise_tracking();
	uint64_t count = 0;
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.read_format = PERF_FORMAT_ID;
	attr.inherit = attr.inherit_stat = 1;
	rings_add_all(&r, &attr, child.pid, 1);
	r.first_pid = child.pid;
	r.look = look_at_reading;
	assert_int_equal(promise_start(&child), 0);
	rings_drain_to_end(&r);
	assert_int_equal(promise_wait(child.pid), 0);
	for (int i = 0; i < r.nr; i++)
		count += promise_count_of(r.fds[i].fd);
	if (!r.nr_of[XP_RECORD_READ] && promise_env.forgets_children) {
		rings_fini(&r);
		print_message("skipped: this kernel does not report it\n");
		skip();
	}
	assert_in_range(r.nr_of[XP_RECORD_READ], 2 * r.nr, 3 * r.nr);
	assert_true(r.in_turn > 0 && r.in_turn <= count);
	rings_fini(&r);
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
void promise_switches_are_reported(void **state)
{
	struct xp_child child = promise_spawn(promise_env.hold);
	struct xp_attr attr = promise_tracking();
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.context_switch = 1;
	attr.disabled = attr.enable_on_exec = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	rings_add(&r, promise_open_on(&attr, child.pid, -1), 8, false);
	r.look = look_at_switch;
	assert_int_equal(promise_start(&child), 0);
	while (!r.others) {
		assert_int_equal(SYS->poll(SYS, r.fds, 1, -1), 1);
		rings_drain(&r, 0);
	}
	SYS->kill(SYS, child.pid, SIGKILL);
	promise_wait(child.pid);
	rings_fini(&r);
}
