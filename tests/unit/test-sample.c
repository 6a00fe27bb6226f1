/* SPDX-License-Identifier: MIT */
/*
 * Samples and trailers: whatever an attribute can ask for comes back as it was put in, and no
 * length a record states is believed.
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

#include <xperf/attr.h>
#include <xperf/sample.h>

#include "record.h"
#include "sample-bits.h"

enum { NR_SEEDS = 10000 };

/* xorshift64*: the same numbers everywhere. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(2685821657736338717);
}

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return (next(seed) >> 16) % limit;
}

static bool coin(uint64_t *seed)
{
	return below(seed, 2);
}

/* Any event the kernel can describe: the two weights exclude each other. */
static struct xp_attr any_attr(uint64_t *seed)
{
	struct xp_attr attr = {
		.sample_type = next(seed) & next(seed) & ((UINT64_C(1) << 25) - 1),
		.read_format = below(seed, 32),
		.branch_sample_type = next(seed),
		.sample_regs_user = next(seed) & next(seed) & next(seed),
		.sample_regs_intr = next(seed) & next(seed) & next(seed),
		.sample_id_all = coin(seed),
	};

	if (attr.sample_type & XP_SAMPLE_WEIGHT)
		attr.sample_type &= ~XP_SAMPLE_WEIGHT_STRUCT;
	return attr;
}

static uint64_t noise[16384];

static void any_regs(uint64_t *seed, uint64_t mask, struct xp_regs *regs)
{
	regs->abi = below(seed, 3);
	if (!regs->abi)
		return;
	regs->mask = mask;
	regs->nr = __builtin_popcountll(mask);
	regs->values = noise + below(seed, 64);
}

static void any_read(uint64_t *seed, uint64_t format, uint64_t words[64], struct xp_sample *s)
{
	for (size_t i = 0; i < 64; i++)
		words[i] = next(seed);
	words[0] = format & XP_FORMAT_GROUP ? below(seed, 20) : words[0];
	s->read = words;
	s->nr_read_words = xp_sample_read_words(format, words, 64);
}

/* What the attribute has not, decoding must not find either. */
static struct xp_sample any_sample(uint64_t *seed, const struct xp_attr *attr, uint64_t words[64])
{
	struct xp_sample s = {
		.size = sizeof(s),
		.id = { (int32_t)next(seed), (int32_t)next(seed), next(seed), next(seed),
			next(seed), (int32_t)next(seed) },
		.ip = next(seed),
		.address = next(seed),
		.period = next(seed),
		.callchain = noise,
		.nr_callchain = below(seed, 128),
		.raw = noise,
		.raw_len = (uint32_t)below(seed, 200),
		.branches = (const struct xp_branch *)noise,
		.nr_branches = coin(seed) ? below(seed, 33) : 0,
		.has_branch_hw_idx = coin(seed),
		.branch_hw_idx = next(seed),
		.branch_counters = coin(seed) ? noise : NULL,
		.stack = noise,
		.stack_len = coin(seed) ? below(seed, 32768) : 0,
		.weight = next(seed),
		.data_source = next(seed),
		.transaction = next(seed),
		.phys_address = next(seed),
		.cgroup = next(seed),
		.data_page_size = next(seed),
		.code_page_size = next(seed),
		.aux = noise,
		.aux_len = below(seed, 4096),
	};

	s.stack_valid = s.stack_len ? below(seed, s.stack_len + 1) : 0;
	any_read(seed, attr->read_format, words, &s);
	any_regs(seed, attr->sample_regs_user, &s.user_regs);
	any_regs(seed, attr->sample_regs_intr, &s.intr_regs);
	return s;
}

