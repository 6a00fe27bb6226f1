/* SPDX-License-Identifier: MIT */
/* Regions on the real kernel, with software events: nested, in threads, misused, after fork. */
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xperf/ctx.h>
#include <xperf/evsel.h>
#include <xperf/regions.h>
#include <xperf/self.h>
#include <xperf/sys.h>

enum { NR_THREADS = 64, ROUNDS = 20, PAGES = 10 };

static char path[] = "/tmp/test-regions-XXXXXX";
static char *text;

static struct xp_regions *make(const char *events)
{
	struct xp_regions_opts opts = { .size = sizeof(opts), .events = events };
	struct xp_regions *regions;
	struct xp_diag diag = { 0 };

	if (xp_regions_new(&opts, &regions, &diag))
		fail_msg("%s", diag.what);
	return regions;
}

/* Touches fresh pages, each of which takes a fault of its own. */
static void touch(size_t nr)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *memory =
		mmap(NULL, nr * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, nr * bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++)
		*(volatile char *)&memory[i * bytes] = 1;
	munmap(memory, nr * bytes);
}

/* The summary, in one line. */
static const char *summary(struct xp_regions *regions)
{
	enum { ROOM = 1 << 20 };
	struct xp_diag diag = { 0 };
	FILE *file;
	size_t len;

	if (xp_regions_write(regions, path, &diag))
		fail_msg("%s", diag.what);
	free(text);
	text = calloc(1, ROOM);
	file = fopen(path, "r");
	assert_non_null(file);
	len = fread(text, 1, ROOM - 1, file);
	fclose(file);
	for (size_t i = 0; i < len; i++)
		text[i] = text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
	return text;
}

/* The number behind @key in the first region whose path is @where. */
static unsigned long long number(const char *where, const char *key)
{
	const char *at = strstr(text, where);

	at = at ? strstr(at, key) : NULL;
	if (!at)
		fail_msg("no %s of %s in %s", key, where, text);
	return strtoull(at + strlen(key), NULL, 10);
}

static void regions_nest_and_add_up(void **state)
{
	struct xp_regions *regions = make("page-faults,task-clock");
	unsigned long long outer, inner;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		assert_int_equal(xp_region_begin(regions, "outer"), 0);
		touch(PAGES);
		for (int j = 0; j < 2; j++) {
			assert_int_equal(xp_region_begin(regions, "inner \"x\""), 0);
			touch(PAGES);
			assert_int_equal(xp_region_end(regions, "inner \"x\""), 0);
		}
		assert_int_equal(xp_region_end(regions, "outer"), 0);
	}
	summary(regions);
	assert_int_equal(number("[\"outer\"]", "\"calls\": "), ROUNDS);
	assert_int_equal(number("[\"outer\", \"inner \\\"x\\\"\"]", "\"calls\": "), 2 * ROUNDS);
	outer = number("[\"outer\"]", "\"value\": ");
	inner = number("[\"outer\", \"inner \\\"x\\\"\"]", "\"value\": ");
	assert_in_range(inner, 2 * ROUNDS * PAGES, 2 * ROUNDS * PAGES + 100);
	assert_in_range(outer, 3 * ROUNDS * PAGES, 3 * ROUNDS * PAGES + 200);
	assert_int_equal(number("\"xperf_regions\"", "\"misused\": "), 0);
	assert_true(number("[\"outer\"]", "\"wall_ns\": ") > 0);
	xp_regions_free(regions);
}

static void misuse_is_reported(void **state)
{
	struct xp_regions *regions = make("page-faults");

	(void)state;
	assert_int_equal(xp_region_end(regions, "never"), -EINVAL);
	assert_int_equal(xp_region_begin(regions, "a"), 0);
	assert_int_equal(xp_region_begin(regions, "b"), 0);
	assert_int_equal(xp_region_end(regions, "a"), 0);
	assert_int_equal(xp_region_end(regions, "b"), -EINVAL);
	assert_null(strstr(summary(regions), "\"b\""));
	assert_int_equal(number("\"xperf_regions\"", "\"misused\": "), 3);
	xp_regions_free(regions);
}

static void *run_thread(void *data)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (xp_region_begin(data, "work"))
			return data;
		touch(PAGES);
		if (xp_region_end(data, "work"))
			return data;
	}
	return NULL;
}

