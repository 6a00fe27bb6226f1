/* SPDX-License-Identifier: MIT */
/*
 * What unwinding relies on: copies of registers and of the stack in samples, and build ids of maps.
 *
 * Source: perf_event_open(2), "PERF_SAMPLE_REGS_USER", "PERF_SAMPLE_STACK_USER", and
 * PERF_RECORD_MISC_MMAP_BUILD_ID.
 */
#include <errno.h>
#include <string.h>
#include <xperf/record.h>
#include <xperf/sys.h>

#include "promises-rings.h"
#include "uapi.h"

#define SYS (promise_env.sys)

/* In the order of bits: the stack pointer, then the program counter. */
#ifdef __x86_64__
#define SP_AND_PC (UINT64_C(3) << 7)
#else
#define SP_AND_PC (UINT64_C(3) << 31)
#endif

enum { STACK_BYTES = 2048 };

void promise_registers_are_refused(void **state)
{
	struct xp_attr attr = promise_page_faults();

	(void)state;
	attr.sample_type = PERF_SAMPLE_REGS_USER;
	attr.sample_regs_user = 0;
	assert_int_equal(SYS->perf_event_open(SYS, &attr, 0, -1, -1, 0), -EINVAL);
}

/*
 * A task without user space has no registers, and then no stack. Otherwise there is as much room as
 * was asked for, and how much of it holds the stack: less where that ends, nothing if the sample is
 * of the fault that brings the page in.
 */
static void look_at_stack(struct rings *r, int i, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint64_t ip, nr_chain, abi;
	} *s = (const void *)record;
	const uint64_t *words = (const uint64_t *)(s + 1);
	const char *end = (const char *)record + record->size;

	(void)i;
	if (record->type != XP_RECORD_SAMPLE)
		return;
	assert_int_equal(s->nr_chain, 0);
	if (s->abi == PERF_SAMPLE_REGS_ABI_NONE) {
		assert_int_equal(*words, 0);
		assert_ptr_equal(words + 1, end);
		return;
	}
	assert_in_range(s->abi, PERF_SAMPLE_REGS_ABI_32, PERF_SAMPLE_REGS_ABI_64);
	assert_int_not_equal(words[0], 0);
	assert_int_equal(words[1], s->ip);
	assert_int_equal(words[2], STACK_BYTES);
	words += 3 + STACK_BYTES / sizeof(*words);
	assert_true(*words <= STACK_BYTES);
	assert_ptr_equal(words + 1, end);
	r->in_turn += *words > 0;
}

void promise_stacks_are_copied(void **state)
{
	struct xp_child child = promise_spawn(promise_env.family);
	struct xp_attr attr = promise_page_faults();
	struct rings r;

	(void)state;
	rings_init(&r);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			   PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = SP_AND_PC;
	attr.sample_stack_user = STACK_BYTES;
	attr.exclude_kernel = attr.exclude_callchain_kernel = attr.exclude_callchain_user = 1;
	attr.inherit = 1;
	attr.read_format = 0;
	rings_add_all(&r, &attr, child.pid, 256);
	r.look = look_at_stack;
	assert_int_equal(promise_start(&child), 0);
	rings_drain_to_end(&r);
	assert_int_equal(promise_wait(child.pid), 0);
	assert_true(r.in_turn > 0);
	rings_fini(&r);
}

/* A map without a build id has device and inode, as without "build_id". */
static void look_at_map(struct rings *r, int i, const struct xp_record *record)
{
	static const uint8_t none[20];
	const struct xp_record_mmap2 *map = (const void *)record;

	(void)i;
	if (record->type != XP_RECORD_MMAP2 || !(record->misc & XP_MISC_MMAP_BUILD_ID))
		return;
	assert_in_range(map->build_id_size, 1, sizeof(map->build_id));
	assert_memory_not_equal(map->build_id, none, map->build_id_size);
	assert_memory_equal(map->build_id + map->build_id_size, none,
			    sizeof(none) - map->build_id_size);
	r->in_turn++;
}

void promise_maps_have_build_ids(void **state)
{
	struct xp_attr attr = promise_tracking();
	struct rings r;

	(void)state;
	attr.mmap = attr.mmap2 = attr.build_id = 1;
	if (!promise_is_known(&attr)) {
		print_message("skipped: this kernel knows no build ids\n");
		skip();
	}
	struct xp_child child = promise_spawn(promise_env.family);
	attr.inherit = 1;
	rings_init(&r);
	rings_add_all(&r, &attr, child.pid, 16);
	r.look = look_at_map;
	assert_int_equal(promise_start(&child), 0);
	rings_drain_to_end(&r);
	assert_int_equal(promise_wait(child.pid), 0);
	assert_true(r.nr_of[XP_RECORD_MMAP2] > 0);
	assert_true(r.in_turn > 0);
	rings_fini(&r);
}