static void round_trip_of(uint64_t first_seed)
{
	static uint64_t first[8192], second[8192];
	uint64_t seed = first_seed, words[64];
	struct xp_attr attr = any_attr(&seed);
	struct xp_sample sample = any_sample(&seed, &attr, words);
	struct xp_sample decoded = { .size = sizeof(decoded) };
	const struct xp_record *record = (const struct xp_record *)first;
	int len = xp_sample_encode(&sample, &attr, first, sizeof(first));

	if (len < 8 || len % 8 || record->size != len)
		fail_msg("seed %llu: %d bytes", (unsigned long long)first_seed, len);
	if (xp_sample_encode(&sample, &attr, NULL, 0) != len ||
	    xp_sample_encode(&sample, &attr, second, (size_t)len - 1) != -ENOBUFS)
		fail_msg("seed %llu: the size asked for", (unsigned long long)first_seed);
	((struct xp_record *)first)->misc = (uint16_t)next(&seed);
	if (xp_sample_decode(record, &attr, &decoded))
		fail_msg("seed %llu: cannot be decoded", (unsigned long long)first_seed);
	if (xp_sample_encode(&decoded, &attr, second, sizeof(second)) != len ||
	    memcmp(first, second, (size_t)len) != 0)
		fail_msg("seed %llu: not the same bytes", (unsigned long long)first_seed);
	if ((attr.sample_type & XP_SAMPLE_TIME ? sample.id.time_ns : XP_NO_TIME) !=
	    decoded.id.time_ns)
		fail_msg("seed %llu: time", (unsigned long long)first_seed);
	if (attr.sample_type & (XP_SAMPLE_ID | XP_SAMPLE_IDENTIFIER) &&
	    xp_sample_id_of(record, &attr) != sample.id.id)
		fail_msg("seed %llu: id", (unsigned long long)first_seed);
}

static void every_sample_comes_back(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		noise[i] = next(&seed);
	for (uint64_t i = 1; i <= NR_SEEDS; i++)
		round_trip_of(i);
}

/* A copy that ends where the record ends, so that a sanitizer sees any step beyond. */
static void decode_copy(const uint64_t *bytes, size_t len, const struct xp_attr *attr)
{
	struct xp_record *record = malloc(len);
	struct xp_sample sample = { .size = sizeof(sample) };

	memcpy(record, bytes, len);
	record->size = (uint16_t)len;
	if (!xp_sample_decode(record, attr, &sample)) {
		assert_true(sample.raw_len <= len && sample.stack_len <= len);
		assert_true(sample.nr_callchain <= len / 8 && sample.aux_len <= len);
		assert_true(sample.nr_branches <= len / 24 && sample.nr_read_words <= len / 8);
	}
	free(record);
}

/* Cut and disfigured records: refused or decoded, never read beyond their end. */
static void no_length_is_believed(void **state)
{
	uint64_t seed = 77;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		uint64_t bytes[64], words[64];
		struct xp_attr attr = any_attr(&seed);
		struct xp_sample sample = any_sample(&seed, &attr, words);

		sample.nr_callchain = below(&seed, 4);
		sample.stack_len = sample.stack_valid = below(&seed, 16);
		sample.aux_len = below(&seed, 16);
		sample.raw_len = (uint32_t)below(&seed, 16);
		sample.nr_branches = below(&seed, 3);
		attr.sample_regs_user &= 0xff;
		attr.sample_regs_intr &= 0xff;
		any_regs(&seed, attr.sample_regs_user, &sample.user_regs);
		any_regs(&seed, attr.sample_regs_intr, &sample.intr_regs);
		int len = xp_sample_encode(&sample, &attr, bytes, sizeof(bytes));
		if (len < 16)
			continue;
		decode_copy(bytes, 8 + 8 * (size_t)below(&seed, (uint64_t)len / 8), &attr);
		bytes[1 + below(&seed, (uint64_t)len / 8 - 1)] =
			coin(&seed) ? next(&seed) : below(&seed, 100);
		decode_copy(bytes, (size_t)len, &attr);
	}
}

