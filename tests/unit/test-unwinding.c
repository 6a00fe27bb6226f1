/* SPDX-License-Identifier: MIT */
/* The recorder's stage that unwinds: which blocks wait, and for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/ctx.h>
#include <xperf/sample.h>
#include <xperf/symtab.h>
#include <xperf/unwind.h>

#include "chain-mark.h"
#include "timeline-records.h"
#include "unwinding.h"

/* @NR_32: frames of the chain of a 32-bit program: of Arm's there are no rules */
#ifdef __x86_64__
enum { FP_BIT = 6, SP_BIT = 7, IP_BIT = 8, NR_32 = 2 };
#else
enum { FP_BIT = 29, SP_BIT = 31, IP_BIT = 32, NR_32 = 0 };
#endif
enum { PID = 5, CODE = 0x400000, STACK = 0x7000, STACK_BYTES = 64, BACKLOG = 1 << 20 };

static const struct xp_attr attr = {
	.sample_type = XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN |
		       XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER,
	.sample_id_all = 1,
	.sample_regs_user = UINT64_C(1) << SP_BIT | UINT64_C(1) << IP_BIT,
	.sample_stack_user = STACK_BYTES,
};

struct stage {
	struct xp_ctx *ctx;
	struct xp_symbols *symbols;
	struct xp_unwind *unwind;
	struct xp_unwinding *unwinding;
	struct xp_shed_event event;
	struct xp_shed events;
	struct xp_scan scan;
};

static void begin_with(struct stage *s, const struct xp_attr *of, bool has_overwritten)
{
	*s = (struct stage){ .event = { .attr = of } };
	s->events = (struct xp_shed){ .events = &s->event, .nr_events = 1 };
	assert_int_equal(xp_ctx_new(NULL, &s->ctx), 0);
	assert_int_equal(xp_symbols_new(s->ctx, NULL, &s->symbols), 0);
	assert_int_equal(xp_unwind_new(s->symbols, NULL, &s->unwind), 0);
	const struct xp_recorder_opts opts = { .unwind = s->unwind, .backlog_bytes = BACKLOG };
	assert_int_equal(xp_unwinding_new(&opts, &s->events, has_overwritten, &s->unwinding), 0);
}

static void begin(struct stage *s, bool has_overwritten)
{
	begin_with(s, &attr, has_overwritten);
}

static void end(struct stage *s)
{
	xp_unwinding_free(s->unwinding);
	xp_unwind_free(s->unwind);
	xp_symbols_free(s->symbols);
	xp_ctx_free(s->ctx);
}

/* --- blocks --- */

static struct xp_block *block_of(enum xp_block_kind kind)
{
	struct xp_block *block = xp_block_new(kind, 4096);

	assert_non_null(block);
	return block;
}

static void put(struct xp_block *block, const void *record, size_t len)
{
	assert_true(block->len + len <= block->room);
	memcpy(block->bytes + block->len, record, len);
	block->len += len;
}

static void put_round(struct xp_block *block)
{
	const struct xp_record round = { XP_RECORD_FINISHED_ROUND, 0, sizeof(round) };

	put(block, &round, sizeof(round));
}

/* A map without a file, over the code. */
static void put_map(struct xp_block *block, uint64_t time_ns)
{
	struct timed rec = mmap2_record(time_ns, PID, CODE, 0x1000, 0, "//anon");
	const uint64_t id[] = { (uint64_t)PID << 32 | PID, time_ns };

	memcpy(rec.bytes + rec.header.size, id, sizeof(id));
	rec.header.size = (uint16_t)(rec.header.size + sizeof(id));
	put(block, rec.bytes, rec.header.size);
}

static void put_exec(struct xp_block *block, uint64_t time_ns)
{
	const struct {
		struct xp_record header;
		uint32_t pid, tid;
		char name[8];
		uint64_t id[2];
	} comm = { .header = { XP_RECORD_COMM, XP_MISC_COMM_EXEC, sizeof(comm) },
		   .pid = PID,
		   .tid = PID,
		   .name = "program",
		   .id = { (uint64_t)PID << 32 | PID, time_ns } };

	put(block, &comm, sizeof(comm));
}

