/* SPDX-License-Identifier: MIT */
/* What processes had mapped when a sample was taken, while more is being mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "live-maps.h"
#include "timeline-records.h"

#define NOW UINT64_MAX

static void add(struct xp_live_maps *maps, struct timed rec)
{
	assert_int_equal(xp_live_add(maps, &rec.header, rec.time_ns), 0);
}

static void map(struct xp_live_maps *maps, uint64_t time, uint32_t pid, uint64_t start,
		uint64_t len, const char *name)
{
	add(maps, mmap2_record(time, pid, start, len, 0x1000, name));
}

/* "name+offset" of what is at an address, "-" for nothing. */
static const char *at(const struct xp_live_maps *maps, uint32_t pid, uint64_t time,
		      uint64_t address)
{
	static char text[128];
	uint64_t state;
	const struct xp_live_space *space = xp_live_space(maps, pid, time, &state);
	struct xp_live_map map;

	if (!space || !xp_live_find(space, time, address, &map))
		return "-";
	const struct xp_live_file *file = xp_live_file(maps, map.file);
	snprintf(text, sizeof(text), "%s+%#llx", file ? file->name : "memory",
		 (unsigned long long)(address - map.start + map.offset));
	return text;
}

static void maps_are_found_by_time(void **state)
{
	struct xp_live_maps maps = { 0 };

	(void)state;
	map(&maps, 0, 1, 0x400000, 0x10000, "/bin/sh");
	map(&maps, 0, 1, 0x500000, 0x10000, "//anon");
	map(&maps, 100, 1, 0x700000, 0x10000, "/lib/one");
	assert_string_equal(at(&maps, 1, 50, 0x400010), "/bin/sh+0x1010");
	assert_string_equal(at(&maps, 1, 50, 0x500000), "memory+0x1000");
	assert_string_equal(at(&maps, 1, NOW, 0x410000), "-");
	assert_string_equal(at(&maps, 1, NOW, 0x3fffff), "-");
	assert_string_equal(at(&maps, 2, NOW, 0x400010), "-");
	assert_string_equal(at(&maps, 1, 99, 0x700000), "/lib/one+0x1000"); /* a little before */

	/* another one in its place, which leaves both ends */
	map(&maps, 200, 1, 0x704000, 0x4000, "/lib/two");
	assert_string_equal(at(&maps, 1, 150, 0x704000), "/lib/one+0x5000");
	assert_string_equal(at(&maps, 1, 200, 0x704000), "/lib/two+0x1000");
	assert_string_equal(at(&maps, 1, 200, 0x703fff), "/lib/one+0x4fff");
	assert_string_equal(at(&maps, 1, 200, 0x708000), "/lib/one+0x9000");

	/* what is described again is known */
	map(&maps, 0, 1, 0x704000, 0x4000, "/lib/two");
	assert_string_equal(at(&maps, 1, 150, 0x704000), "/lib/one+0x5000");

	/* data where code was */
	struct timed data = mmap2_record(300, 1, 0x704000, 0x1000, 0, "/lib/data");
	data.mmap2.prot = 1;
	add(&maps, data);
	struct xp_live_map found;
	uint64_t space_state;
	const struct xp_live_space *space = xp_live_space(&maps, 1, 300, &space_state);
	assert_true(xp_live_find(space, 300, 0x704000, &found));
	assert_false(found.is_executable);
	assert_string_equal(at(&maps, 1, 299, 0x704000), "/lib/two+0x1000");

	xp_live_prune(&maps, 250);
	assert_string_equal(at(&maps, 1, 299, 0x704000), "/lib/two+0x1000");
	assert_string_equal(at(&maps, 1, 150, 0x704001), "memory+0x1"); /* forgotten */
	xp_live_fini(&maps);
}

static void a_state_lasts_until_a_change(void **state)
{
	struct xp_live_maps maps = { 0 };
	uint64_t first, second, before;

	(void)state;
	map(&maps, 10, 1, 0x400000, 0x1000, "/bin/sh");
	xp_live_space(&maps, 1, 20, &first);
	assert_true(first);
	map(&maps, 30, 2, 0x400000, 0x1000, "/bin/other");
	xp_live_space(&maps, 1, 40, &second);
	assert_int_equal(first, second);
	map(&maps, 50, 1, 0x500000, 0x1000, "/lib/one");
	xp_live_space(&maps, 1, 60, &second);
	xp_live_space(&maps, 1, 49, &before);
	assert_true(second && second != first);
	assert_int_equal(before, 0); /* answers differ from those of the present */
	xp_live_fini(&maps);
}

