/* SPDX-License-Identifier: MIT */
/*
 * What stat prints, from counts to bytes. The expected texts are perf 6.1.187's for the same counts
 * (hardware counts were put into its reads); where xperf differs, the test says so.
 */
#include "stat-shown.h"

static const struct number_format german = { ",", ".", "\3\3" };

static void default_events_without_a_pmu(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, SW(TASK_CLOCK), "task-clock");
	add_event(&s.f, SW(CONTEXT_SWITCHES), "context-switches");
	add_event(&s.f, SW(PAGE_FAULTS), "page-faults");
	add_unsupported(&s.f, HW(CPU_CYCLES), "cycles", NULL);
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 412841, 412841, 412841);
	count(&s, 1, 0, 0, 412841, 412841);
	count(&s, 2, 0, 50, 412841, 412841);
	add_run(&s, 1093289);
	s.table.has_times = true;
	s.table.user_s = 0.001185;
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "              0.41 msec task-clock                       #    0.378 CPUs utilized          \n"
	       "                 0      context-switches                 #    0.000 /sec                   \n"
	       "                50      page-faults                      #  121.112 K/sec                  \n"
	       "   <not supported>      cycles                                                      \n"
	       "\n       0.001093289 seconds time elapsed\n"
	       "\n       0.001185000 seconds user\n"
	       "       0.000000000 seconds sys\n\n\n");
	expect(&s, STYLE_CSV,
	       "0.41,msec,task-clock,412841,100.00,0.378,CPUs utilized\n"
	       "0,,context-switches,412841,100.00,0.000,/sec\n"
	       "50,,page-faults,412841,100.00,121.112,K/sec\n"
	       "<not supported>,,cycles,0,100.00,,\n");
	expect(&s, STYLE_JSON,
	       "{\"counter-value\" : \"0.412841\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
	       "\"event-runtime\" : 412841, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.377614, \"metric-unit\" : \"CPUs utilized\"}\n"
	       "{\"counter-value\" : \"0.000000\", \"unit\" : \"\", \"event\" : \"context-switches\", "
	       "\"event-runtime\" : 412841, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.000000, \"metric-unit\" : \"/sec\"}\n"
	       "{\"counter-value\" : \"50.000000\", \"unit\" : \"\", \"event\" : \"page-faults\", "
	       "\"event-runtime\" : 412841, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 121.112002, \"metric-unit\" : \"K/sec\"}\n"
	       "{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"cycles\", "
	       "\"event-runtime\" : 0, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
	end(&s);
}

static void hardware_metrics(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
		uint64_t value;
	} events[] = {
		{ SW(TASK_CLOCK), "task-clock", 1000000 },
		{ HW(CPU_CYCLES), "cycles", 3000000 },
		{ HW(INSTRUCTIONS), "instructions", 4500000 },
		{ HW(CACHE_REFERENCES), "cache-references", 10000 },
		{ HW(CACHE_MISSES), "cache-misses", 2500 },
		{ HW(BRANCH_INSTRUCTIONS), "branches", 700000 },
		{ HW(BRANCH_MISSES), "branch-misses", 77000 },
		{ HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend", 600000 },
		{ HW(STALLED_CYCLES_BACKEND), "stalled-cycles-backend", 900000 },
		{ HW(REF_CPU_CYCLES), "ref-cycles", 1000 },
		{ SW(PAGE_FAULTS), "averylongeventnamewithmorethanthirtytwocharacters", 55 },
		{ CACHE(L1D, ACCESS), "L1-dcache-loads", 100000 },
		{ CACHE(L1D, MISS), "L1-dcache-load-misses", 2500 },
	};
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		add_event(&s.f, events[i].type, events[i].config, events[i].name);
	begin(&s, XP_AGGR_GLOBAL);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		count(&s, (int)i, 0, events[i].value, 1000000, 1000000);
	add_run(&s, 850870);
	s.table.has_times = true;
	s.table.system_s = 0.000971;
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "              1.00 msec task-clock                       #    1.175 CPUs utilized          \n"
	       "           3000000      cycles                           #    3.000 GHz                    \n"
	       "           4500000      instructions                     #    1.50  insn per cycle         \n"
	       "                                                  #    0.20  stalled cycles per insn\n"
	       "             10000      cache-references                 #   10.000 M/sec                  \n"
	       "              2500      cache-misses                     #   25.000 % of all cache refs    \n"
	       "            700000      branches                         #  700.000 M/sec                  \n"
	       "             77000      branch-misses                    #   11.00% of all branches        \n"
	       "            600000      stalled-cycles-frontend          #   20.00% frontend cycles idle   \n"
	       "            900000      stalled-cycles-backend           #   30.00% backend cycles idle    \n"
	       "              1000      ref-cycles                       # 1000.000 K/sec                  \n"
	       "                55      averylongeventnamewithmorethanthirtytwocharacters #   55.000 K/sec                  \n"
	       "            100000      L1-dcache-loads                  #  100.000 M/sec                  \n"
	       "              2500      L1-dcache-load-misses            #    2.50% of all L1-dcache accesses\n"
	       "\n       0.000850870 seconds time elapsed\n"
	       "\n       0.000000000 seconds user\n"
	       "       0.000971000 seconds sys\n\n\n");
	end(&s);
}

