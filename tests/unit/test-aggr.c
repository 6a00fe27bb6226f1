/* SPDX-License-Identifier: MIT */
/* Aggregation: which cells make one row, and what their sum is. */
#include "stat-fixture.h"

#include <limits.h>

/* The cores of the first socket are one cluster; each core has caches of its own, each socket one.
 */
static void put_clusters_and_caches(struct fixture *f, int cpu)
{
	char text[16];
	int core = cpu % 4;

	snprintf(text, sizeof(text), "%d\n", core < 2 ? 1 : core);
	put_file(f->root, text, "/sys/devices/system/cpu/cpu%d/topology/cluster_id", cpu);
	snprintf(text, sizeof(text), "%d,%d\n", core, core + 4);
	put_cache(f, cpu, 0, 1, text);
	put_cache(f, cpu, 1, 1, text);
	put_cache(f, cpu, 2, 2, text);
	put_cache(f, cpu, 3, 3, core < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
}

/* Two sockets of two cores; CPUs 0-3 are the first threads, 4-7 their siblings. */
static void two_sockets(struct fixture *f)
{
	fixture_init(f);
	for (int cpu = 0; cpu < 8; cpu++)
		put_cpu(f, cpu, cpu / 2 % 2, 0, cpu % 2, cpu / 2 % 2);
	for (int cpu = 0; cpu < 8; cpu++)
		put_clusters_and_caches(f, cpu);
	fixture_cpus(f, "0-7");
	add_event(f, SW(PAGE_FAULTS), "page-faults");
}

static void rows_are_sorted_by_place(void **state)
{
	static const struct {
		enum xp_aggr_mode mode;
		int nr;
		struct {
			struct xp_aggr_id id;
			uint64_t sum; /* CPU n counts 1 << n */
		} rows[8];
	} cases[] = {
		{ XP_AGGR_GLOBAL,
		  1,
		  { { { { -1, -1, -1, -1, -1, -1, -1 }, { -1 }, -1, 8 }, 0xff } } },
		{ XP_AGGR_SOCKET,
		  2,
		  { { { { 0, -1, -1, -1, -1, -1, -1 }, { -1 }, -1, 4 }, 0x33 },
		    { { { 1, -1, -1, -1, -1, -1, -1 }, { -1 }, -1, 4 }, 0xcc } } },
		{ XP_AGGR_DIE,
		  2,
		  { { { { 0, 0, -1, -1, -1, -1, -1 }, { -1 }, -1, 4 }, 0x33 },
		    { { { 1, 0, -1, -1, -1, -1, -1 }, { -1 }, -1, 4 }, 0xcc } } },
		{ XP_AGGR_CORE,
		  4,
		  { { { { 0, 0, 0, -1, -1, -1, -1 }, { -1 }, -1, 2 }, 0x11 },
		    { { { 0, 0, 1, -1, -1, -1, -1 }, { -1 }, -1, 2 }, 0x22 },
		    { { { 1, 0, 0, -1, -1, -1, -1 }, { -1 }, -1, 2 }, 0x44 },
		    { { { 1, 0, 1, -1, -1, -1, -1 }, { -1 }, -1, 2 }, 0x88 } } },
		{ XP_AGGR_CLUSTER,
		  3,
		  { { { { 0, 0, -1, -1, 1, -1, -1 }, { -1 }, -1, 4 }, 0x33 },
		    { { { 1, 0, -1, -1, 2, -1, -1 }, { -1 }, -1, 2 }, 0x44 },
		    { { { 1, 0, -1, -1, 3, -1, -1 }, { -1 }, -1, 2 }, 0x88 } } },
		{ XP_AGGR_CACHE,
		  2,
		  { { { { 0, 0, -1, -1, -1, 3, 0 }, { -1 }, -1, 4 }, 0x33 },
		    { { { 1, 0, -1, -1, -1, 3, 2 }, { -1 }, -1, 4 }, 0xcc } } },
		{ XP_AGGR_NODE,
		  2,
		  { { { { -1, -1, -1, 0, -1, -1, -1 }, { -1 }, -1, 4 }, 0x33 },
		    { { { -1, -1, -1, 1, -1, -1, -1 }, { -1 }, -1, 4 }, 0xcc } } },
	};
	struct fixture f;

	(void)state;
	two_sockets(&f);
	struct xp_counts *counts = new_counts(&f);
	for (int cpu = 0; cpu < 8; cpu++)
		*xp_counts_at(counts, 0, cpu, 0) = (struct xp_count){ 1U << cpu, 10, 10, 0 };
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct xp_aggr *aggr;

		assert_int_equal(xp_aggr_new(f.ctx, cases[c].mode, f.cpus, f.threads, &aggr), 0);
		assert_int_equal(xp_aggr_get_mode(aggr), cases[c].mode);
		assert_int_equal(xp_aggr_nr(aggr), cases[c].nr);
		for (int row = 0; row < cases[c].nr; row++) {
			struct xp_total total;

			assert_memory_equal(xp_aggr_id_at(aggr, row), &cases[c].rows[row].id,
					    sizeof(struct xp_aggr_id));
			xp_aggr_sum(aggr, counts, 0, row, &total);
			assert_int_equal(total.raw, cases[c].rows[row].sum);
			assert_true(total.scaled == (double)total.raw);
		}
		xp_aggr_free(aggr);
	}
	xp_counts_free(counts);
	fixture_fini(&f);
}

