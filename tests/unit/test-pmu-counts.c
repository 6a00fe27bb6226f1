/* SPDX-License-Identifier: MIT */
/*
 * Events of PMUs on the machines of tests/data/roots: what is merged, grouped and shown, and where
 * an event is opened of the CPUs that were asked for.
 */
#include "open-fixture.h"

#include "stat-shown.h"

static void units_and_scales_are_those_of_the_pmu(void **state)
{
	static const struct {
		const char *text, *unit;
		double scale;
	} facts[] = {
		{ "uncore_imc_0/cas_count_read/", "MiB", 6.103515625e-5 },
		{ "cas_count_read", "MiB", 6.103515625e-5 },
		{ "power/energy-pkg/", "Joules", 2.3283064365386962890625e-10 },
		{ "uncore_imc_0/clockticks/", "", 1 },
		{ "intel_cqm/llc_occupancy/", "Bytes", 32768 },
		{ "cycles", "", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
		struct parsing f;

		setup_machine(&f, "skylake-sp");
		assert_int_equal(parse(&f, facts[i].text), 0);
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
		assert_string_equal(xp_evsel_unit(evsel), facts[i].unit);
		assert_true(xp_evsel_scale(evsel) == facts[i].scale);
		assert_int_equal(xp_evsel_is_snapshot(evsel), i == 4);
		teardown_machine(&f);
	}
}

static void boxes_are_merged_kinds_of_cpus_are_not(void **state)
{
	struct parsing f;

	(void)state;
	setup_machine(&f, "skylake-sp");
	assert_int_equal(parse(&f, "uncore_imc/cas_count_read/,cycles"), 0);
	for (int i = 0; i < 6; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, i);
		char own[64];

		snprintf(own, sizeof(own), "uncore_imc_%d/cas_count_read/", i);
		assert_string_equal(xp_evsel_own_name(evsel), own);
		assert_ptr_equal(xp_evsel_merged_into(evsel), xp_evlist_at(f.evlist, 0));
	}
	const struct xp_evsel *cycles = xp_evlist_at(f.evlist, 6);
	assert_ptr_equal(xp_evsel_merged_into(cycles), cycles);
	assert_string_equal(xp_evsel_own_name(cycles), "cycles");
	teardown_machine(&f);

	setup_machine(&f, "intel-hybrid");
	assert_int_equal(parse(&f, "cycles"), 0);
	for (int i = 0; i < 2; i++)
		assert_ptr_equal(xp_evsel_merged_into(xp_evlist_at(f.evlist, i)),
				 xp_evlist_at(f.evlist, i));
	teardown_machine(&f);
}

/* The groups of a string: names in order, and the position of each one's leader. */
static void groups_are_of_one_pmu(void **state)
{
	static const struct {
		const char *root, *text;
		struct {
			const char *name;
			int leader;
		} events[8];
	} groups[] = {
		{ "intel-hybrid",
		  "{cycles,instructions}:u",
		  { { "cpu_core/cycles/", 0 },
		    { "cpu_core/instructions/", 0 },
		    { "cpu_atom/cycles/", 2 },
		    { "cpu_atom/instructions/", 2 } } },
		{ "intel-hybrid",
		  "{cycles:D,task-clock,instructions},{cs,faults}",
		  { { "cpu_core/cycles/D", 0 },
		    { "task-clock", 0 },
		    { "cpu_core/instructions/", 0 },
		    { "cpu_atom/cycles/D", 3 },
		    { "cpu_atom/instructions/", 3 },
		    { "cs", 5 },
		    { "faults", 5 } } },
		{ "intel-hybrid",
		  "{cpu_core/cycles/,cpu_atom/cycles/}",
		  { { "cpu_core/cycles/", 0 }, { "cpu_atom/cycles/", 1 } } },
		{ "arm-neoverse",
		  "{smmuv3_pmcg/transaction/,smmuv3_pmcg/event=2/}",
		  { { "smmuv3_pmcg/transaction/", 0 },
		    { "smmuv3_pmcg/event=2/", 0 },
		    { "smmuv3_pmcg/transaction/", 2 },
		    { "smmuv3_pmcg/event=2/", 2 } } },
		{ "skylake-sp", "{cycles,msr/tsc/}", { { "cycles", 0 }, { "msr/tsc/", 0 } } },
	};

	(void)state;
	for (size_t g = 0; g < ARRAY_LEN(groups); g++) {
		struct parsing f;
		int nr = 0;

		setup_machine(&f, groups[g].root);
		assert_int_equal(parse(&f, groups[g].text), 0);
		for (; nr < 8 && groups[g].events[nr].name; nr++) {
			const struct xp_evsel *evsel = xp_evlist_at(f.evlist, nr);

			assert_non_null(evsel);
			assert_string_equal(xp_evsel_name(evsel), groups[g].events[nr].name);
			assert_int_equal(xp_evsel_index(xp_evsel_leader(evsel)),
					 groups[g].events[nr].leader);
		}
		assert_int_equal(xp_evlist_nr(f.evlist), nr);
		open_on(&f, NULL);
		teardown_machine(&f);
	}
}