static void exec_begins_anew(void **state)
{
	struct xp_live_maps maps = { 0 };

	(void)state;
	map(&maps, 0, 1, 0x400000, 0x1000, "/bin/sh");
	add(&maps, comm_record(50, 1, 1, "name", false));
	assert_string_equal(at(&maps, 1, 60, 0x400000), "/bin/sh+0x1000");
	add(&maps, comm_record(100, 1, 1, "ls", true));
	map(&maps, 101, 1, 0x400000, 0x1000, "/bin/ls");
	assert_string_equal(at(&maps, 1, 99, 0x400000), "/bin/sh+0x1000");
	assert_string_equal(at(&maps, 1, 102, 0x400000), "/bin/ls+0x1000");
	assert_string_equal(at(&maps, 1, 102, 0x400fff), "/bin/ls+0x1fff");

	/* more spaces than are remembered */
	for (uint64_t time = 200; time < 300; time += 10)
		add(&maps, comm_record(time, 1, 1, "again", true));
	assert_string_equal(at(&maps, 1, NOW, 0x400000), "-");
	xp_live_prune(&maps, 1000);
	map(&maps, 1001, 1, 0x400000, 0x1000, "/bin/last");
	assert_string_equal(at(&maps, 1, NOW, 0x400000), "/bin/last+0x1000");
	xp_live_fini(&maps);
}

/* On another CPU the process went on mapping, and that ring was read before. */
static void records_can_come_after_later_ones(void **state)
{
	struct xp_live_maps maps = { 0 };

	(void)state;
	map(&maps, 0, 1, 0x400000, 0x1000, "/bin/sh");
	map(&maps, 50, 1, 0x600000, 0x1000, "/lib/old");
	map(&maps, 110, 1, 0x500000, 0x1000, "/bin/ls");
	add(&maps, comm_record(100, 1, 1, "ls", true));
	assert_string_equal(at(&maps, 1, 120, 0x500000), "/bin/ls+0x1000");
	assert_string_equal(at(&maps, 1, 120, 0x400000), "-");
	assert_string_equal(at(&maps, 1, 120, 0x600000), "-");
	assert_string_equal(at(&maps, 1, 99, 0x600000), "/lib/old+0x1000");

	/* the same of an exec that a later one came before */
	add(&maps, comm_record(300, 1, 1, "second", true));
	map(&maps, 310, 1, 0x700000, 0x1000, "/bin/second");
	add(&maps, comm_record(200, 1, 1, "first", true));
	assert_string_equal(at(&maps, 1, 320, 0x700000), "/bin/second+0x1000");

	/* a child */
	map(&maps, 420, 2, 0x800000, 0x1000, "/lib/child");
	add(&maps, task_record(XP_RECORD_FORK, 410, 2, 2, 1, 1));
	assert_string_equal(at(&maps, 2, 430, 0x700000), "/bin/second+0x1000");
	assert_string_equal(at(&maps, 2, 430, 0x800000), "/lib/child+0x1000");
	assert_string_equal(at(&maps, 1, 430, 0x800000), "-");
	xp_live_fini(&maps);
}

static void children_have_maps_of_their_parent(void **state)
{
	struct xp_live_maps maps = { 0 };

	(void)state;
	map(&maps, 0, 1, 0x400000, 0x1000, "/bin/sh");
	add(&maps, task_record(XP_RECORD_FORK, 10, 2, 2, 1, 1));
	assert_string_equal(at(&maps, 2, 20, 0x400000), "/bin/sh+0x1000");
	/* a change is the child's, or the parent's, alone */
	map(&maps, 30, 2, 0x500000, 0x1000, "/lib/child");
	map(&maps, 30, 1, 0x600000, 0x1000, "/lib/parent");
	assert_string_equal(at(&maps, 1, 40, 0x500000), "-");
	assert_string_equal(at(&maps, 2, 40, 0x500000), "/lib/child+0x1000");
	assert_string_equal(at(&maps, 2, 40, 0x600000), "-");
	assert_string_equal(at(&maps, 1, 40, 0x600000), "/lib/parent+0x1000");

	/* a task that ran already is described by its own maps */
	add(&maps, task_record(XP_RECORD_FORK, 0, 3, 3, 1, 1));
	map(&maps, 0, 3, 0x700000, 0x1000, "/bin/three");
	assert_string_equal(at(&maps, 3, 40, 0x400000), "-");
	assert_string_equal(at(&maps, 3, 40, 0x700000), "/bin/three+0x1000");

	/* the fork was in a ring that was read later than the exec */
	map(&maps, 52, 4, 0x400000, 0x1000, "/bin/early");
	add(&maps, comm_record(51, 5, 5, "five", true));
	map(&maps, 52, 5, 0x400000, 0x1000, "/bin/five");
	add(&maps, task_record(XP_RECORD_FORK, 50, 5, 5, 1, 1));
	assert_string_equal(at(&maps, 5, 60, 0x400000), "/bin/five+0x1000");
	xp_live_fini(&maps);
}