static void put_sample_of(struct xp_block *block, const struct xp_attr *of, uint64_t time_ns,
			  const struct xp_regs *regs, const char stack[STACK_BYTES])
{
	const struct xp_sample sample = {
		.size = sizeof(sample),
		.id = { .pid = PID, .tid = PID, .time_ns = time_ns },
		.ip = CODE,
		.user_regs = *regs,
		.stack = stack,
		.stack_len = STACK_BYTES,
		.stack_valid = STACK_BYTES,
	};
	_Alignas(8) char bytes[1024];
	int len = xp_sample_encode(&sample, of, bytes, sizeof(bytes));

	assert_true(len > 0);
	put(block, bytes, (size_t)len);
}

static void put_sample(struct xp_block *block, uint64_t time_ns)
{
	static const char stack[STACK_BYTES];
	const uint64_t values[] = { STACK, CODE };
	const struct xp_regs regs = {
		.abi = 2, .mask = attr.sample_regs_user, .values = values, .nr = 2
	};

	put_sample_of(block, &attr, time_ns, &regs, stack);
}

/* Unwinds and frees what waits no longer. Returns how many blocks these are. */
static int unwind(struct stage *s, struct xp_block *block)
{
	int nr = 0;

	while (block) {
		struct xp_block *next = block->next;

		xp_unwinding_block(s->unwinding, &s->scan, block);
		free(block);
		block = next;
		nr++;
	}
	return nr;
}

static int hold(struct stage *s, struct xp_block *block)
{
	return unwind(s, xp_unwinding_hold(s->unwinding, block));
}

/* How many chains ended like this. */
static uint64_t nr_ended(struct stage *s, enum xp_chain_end end)
{
	struct xp_chain_ends *ends;
	uint64_t nr;

	assert_int_equal(xp_chain_ends_new(&ends), 0);
	assert_int_equal(xp_unwinding_ends(s->unwinding, ends), 0);
	nr = xp_chain_ends_nr(ends, end);
	xp_chain_ends_free(ends);
	return nr;
}

/* --- tests --- */

/* The map's ring was read, the map came and then the sample, whose ring was read. */
static void a_map_can_be_in_the_next_round(void **state)
{
	struct stage s;
	struct xp_block *sample = block_of(XP_BLOCK_RING), *map = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, false);
	put_sample(sample, 100);
	put_round(sample);
	assert_int_equal(hold(&s, sample), 0);
	put_map(map, 90);
	put_round(map);
	assert_int_equal(hold(&s, map), 1);
	assert_int_equal(nr_ended(&s, XP_CHAIN_NOWHERE), 0);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 1);
	end(&s);
}

/* A process executes a program and goes on, on another CPU, whose ring was read in time. */
static void maps_are_those_of_a_program_that_began_before(void **state)
{
	struct stage s;
	struct xp_block *rest = block_of(XP_BLOCK_RING), *exec = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, false);
	put_map(rest, 90);
	put_sample(rest, 100);
	put_round(rest);
	assert_int_equal(hold(&s, rest), 0);
	put_exec(exec, 80);
	put_round(exec);
	assert_int_equal(hold(&s, exec), 1);
	assert_int_equal(nr_ended(&s, XP_CHAIN_NOWHERE), 0);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 1);
	end(&s);
}

/* Blocks end where they are full, rounds where they end. */
static void a_round_can_end_within_a_block(void **state)
{
	struct stage s;
	struct xp_block *first = block_of(XP_BLOCK_RING), *second = block_of(XP_BLOCK_RING);
	struct xp_block *third = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, false);
	put_sample(first, 100);
	put_round(first);
	put_sample(first, 110);
	assert_int_equal(hold(&s, first), 0);
	put_map(second, 90);
	put_round(second);
	put_sample(second, 120);
	assert_int_equal(hold(&s, second), 0);
	put_round(third);
	assert_int_equal(hold(&s, third), 1);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 2);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_END)), 3);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 3);
	end(&s);
}

