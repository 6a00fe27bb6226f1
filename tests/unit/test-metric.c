/* SPDX-License-Identifier: MIT */
/* Derived metrics: every row of the table with constructed counts, and how partners are chosen. */
#include "stat-fixture.h"

#include <math.h>

#include "cleanup.h"
#include "metric.h"

enum { WALL_NS = 4000000 };

struct one_count {
	uint32_t type;
	uint64_t config;
	const char *name;
	double count;
};

/* A metric as text: number in its format, suffix, unit, level. */
static void describe(const struct xp_metric *metrics, int nr, char *buf, size_t size)
{
	static const char *const levels[] = { "", "!", "!!", "!!!" };

	buf[0] = '\0';
	for (int i = 0; i < nr; i++) {
		size_t len = strlen(buf);

		snprintf(buf + len, size - len, "%s%*.*f%s %s%s", i ? "|" : "", metrics[i].width,
			 metrics[i].precision, metrics[i].value, metrics[i].suffix, metrics[i].unit,
			 levels[metrics[i].level]);
		if (metrics[i].own_line)
			strcat(buf, " (own line)");
	}
}

static void totals_of(const struct one_count *counts, size_t nr, struct fixture *f,
		      struct xp_total *totals)
{
	for (size_t i = 0; i < nr && counts[i].name; i++) {
		add_event(f, counts[i].type, counts[i].config, counts[i].name);
		totals[i] = (struct xp_total){ (uint64_t)counts[i].count, counts[i].count, 1, 1 };
	}
}

#define CLOCK(ns)                                                                                  \
	{                                                                                          \
		SW(TASK_CLOCK), "task-clock", ns                                                   \
	}
#define CYCLES(n)                                                                                  \
	{                                                                                          \
		HW(CPU_CYCLES), "cycles", n                                                        \
	}
#define NAMED(name, n)                                                                             \
	{                                                                                          \
		PERF_TYPE_RAW, 1, name, n                                                          \
	}
#define CLASSES                                                                                    \
	NAMED("topdown-retiring", 100), NAMED("topdown-bad-spec", 200),                            \
		NAMED("topdown-fe-bound", 300), NAMED("topdown-be-bound", 300)