/* The share follows the last metric; below 10 % xperf adds a word and a sentence. */
static void multiplexed_counts(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, SW(TASK_CLOCK), "task-clock");
	add_event(&s.f, HW(INSTRUCTIONS), "instructions");
	add_event(&s.f, HW(CPU_CYCLES), "cycles");
	add_event(&s.f, HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend");
	add_event(&s.f, HW(STALLED_CYCLES_BACKEND), "stalled-cycles-backend");
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 1000000, 1000000, 1000000);
	count(&s, 1, 0, 4500000, 1000000, 12500);
	count(&s, 2, 0, 3000000, 1000000, 125000);
	count(&s, 3, 0, 600000, 1000000, 1000000);
	count(&s, 4, 0, 900000, 1000000, 0);
	add_run(&s, 1000000);
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "              1.00 msec task-clock                       #    1.000 CPUs utilized          \n"
	       "         360000000      instructions                     #   15.00  insn per cycle         \n"
	       "                                                  #    0.00  stalled cycles per insn  (1.25%, unreliable)\n"
	       "          24000000      cycles                           #   24.000 GHz                      (12.50%)\n"
	       "            600000      stalled-cycles-frontend          #    2.50% frontend cycles idle   \n"
	       "     <not counted>      stalled-cycles-backend                                        (0.00%)\n"
	       "\n       0.001000000 seconds time elapsed\n\n"
	       "Unreliable: counted less than 10% of the time, the rest is extrapolated; count\n"
	       "  fewer events at once.\n");
	expect(&s, STYLE_CSV,
	       "1.00,msec,task-clock,1000000,100.00,1.000,CPUs utilized\n"
	       "360000000,,instructions,12500,1.25,15.00,insn per cycle\n"
	       ",,,,0.00,stalled cycles per insn\n"
	       "24000000,,cycles,125000,12.50,24.000,GHz\n"
	       "600000,,stalled-cycles-frontend,1000000,100.00,2.50,frontend cycles idle\n"
	       "<not counted>,,stalled-cycles-backend,0,0.00,,\n");
	end(&s);
}

