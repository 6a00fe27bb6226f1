/* SPDX-License-Identifier: MIT */
/* One event on its own: opened, read, refused, on the simulated kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <xperf/xperf.h>

#include "sim.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MS           1000000U

/* Two threads that run for ever, each on a CPU of its own. */
#define TASKS                                                                                      \
	"program p\n run forever cycles=1000 page-faults=3\n"                                      \
	"task 50 p cpu=0\ntask 60 p cpu=1\n"

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_threads *threads;
	struct xp_evsel *evsel;
	struct xp_diag diag;
	struct logged {
		int level; /* of the last message; -1: there was none */
		char text[512];
	} logged;
};

static void keep_log(enum xp_log_level level, const char *text, void *data)
{
	struct logged *logged = data;

	logged->level = (int)level;
	snprintf(logged->text, sizeof(logged->text), "%s", text);
}

static const struct xp_attr cycles = { .type = PERF_TYPE_HARDWARE, .disabled = 1 };
static const struct xp_attr faults = { .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .disabled = 1 };

static void setup(struct fixture *f, const char *machine, const char *tids,
		  const struct xp_attr *attr)
{
	*f = (struct fixture){ .sim = sim_new(machine, "test-evsel") };
	assert_non_null(f->sim);
	struct xp_ctx_opts opts = sim_ctx_opts(f->sim);
	opts.log = keep_log;
	opts.log_data = &f->logged;
	f->logged.level = -1;
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_threads_parse(f->ctx, tids, &f->threads, &f->diag), 0);
	assert_int_equal(xp_evsel_new(f->ctx, attr, "mine", &f->evsel), 0);
}

static void teardown(struct fixture *f)
{
	xp_evsel_free(f->evsel);
	xp_threads_unref(f->threads);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

static int open_it(struct fixture *f)
{
	return xp_evsel_open(f->evsel, NULL, f->threads, &f->diag);
}

static void it_counts_between_enable_and_disable(void **state)
{
	struct xp_count count;
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\ntime call=0ns\n" TASKS, "50,60", &cycles);
	assert_int_equal(xp_evsel_support(f.evsel), XP_NOT_OPENED);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_evsel_support(f.evsel), XP_SUPPORTED);
	sim_advance(f.sim, 5 * MS);
	assert_int_equal(xp_evsel_read(f.evsel, 0, 0, &count), 0);
	assert_int_equal(count.value, 0);
	assert_int_equal(xp_evsel_enable(f.evsel), 0);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(xp_evsel_disable(f.evsel), 0);
	sim_advance(f.sim, 5 * MS);
	for (int thread = 0; thread < 2; thread++) {
		assert_int_equal(xp_evsel_read(f.evsel, 0, thread, &count), 0);
		assert_int_equal(count.value, 10000);
		assert_int_equal(count.enabled_ns, 10 * MS);
		assert_int_equal(count.running_ns, 10 * MS);
		assert_int_equal(count.lost, 0);
	}
	xp_evsel_close(f.evsel);
	xp_evsel_close(f.evsel);
	assert_int_equal(xp_evsel_read(f.evsel, 0, 0, &count), -ENOTCONN);
	assert_int_equal(xp_evsel_enable(f.evsel), -ENOTCONN);
	assert_int_equal(xp_evsel_disable(f.evsel), -ENOTCONN);
	assert_int_equal(open_it(&f), 0);
	teardown(&f);
}

static void positions_outside_the_sets_are_not_open(void **state)
{
	static const struct {
		int cpu_idx, thread_idx;
	} rows[] = { { 0, 2 }, { 1, 0 }, { 0, -1 }, { -1, 0 }, { 1, -1 }, { 1 << 30, 1 << 30 } };
	struct xp_count count = { .value = 7 };
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\n" TASKS, "50,60", &faults);
	assert_int_equal(open_it(&f), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(
			xp_evsel_read(f.evsel, rows[i].cpu_idx, rows[i].thread_idx, &count),
			-ENOTCONN);
	assert_int_equal(count.value, 7);
	teardown(&f);
}

static void misuse_is_refused(void **state)
{
	struct xp_attr huge = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(huge) + 8 };
	struct xp_evsel *other = NULL;
	struct xp_evlist *evlist;
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\n" TASKS, "50", &faults);
	assert_int_equal(xp_evsel_open(f.evsel, NULL, NULL, &f.diag), -EINVAL);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(open_it(&f), -EALREADY);
	/* the kernel would read behind the end of a struct it believes to be larger */
	assert_int_equal(xp_evsel_new(f.ctx, &huge, "huge", &other), -EINVAL);
	assert_null(other);

	/* an event has one owner, who opens it */
	assert_int_equal(xp_evlist_new(f.ctx, &evlist), 0);
	assert_int_equal(xp_evlist_add(evlist, f.evsel), -EBUSY);
	xp_evsel_close(f.evsel);
	assert_int_equal(xp_evlist_add(evlist, f.evsel), 0);
	assert_int_equal(xp_evlist_add(evlist, f.evsel), -EBUSY);
	assert_int_equal(xp_evlist_nr(evlist), 1);
	assert_int_equal(open_it(&f), -EBUSY);
	f.evsel = NULL;
	xp_evlist_free(evlist);
	teardown(&f);
}