static void terms_are_kept_for_recording(void **state)
{
	struct parsing f;

	(void)state;
	setup_machine(&f, "skylake-sp");
	assert_int_equal(parse(&f, "cycles/period=5,freq=7,call-graph=lbr,stack-size=16,"
				   "max-stack=9,nr=3,branch_type='any,u',time=0,no-inherit,"
				   "overwrite,percore,aux-output,aux-sample-size=64,"
				   "aux-action=resume,cpu=1/"),
			 0);
	const struct xp_event_terms *t = &xp_evlist_at(f.evlist, 0)->terms;
	assert_int_equal(t->period, 5);
	assert_int_equal(t->freq, 7);
	assert_int_equal(t->call_graph, XP_CALL_GRAPH_LBR);
	assert_int_equal(t->stack_bytes, 16);
	assert_int_equal(t->max_stack, 9);
	assert_int_equal(t->nr_events, 3);
	assert_int_equal(t->branch_type, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(t->time, XP_NO);
	assert_int_equal(t->inherit, XP_NO);
	assert_int_equal(t->overwrite, XP_YES);
	assert_true(t->percore);
	assert_true(t->aux_output);
	assert_int_equal(t->aux_sample_bytes, 64);
	assert_int_equal(t->aux_action, XP_AUX_RESUME);
	assert_int_equal(xp_cpus_nr(t->cpus), 1);
	teardown_machine(&f);
	setup_machine(&f, "skylake-sp");
	assert_int_equal(parse(&f, "{cycles,instructions/period=200000,ratio-to-prev=2.5/}"), 0);
	assert_true(xp_evlist_at(f.evlist, 0)->terms.ratio_to_prev == 0);
	assert_true(xp_evlist_at(f.evlist, 1)->terms.ratio_to_prev == 2.5);
	teardown_machine(&f);
	setup_machine(&f, "intel-hybrid");
	assert_int_equal(parse(&f, "{cycles,instructions/ratio-to-prev=2/}"), 0);
	assert_int_equal(xp_evlist_nr(f.evlist), 4);
	teardown_machine(&f);
}

/* What a trace unit's driver gets by name is a number in the attribute. */
static void sinks_are_numbers(void **state)
{
	struct parsing f;

	(void)state;
	setup_machine(&f, "arm-coresight");
	assert_int_equal(parse(&f, "cs_etm/cycacc,@tmc_etr0/u"), 0);
	assert_int_equal(xp_evsel_attr(xp_evlist_at(f.evlist, 0))->config, 1 << 12);
	assert_int_equal(xp_evsel_attr(xp_evlist_at(f.evlist, 0))->config2, 0xdb7ec9c6);
	assert_names_come_back(&f, "cs_etm/cycacc,@tmc_etr0/u");
	teardown_machine(&f);
}

/* Of the CPUs asked for, only those of the PMU; of a package, only one. */
static void only_cpus_that_were_asked_for(void **state)
{
	static const struct {
		const char *text, *cpus, *open, *says;
	} cases[] = {
		{ "uncore_imc_0/clockticks/", "3-7", "4", "" },
		{ "uncore_imc_0/clockticks/", "1-3", "", "its PMU is not on these CPUs" },
		{ "intel_cqm/llc_occupancy/", "2-3,6", "2,6", "" },
		{ "intel_cqm/llc_occupancy/", "7", "7", "" },
		{ "cycles/cpu=1/", "2-3", "", "cpu=" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct parsing f;

		setup_machine(&f, "skylake-sp");
		assert_int_equal(parse(&f, cases[i].text), 0);
		open_on(&f, cases[i].cpus);
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
		assert_string_equal(opened_on(evsel), cases[i].open);
		assert_int_equal(xp_evsel_support(evsel),
				 *cases[i].open ? XP_SUPPORTED : XP_NOT_SUPPORTED);
		assert_non_null(strstr(xp_evsel_reason(evsel), cases[i].says));
		teardown_machine(&f);
	}
}

static void a_package_is_no_task(void **state)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct parsing f;

	(void)state;
	setup_machine(&f, "skylake-sp");
	assert_int_equal(parse(&f, "power/energy-pkg/,cycles,cycles/cpu=1/"), 0);
	assert_int_equal(xp_threads_one(f.ctx, 4711, &opts.threads), 0);
	assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
	assert_int_equal(xp_evsel_support(xp_evlist_at(f.evlist, 0)), XP_NOT_SUPPORTED);
	assert_non_null(strstr(xp_evsel_reason(xp_evlist_at(f.evlist, 0)), "open it on CPUs"));
	assert_int_equal(xp_evsel_support(xp_evlist_at(f.evlist, 1)), XP_SUPPORTED);
	assert_non_null(strstr(xp_evsel_reason(xp_evlist_at(f.evlist, 2)), "open it on CPUs"));
	xp_threads_unref(opts.threads);
	teardown_machine(&f);
}

static struct xp_counts *counts_of(const struct parsing *f)
{
	struct xp_counts *counts;

	assert_int_equal(xp_counts_new(xp_evlist_nr(f->evlist),
				       xp_cpus_nr(xp_evlist_cpus(f->evlist)), 1, &counts),
			 0);
	return counts;
}

/* What is printed of the counts of one run, which are freed. */
static char *printed(struct parsing *f, enum xp_aggr_mode mode, bool no_merge,
		     struct xp_counts *counts)
{
	struct xp_aggr *aggr;
	struct stat_table table;
	struct stat_style style = { .format = STYLE_CSV, .separator = "," };
	char *text = NULL;
	size_t len = 0;

	assert_int_equal(xp_aggr_new(f->ctx, mode, xp_evlist_cpus(f->evlist),
				     xp_evlist_threads(f->evlist), &aggr),
			 0);
	assert_int_equal(stat_table_init(&table, f->evlist, aggr), 0);
	table.no_merge = no_merge;
	stat_table_add(&table, counts, 1000, true);
	stat_table_finish(&table);
	style.out = open_memstream(&text, &len);
	stat_render(&style, &table);
	fclose(style.out);
	stat_table_fini(&table);
	xp_aggr_free(aggr);
	xp_counts_free(counts);
	return text;
}

/* Of "-a": each open cell counts @value. */
static char *shown(struct parsing *f, enum xp_aggr_mode mode, bool no_merge, uint64_t value)
{
	struct xp_counts *counts = counts_of(f);

	for (int e = 0; e < xp_evlist_nr(f->evlist); e++)
		for (int c = 0; c < xp_counts_nr_cpus(counts); c++)
			if (xp_evsel_fd(xp_evlist_at(f->evlist, e), c, 0) >= 0)
				*xp_counts_at(counts, e, c, 0) =
					(struct xp_count){ value, 10, 10, 0 };
	return printed(f, mode, no_merge, counts);
}

/* Of a task: one cell per event. */
static char *shown_cells(struct parsing *f, const struct xp_count *cells)
{
	struct xp_counts *counts = counts_of(f);

	for (int e = 0; e < xp_evlist_nr(f->evlist); e++)
		*xp_counts_at(counts, e, 0, 0) = cells[e];
	return printed(f, XP_AGGR_GLOBAL, false, counts);
}

static void lines_are_sums_over_boxes(void **state)
{
	static const struct {
		const char *root, *text;
		enum xp_aggr_mode mode;
		bool no_merge;
		const char *lines;
	} cases[] = {
		{ "skylake-sp", "uncore_imc/clockticks/", XP_AGGR_GLOBAL, false,
		  "1200,,uncore_imc/clockticks/,120,100.00,,\n" },
		{ "skylake-sp", "uncore_imc/clockticks/", XP_AGGR_SOCKET, false,
		  "S0,1,600,,uncore_imc/clockticks/,60,100.00,,\n"
		  "S1,1,600,,uncore_imc/clockticks/,60,100.00,,\n" },
		{ "arm-neoverse", "smmuv3_pmcg/transaction/", XP_AGGR_GLOBAL, true,
		  "100,,smmuv3_pmcg_ff88840/transaction/,10,100.00,,\n"
		  "100,,smmuv3_pmcg_ff88880/transaction/,10,100.00,,\n" },
		{ "arm-neoverse", "transaction", XP_AGGR_GLOBAL, false,
		  "200,,transaction,20,100.00,,\n" },
		{ "arm-neoverse", "transaction", XP_AGGR_CPU, true,
		  "CPU1,100,,smmuv3_pmcg_ff88840/transaction/,10,100.00,,\n"
		  "CPU1,100,,smmuv3_pmcg_ff88880/transaction/,10,100.00,,\n" },
		{ "intel-hybrid", "cycles", XP_AGGR_GLOBAL, false,
		  "400,,cpu_core/cycles/,40,100.00,,\n400,,cpu_atom/cycles/,40,100.00,,\n" },
		{ "skylake-sp", "llc_occupancy", XP_AGGR_SOCKET, false,
		  "S0,1,3276800,Bytes,llc_occupancy,10,100.00,,\n"
		  "S1,1,3276800,Bytes,llc_occupancy,10,100.00,,\n" },
		{ "skylake-sp", "power/energy-ram/", XP_AGGR_GLOBAL, false,
		  "0.01,Joules,power/energy-ram/,20,100.00,,\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct parsing f;

		setup_machine(&f, cases[i].root);
		assert_int_equal(parse(&f, cases[i].text), 0);
		open_on(&f, NULL);
		char *text = shown(&f, cases[i].mode, cases[i].no_merge, 100);
		assert_string_equal(text, cases[i].lines);
		free(text);
		teardown_machine(&f);
	}
}

/* On CPUs, all of them counted all the time; a task was on one kind of them at a time. */
static void kinds_of_cpus_are_merged_if_asked(void **state)
{
	static const struct {
		struct xp_count cells[2]; /* of cpu_core and cpu_atom */
		const char *line;
	} tasks[] = {
		{ { { 60, 10, 6, 0 }, { 40, 10, 4, 0 } }, "100,,cycles,10,100.00,,\n" },
		{ { { 60, 10, 3, 0 }, { 40, 10, 2, 0 } }, "200,,cycles,5,50.00,,\n" },
		{ { { 0, 10, 0, 0 }, { 40, 10, 10, 0 } }, "40,,cycles,10,100.00,,\n" },
		{ { { 0, 10, 0, 0 }, { 0, 10, 0, 0 } }, "<not counted>,,cycles,0,0.00,,\n" },
	};
	struct parsing f;

	(void)state;
	setup_machine(&f, "intel-hybrid");
	assert_int_equal(xp_pmus_merge_core(f.ctx, true), 0);
	assert_int_equal(parse(&f, "cycles"), 0);
	open_on(&f, NULL);
	char *text = shown(&f, XP_AGGR_GLOBAL, false, 100);
	assert_string_equal(text, "800,,cycles,80,100.00,,\n");
	free(text);
	teardown_machine(&f);
	for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
		struct xp_open_opts opts = { .size = sizeof(opts) };

		setup_machine(&f, "intel-hybrid");
		assert_int_equal(xp_pmus_merge_core(f.ctx, true), 0);
		assert_int_equal(parse(&f, "cycles"), 0);
		assert_int_equal(xp_threads_one(f.ctx, 4711, &opts.threads), 0);
		assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
		text = shown_cells(&f, tasks[i].cells);
		assert_string_equal(text, tasks[i].line);
		free(text);
		xp_threads_unref(opts.threads);
		teardown_machine(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_and_scales_are_those_of_the_pmu),
		cmocka_unit_test(boxes_are_merged_kinds_of_cpus_are_not),
		cmocka_unit_test(groups_are_of_one_pmu),
		cmocka_unit_test(terms_are_kept_for_recording),
		cmocka_unit_test(sinks_are_numbers),
		cmocka_unit_test(only_cpus_that_were_asked_for),
		cmocka_unit_test(a_package_is_no_task),
		cmocka_unit_test(lines_are_sums_over_boxes),
		cmocka_unit_test(kinds_of_cpus_are_merged_if_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
