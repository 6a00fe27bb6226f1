/* SPDX-License-Identifier: MIT */
/*
 * What stat prints with -A, --per-socket, -die, -core, -node, -thread. The expected texts are perf
 * 6.1.187's for the same counts (hardware counts were put into its reads).
 */
#include "stat-shown.h"

#include "list-impl.h"

/* Two CPUs; on the first one instruction count has two metrics; cycles are not supported. */
static void begin_on_two_cpus(struct shown *s, enum xp_aggr_mode mode)
{
	fixture_init(&s->f);
	put_cpu(&s->f, 0, 0, 0, 0, 0);
	put_cpu(&s->f, 1, 0, 0, 1, 0);
	for (int cpu = 0; cpu < 2; cpu++) {
		put_file(s->f.root, "12\n", "/sys/devices/system/cpu/cpu%d/topology/cluster_id",
			 cpu);
		put_cache(&s->f, cpu, 2, 2, "0-1\n");
	}
	fixture_cpus(&s->f, "0-1");
	add_event(&s->f, SW(CPU_CLOCK), "cpu-clock");
	add_event(&s->f, HW(INSTRUCTIONS), "instructions");
	add_event(&s->f, HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend");
	add_unsupported(&s->f, HW(BUS_CYCLES), "bus-cycles", NULL);
	begin(s, mode);
	for (int cpu = 0; cpu < 2; cpu++) {
		count(s, 0, cpu, 1000000, 1000000, 1000000);
		count(s, 1, cpu, 4500000, 1000000, 1000000);
		count(s, 2, cpu, 1000000, 1000000, 1000000);
	}
	add_run(s, 11277821);
}

static void one_row_per_cpu(void **state)
{
	struct shown s;

	(void)state;
	begin_on_two_cpus(&s, XP_AGGR_CPU);
	s.table.title = "'system wide'";
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'system wide':\n\n"
	       "CPU0                     1.00 msec cpu-clock                        #    0.089 CPUs utilized          \n"
	       "CPU1                     1.00 msec cpu-clock                        #    0.089 CPUs utilized          \n"
	       "CPU0                  4500000      instructions                                                       \n"
	       "CPU0                                                                 #    0.22  stalled cycles per insn\n"
	       "CPU1                  4500000      instructions                                                       \n"
	       "CPU1                                                                 #    0.22  stalled cycles per insn\n"
	       "CPU0                  1000000      stalled-cycles-frontend                                            \n"
	       "CPU1                  1000000      stalled-cycles-frontend                                            \n"
	       "CPU0          <not supported>      bus-cycles                                                  \n"
	       "CPU1          <not supported>      bus-cycles                                                  \n"
	       "\n       0.011277821 seconds time elapsed\n\n");
	expect(&s, STYLE_CSV,
	       "CPU0,1.00,msec,cpu-clock,1000000,100.00,0.089,CPUs utilized\n"
	       "CPU1,1.00,msec,cpu-clock,1000000,100.00,0.089,CPUs utilized\n"
	       "CPU0,4500000,,instructions,1000000,100.00,,\n"
	       "CPU0,,,,,,0.22,stalled cycles per insn\n"
	       "CPU1,4500000,,instructions,1000000,100.00,,\n"
	       "CPU1,,,,,,0.22,stalled cycles per insn\n"
	       "CPU0,1000000,,stalled-cycles-frontend,1000000,100.00,,\n"
	       "CPU1,1000000,,stalled-cycles-frontend,1000000,100.00,,\n"
	       "CPU0,<not supported>,,bus-cycles,0,100.00,,\n"
	       "CPU1,<not supported>,,bus-cycles,0,100.00,,\n");
	s.table.is_interval = true;
	s.table.first_interval = true;
	s.table.nr_rows = 1;
	expect(&s, STYLE_TEXT,
	       "#           time CPU                    counts unit events\n"
	       "     0.000000000 CPU0                     1.00 msec cpu-clock                        #    0.089 CPUs utilized          \n");
	expect(&s, STYLE_JSON,
	       "{\"interval\" : 0.000000000, \"cpu\" : \"0\", \"counter-value\" : \"1.000000\", "
	       "\"unit\" : \"msec\", \"event\" : \"cpu-clock\", \"event-runtime\" : 1000000, "
	       "\"pcnt-running\" : 100.00, \"metric-value\" : 0.088670, "
	       "\"metric-unit\" : \"CPUs utilized\"}\n");
	end(&s);
}

