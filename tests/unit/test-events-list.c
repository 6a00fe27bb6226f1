/* SPDX-License-Identifier: MIT */
/*
 * lib/evlist/events-list.c on a small tree: every event that is listed parses to itself, by its
 * names and by its encoding, and one answer of the kernel serves all tracepoints.
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

#include <xperf/xperf.h>

/* A kernel that answers every open with @answer. */
static struct xp_sys fake;
static int answer;
static int nr_opens;
static int nr_ids_read;

static int fake_open(const struct xp_sys *sys, const char *path)
{
	size_t len = strlen(path);

	nr_ids_read += len > 3 && !strcmp(path + len - 3, "/id");
	return xp_sys_linux()->open(sys, path);
}

static int fake_open_event(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
			   int group_fd, unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	nr_opens++;
	return answer ? answer : xp_sys_linux()->open(xp_sys_linux(), "/dev/null");
}

struct fixture {
	struct xp_ctx *ctx;
	int nr[XP_EVENT_NR_KINDS];
	int nr_not_open;
};

static void setup(struct fixture *f, const char *tree, int err)
{
	char root[4096];
	const char *source = getenv("SOURCE_DIR");
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &fake, .root = root };

	snprintf(root, sizeof(root), "%s/tests/data/roots/%s", source ? source : ".", tree);
	*f = (struct fixture){ 0 };
	fake = *xp_sys_linux();
	fake.perf_event_open = fake_open_event;
	fake.open = fake_open;
	answer = err;
	nr_opens = 0;
	nr_ids_read = 0;
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
}

static void assert_parses_to(struct fixture *f, const char *text, const struct xp_attr *same)
{
	struct xp_evlist *evlist;
	struct xp_diag diag = { 0 };

	assert_int_equal(xp_evlist_new(f->ctx, &evlist), 0);
	if (xp_evlist_parse(evlist, text, &diag))
		fail_msg("'%s' is listed, but: %s", text, diag.what);
	assert_int_equal(xp_evlist_nr(evlist), 1);
	const struct xp_attr *attr = xp_evsel_attr_const(xp_evlist_at(evlist, 0));
	if (same && (attr->type != same->type || attr->config != same->config ||
		     attr->config1 != same->config1 || attr->config2 != same->config2))
		fail_msg("'%s' is another event", text);
	xp_evlist_free(evlist);
}

static struct xp_attr attr_of(struct fixture *f, const char *text)
{
	struct xp_evlist *evlist;

	assert_parses_to(f, text, NULL);
	assert_int_equal(xp_evlist_new(f->ctx, &evlist), 0);
	assert_int_equal(xp_evlist_parse(evlist, text, NULL), 0);
	struct xp_attr attr = *xp_evsel_attr_const(xp_evlist_at(evlist, 0));
	xp_evlist_free(evlist);
	return attr;
}

/* The tree has PMU events that are wrong on purpose. */
static bool is_damaged(const struct xp_event_info *event)
{
	return strstr(event->name, "circular") || strstr(event->name, "damaged");
}

static int check(const struct xp_event_info *event, void *data)
{
	struct fixture *f = data;

	f->nr[event->kind]++;
	f->nr_not_open += event->state != XP_EVENT_OPENS;
	assert_true(!*event->reason || event->reason[strlen(event->reason) - 1] != '.');
	if (event->kind == XP_EVENT_RAW || event->kind == XP_EVENT_BREAKPOINT || is_damaged(event))
		return 0;
	struct xp_attr attr = attr_of(f, event->name);
	if (*event->alias && event->kind != XP_EVENT_PMU)
		assert_parses_to(f, event->alias, &attr);
	if (*event->encoding)
		assert_parses_to(f, event->encoding, event->kind == XP_EVENT_PMU ? NULL : &attr);
	assert_int_equal(!*event->encoding, event->kind == XP_EVENT_TOOL);
	return 0;
}