/* Without a branch stack the kernel leaves the hardware index out. */
static void a_missing_hardware_index_is_noticed(void **state)
{
	const struct xp_attr attr = {
		.sample_type = XP_SAMPLE_IP | XP_SAMPLE_BRANCH_STACK | XP_SAMPLE_WEIGHT,
		.branch_sample_type = XP_BRANCH_HW_INDEX,
	};
	uint64_t without[] = { 0, 0x1000, 0, 42 }, with[] = { 0, 0x1000, 0, 7, 42 };
	struct xp_sample sample = { .size = sizeof(sample) };

	(void)state;
	*(struct xp_record *)without = (struct xp_record){ XP_RECORD_SAMPLE, 0, sizeof(without) };
	assert_int_equal(xp_sample_decode((void *)without, &attr, &sample), 0);
	assert_false(sample.has_branch_hw_idx);
	assert_int_equal(sample.weight, 42);
	*(struct xp_record *)with = (struct xp_record){ XP_RECORD_SAMPLE, 0, sizeof(with) };
	assert_int_equal(xp_sample_decode((void *)with, &attr, &sample), 0);
	assert_true(sample.has_branch_hw_idx);
	assert_int_equal(sample.branch_hw_idx, 7);
	assert_int_equal(sample.weight, 42);
}

/* What the kernel writes for an event that has nothing to say. */
static void nothing_takes_the_least_room(void **state)
{
	const struct xp_attr attr = {
		.sample_type = XP_SAMPLE_READ | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_RAW |
			       XP_SAMPLE_BRANCH_STACK | XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER |
			       XP_SAMPLE_AUX,
		.read_format = XP_FORMAT_GROUP | XP_FORMAT_TOTAL_TIME_ENABLED | XP_FORMAT_LOST,
		.branch_sample_type = XP_BRANCH_HW_INDEX | XP_BRANCH_COUNTERS,
		.sample_regs_user = 0xff,
	};
	const struct xp_sample nothing = {
		.size = sizeof(nothing),
	};
	uint64_t words[16];
	struct xp_sample sample = { .size = sizeof(sample) };

	(void)state;
	/* header; nr, enabled; nr; size 4; nr; abi; size; size */
	assert_int_equal(xp_sample_encode(&nothing, &attr, words, sizeof(words)), 9 * 8);
	assert_int_equal(xp_sample_decode((void *)words, &attr, &sample), 0);
	assert_int_equal(sample.raw_len, 4);
	assert_int_equal(sample.user_regs.abi, 0);
	assert_int_equal(sample.user_regs.nr, 0);
	assert_int_equal(sample.stack_len, 0);
}

static void what_cannot_be_a_record_is_refused(void **state)
{
	const struct xp_attr attr = {
		.sample_type = XP_SAMPLE_STACK_USER | XP_SAMPLE_READ | XP_SAMPLE_REGS_USER,
		.sample_regs_user = 3,
	};
	struct xp_sample sample = { .size = sizeof(sample), .stack = noise, .stack_len = 65528 };

	(void)state;
	assert_int_equal(xp_sample_encode(&sample, &attr, NULL, 0), -E2BIG);
	sample.stack_len = UINT64_MAX - 7;
	assert_int_equal(xp_sample_encode(&sample, &attr, NULL, 0), -E2BIG);
	sample.stack_len = 0;
	sample.user_regs = (struct xp_regs){ .abi = 2, .values = noise, .nr = 3 };
	assert_int_equal(xp_sample_encode(&sample, &attr, NULL, 0), -EINVAL);
	sample.user_regs.abi = 0;
	sample.read = noise;
	sample.nr_read_words = 2;
	assert_int_equal(xp_sample_encode(&sample, &attr, NULL, 0), -EINVAL);
}

