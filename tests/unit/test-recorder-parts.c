/* SPDX-License-Identifier: MIT */
/* Looking at records, making less of them when the disk does not follow, and blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/record.h>
#include <xperf/sample.h>

#include "record.h"
#include "recorder-impl.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static void shedding_has_steps(void **state)
{
	static const struct {
		size_t backlog, limit;
		uint32_t stack_bytes;
	} rows[] = {
		{ 0, 64 << 20, XP_SHED_NOTHING },
		{ 32 << 20, 64 << 20, XP_SHED_NOTHING },
		{ (32 << 20) + 1, 64 << 20, 32 << 10 },
		{ 34 << 20, 64 << 20, 32 << 10 },
		{ (34 << 20) + 1, 64 << 20, 16 << 10 },
		{ (36 << 20) + 1, 64 << 20, 8 << 10 },
		{ (38 << 20) + 1, 64 << 20, 4 << 10 },
		{ (40 << 20) + 1, 64 << 20, 2 << 10 },
		{ (42 << 20) + 1, 64 << 20, 1 << 10 },
		{ 56 << 20, 64 << 20, 1 << 10 },
		{ (56 << 20) + 1, 64 << 20, XP_SHED_SAMPLES },
		{ 128 << 20, 64 << 20, XP_SHED_SAMPLES },
		{ 1, 1, XP_SHED_SAMPLES },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(xp_shed_stack_bytes(rows[i].backlog, rows[i].limit),
				 rows[i].stack_bytes);
}

static const struct xp_attr dwarf = { .sample_id_all = 1,
				      .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						     PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						     PERF_SAMPLE_STACK_USER |
						     PERF_SAMPLE_DATA_SRC };
static const struct xp_attr flat = { .sample_id_all = 1,
				     .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						    PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

struct stream {
	_Alignas(8) char bytes[1 << 20];
	size_t len;
};

static void add_sample(struct stream *s, const struct xp_attr *attr, uint64_t id, uint64_t time,
		       size_t stack_len, uint64_t stack_valid)
{
	static char stack[65536];
	struct xp_sample sample = { .size = sizeof(sample),
				    .id = { .id = id, .time_ns = time, .pid = 1, .tid = 2 },
				    .ip = 0x1234,
				    .stack = stack,
				    .stack_len = stack_len,
				    .stack_valid = stack_valid,
				    .data_source = 77 };

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (char)(i * 7);
	int n = xp_sample_encode(&sample, attr, s->bytes + s->len, sizeof(s->bytes) - s->len);
	assert_true(n > 0);
	s->len += (size_t)n;
}

static void add_other(struct stream *s, uint32_t type, uint64_t first, uint64_t second)
{
	const struct {
		struct xp_record header;
		uint64_t words[2];
	} record = { { type, 0, sizeof(record) }, { first, second } };

	memcpy(s->bytes + s->len, &record, sizeof(record));
	s->len += sizeof(record);
}

static void set_up_shed(struct xp_shed *shed, struct xp_shed_event *events)
{
	static const struct xp_new_id first[] = { { 0, 0, 10 }, { 0, 0, 11 }, { 1, 0, 20 } };

	*shed = (struct xp_shed){ .nr_events = 2 };
	atomic_store(&shed->ids, calloc(1, sizeof(struct xp_shed_ids)));
	assert_non_null(shed->ids);
	shed->events = events;
	events[0] = (struct xp_shed_event){ .attr = &dwarf, .id = 10 };
	events[1] = (struct xp_shed_event){ .attr = &flat, .id = 20 };
	assert_int_equal(xp_shed_add_ids(shed, first, ARRAY_LEN(first)), 0);
}

static void tear_down_shed(struct xp_shed *shed)
{
	shed->events = NULL; /* the test's */
	xp_shed_fini(shed);
}