static void every_event_parses(void **state)
{
	struct xp_list_opts opts = { .size = sizeof(opts), .encoding = true };
	struct fixture f;

	(void)state;
	setup(&f, "parse", 0);
	assert_int_equal(xp_events_list(f.ctx, &opts, check, &f, NULL), 0);
	assert_int_equal(f.nr[XP_EVENT_HARDWARE], 10);
	assert_int_equal(f.nr[XP_EVENT_SOFTWARE], 12);
	assert_int_equal(f.nr[XP_EVENT_TOOL], 15);
	assert_int_equal(f.nr[XP_EVENT_PMU], 6);
	assert_true(f.nr[XP_EVENT_CACHE] > 20);
	assert_true(f.nr[XP_EVENT_TRACEPOINT] >= 8);
	xp_ctx_free(f.ctx);
}

static int count(const struct xp_event_info *event, void *data)
{
	struct fixture *f = data;

	f->nr[event->kind]++;
	f->nr_not_open += event->state == XP_EVENT_FORBIDDEN;
	return 0;
}

static void one_answer_for_all_tracepoints(void **state)
{
	struct xp_list_opts opts = { .size = sizeof(opts), .kinds = 1U << XP_EVENT_TRACEPOINT };
	struct fixture f;

	(void)state;
	setup(&f, "parse", -EACCES);
	assert_int_equal(xp_events_list(f.ctx, &opts, count, &f, NULL), 0);
	assert_int_equal(nr_opens, 1);
	assert_int_equal(nr_ids_read, 1);
	assert_true(f.nr[XP_EVENT_TRACEPOINT] >= 8);
	assert_int_equal(f.nr_not_open, f.nr[XP_EVENT_TRACEPOINT]);
	assert_int_equal(f.nr[XP_EVENT_HARDWARE], 0);
	xp_ctx_free(f.ctx);
}

static int check_name(const struct xp_event_info *event, void *data)
{
	struct fixture *f = data;

	if (event->kind == XP_EVENT_RAW || event->kind == XP_EVENT_BREAKPOINT)
		return 0;
	f->nr[event->kind]++;
	assert_parses_to(f, event->name, NULL);
	return 0;
}

static void what_this_machine_has_parses(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &f.ctx), 0);
	xp_events_list(f.ctx, NULL, check_name, &f, NULL);
	assert_int_equal(f.nr[XP_EVENT_HARDWARE], 10);
	print_message("%d PMU events, %d tracepoints\n", f.nr[XP_EVENT_PMU],
		      f.nr[XP_EVENT_TRACEPOINT]);
	xp_ctx_free(f.ctx);
}

static int stop(const struct xp_event_info *event, void *data)
{
	(void)event;
	return ++*(int *)data == 3 ? 7 : 0;
}

static void a_callback_stops_the_walk(void **state)
{
	struct fixture f;
	int nr = 0;

	(void)state;
	setup(&f, "parse", 0);
	assert_int_equal(xp_events_list(f.ctx, NULL, stop, &nr, NULL), 7);
	assert_int_equal(nr, 3);
	xp_ctx_free(f.ctx);
}

static void a_machine_with_nothing(void **state)
{
	struct fixture f;
	struct xp_diag diag = { 0 };

	(void)state;
	setup(&f, "no-such-tree", -ENOENT);
	assert_int_equal(xp_events_list(f.ctx, NULL, count, &f, &diag), -ENOENT);
	assert_non_null(strstr(diag.what, "tracefs is not mounted"));
	assert_int_equal(f.nr[XP_EVENT_HARDWARE], 10);
	assert_int_equal(f.nr[XP_EVENT_PMU], 0);
	xp_ctx_free(f.ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_parses),
		cmocka_unit_test(one_answer_for_all_tracepoints),
		cmocka_unit_test(what_this_machine_has_parses),
		cmocka_unit_test(a_callback_stops_the_walk),
		cmocka_unit_test(a_machine_with_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
