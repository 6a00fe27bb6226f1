/* SPDX-License-Identifier: MIT */
/*
 * Counting oneself: which events are read from their pages and which by read(), on a kernel that
 * publishes what the test says and counts the calls it gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xperf/arch.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>
#include <xperf/self-inline.h>

#include "event.h"
#include "list-impl.h"
#include "uapi.h"
#include "userpage.h"

enum { FIRST_FD = 100, NR_FDS = 8, FROM_PAGE = 1000, FROM_READ = 5000 };

/*
 * Descriptor FIRST_FD + i is the event opened i-th: its page says FROM_PAGE + i, read() says
 * FROM_READ + i. Each begins on a counter.
 */
static struct kernel {
	struct xp_sys sys;
	struct xp_arch arch;
	struct xp_userpage pages[NR_FDS];
	struct xp_attr attrs[NR_FDS];
	int leaders[NR_FDS];
	int nr_fds;
	int nr_open, nr_mapped, nr_running;
	int reads; /* since the test last looked */
	bool refuses_mmap;
	int read_err;
	uint64_t unknown_config;
} kernel;

static int fake_perf_event_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid,
				int cpu, int group_fd, unsigned long flags)
{
	int i = kernel.nr_fds;

	(void)sys;
	(void)flags;
	assert_int_equal(pid, 0);
	assert_int_equal(cpu, -1);
	assert_false(attr->inherit);
	if (kernel.unknown_config && attr->config == kernel.unknown_config)
		return -ENOENT;
	assert_in_range(i, 0, NR_FDS - 1);
	kernel.attrs[i] = *attr;
	kernel.leaders[i] = group_fd < 0 ? i : group_fd - FIRST_FD;
	kernel.pages[i] = (struct xp_userpage){ .index = (uint32_t)i + 1,
						.offset = FROM_PAGE,
						.capabilities = XP_PAGE_CAP_RDPMC,
						.time_enabled = 30,
						.time_running = 10,
						.pmc_width = 40 };
	kernel.nr_fds++;
	kernel.nr_open++;
	return FIRST_FD + i;
}

static int fake_ioctl(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	(void)sys;
	(void)arg;
	assert_true(request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
	assert_int_equal(kernel.leaders[fd - FIRST_FD], fd - FIRST_FD);
	kernel.nr_running += request == PERF_EVENT_IOC_ENABLE ? 1 : -1;
	return 0;
}

static int fake_mmap(const struct xp_sys *sys, size_t len, int prot, int fd, uint64_t offset,
		     void **ret_addr)
{
	(void)sys;
	(void)len;
	(void)prot;
	(void)offset;
	if (kernel.refuses_mmap)
		return -EPERM;
	*ret_addr = &kernel.pages[fd - FIRST_FD];
	kernel.nr_mapped++;
	return 0;
}

static int fake_munmap(const struct xp_sys *sys, void *addr, size_t len)
{
	(void)sys;
	(void)addr;
	(void)len;
	kernel.nr_mapped--;
	return 0;
}

static ssize_t fake_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	uint64_t out[3 + 2 * NR_FDS] = { FROM_READ + (uint64_t)(fd - FIRST_FD), 60, 20 };
	size_t nr = 3;

	if (fd < FIRST_FD) /* a file */
		return xp_sys_linux()->read(sys, fd, buf, len);
	kernel.reads++;
	if (kernel.read_err)
		return kernel.read_err;
	if (kernel.attrs[fd - FIRST_FD].read_format & PERF_FORMAT_GROUP) {
		out[0] = 0;
		for (int i = 0; i < kernel.nr_fds; i++)
			if (kernel.leaders[i] == fd - FIRST_FD) {
				out[nr++] = FROM_READ + (uint64_t)i;
				out[nr++] = (uint64_t)i;
				out[0]++;
			}
	}
	assert_true(len >= nr * sizeof(out[0]));
	memcpy(buf, out, nr * sizeof(out[0]));
	return (ssize_t)(nr * sizeof(out[0]));
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	if (fd < FIRST_FD)
		return xp_sys_linux()->close(sys, fd);
	kernel.nr_open--;
	return 0;
}