static void stacks_are_cut(void **state)
{
	static struct stream s;
	struct xp_shed_event events[2];
	struct xp_scan scan = { 0 };
	struct xp_shed shed;
	struct xp_sample sample = { .size = sizeof(sample) };

	(void)state;
	s.len = 0;
	set_up_shed(&shed, events);
	add_sample(&s, &dwarf, 11, 5, 8192, 8000);
	add_other(&s, XP_RECORD_COMM, 1, 2);
	add_sample(&s, &dwarf, 10, 6, 8192, 300);
	add_sample(&s, &dwarf, 10, 7, 512, 512);
	add_sample(&s, &dwarf, 10, 8, 0, 0);
	add_sample(&s, &flat, 20, 9, 0, 0);
	add_sample(&s, &dwarf, 10, 8, 8192, 8193); /* that is not so */
	size_t len = xp_shed_records(&shed, &scan, 1024, s.bytes, s.len);
	/* What is not valid goes first. */
	assert_int_equal(len, s.len - (8192 - 1024) - (8192 - 304));
	assert_int_equal(xp_scan_get(&scan, XP_NR_CUT), 1);

	const struct xp_record *record = (const void *)s.bytes;
	assert_int_equal(xp_sample_decode(record, &dwarf, &sample), 0);
	assert_int_equal(sample.stack_len, 1024);
	assert_int_equal(sample.stack_valid, 1024);
	assert_int_equal(sample.data_source, 77); /* what came behind the stack */
	for (size_t i = 0; i < 1024; i++)
		assert_int_equal(((const char *)sample.stack)[i], (char)(i * 7));
	record = (const void *)((const char *)record + record->size);
	assert_int_equal(record->type, XP_RECORD_COMM);
	record = (const void *)((const char *)record + record->size);
	assert_int_equal(xp_sample_decode(record, &dwarf, &sample), 0);
	assert_int_equal(sample.stack_len, 304);
	assert_int_equal(sample.stack_valid, 300);
	record = (const void *)((const char *)record + record->size);
	assert_int_equal(xp_sample_decode(record, &dwarf, &sample), 0);
	assert_int_equal(sample.stack_len, 512);
	tear_down_shed(&shed);
}

static void maps_have_no_build_ids_of_others(void **state)
{
	static struct stream s;
	struct xp_shed_event events[2];
	struct xp_attr asks = flat;
	struct xp_shed shed;
	struct xp_record *map = (void *)s.bytes, *comm = (void *)(s.bytes + 24);

	(void)state;
	s.len = 0;
	set_up_shed(&shed, events);
	add_other(&s, XP_RECORD_MMAP2, 1, 2);
	add_other(&s, XP_RECORD_COMM, 1, 2);
	map->misc = comm->misc = XP_MISC_MMAP_BUILD_ID | XP_MISC_USER;
	asks.build_id = 1;
	events[1].attr = &asks;
	xp_shed_clear_build_ids(&shed, s.bytes, s.len);
	assert_int_equal(map->misc, XP_MISC_MMAP_BUILD_ID | XP_MISC_USER);
	events[1].attr = &flat;
	xp_shed_clear_build_ids(&shed, s.bytes, s.len);
	assert_int_equal(map->misc, XP_MISC_USER);
	assert_int_equal(comm->misc, XP_MISC_MMAP_BUILD_ID | XP_MISC_USER);
	tear_down_shed(&shed);
}

