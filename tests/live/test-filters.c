/* SPDX-License-Identifier: MIT */
/*
 * What xperf thinks of a tracepoint's fields is what the kernel thinks: one filter that names all
 * of them is taken by both, and strings where numbers belong are refused by both. The first
 * tracepoint of each subsystem, with XPERF_TEST_ALL=1 all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "names.h"
#include "str.h"
#include "tracefs.h"
#include "uapi.h"

static struct xp_ctx *ctx;
static int nr_filters;

/* libtraceevent forgets the text of some print formats. */
XP_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}

/* The last close of a tracepoint takes 40 ms and keeps others from being opened: all at once. */
enum { OPEN_MAX_AT_ONCE = 8192 };
static int open_fds[OPEN_MAX_AT_ONCE];
static size_t nr_open, most_open;

/* As many as this process may have. */
static void allow_many(void)
{
	enum { OTHERS = 32 };
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	most_open = limit.rlim_max - OTHERS < OPEN_MAX_AT_ONCE ? limit.rlim_max - OTHERS
							       : OPEN_MAX_AT_ONCE;
}

static void close_open(void)
{
	xp_ctx_sys(ctx)->close_behind(xp_ctx_sys(ctx), open_fds, nr_open);
	nr_open = 0;
}

static bool may_open(const struct xp_tracepoint *tp, int *ret_fd)
{
	const struct xp_attr attr = { .type = PERF_TYPE_TRACEPOINT,
				      .size = XP_ATTR_SIZE_VER7,
				      .config = tp->id,
				      .disabled = 1 };
	const struct xp_sys *sys = xp_ctx_sys(ctx);

	*ret_fd = sys->perf_event_open(sys, &attr, 0, -1, -1, 0);
	return *ret_fd >= 0;
}

static int kernel_answer(int fd, const char *filter)
{
	const struct xp_sys *sys = xp_ctx_sys(ctx);

	return sys->ioctl(sys, fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter);
}

static int our_answer(const struct xp_tracepoint *tp, const char *filter, struct xp_diag *diag)
{
	struct xp_evlist *evlist;
	char name[300];

	snprintf(name, sizeof(name), "%s:%s", tp->subsystem, tp->event);
	assert_int_equal(xp_evlist_new(ctx, &evlist), 0);
	assert_int_equal(xp_evlist_parse(evlist, name, diag), 0);
	int err = xp_evsel_add_filter(xp_evlist_at(evlist, 0), filter, diag);
	xp_evlist_free(evlist);
	return err;
}

/* Each field against a value of the other kind. */
static void check_refusals(const struct xp_tracepoint *tp, int fd)
{
	for (int i = 0; i < tp->nr_fields; i++) {
		const struct xp_tracepoint_field *field = &tp->fields[i];
		struct xp_diag diag;
		char filter[200];

		if (field->is_array && !field->is_string)
			continue;
		snprintf(filter, sizeof(filter), "%s == %s", field->name,
			 field->is_string ? "1" : "\"x\"");
		int ours = our_answer(tp, filter, &diag);
		int kernels = kernel_answer(fd, filter);
		if (ours != -EINVAL || kernels != -EINVAL)
			fail_msg("%s:%s: %s: xperf %d, kernel %d", tp->subsystem, tp->event, filter,
				 ours, kernels);
	}
}

static void check_all_fields(const struct xp_tracepoint *tp, int fd)
{
	struct xp_str filter = { 0 };
	struct xp_diag diag = { 0 };

	for (int i = 0; i < tp->nr_fields; i++) {
		const struct xp_tracepoint_field *field = &tp->fields[i];

		if (!field->is_array || field->is_string)
			xp_str_addf(&filter, "%s%s != %s", filter.len ? " || " : "", field->name,
				    field->is_string ? "'x'" : "1");
	}
	int ours = our_answer(tp, xp_str_text(&filter), &diag);
	int kernels = kernel_answer(fd, xp_str_text(&filter));
	if (ours || kernels)
		fail_msg("%s:%s: %s: xperf %d (%s), kernel %d", tp->subsystem, tp->event,
			 xp_str_text(&filter), ours, diag.what, kernels);
	xp_str_fini(&filter);
	nr_filters++;
}

/* Returns false if this is no tracepoint that can be opened. */
static bool check_tracepoint(const char *subsystem, const char *event)
{
	struct xp_tracepoint *tp;
	int fd;

	/* Its filters are of another kind. */
	if (!strcmp(subsystem, "ftrace") || xp_tracepoint_new(ctx, subsystem, event, &tp, NULL))
		return false;
	bool opened = may_open(tp, &fd);
	if (opened) {
		check_refusals(tp, fd);
		check_all_fields(tp, fd);
		open_fds[nr_open++] = fd;
		if (nr_open == most_open)
			close_open();
	}
	xp_tracepoint_free(tp);
	return opened;
}

static void fields_are_as_the_kernel_has_them(void **state)
{
	bool all = getenv("XPERF_TEST_ALL");
	struct xp_names subsystems = { 0 };

	(void)state;
	allow_many();
	assert_int_equal(xp_tracefs_subsystems(ctx, &subsystems), 0);
	for (int i = 0; i < subsystems.nr; i++) {
		struct xp_names events = { 0 };

		if (xp_tracefs_events(ctx, subsystems.at[i], &events))
			continue;
		for (int e = 0; e < events.nr; e++)
			if (check_tracepoint(subsystems.at[i], events.at[e]) && !all)
				break;
		xp_names_fini(&events);
	}
	close_open();
	xp_names_fini(&subsystems);
	print_message("%d tracepoints\n", nr_filters);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fields_are_as_the_kernel_has_them) };
	struct xp_tracepoint *tp;
	struct xp_diag diag;
	int fd;

	if (xp_ctx_new(NULL, &ctx))
		return 1;
	int err = xp_tracepoint_new(ctx, "sched", "sched_switch", &tp, &diag);
	if (err || !may_open(tp, &fd)) {
		printf("skipped: %s\n", err ? diag.what : "tracepoints cannot be opened");
		return 77;
	}
	close(fd);
	xp_tracepoint_free(tp);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	xp_ctx_free(ctx);
	return failed;
}