static bool fake_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	*ret_raw = counter;
	return true;
}

/* The machine the events are on: one of tests/data/roots. */
static struct xp_ctx *ctx_on(const char *machine)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts),
				    .sys = &kernel.sys,
				    .arch = &kernel.arch };
	struct xp_ctx *ctx;
	char root[512];

	snprintf(root, sizeof(root), "%s/tests/data/roots/%s", getenv("SOURCE_DIR"), machine);
	opts.root = root;
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	return ctx;
}

/* A list of hardware (h) and software (s) events; braces make a group. Config is the position. */
static struct xp_evlist *boot_on(const char *machine, const char *events)
{
	struct xp_evsel *evsel, *leader = NULL;
	struct xp_evlist *evlist;
	struct xp_ctx *ctx;
	bool in_group = false;

	kernel = (struct kernel){ .sys = *xp_sys_linux(), .arch = *xp_arch_native() };
	kernel.arch.has_rdpmc = true;
	kernel.arch.rdpmc = fake_rdpmc;
	kernel.arch.user_read_config1 = 1 << 1;
	kernel.arch.user_read_gate = NULL;
	kernel.sys.perf_event_open = fake_perf_event_open;
	kernel.sys.ioctl = fake_ioctl;
	kernel.sys.mmap = fake_mmap;
	kernel.sys.munmap = fake_munmap;
	kernel.sys.read = fake_read;
	kernel.sys.close = fake_close;
	ctx = ctx_on(machine);
	assert_int_equal(xp_evlist_new(ctx, &evlist), 0);
	for (const char *e = events; *e; e++) {
		struct xp_attr attr = { .type = *e == 's' ? PERF_TYPE_SOFTWARE : PERF_TYPE_RAW,
					.config = (uint64_t)xp_evlist_nr(evlist) + 1 };

		if (*e == '{' || *e == '}') {
			in_group = *e == '{';
			leader = NULL;
			continue;
		}
		assert_int_equal(xp_evsel_new(ctx, &attr, "event", &evsel), 0);
		if (in_group && leader) {
			evsel->leader = leader;
			leader->group_size++;
		}
		leader = in_group && !leader ? evsel : leader;
		assert_int_equal(xp_evlist_add(evlist, evsel), 0);
	}
	return evlist;
}

static struct xp_evlist *boot(const char *events)
{
	return boot_on("skylake-sp", events);
}

static void shut_down(struct xp_self *self, struct xp_evlist *evlist)
{
	struct xp_ctx *ctx = xp_evlist_nr(evlist) ? xp_evlist_at(evlist, 0)->ctx : NULL;

	xp_self_close(self);
	xp_evlist_free(evlist);
	xp_ctx_free(ctx);
	assert_int_equal(kernel.nr_open, 0);
	assert_int_equal(kernel.nr_mapped, 0);
}

/*
 * Reads, and compares path by path with @paths: p page, r read(), - nothing; and that values are
 * what that path says.
 */
static void expect(struct xp_self *self, const char *paths, int reads)
{
	struct xp_count counts[NR_FDS];
	int opened = 0;

	kernel.reads = 0;
	assert_int_equal(xp_self_read(self, counts), 0);
	for (int i = 0; paths[i]; i++) {
		enum xp_self_path path = xp_self_path_at(self, i);
		uint64_t value = counts[i].value;
		char is = "-pr"[path];

		if (is != paths[i])
			fail_msg("%s: event %d took %c", paths, i, is);
		if (path == XP_PATH_NONE) {
			assert_int_equal(value, 0);
			continue;
		}
		assert_int_equal(value, (path == XP_PATH_READ ? FROM_READ : FROM_PAGE) + opened);
		assert_int_equal(counts[i].enabled_ns, path == XP_PATH_READ ? 60 : 30);
		assert_int_equal(counts[i].running_ns, path == XP_PATH_READ ? 20 : 10);
		opened++;
	}
	assert_int_equal(kernel.reads, reads);
}