static void one_row_per_place(void **state)
{
	static const struct {
		enum xp_aggr_mode mode;
		const char *text, *csv, *json, *heading;
	} rows[] = {
		{ XP_AGGR_SOCKET,
		  "S0        2               2.00 msec cpu-clock                        #    0.177 CPUs utilized          \n"
		  "S0        2            9000000      instructions                                                       \n"
		  "S0        2                                                   #    0.22  stalled cycles per insn\n"
		  "S0        2            2000000      stalled-cycles-frontend                                            \n"
		  "S0        1    <not supported>      bus-cycles                                                  \n",
		  "S0,2,2.00,msec,cpu-clock,2000000,100.00,0.177,CPUs utilized\n"
		  "S0,2,9000000,,instructions,2000000,100.00,,\n"
		  "S0,2,,,,,,,0.22,stalled cycles per insn\n"
		  "S0,2,2000000,,stalled-cycles-frontend,2000000,100.00,,\n"
		  "S0,1,<not supported>,,bus-cycles,0,100.00,,\n",
		  "{\"socket\" : \"S0\", \"aggregate-number\" : 2, ",
		  "#           time socket cpus             counts unit events\n" },
		{ XP_AGGR_DIE,
		  "S0-D0           2               2.00 msec cpu-clock                        #    0.177 CPUs utilized          \n"
		  "S0-D0           2            9000000      instructions                                                       \n"
		  "S0-D0           2                                                   #    0.22  stalled cycles per insn\n"
		  "S0-D0           2            2000000      stalled-cycles-frontend                                            \n"
		  "S0-D0           1    <not supported>      bus-cycles                                                  \n",
		  "S0-D0,2,2.00,msec,cpu-clock,2000000,100.00,0.177,CPUs utilized\n"
		  "S0-D0,2,9000000,,instructions,2000000,100.00,,\n"
		  "S0-D0,2,,,,,,,0.22,stalled cycles per insn\n"
		  "S0-D0,2,2000000,,stalled-cycles-frontend,2000000,100.00,,\n"
		  "S0-D0,1,<not supported>,,bus-cycles,0,100.00,,\n",
		  "{\"die\" : \"S0-D0\", \"aggregate-number\" : 2, ",
		  "#           time die          cpus             counts unit events\n" },
		{ XP_AGGR_NODE,
		  "N0        2               2.00 msec cpu-clock                        #    0.177 CPUs utilized          \n"
		  "N0        2            9000000      instructions                                                       \n"
		  "N0        2                                                   #    0.22  stalled cycles per insn\n"
		  "N0        2            2000000      stalled-cycles-frontend                                            \n"
		  "N0        1    <not supported>      bus-cycles                                                  \n",
		  "N0,2,2.00,msec,cpu-clock,2000000,100.00,0.177,CPUs utilized\n"
		  "N0,2,9000000,,instructions,2000000,100.00,,\n"
		  "N0,2,,,,,,0.22,stalled cycles per insn\n"
		  "N0,2,2000000,,stalled-cycles-frontend,2000000,100.00,,\n"
		  "N0,1,<not supported>,,bus-cycles,0,100.00,,\n",
		  "{\"node\" : \"N0\", \"aggregate-number\" : 2, ",
		  "#           time node   cpus             counts unit events\n" },
		{ XP_AGGR_CLUSTER, /* these and those per cache: as perf 6.12 and 7.2 print them */
		  "S0-D0-CLS12             2               2.00 msec cpu-clock                        #    0.177 CPUs utilized          \n"
		  "S0-D0-CLS12             2            9000000      instructions                                                       \n"
		  "S0-D0-CLS12             2                                                   #    0.22  stalled cycles per insn\n"
		  "S0-D0-CLS12             2            2000000      stalled-cycles-frontend                                            \n"
		  "S0-D0-CLS12             1    <not supported>      bus-cycles                                                  \n",
		  "S0-D0-CLS12,2,2.00,msec,cpu-clock,2000000,100.00,0.177,CPUs utilized\n"
		  "S0-D0-CLS12,2,9000000,,instructions,2000000,100.00,,\n"
		  "S0-D0-CLS12,2,,,,,,,0.22,stalled cycles per insn\n"
		  "S0-D0-CLS12,2,2000000,,stalled-cycles-frontend,2000000,100.00,,\n"
		  "S0-D0-CLS12,1,<not supported>,,bus-cycles,0,100.00,,\n",
		  "{\"cluster\" : \"S0-D0-CLS12\", \"aggregate-number\" : 2, ",
		  "#           time cluster              cpus             counts unit events\n" },
		{ XP_AGGR_CACHE,
		  "S0-D0-L2-ID0              2               2.00 msec cpu-clock                        #    0.177 CPUs utilized          \n"
		  "S0-D0-L2-ID0              2            9000000      instructions                                                       \n"
		  "S0-D0-L2-ID0              2                                                   #    0.22  stalled cycles per insn\n"
		  "S0-D0-L2-ID0              2            2000000      stalled-cycles-frontend                                            \n"
		  "S0-D0-L2-ID0              1    <not supported>      bus-cycles                                                  \n",
		  "S0-D0-L2-ID0,2,2.00,msec,cpu-clock,2000000,100.00,0.177,CPUs utilized\n"
		  "S0-D0-L2-ID0,2,9000000,,instructions,2000000,100.00,,\n"
		  "S0-D0-L2-ID0,2,,,,,,,0.22,stalled cycles per insn\n"
		  "S0-D0-L2-ID0,2,2000000,,stalled-cycles-frontend,2000000,100.00,,\n"
		  "S0-D0-L2-ID0,1,<not supported>,,bus-cycles,0,100.00,,\n",
		  "{\"cache\" : \"S0-D0-L2-ID0\", \"aggregate-number\" : 2, ",
		  "#           time cache                  cpus             counts unit events\n" },
		{ XP_AGGR_CORE,
		  "S0-D0-C0           1               1.00 msec cpu-clock                        #    0.089 CPUs utilized          \n"
		  "S0-D0-C0           1            4500000      instructions                                                       \n"
		  "S0-D0-C0           1                                                   #    0.22  stalled cycles per insn\n"
		  "S0-D0-C0           1            1000000      stalled-cycles-frontend                                            \n"
		  "S0-D0-C0           1    <not supported>      bus-cycles                                                  \n"
		  "S0-D0-C1           1               1.00 msec cpu-clock                        #    0.089 CPUs utilized          \n",
		  "S0-D0-C0,1,1.00,msec,cpu-clock,1000000,100.00,0.089,CPUs utilized\n"
		  "S0-D0-C0,1,4500000,,instructions,1000000,100.00,,\n"
		  "S0-D0-C0,1,,,,,,,0.22,stalled cycles per insn\n"
		  "S0-D0-C0,1,1000000,,stalled-cycles-frontend,1000000,100.00,,\n"
		  "S0-D0-C0,1,<not supported>,,bus-cycles,0,100.00,,\n"
		  "S0-D0-C1,1,1.00,msec,cpu-clock,1000000,100.00,0.089,CPUs utilized\n",
		  "{\"core\" : \"S0-D0-C0\", \"aggregate-number\" : 1, ",
		  "#           time core            cpus             counts unit events\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct shown s;
		char expected[2048];

		begin_on_two_cpus(&s, rows[i].mode);
		if (s.table.nr_rows > 5)
			s.table.nr_rows = 5;
		s.table.title = "'system wide'";
		snprintf(expected, sizeof(expected),
			 "\n Performance counter stats for 'system wide':\n\n%s"
			 "\n       0.011277821 seconds time elapsed\n\n",
			 rows[i].text);
		expect(&s, STYLE_TEXT, expected);
		expect(&s, STYLE_CSV, rows[i].csv);
		s.table.nr_rows = 1;
		snprintf(expected, sizeof(expected),
			 "%s\"counter-value\" : \"%s\", \"unit\" : \"msec\", \"event\" : "
			 "\"cpu-clock\", \"event-runtime\" : %s, \"pcnt-running\" : 100.00, "
			 "\"metric-value\" : %s, \"metric-unit\" : \"CPUs utilized\"}\n",
			 rows[i].json, rows[i].mode == XP_AGGR_CORE ? "1.000000" : "2.000000",
			 rows[i].mode == XP_AGGR_CORE ? "1000000" : "2000000",
			 rows[i].mode == XP_AGGR_CORE ? "0.088670" : "0.177339");
		expect(&s, STYLE_JSON, expected);
		s.table.nr_rows = 0;
		s.table.is_interval = true;
		s.table.first_interval = true;
		expect(&s, STYLE_TEXT, rows[i].heading);
		end(&s);
	}
}

/* Threads: busiest first for each event, those without a count last. */
static void begin_on_threads(struct shown *s)
{
	fixture_init(&s->f);
	put_file(s->f.root, "thr\n", "/proc/9131/comm");
	for (int tid = 9131; tid <= 9134; tid++) {
		put_file(s->f.root, "thr\n", "/proc/9131/task/%d/comm", tid);
		put_file(s->f.root, "thr\n", "/proc/%d/comm", tid);
	}
	fixture_process(&s->f, "9131");
	add_event(&s->f, SW(TASK_CLOCK), "task-clock");
	add_event(&s->f, SW(CONTEXT_SWITCHES), "cs");
	add_unsupported(&s->f, HW(CPU_CYCLES), "cycles", NULL);
	begin(s, XP_AGGR_THREAD);
	static const uint64_t clocks[] = { 0, 1988432, 2831523, 3466205 },
			      switches[] = { 0, 33, 24, 0 };
	for (int t = 0; t < 4; t++) {
		*xp_counts_at(s->counts, 0, 0, t) =
			(struct xp_count){ clocks[t], clocks[t], clocks[t], 0 };
		*xp_counts_at(s->counts, 1, 0, t) =
			(struct xp_count){ switches[t], clocks[t], clocks[t], 0 };
	}
	add_run(s, 101305045);
	s->table.title = "process id '9131'";
}

static void one_row_per_thread(void **state)
{
	struct shown s;

	(void)state;
	begin_on_threads(&s);
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for process id '9131':\n\n"
	       "             thr-9134                   3.47 msec task-clock                       #    0.034 CPUs utilized          \n"
	       "             thr-9133                   2.83 msec task-clock                       #    0.028 CPUs utilized          \n"
	       "             thr-9132                   1.99 msec task-clock                       #    0.020 CPUs utilized          \n"
	       "             thr-9131          <not counted> msec task-clock                                                  \n"
	       "             thr-9132                     33      cs                               #   16.596 K/sec                  \n"
	       "             thr-9133                     24      cs                               #    8.476 K/sec                  \n"
	       "             thr-9134                      0      cs                               #    0.000 /sec                   \n"
	       "             thr-9131          <not counted>      cs                                                          \n"
	       "             thr-9131        <not supported>      cycles                                                      \n"
	       "             thr-9132        <not supported>      cycles                                                      \n"
	       "             thr-9133        <not supported>      cycles                                                      \n"
	       "             thr-9134        <not supported>      cycles                                                      \n"
	       "\n       0.101305045 seconds time elapsed\n\n");
	s.table.nr_rows = 5;
	expect(&s, STYLE_CSV,
	       "thr-9134,3.47,msec,task-clock,3466205,100.00,0.034,CPUs utilized\n"
	       "thr-9133,2.83,msec,task-clock,2831523,100.00,0.028,CPUs utilized\n"
	       "thr-9132,1.99,msec,task-clock,1988432,100.00,0.020,CPUs utilized\n"
	       "thr-9131,<not counted>,msec,task-clock,0,100.00,,\n"
	       "thr-9132,33,,cs,1988432,100.00,16.596,K/sec\n");
	s.table.nr_rows = 0;
	s.table.is_interval = true;
	s.table.first_interval = true;
	expect(&s, STYLE_TEXT,
	       "#           time             comm-pid                  counts unit events\n");
	end(&s);
}

