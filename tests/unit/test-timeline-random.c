/* SPDX-License-Identifier: MIT */
/*
 * Random histories of processes, whose truth is known: every sample must be attributed to the map
 * and the name it was taken under.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "histories.h"
#include "timeline.h"

enum { NR_HISTORIES = 300 };

/* Nothing is there for as long as is said. */
static void check_gap(const struct xp_timeline *timeline, const struct sample *sample,
		      uint16_t mode)
{
	struct xp_map gap, map = { .size = sizeof(map) };

	xp_timeline_gap_at(timeline, sample->pid, mode, sample->address, sample->time_ns, &gap);
	assert_true(gap.from_ns <= sample->time_ns && sample->time_ns <= gap.to_ns);
	const uint64_t times[] = { gap.from_ns, (gap.from_ns + sample->time_ns) / 2, gap.to_ns - 1,
				   gap.to_ns };
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_int_equal(xp_timeline_map_at(timeline, sample->pid, mode, sample->address,
						    times[i] < gap.from_ns ? gap.from_ns : times[i],
						    &map),
				 0);
}

static void check_sample(const struct xp_timeline *timeline, const struct sample *sample)
{
	struct xp_map map = { .size = sizeof(map) };
	const char *comm = xp_timeline_comm_at(timeline, sample->pid, sample->tid, sample->time_ns);

	assert_string_equal(comm, comm_name(sample->comm));
	uint16_t mode = sample->page.file < NR_FILES ? XP_MISC_USER : XP_MISC_KERNEL;
	if (!sample->page.file) { /* what was there before, or nothing */
		if (!xp_timeline_map_at(timeline, sample->pid, mode, sample->address,
					sample->time_ns, &map))
			check_gap(timeline, sample, mode);
		return;
	}
	assert_int_equal(xp_timeline_map_at(timeline, sample->pid, mode, sample->address,
					    sample->time_ns, &map),
			 1);
	assert_string_equal(map.dso->name, file_name(sample->page.file));
	assert_true(map.start <= sample->address && sample->address < map.end);
	assert_true(map.from_ns <= sample->time_ns && sample->time_ns <= map.to_ns);
	assert_int_equal(sample->address - map.start + map.offset, sample->page.offset);
}

static void add_to(const struct timed *rec, void *timeline)
{
	assert_int_equal(add_record(timeline, rec), 0);
}

static void check_history(uint64_t seed)
{
	struct history *h = history_new(seed, false);
	struct xp_timeline *timeline;

	assert_int_equal(xp_timeline_new(&timeline), 0);
	history_read(h, add_to, timeline);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	assert_true(h->nr_samples > NR_STEPS / 3);
	for (size_t i = h->nr_samples; i > 0; i--)
		check_sample(timeline, &h->samples[i - 1]);
	xp_timeline_free(timeline);
	history_free(h);
}

static void test_histories(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NR_HISTORIES; seed++)
		check_history(seed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histories),
	};

	return cmocka_run_group_tests_name("timeline-random", tests, NULL, NULL);
}