static void trailers_come_back(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct xp_attr attr = any_attr(&seed);
		uint64_t record[16] = { 0 }, again[16] = { 0 };
		size_t bytes = xp_sample_id_bytes(&attr);
		struct xp_sample_id id = { (int32_t)next(&seed), (int32_t)next(&seed), next(&seed),
					   next(&seed),          next(&seed),          -5 };
		struct xp_sample_id decoded;

		*(struct xp_record *)record =
			(struct xp_record){ XP_RECORD_SWITCH, 0, (uint16_t)(8 + bytes) };
		memcpy(again, record, sizeof(record));
		xp_sample_id_encode(&id, &attr, record + 1);
		assert_int_equal(xp_sample_id_decode((void *)record, &attr, &decoded), 0);
		xp_sample_id_encode(&decoded, &attr, again + 1);
		assert_memory_equal(record, again, sizeof(record));
		if (attr.sample_id_all && attr.sample_type & (XP_SAMPLE_ID | XP_SAMPLE_IDENTIFIER))
			assert_int_equal(xp_sample_id_of((void *)record, &attr), id.id);
		else
			assert_int_equal(xp_sample_id_of((void *)record, &attr), 0);
		if (!bytes)
			assert_true(decoded.time_ns == XP_NO_TIME && decoded.pid == -1);
		((struct xp_record *)record)->size = bytes ? (uint16_t)bytes : 7;
		assert_int_equal(xp_sample_id_decode((void *)record, &attr, &decoded), -EBADMSG);
	}
}

/* Bytes of the integers a layout has before what can repeat. */
static size_t fixed_bytes(const char *layout)
{
	size_t bytes = 8;

	for (const char *at = layout; *at && !strchr("*~(", *at); at++)
		bytes += *at == '_' ? 8 : *at == '.' ? 1 : (size_t)(*at - '0');
	return bytes;
}

static void types_have_names_and_sizes(void **state)
{
	int nr = 0;

	(void)state;
	assert_string_equal(xp_record_name(XP_RECORD_MMAP2), "MMAP2");
	assert_string_equal(xp_record_name(XP_RECORD_BPF_METADATA), "BPF_METADATA");
	assert_null(xp_record_name(0));
	assert_null(xp_record_name(63));
	assert_null(xp_record_name(UINT32_MAX));
	for (uint32_t type = 0; type < 200; type++) {
		const struct xp_record_kind *kind = xp_record_kind(type);

		if (!kind)
			continue;
		nr++;
		assert_true(kind->min >= sizeof(struct xp_record));
		if (type == XP_RECORD_TIME_CONV || type == XP_RECORD_AUXTRACE_ERROR)
			assert_true(fixed_bytes(kind->layout) > kind->min);
		else if (fixed_bytes(kind->layout) > kind->min)
			fail_msg("%s: %zu bytes of layout", kind->name, fixed_bytes(kind->layout));
	}
	assert_int_equal(nr, 22 + 23);
}