static void each_event_takes_the_shortest_path(void **state)
{
	static const struct {
		const char *events;
		const char *off; /* 'o': on no counter now, by event */
		const char *paths;
		int reads;
	} rows[] = {
		{ "h", "-", "p", 0 },
		{ "hhh", "---", "ppp", 0 },
		{ "hhh", "-o-", "prp", 1 },
		{ "{hhh}", "---", "ppp", 0 },
		{ "{hhh}", "--o", "rrr", 1 },
		{ "{hh}h{hh}", "-o---", "rrppp", 1 },
		/* one read() fetches all software events, and a group they are in */
		{ "sss", "---", "rrr", 1 },
		{ "{hs}", "--", "rr", 1 },
		{ "ss{hh}h", "-----", "rrppp", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_evlist *evlist = boot(rows[i].events);
		struct xp_self *self;

		assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
		assert_int_equal(xp_self_path_at(self, 0), XP_PATH_NONE);
		for (int e = 0; rows[i].off[e]; e++)
			if (rows[i].off[e] == 'o')
				kernel.pages[e].index = 0;
		expect(self, rows[i].paths, rows[i].reads);
		/* and back on their counters */
		for (int e = 0; e < kernel.nr_fds; e++)
			kernel.pages[e].index = (uint32_t)e + 1;
		if (!strchr(rows[i].events, 's'))
			expect(self, &"pppppppp"[NR_FDS - strlen(rows[i].off)], 0);
		shut_down(self, evlist);
	}
}

static void where_pages_are_no_good_all_is_read(void **state)
{
	struct xp_evlist *evlist;
	struct xp_self *self;

	(void)state;
	for (int i = 0; i < 2; i++) {
		evlist = boot_on(i ? "arm-biglittle" : "intel-hybrid", "hh");
		assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
		assert_int_equal(kernel.nr_mapped, 0);
		assert_int_equal(kernel.attrs[0].config1, 0);
		expect(self, "rr", 2);
		shut_down(self, evlist);
	}

	evlist = boot("hh");
	kernel.refuses_mmap = true;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	expect(self, "rr", 2);
	shut_down(self, evlist);

	evlist = boot("hh");
	kernel.arch.has_rdpmc = false;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	assert_int_equal(kernel.nr_mapped, 0);
	expect(self, "rr", 2);
	shut_down(self, evlist);
}

static void what_is_not_supported_stays_empty(void **state)
{
	struct xp_evlist *evlist = boot("hhh");
	struct xp_self *self;

	(void)state;
	kernel.unknown_config = 2;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	expect(self, "p-p", 0);
	assert_int_equal(xp_evsel_support(xp_evlist_at(evlist, 1)), XP_NOT_SUPPORTED);
	assert_int_equal(xp_self_path_at(self, -1), XP_PATH_NONE);
	assert_int_equal(xp_self_path_at(self, 3), XP_PATH_NONE);
	shut_down(self, evlist);
}

/* One by one: from the page, with its group by read(), not at all. */
static void single_events_report_their_path(void **state)
{
	struct xp_evlist *evlist = boot("h{hh}h");
	struct xp_self_event event;
	struct xp_count count;
	struct xp_self *self;

	(void)state;
	kernel.unknown_config = 4;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	kernel.pages[1].index = 0;
	kernel.reads = 0;
	assert_int_equal(xp_self_read_event(self, 0, &count), XP_PATH_RDPMC);
	assert_int_equal(count.value, FROM_PAGE);
	assert_int_equal(kernel.reads, 0);
	assert_int_equal(xp_self_read_event(self, 1, &count), XP_PATH_READ);
	assert_int_equal(count.value, FROM_READ + 1);
	assert_int_equal(kernel.reads, 1);
	assert_int_equal(xp_self_read_event(self, 2, &count), XP_PATH_RDPMC);
	assert_int_equal(xp_self_path_at(self, 1), XP_PATH_READ);
	assert_int_equal(xp_self_read_event(self, 3, &count), XP_PATH_NONE);
	assert_int_equal(count.value, 0);
	count.value = 77;
	assert_int_equal(xp_self_read_event(self, 4, &count), -EINVAL);
	assert_int_equal(xp_self_read_event(self, -1, &count), -EINVAL);
	assert_int_equal(xp_self_event_init(self, 4, &event), -EINVAL);
	assert_int_equal(count.value, 77);

	/* in line, where it goes the same way: an event without a page */
	assert_int_equal(xp_self_event_init(self, 3, &event), 0);
	assert_null(event.page);
	assert_int_equal(xp_self_event_read(&event, &count), XP_PATH_NONE);
	assert_int_equal(xp_self_event_init(self, 2, &event), 0);
	assert_ptr_equal((void *)event.page, &kernel.pages[2]);
	shut_down(self, evlist);
}

static struct xp_self *open_boot(const char *machine, const char *events, struct xp_evlist **ret)
{
	struct xp_self *self;

	*ret = boot_on(machine, events);
	assert_int_equal(xp_self_open(*ret, &self, NULL), 0);
	return self;
}

static void read_must_say(struct xp_self *self, int idx, const char *reason)
{
	struct xp_count counts[NR_FDS];

	assert_int_equal(xp_self_read(self, counts), 0);
	assert_string_equal(xp_self_reason(self, idx), reason);
}

static void who_is_read_by_the_kernel_learns_why(void **state)
{
	struct xp_evlist *evlist;
	struct xp_self *self = open_boot("skylake-sp", "hs{hh}", &evlist);
	const char *a_zero = "/sys/devices/system/cpu/cpu4/topology/core_id";
	struct xp_count count;

	(void)state;
	assert_string_equal(xp_self_reason(self, 0), ""); /* not read yet */
	read_must_say(self, 0, "");
	read_must_say(self, 1, "the kernel counts it, not a counter of the processor");
	kernel.pages[3].index = 0;
	read_must_say(self, 2, "event of its group: it was not on a counter");
	read_must_say(self, 3, "it was not on a counter");
	assert_int_equal(xp_self_read_event(self, 2, &count), XP_PATH_RDPMC);
	assert_string_equal(xp_self_reason(self, 2), "");
	kernel.pages[0].capabilities = 0;
	read_must_say(self, 0, "its user page does not allow programs to read the counter");
	kernel.arch.user_read_gate = a_zero;
	read_must_say(
		self, 3,
		"/sys/devices/system/cpu/cpu4/topology/core_id is 0: programs may not read counters");
	assert_string_equal(xp_self_reason(self, 4), "");
	assert_string_equal(xp_self_reason(self, -1), "");
	shut_down(self, evlist);

	self = open_boot("intel-hybrid", "h", &evlist);
	read_must_say(self, 0,
		      "the machine has CPUs of two kinds, and not all of them have the counter");
	shut_down(self, evlist);
}

/* What the kernel must be asked for is asked for, and not left behind in the list. */
static void user_reads_are_asked_for(void **state)
{
	struct xp_evlist *evlist = boot("hs");
	struct xp_self *self;

	(void)state;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	assert_int_equal(kernel.attrs[0].config1, 1 << 1);
	assert_int_equal(kernel.attrs[1].config1, 0);
	xp_self_close(self);
	assert_int_equal(xp_evsel_attr_const(xp_evlist_at(evlist, 0))->config1, 0);
	shut_down(NULL, evlist);
}

/* What a child by fork() must not touch; it ends with 0 if it does not. */
static void child_of(struct xp_self *self)
{
	struct xp_self_event event;
	struct xp_count counts[NR_FDS];
	int mapped = kernel.nr_mapped;

	if (xp_self_read(self, counts) != -EPERM || xp_self_read_event(self, 0, counts) != -EPERM)
		_exit(1);
	if (xp_self_event_init(self, 0, &event) || xp_self_event_read(&event, counts) != -EPERM)
		_exit(2);
	xp_self_close(self);
	_exit(kernel.nr_mapped != mapped ? 3 : kernel.nr_open ? 4 : 0);
}

static void a_child_reads_nothing(void **state)
{
	struct xp_evlist *evlist = boot("hh");
	struct xp_self *self;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		child_of(self);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect(self, "pp", 0);
	shut_down(self, evlist);
}

static void it_counts_from_opening_and_opens_again(void **state)
{
	struct xp_evlist *evlist = boot("h{hh}");
	struct xp_self *self, *second;

	(void)state;
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	assert_int_equal(kernel.nr_running, 2);
	assert_int_equal(xp_self_open(evlist, &second, NULL), -EALREADY);
	xp_self_close(self);
	assert_int_equal(kernel.nr_open, 0);
	assert_int_equal(kernel.nr_mapped, 0);
	assert_int_equal(xp_self_open(evlist, &self, NULL), 0);
	shut_down(self, evlist);
}

static void an_empty_list_is_refused(void **state)
{
	struct xp_self *self = NULL;
	struct xp_evlist *evlist;
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx;

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_evlist_new(ctx, &evlist), 0);
	assert_int_equal(xp_self_open(evlist, &self, &diag), -EINVAL);
	assert_string_not_equal(diag.what, "");
	assert_null(self);
	xp_self_close(NULL);
	xp_evlist_free(evlist);
	xp_ctx_free(ctx);
}