static void mean_and_error_over_runs(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, SW(TASK_CLOCK), "task-clock");
	add_event(&s.f, SW(PAGE_FAULTS), "page-faults");
	add_event(&s.f, HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend");
	add_event(&s.f, HW(CPU_CYCLES), "cycles");
	add_unsupported(&s.f, HW(INSTRUCTIONS), "instructions", NULL);
	add_tool(&s.f, XP_TOOL_DURATION_TIME, "duration_time");
	begin(&s, XP_AGGR_GLOBAL);
	for (uint64_t run = 2; run <= 4; run++) {
		count(&s, 0, 0, run * 1000000, run * 1000000, run * 1000000);
		count(&s, 1, 0, 55, 1000000, 1000000);
		count(&s, 2, 0, run * 600000, 1000000, 600000);
		count(&s, 3, 0, run * 3000000, 1000000, 1000000);
		count(&s, 5, 0, 1000000, 0, 0);
		stat_table_add(&s.table, s.counts, 800000 + run * 10000, true);
	}
	stat_table_finish(&s.table);
	s.table.nr_runs = 3;
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true' (3 runs):\n\n"
	       "              3.00 msec task-clock                       #    3.614 CPUs utilized            ( +- 19.25% )\n"
	       "                55      page-faults                      #   18.333 K/sec                  \n"
	       "           3000000      stalled-cycles-frontend          #   33.33% frontend cycles idle     ( +- 19.25% )  (60.00%)\n"
	       "           9000000      cycles                           #    3.000 GHz                      ( +- 19.25% )\n"
	       "   <not supported>      instructions                                                \n"
	       "           1000000 ns   duration_time                    #  333.333 M/sec                  \n"
	       "\n        0.00083000 +- 0.00000577 seconds time elapsed  ( +-  0.70% )\n\n");
	expect(&s, STYLE_CSV,
	       "3.00,msec,task-clock,19.25%,3000000,100.00,3.614,CPUs utilized\n"
	       "55,,page-faults,0.00%,1000000,100.00,18.333,K/sec\n"
	       "3000000,,stalled-cycles-frontend,19.25%,600000,60.00,33.33,frontend cycles idle\n"
	       "9000000,,cycles,19.25%,1000000,100.00,3.000,GHz\n"
	       "<not supported>,,instructions,0.00%,0,100.00,,\n"
	       "1000000,ns,duration_time,0.00%,1000000,100.00,333.333,M/sec\n");
	s.table.nr_rows = 1;
	expect(&s, STYLE_JSON,
	       "{\"counter-value\" : \"3.000000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
	       "\"variance\" : 19.25, \"event-runtime\" : 3000000, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 3.614458, \"metric-unit\" : \"CPUs utilized\"}\n");
	end(&s);
}

