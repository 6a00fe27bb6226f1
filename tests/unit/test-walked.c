/* SPDX-License-Identifier: MIT */
/* Samples whose call chain BPF has made, on their way to the file: what they become, which frames
 * are not believed, and what is no such sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/sample.h>

#include "chain-mark.h"
#include "kernel-walk.h"
#include "timeline-records.h"
#include "walked.h"

enum { HEAD = offsetof(struct walked, ips), OUTPUT_ID = 90, EVENT_ID = 7, OTHER_ID = 8 };

#define FIELDS                                                                                     \
	(XP_SAMPLE_IDENTIFIER | XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CPU |    \
	 XP_SAMPLE_PERIOD | XP_SAMPLE_CALLCHAIN)

static const uint64_t kernel_chain[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010 };
static const struct xp_attr in_ring = { .sample_type = FIELDS | XP_SAMPLE_RAW };
static const struct xp_attr in_file = { .sample_type = FIELDS };

struct fixture {
	struct xp_shed_ids ids;
	struct xp_shed_event events[2];
	struct xp_shed shed;
	struct xp_walk_files files;
	struct xp_walker walker;
	_Alignas(8) char bytes[16384];
	struct xp_sample sample;
	enum xp_chain_end end;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	assert_int_equal(xp_id_map_add(&f.ids.map, EVENT_ID, 1), 0);
	f.events[0].attr = f.events[1].attr = &in_file;
	f.shed.events = f.events;
	f.shed.nr_events = 2;
	atomic_store(&f.shed.ids, &f.ids);
	f.walker.files = &f.files;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	xp_id_map_fini(&f->ids.map);
	xp_live_fini(&f->files.maps);
	return 0;
}

/* Makes a sample at time 100 of what BPF has written, @raw_len bytes of it; 8 bytes nearer to the
 * front. Returns its bytes. */
static size_t make(struct fixture *f, const struct walked *walked, size_t raw_len)
{
	const struct xp_sample sample = {
		.size = sizeof(sample),
		.id = { .pid = 5, .tid = 6, .time_ns = 100, .id = OUTPUT_ID, .cpu = 1 },
		.ip = 0x1234,
		.callchain = kernel_chain,
		.nr_callchain = 2,
		.raw = walked,
		.raw_len = (uint32_t)raw_len,
	};
	char *from = f->bytes + 8;

	assert_true(xp_sample_encode(&sample, &in_ring, from, sizeof(f->bytes) - 8) > 0);
	size_t len = xp_walked_write((const void *)from, &in_ring, &f->shed, &f->walker, f->bytes,
				     &f->end);
	if (!len)
		return 0;
	f->sample = (struct xp_sample){ .size = sizeof(f->sample) };
	assert_int_equal(((const struct xp_record *)f->bytes)->size, len);
	assert_int_equal(xp_sample_decode((const void *)f->bytes, &in_file, &f->sample), 0);
	return len;
}

static void expect_user_frames(const struct fixture *f, const __u64 *ips, size_t nr)
{
	size_t len;

	assert_int_equal(xp_chain_marked(f->sample.callchain, f->sample.nr_callchain, &len),
			 f->end);
	assert_int_equal(len, 2 + 1 + nr);
	assert_memory_equal(f->sample.callchain, kernel_chain, sizeof(kernel_chain));
	assert_true(f->sample.callchain[2] == XP_CONTEXT_USER);
	assert_memory_equal(f->sample.callchain + 3, ips, nr * sizeof(*ips));
}

static void it_becomes_a_sample_of_its_event(void **state)
{
	struct fixture *f = *state;
	const struct walked walked = {
		.id = EVENT_ID, .period = 250000, .nr = 3, .ips = { 0x10, 0x20, 0x30 }
	};

	assert_true(make(f, &walked, HEAD + 3 * 8));
	assert_int_equal(f->end, XP_CHAIN_COMPLETE);
	assert_int_equal(f->sample.id.id, EVENT_ID);
	assert_int_equal(f->sample.id.tid, 6);
	assert_int_equal(f->sample.id.time_ns, 100);
	assert_int_equal(f->sample.id.cpu, 1);
	assert_int_equal(f->sample.ip, 0x1234);
	assert_int_equal(f->sample.period, 250000);
	expect_user_frames(f, walked.ips, 3);
}