/* Each counts itself: the sum is that of all, none has another's. */
static void threads_count_themselves(void **state)
{
	struct xp_regions *regions = make("page-faults");
	pthread_t threads[NR_THREADS];
	const char *at;
	int nr = 0;

	(void)state;
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_thread, regions), 0);
	summary(regions); /* in the middle of it */
	for (int i = 0; i < NR_THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	summary(regions);
	assert_int_equal(number("\"regions\": [", "\"calls\": "), NR_THREADS * ROUNDS);
	assert_in_range(number("\"regions\": [", "\"value\": "), NR_THREADS * ROUNDS * PAGES,
			NR_THREADS * (ROUNDS * PAGES + 40));
	for (at = strstr(text, "\"tid\": "); at; at = strstr(at + 1, "\"tid\": "), nr++)
		assert_in_range(strtoull(strstr(at, "\"value\": ") + 9, NULL, 10), ROUNDS * PAGES,
				ROUNDS * PAGES + 40);
	assert_int_equal(nr, NR_THREADS);
	xp_regions_free(regions);
}

static void a_child_counts_nothing(void **state)
{
	struct xp_regions *regions = make("page-faults");
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(xp_region_begin(regions, "a"), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int bad = xp_region_end(regions, "a") != -EPERM ||
			  xp_region_begin(regions, "a") != -EPERM ||
			  xp_regions_write(regions, "/dev/null", NULL) != -EPERM;

		xp_regions_free(regions);
		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(xp_region_end(regions, "a"), 0);
	summary(regions);
	assert_int_equal(number("[\"a\"]", "\"calls\": "), 1);
	xp_regions_free(regions);
}

static int nr_refused;

static int refuse(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		  int group_fd, unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	nr_refused++;
	return -EBUSY;
}

/* Where events cannot be opened it is tried once, and reported. */
static void a_thread_that_cannot_count_is_reported(void **state)
{
	struct xp_sys sys = *xp_sys_linux();
	struct xp_ctx_opts ctx = { .size = sizeof(ctx), .sys = &sys };
	struct xp_regions_opts opts = { .size = sizeof(opts),
					.events = "page-faults",
					.ctx = &ctx };
	struct xp_regions *regions;
	int tried;

	(void)state;
	sys.perf_event_open = refuse;
	assert_int_equal(xp_regions_new(&opts, &regions, NULL), 0);
	assert_int_equal(xp_region_begin(regions, "a"), -EBUSY);
	tried = nr_refused;
	assert_true(tried > 0);
	assert_int_equal(xp_region_end(regions, "a"), -EBUSY);
	assert_int_equal(xp_region_begin(regions, "a"), -EBUSY);
	assert_int_equal(nr_refused, tried);
	summary(regions);
	assert_int_equal(number("\"failed\"", "\"threads\": "), 1);
	assert_non_null(strstr(text, "\"reason\": \"page-faults cannot be counted"));
	assert_non_null(strstr(text, "\"threads\": []"));
	xp_regions_free(regions);
}

static void what_is_wrong_is_said_at_once(void **state)
{
	struct xp_regions_opts opts = { .size = sizeof(opts), .events = "no-such-event" };
	struct xp_regions *regions = NULL;
	struct xp_diag diag = { 0 };

	(void)state;
	assert_true(xp_regions_new(&opts, &regions, &diag) < 0);
	assert_non_null(strstr(diag.what, "no-such-event"));
	assert_null(regions);
	opts.events = "";
	assert_true(xp_regions_new(&opts, &regions, &diag) < 0);
	setenv("XPERF_REGIONS", path, 1);
	setenv("XPERF_EVENTS", "no-such-event", 1);
	assert_int_equal(xp_regions_from_env(&regions, &diag), -ENOENT);
	assert_ptr_equal(strstr(diag.what, "XPERF_EVENTS: there is no event 'no-such-event'"),
			 diag.what);
	assert_null(regions);
	unsetenv("XPERF_EVENTS");
	unsetenv("XPERF_REGIONS");
	assert_int_equal(xp_regions_from_env(&regions, &diag), 0);
	assert_null(regions);
	xp_regions_free(NULL);

	regions = make("page-faults");
	assert_int_equal(xp_regions_write(regions, NULL, &diag), -EINVAL);
	assert_int_equal(xp_regions_write(regions, "/no/such/folder/x", &diag), -ENOENT);
	assert_non_null(strstr(diag.what, "/no/such/folder/x"));
	xp_regions_free(regions);
}

static int can_count(void)
{
	struct xp_regions *regions = make("page-faults");
	int err = xp_region_begin(regions, "probe");

	xp_regions_free(regions);
	return err;
}

struct seen {
	struct xp_regions *regions;
	int nr, stop_at;
	uint64_t calls, faults;
	pid_t tids[2];
	char paths[200];
};

static int look(const struct xp_region_info *region, void *data)
{
	struct seen *seen = data;
	size_t len = strlen(seen->paths);

	for (int i = 0; i < region->depth; i++)
		len += (size_t)snprintf(seen->paths + len, sizeof(seen->paths) - len, "%s%s",
					i ? "/" : "", region->path[i]);
	snprintf(seen->paths + len, sizeof(seen->paths) - len, " ");
	assert_int_equal(region->nr_events, 1);
	seen->calls += region->calls;
	seen->faults += region->counts[0].value;
	assert_true(region->wall_ns > 0);
	if (seen->nr < 2)
		seen->tids[seen->nr] = region->tid;
	/* It may be asked, and counted, meanwhile. */
	assert_string_equal(xp_regions_event_name(seen->regions, 0), "page-faults:u");
	assert_int_equal(xp_region_begin(seen->regions, "look"), 0);
	assert_int_equal(xp_region_end(seen->regions, "look"), 0);
	return ++seen->nr == seen->stop_at ? 7 : 0;
}

static void *count_elsewhere(void *regions)
{
	assert_int_equal(xp_region_begin(regions, "outer"), 0);
	touch(PAGES);
	assert_int_equal(xp_region_end(regions, "outer"), 0);
	return NULL;
}

static void a_program_reads_its_regions(void **state)
{
	struct xp_regions *regions = make("page-faults:u");
	struct seen seen = { .regions = regions };
	pthread_t thread;
	int status;

	(void)state;
	assert_int_equal(xp_regions_walk(regions, false, look, &seen), 0);
	assert_int_equal(seen.nr, 0);
	assert_null(xp_regions_event_name(regions, 0));
	assert_int_equal(xp_region_begin(regions, "outer"), 0);
	assert_int_equal(xp_region_begin(regions, "inner"), 0);
	touch(PAGES);
	assert_int_equal(xp_region_end(regions, "inner"), 0);
	assert_int_equal(xp_region_end(regions, "outer"), 0);
	assert_int_equal(pthread_create(&thread, NULL, count_elsewhere, regions), 0);
	pthread_join(thread, NULL);

	assert_int_equal(xp_regions_walk(regions, false, look, &seen), 0);
	assert_string_equal(seen.paths, "outer outer/inner ");
	assert_int_equal(seen.calls, 3);
	assert_in_range(seen.faults, 3 * PAGES, 6 * PAGES);
	assert_int_equal(seen.tids[0], 0);
	assert_string_equal(xp_regions_event_reason(regions, 0), "");
	assert_null(xp_regions_event_name(regions, 1));

	seen = (struct seen){ .regions = regions, .stop_at = 1 };
	assert_int_equal(xp_regions_walk(regions, true, look, &seen), 7);
	assert_int_equal(seen.nr, 1);
	assert_true(seen.tids[0] > 0);
	pid_t child = fork();
	if (!child)
		_exit(xp_regions_walk(regions, false, look, &seen) != -EPERM);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	xp_regions_free(regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_nest_and_add_up),
		cmocka_unit_test(misuse_is_reported),
		cmocka_unit_test(threads_count_themselves),
		cmocka_unit_test(a_child_counts_nothing),
		cmocka_unit_test(a_program_reads_its_regions),
		cmocka_unit_test(a_thread_that_cannot_count_is_reported),
		cmocka_unit_test(what_is_wrong_is_said_at_once),
	};
	int err = can_count(), fd = mkstemp(path);

	if (err) {
		printf("the kernel does not let this process count: %s\n", strerror(-err));
		return 77;
	}
	close(fd);
	err = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	free(text);
	return err;
}