/* The same, where the map and its sample are behind the end of the round before. */
static void a_block_can_have_parts_of_two_rounds(void **state)
{
	struct stage s;
	struct xp_block *first = block_of(XP_BLOCK_RING), *second = block_of(XP_BLOCK_RING);
	struct xp_block *third = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, false);
	put_round(first);
	put_map(first, 120);
	put_sample(first, 130);
	assert_int_equal(hold(&s, first), 0);
	put_round(second);
	assert_int_equal(hold(&s, second), 0);
	put_exec(third, 110);
	put_round(third);
	assert_int_equal(hold(&s, third), 2);
	assert_int_equal(nr_ended(&s, XP_CHAIN_NOWHERE), 0);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 1);
	end(&s);
}

/* As long as no block has to go on, nothing is noted before its time. */
static void maps_are_in_order_in_a_large_round(void **state)
{
	enum { MANY = BACKLOG / 4 + 8192 };
	struct stage s;
	struct xp_block *exec = block_of(XP_BLOCK_RING);
	uint64_t nr = 0;

	(void)state;
	begin(&s, false);
	for (size_t len = 0; len < MANY; nr++) {
		struct xp_block *sample = block_of(XP_BLOCK_RING);

		put_map(sample, 90);
		put_sample(sample, 100 + nr);
		len += sample->len;
		assert_int_equal(hold(&s, sample), 0);
	}
	put_exec(exec, 80);
	put_round(exec);
	hold(&s, exec);
	hold(&s, block_of(XP_BLOCK_END));
	assert_int_equal(nr_ended(&s, XP_CHAIN_NOWHERE), 0);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), nr);
	end(&s);
}

/* New ids precede the samples that have them, and nobody waits for them. */
static void ids_of_new_cpus_stay_in_their_place(void **state)
{
	struct stage s;
	struct xp_block *rest = block_of(XP_BLOCK_RING), *exec = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, false);
	put_map(rest, 90);
	put_sample(rest, 100);
	put_round(rest);
	assert_int_equal(hold(&s, rest), 0);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_IDS)), 0);
	put_exec(exec, 80);
	put_round(exec);
	assert_int_equal(hold(&s, exec), 1);
	assert_int_equal(nr_ended(&s, XP_CHAIN_NOWHERE), 0);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 1);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_END)), 3);
	end(&s);
}

/* What somebody waits for cannot be held, nor what precedes it. */
static void an_exec_can_come_after_an_answer(void **state)
{
	struct stage s;
	struct xp_block *rest = block_of(XP_BLOCK_RING), *exec = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, false);
	put_map(rest, 90);
	put_sample(rest, 100);
	assert_int_equal(hold(&s, rest), 0);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_ANSWER)), 2);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 1);
	put_exec(exec, 80);
	put_sample(exec, 110);
	put_round(exec);
	assert_int_equal(hold(&s, exec), 0);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_END)), 2);
	assert_int_equal(nr_ended(&s, XP_CHAIN_NOWHERE), 0);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 2);
	end(&s);
}