static void a_chain_that_was_too_long_is_not_complete(void **state)
{
	struct fixture *f = *state;
	static struct walked walked = { .id = EVENT_ID, .nr = WALKED_FRAMES_MAX, .is_cut = 1 };

	for (size_t i = 0; i < WALKED_FRAMES_MAX; i++)
		walked.ips[i] = i + 1;
	assert_true(make(f, &walked, sizeof(walked)));
	assert_int_equal(f->end, XP_CHAIN_MAX);
	expect_user_frames(f, walked.ips, WALKED_FRAMES_MAX);
}

static void map(struct fixture *f, uint64_t time, uint64_t start)
{
	struct timed rec = mmap2_record(time, 5, start, 0x1000, 0, "/bin/it");

	assert_int_equal(xp_live_add(&f->files.maps, &rec.header, rec.time_ns), 0);
}

/* The kernel walked by what was there before. */
static void frames_in_newer_maps_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct walked walked = {
		.id = EVENT_ID, .nr = 3, .known_ns = 60, .ips = { 0x1010, 0x5010, 0x1020 }
	};

	map(f, 50, 0x1000);
	map(f, 70, 0x5000);
	assert_true(make(f, &walked, HEAD + 3 * 8));
	assert_int_equal(f->end, XP_CHAIN_TOO_NEW);
	expect_user_frames(f, walked.ips, 1);
	walked.known_ns = 70;
	assert_true(make(f, &walked, HEAD + 3 * 8));
	assert_int_equal(f->end, XP_CHAIN_COMPLETE);
	expect_user_frames(f, walked.ips, 3);
	/* The processor was there all the same. */
	walked.known_ns = 40;
	assert_true(make(f, &walked, HEAD + 3 * 8));
	assert_int_equal(f->end, XP_CHAIN_TOO_NEW);
	expect_user_frames(f, walked.ips, 1);
}

static void what_does_not_fit_is_no_sample(void **state)
{
	struct fixture *f = *state;
	struct walked walked = { .id = EVENT_ID, .nr = 3 };

	assert_false(make(f, &walked, HEAD + 2 * 8));
	assert_false(make(f, &walked, HEAD - 8));
	assert_false(make(f, &walked, 0));
	walked.nr = 0;
	assert_false(make(f, &walked, sizeof(walked)));
	walked.nr = UINT32_MAX;
	assert_false(make(f, &walked, sizeof(walked)));
	walked.nr = 1;
	walked.id = OTHER_ID;
	assert_false(make(f, &walked, sizeof(walked)));
}

/* Ids that are not the list's own are those of BPF's samples. */
static void records_are_known_by_their_ids(void **state)
{
	struct fixture *f = *state;
	const uint64_t ids[] = { OUTPUT_ID, OUTPUT_ID + 1 };
	struct xp_shed shed = { .events = f->events, .nr_events = 1 };
	struct xp_sample sample = { .size = sizeof(sample), .id = { .id = OUTPUT_ID } };
	const struct xp_record *record = (const void *)f->bytes;

	atomic_store(&shed.ids, &f->ids);
	assert_int_equal(xp_shed_add_walked(&shed, &in_ring, ids, 2), 0);
	assert_true(xp_sample_encode(&sample, &in_file, f->bytes, sizeof(f->bytes)) > 0);
	assert_true(xp_shed_is_walked(&shed, xp_shed_event_of(&shed, record)));
	sample.id.id = EVENT_ID;
	assert_true(xp_sample_encode(&sample, &in_file, f->bytes, sizeof(f->bytes)) > 0);
	assert_false(xp_shed_is_walked(&shed, xp_shed_event_of(&shed, record)));
	struct xp_shed_walked *walked = atomic_load(&shed.walked);
	xp_id_map_fini(&walked->ids);
	free(walked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_becomes_a_sample_of_its_event, setup, teardown),
		cmocka_unit_test_setup_teardown(a_chain_that_was_too_long_is_not_complete, setup,
						teardown),
		cmocka_unit_test_setup_teardown(frames_in_newer_maps_are_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_no_sample, setup, teardown),
		cmocka_unit_test_setup_teardown(records_are_known_by_their_ids, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