static void samples_have_ids_of_their_own_events(void **state)
{
	static struct stream s;
	struct xp_shed_event events[2];
	struct xp_attr clock = flat, faults = flat;
	struct xp_shed shed;

	(void)state;
	s.len = 0;
	set_up_shed(&shed, events);
	clock.type = faults.type = XP_TYPE_SOFTWARE;
	faults.config = XP_SW_PAGE_FAULTS;
	events[0].attr = &clock;
	events[1].attr = &faults;
	add_sample(&s, &flat, 11, 5, 0, 0);
	add_other(&s, XP_RECORD_COMM, 99, 2);
	add_sample(&s, &flat, 99, 6, 0, 0);
	add_sample(&s, &flat, 99, 7, 0, 0);
	shed.share_ids = true;
	/* The last one is not there in full. */
	xp_shed_own_samples(&shed, s.bytes, s.len - 8);

	const struct xp_record *first = (const void *)s.bytes;
	const struct xp_record *comm = (const void *)((const char *)first + first->size);
	const struct xp_record *foreign = (const void *)((const char *)comm + comm->size);
	const struct xp_record *cut = (const void *)((const char *)foreign + foreign->size);
	assert_int_equal(xp_sample_id_of(first, &flat), 11);
	assert_int_equal(xp_sample_id_of(foreign, &flat), 20);
	assert_int_equal(xp_sample_id_of(cut, &flat), 99);
	assert_int_equal(*(const uint64_t *)(comm + 1), 99);
	tear_down_shed(&shed);
}

static void samples_are_dropped_and_reported(void **state)
{
	static struct stream s;
	_Alignas(8) char reported[XP_LOST_RECORD_BYTES];
	const struct xp_record_lost_samples *lost = (const void *)reported;
	struct xp_shed_event events[2];
	struct xp_sample_id id;
	struct xp_shed shed;
	struct xp_scan scan = { .events = &shed };

	(void)state;
	s.len = 0;
	set_up_shed(&shed, events);
	for (int i = 0; i < 5; i++)
		add_sample(&s, &dwarf, 10 + (uint64_t)i % 2, 5, 8192, 8000);
	add_other(&s, XP_RECORD_MMAP2, 1, 2);
	add_sample(&s, &flat, 20, 9, 0, 0);
	add_sample(&s, &flat, 99, 9, 0, 0); /* nobody's: it stays */
	xp_scan_records(&scan, s.bytes, s.len);
	assert_int_equal(xp_scan_get(&scan, XP_NR_SAMPLES), 7);
	size_t len = xp_shed_records(&shed, &scan, XP_SHED_SAMPLES, s.bytes, s.len);
	assert_int_equal(((const struct xp_record *)s.bytes)->type, XP_RECORD_MMAP2);
	assert_int_equal(len, 24 + ((const struct xp_record *)(s.bytes + 24))->size);
	assert_int_equal(xp_scan_get(&scan, XP_NR_SHED), 6);
	assert_int_equal(xp_scan_get(&scan, XP_NR_SAMPLES), 1);
	assert_int_equal(xp_scan_get(&scan, XP_NR_RECORDS), 2);
	assert_int_equal(xp_scan_get(&scan, XP_NR_BYTES), len);
	assert_true(shed.pending);

	assert_int_equal(xp_shed_report(&events[0], reported, 16), 0); /* no room */
	len = xp_shed_report(&events[0], reported, sizeof(reported));
	assert_int_equal(len, lost->header.size);
	assert_int_equal(lost->lost, 5);
	assert_int_equal(xp_sample_id_decode(&lost->header, &dwarf, &id), 0);
	assert_int_equal(id.id, 10);
	assert_int_equal(xp_shed_report(&events[0], reported, sizeof(reported)), 0);
	assert_true(xp_shed_report(&events[1], reported, sizeof(reported)) > 0);
	assert_int_equal(lost->lost, 1);
	tear_down_shed(&shed);
}