static void processes_are_forgotten_after_their_end(void **state)
{
	struct xp_live_maps maps = { 0 };

	(void)state;
	for (uint32_t pid = 1; pid <= 3; pid++)
		map(&maps, 0, pid, 0x400000, 0x1000, "/bin/sh");
	add(&maps, task_record(XP_RECORD_FORK, 10, 2, 22, 2, 2)); /* a second thread */
	add(&maps, task_record(XP_RECORD_EXIT, 20, 1, 1, 0, 0));
	add(&maps, task_record(XP_RECORD_EXIT, 20, 2, 2, 0, 0));
	xp_live_prune(&maps, 20);
	assert_string_equal(at(&maps, 1, 19, 0x400000), "/bin/sh+0x1000");
	xp_live_prune(&maps, 30);
	assert_string_equal(at(&maps, 1, 19, 0x400000), "-");
	assert_string_equal(at(&maps, 2, 40, 0x400000), "/bin/sh+0x1000");
	assert_string_equal(at(&maps, 3, 40, 0x400000), "/bin/sh+0x1000");

	/* its number is given to another one */
	add(&maps, task_record(XP_RECORD_FORK, 50, 1, 1, 3, 3));
	assert_string_equal(at(&maps, 1, 60, 0x400000), "/bin/sh+0x1000");
	add(&maps, task_record(XP_RECORD_EXIT, 70, 2, 22, 0, 0));
	xp_live_prune(&maps, 80);
	xp_live_prune(&maps, 90);
	assert_string_equal(at(&maps, 2, 40, 0x400000), "-");
	xp_live_fini(&maps);
}

static void damaged_records_are_refused(void **state)
{
	struct xp_live_maps maps = { 0 };
	struct timed rec = mmap2_record(1, 1, 0x1000, 0x1000, 0, "/bin/sh");

	(void)state;
	rec.header.size = 32;
	assert_int_equal(xp_live_add(&maps, &rec.header, 1), -EBADMSG);
	add(&maps, mmap2_record(1, 1, 0x2000, 0, 0, "/bin/sh"));
	add(&maps, mmap2_record(1, 1, UINT64_MAX - 10, 0x1000, 0, "/bin/sh"));
	add(&maps, kernel_record(0xffffffff80000000, 0x1000, 0, "[kernel.kallsyms]_text"));
	assert_string_equal(at(&maps, 1, 1, 0x2000), "-");
	assert_string_equal(at(&maps, (uint32_t)-1, 1, 0xffffffff80000000), "-");
	xp_live_fini(&maps);
}

/* As when all processes of a large machine are described, and each forks. */
static void many_maps_take_no_more_than_their_room(void **state)
{
	enum { NR_PROCESSES = 200, NR_MAPS = 5000 };
	struct xp_live_maps maps = { 0 };
	char name[32];

	(void)state;
	for (uint64_t i = 0; i < NR_MAPS; i++) {
		snprintf(name, sizeof(name), "/lib/%d", (int)i % 100);
		map(&maps, 0, 1, 0x400000 + i * 0x2000, 0x1000, name);
	}
	for (uint32_t pid = 2; pid < NR_PROCESSES; pid++)
		add(&maps, task_record(XP_RECORD_FORK, pid, pid, pid, 1, 1));
	size_t bytes = maps.bytes;
	for (uint32_t pid = 2; pid < NR_PROCESSES; pid++)
		add(&maps, comm_record(1000 + pid, pid, pid, "new", true));
	assert_int_equal(maps.bytes, bytes);
	assert_true(bytes < 1 << 20);
	assert_string_equal(at(&maps, 1, NOW, 0x400000 + 4999 * 0x2000), "/lib/99+0x1000");
	for (uint32_t pid = 1; pid < NR_PROCESSES; pid++)
		add(&maps, task_record(XP_RECORD_EXIT, 2000, pid, pid, 0, 0));
	xp_live_prune(&maps, 3000);
	xp_live_prune(&maps, 3000);
	assert_int_equal(maps.nr_processes, 0);
	xp_live_fini(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_are_found_by_time),
		cmocka_unit_test(a_state_lasts_until_a_change),
		cmocka_unit_test(exec_begins_anew),
		cmocka_unit_test(records_can_come_after_later_ones),
		cmocka_unit_test(children_have_maps_of_their_parent),
		cmocka_unit_test(processes_are_forgotten_after_their_end),
		cmocka_unit_test(damaged_records_are_refused),
		cmocka_unit_test(many_maps_take_no_more_than_their_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