/* Numbers of recordings can be any. */
static void far_places_are_sorted(void **state)
{
	static const int sockets[] = { INT_MAX, 0, INT_MIN };
	struct fixture f;
	struct xp_aggr *aggr;

	(void)state;
	fixture_init(&f);
	fixture_cpus(&f, "0-2");
	for (int cpu = 0; cpu < 3; cpu++) {
		const struct xp_place place = { .socket = sockets[cpu] };

		assert_int_equal(xp_place_set(f.ctx, (struct xp_cpu){ cpu }, &place), 0);
	}
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_SOCKET, f.cpus, f.threads, &aggr), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(xp_aggr_id_at(aggr, i)->place.socket, sockets[2 - i]);
	xp_aggr_free(aggr);
	fixture_fini(&f);
}

static void caches_have_levels(void **state)
{
	static const struct {
		int level, err, nr;
	} cases[] = {
		{ 0, 0, 2 },        { 1, 0, 4 },        { 2, 0, 4 },
		{ 3, 0, 2 },        { 4, -ENODATA, 0 }, { XP_CACHE_LEVEL_MAX + 1, -EINVAL, 0 },
		{ -1, -EINVAL, 0 },
	};
	struct fixture f;

	(void)state;
	two_sockets(&f);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct xp_aggr *aggr = NULL;
		int err = xp_aggr_new_by_cache(f.ctx, cases[c].level, f.cpus, f.threads, &aggr);

		assert_int_equal(err, cases[c].err);
		if (err)
			continue;
		assert_int_equal(xp_aggr_nr(aggr), cases[c].nr);
		if (cases[c].level) {
			const struct xp_place *last = &xp_aggr_id_at(aggr, cases[c].nr - 1)->place;

			assert_int_equal(last->cache_level, cases[c].level);
			assert_int_equal(last->cache, cases[c].level == 3 ? 2 : 3);
		}
		xp_aggr_free(aggr);
	}
	fixture_fini(&f);
}

/* As on hybrid machines, some of whose CPUs have no last level; and where no level is known. */
static void caches_can_be_missing(void **state)
{
	struct xp_aggr *aggr = NULL;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (int cpu = 0; cpu < 2; cpu++)
		put_cpu(&f, cpu, 0, 0, cpu, 0);
	fixture_cpus(&f, "0-1");
	assert_int_equal(xp_aggr_new_by_cache(f.ctx, 3, f.cpus, f.threads, &aggr), -ENODATA);
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_CACHE, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 1);
	assert_int_equal(xp_aggr_id_at(aggr, 0)->place.cache, -1);
	xp_aggr_free(aggr);
	fixture_fini(&f);

	fixture_init(&f);
	for (int cpu = 0; cpu < 2; cpu++)
		put_cpu(&f, cpu, 0, 0, cpu, 0);
	fixture_cpus(&f, "0-1");
	put_file(f.root, "65535\n", "/sys/devices/system/cpu/cpu0/topology/cluster_id");
	put_file(f.root, "65535\n", "/sys/devices/system/cpu/cpu1/topology/cluster_id");
	put_cache(&f, 0, 0, 2, "0\n");
	put_cache(&f, 0, 1, 3, "0\n");
	put_cache(&f, 1, 0, 2, "1\n");
	put_cache(&f, 1, 1, 9, "1\n"); /* beyond what is looked for */
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_CLUSTER, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 1);
	assert_int_equal(xp_aggr_id_at(aggr, 0)->place.cluster, -1);
	xp_aggr_free(aggr);
	assert_int_equal(xp_aggr_new_by_cache(f.ctx, 3, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 2);
	assert_int_equal(xp_aggr_id_at(aggr, 0)->place.cache, -1);
	assert_int_equal(xp_aggr_id_at(aggr, 1)->place.cache, 0);
	xp_aggr_free(aggr);
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_CACHE, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 2);
	assert_int_equal(xp_aggr_id_at(aggr, 0)->place.cache_level, 2);
	assert_int_equal(xp_aggr_id_at(aggr, 1)->place.cache_level, 3);
	xp_aggr_free(aggr);
	fixture_fini(&f);
}

static void every_cpu_has_its_row(void **state)
{
	struct fixture f;
	struct xp_aggr *aggr;

	(void)state;
	two_sockets(&f);
	fixture_cpus(&f, "1,3,5");
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_CPU, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 3);
	for (int row = 0; row < 3; row++) {
		assert_int_equal(xp_aggr_id_at(aggr, row)->cpu.nr, 1 + 2 * row);
		assert_int_equal(xp_aggr_id_at(aggr, row)->nr_cpus, 1);
	}
	xp_aggr_free(aggr);
	fixture_fini(&f);
}