static void idle_threads_of_the_system_are_left_out(void **state)
{
	struct shown s;

	(void)state;
	begin_on_threads(&s);
	s.table.counted_only = s.table.hides_zero = true;
	stat_table_finish(&s.table);
	expect(&s, STYLE_CSV,
	       "thr-9134,3.47,msec,task-clock,3466205,100.00,0.034,CPUs utilized\n"
	       "thr-9133,2.83,msec,task-clock,2831523,100.00,0.028,CPUs utilized\n"
	       "thr-9132,1.99,msec,task-clock,1988432,100.00,0.020,CPUs utilized\n"
	       "thr-9132,33,,cs,1988432,100.00,16.596,K/sec\n"
	       "thr-9133,24,,cs,2831523,100.00,8.476,K/sec\n");
	end(&s);
}

/* Tool events are measured once: perf shows them on the first CPU, and "0" CPUs elsewhere. */
static void tool_events_have_one_place(void **state)
{
	static const enum xp_aggr_mode modes[] = { XP_AGGR_CPU, XP_AGGR_CORE };
	static const char *const expected[] = {
		"CPU0,11307615,ns,duration_time,11307615,100.00,,\n",
		"S0-D0-C0,1,11307615,ns,duration_time,11307615,100.00,,\n"
		"S0-D0-C1,0,<not counted>,ns,duration_time,0,100.00,,\n",
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct shown s;

		fixture_init(&s.f);
		put_cpu(&s.f, 0, 0, 0, 0, 0);
		put_cpu(&s.f, 1, 0, 0, 1, 0);
		fixture_cpus(&s.f, "0-1");
		add_tool(&s.f, XP_TOOL_DURATION_TIME, "duration_time");
		begin(&s, modes[i]);
		count(&s, 0, 0, 11307615, 0, 0);
		add_run(&s, 11307615);
		expect(&s, STYLE_CSV, expected[i]);
		end(&s);
	}
}