/* A 32-bit program keeps words of 4 bytes, and what is above them in registers does not count. */
static void programs_of_32_bits_have_their_own_machine(void **state)
{
	const uint64_t junk = UINT64_C(0xabcd) << 32;
	const uint64_t values[] = { junk | (STACK + 8), junk | STACK, junk | CODE };
	const uint32_t words[STACK_BYTES / 4] = { 0, 0, 0, CODE + 0x20 };
	const uint64_t expected[] = { XP_CONTEXT_USER, CODE, CODE + 0x20 - 1 };
	struct xp_attr with_fp = attr, unwound;
	struct xp_sample sample = { .size = sizeof(sample) };
	struct stage s;

	(void)state;
	with_fp.sample_regs_user |= UINT64_C(1) << FP_BIT;
	unwound = with_fp;
	xp_unwound_attr(&unwound, 0);
	const struct xp_regs regs = {
		.abi = 1, .mask = with_fp.sample_regs_user, .values = values, .nr = 3
	};
	struct xp_block *block = block_of(XP_BLOCK_RING);
	begin_with(&s, &with_fp, false);
	put_map(block, 90);
	size_t at = block->len;
	put_sample_of(block, &with_fp, 100, &regs, (const char *)words);
	xp_unwinding_hold(s.unwinding, block);
	assert_ptr_equal(xp_unwinding_hold(s.unwinding, block_of(XP_BLOCK_END)), block);
	xp_unwinding_block(s.unwinding, &s.scan, block);
	assert_int_equal(nr_ended(&s, XP_CHAIN_MADE_CODE), 1);
	assert_int_equal(xp_sample_decode((const void *)(block->bytes + at), &unwound, &sample), 0);
	xp_chain_marked(sample.callchain, sample.nr_callchain, &sample.nr_callchain);
	assert_int_equal(sample.nr_callchain, NR_32 ? NR_32 + 1 : 0);
	assert_memory_equal(sample.callchain, expected, sample.nr_callchain * sizeof(*expected));
	unwind(&s, block->next);
	free(block);
	end(&s);
}

static void nothing_waits_for_ever(void **state)
{
	static const enum xp_block_kind kinds[] = { XP_BLOCK_SWITCH, XP_BLOCK_ANSWER,
						    XP_BLOCK_END };
	struct stage s;

	(void)state;
	begin(&s, false);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct xp_block *sample = block_of(XP_BLOCK_RING);

		put_sample(sample, 100);
		assert_int_equal(hold(&s, sample), 0);
		assert_int_equal(hold(&s, block_of(kinds[i])), 2);
	}
	end(&s);
}

/* The oldest goes on. */
static void what_is_held_is_bounded(void **state)
{
	enum { MOST = BACKLOG / 2 };
	struct stage s;
	size_t held_bytes = 0;
	int nr_held = 0, nr_released = 0;

	(void)state;
	begin(&s, false);
	while (!nr_released) {
		struct xp_block *sample = block_of(XP_BLOCK_RING);

		put_sample(sample, 100);
		held_bytes += sample->len;
		nr_held++;
		nr_released = hold(&s, sample);
		assert_true(nr_released || held_bytes <= MOST);
	}
	assert_int_equal(nr_released, 1);
	assert_true(held_bytes > MOST);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_END)), nr_held);
	end(&s);
}

/* Overwritten rings have no rounds. */
static void without_rounds_blocks_wait_for_the_end(void **state)
{
	struct stage s;
	struct xp_block *sample = block_of(XP_BLOCK_RING);

	(void)state;
	begin(&s, true);
	put_sample(sample, 100);
	sample->flush = true;
	assert_int_equal(hold(&s, sample), 0);
	assert_int_equal(hold(&s, block_of(XP_BLOCK_END)), 2);
	end(&s);
}

/* --- two threads --- */

enum { FP_FRAME = 16, NR_SAMPLES = 400, NR_BLOCKS = 3, NR_ROUNDS = 3 };

/* Functions that keep frame pointers. Some copies of the stack end before the chain does. */
static void put_deep_sample(struct xp_block *block, const struct xp_attr *of, uint64_t number)
{
	enum { DEPTHS = 7 };
	uint64_t depth = 1 + number % DEPTHS;
	uint64_t words[STACK_BYTES / 8];
	uint64_t sp = STACK - depth * FP_FRAME;
	const uint64_t values[] = { sp, sp, CODE + number % 7 };

	for (uint64_t i = 0; i < STACK_BYTES / 8; i += 2) {
		uint64_t left = depth - i / 2;

		words[i] = left <= depth && left > 1 ? sp + (i + 2) * 8 : 0;
		words[i + 1] = left <= depth && left > 1 ? CODE + 0x100 + left * 8 : 0;
	}
	put_sample_of(block, of, 100 + number,
		      &(struct xp_regs){
			      .abi = 2, .mask = of->sample_regs_user, .values = values, .nr = 3 },
		      (const char *)words);
}

static struct xp_block *deep_block(const struct xp_attr *of, uint64_t first)
{
	struct xp_block *block = xp_block_new(XP_BLOCK_RING, 1 << 18);