/* What the kernel says of every call, and what becomes of it. */
static void refusals_have_an_errno_and_a_sentence(void **state)
{
	static const struct {
		int line;
		const char *machine;
		struct xp_attr attr;
		int err;
		const char *words;
	} rows[] = {
		{ __LINE__,
		  "pmu none\nhypervisor KVM\n",
		  { .type = PERF_TYPE_HARDWARE },
		  -ENOENT,
		  "this virtual machine (KVM) has no PMU" },
		{ __LINE__,
		  "pmu lacks=cycles\n",
		  { .type = PERF_TYPE_HARDWARE },
		  -ENOENT,
		  "the PMU has no such event" },
		{ __LINE__,
		  "user uid=1000 paranoid=2\n",
		  { .type = PERF_TYPE_TRACEPOINT, .config = 301 },
		  -EACCES,
		  "perf_event_paranoid=2" },
		{ __LINE__,
		  "user uid=1000 paranoid=-1 nofile=4 nofile_max=4\n",
		  { .type = PERF_TYPE_SOFTWARE },
		  -EMFILE,
		  "needs one descriptor for each of 2 threads" },
		{ __LINE__,
		  "fail perf_event_open 2 EBUSY\n",
		  { .type = PERF_TYPE_HARDWARE },
		  -EBUSY,
		  "in use by another program" },
		{ __LINE__,
		  "fail perf_event_open 2 ENOMEM\n",
		  { .type = PERF_TYPE_HARDWARE },
		  -ENOMEM,
		  "Cannot allocate memory" },
		{ __LINE__,
		  "fail perf_event_open 1 ENOSYS\n",
		  { .type = PERF_TYPE_SOFTWARE },
		  -ENOSYS,
		  "perf_event_open is missing" },
		{ __LINE__,
		  "kernel attr_size=128\n",
		  { .type = PERF_TYPE_RAW, .config3 = 1 },
		  -ENOENT,
		  "this kernel does not know all of its attributes" },
		{ __LINE__,
		  "fail perf_event_open 1 ENOSPC\n",
		  { .type = PERF_TYPE_BREAKPOINT },
		  -ENOENT,
		  "all breakpoints of the processor are in use" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;
		char machine[512];

		snprintf(machine, sizeof(machine),
			 "machine cpus=2\n%sprogram p\n run forever\n"
			 "task 50 p uid=1000\ntask 60 p uid=1000\n",
			 rows[i].machine);
		setup(&f, machine, "50,60", &rows[i].attr);
		int err = open_it(&f);
		if (err != rows[i].err || f.diag.err != err || !strstr(f.diag.what, rows[i].words))
			fail_msg("row of line %d: %d, %s", rows[i].line, err, f.diag.what);
		struct xp_count count;
		assert_int_equal(xp_evsel_read(f.evsel, 0, 0, &count), -ENOTCONN);
		teardown(&f);
	}
}

/* The kernel writes the size it knows into the attribute it refuses: perf_event_open(2), E2BIG. */
static void the_attribute_stays_the_caller_s(void **state)
{
	struct xp_attr attr = { .type = PERF_TYPE_RAW, .config3 = 1 };
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\nkernel attr_size=112\n" TASKS, "50", &attr);
	assert_int_equal(open_it(&f), -ENOENT);
	assert_int_equal(xp_evsel_attr_const(f.evsel)->size, XP_ATTR_SIZE_VER8);
	teardown(&f);
}

static void a_thread_of_several_may_have_ended(void **state)
{
	struct xp_count count;
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\nprogram brief\n run 1ms\ntask 70 brief\n" TASKS, "50,70",
	      &faults);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(f.diag.err, 0); /* nothing failed */
	assert_int_equal(xp_evsel_read(f.evsel, 0, 0, &count), 0);
	assert_int_equal(xp_evsel_read(f.evsel, 0, 1, &count), -ENOTCONN);
	assert_int_equal(xp_evsel_enable(f.evsel), 0);
	teardown(&f);

	setup(&f, "machine cpus=2\nprogram brief\n run 1ms\ntask 70 brief\n", "70", &faults);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(open_it(&f), -ESRCH);
	assert_string_equal(f.diag.what, "Thread 70 no longer exists");
	teardown(&f);
}

