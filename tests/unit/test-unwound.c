/* SPDX-License-Identifier: MIT */
/* Samples whose stack became a call chain: all other fields are what they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/recorder.h>
#include <xperf/sample.h>
#include <xperf/unwind.h>

#include "chain-mark.h"
#include "sample-bits.h"
#include "unwound.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define DWARF                                                                                      \
	(XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN |                     \
	 XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER)
#define ALL_FIELDS                                                                                 \
	(DWARF | XP_SAMPLE_IDENTIFIER | XP_SAMPLE_ADDR | XP_SAMPLE_CPU | XP_SAMPLE_PERIOD |        \
	 XP_SAMPLE_READ | XP_SAMPLE_RAW | XP_SAMPLE_BRANCH_STACK | XP_SAMPLE_WEIGHT |              \
	 XP_SAMPLE_DATA_SRC | XP_SAMPLE_REGS_INTR | XP_SAMPLE_PHYS_ADDR |                          \
	 XP_SAMPLE_CODE_PAGE_SIZE | XP_SAMPLE_AUX)

static const uint64_t kernel_chain[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010,
					 0xffffffff81000020 };
static const uint64_t registers[] = { 11, 22, 33, 44 };
static const uint64_t interrupted[] = { 55, 66 };
static const uint64_t reading[] = { 1000, 7 };
static const struct xp_branch branches[] = { { 1, 2, 3 }, { 4, 5, 6 } };

static struct xp_sample full_sample(uint64_t mask)
{
	static char stack[4096], aux[24] = "trace";

	return (struct xp_sample){
		.size = sizeof(struct xp_sample),
		.id = { .pid = 5, .tid = 6, .time_ns = 77, .id = 8, .cpu = 9 },
		.ip = 0x1234,
		.address = 0x55,
		.period = 66,
		.read = reading,
		.nr_read_words = ARRAY_LEN(reading),
		.callchain = kernel_chain,
		.nr_callchain = ARRAY_LEN(kernel_chain),
		.raw = "raw!",
		.raw_len = 4,
		.branches = branches,
		.nr_branches = ARRAY_LEN(branches),
		.user_regs = { .abi = 2, .mask = mask, .values = registers, .nr = 4 },
		.stack = stack,
		.stack_len = sizeof(stack),
		.stack_valid = 100,
		.weight = 13,
		.data_source = 14,
		.intr_regs = { .abi = 2, .mask = 3, .values = interrupted, .nr = 2 },
		.phys_address = 15,
		.code_page_size = 4096,
		.aux = aux,
		.aux_len = sizeof(aux),
	};
}

/* As events have it that record nothing else. */
static struct xp_sample stack_sample(void)
{
	struct xp_sample sample = full_sample(0x99);

	sample.nr_read_words = 0;
	sample.read = NULL;
	sample.intr_regs = (struct xp_regs){ 0 };
	return sample;
}

static void assert_rest_is_same(const struct xp_sample *a, const struct xp_sample *b)
{
	assert_memory_equal(&a->id, &b->id, sizeof(a->id));
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->address, b->address);
	assert_int_equal(a->period, b->period);
	assert_int_equal(a->nr_read_words, b->nr_read_words);
	assert_memory_equal(a->read, b->read, a->nr_read_words * sizeof(uint64_t));
	assert_int_equal(a->raw_len, b->raw_len);
	assert_memory_equal(a->raw, b->raw, a->raw_len);
	assert_int_equal(a->nr_branches, b->nr_branches);
	assert_memory_equal(a->branches, b->branches, a->nr_branches * sizeof(*a->branches));
	assert_int_equal(a->weight, b->weight);
	assert_int_equal(a->data_source, b->data_source);
	assert_int_equal(a->intr_regs.nr, b->intr_regs.nr);
	assert_memory_equal(a->intr_regs.values, b->intr_regs.values, 16);
	assert_int_equal(a->phys_address, b->phys_address);
	assert_int_equal(a->code_page_size, b->code_page_size);
	assert_int_equal(a->aux_len, b->aux_len);
	assert_memory_equal(a->aux, b->aux, a->aux_len);
}

static const uint8_t no_marks[200];

struct made {
	_Alignas(8) char bytes[65536];
	struct xp_attr written;
	struct xp_sample sample;
};

/* Encodes @sample, unwinds it in place or @shift bytes nearer to the front, decodes it; what the
 * chain says of its end is taken off. */