/* What was counted in between, and nothing is left open. */
static void one_call_starts_and_one_stops(void **state)
{
	struct xp_count count;
	struct xp_self *self;
	struct xp_ctx *ctx;

	(void)state;
	shut_down(NULL, boot("h"));
	ctx = ctx_on("skylake-sp");
	assert_int_equal(xp_self_start_in(ctx, "cycles:u", &self, NULL), 0);
	assert_int_equal(xp_evlist_nr(xp_self_evlist(self)), 1);
	assert_int_equal(xp_self_nr(self), 1);
	kernel.pages[0].offset += 42;
	kernel.pages[0].time_enabled += 5;
	kernel.pages[0].time_running += 4;
	assert_int_equal(xp_self_stop(self, &count), 0);
	assert_int_equal(count.value, 42);
	assert_int_equal(count.enabled_ns, 5);
	assert_int_equal(count.running_ns, 4);
	assert_int_equal(kernel.nr_running, 0);
	xp_self_close(self);
	assert_int_equal(kernel.nr_open, 0);
	assert_int_equal(kernel.nr_mapped, 0);
}

struct other {
	struct xp_self *self;
	struct xp_count counts[2];
	int err;
};

static void *read_elsewhere(void *data)
{
	struct other *other = data;

	other->err = xp_self_read(other->self, other->counts);
	return NULL;
}