/* Events that were opened again on a CPU have other ids there. */
static void ids_are_added(void **state)
{
	static const struct xp_new_id more[] = { { 0, 10, 12 }, { 1, 20, 21 } };
	static struct stream s;
	struct xp_watched *watched = calloc(1, sizeof(*watched) + 2 * sizeof(*watched->ids));
	struct xp_scan scan = { .time_at = 3, .id_at = 0 };
	struct xp_shed_event events[2];
	struct xp_shed shed;

	(void)state;
	set_up_shed(&shed, events);
	assert_int_equal(xp_scan_watch(&scan, more, ARRAY_LEN(more)), 0); /* nothing is */
	assert_non_null(watched);
	watched->ids[0] = 20;
	atomic_store(&scan.watched, watched);
	assert_int_equal(xp_shed_add_ids(&shed, more, ARRAY_LEN(more)), 0);
	assert_int_equal(xp_scan_watch(&scan, more, ARRAY_LEN(more)), 0);
	s.len = 0;
	add_sample(&s, &flat, 20, 5, 0, 0);
	add_sample(&s, &flat, 21, 5, 0, 0);
	add_sample(&s, &dwarf, 12, 5, 8, 8);
	xp_scan_records(&scan, s.bytes, s.len);
	assert_int_equal(xp_scan_get(&scan, XP_NR_WATCHED), 2);
	const struct xp_record *record = (const void *)s.bytes;
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(xp_shed_event_of(&shed, record), &events[i < 2]);
		record = (const void *)((const char *)record + record->size);
	}
	xp_scan_fini(&scan);
	tear_down_shed(&shed);
}

static void a_look_counts_what_is_whole(void **state)
{
	static struct stream s;
	struct xp_watched *watched = calloc(1, sizeof(*watched) + 2 * sizeof(*watched->ids));
	struct xp_shed_event events[2];
	struct xp_shed shed;
	struct xp_scan scan = { .time_at = 3, .id_at = 0, .events = &shed };

	(void)state;
	s.len = 0;
	set_up_shed(&shed, events);
	assert_non_null(watched);
	watched->ids[0] = 20;
	atomic_store(&scan.watched, watched);
	add_sample(&s, &flat, 20, 500, 0, 0);
	add_other(&s, XP_RECORD_LOST, 20, 17);
	add_other(&s, XP_RECORD_LOST_SAMPLES, 4, 0);
	add_other(&s, XP_RECORD_THROTTLE, 1, 2);
	add_sample(&s, &flat, 21, 900, 0, 0);
	struct xp_scanned scanned = xp_scan_records(&scan, s.bytes, s.len);
	assert_int_equal(scanned.bytes, s.len);
	assert_false(scanned.has_maps);
	assert_int_equal(xp_scan_get(&scan, XP_NR_SAMPLES), 2);
	assert_int_equal(xp_scan_get(&scan, XP_NR_RECORDS), 5);
	assert_int_equal(xp_scan_get(&scan, XP_NR_LOST), 21);
	assert_int_equal(xp_scan_get(&scan, XP_NR_THROTTLED), 1);
	assert_int_equal(xp_scan_get(&scan, XP_NR_WATCHED), 1);
	assert_int_equal(xp_scan_get(&scan, XP_FIRST_TIME), 500);
	assert_int_equal(xp_scan_get(&scan, XP_LAST_TIME), 900);

	/* an earlier one in another ring, then overwritten ones, newest first */
	s.len = 0;
	add_sample(&s, &flat, 20, 1000, 0, 0);
	add_other(&s, XP_RECORD_MMAP2, 0, 0);
	add_sample(&s, &flat, 20, 400, 0, 0);
	for (size_t cut = s.len - 1; cut > s.len - 8; cut--)
		assert_true(xp_scan_records(&scan, s.bytes, cut).bytes < s.len);
	assert_true(xp_scan_records(&scan, s.bytes, s.len).has_maps);
	assert_int_equal(xp_scan_get(&scan, XP_FIRST_TIME), 400);
	assert_int_equal(xp_scan_get(&scan, XP_LAST_TIME), 1000);

	((struct xp_record *)s.bytes)->size = 4;
	scanned = xp_scan_records(&scan, s.bytes, s.len);
	assert_true(scanned.damaged);
	assert_int_equal(scanned.bytes, 0);
	xp_scan_fini(&scan);
	tear_down_shed(&shed);
}