/* What was given up to be opened is said, and stays said; what is over is not. */
static void reasons_are_of_the_last_opening(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\nfail perf_event_open 1 ENOENT\n" TASKS, "50", &cycles);
	assert_int_equal(open_it(&f), -ENOENT);
	assert_int_equal(xp_evsel_support(f.evsel), XP_NOT_SUPPORTED);
	assert_string_not_equal(xp_evsel_reason(f.evsel), "");
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(xp_evsel_support(f.evsel), XP_SUPPORTED);
	assert_string_equal(xp_evsel_reason(f.evsel), "");
	teardown(&f);

	setup(&f,
	      "machine cpus=2\nuser uid=1000 paranoid=2\nprogram p\n run forever\n"
	      "task 50 p uid=1000\n",
	      "50", &cycles);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(open_it(&f), 0);
		assert_string_equal(xp_evsel_name(f.evsel), "mine:u");
		assert_non_null(strstr(xp_evsel_reason(f.evsel), "user space only"));
		xp_evsel_close(f.evsel);
	}
	teardown(&f);
}

/* Whoever listens hears of all that was refused, and of nothing else. */
static void what_is_given_up_is_logged(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\n" TASKS, "50", &cycles);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(f.logged.level, -1);
	teardown(&f);

	setup(&f, "machine cpus=2\nfail perf_event_open 1 ENOENT\n" TASKS, "50", &cycles);
	assert_int_equal(open_it(&f), -ENOENT);
	assert_int_equal(f.logged.level, XP_LOG_INFO);
	assert_string_equal(f.logged.text, "mine for thread 50: No such file or directory: "
					   "not counted: the PMU has no such event");
	teardown(&f);

	setup(&f,
	      "machine cpus=2\nuser uid=1000 paranoid=2\nprogram p\n run forever\n"
	      "task 50 p uid=1000\n",
	      "50", &cycles);
	assert_int_equal(open_it(&f), 0);
	assert_int_equal(f.logged.level, XP_LOG_INFO);
	assert_string_equal(
		f.logged.text,
		"mine:u for thread 50: Permission denied: opened again with other attributes: "
		"in user space only (perf_event_paranoid=2)");
	teardown(&f);
}

/* A name can be typed again: modifiers stand behind a slash, or behind a colon. */
static void the_modifier_is_added_where_it_belongs(void **state)
{
	static const struct {
		const char *name, *shown;
	} rows[] = { { "cycles", "cycles:u" },
		     { "cycles:H", "cycles:Hu" },
		     { "cpu/cycles/", "cpu/cycles/u" },
		     { "cpu/cycles/H", "cpu/cycles/Hu" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;

		setup(&f, "user uid=1000 paranoid=2\nprogram p\n run forever\ntask 50 p uid=1000\n",
		      "50", &cycles);
		xp_evsel_free(f.evsel);
		assert_int_equal(xp_evsel_new(f.ctx, &cycles, rows[i].name, &f.evsel), 0);
		assert_int_equal(open_it(&f), 0);
		assert_string_equal(xp_evsel_name(f.evsel), rows[i].shown);
		teardown(&f);
	}
}

static void a_pinned_event_without_a_counter_has_no_data(void **state)
{
	struct xp_attr pinned = { .type = PERF_TYPE_HARDWARE, .pinned = 1 };
	struct xp_count count = { .value = 7 };
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\npmu general=1 watchdog=1\n" TASKS, "50", &pinned);
	assert_int_equal(open_it(&f), 0);
	sim_advance(f.sim, 10 * MS);
	assert_int_equal(xp_evsel_read(f.evsel, 0, 0, &count), -ENODATA);
	assert_int_equal(count.value, 7);
	teardown(&f);
}

/* A probe that fails for another reason says nothing about the kernel. */
static void a_failed_probe_is_no_lack(void **state)
{
	struct xp_attr attr = faults;
	struct fixture f;

	(void)state;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	/* the event itself, then one probe per feature */
	setup(&f,
	      "machine cpus=2\nfail perf_event_open 1 EINVAL\nfail perf_event_open 4 EMFILE\n" TASKS,
	      "50", &attr);
	assert_int_equal(open_it(&f), -ENOENT);
	assert_int_equal(xp_evsel_attr_const(f.evsel)->sample_type, PERF_SAMPLE_IDENTIFIER);
	teardown(&f);
}

static ssize_t half_a_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	(void)sys;
	(void)fd;
	memset(buf, 1, len < 12 ? len : 12);
	return 12;
}