static void intervals_and_summary(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, SW(TASK_CLOCK), "task-clock");
	add_event(&s.f, HW(INSTRUCTIONS), "instructions");
	add_event(&s.f, HW(CPU_CYCLES), "cycles");
	add_event(&s.f, HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend");
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 1000000, 1000000, 1000000);
	count(&s, 1, 0, 4500000, 1000000, 1000000);
	count(&s, 2, 0, 3000000, 1000000, 1000000);
	count(&s, 3, 0, 600000, 1000000, 600000);
	add_run(&s, 20000000);
	s.table.is_interval = true;
	s.table.first_interval = true;
	s.table.interval_ns = 20099865;
	expect(&s, STYLE_TEXT,
	       "#           time             counts unit events\n"
	       "     0.020099865               1.00 msec task-clock                       #    0.050 CPUs utilized          \n"
	       "     0.020099865            4500000      instructions                     #    1.50  insn per cycle         \n"
	       "     0.020099865                                                   #    0.22  stalled cycles per insn\n"
	       "     0.020099865            3000000      cycles                           #    3.000 GHz                    \n"
	       "     0.020099865            1000000      stalled-cycles-frontend          #   33.33% frontend cycles idle     (60.00%)\n");
	expect(&s, STYLE_CSV,
	       "     0.020099865,1.00,msec,task-clock,1000000,100.00,0.050,CPUs utilized\n"
	       "     0.020099865,4500000,,instructions,1000000,100.00,1.50,insn per cycle\n"
	       "     0.020099865,,,,,0.22,stalled cycles per insn\n"
	       "     0.020099865,3000000,,cycles,1000000,100.00,3.000,GHz\n"
	       "     0.020099865,1000000,,stalled-cycles-frontend,600000,60.00,33.33,frontend cycles idle\n");
	s.table.nr_rows = 2;
	expect(&s, STYLE_JSON,
	       "{\"interval\" : 0.020099865, \"counter-value\" : \"1.000000\", \"unit\" : \"msec\", "
	       "\"event\" : \"task-clock\", \"event-runtime\" : 1000000, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.050000, \"metric-unit\" : \"CPUs utilized\"}\n"
	       "{\"interval\" : 0.020099865, \"counter-value\" : \"4500000.000000\", \"unit\" : \"\", "
	       "\"event\" : \"instructions\", \"event-runtime\" : 1000000, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 1.500000, \"metric-unit\" : \"insn per cycle\"}\n"
	       "{\"interval\" : 0.020099865, \"metric-value\" : 0.222222, "
	       "\"metric-unit\" : \"stalled cycles per insn\"}\n");

	/* the next interval has no heading and knows nothing of the first */
	stat_table_reset(&s.table);
	count(&s, 0, 0, 0, 0, 0);
	add_run(&s, 20000000);
	s.table.first_interval = false;
	s.table.interval_ns = 1234567890123;
	s.table.nr_rows = 1;
	expect(&s, STYLE_TEXT,
	       "  1234.567890123      <not counted> msec task-clock                                                  \n");
	s.table.is_interval = false;
	s.table.is_summary = true;
	expect(&s, STYLE_CSV, "         summary,<not counted>,msec,task-clock,0,100.00,,\n");
	s.style.csv_summary = false;
	expect(&s, STYLE_CSV, "<not counted>,msec,task-clock,0,100.00,,\n");
	end(&s);
}

static void nothing_but_time(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	assert_int_equal(xp_aggr_new(s.f.ctx, XP_AGGR_GLOBAL, s.f.cpus, s.f.threads, &s.aggr), 0);
	assert_int_equal(stat_table_init(&s.table, s.f.evlist, s.aggr), 0);
	s.counts = NULL;
	s.style = (struct stat_style){ .separator = ",", .numbers = &c_format, .null_run = true };
	s.table.title = "'true'";
	add_run(&s, 854876);
	s.table.has_times = true;
	s.table.user_s = 0.000923;
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "       0.000854876 seconds time elapsed\n"
	       "\n       0.000923000 seconds user\n"
	       "       0.000000000 seconds sys\n\n\n");
	expect(&s, STYLE_CSV, "");
	expect(&s, STYLE_JSON, "");
	end(&s);
}

/* One sentence per reason, below what perf prints; in intervals as comments below the heading. */
static void reasons_are_reported_once(void **state)
{
	static const char *const no_pmu = "this virtual machine has no PMU";
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_unsupported(&s.f, HW(CPU_CYCLES), "cycles", no_pmu);
	xp_evsel_set_reason(add_event(&s.f, SW(PAGE_FAULTS), "page-faults:u"), "%s",
			    "perf_event_paranoid is 2, so the kernel is left out");
	add_event(&s.f, SW(TASK_CLOCK), "task-clock");
	add_unsupported(&s.f, HW(INSTRUCTIONS), "instructions", no_pmu);
	add_unsupported(&s.f, HW(BRANCH_INSTRUCTIONS), "branches", no_pmu);
	begin(&s, XP_AGGR_GLOBAL);
	add_run(&s, 1000000);
	s.table.nr_rows = 0;
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "\n       0.001000000 seconds time elapsed\n\n"
	       "Not supported here: this virtual machine has no PMU\n"
	       "Counted differently: page-faults:u: perf_event_paranoid is 2, so the kernel is\n"
	       "  left out\n");
	expect(&s, STYLE_CSV, "");
	s.table.is_interval = true;
	expect(&s, STYLE_TEXT, "");
	s.table.first_interval = true;
	expect(&s, STYLE_TEXT,
	       "#           time             counts unit events\n"
	       "# Not supported here: this virtual machine has no PMU\n"
	       "# Counted differently: page-faults:u: perf_event_paranoid is 2, so the kernel\n"
	       "#   is left out\n");
	end(&s);
}