static void make(struct made *m, const struct xp_sample *sample, const struct xp_attr *attr,
		 uint64_t kept, const struct xp_user_chain *chain, size_t shift)
{
	char *to = m->bytes, *from = to + shift;
	struct xp_sample before = { .size = sizeof(before) };
	struct xp_stack_place place;

	int len = xp_sample_encode(sample, attr, from, sizeof(m->bytes) - shift);
	assert_true(len > 0);
	m->written = *attr;
	xp_unwound_attr(&m->written, kept);
	assert_false(m->written.sample_type & XP_SAMPLE_STACK_USER);
	assert_int_equal(xp_stack_find((const void *)from, attr, &before, &place), 0);
	struct xp_user_chain fitting = *chain;

	xp_unwound_fit(&fitting, xp_stack_room(&place, attr, kept));
	assert_true(fitting.nr == chain->nr || fitting.end == XP_CHAIN_MAX);
	size_t size = xp_unwound_write(&before, &place, attr, kept, &fitting, to);
	assert_true(size <= (size_t)len);
	assert_int_equal(((const struct xp_record *)to)->size, size);
	m->sample = (struct xp_sample){ .size = sizeof(m->sample) };
	assert_int_equal(xp_sample_decode((const void *)to, &m->written, &m->sample), 0);
	/* nothing but a whole sample */
	struct xp_sample again = m->sample;
	assert_int_equal(xp_sample_encode(&again, &m->written, NULL, 0), (int)size);
	assert_int_equal(xp_chain_marked(m->sample.callchain, m->sample.nr_callchain,
					 &m->sample.nr_callchain),
			 fitting.nr ? fitting.end : XP_NR_CHAIN_ENDS);
}

static void all_other_fields_stay(void **state)
{
	static struct made m;
	const struct xp_attr attr = { .sample_type = ALL_FIELDS,
				      .read_format = XP_FORMAT_ID,
				      .sample_regs_user = 0x99,
				      .sample_regs_intr = 3,
				      .sample_stack_user = 4096,
				      .exclude_callchain_user = 1 };
	const uint64_t pcs[] = { 0x400010, 0x400020, 0x400030 };
	const uint64_t expected[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
				      XP_CONTEXT_USER,   0x400010,           0x40001f,
				      0x40002f };
	const struct xp_user_chain chain = { .pcs = pcs, .marks = no_marks, .nr = 3 };
	struct xp_sample sample = full_sample(0x99);

	(void)state;
	for (size_t shift = 0; shift <= 8000; shift += 8 + shift) {
		make(&m, &sample, &attr, 0, &chain, shift);
		assert_int_equal(m.written.sample_regs_user, 0);
		assert_int_equal(m.written.exclude_callchain_user, 0);
		assert_int_equal(m.written.sample_stack_user, 4096);
		assert_int_equal(m.sample.nr_callchain, ARRAY_LEN(expected));
		assert_memory_equal(m.sample.callchain, expected, sizeof(expected));
		assert_rest_is_same(&m.sample, &sample);

		/* registers that were asked for */
		make(&m, &sample, &attr, 0x18, &chain, shift);
		assert_int_equal(m.sample.user_regs.abi, 2);
		assert_int_equal(m.sample.user_regs.mask, 0x18);
		assert_int_equal(m.sample.user_regs.nr, 2);
		assert_int_equal(m.sample.user_regs.values[0], 22);
		assert_int_equal(m.sample.user_regs.values[1], 33);
		assert_int_equal(m.sample.nr_callchain, ARRAY_LEN(expected));
		assert_rest_is_same(&m.sample, &sample);
	}
}

static void a_chain_is_as_long_as_fits(void **state)
{
	static struct made m;
	const struct xp_attr attr = { .sample_type = DWARF, .sample_regs_user = 0x99 };
	uint64_t pcs[200];
	const struct xp_user_chain chain = { .pcs = pcs, .marks = no_marks, .nr = 200 };
	struct xp_sample sample = stack_sample();
	struct xp_sample before = { .size = sizeof(before) };
	struct xp_stack_place place;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pcs); i++)
		pcs[i] = 0x1000 + i;
	sample.stack_len = 800;
	make(&m, &sample, &attr, 0, &chain, 0);
	xp_sample_encode(&sample, &attr, m.bytes, sizeof(m.bytes));
	assert_int_equal(xp_stack_find((const void *)m.bytes, &attr, &before, &place), 0);
	size_t room = xp_stack_room(&place, &attr, 0);
	assert_true(room >= 97 && room < 107);
	make(&m, &sample, &attr, 0, &chain, 0);
	assert_int_equal(m.sample.nr_callchain, ARRAY_LEN(kernel_chain) + 1 + room);
	assert_int_equal(m.sample.callchain[ARRAY_LEN(kernel_chain) + room], pcs[room - 1] - 1);

	/* neither registers nor a stack: a thread of the kernel */
	const struct xp_user_chain none = { .pcs = pcs, .marks = no_marks };
	sample.user_regs = (struct xp_regs){ 0 };
	sample.stack_len = sample.stack_valid = 0;
	make(&m, &sample, &attr, 0, &none, 0);
	assert_int_equal(m.sample.nr_callchain, ARRAY_LEN(kernel_chain));
	make(&m, &sample, &attr, 0x10, &none, 0);
	assert_int_equal(m.sample.user_regs.abi, 0);
	make(&m, &sample, &attr, 0, &chain, 0); /* nothing fits */
	assert_int_equal(m.sample.nr_callchain, ARRAY_LEN(kernel_chain));
}