/* Two cores of two threads; the first event is percore, the second is not. */
static void begin_with_percore(struct shown *s, struct xp_aggr **ret_cores)
{
	fixture_init(&s->f);
	for (int cpu = 0; cpu < 4; cpu++)
		put_cpu(&s->f, cpu, 0, 0, cpu / 2, 0);
	fixture_cpus(&s->f, "0-3");
	add_event(&s->f, HW(CPU_CYCLES), "cycles/percore/")->terms.percore = true;
	add_event(&s->f, SW(CONTEXT_SWITCHES), "cs");
	begin(s, XP_AGGR_CPU);
	assert_int_equal(xp_aggr_new(s->f.ctx, XP_AGGR_CORE, s->f.cpus, s->f.threads, ret_cores),
			 0);
	s->table.cores = *ret_cores;
	for (int cpu = 0; cpu < 4; cpu++) {
		count(s, 0, cpu, 1U << cpu, 100, 100);
		count(s, 1, cpu, 1, 100, 100);
	}
}

static void percore_has_a_row_per_core(void **state)
{
	struct xp_aggr *cores;
	struct shown s;

	(void)state;
	begin_with_percore(&s, &cores);
	add_run(&s, 100);
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "S0-D0-C0                    3      cycles/percore/                                                    \n"
	       "S0-D0-C1                   12      cycles/percore/                                                    \n"
	       "CPU0                        1      cs                                                                 \n"
	       "CPU1                        1      cs                                                                 \n"
	       "CPU2                        1      cs                                                                 \n"
	       "CPU3                        1      cs                                                                 \n"
	       "\n       0.000000100 seconds time elapsed\n\n");
	s.table.nr_rows = 2;
	expect(&s, STYLE_CSV,
	       "S0-D0-C0,3,,cycles/percore/,200,100.00,,\n"
	       "S0-D0-C1,12,,cycles/percore/,200,100.00,,\n");
	s.table.nr_rows = 1;
	expect(&s, STYLE_JSON,
	       "{\"core\" : \"S0-D0-C0\", \"counter-value\" : \"3.000000\", \"unit\" : \"\", "
	       "\"event\" : \"cycles/percore/\", \"event-runtime\" : 200, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.000000, \"metric-unit\" : \"\"}\n");
	end(&s);
	xp_aggr_free(cores);
}

