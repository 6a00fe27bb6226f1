/* SPDX-License-Identifier: MIT */
/*
 * What reading one's own counters costs, by every way there is, in nanoseconds and, where they can
 * be counted, in instructions of user space. A line per way: "NAME\tNS\tINSTRUCTIONS", the medians
 * of some rounds.
 *
 *     self [EVENT [NUMBER]]
 *
 * EVENT is instructions:u where there is a PMU, else page-faults:u; NUMBER of them make the
 * group, 8.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "self-papi.h"

/* A round is shorter than what the scheduler gives a thread on a busy machine. */
enum { ROUNDS = 151, CALLS = 200, MOST_EVENTS = 16 };

static struct bench {
	struct xp_ctx *ctx;
	struct xp_self *self;
	struct xp_self_event event, meter;
	struct xp_userpage page;
	struct xp_regions *regions;
	struct xp_count counts[MOST_EVENTS];
	uint64_t buf[3 + 2 * MOST_EVENTS];
	int fd;
	bool has_meter;
} b;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void die(const char *what, const struct xp_diag *diag)
{
	fprintf(stderr, "self: %s: %s\n", what, diag->what);
	exit(1);
}

static struct xp_evlist *parse(const char *event, int nr)
{
	struct xp_diag diag = { 0 };
	struct xp_evlist *list = NULL;
	char text[MOST_EVENTS * 64] = "{";

	for (int i = 0; i < nr; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "," : "",
			 event);
	strcat(text, "}");
	if (xp_evlist_new(b.ctx, &list) || xp_evlist_parse(list, nr > 1 ? text : event, &diag))
		die(event, &diag);
	return list;
}

static struct xp_self *open_list(struct xp_evlist *list)
{
	struct xp_diag diag = { 0 };
	struct xp_self *self = NULL;

	if (xp_self_open(list, &self, &diag))
		die("open", &diag);
	return self;
}

static void do_nothing(void)
{
	__asm__ volatile("" : : : "memory");
}

static void do_getppid(void)
{
	getppid();
}

static bool fake_counter(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	*ret_raw = counter;
	__asm__ volatile("" : "+r"(*ret_raw));
	return true;
}

static uint64_t fake_ticks(const struct xp_arch *arch)
{
	(void)arch;
	return 12345;
}

/* What a reading in line costs but for the processor's own instructions, which may be missing. */
static void do_page(void)
{
	const struct xp_page_reader reader = { NULL, fake_counter, fake_ticks };

	xp_page_read_with(&b.page, &reader, b.counts);
	__asm__ volatile("" : : "r"(b.counts) : "memory");
}

static void do_in_line(void)
{
	xp_self_event_read(&b.event, b.counts);
}

static void do_event(void)
{
	xp_self_read_event(b.self, 0, b.counts);
}

static void do_many(void)
{
	xp_self_read(b.self, b.counts);
}

static void do_read(void)
{
	if (read(b.fd, b.buf, sizeof(b.buf)) < 0)
		abort();
}

static void do_region(void)
{
	xp_region_begin(b.regions, "region");
	xp_region_end(b.regions, "region");
}

/* As the macros are where the environment does not ask for regions. */
static void do_region_off(void)
{
	static struct xp_regions *volatile here;

	if (here)
		xp_region_begin(here, "region");
	if (here)
		xp_region_end(here, "region");
}

static int by_value(const void *a, const void *c)
{
	double x = *(const double *)a, y = *(const double *)c;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), by_value);
	return values[ROUNDS / 2];
}