static void a_failed_reading_writes_nothing(void **state)
{
	struct other other = { .counts = { { .value = 77 }, { .value = 78 } } };
	struct xp_evlist *evlist = boot("hs");
	pthread_t thread;

	(void)state;
	assert_int_equal(xp_self_open(evlist, &other.self, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_elsewhere, &other), 0);
	pthread_join(thread, NULL);
	assert_int_equal(other.err, -EPERM);

	kernel.read_err = -EIO;
	read_elsewhere(&other);
	assert_int_equal(other.err, -EIO);

	xp_evlist_close(evlist);
	read_elsewhere(&other);
	assert_int_equal(other.err, -ENOTCONN);
	assert_int_equal(other.counts[0].value, 77);
	assert_int_equal(other.counts[1].value, 78);
	shut_down(other.self, evlist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_takes_the_shortest_path),
		cmocka_unit_test(where_pages_are_no_good_all_is_read),
		cmocka_unit_test(what_is_not_supported_stays_empty),
		cmocka_unit_test(single_events_report_their_path),
		cmocka_unit_test(who_is_read_by_the_kernel_learns_why),
		cmocka_unit_test(user_reads_are_asked_for),
		cmocka_unit_test(a_child_reads_nothing),
		cmocka_unit_test(it_counts_from_opening_and_opens_again),
		cmocka_unit_test(an_empty_list_is_refused),
		cmocka_unit_test(one_call_starts_and_one_stops),
		cmocka_unit_test(a_failed_reading_writes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