/* The metrics of the first event. Levels: ! yellow, !! magenta, !!! red. */
static void every_row_of_the_table(void **state)
{
	static const struct {
		int line;
		struct one_count counts[6];
		const char *expected;
	} rows[] = {
		{ __LINE__, { CLOCK(1000000) }, "   0.250 CPUs utilized" },
		{ __LINE__, { { SW(CPU_CLOCK), "cpu-clock", 8e6 } }, "   2.000 CPUs utilized" },
		{ __LINE__, { CYCLES(3e6), CLOCK(1e6) }, "   3.000 GHz" },
		{ __LINE__, { CYCLES(3e6) }, "" },
		{ __LINE__,
		  { { HW(INSTRUCTIONS), "instructions", 4.5e6 }, CYCLES(3e6) },
		  "   1.50  insn per cycle" },
		{ __LINE__,
		  { { HW(INSTRUCTIONS), "instructions", 4.5e6 },
		    CYCLES(3e6),
		    { HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend", 6e5 },
		    { HW(STALLED_CYCLES_BACKEND), "stalled-cycles-backend", 9e5 } },
		  "   1.50  insn per cycle|   0.20  stalled cycles per insn (own line)" },
		{ __LINE__,
		  { { HW(INSTRUCTIONS), "instructions", 4.5e6 },
		    { HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend", 1e6 } },
		  "   0.22  stalled cycles per insn (own line)" },
		{ __LINE__, { { HW(INSTRUCTIONS), "instructions", 4.5e6 }, CYCLES(0) }, "" },
		{ __LINE__,
		  { { HW(BRANCH_MISSES), "branch-misses", 4 },
		    { HW(BRANCH_INSTRUCTIONS), "branches", 100 } },
		  "   4.00% of all branches" },
		{ __LINE__,
		  { { HW(BRANCH_MISSES), "branch-misses", 6 },
		    { HW(BRANCH_INSTRUCTIONS), "branches", 100 } },
		  "   6.00% of all branches!" },
		{ __LINE__,
		  { { HW(BRANCH_MISSES), "branch-misses", 11 },
		    { HW(BRANCH_INSTRUCTIONS), "branches", 100 } },
		  "  11.00% of all branches!!" },
		{ __LINE__,
		  { { HW(BRANCH_MISSES), "branch-misses", 21 },
		    { HW(BRANCH_INSTRUCTIONS), "branches", 100 } },
		  "  21.00% of all branches!!!" },
		{ __LINE__, { { HW(BRANCH_MISSES), "branch-misses", 21 }, CLOCK(1e6) }, "" },
		{ __LINE__,
		  { { HW(CACHE_MISSES), "cache-misses", 2500 },
		    { HW(CACHE_REFERENCES), "cache-references", 10000 } },
		  "  25.000 % of all cache refs!!!" },
		{ __LINE__,
		  { { CACHE(L1D, MISS), "L1-dcache-load-misses", 25 },
		    { CACHE(L1D, ACCESS), "L1-dcache-loads", 1000 } },
		  "   2.50% of all L1-dcache accesses" },
		{ __LINE__,
		  { { CACHE(L1I, MISS), "L1-icache-load-misses", 50 },
		    { CACHE(L1I, ACCESS), "L1-icache-loads", 1000 } },
		  "   5.00% of all L1-icache accesses" },
		{ __LINE__,
		  { { CACHE(LL, MISS), "LLC-load-misses", 75 },
		    { CACHE(LL, ACCESS), "LLC-loads", 1000 } },
		  "   7.50% of all LL-cache accesses!" },
		{ __LINE__,
		  { { CACHE(DTLB, MISS), "dTLB-load-misses", 100 },
		    { CACHE(DTLB, ACCESS), "dTLB-loads", 1000 } },
		  "  10.00% of all dTLB cache accesses!" },
		{ __LINE__,
		  { { CACHE(ITLB, MISS), "iTLB-load-misses", 125 },
		    { CACHE(ITLB, ACCESS), "iTLB-loads", 1000 } },
		  "  12.50% of all iTLB cache accesses!!" },
		{ __LINE__,
		  { { HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend", 6e5 }, CYCLES(3e6) },
		  "  20.00% frontend cycles idle!" },
		{ __LINE__,
		  { { HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend", 0 }, CYCLES(3e6) },
		  "" },
		{ __LINE__,
		  { { HW(STALLED_CYCLES_BACKEND), "stalled-cycles-backend", 9e5 }, CYCLES(3e6) },
		  "  30.00% backend cycles idle!" },
		{ __LINE__,
		  { { HW(STALLED_CYCLES_BACKEND), "stalled-cycles-backend", 2.4e6 }, CYCLES(3e6) },
		  "  80.00% backend cycles idle!!!" },
		{ __LINE__,
		  { NAMED("cpu/cycles-t/", 6e5), CYCLES(3e6) },
		  "  20.00% transactional cycles" },
		{ __LINE__,
		  { NAMED("cycles-ct", 3e5), CYCLES(3e6), NAMED("cycles-t", 6e5) },
		  "  10.00% aborted cycles" },
		{ __LINE__,
		  { NAMED("cpu/tx-start/u", 70), NAMED("cpu/cycles-t/", 7e5) },
		  "   10000 cycles / transaction" },
		{ __LINE__,
		  { NAMED("el-start", 40), NAMED("cycles-t", 8e5) },
		  "   20000 cycles / elision" },
		{ __LINE__, { CLASSES }, "    11.1% Retiring" },
		{ __LINE__,
		  { NAMED("topdown-bad-spec", 5), NAMED("topdown-retiring", 95) },
		  "     5.0% Bad Speculation" },
		{ __LINE__,
		  { NAMED("topdown-bad-spec", 15), NAMED("topdown-retiring", 85) },
		  "    15.0% Bad Speculation!!!" },
		{ __LINE__,
		  { NAMED("topdown-fe-bound", 15), NAMED("topdown-retiring", 85) },
		  "    15.0% Frontend Bound" },
		{ __LINE__,
		  { NAMED("topdown-be-bound", 25), NAMED("topdown-retiring", 75) },
		  "    25.0% Backend Bound!!!" },
		{ __LINE__,
		  { NAMED("cpu/topdown-heavy-ops/", 7), CLASSES },
		  "     0.8% Heavy Operations|    10.3% Light Operations" },
		{ __LINE__,
		  { NAMED("topdown-br-mispredict", 9), CLASSES },
		  "     1.0% Branch Mispredict|    21.2% Machine Clears!!!" },
		{ __LINE__,
		  { NAMED("topdown-fetch-lat", 9), CLASSES },
		  "     1.0% Fetch Latency|    32.3% Fetch Bandwidth!!!" },
		{ __LINE__,
		  { NAMED("topdown-mem-bound", 270), CLASSES },
		  "    30.0% Memory Bound!!!|     3.3% Core Bound" },
		{ __LINE__,
		  { { SW(PAGE_FAULTS), "page-faults", 0 }, CLOCK(1e6) },
		  "   0.000 /sec" },
		{ __LINE__,
		  { { SW(PAGE_FAULTS), "page-faults", 1 }, CLOCK(1e6) },
		  "1000.000 /sec" },
		{ __LINE__,
		  { { SW(PAGE_FAULTS), "page-faults", 56 }, CLOCK(1e6) },
		  "  56.000 K/sec" },
		{ __LINE__,
		  { { HW(BRANCH_INSTRUCTIONS), "branches", 7e5 }, CLOCK(1e6) },
		  " 700.000 M/sec" },
		{ __LINE__,
		  { { HW(BRANCH_INSTRUCTIONS), "branches", 7e13 }, CLOCK(1e6) },
		  "70000000.000 G/sec" },
		{ __LINE__, { { HW(BRANCH_INSTRUCTIONS), "branches", 7e13 } }, "" },
	};

	(void)state;
	for (size_t i = 0; i < XP_ARRAY_LEN(rows); i++) {
		struct fixture f;
		struct xp_total totals[6] = { 0 };
		struct xp_metrics *plan;
		struct xp_metric metrics[XP_METRICS_PER_EVENT_MAX];
		char text[200];

		fixture_init(&f);
		totals_of(rows[i].counts, XP_ARRAY_LEN(rows[i].counts), &f, totals);
		assert_int_equal(xp_metrics_new(f.evlist, &plan), 0);
		describe(metrics, xp_metrics_of(plan, totals, 0, WALL_NS, metrics), text,
			 sizeof(text));
		if (strcmp(text, rows[i].expected))
			fail_msg("row of line %d: \"%s\"", rows[i].line, text);
		xp_metrics_free(plan);
		fixture_fini(&f);
	}
}

/* The first metric of event @event, NAN without one. */
static double first_metric(const struct fixture *f, const struct xp_total *totals, int event)
{
	struct xp_metrics *plan;
	struct xp_metric metrics[XP_METRICS_PER_EVENT_MAX];

	assert_int_equal(xp_metrics_new(f->evlist, &plan), 0);
	int nr = xp_metrics_of(plan, totals, event, WALL_NS, metrics);
	xp_metrics_free(plan);
	return nr ? metrics[0].value : NAN;
}

static void partners_count_at_the_same_levels(void **state)
{
	struct fixture f;
	struct xp_total totals[] = {
		{ 0, 100, 1, 1 }, { 0, 200, 1, 1 }, { 0, 400, 1, 1 }, { 0, 800, 1, 1 }
	};

	(void)state;
	fixture_init(&f);
	add_event(&f, HW(INSTRUCTIONS), "instructions:u")->attr.exclude_kernel = 1;
	add_event(&f, HW(CPU_CYCLES), "cycles");
	assert_true(isnan(first_metric(&f, totals, 0)));
	add_event(&f, HW(CPU_CYCLES), "cycles:u")->attr.exclude_kernel = 1;
	assert_true(first_metric(&f, totals, 0) == 0.25);
	/* any clock will do: they know no levels */
	add_event(&f, SW(TASK_CLOCK), "task-clock");
	assert_true(first_metric(&f, totals, 2) == 0.5);
	fixture_fini(&f);
}

static void partners_of_the_group_come_first(void **state)
{
	struct fixture f;
	struct xp_total totals[] = { { 0, 200, 1, 1 }, { 0, 400, 1, 1 }, { 0, 100, 1, 1 } };

	(void)state;
	fixture_init(&f);
	add_event(&f, HW(CPU_CYCLES), "cycles");
	struct xp_evsel *leader = add_event(&f, HW(CPU_CYCLES), "cycles");
	struct xp_evsel *member = add_event(&f, HW(INSTRUCTIONS), "instructions");
	assert_true(first_metric(&f, totals, 2) == 0.5);
	member->leader = leader;
	leader->group_size = 2;
	assert_true(first_metric(&f, totals, 2) == 0.25);
	fixture_fini(&f);
}

static void partners_of_a_hybrid_machine_share_the_pmu(void **state)
{
	struct fixture f;
	struct xp_total totals[] = { { 0, 200, 1, 1 }, { 0, 400, 1, 1 }, { 0, 100, 1, 1 } };
	uint64_t core = 4ULL << 32, atom = 8ULL << 32;

	(void)state;
	fixture_init(&f);
	add_event(&f, PERF_TYPE_HARDWARE, core | PERF_COUNT_HW_CPU_CYCLES, "cpu_core/cycles/");
	add_event(&f, PERF_TYPE_HARDWARE, atom | PERF_COUNT_HW_CPU_CYCLES, "cpu_atom/cycles/");
	add_event(&f, PERF_TYPE_HARDWARE, atom | PERF_COUNT_HW_INSTRUCTIONS,
		  "cpu_atom/instructions/");
	assert_true(first_metric(&f, totals, 2) == 0.25);
	fixture_fini(&f);
}

static void what_was_not_counted_serves_no_metric(void **state)
{
	struct fixture f;
	struct xp_total totals[] = { { 0, 100, 1, 1 }, { 0, 200, 1, 0 }, { 0, 400, 1, 1 } };

	(void)state;
	fixture_init(&f);
	add_event(&f, HW(INSTRUCTIONS), "instructions");
	struct xp_evsel *cycles = add_event(&f, HW(CPU_CYCLES), "cycles");
	assert_true(isnan(first_metric(&f, totals, 0)));
	cycles->support = XP_NOT_SUPPORTED;
	add_event(&f, HW(CPU_CYCLES), "cycles");
	assert_true(first_metric(&f, totals, 0) == 0.25);
	totals[0].running_ns = 0;
	assert_true(isnan(first_metric(&f, totals, 0)));
	fixture_fini(&f);
}

static void no_kind_has_more_metrics_than_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < xp_metric_nr_formulas; i++) {
		int nr = 0;

		for (size_t k = 0; k < xp_metric_nr_formulas; k++)
			nr += xp_metric_formulas[k].kind == xp_metric_formulas[i].kind;
		assert_true(nr <= XP_METRICS_PER_EVENT_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_of_the_table),
		cmocka_unit_test(partners_count_at_the_same_levels),
		cmocka_unit_test(partners_of_the_group_come_first),
		cmocka_unit_test(partners_of_a_hybrid_machine_share_the_pmu),
		cmocka_unit_test(what_was_not_counted_serves_no_metric),
		cmocka_unit_test(no_kind_has_more_metrics_than_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