static void blocks_come_back_newest_first(void **state)
{
	struct xp_block_queue q = { NULL };
	struct xp_block *blocks[3];

	(void)state;
	assert_int_equal(xp_blocks_init(&q), 0);
	for (int i = 0; i < 3; i++) {
		blocks[i] = xp_blocks_get(&q, XP_BLOCK_RING, 100);
		assert_int_equal(blocks[i]->room, XP_BLOCK_BYTES);
		blocks[i]->len = 10;
		xp_blocks_push(&q, blocks[i]);
	}
	assert_int_equal(atomic_load(&q.backlog), 30);
	struct xp_block *at = xp_blocks_pop_all(&q);
	for (int i = 0; i < 3; i++) {
		struct xp_block *next = at->next;

		assert_ptr_equal(at, blocks[i]);
		xp_blocks_recycle(&q, at);
		at = next;
	}
	assert_null(at);
	assert_null(xp_blocks_pop_all(&q));
	assert_int_equal(atomic_load(&q.backlog), 0);
	assert_ptr_equal(xp_blocks_get(&q, XP_BLOCK_RING, 1), blocks[2]);
	assert_ptr_equal(xp_blocks_get(&q, XP_BLOCK_OUTSIDE, XP_BLOCK_BYTES), blocks[1]);
	/* one of its own size is not kept */
	struct xp_block *large = xp_blocks_get(&q, XP_BLOCK_OUTSIDE, XP_BLOCK_BYTES + 1);
	xp_blocks_push(&q, large);
	xp_blocks_recycle(&q, xp_blocks_pop_all(&q));
	free(blocks[1]);
	free(blocks[2]);
	xp_blocks_fini(&q);
}

/* --- a listener --- */

/* A share of 1 %: 2 s are saved up at first. */
static void a_listener_has_a_share_of_a_cpu(void **state)
{
	enum { RING = 512 << 10, SMALL = 4 << 10, MS = 1000000 };
	struct xp_band_pass pass = { .share = { .ppm = 10000, .seconds = 200 } };
	uint64_t now = 1000 * (uint64_t)MS, spent = 0;

	(void)state;
	assert_int_equal(xp_band_pause(&pass, now, spent, RING), 0);
	/* The whole CPU for 2 s: nothing is left but the share of that time. */
	assert_int_equal(xp_band_pause(&pass, now += 2000 * MS, spent += 2000 * MS, RING), 0);
	assert_int_equal(xp_band_pause(&pass, now += 20 * MS, spent += 20 * MS, RING), 0);
	/* 0.2 ms of the 20 ms are saved by the last call; 0.1 ms too many cost 10 ms. */
	assert_int_equal(xp_band_pause(&pass, now, spent += 300000, RING), 10 * MS);
	assert_in_range(xp_band_pause(&pass, now, spent, SMALL), 100000, 150000);
	/* It is over when that time is. */
	assert_int_equal(xp_band_pause(&pass, now += 10 * MS, spent, RING), 0);
	/* No longer than rings have room. */
	assert_in_range(xp_band_pause(&pass, now, spent += 1000 * MS, RING), 15 * MS, 17 * MS);
	/* Nothing is paid back but what was taken, and no more is saved than at first. */
	assert_int_equal(xp_band_pause(&pass, now += 10000000 * (uint64_t)MS, spent, RING), 0);
	assert_int_equal(xp_band_pause(&pass, now, spent += 2000 * MS, RING), 0);
	assert_int_not_equal(xp_band_pause(&pass, now, spent + MS, RING), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shedding_has_steps),
		cmocka_unit_test(stacks_are_cut),
		cmocka_unit_test(maps_have_no_build_ids_of_others),
		cmocka_unit_test(samples_have_ids_of_their_own_events),
		cmocka_unit_test(samples_are_dropped_and_reported),
		cmocka_unit_test(ids_are_added),
		cmocka_unit_test(a_look_counts_what_is_whole),
		cmocka_unit_test(blocks_come_back_newest_first),
		cmocka_unit_test(a_listener_has_a_share_of_a_cpu),
	};

	return cmocka_run_group_tests_name("recorder-parts", tests, NULL, NULL);
}