/* What a signal interrupted has not called the handler, nor was the code called that the handler
 * returns to. */
static void addresses_of_callers_are_in_their_calls(void **state)
{
	static struct made m;
	const struct xp_attr attr = { .sample_type = DWARF, .sample_regs_user = 0x99 };
	const uint64_t pcs[] = { 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000 };
	const uint8_t marks[] = {
		0, 0, 0, XP_UNWIND_INTERRUPTED, XP_UNWIND_JOINED, XP_UNWIND_NOT_CALLED
	};
	const uint64_t expected[] = { 0x1000, 0x1fff, 0x3000, 0x4000, 0x4fff, 0x6000 };
	const struct xp_user_chain chain = { .pcs = pcs, .marks = marks, .nr = 6 };
	struct xp_sample sample = stack_sample();

	(void)state;
	sample.stack_len = 800;
	make(&m, &sample, &attr, 0, &chain, 0);
	assert_int_equal(m.sample.nr_callchain, ARRAY_LEN(kernel_chain) + 1 + ARRAY_LEN(expected));
	assert_memory_equal(m.sample.callchain + ARRAY_LEN(kernel_chain) + 1, expected,
			    sizeof(expected));
}

/* Those after two markers; fewer where there is no room for all. */
static void joined_frames_are_marked(void **state)
{
	static struct made m;
	const struct xp_attr attr = { .sample_type = DWARF, .sample_regs_user = 0x99 };
	const uint64_t pcs[] = { 0x1000, 0x2000, 0x3000, 0x4000 };
	const uint64_t expected[] = { XP_CONTEXT_KERNEL,
				      0xffffffff81000010,
				      0xffffffff81000020,
				      XP_CONTEXT_USER,
				      0x1000,
				      0x1fff,
				      XP_CONTEXT_USER,
				      XP_CONTEXT_USER,
				      0x2fff,
				      0x3fff };
	const struct xp_user_chain chain = {
		.pcs = pcs, .marks = no_marks, .nr = 4, .nr_joined = 2, .end = XP_CHAIN_JOINED
	};
	static const size_t stack_lens[] = { 104, 72, 48, 40, 32, 24, 16, 8 };
	struct xp_sample sample = stack_sample();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(stack_lens); i++) {
		sample.stack_len = stack_lens[i];
		sample.stack_valid = 0;
		make(&m, &sample, &attr, 0x99, &chain, 0);
		size_t nr = m.sample.nr_callchain;

		assert_true(nr <= ARRAY_LEN(expected) && nr >= ARRAY_LEN(kernel_chain));
		assert_memory_equal(m.sample.callchain, expected, nr * sizeof(*expected));
		assert_true(m.sample.callchain[nr - 1] < XP_CONTEXT_MAX);
		if (i == 0)
			assert_int_equal(nr, ARRAY_LEN(expected));
	}
}

static void only_events_with_stacks_change(void **state)
{
	const struct xp_attr flat = { .sample_type = XP_SAMPLE_IP | XP_SAMPLE_CALLCHAIN,
				      .exclude_callchain_user = 1 };
	const struct xp_attr registers_only = { .sample_type = XP_SAMPLE_IP | XP_SAMPLE_CALLCHAIN |
							       XP_SAMPLE_REGS_USER,
						.sample_regs_user = 7 };
	struct xp_attr attr = flat;

	(void)state;
	xp_unwound_attr(&attr, 0);
	assert_memory_equal(&attr, &flat, sizeof(attr));
	attr = registers_only;
	xp_unwound_attr(&attr, 0);
	assert_memory_equal(&attr, &registers_only, sizeof(attr));
	assert_false(xp_has_stacks(&flat));
}

static void damaged_samples_are_refused(void **state)
{
	static struct made m;
	const struct xp_attr attr = { .sample_type = DWARF, .sample_regs_user = 0x99 };
	struct xp_sample sample = stack_sample(), before = { .size = sizeof(before) };
	struct xp_record *record = (void *)m.bytes;
	struct xp_stack_place place;

	(void)state;
	int len = xp_sample_encode(&sample, &attr, m.bytes, sizeof(m.bytes));
	for (int size = 8; size < len; size += 8) {
		record->size = (uint16_t)size;
		assert_int_equal(xp_stack_find(record, &attr, &before, &place), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_other_fields_stay),
		cmocka_unit_test(a_chain_is_as_long_as_fits),
		cmocka_unit_test(addresses_of_callers_are_in_their_calls),
		cmocka_unit_test(joined_frames_are_marked),
		cmocka_unit_test(only_events_with_stacks_change),
		cmocka_unit_test(damaged_samples_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