static void events_that_follow_threads_have_no_place(void **state)
{
	struct fixture f;
	struct xp_aggr *aggr = NULL;

	(void)state;
	fixture_init(&f);
	for (int mode = XP_AGGR_SOCKET; mode <= XP_AGGR_CPU; mode++)
		assert_int_equal(
			xp_aggr_new(f.ctx, (enum xp_aggr_mode)mode, f.cpus, f.threads, &aggr),
			-EINVAL);
	assert_null(aggr);
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_NR_MODES, f.cpus, f.threads, &aggr), -EINVAL);
	assert_null(aggr);
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_GLOBAL, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 1);
	xp_aggr_free(aggr);
	fixture_fini(&f);
}

static void sums_are_scaled_by_cell(void **state)
{
	static const struct {
		int line;
		struct xp_count cells[3];
		struct xp_total total;
	} rows[] = {
		{ __LINE__,
		  { { 5, 10, 10, 0 }, { 7, 10, 10, 0 }, { 0, 10, 10, 0 } },
		  { 12, 12, 30, 30 } },
		/* each by its own share, not by the mean share */
		{ __LINE__,
		  { { 100, 10, 5, 0 }, { 10, 10, 10, 0 }, { 1, 10, 1, 0 } },
		  { 111, 220, 30, 16 } },
		/* the one that never ran counts like the others */
		{ __LINE__,
		  { { 100, 10, 5, 0 }, { 999, 10, 0, 0 }, { 100, 10, 10, 0 } },
		  { 200, 450, 30, 15 } },
		/* never enabled: nothing to extrapolate */
		{ __LINE__,
		  { { 4, 10, 10, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } },
		  { 4, 4, 10, 10 } },
		{ __LINE__, { { 9, 10, 0, 0 }, { 9, 10, 0, 0 }, { 0, 0, 0, 0 } }, { 0, 0, 20, 0 } },
	};
	struct fixture f;
	struct xp_aggr *aggr;

	(void)state;
	two_sockets(&f);
	fixture_cpus(&f, "0-2");
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_GLOBAL, f.cpus, f.threads, &aggr), 0);
	struct xp_counts *counts = new_counts(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_total total;

		for (int cpu = 0; cpu < 3; cpu++)
			*xp_counts_at(counts, 0, cpu, 0) = rows[i].cells[cpu];
		xp_aggr_sum(aggr, counts, 0, 0, &total);
		if (total.raw != rows[i].total.raw || total.scaled != rows[i].total.scaled ||
		    total.enabled_ns != rows[i].total.enabled_ns ||
		    total.running_ns != rows[i].total.running_ns)
			fail_msg("row of line %d: raw %lu, scaled %g, %lu of %lu ns", rows[i].line,
				 (unsigned long)total.raw, total.scaled,
				 (unsigned long)total.running_ns, (unsigned long)total.enabled_ns);
	}
	xp_counts_free(counts);
	xp_aggr_free(aggr);
	fixture_fini(&f);
}

static void threads_are_summed_over_cpus(void **state)
{
	struct fixture f;
	struct xp_aggr *aggr;
	struct xp_total total;

	(void)state;
	two_sockets(&f);
	put_file(f.root, "a\n", "/proc/10/task/10/comm");
	put_file(f.root, "b\n", "/proc/10/task/11/comm");
	fixture_process(&f, "10");
	assert_int_equal(xp_threads_nr(f.threads), 2);
	assert_int_equal(xp_aggr_new(f.ctx, XP_AGGR_THREAD, f.cpus, f.threads, &aggr), 0);
	assert_int_equal(xp_aggr_nr(aggr), 2);
	assert_ptr_equal(xp_aggr_threads(aggr), f.threads);
	struct xp_counts *counts = new_counts(&f);
	for (int cpu = 0; cpu < 8; cpu++)
		for (int thread = 0; thread < 2; thread++)
			*xp_counts_at(counts, 0, cpu, thread) =
				(struct xp_count){ 1 + 10U * (unsigned int)thread, 1, 1, 0 };
	for (int row = 0; row < 2; row++) {
		assert_int_equal(xp_aggr_id_at(aggr, row)->thread_idx, row);
		xp_aggr_sum(aggr, counts, 0, row, &total);
		assert_int_equal(total.raw, row ? 88 : 8);
	}
	assert_null(xp_aggr_id_at(aggr, 2));
	assert_null(xp_aggr_id_at(aggr, -1));
	xp_aggr_sum(aggr, counts, 0, 2, &total);
	assert_int_equal(total.raw, 0);
	xp_aggr_sum(aggr, counts, 7, 0, &total);
	assert_int_equal(total.raw, 0);
	xp_counts_free(counts);
	xp_aggr_free(aggr);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_by_place),
		cmocka_unit_test(far_places_are_sorted),
		cmocka_unit_test(caches_have_levels),
		cmocka_unit_test(caches_can_be_missing),
		cmocka_unit_test(every_cpu_has_its_row),
		cmocka_unit_test(events_that_follow_threads_have_no_place),
		cmocka_unit_test(sums_are_scaled_by_cell),
		cmocka_unit_test(threads_are_summed_over_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