static void json_strings_are_escaped(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, SW(DUMMY), "a\"b\\c\td\x01 \xc3\xa4 \xff\xc3 \xed\xa0\x80");
	begin(&s, XP_AGGR_GLOBAL);
	add_run(&s, 1000000);
	expect(&s, STYLE_JSON,
	       "{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", "
	       "\"event\" : \"a\\\"b\\\\c\\u0009d\\u0001 \xc3\xa4 \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\", "
	       "\"event-runtime\" : 0, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
	end(&s);
}

/* In the user's format: counts, metrics, times in text; nothing in CSV and JSON. */
static void locale_is_for_people(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, SW(TASK_CLOCK), "task-clock");
	add_event(&s.f, SW(PAGE_FAULTS), "page-faults");
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 1234567890, 1234567890, 1234567890);
	count(&s, 1, 0, 1234567, 1234567890, 1234567890);
	add_run(&s, 2000000000);
	s.style.numbers = &german;
	s.style.big_num = true;
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "          1.234,57 msec task-clock                       #    0,617 CPUs utilized          \n"
	       "         1.234.567      page-faults                      #  999,999 K/sec                  \n"
	       "\n       2,000000000 seconds time elapsed\n\n");
	expect(&s, STYLE_CSV,
	       "1234.57,msec,task-clock,1234567890,100.00,0.617,CPUs utilized\n"
	       "1234567,,page-faults,1234567890,100.00,999.999,K/sec\n");
	s.style.big_num = false;
	s.table.is_interval = true;
	s.table.nr_rows = 1;
	expect(&s, STYLE_TEXT,
	       "     0.000000000            1234,57 msec task-clock                       #    0,617 CPUs utilized          \n");
	end(&s);
}

static void colors_mark_the_number(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, HW(BRANCH_INSTRUCTIONS), "branches");
	add_event(&s.f, HW(BRANCH_MISSES), "branch-misses");
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 1000, 10, 10);
	count(&s, 1, 0, 60, 10, 10);
	add_run(&s, 1000000);
	s.style.color = true;
	s.table.rows++;
	s.table.nr_rows = 1;
	s.table.is_interval = true;
	expect(&s, STYLE_TEXT,
	       "     0.000000000                 60      branch-misses                    # \033[33m   6.00%\033[m of all branches        \n");
	s.table.rows--;
	end(&s);
}

/* 80 columns are enough, where blanks are not part of the row. */
static void rows_on_a_terminal(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, HW(BRANCH_INSTRUCTIONS), "branches");
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 1000, 10, 10);
	add_run(&s, 1000000);
	s.style.trims = true;
	s.table.is_interval = true;
	expect(&s, STYLE_TEXT, "     0.000000000               1000      branches\n");
	end(&s);
}

static void unscaled_counts(void **state)
{
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	add_event(&s.f, HW(CPU_CYCLES), "cycles");
	begin(&s, XP_AGGR_GLOBAL);
	count(&s, 0, 0, 300, 1000, 500);
	stat_table_add(&s.table, s.counts, 1000000, false);
	stat_table_finish(&s.table);
	expect(&s, STYLE_CSV, "300,,cycles,500,50.00,,\n");
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_events_without_a_pmu),
		cmocka_unit_test(hardware_metrics),
		cmocka_unit_test(multiplexed_counts),
		cmocka_unit_test(mean_and_error_over_runs),
		cmocka_unit_test(intervals_and_summary),
		cmocka_unit_test(nothing_but_time),
		cmocka_unit_test(reasons_are_reported_once),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(locale_is_for_people),
		cmocka_unit_test(colors_mark_the_number),
		cmocka_unit_test(rows_on_a_terminal),
		cmocka_unit_test(unscaled_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
