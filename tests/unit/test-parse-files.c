/* SPDX-License-Identifier: MIT */
/* The files that event strings need: as few as possible, wherever tracefs is, readable or not. */
#include "parse-fixture.h"

#include <unistd.h>

#include "put-file.h"

/* A kernel table that counts the files looked at, and can refuse them. */
struct watching_sys {
	struct xp_sys sys;
	int opens;
	int refuse;
};

/* Without descriptors nothing can be opened, else tracefs cannot. */
static bool refuses(const struct watching_sys *w, const char *path)
{
	return w->refuse && (w->refuse == -EMFILE || strstr(path, "/tracing"));
}

static int watched_open(const struct xp_sys *sys, const char *path)
{
	struct watching_sys *w = (struct watching_sys *)(uintptr_t)sys;

	w->opens++;
	if (refuses(w, path))
		return w->refuse;
	return xp_sys_linux()->open(sys, path);
}

static int watched_list_dir(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	struct watching_sys *w = (struct watching_sys *)(uintptr_t)sys;

	w->opens++;
	if (refuses(w, path))
		return w->refuse;
	return xp_sys_linux()->list_dir(sys, path, fn, data);
}

static struct watching_sys watch(int refuse)
{
	struct watching_sys w = { .sys = *xp_sys_linux(), .refuse = refuse };

	w.sys.open = watched_open;
	w.sys.list_dir = watched_list_dir;
	return w;
}

static void built_in_names_need_no_file(void **state)
{
	struct watching_sys w = watch(0);
	struct parsing f;

	(void)state;
	setup_with(&f, &w.sys, "");
	assert_int_equal(parse(&f, "task-clock,{page-faults:u,cs}:k,1:2,mem:0x1000:w,"
				   "duration_time,page-faults/name=x/"),
			 0);
	assert_int_equal(w.opens, 0);
	teardown(&f);
}

/* Which are one PMU's or several's is seen from the names of all. */
static void hardware_names_need_one_directory(void **state)
{
	struct watching_sys w = watch(0);
	struct parsing f;

	(void)state;
	setup_tree(&f, &w.sys, "parse");
	assert_int_equal(parse(&f, "{cycles:u,LLC-load-misses}:k,r1a8"), 0);
	assert_int_equal(parse(&f, "instructions"), 0);
	assert_int_equal(w.opens, 1);
	teardown(&f);
}

static void one_tracepoint_costs_two_opens(void **state)
{
	struct watching_sys w = watch(0);
	struct parsing f;

	(void)state;
	setup_tree(&f, &w.sys, "parse");
	assert_int_equal(parse(&f, "sched:sched_switch"), 0);
	assert_int_equal(w.opens, 2);
	assert_int_equal(parse(&f, "sched:sched_wakeup"), 0);
	assert_int_equal(w.opens, 3);
	teardown(&f);
}

static void unreadable_tracefs_says_what_to_do(void **state)
{
	struct watching_sys w = watch(-EACCES);
	struct parsing f;

	(void)state;
	setup_tree(&f, &w.sys, "parse");
	assert_int_equal(parse(&f, "cs,sched:sched_switch"), -EACCES);
	assert_non_null(strstr(f.diag.what, "may not read /sys/kernel/tracing"));
	assert_non_null(strstr(f.diag.hint, "mount -o remount,mode=755 /sys/kernel/tracing"));
	assert_int_equal(f.diag.pos, 3);
	assert_int_equal(f.diag.len, 18);
	assert_int_equal(parse(&f, "sched:*"), -EACCES);
	assert_int_equal(parse(&f, "*:*"), -EACCES);
	assert_int_equal(parse(&f, "cylces:u"), -ENOENT);
	teardown(&f);
}

static void no_descriptor_left_is_not_a_missing_tracefs(void **state)
{
	struct watching_sys w = watch(-EMFILE);
	struct parsing f;

	(void)state;
	setup_tree(&f, &w.sys, "parse");
	assert_int_equal(parse(&f, "sched:sched_switch"), -EMFILE);
	assert_non_null(strstr(f.diag.what, "Too many open files"));
	assert_non_null(strstr(f.diag.hint, "ulimit -n"));
	assert_int_equal(parse(&f, "sched:*"), -EMFILE);
	teardown(&f);
}

static void missing_tracefs_says_how_to_mount_it(void **state)
{
	struct parsing f;

	(void)state;
	setup_with(&f, NULL, "/nonexistent");
	assert_int_equal(parse(&f, "sched:sched_switch"), -ENOENT);
	assert_non_null(strstr(f.diag.what, "tracefs is not mounted"));
	assert_non_null(strstr(f.diag.hint, "mount -t tracefs nodev /sys/kernel/tracing"));
	assert_int_equal(f.diag.pos, 0);
	assert_int_equal(parse(&f, "cylces:u"), -ENOENT);
	assert_non_null(strstr(f.diag.hint, "'cycles'"));
	teardown(&f);
}

static void kernel_without_tracefs_is_reported(void **state)
{
	char root[] = "/tmp/test-parse-XXXXXX";
	char command[64];
	struct parsing f;

	(void)state;
	assert_non_null(mkdtemp(root));
	put_file(root, "nodev\tsysfs\nnodev\tproc\n\text4\n", "/proc/filesystems");
	setup_with(&f, NULL, root);
	assert_int_equal(parse(&f, "sched:sched_switch"), -ENOENT);
	assert_non_null(strstr(f.diag.what, "this kernel has no tracefs"));
	assert_non_null(strstr(f.diag.hint, "CONFIG_TRACING"));
	teardown(&f);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void tracefs_is_found_where_it_is_mounted(void **state)
{
	static const struct {
		const char *mounts;
		const char *at;
	} rows[] = {
		{ "x /my\\040traces tracefs rw 0 0\n", "/my traces" },
		{ "bad line\n\nproc /proc proc rw 0 0\nx /t tracefs rw 0 0", "/t" },
		{ "", "/sys/kernel/debug/tracing" },
		{ "x /d debugfs rw 0 0\n", "/d/tracing" },
		{ "x /gone tracefs rw 0 0\nx /t tracefs rw 0 0\n", "/t" },
		{ "x /empty debugfs rw 0 0\nx /t tracefs rw 0 0\n", "/t" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char root[] = "/tmp/test-parse-XXXXXX";
		char command[64];
		struct parsing f;

		assert_non_null(mkdtemp(root));
		put_file(root, rows[i].mounts, "/proc/mounts");
		put_file(root, "77\n", "%s/events/irq/softirq_entry/id", rows[i].at);
		setup_with(&f, NULL, root);
		assert_int_equal(parse(&f, "irq:softirq_entry"), 0);
		assert_int_equal(xp_evsel_attr(xp_evlist_at(f.evlist, 0))->config, 77);
		teardown(&f);
		snprintf(command, sizeof(command), "rm -r %s", root);
		assert_int_equal(system(command), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(built_in_names_need_no_file),
		cmocka_unit_test(hardware_names_need_one_directory),
		cmocka_unit_test(one_tracepoint_costs_two_opens),
		cmocka_unit_test(unreadable_tracefs_says_what_to_do),
		cmocka_unit_test(no_descriptor_left_is_not_a_missing_tracefs),
		cmocka_unit_test(missing_tracefs_says_how_to_mount_it),
		cmocka_unit_test(kernel_without_tracefs_is_reported),
		cmocka_unit_test(tracefs_is_found_where_it_is_mounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