/* Each bit of read_format, alone and in groups; words that are too few. */
static void readings_are_decoded(void **state)
{
	enum { ENABLED = 1, RUNNING = 2, ID = 4, GROUP = 8, LOST = 16 };
	static const struct {
		uint64_t format;
		size_t nr_words;
		uint64_t words[9];
		size_t nr;
		uint64_t enabled_ns, running_ns;
		struct xp_read_value last;
	} readings[] = {
		{ 0, 1, { 7 }, 1, 0, 0, { 7, 0, 0 } },
		{ RUNNING, 2, { 7, 20 }, 1, 0, 20, { 7, 0, 0 } },
		{ ENABLED | RUNNING | ID | LOST, 5, { 7, 30, 20, 4, 1 }, 1, 30, 20, { 7, 4, 1 } },
		{ LOST, 2, { 7, 1 }, 1, 0, 0, { 7, 0, 1 } },
		{ GROUP, 3, { 2, 7, 8 }, 2, 0, 0, { 8, 0, 0 } },
		{ GROUP | ENABLED | RUNNING | ID | LOST,
		  9,
		  { 2, 30, 20, 7, 4, 0, 8, 5, 1 },
		  2,
		  30,
		  20,
		  { 8, 5, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
		const struct xp_attr attr = { .read_format = readings[i].format };
		struct xp_reading reading;
		struct xp_read_value value;
		int32_t pid, tid;
		struct {
			struct xp_record header;
			int32_t pid, tid;
			uint64_t words[9];
		} record = { .header = { .type = XP_RECORD_READ,
					 .size = (uint16_t)(16 + 8 * readings[i].nr_words) },
			     .pid = 10,
			     .tid = 11 };

		memcpy(record.words, readings[i].words, sizeof(record.words));
		assert_int_equal(xp_read_decode(&record.header, &attr, &pid, &tid, &reading), 0);
		assert_int_equal(pid, 10);
		assert_int_equal(tid, 11);
		assert_int_equal(reading.nr, readings[i].nr);
		assert_int_equal(reading.enabled_ns, readings[i].enabled_ns);
		assert_int_equal(reading.running_ns, readings[i].running_ns);
		assert_int_equal(xp_reading_value(&reading, reading.nr - 1, &value), 0);
		assert_memory_equal(&value, &readings[i].last, sizeof(value));
		assert_int_equal(xp_reading_value(&reading, reading.nr, &value), -EINVAL);
		record.header.size -= 8;
		assert_int_equal(xp_read_decode(&record.header, &attr, &pid, &tid, &reading),
				 -EBADMSG);
		record.header.type = XP_RECORD_LOST;
		assert_int_equal(xp_read_decode(&record.header, &attr, &pid, &tid, &reading),
				 -EBADMSG);
	}
}

/* Events with a fixed period do not record it with each sample. */
static void periods_have_a_default(void **state)
{
	struct xp_attr attr = { .sample_type = XP_SAMPLE_PERIOD, .sample_period = 1000 };
	struct xp_sample sample = { .size = sizeof(sample), .period = 7 };
	struct xp_sample decoded = { .size = sizeof(decoded) };
	uint64_t words[8];

	(void)state;
	assert_true(xp_sample_encode(&sample, &attr, words, sizeof(words)) > 0);
	assert_int_equal(xp_sample_decode((const void *)words, &attr, &decoded), 0);
	assert_int_equal(decoded.period, 7);
	attr.sample_type = 0;
	assert_true(xp_sample_encode(&sample, &attr, words, sizeof(words)) > 0);
	assert_int_equal(xp_sample_decode((const void *)words, &attr, &decoded), 0);
	assert_int_equal(decoded.period, 1000);
}

/* Each entry has the mode of the marker before it; what belongs to nobody known is no entry. */
static void chains_have_modes(void **state)
{
	enum {
		KERNEL = XP_MISC_KERNEL,
		USER = XP_MISC_USER,
		HV = XP_MISC_HYPERVISOR,
		GUEST_KERNEL = XP_MISC_GUEST_KERNEL,
		GUEST_USER = XP_MISC_GUEST_USER
	};
	static const struct {
		uint64_t chain[12];
		size_t nr;
		uint16_t mode; /* of the sample */
		struct {
			uint64_t ip;
			uint16_t mode;
			bool is_return, is_joined;
		} entries[6];
	} rows[] = {
		{ .nr = 0, .mode = USER },
		{ { XP_CONTEXT_USER }, 1, USER, { { 0 } } },
		{ { 1, 2 }, 2, KERNEL, { { 1, KERNEL }, { 2, KERNEL, true } } },
		{ { 1, XP_CONTEXT_USER, 2, 3 },
		  4,
		  KERNEL,
		  { { 1, KERNEL }, { 2, USER }, { 3, USER, true } } },
		{ { XP_CONTEXT_HV, 1, XP_CONTEXT_KERNEL, 2, 3, XP_CONTEXT_USER, 4, 5 },
		  8,
		  USER,
		  { { 1, HV },
		    { 2, KERNEL },
		    { 3, KERNEL, true },
		    { 4, USER },
		    { 5, USER, true } } },
		/* Frames of an earlier sample, and a frame that a signal interrupted. */
		{ { XP_CONTEXT_USER, 1, 2, XP_CONTEXT_USER, XP_CONTEXT_USER, 3, 4, XP_CONTEXT_USER,
		    5 },
		  9,
		  USER,
		  { { 1, USER },
		    { 2, USER, true },
		    { 3, USER, true, true },
		    { 4, USER, true, true },
		    { 5, USER, false, true } } },
		{ { XP_CONTEXT_USER, 1, XP_CONTEXT_USER, 2, XP_CONTEXT_KERNEL, 3, 4 },
		  7,
		  USER,
		  { { 1, USER }, { 2, USER }, { 3, KERNEL }, { 4, KERNEL, true } } },
		/* simpleperf's files have two markers where users' functions begin. */
		{ { XP_CONTEXT_KERNEL, 1, XP_CONTEXT_USER, XP_CONTEXT_USER, 2, 3 },
		  6,
		  USER,
		  { { 1, KERNEL }, { 2, USER }, { 3, USER, true } } },
		{ { XP_CONTEXT_USER, XP_CONTEXT_USER, XP_CONTEXT_USER, 1, XP_CONTEXT_KERNEL, 2 },
		  6,
		  USER,
		  { { 1, USER }, { 2, KERNEL } } },
		/* A guest's addresses are not the host's. */
		{ { XP_CONTEXT_GUEST_KERNEL, 1, 2, XP_CONTEXT_GUEST_USER, 3 },
		  5,
		  GUEST_KERNEL,
		  { { 1, GUEST_KERNEL }, { 2, GUEST_KERNEL, true }, { 3, GUEST_USER } } },
		/* Which part of the guest? */
		{ { XP_CONTEXT_GUEST, 1, 2, XP_CONTEXT_KERNEL, 3, 4 },
		  6,
		  KERNEL,
		  { { 3, KERNEL }, { 4, KERNEL, true } } },
		/* A cookie is no address. */
		{ { XP_CONTEXT_KERNEL, 1, XP_CONTEXT_USER_DEFERRED, 99 },
		  4,
		  KERNEL,
		  { { 1, KERNEL } } },
		/* A marker of kernels to come; the first and the last that there can be. */
		{ { XP_CONTEXT_USER, 1, (uint64_t)-3000, 2, XP_CONTEXT_USER, 3 },
		  6,
		  USER,
		  { { 1, USER }, { 3, USER } } },
		{ { XP_CONTEXT_MAX, 1, XP_CONTEXT_USER, XP_CONTEXT_MAX - 1, UINT64_MAX, 2 },
		  6,
		  USER,
		  { { XP_CONTEXT_MAX - 1, USER } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_chain_walk at = { .ips = rows[i].chain,
					    .nr = rows[i].nr,
					    .cpumode = rows[i].mode };

		for (size_t e = 0; rows[i].entries[e].ip; e++) {
			assert_true(xp_chain_next(&at));
			assert_int_equal(at.ip, rows[i].entries[e].ip);
			assert_int_equal(at.cpumode, rows[i].entries[e].mode);
			assert_int_equal(at.is_return, rows[i].entries[e].is_return);
			assert_int_equal(at.is_joined, rows[i].entries[e].is_joined);
		}
		assert_false(xp_chain_next(&at));
		assert_false(xp_chain_next(&at));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_comes_back),
		cmocka_unit_test(no_length_is_believed),
		cmocka_unit_test(a_missing_hardware_index_is_noticed),
		cmocka_unit_test(nothing_takes_the_least_room),
		cmocka_unit_test(what_cannot_be_a_record_is_refused),
		cmocka_unit_test(trailers_come_back),
		cmocka_unit_test(readings_are_decoded),
		cmocka_unit_test(types_have_names_and_sizes),
		cmocka_unit_test(periods_have_a_default),
		cmocka_unit_test(chains_have_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