	assert_non_null(block);
	put_map(block, 90 + first);
	for (uint64_t i = 0; i < NR_SAMPLES; i++)
		put_deep_sample(block, of, first + i);
	return block;
}

/* Appends what becomes of blocks to @bytes. Returns whether the second thread has done some. */
static bool unwind_deep(bool with_second, size_t backlog, char *bytes, size_t *len,
			uint64_t ends[2])
{
	struct xp_attr with_fp = attr;
	struct stage s;

	with_fp.sample_regs_user |= UINT64_C(1) << FP_BIT;
	begin_with(&s, &with_fp, false);
	if (with_second)
		assert_int_equal(xp_unwinding_start_thread(s.unwinding), 0);
	*len = 0;
	for (uint64_t round = 0; round < NR_ROUNDS; round++) {
		struct xp_block *end = block_of(XP_BLOCK_SWITCH), *blocks, *next;

		for (uint64_t i = 0; i < NR_BLOCKS; i++)
			assert_null(xp_unwinding_hold(
				s.unwinding,
				deep_block(&with_fp, (round * NR_BLOCKS + i) * NR_SAMPLES)));
		blocks = xp_unwinding_hold(s.unwinding, end);
		xp_unwinding_ahead(s.unwinding, blocks, backlog);
		for (; blocks; blocks = next) {
			next = blocks->next;
			xp_unwinding_block(s.unwinding, &s.scan, blocks);
			memcpy(bytes + *len, blocks->bytes, blocks->len);
			*len += blocks->len;
			free(blocks);
		}
	}
	ends[0] = nr_ended(&s, XP_CHAIN_COMPLETE);
	ends[1] = nr_ended(&s, XP_CHAIN_MADE_CODE);
	uint64_t nr_second = xp_unwinding_nr_second(s.unwinding);

	end(&s);
	return nr_second;
}

/* As often as it takes until the second thread was there in time. */
static void two_threads_give_what_one_gives(void **state)
{
	enum { ROOM = 4 << 20 };
	char *one = malloc(ROOM), *two = malloc(ROOM);
	uint64_t ends_one[2], ends_two[2];
	size_t len_one, len_two;
	bool was_second = false;

	(void)state;
	assert_non_null(one);
	assert_non_null(two);
	assert_false(unwind_deep(false, BACKLOG, one, &len_one, ends_one));
	assert_true(ends_one[0] && ends_one[1]);
	while (!was_second) {
		was_second = unwind_deep(true, BACKLOG, two, &len_two, ends_two);
		assert_int_equal(len_one, len_two);
		assert_memory_equal(one, two, len_one);
		assert_memory_equal(ends_one, ends_two, sizeof(ends_one));
	}
	free(one);
	free(two);
}

static void one_thread_is_enough_if_it_is_not_behind(void **state)
{
	enum { ROOM = 4 << 20 };
	char *bytes = malloc(ROOM);
	uint64_t ends[2];
	size_t len;

	(void)state;
	assert_non_null(bytes);
	assert_false(unwind_deep(true, BACKLOG / 64, bytes, &len, ends));
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_can_be_in_the_next_round),
		cmocka_unit_test(maps_are_those_of_a_program_that_began_before),
		cmocka_unit_test(a_round_can_end_within_a_block),
		cmocka_unit_test(a_block_can_have_parts_of_two_rounds),
		cmocka_unit_test(maps_are_in_order_in_a_large_round),
		cmocka_unit_test(ids_of_new_cpus_stay_in_their_place),
		cmocka_unit_test(an_exec_can_come_after_an_answer),
		cmocka_unit_test(programs_of_32_bits_have_their_own_machine),
		cmocka_unit_test(nothing_waits_for_ever),
		cmocka_unit_test(what_is_held_is_bounded),
		cmocka_unit_test(without_rounds_blocks_wait_for_the_end),
		cmocka_unit_test(two_threads_give_what_one_gives),
		cmocka_unit_test(one_thread_is_enough_if_it_is_not_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