static void percore_can_be_shown_by_thread(void **state)
{
	struct xp_aggr *cores;
	struct shown s;

	(void)state;
	begin_with_percore(&s, &cores);
	s.table.cores_by_cpu = true;
	add_run(&s, 100);
	s.table.nr_rows = 4;
	expect(&s, STYLE_CSV,
	       "CPU0,3,,cycles/percore/,200,100.00,,\n"
	       "CPU1,3,,cycles/percore/,200,100.00,,\n"
	       "CPU2,12,,cycles/percore/,200,100.00,,\n"
	       "CPU3,12,,cycles/percore/,200,100.00,,\n");
	end(&s);
	xp_aggr_free(cores);
}

/* The column is there when one event has a cgroup; metrics stay within one. */
static void cgroups_have_a_column(void **state)
{
	static char web[] = "web";
	static const struct xp_cgroup cgroup = { .name = web, .fd = -1 };
	struct shown s;

	(void)state;
	fixture_init(&s.f);
	fixture_cpus(&s.f, "0");
	add_event(&s.f, SW(CPU_CLOCK), "cpu-clock")->cgroup = &cgroup;
	add_event(&s.f, HW(INSTRUCTIONS), "instructions")->cgroup = &cgroup;
	add_event(&s.f, HW(STALLED_CYCLES_FRONTEND), "stalled-cycles-frontend")->cgroup = &cgroup;
	add_event(&s.f, SW(PAGE_FAULTS), "page-faults");
	add_unsupported(&s.f, HW(BUS_CYCLES), "bus-cycles", NULL)->cgroup = &cgroup;
	s.f.evlist->nr_cgroup_names = 5;
	begin(&s, XP_AGGR_GLOBAL);
	for (int event = 0; event < 4; event++)
		count(&s, event, 0, 1000000, 1000000, 1000000);
	add_run(&s, 10000000);
	expect(&s, STYLE_TEXT,
	       "\n Performance counter stats for 'true':\n\n"
	       "              1.00 msec cpu-clock                        web #    0.100 CPUs utilized          \n"
	       "           1000000      instructions                     web                                   \n"
	       "                                                  #    1.00  stalled cycles per insn\n"
	       "           1000000      stalled-cycles-frontend          web                                   \n"
	       "           1000000      page-faults                                                         \n"
	       "   <not supported>      bus-cycles                web                                   \n"
	       "\n       0.010000000 seconds time elapsed\n\n");
	expect(&s, STYLE_CSV,
	       "1.00,msec,cpu-clock,web,1000000,100.00,0.100,CPUs utilized\n"
	       "1000000,,instructions,web,1000000,100.00,,\n"
	       ",,,,,1.00,stalled cycles per insn\n"
	       "1000000,,stalled-cycles-frontend,web,1000000,100.00,,\n"
	       "1000000,,page-faults,,1000000,100.00,,\n"
	       "<not supported>,,bus-cycles,web,0,100.00,,\n");
	s.table.nr_rows = 1;
	expect(&s, STYLE_JSON,
	       "{\"counter-value\" : \"1.000000\", \"unit\" : \"msec\", \"event\" : \"cpu-clock\", "
	       "\"cgroup\" : \"web\", \"event-runtime\" : 1000000, \"pcnt-running\" : 100.00, "
	       "\"metric-value\" : 0.100000, \"metric-unit\" : \"CPUs utilized\"}\n");
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_row_per_cpu),
		cmocka_unit_test(one_row_per_place),
		cmocka_unit_test(one_row_per_thread),
		cmocka_unit_test(idle_threads_of_the_system_are_left_out),
		cmocka_unit_test(tool_events_have_one_place),
		cmocka_unit_test(percore_has_a_row_per_core),
		cmocka_unit_test(percore_can_be_shown_by_thread),
		cmocka_unit_test(cgroups_have_a_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