static void a_reading_that_is_no_reading_is_refused(void **state)
{
	struct xp_count count = { .value = 7 };
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=2\n" TASKS, "50", &faults);
	assert_int_equal(open_it(&f), 0);
	((struct xp_sys *)sim_sys(f.sim))->read = half_a_read;
	assert_int_equal(xp_evsel_read(f.evsel, 0, 0, &count), -EBADMSG);
	assert_int_equal(count.value, 7);
	teardown(&f);
}

static int always_there(const struct xp_sys *sys, const char *path)
{
	(void)path;
	return xp_sys_linux()->open(xp_sys_linux(), sys ? "/dev/null" : "");
}

static int really_close(const struct xp_sys *sys, int fd)
{
	(void)sys;
	return xp_sys_linux()->close(xp_sys_linux(), fd);
}

/* 65536 CPUs times 32768 threads is more than an int holds, and than any limit allows. */
static void too_many_cells_are_too_many_files(void **state)
{
	enum { NR_THREADS = 32768 };
	static char text[NR_THREADS * 6 + 1];
	struct xp_sys sys = { .size = sizeof(sys), .open = always_there, .close = really_close };
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &sys };
	struct xp_threads *threads;
	struct xp_diag diag = { 0 };
	struct xp_evsel *evsel;
	struct xp_cpus *cpus;
	struct xp_ctx *ctx;
	size_t len = 0;

	(void)state;
	for (int tid = 1; tid <= NR_THREADS; tid++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", len ? "," : "",
					tid);
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	assert_int_equal(xp_threads_parse(ctx, text, &threads, NULL), 0);
	assert_int_equal(xp_cpus_parse("0-65535", &cpus, NULL), 0);
	assert_int_equal(xp_evsel_new(ctx, &faults, "faults", &evsel), 0);
	assert_int_equal(xp_evsel_open(evsel, cpus, threads, &diag), -EMFILE);
	assert_int_equal(diag.err, -EMFILE);
	xp_evsel_free(evsel);
	xp_cpus_unref(cpus);
	xp_threads_unref(threads);
	xp_ctx_free(ctx);
}

static void counts_are_scaled(void **state)
{
	static const struct {
		struct xp_count count;
		double scaled;
	} rows[] = {
		{ { 100, 10, 10, 0 }, 100 }, { { 100, 10, 5, 0 }, 200 }, { { 100, 10, 0, 0 }, 0 },
		{ { 0, 0, 0, 0 }, 0 },       { { 100, 5, 10, 0 }, 100 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_true(xp_count_scale(&rows[i].count) == rows[i].scaled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_counts_between_enable_and_disable),
		cmocka_unit_test(positions_outside_the_sets_are_not_open),
		cmocka_unit_test(misuse_is_refused),
		cmocka_unit_test(refusals_have_an_errno_and_a_sentence),
		cmocka_unit_test(the_attribute_stays_the_caller_s),
		cmocka_unit_test(a_thread_of_several_may_have_ended),
		cmocka_unit_test(reasons_are_of_the_last_opening),
		cmocka_unit_test(what_is_given_up_is_logged),
		cmocka_unit_test(the_modifier_is_added_where_it_belongs),
		cmocka_unit_test(a_pinned_event_without_a_counter_has_no_data),
		cmocka_unit_test(a_failed_probe_is_no_lack),
		cmocka_unit_test(a_reading_that_is_no_reading_is_refused),
		cmocka_unit_test(too_many_cells_are_too_many_files),
		cmocka_unit_test(counts_are_scaled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