/* One way; the empty loop's own cost is taken off by whoever reads the lines. */
static void measure(const char *name, void (*way)(void))
{
	double ns[ROUNDS], instructions[ROUNDS] = { 0 };

	for (int round = 0; round < ROUNDS; round++) {
		struct xp_count before = { 0 }, after = { 0 };
		uint64_t start;

		if (b.has_meter)
			xp_self_event_read(&b.meter, &before);
		start = now_ns();
		for (int i = 0; i < CALLS; i++)
			way();
		ns[round] = (double)(now_ns() - start) / CALLS;
		if (b.has_meter)
			xp_self_event_read(&b.meter, &after);
		instructions[round] = (double)(after.value - before.value) / CALLS;
	}
	printf("%s\t%.1f\t", name, median(ns));
	if (b.has_meter)
		printf("%.1f", median(instructions));
	putchar('\n');
	fflush(stdout);
}

static bool is_supported(const char *event)
{
	struct xp_evlist *list = parse(event, 1);
	struct xp_self *self = open_list(list);
	bool is = xp_evsel_support(xp_evlist_at(list, 0)) == XP_SUPPORTED;

	xp_self_close(self);
	xp_evlist_free(list);
	return is;
}

/* Events are open while they are measured, and no longer: they would share the counters. */
static void measure_self(const char *event, int nr)
{
	static const char *const paths[] = { "not at all", "from user space", "by read(2)" };
	struct xp_evlist *list = parse(event, nr);

	b.self = open_list(list);
	xp_self_event_init(b.self, 0, &b.event);
	if (nr == 1)
		measure("one event, in line", do_in_line);
	if (nr == 1)
		measure("one event, xp_self_read_event", do_event);
	else
		measure("group, xp_self_read", do_many);
	printf("%d at a time are read %s\n", nr, paths[xp_self_path_at(b.self, 0)]);
	xp_self_close(b.self);
	xp_evlist_free(list);
}

/* The same by a plain read(2). */
static void measure_read(const char *event, int nr)
{
	struct xp_evlist *list = parse(event, 1);
	struct xp_attr attr = *xp_evsel_attr_const(xp_evlist_at(list, 0));
	const struct xp_sys *sys = xp_ctx_sys(b.ctx);
	int fds[MOST_EVENTS] = { -1 };

	attr.disabled = 0;
	attr.read_format = nr > 1 ? 1 << 3 | 3 : 3;
	for (int i = 0; i < nr; i++)
		fds[i] = sys->perf_event_open(sys, &attr, 0, -1, i ? fds[0] : -1, 0);
	b.fd = fds[0];
	measure(nr > 1 ? "group, read(2)" : "one event, read(2)", do_read);
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	xp_evlist_free(list);
}

static void measure_regions(const char *event)
{
	struct xp_regions_opts opts = { .size = sizeof(opts), .events = event };
	struct xp_diag diag = { 0 };

	if (xp_regions_new(&opts, &b.regions, &diag))
		die("regions", &diag);
	measure("region of one event", do_region);
	xp_regions_free(b.regions);
	measure("region, off", do_region_off);
}

int main(int argc, char **argv)
{
	int nr = argc > 2 ? atoi(argv[2]) : 8;

	if (xp_ctx_new(NULL, &b.ctx) || nr < 2 || nr > MOST_EVENTS)
		return 1;
	b.has_meter = is_supported("instructions:u");
	if (b.has_meter)
		xp_self_event_init(open_list(parse("instructions:u", 1)), 0, &b.meter);
	b.page = (struct xp_userpage){ .index = 1,
				       .offset = 1000,
				       .capabilities = XP_PAGE_CAP_RDPMC | XP_PAGE_CAP_TIME,
				       .pmc_width = 48,
				       .time_shift = 10,
				       .time_mult = 1024 };
	const char *event = argc > 1 ? argv[1] : b.has_meter ? "instructions:u" : "page-faults:u";

	measure("nothing", do_nothing);
	measure("getppid(2)", do_getppid);
	measure("in line, without the counter's instruction", do_page);
	measure_self(event, 1);
	measure_self(event, nr);
	measure_read(event, 1);
	measure_read(event, nr);
	measure_regions(event);
	if (papi_open(event, 1))
		measure("one event, PAPI_read", papi_read);
	if (papi_open(event, nr))
		measure("group, PAPI_read", papi_read);
	return 0;
}
