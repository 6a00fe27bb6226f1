/* SPDX-License-Identifier: MIT */
/* The timeline's rules, one by one: what a record makes of maps, names and files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <xperf/sample.h>

#include "timeline-impl.h"
#include "timeline-records.h"

#define TEXT   UINT64_C(0x400000)
#define KERNEL UINT64_C(0xffffffff81000000)

/* A sealed timeline of records; freed by whoever asks. */
static struct xp_timeline *timeline_of(const struct timed *records, size_t nr)
{
	struct xp_timeline *timeline;

	assert_int_equal(xp_timeline_new(&timeline), 0);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(add_record(timeline, &records[i]), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	return timeline;
}

#define TIMELINE(records) timeline_of(records, sizeof(records) / sizeof((records)[0]))

/* What must be at an address; @name NULL: nothing. */
struct expected {
	int line;
	int32_t pid;
	uint64_t time_ns, address;
	const char *name;
	uint64_t offset; /* of the address */
};

static void check_mode(const struct xp_timeline *timeline, uint16_t mode,
		       const struct expected *expected)
{
	struct xp_map map = { .size = sizeof(map) };
	int found = xp_timeline_map_at(timeline, expected->pid, mode, expected->address,
				       expected->time_ns, &map);

	if (found != !!expected->name)
		fail_msg("line %d: found is %d", expected->line, found);
	if (!found)
		return;
	if (strcmp(map.dso->name, expected->name) ||
	    expected->address - map.start + map.offset != expected->offset)
		fail_msg("line %d: %s at %#lx", expected->line, map.dso->name,
			 (unsigned long)(expected->address - map.start + map.offset));
	assert_true(map.start <= expected->address && expected->address < map.end);
	assert_true(map.from_ns <= expected->time_ns && expected->time_ns <= map.to_ns);
	assert_ptr_equal(map.dso, xp_timeline_dso(timeline, map.dso->index));
}

static void check_maps(struct xp_timeline *timeline, uint16_t mode, const struct expected *expected,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		check_mode(timeline, mode, &expected[i]);
	xp_timeline_free(timeline);
}

#define CHECK_MAPS(timeline, mode, expected)                                                       \
	check_maps(timeline, mode, expected, sizeof(expected) / sizeof((expected)[0]))

/* The file of code at an address that was made, or moved there; NULL: it was made. */
static void check_moved(const struct xp_timeline *timeline, const struct expected *expected)
{
	struct xp_map map = { .size = sizeof(map) };

	assert_int_equal(xp_timeline_map_at(timeline, expected->pid, XP_MISC_USER,
					    expected->address, expected->time_ns, &map),
			 1);
	bool is_moved = xp_timeline_moved_at(timeline, expected->pid, expected->address,
					     expected->time_ns, &map);
	if (is_moved != !!expected->name)
		fail_msg("line %d: moved is %d", expected->line, is_moved);
	if (is_moved && (strcmp(map.dso->name, expected->name) ||
			 expected->address - map.start + map.offset != expected->offset))
		fail_msg("line %d: %s at %#lx", expected->line, map.dso->name,
			 (unsigned long)(expected->address - map.start + map.offset));
}

static void test_moved_text(void **state)
{
	const struct timed records[] = {
		/* as it happens */
		mmap2_record(10, 1, TEXT, 0x5000, 0x1000, "/a"),
		mmap2_record(20, 1, TEXT + 0x1000, 0x1000, TEXT, "//anon"),
		mmap2_record(30, 1, TEXT + 0x1000, 0x2000, TEXT, "//anon"),
		mmap2_record(40, 1, TEXT + 0x4000, 0x1000, 0, "/memfd:x (deleted)"),
		/* no part of it */
		mmap2_record(50, 1, TEXT + 0x3000, 0x3000, 0, "//anon"),
		mmap2_record(60, 1, TEXT + 0x8000, 0x1000, 0, "//anon"),
		/* found afterwards */
		mmap2_record(0, 2, TEXT, 0x1000, 0x1000, "/a"),
		mmap2_record(0, 2, TEXT + 0x1000, 0x1000, 0, "//anon"),
		mmap2_record(0, 2, TEXT + 0x2000, 0x1000, 0, "/memfd:x (deleted)"),
		mmap2_record(0, 2, TEXT + 0x3000, 0x1000, 0x4000, "/a"),
		/* something else between two maps of a file */
		mmap2_record(0, 3, TEXT, 0x1000, 0x1000, "/a"),
		mmap2_record(0, 3, TEXT + 0x1000, 0x1000, 0, "//anon"),
		mmap2_record(0, 3, TEXT + 0x2000, 0x1000, 0x2000, "/a"),
	};
	const struct expected expected[] = {
		{ __LINE__, 1, 25, TEXT + 0x1010, "/a", 0x2010 },
		{ __LINE__, 1, 35, TEXT + 0x1010, "/a", 0x2010 },
		{ __LINE__, 1, 35, TEXT + 0x2010, "/a", 0x3010 },
		{ __LINE__, 1, 45, TEXT + 0x4010, "/a", 0x5010 },
		{ __LINE__, 1, 55, TEXT + 0x4010, NULL, 0 },
		{ __LINE__, 1, 65, TEXT + 0x8010, NULL, 0 },
		{ __LINE__, 1, 65, TEXT + 0x10, NULL, 0 },
		{ __LINE__, 2, 65, TEXT + 0x1010, "/a", 0x2010 },
		{ __LINE__, 2, 65, TEXT + 0x2010, "/a", 0x3010 },
		{ __LINE__, 3, 65, TEXT + 0x1010, NULL, 0 },
	};
	struct xp_timeline *timeline = TIMELINE(records);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		check_moved(timeline, &expected[i]);
	xp_timeline_free(timeline);
}

static void test_overlaps(void **state)
{
	const struct timed records[] = {
		mmap2_record(10, 1, TEXT, 0x5000, 0x1000, "/a"),
		mmap2_record(20, 1, TEXT + 0x2000, 0x1000, 0, "/b"),
		mmap2_record(30, 1, TEXT + 0x4000, 0x4000, 0x8000, "/c"),
		mmap2_record(40, 1, TEXT - 0x1000, 0x10000, 0, "/d"),
	};
	const struct expected expected[] = {
		{ __LINE__, 1, 9, TEXT, NULL, 0 },
		{ __LINE__, 1, 10, TEXT, "/a", 0x1000 },
		{ __LINE__, 1, 10, TEXT - 1, NULL, 0 },
		{ __LINE__, 1, 10, TEXT + 0x5000, NULL, 0 },
		{ __LINE__, 1, 19, TEXT + 0x2fff, "/a", 0x3fff },
		{ __LINE__, 1, 20, TEXT + 0x1fff, "/a", 0x2fff },
		{ __LINE__, 1, 20, TEXT + 0x2000, "/b", 0 },
		{ __LINE__, 1, 20, TEXT + 0x3000, "/a", 0x4000 },
		{ __LINE__, 1, 30, TEXT + 0x3fff, "/a", 0x4fff },
		{ __LINE__, 1, 30, TEXT + 0x4000, "/c", 0x8000 },
		{ __LINE__, 1, 30, TEXT + 0x7fff, "/c", 0xbfff },
		{ __LINE__, 1, 39, TEXT, "/a", 0x1000 },
		{ __LINE__, 1, 40, TEXT, "/d", 0x1000 },
		{ __LINE__, 1, XP_NO_TIME, TEXT + 0x2000, "/d", 0x3000 },
		{ __LINE__, 2, 40, TEXT, NULL, 0 },
	};

	(void)state;
	CHECK_MAPS(TIMELINE(records), XP_MISC_USER, expected);
}

static void test_fork_and_exec(void **state)
{
	const struct timed records[] = {
		mmap2_record(0, 1, TEXT, 0x1000, 0, "/a"),
		task_record(XP_RECORD_FORK, 10, 2, 2, 1, 1),
		mmap2_record(12, 1, TEXT, 0x1000, 0, "/b"),          /* not the child's */
		mmap2_record(14, 2, TEXT + 0x1000, 0x1000, 0, "/c"), /* not the parent's */
		comm_record(20, 2, 2, "c", true),
		mmap2_record(21, 2, TEXT, 0x1000, 0, "/d"),
		comm_record(25, 2, 2, "name", false),
		task_record(XP_RECORD_EXIT, 30, 2, 2, 1, 1),
		task_record(XP_RECORD_FORK, 40, 2, 2, 1, 1), /* the number again */
		task_record(XP_RECORD_FORK, 50, 1, 3, 1, 1), /* a thread */
	};
	const struct expected expected[] = {
		{ __LINE__, 2, 9, TEXT, NULL, 0 },
		{ __LINE__, 2, 10, TEXT, "/a", 0 },
		{ __LINE__, 2, 19, TEXT, "/a", 0 },
		{ __LINE__, 1, 12, TEXT, "/b", 0 },
		{ __LINE__, 1, 14, TEXT + 0x1000, NULL, 0 },
		{ __LINE__, 2, 14, TEXT + 0x1000, "/c", 0 },
		/* the call chain of execve(2), until something else is there */
		{ __LINE__, 2, 20, TEXT, "/a", 0 },
		{ __LINE__, 2, 20, TEXT + 0x1000, "/c", 0 },
		{ __LINE__, 2, 21, TEXT, "/d", 0 },
		{ __LINE__, 2, 21, TEXT + 0x1000, "/c", 0 },
		{ __LINE__, 2, 40, TEXT + 0x1000, NULL, 0 },
		{ __LINE__, 2, 26, TEXT, "/d", 0 },
		{ __LINE__, 2, 31, TEXT, "/d", 0 },
		{ __LINE__, 2, 40, TEXT, "/b", 0 },
		{ __LINE__, 3, 60, TEXT, NULL, 0 },
		{ __LINE__, 1, 60, TEXT, "/b", 0 },
	};

	(void)state;
	CHECK_MAPS(TIMELINE(records), XP_MISC_USER, expected);
}

/* What perf writes for tasks that are there: it forks nothing, wherever in the file it is. */
static void test_known_at_the_end(void **state)
{
	const struct timed records[] = {
		mmap2_record(5, 2, TEXT, 0x1000, 0, "/later"),
		mmap2_record(0, 1, TEXT, 0x3000, 0, "/parent"),
		task_record(XP_RECORD_FORK, 0, 2, 2, 1, 1),
		comm_record(0, 2, 2, "two", false),
		mmap2_record(0, 2, TEXT, 0x1000, 0, "/first"),
		mmap2_record(0, 2, TEXT + 0x800, 0x1000, 0, "/second"),
	};
	const struct expected expected[] = {
		{ __LINE__, 2, 0, TEXT, "/first", 0 },
		{ __LINE__, 2, 4, TEXT + 0x800, "/second", 0 },
		{ __LINE__, 2, 4, TEXT + 0x2000, NULL, 0 },
		{ __LINE__, 2, 5, TEXT, "/later", 0 },
		{ __LINE__, 2, 5, TEXT + 0x1000, "/second", 0x800 },
	};

	(void)state;
	CHECK_MAPS(TIMELINE(records), XP_MISC_USER, expected);
}

/* A file without times is in order; with the bit of an exec, a fork only shows it. */
static void test_no_times(void **state)
{
	struct timed records[] = {
		mmap2_record(XP_NO_TIME, 1, TEXT, 0x1000, 0, "/a"),
		task_record(XP_RECORD_FORK, XP_NO_TIME, 2, 2, 1, 1),
		task_record(XP_RECORD_FORK, XP_NO_TIME, 3, 3, 1, 1),
		mmap2_record(XP_NO_TIME, 1, TEXT, 0x1000, 0, "/b"),
	};
	const struct expected expected[] = {
		{ __LINE__, 1, 0, TEXT, "/b", 0 },
		{ __LINE__, 2, XP_NO_TIME, TEXT, "/a", 0 },
		{ __LINE__, 3, 0, TEXT, NULL, 0 },
	};

	(void)state;
	records[2].header.misc = XP_MISC_FORK_EXEC;
	CHECK_MAPS(TIMELINE(records), XP_MISC_USER, expected);
}

/* Where a map of the kernel ends before the code that runs at boot. */
static void test_behind_text(void **state)
{
	enum { LEN = 0x1000000, MOST = 64 << 20 };
	const struct timed records[] = {
		kernel_record(KERNEL, LEN, KERNEL + 0x40, "[kernel.kallsyms]_stext"),
	};
	struct xp_timeline *timeline = TIMELINE(records);
	struct xp_map map = { .size = sizeof(map) };

	(void)state;
	assert_false(xp_timeline_behind_text_at(timeline, KERNEL + LEN - 1, 5, &map));
	assert_false(xp_timeline_behind_text_at(timeline, KERNEL + LEN + MOST, 5, &map));
	assert_true(xp_timeline_behind_text_at(timeline, KERNEL + LEN + MOST - 1, 5, &map));
	assert_string_equal(map.dso->name, "[kernel.kallsyms]");
	assert_true(map.start == KERNEL + LEN && map.offset == map.start);
	xp_timeline_free(timeline);
}

static void test_kernel(void **state)
{
	const struct timed records[] = {
		kernel_record(KERNEL + 0x800000, 0x1000, 0, "[ext4]"),
		kernel_record(KERNEL, 0x1000000, KERNEL + 0x40, "[kernel.kallsyms]_stext"),
		kernel_record(KERNEL + 0x900000, 0x1000, 0, "/lib/modules/6.1/x/my-fs.ko.xz"),
		ksymbol_record(10, KERNEL + 0x10000000, 0x100, false, "bpf_prog_1_a"),
		ksymbol_record(20, KERNEL + 0x10000000, 0x100, true, "bpf_prog_1_a"),
		ksymbol_record(25, KERNEL + 0x10000010, 0x10, true, "bpf_prog_other"),
		ksymbol_record(30, KERNEL + 0x10000000, 0x200, false, "bpf_prog_2_b"),
		ksymbol_record(40, KERNEL + 0x1000, 0x100, false, "in_text"),
	};
	const struct expected expected[] = {
		{ __LINE__, 7, 5, KERNEL, "[kernel.kallsyms]", KERNEL },
		{ __LINE__, 7, 5, KERNEL + 0x800000, "[ext4]", 0 },
		{ __LINE__, 7, 5, KERNEL + 0x801000, "[kernel.kallsyms]", KERNEL + 0x801000 },
		{ __LINE__, 7, 5, KERNEL + 0x900010, "/lib/modules/6.1/x/my-fs.ko.xz", 0x10 },
		{ __LINE__, 7, 5, KERNEL + 0x10000000, NULL, 0 },
		{ __LINE__, 7, 10, KERNEL + 0x10000020, "bpf_prog_1_a", 0x20 },
		{ __LINE__, 7, 20, KERNEL + 0x10000000, NULL, 0 },
		{ __LINE__, 7, 30, KERNEL + 0x100001ff, "bpf_prog_2_b", 0x1ff },
		{ __LINE__, 7, 39, KERNEL + 0x1000, "[kernel.kallsyms]", KERNEL + 0x1000 },
		{ __LINE__, 7, 40, KERNEL + 0x1000, "in_text", 0 },
		{ __LINE__, 7, 5, KERNEL + 0x1000000, NULL, 0 },
	};
	struct xp_timeline *timeline = TIMELINE(records);
	const char *name;
	uint64_t address;
	struct xp_map map = { .size = sizeof(map) };

	(void)state;
	assert_int_equal(xp_timeline_kernel_reference(timeline, &name, &address), 0);
	assert_string_equal(name, "_stext");
	assert_int_equal(address, KERNEL + 0x40);
	/* One answer is not kept for where modules are. */
	assert_int_equal(xp_timeline_map_at(timeline, -1, XP_MISC_KERNEL, KERNEL, 35, &map), 1);
	assert_true(map.dso->is_kernel && map.end == KERNEL + 0x1000);
	assert_int_equal(
		xp_timeline_map_at(timeline, -1, XP_MISC_KERNEL, KERNEL + 0x1001, 35, &map), 1);
	assert_int_equal(map.to_ns, 39);
	assert_int_equal(
		xp_timeline_map_at(timeline, -1, XP_MISC_KERNEL, KERNEL + 0x900000, 5, &map), 1);
	assert_string_equal(map.dso->short_name, "[my_fs]");
	for (uint16_t mode = 0; mode < 8; mode++)
		if (mode != XP_MISC_KERNEL)
			assert_int_equal(xp_timeline_map_at(timeline, -1, mode, KERNEL, 5, &map),
					 0);
	CHECK_MAPS(timeline, XP_MISC_KERNEL, expected);
}

static void test_no_kernel(void **state)
{
	const struct timed records[] = { mmap2_record(1, 1, TEXT, 1, 0, "/a") };
	const struct timed hidden[] = { kernel_record(0, 0, 0, "[kernel.kallsyms]_text") };
	struct xp_timeline *timeline = TIMELINE(records);
	uint64_t address;
	const char *name;
	struct xp_map map = { .size = sizeof(map) };

	(void)state;
	assert_int_equal(xp_timeline_kernel_reference(timeline, &name, &address), -ENODATA);
	assert_int_equal(xp_timeline_map_at(timeline, 1, XP_MISC_KERNEL, KERNEL, 5, &map), 0);
	xp_timeline_free(timeline);
	timeline = TIMELINE(hidden);
	assert_int_equal(xp_timeline_kernel_reference(timeline, &name, &address), -ENODATA);
	assert_int_equal(xp_timeline_map_at(timeline, 1, XP_MISC_KERNEL, KERNEL, 5, &map), 1);
	xp_timeline_free(timeline);
}

/* How a map of a process is called. */
static void test_names(void **state)
{
	static const struct {
		int line;
		const char *recorded, *name, *short_name;
		uint32_t prot;
		int32_t jit_pid;
	} rows[] = {
		{ __LINE__, "/usr/bin/ls", "/usr/bin/ls", "ls", 5, -1 },
		{ __LINE__, "/x/l.so (deleted)", "/x/l.so (deleted)", "l.so (deleted)", 5, -1 },
		{ __LINE__, "[vdso]", "[vdso]", "[vdso]", 5, -1 },
		{ __LINE__, "[vsyscall]", "[vsyscall]", "[vsyscall]", 4, -1 },
		{ __LINE__, "//anon", "/tmp/perf-7.map", "[JIT] tid 7", 7, 7 },
		{ __LINE__, "//anon", "//anon", "anon", 3, -1 },
		{ __LINE__, "[heap]", "[heap]", "[heap]", 3, -1 },
		{ __LINE__, "[heap]", "/tmp/perf-7.map", "[JIT] tid 7", 7, 7 },
		{ __LINE__, "[anon:v8]", "/tmp/perf-7.map", "[JIT] tid 7", 5, 7 },
		{ __LINE__, "/dev/zero (deleted)", "/tmp/perf-7.map", "[JIT] tid 7", 5, 7 },
		{ __LINE__, "/SYSV00000000 (deleted)", "/tmp/perf-7.map", "[JIT] tid 7", 5, 7 },
		{ __LINE__, "/anon_hugepage (deleted)", "/tmp/perf-7.map", "[JIT] tid 7", 5, 7 },
		{ __LINE__, "/memfd:a (deleted)", "/memfd:a (deleted)", "memfd:a (deleted)", 5, 7 },
		{ __LINE__, "/memfd:b (deleted)", "/memfd:b (deleted)", "memfd:b (deleted)", 1,
		  -1 },
		{ __LINE__, "", "", "", 5, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct timed rec = mmap2_record(0, 7, TEXT, 0x1000, 0, rows[i].recorded);
		struct xp_map map = { .size = sizeof(map) };

		rec.mmap2.prot = rows[i].prot;
		struct xp_timeline *timeline = timeline_of(&rec, 1);
		assert_int_equal(xp_timeline_map_at(timeline, 7, XP_MISC_USER, TEXT, 0, &map), 1);
		if (strcmp(map.dso->name, rows[i].name) ||
		    strcmp(map.dso->short_name, rows[i].short_name) ||
		    map.dso->jit_pid != rows[i].jit_pid ||
		    map.dso->is_jit != (rows[i].jit_pid >= 0))
			fail_msg("line %d: %s, %s", rows[i].line, map.dso->name,
				 map.dso->short_name);
		assert_int_equal(map.prot, rows[i].prot);
		/* Lists of functions have addresses, files have offsets. */
		assert_int_equal(map.offset,
				 *map.dso->short_name == '[' && rows[i].jit_pid >= 0 ? TEXT : 0);
		xp_timeline_free(timeline);
	}
}

static struct timed with_build_id(struct timed rec, uint8_t first)
{
	rec.header.misc |= XP_MISC_MMAP_BUILD_ID;
	memset(rec.mmap2.build_id, first, 20);
	rec.mmap2.build_id_size = 20;
	return rec;
}

static struct timed build_id_record(uint16_t misc, uint8_t first, uint8_t size, const char *name)
{
	struct timed rec = { 0 };

	rec.build_id.pid = -1;
	memset(rec.build_id.build_id, first, size);
	rec.build_id.build_id_size = size;
	finish_record(&rec, XP_RECORD_HEADER_BUILD_ID, misc, sizeof(rec.build_id), name);
	return rec;
}

static const struct xp_dso *dso_at(const struct xp_timeline *timeline, uint64_t address)
{
	struct xp_map map = { .size = sizeof(map) };

	assert_int_equal(xp_timeline_map_at(timeline, 1, XP_MISC_USER, address, 99, &map), 1);
	return map.dso;
}

static void test_build_ids(void **state)
{
	const struct timed records[] = {
		with_build_id(mmap2_record(1, 1, 0x1000, 0x1000, 0, "/two"), 1),
		with_build_id(mmap2_record(1, 1, 0x2000, 0x1000, 0, "/two"), 2),
		mmap2_record(1, 1, 0x3000, 0x1000, 0, "/two"), /* which, is not known */
		with_build_id(mmap2_record(1, 1, 0x4000, 0x1000, 0, "/one"), 3),
		mmap2_record(1, 1, 0x5000, 0x1000, 0, "/one"),
		mmap2_record(1, 1, 0x6000, 0x1000, 0, "/told"),
		mmap2_record(1, 1, 0x7000, 0x1000, 0, "/short"),
		mmap2_record(1, 1, 0x8000, 0x1000, 0, "/guest"),
		with_build_id(mmap2_record(1, 1, 0x9000, 0x1000, 0, "/none"), 0),
		build_id_record(XP_MISC_USER, 9, 20, "/told"),
		build_id_record(XP_MISC_USER | XP_MISC_BUILD_ID_SIZE, 8, 16, "/short"),
		build_id_record(XP_MISC_GUEST_USER, 7, 20, "/guest"),
		build_id_record(XP_MISC_USER, 6, 20, "/not mapped"),
	};
	struct xp_timeline *timeline = TIMELINE(records);

	(void)state;
	assert_int_equal(dso_at(timeline, 0x1000)->build_id[19], 1);
	assert_int_equal(dso_at(timeline, 0x2000)->build_id[0], 2);
	assert_int_equal(dso_at(timeline, 0x3000)->build_id_len, 0);
	assert_ptr_equal(dso_at(timeline, 0x4000), dso_at(timeline, 0x5000));
	assert_int_equal(dso_at(timeline, 0x6000)->build_id[0], 9);
	assert_int_equal(dso_at(timeline, 0x7000)->build_id_len, 16);
	assert_int_equal(dso_at(timeline, 0x8000)->build_id_len, 0);
	assert_int_equal(dso_at(timeline, 0x9000)->build_id_len, 0);
	assert_int_equal(xp_timeline_nr_dsos(timeline), 8);
	assert_null(xp_timeline_dso(timeline, -1));
	assert_null(xp_timeline_dso(timeline, 8));
	assert_int_equal(add_record(timeline, &records[0]), -EBUSY);
	xp_timeline_free(timeline);
}

static struct timed with_inode(struct timed rec, uint64_t inode, uint64_t generation)
{
	rec.mmap2.inode = inode;
	rec.mmap2.inode_generation = generation;
	return rec;
}

/* The mark of a build id where device and inode are, which kernels set for others. */
static struct timed marked(struct timed rec, uint32_t major, uint64_t inode, uint64_t generation)
{
	rec.header.misc |= XP_MISC_MMAP_BUILD_ID;
	rec.mmap2.major = major;
	rec.mmap2.minor = 1;
	return with_inode(rec, inode, generation);
}

static void test_marks_of_others(void **state)
{
	struct timed records[] = {
		marked(mmap2_record(1, 1, 0x1000, 0x1000, 0, "/virtio"), 254, 77, 0),
		marked(mmap2_record(1, 1, 0x2000, 0x1000, 0, "/nvme"), 259, 77, 0),
		marked(mmap2_record(1, 1, 0x3000, 0x1000, 0, "/overlay"), 0, 77, 0),
		marked(mmap2_record(1, 1, 0x4000, 0x1000, 0, "/disk"), 8, 77, 12345),
		with_build_id(mmap2_record(1, 1, 0x5000, 0x1000, 0, "/short"), 0),
	};
	const struct xp_dso *dso;

	(void)state;
	records[4].mmap2.build_id_size = 8;
	memset(records[4].mmap2.build_id, 5, 8);
	struct xp_timeline *timeline = TIMELINE(records);
	for (uint64_t address = 0x1000; address < 0x5000; address += 0x1000) {
		dso = dso_at(timeline, address);
		assert_int_equal(dso->build_id_len, 0);
		assert_int_equal(dso->inode, 77);
	}
	assert_int_equal(dso_at(timeline, 0x5000)->build_id_len, 8);
	xp_timeline_free(timeline);
}

static struct timed module_record(uint64_t start, uint8_t id, const char *name)
{
	struct timed rec = mmap2_record(0, (uint32_t)-1, start, 0x1000, 0, name);

	rec.header.misc = XP_MISC_KERNEL;
	return with_build_id(rec, id);
}

static const struct xp_dso *kernel_dso_at(const struct xp_timeline *timeline, uint64_t address)
{
	struct xp_map map = { .size = sizeof(map) };

	assert_int_equal(xp_timeline_map_at(timeline, -1, XP_MISC_KERNEL, address, 99, &map), 1);
	return map.dso;
}

/* An id of several modules is that of none. One module can have two names. */
static void test_shared_ids(void **state)
{
	const struct timed records[] = {
		module_record(KERNEL + 0x1000, 1, "[ext4]"),
		module_record(KERNEL + 0x2000, 1, "/lib/modules/6.1/kernel/my-fs.ko.xz"),
		module_record(KERNEL + 0x3000, 3, "/lib/modules/6.1/kernel/own.ko"),
		kernel_record(KERNEL + 0x4000, 0x1000, 0, "/lib/modules/6.1/kernel/a.ko"),
		kernel_record(KERNEL + 0x5000, 0x1000, 0, "/lib/modules/6.1/kernel/b.ko"),
		build_id_record(XP_MISC_KERNEL, 3, 20, "[own]"),
		build_id_record(XP_MISC_KERNEL, 4, 20, "/lib/modules/6.1/kernel/a.ko"),
		build_id_record(XP_MISC_KERNEL, 4, 20, "/lib/modules/6.1/kernel/b.ko"),
		with_build_id(mmap2_record(1, 1, 0x1000, 0x1000, 0, "/copy"), 5),
		with_build_id(mmap2_record(1, 1, 0x2000, 0x1000, 0, "/other"), 5),
	};
	static const uint8_t lens[] = { 0, 0, 20, 0, 0 };
	struct xp_timeline *timeline = TIMELINE(records);

	(void)state;
	for (size_t i = 0; i < sizeof(lens); i++)
		assert_int_equal(kernel_dso_at(timeline, KERNEL + 0x1000 * (i + 1))->build_id_len,
				 lens[i]);
	assert_int_equal(dso_at(timeline, 0x1000)->build_id_len, 20);
	assert_int_equal(xp_timeline_nr_shared_ids(timeline), 2);
	xp_timeline_free(timeline);
}

/* One name, several files: one that replaced the other while that ran. */
static void test_files_of_one_name(void **state)
{
	const struct timed records[] = {
		with_inode(mmap2_record(1, 1, 0x1000, 0x1000, 0, "/new"), 11, 0),
		with_inode(mmap2_record(1, 1, 0x2000, 0x1000, 0, "/new"), 11, 7),
		with_inode(mmap2_record(1, 1, 0x3000, 0x1000, 0, "/new"), 12, 7),
		with_inode(mmap2_record(1, 1, 0x4000, 0x1000, 0, "/both"), 21, 1),
		with_inode(mmap2_record(1, 1, 0x5000, 0x1000, 0, "/both"), 21, 2),
		with_inode(mmap2_record(1, 1, 0x6000, 0x1000, 0, "/few"), 31, 1),
		with_inode(mmap2_record(1, 1, 0x7000, 0x1000, 0, "/few"), 32, 1),
		with_inode(mmap2_record(1, 1, 0x8000, 0x1000, 0, "/few"), 33, 1),
		with_inode(mmap2_record(1, 1, 0x9000, 0x1000, 0, "/same"), 41, 1),
		with_inode(mmap2_record(1, 1, 0xa000, 0x1000, 0, "/same"), 42, 1),
		with_inode(mmap2_record(1, 1, 0xb000, 0x1000, 0, "/part"), 51, 1),
		with_build_id(mmap2_record(1, 1, 0xc000, 0x1000, 0, "/part"), 5),
		build_id_record(XP_MISC_USER, 1, 20, "/both"),
		build_id_record(XP_MISC_USER, 2, 20, "/both"),
		build_id_record(XP_MISC_USER, 3, 20, "/few"),
		build_id_record(XP_MISC_USER, 4, 20, "/few"),
		build_id_record(XP_MISC_USER, 6, 20, "/same"),
		build_id_record(XP_MISC_USER, 5, 20, "/part"),
	};
	struct xp_timeline *timeline = TIMELINE(records);

	(void)state;
	assert_ptr_equal(dso_at(timeline, 0x1000), dso_at(timeline, 0x2000));
	assert_int_equal(dso_at(timeline, 0x1000)->inode, 11);
	assert_int_equal(dso_at(timeline, 0x3000)->inode, 12);
	/* as many ids as files: in their order */
	assert_int_equal(dso_at(timeline, 0x4000)->build_id[0], 1);
	assert_int_equal(dso_at(timeline, 0x5000)->build_id[0], 2);
	/* which of them is whose, is not known */
	for (uint64_t address = 0x6000; address < 0x9000; address += 0x1000)
		assert_int_equal(dso_at(timeline, address)->build_id_len, 0);
	assert_ptr_equal(dso_at(timeline, 0x9000), dso_at(timeline, 0xa000));
	assert_int_equal(dso_at(timeline, 0x9000)->build_id[0], 6);
	/* the kernel found no id in the first */
	assert_int_equal(dso_at(timeline, 0xb000)->build_id_len, 0);
	assert_int_equal(dso_at(timeline, 0xc000)->build_id[0], 5);
	xp_timeline_free(timeline);
}

static void test_comms(void **state)
{
	const struct timed records[] = {
		comm_record(0, 5, 5, "main", false),
		task_record(XP_RECORD_FORK, 10, 5, 6, 5, 5),
		comm_record(20, 5, 6, "worker", false),
		task_record(XP_RECORD_EXIT, 30, 5, 6, 5, 5),
		task_record(XP_RECORD_FORK, 40, 6, 6, 9, 9), /* its number again; by one unknown */
		comm_record(50, 8, 8, "late", false),        /* was there, but not reported */
	};
	static const struct {
		int line;
		int32_t pid, tid;
		uint64_t time_ns;
		const char *comm;
	} rows[] = {
		{ __LINE__, 5, 5, 0, "main" },    { __LINE__, 5, 6, 9, ":6" },
		{ __LINE__, 5, 6, 10, "main" },   { __LINE__, 5, 6, 19, "main" },
		{ __LINE__, 5, 6, 20, "worker" }, { __LINE__, 5, 6, 39, "worker" },
		{ __LINE__, 6, 6, 40, ":6" },     { __LINE__, 8, 8, 1, "late" },
		{ __LINE__, 8, 8, 51, "late" },   { __LINE__, 0, 0, 1, "swapper" },
		{ __LINE__, 77, 77, 1, ":77" },   { __LINE__, -1, -1, XP_NO_TIME, ":-1" },
	};
	struct xp_timeline *timeline = TIMELINE(records);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *comm =
			xp_timeline_comm_at(timeline, rows[i].pid, rows[i].tid, rows[i].time_ns);

		if (strcmp(comm, rows[i].comm))
			fail_msg("line %d: %s", rows[i].line, comm);
		assert_ptr_equal(comm, xp_timeline_comm_at(timeline, rows[i].pid, rows[i].tid,
							   rows[i].time_ns));
	}
	xp_timeline_free(timeline);
}

static int add_task(int32_t pid, int32_t tid, int32_t parent_pid, const char *comm, void *data)
{
	char *text = data;

	sprintf(text + strlen(text), "%d/%d/%d/%s ", pid, tid, parent_pid, comm);
	return strlen(text) > 100;
}

static void test_tasks(void **state)
{
	const struct timed records[] = {
		comm_record(0, 5, 5, "main", false),
		task_record(XP_RECORD_FORK, 10, 5, 6, 5, 5),
		task_record(XP_RECORD_EXIT, 30, 5, 6, 5, 5),
		task_record(XP_RECORD_FORK, 40, 6, 6, 5, 5),
		comm_record(50, 6, 6, "child", true),
		comm_record(60, 5, 5, "renamed", false),
		task_record(XP_RECORD_EXIT, 70, 7, 7, 1, 1), /* of which nothing is known */
	};
	struct xp_timeline *timeline = TIMELINE(records);
	char text[200] = "";

	(void)state;
	assert_int_equal(xp_timeline_tasks(timeline, add_task, text), 0);
	assert_string_equal(text, "5/5/-1/renamed 5/6/5/main 6/6/5/child ");
	memset(text, ' ', 150);
	assert_int_equal(xp_timeline_tasks(timeline, add_task, text), 1);
	xp_timeline_free(timeline);
}

/* What a thread had called before it went into the kernel, recorded when it leaves. */
static void test_later_chains(void **state)
{
	struct {
		struct xp_record header;
		uint64_t words[4];
	} records[] = {
		{ { XP_RECORD_CALLCHAIN_DEFERRED, XP_MISC_USER, 40 },
		  { 7, 2, XP_CONTEXT_USER, 0x100 } },
		{ { XP_RECORD_CALLCHAIN_DEFERRED, XP_MISC_USER, 40 },
		  { 7, 2, XP_CONTEXT_USER, 0x200 } },
	};
	const struct xp_sample_id ids[] = { { .tid = 5, .time_ns = 20 },
					    { .tid = 5, .time_ns = 40 } };
	const uint64_t sample[] = { XP_CONTEXT_KERNEL, 0x300, XP_CONTEXT_USER_DEFERRED, 7 };
	const struct {
		int32_t tid;
		uint64_t time_ns;
		size_t nr;
		uint64_t last;
	} expected[] = {
		{ 5, 10, 4, 0x100 },
		{ 5, 30, 4, 0x200 },
		{ 5, 50, 2, 0x300 }, /* it is not reported any more */
		{ 6, 10, 2, 0x300 }, /* another thread's */
	};
	struct xp_timeline *timeline;
	struct xp_joined joined = { 0 };

	(void)state;
	assert_int_equal(xp_timeline_new(&timeline), 0);
	for (int i = 1; i >= 0; i--)
		assert_int_equal(xp_timeline_add(timeline, &records[i].header, &ids[i]), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const uint64_t *chain = sample;
		size_t nr = 4;

		assert_int_equal(xp_timeline_join(timeline, expected[i].tid, expected[i].time_ns,
						  &joined, &chain, &nr),
				 0);
		assert_int_equal(nr, expected[i].nr);
		assert_int_equal(chain[0], XP_CONTEXT_KERNEL);
		assert_int_equal(chain[nr - 1], expected[i].last);
	}
	const uint64_t *whole = sample;
	size_t nr = 2;
	assert_int_equal(xp_timeline_join(timeline, 5, 10, &joined, &whole, &nr), 0);
	assert_ptr_equal(whole, sample);
	free(joined.at);
	xp_timeline_free(timeline);
}

/* Numbers and lengths no kernel gives. */
static void test_hostile(void **state)
{
	struct timed records[] = {
		mmap2_record(5, 1, UINT64_MAX - 0x1000, UINT64_MAX, 0, "/wraps"),
		mmap2_record(5, 1, TEXT, 0, 0, "/empty"),
		mmap2_record(5, UINT32_MAX, 0, UINT64_MAX, 0, "/all"),
		mmap2_record(6, UINT32_MAX, UINT64_MAX, UINT64_MAX, 0, "/last"),
		task_record(XP_RECORD_FORK, 7, 1, 1, 1, 1),
		task_record(XP_RECORD_FORK, 7, UINT32_MAX, 3, UINT32_MAX, UINT32_MAX),
		comm_record(8, 1, 1, "no end", false),
		mmap2_record(8, 1, TEXT, 0x1000, 0, "/cut"),
		{ .header = { XP_RECORD_SAMPLE, 0, 8 } },
		{ .header = { UINT32_MAX, 0, 8 } },
		{ .header = { XP_RECORD_KSYMBOL, 0, 8 } },
	};
	const struct expected expected[] = {
		{ __LINE__, 1, 9, UINT64_MAX - 1, "/wraps", 0xfff },
		{ __LINE__, 1, 9, TEXT, NULL, 0 },
		{ __LINE__, -1, 9, 0, "/all", 0 },
	};

	(void)state;
	memset(records[6].bytes + sizeof(records[6].comm), 'x',
	       records[6].header.size - sizeof(records[6].comm));
	records[7].header.size = sizeof(records[7].mmap2) - 8;
	CHECK_MAPS(TIMELINE(records), XP_MISC_USER, expected);
}

/* The last of very many finds what the first had mapped as fast as the first. */
static void test_chain(void **state)
{
	enum { NR = 200000 };
	struct xp_timeline *timeline;
	struct xp_map map = { .size = sizeof(map) };

	(void)state;
	assert_int_equal(xp_timeline_new(&timeline), 0);
	struct timed first = mmap2_record(0, 1, TEXT, 0x1000, 0, "/first");
	assert_int_equal(add_record(timeline, &first), 0);
	for (uint32_t pid = 2; pid <= NR; pid++) {
		struct timed rec = task_record(XP_RECORD_FORK, pid, pid, pid, pid - 1, pid - 1);

		assert_int_equal(add_record(timeline, &rec), 0);
		rec = mmap2_record(pid, pid, TEXT + pid * 0x1000, 0x1000, 0, "/own");
		assert_int_equal(add_record(timeline, &rec), 0);
	}
	assert_int_equal(xp_timeline_seal(timeline), 0);
	for (int32_t pid = 2; pid <= NR; pid++) {
		assert_int_equal(xp_timeline_map_at(timeline, pid, XP_MISC_USER, TEXT, NR, &map),
				 1);
		assert_string_equal(map.dso->name, "/first");
	}
	assert_int_equal(
		xp_timeline_map_at(timeline, NR, XP_MISC_USER, TEXT + 2 * 0x1000, NR, &map), 1);
	assert_int_equal(xp_timeline_map_at(timeline, 2, XP_MISC_USER, TEXT + 3 * 0x1000, NR, &map),
			 0);
	xp_timeline_free(timeline);
}

static void *ask_names(void *data)
{
	const char *all[1000], **ret = calloc(2, sizeof(*ret));

	for (int32_t tid = 1; tid <= 1000; tid++)
		all[tid - 1] = xp_timeline_comm_at(data, tid, tid, 0);
	if (ret)
		ret[0] = all[0], ret[1] = all[999];
	return ret;
}

/* Names that are made when asked for are the same for all threads. */
static void test_threads(void **state)
{
	struct xp_timeline *timeline = timeline_of(NULL, 0);
	pthread_t threads[4];
	const char **names[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_names, timeline), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], (void **)&names[i]), 0);
	for (int i = 0; i < 4; i++) {
		assert_non_null(names[i]);
		assert_ptr_equal(names[i][0], names[0][0]);
		assert_string_equal(names[i][1], ":1000");
	}
	for (int i = 0; i < 4; i++)
		free(names[i]);
	xp_timeline_free(timeline);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_moved_text),
		cmocka_unit_test(test_fork_and_exec),
		cmocka_unit_test(test_known_at_the_end),
		cmocka_unit_test(test_no_times),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_behind_text),
		cmocka_unit_test(test_no_kernel),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_marks_of_others),
		cmocka_unit_test(test_shared_ids),
		cmocka_unit_test(test_files_of_one_name),
		cmocka_unit_test(test_comms),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_later_chains),
	};

	xp_timeline_free(NULL);
	return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
