/* SPDX-License-Identifier: MIT */
/*
 * Samples that have the id of another recorder's event: they are of the only event of ours that
 * they can be of, and of none if that is not certain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <xperf/attr.h>
#include <xperf/sample.h>

#include "sample-owner.h"

#define FIELDS (XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_ID | XP_SAMPLE_RAW)
#define SOFTWARE(which)                                                                            \
	{                                                                                          \
		.type = XP_TYPE_SOFTWARE, .config = (which), .sample_type = FIELDS                 \
	}
#define TRACEPOINT(number)                                                                         \
	{                                                                                          \
		.type = XP_TYPE_TRACEPOINT, .config = (number), .sample_type = FIELDS              \
	}

enum { EVENTS_MAX = 3 };

static const struct xp_attr *attr_at(const void *list, int event)
{
	return (const struct xp_attr *)list + event;
}

/* A sample of a tracepoint; 0: of none, with what the kernel then has instead of raw data. */
static int owner(const struct xp_attr *attrs, int nr, uint16_t tracepoint, bool is_swapped)
{
	const struct xp_owners owners = { attr_at, attrs, nr, is_swapped };
	uint16_t raw[6] = { is_swapped ? __builtin_bswap16(tracepoint) : tracepoint };
	struct xp_sample sample = { .size = sizeof(sample),
				    .id = { .id = 77, .time_ns = 5, .pid = 1, .tid = 2 },
				    .ip = 0x1234,
				    .raw = raw,
				    .raw_len = tracepoint ? sizeof(raw) : 4 };
	_Alignas(8) char record[256];

	assert_true(xp_sample_encode(&sample, &attrs[0], record, sizeof(record)) > 0);
	return xp_sample_owner((const void *)record, &owners);
}

static void the_only_event_is_found(void **state)
{
	static const struct {
		struct xp_attr attrs[EVENTS_MAX];
		uint16_t tracepoint;
		int owner;
	} rows[] = {
		{ { SOFTWARE(XP_SW_CPU_CLOCK), SOFTWARE(XP_SW_CONTEXT_SWITCHES),
		    SOFTWARE(XP_SW_DUMMY) },
		  0,
		  1 },
		{ { SOFTWARE(XP_SW_CPU_CLOCK), SOFTWARE(XP_SW_BPF_OUTPUT),
		    SOFTWARE(XP_SW_PAGE_FAULTS_MIN) },
		  0,
		  2 },
		/* which of the two? */
		{ { SOFTWARE(XP_SW_CONTEXT_SWITCHES), SOFTWARE(XP_SW_PAGE_FAULTS),
		    SOFTWARE(XP_SW_DUMMY) },
		  0,
		  -1 },
		/* these have data of their own, and their own ids */
		{ { SOFTWARE(XP_SW_CPU_CLOCK),
		    SOFTWARE(XP_SW_TASK_CLOCK),
		    { .type = XP_TYPE_HARDWARE, .sample_type = FIELDS } },
		  0,
		  -1 },
		{ { TRACEPOINT(310), TRACEPOINT(311), SOFTWARE(XP_SW_PAGE_FAULTS) }, 311, 1 },
		{ { TRACEPOINT(310), TRACEPOINT(311), SOFTWARE(XP_SW_PAGE_FAULTS) }, 0, 2 },
		{ { TRACEPOINT(310), TRACEPOINT(311), SOFTWARE(XP_SW_PAGE_FAULTS) }, 312, -1 },
		{ { TRACEPOINT(310), TRACEPOINT(310), SOFTWARE(XP_SW_DUMMY) }, 310, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int is_swapped = 0; is_swapped < 2; is_swapped++)
			assert_int_equal(
				owner(rows[i].attrs, EVENTS_MAX, rows[i].tracepoint, is_swapped),
				rows[i].owner);
}

static void what_is_too_short_has_no_owner(void **state)
{
	static const struct xp_attr attrs[] = { SOFTWARE(XP_SW_PAGE_FAULTS) };
	const struct xp_owners owners = { attr_at, attrs, 1, false };
	const struct {
		struct xp_record header;
		uint64_t ip;
	} record = { { XP_RECORD_SAMPLE, 0, sizeof(record) }, 0x1234 };

	(void)state;
	assert_int_equal(xp_sample_owner(&record.header, &owners), -1);
}

static void ids_are_set_where_they_are(void **state)
{
	static const uint64_t types[] = {
		FIELDS,
		FIELDS | XP_SAMPLE_IDENTIFIER,
		FIELDS | XP_SAMPLE_IDENTIFIER | XP_SAMPLE_ADDR | XP_SAMPLE_STREAM_ID,
		XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct xp_attr attr = { .sample_type = types[i] };
		struct xp_sample sample = {
			.size = sizeof(sample),
			.id = { .id = 77, .time_ns = 5, .pid = 1, .tid = 2, .stream_id = 9 },
			.ip = 0x1234,
			.address = 0x5678,
		};
		_Alignas(8) char before[256], after[256];
		bool has_id = types[i] & (XP_SAMPLE_ID | XP_SAMPLE_IDENTIFIER);

		int len = xp_sample_encode(&sample, &attr, before, sizeof(before));
		assert_true(len > 0);
		xp_sample_set_id((void *)before, &attr, 11);
		sample.id.id = has_id ? 11 : 77;
		assert_int_equal(xp_sample_encode(&sample, &attr, after, sizeof(after)), len);
		assert_memory_equal(before, after, (size_t)len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_event_is_found),
		cmocka_unit_test(what_is_too_short_has_no_owner),
		cmocka_unit_test(ids_are_set_where_they_are),
	};

	return cmocka_run_group_tests_name("sample-owner", tests, NULL, NULL);
}
