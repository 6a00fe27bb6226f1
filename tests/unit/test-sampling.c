/* SPDX-License-Identifier: MIT */
/*
 * What events ask of the kernel when they are recorded, option by option, against what perf 6.1
 * asks for (`perf record -vv`), and what becomes of it when they are opened.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <time.h>
#include <xperf/arch.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>

#include "attr-text.h"
#include "sim.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_open_opts open;
	struct xp_diag diag;
};

static const char machine[] = "machine cpus=2\ntime call=0ns\n"
			      "program p\n run forever cycles=1000 page-faults=3\n"
			      "task 50 p cpu=0\n";
static const char no_pmu[] = "machine cpus=2\npmu none\nhypervisor KVM\ntime call=0ns\n"
			     "program p\n run forever cycles=1000 page-faults=3\n"
			     "task 50 p cpu=0\n";

static void setup(struct fixture *f, const char *text, const char *events)
{
	*f = (struct fixture){ .sim = sim_new(text, "test-sampling"),
			       .open = { .size = sizeof(f->open) } };
	assert_non_null(f->sim);
	struct xp_ctx_opts opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
	if (!events)
		assert_int_equal(xp_evlist_add_default_sampling(f->evlist), 0);
	else if (xp_evlist_parse(f->evlist, events, &f->diag))
		fail_msg("'%s': %s", events, f->diag.what);
}

static void teardown(struct fixture *f)
{
	xp_evlist_free(f->evlist);
	xp_cpus_unref(f->open.cpus);
	xp_threads_unref(f->open.threads);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

static int config(struct fixture *f, struct xp_sampling_opts opts)
{
	opts.size = sizeof(opts);
	return xp_evlist_config_sampling(f->evlist, &opts, &f->diag);
}

/* What is not zero, but what the name says already: "sample_type=IP|TID disabled=1". */
static char *attr_text(const struct xp_attr *attr)
{
	char *lines = NULL, *out = NULL, name[64], value[400];
	size_t len;
	FILE *file = open_memstream(&lines, &len);

	attr_print(file, attr);
	fclose(file);
	file = open_memstream(&out, &len);
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
		static const char *const unions[][2] = { { "sample_freq", "rate" },
							 { "wakeup_events", "wakeup" },
							 { "bp_addr", "address" },
							 { "bp_len", "length" } };
		size_t i = 0;

		while (i < ARRAY_LEN(unions) && !strstr(line, unions[i][0]))
			i++;
		if (i < ARRAY_LEN(unions))
			snprintf(name, sizeof(name), "%s", unions[i][1]);
		else if (sscanf(line, " %63s", name) != 1)
			continue;
		if (!strcmp(name, "type") || !strcmp(name, "size") || !strcmp(name, "config") ||
		    strchr(name, ':'))
			continue;
		if (sscanf(strrchr(line, ' '), " %399s", value) == 1)
			fprintf(file, " %s=%s", name, value);
	}
	fclose(file);
	free(lines);
	return out;
}

/* The words perf's attributes have in common, in short. */
static char *spelled(const char *expected)
{
	static const struct {
		const char *brief, *text;
	} words[] = {
		{ "ITT", "sample_type=IP|TID|TIME" },
		{ "IT", "sample_type=IP|TID" },
		{ "IL", "read_format=ID|LOST" },
		{ "ETIL", "read_format=TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|LOST" },
		{ "TRACK", "mmap2=1 comm_exec=1" },
		{ "KSYM", "ksymbol=1 bpf_event=1 build_id=1" },
	};
	char *copy = strdup(expected), *out = NULL, *at = NULL;
	size_t len;
	FILE *file = open_memstream(&out, &len);

	for (char *word = strtok_r(copy, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
		size_t brief = strcspn(word, "|"), i = 0;

		while (i < ARRAY_LEN(words) && (strlen(words[i].brief) != brief ||
						strncmp(words[i].brief, word, brief) != 0))
			i++;
		if (i < ARRAY_LEN(words))
			fprintf(file, " %s%s", words[i].text, word + brief);
		else
			fprintf(file, " %s", word);
	}
	fclose(file);
	free(copy);
	return out;
}

#define WORKLOAD .has_workload = true
#define HZ       "disabled=1 inherit=1 mmap=1 comm=1 freq=1 enable_on_exec=1 task=1"
#define EACH     "disabled=1 inherit=1 mmap=1 comm=1 enable_on_exec=1 task=1"

static const struct row {
	int line;
	const char *events;
	struct xp_sampling_opts opts;
	const char *expected[3];
} rows[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	ROW("page-faults", { WORKLOAD },
	    { "rate=4000 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults,minor-faults", { WORKLOAD },
	    { "rate=4000 ITT|ID|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM",
	      "rate=4000 ITT|ID|PERIOD IL disabled=1 inherit=1 freq=1 enable_on_exec=1 "
	      "sample_id_all=1 exclude_guest=1" }),
	ROW("page-faults", { WORKLOAD, .period = 100 },
	    { "rate=100 ITT IL " EACH " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .period = 5, .flags = XP_SAMPLING_PERIOD },
	    { "rate=5 ITT|PERIOD IL " EACH " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_ONCE },
	    { "ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { .cpu_list = true, .has_workload = true },
	    { "rate=4000 ITT|CPU|PERIOD|IDENTIFIER IL disabled=1 inherit=1 freq=1 sample_id_all=1 "
	      "exclude_guest=1",
	      "rate=1 ITT|CPU|IDENTIFIER IL inherit=1 mmap=1 comm=1 task=1 sample_id_all=1 TRACK "
	      "KSYM" }),
	ROW("page-faults", { .system_wide = true, .flags = XP_SAMPLING_SWITCHES },
	    { "rate=4000 ITT|CPU|PERIOD|IDENTIFIER IL disabled=1 inherit=1 freq=1 sample_id_all=1 "
	      "exclude_guest=1",
	      "rate=1 ITT|CPU|IDENTIFIER IL inherit=1 mmap=1 comm=1 task=1 sample_id_all=1 TRACK "
	      "context_switch=1 KSYM" }),
	ROW("page-faults", { .system_wide = true, .period = 1000, .callchain = XP_CALLCHAIN_FP },
	    { "rate=1000 ITT|CALLCHAIN|ID|CPU IL disabled=1 inherit=1 sample_id_all=1 "
	      "exclude_guest=1",
	      "rate=1000 ITT|CALLCHAIN|ID|CPU IL inherit=1 mmap=1 comm=1 task=1 sample_id_all=1 "
	      "TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .initial_delay = true },
	    { "rate=4000 ITT|PERIOD|IDENTIFIER IL disabled=1 inherit=1 freq=1 sample_id_all=1 "
	      "exclude_guest=1",
	      "rate=1 ITT|IDENTIFIER IL disabled=1 inherit=1 mmap=1 comm=1 enable_on_exec=1 task=1 "
	      "sample_id_all=1 TRACK KSYM" }),
	ROW("dummy,page-faults", { WORKLOAD },
	    { "rate=4000 ITT|ID|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM",
	      "rate=4000 ITT|ID|PERIOD IL disabled=1 inherit=1 freq=1 enable_on_exec=1 "
	      "sample_id_all=1 exclude_guest=1" }),
	/* call chains */
	ROW("page-faults", { WORKLOAD, .callchain = XP_CALLCHAIN_FP, .max_stack = 5 },
	    { "rate=4000 ITT|CALLCHAIN|PERIOD IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM sample_max_stack=5" }),
	ROW("page-faults",
	    { WORKLOAD, .callchain = XP_CALLCHAIN_FP, .flags = XP_SAMPLING_NO_USER_CHAIN },
	    { "rate=4000 ITT|CALLCHAIN|PERIOD IL " HZ
	      " sample_id_all=1 exclude_guest=1 exclude_callchain_user=1 TRACK KSYM" }),
	ROW("page-faults",
	    { WORKLOAD, .callchain = XP_CALLCHAIN_FP, .flags = XP_SAMPLING_NO_KERNEL_CHAIN },
	    { "rate=4000 ITT|CALLCHAIN|PERIOD IL " HZ
	      " sample_id_all=1 exclude_guest=1 exclude_callchain_kernel=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .callchain = XP_CALLCHAIN_LBR },
	    { "rate=4000 ITT|CALLCHAIN|PERIOD|BRANCH_STACK IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM "
	      "branch_sample_type=USER|CALL_STACK|NO_FLAGS|NO_CYCLES|HW_INDEX" }),
	ROW("page-faults/call-graph=fp,max-stack=7/", { WORKLOAD },
	    { "rate=4000 ITT|CALLCHAIN|PERIOD IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM sample_max_stack=7" }),
	ROW("page-faults/call-graph=no/", { WORKLOAD, .callchain = XP_CALLCHAIN_FP },
	    { "rate=4000 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	/* one bit each */
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_ADDRESS | XP_SAMPLING_DATA_MAPS },
	    { "rate=4000 ITT|ADDR|PERIOD|DATA_SRC IL " HZ
	      " mmap_data=1 sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults",
	    { WORKLOAD, .flags = XP_SAMPLING_PHYS_ADDRESS | XP_SAMPLING_DATA_PAGE_SIZE |
				 XP_SAMPLING_CODE_PAGE_SIZE | XP_SAMPLING_WEIGHT |
				 XP_SAMPLING_TRANSACTION },
	    { "rate=4000 ITT|PERIOD|PHYS_ADDR|DATA_PAGE_SIZE|CODE_PAGE_SIZE|"
	      "WEIGHT_STRUCT|TRANSACTION IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_NO_TIME },
	    { "rate=4000 IT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_CPU | XP_SAMPLING_IDENTIFIER },
	    { "rate=4000 ITT|CPU|PERIOD|IDENTIFIER IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_RAW },
	    { "rate=4000 ITT|CPU|PERIOD|RAW IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_COUNTS },
	    { "rate=4000 ITT|PERIOD ETIL disabled=1 inherit=1 mmap=1 comm=1 freq=1 inherit_stat=1 "
	      "enable_on_exec=1 task=1 sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_RUNNING_TIME },
	    { "rate=4000 ITT|PERIOD ETIL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_CGROUP },
	    { "rate=4000 ITT|PERIOD|CGROUP IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK ksymbol=1 bpf_event=1 cgroup=1 "
	      "build_id=1" }),
	ROW("page-faults",
	    { WORKLOAD, .flags = XP_SAMPLING_NAMESPACES | XP_SAMPLING_SWITCHES |
				 XP_SAMPLING_TEXT_POKES | XP_SAMPLING_NO_BPF |
				 XP_SAMPLING_NO_BUILD_IDS },
	    { "rate=4000 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK "
	      "context_switch=1 namespaces=1 ksymbol=1 text_poke=1" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_NO_BUFFERING | XP_SAMPLING_OVERWRITE },
	    { "rate=4000 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK "
	      "write_backward=1 KSYM wakeup=1" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_ALL_USER },
	    { "rate=4000 ITT|PERIOD IL disabled=1 inherit=1 exclude_kernel=1 mmap=1 comm=1 freq=1 "
	      "enable_on_exec=1 task=1 sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .flags = XP_SAMPLING_ALL_KERNEL },
	    { "rate=4000 ITT|PERIOD IL disabled=1 inherit=1 exclude_user=1 mmap=1 comm=1 freq=1 "
	      "enable_on_exec=1 task=1 sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .branch_type = PERF_SAMPLE_BRANCH_ANY },
	    { "rate=4000 ITT|PERIOD|BRANCH_STACK IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM branch_sample_type=ANY" }),
	ROW("page-faults/branch_type=any_call/",
	    { WORKLOAD, .branch_type = PERF_SAMPLE_BRANCH_ANY },
	    { "rate=4000 ITT|PERIOD|BRANCH_STACK IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM branch_sample_type=ANY_CALL" }),
	ROW("page-faults", { WORKLOAD, .regs_user = 3, .regs_intr = 5 },
	    { "rate=4000 ITT|PERIOD|REGS_USER|REGS_INTR IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM sample_regs_user=0x3 "
	      "sample_regs_intr=0x5" }),
	ROW("page-faults", { WORKLOAD, .use_clockid = true, .clockid = CLOCK_MONOTONIC },
	    { "rate=4000 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK use_clockid=1 "
	      "KSYM clockid=1" }),
	ROW("page-faults", { WORKLOAD, .no_inherit = true },
	    { "rate=4000 ITT|PERIOD IL disabled=1 mmap=1 comm=1 freq=1 enable_on_exec=1 task=1 "
	      "sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { 0 },
	    { "rate=4000 ITT|PERIOD IL disabled=1 inherit=1 mmap=1 comm=1 freq=1 task=1 "
	      "sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	/* rates */
	ROW("page-faults", { WORKLOAD, .freq_hz = 99 },
	    { "rate=99 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults", { WORKLOAD, .freq_hz = UINT64_MAX },
	    { "rate=100000 ITT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults/period=100/,minor-faults/freq=50/", { WORKLOAD, .freq_hz = 7 },
	    { "rate=100 ITT|IDENTIFIER IL " EACH " sample_id_all=1 exclude_guest=1 TRACK KSYM",
	      "rate=50 ITT|PERIOD|IDENTIFIER IL disabled=1 inherit=1 freq=1 enable_on_exec=1 "
	      "sample_id_all=1 exclude_guest=1" }),
	ROW("mem:0x1000:w", { WORKLOAD },
	    { "rate=1 ITT IL " EACH
	      " sample_id_all=1 exclude_guest=1 TRACK KSYM bp_type=2 address=0x1000 length=0x4" }),
	ROW("bpf-output", { WORKLOAD, .no_inherit = true },
	    { "rate=1 ITT|CPU|PERIOD|RAW IL disabled=1 mmap=1 comm=1 enable_on_exec=1 task=1 "
	      "sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	/* terms */
	ROW("page-faults/time=0/", { WORKLOAD },
	    { "rate=4000 IT|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults/inherit=0/", { WORKLOAD },
	    { "rate=4000 ITT|PERIOD IL disabled=1 mmap=1 comm=1 freq=1 enable_on_exec=1 task=1 "
	      "sample_id_all=1 exclude_guest=1 TRACK KSYM" }),
	ROW("page-faults/overwrite/,minor-faults", { WORKLOAD },
	    { "rate=4000 ITT|ID|PERIOD IL " HZ
	      " sample_id_all=1 exclude_guest=1 TRACK write_backward=1 KSYM",
	      "rate=4000 ITT|ID|PERIOD IL disabled=1 inherit=1 freq=1 enable_on_exec=1 "
	      "sample_id_all=1 exclude_guest=1" }),
	/* groups */
	ROW("{page-faults,minor-faults},cs", { WORKLOAD },
	    { "rate=4000 ITT|ID|PERIOD IL " HZ " sample_id_all=1 exclude_guest=1 TRACK KSYM",
	      "rate=4000 ITT|ID|PERIOD IL inherit=1 freq=1 sample_id_all=1 exclude_guest=1",
	      "rate=4000 ITT|ID|PERIOD IL disabled=1 inherit=1 freq=1 enable_on_exec=1 "
	      "sample_id_all=1 exclude_guest=1" }),
	ROW("{page-faults,minor-faults}:S", { WORKLOAD, .callchain = XP_CALLCHAIN_FP },
	    { "rate=4000 ITT|READ|CALLCHAIN|ID|PERIOD read_format=ID|GROUP|LOST disabled=1 "
	      "inherit=1 mmap=1 comm=1 freq=1 enable_on_exec=1 task=1 sample_id_all=1 "
	      "exclude_guest=1 TRACK KSYM",
	      "ITT|READ|CALLCHAIN|ID|PERIOD read_format=ID|GROUP|LOST inherit=1 "
	      "sample_id_all=1 exclude_guest=1" }),
	ROW("{page-faults,minor-faults}:S", { .system_wide = true, .period = 5 },
	    { "rate=5 sample_type=IP|TID|TIME|READ|CPU|IDENTIFIER read_format=ID|GROUP|LOST "
	      "disabled=1 sample_id_all=1 exclude_guest=1",
	      "sample_type=IP|TID|TIME|READ|CPU|IDENTIFIER read_format=ID|GROUP|LOST "
	      "sample_id_all=1 exclude_guest=1",
	      "rate=5 ITT|CPU|IDENTIFIER IL inherit=1 mmap=1 comm=1 task=1 sample_id_all=1 TRACK "
	      "KSYM" }),
	ROW("{page-faults/period=1000/,minor-faults/period=2000/}:S",
	    { WORKLOAD, .no_inherit = true },
	    { "rate=1000 ITT|READ|ID read_format=ID|GROUP|LOST disabled=1 mmap=1 comm=1 "
	      "enable_on_exec=1 task=1 sample_id_all=1 exclude_guest=1 TRACK KSYM",
	      "rate=2000 ITT|READ|ID read_format=ID|GROUP|LOST sample_id_all=1 exclude_guest=1" }),
	ROW("page-faults:u", { WORKLOAD },
	    { "rate=4000 ITT|PERIOD IL disabled=1 inherit=1 exclude_kernel=1 exclude_hv=1 mmap=1 "
	      "comm=1 freq=1 enable_on_exec=1 task=1 sample_id_all=1 exclude_guest=1 TRACK "
	      "KSYM" }),
};

static void options_set_what_perf_sets(void **state)
{
	int failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;

		setup(&f, machine, rows[i].events);
		if (config(&f, rows[i].opts))
			fail_msg("line %d: %s", rows[i].line, f.diag.what);
		for (int e = 0; e < (int)ARRAY_LEN(rows[i].expected); e++) {
			const struct xp_evsel *evsel = xp_evlist_at(f.evlist, e);
			const char *text = rows[i].expected[e];

			assert_int_equal(!evsel, !text);
			if (!text)
				break;
			char *got = attr_text(xp_evsel_attr_const(evsel));
			char *expected = spelled(text);

			if (strcmp(got, expected) != 0) {
				print_error("line %d, event %d:\n  got     %s\n  expected%s\n",
					    rows[i].line, e, got, expected);
				failed++;
			}
			free(got);
			free(expected);
		}
		teardown(&f);
	}
	assert_int_equal(failed, 0);
}

static int open_on_task(struct fixture *f)
{
	assert_int_equal(xp_threads_of_processes(f->ctx, "50", &f->open.threads, &f->diag), 0);
	return xp_evlist_open_sampling(f->evlist, &f->open, &f->diag);
}

static void cycles_nobody_named_become_a_clock(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, no_pmu, NULL);
	assert_int_equal(config(&f, (struct xp_sampling_opts){ 0 }), 0);
	assert_int_equal(open_on_task(&f), 0);
	const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
	assert_string_equal(xp_evsel_name(evsel), "task-clock");
	assert_string_equal(xp_evsel_instead_of(evsel), "cycles");
	assert_string_equal(xp_evsel_reason(evsel), "this virtual machine (KVM) has no PMU");
	assert_int_equal(xp_evsel_attr_const(evsel)->precise_ip, 0);
	assert_int_equal(xp_evsel_attr_const(evsel)->sample_freq, 4000);
	teardown(&f);
}

/* Cycles that were named become a clock only with XP_SAMPLING_FALLBACK, other events never. */
static void named_cycles_become_a_clock_on_request(void **state)
{
	static const char none[] = "this virtual machine (KVM) has no PMU";
	static const struct {
		const char *events;
		struct xp_sampling_opts opts;
		const char *name; /* of the first event; NULL: opening fails */
		const char *text; /* the reason, or the error */
	} cases[] = {
		{ "cycles", { .flags = XP_SAMPLING_FALLBACK }, "task-clock", none },
		{ "cycles:u", { .flags = XP_SAMPLING_FALLBACK }, "task-clock:u", none },
		{ "cycles:k", { .flags = XP_SAMPLING_FALLBACK }, "task-clock:k", none },
		{ "cycles:ppuH", { .flags = XP_SAMPLING_FALLBACK }, "task-clock:uH", none },
		{ "cpu-cycles/freq=99/P", { .flags = XP_SAMPLING_FALLBACK }, "task-clock", none },
		{ "{cycles,page-faults}:S", { .flags = XP_SAMPLING_FALLBACK }, "task-clock", none },
		{ "cycles/period=10000/",
		  { .flags = XP_SAMPLING_FALLBACK },
		  "task-clock",
		  "this virtual machine (KVM) has no PMU; the period is in nanoseconds" },
		{ "cycles/period=1000/",
		  { .flags = XP_SAMPLING_FALLBACK },
		  "task-clock",
		  "this virtual machine (KVM) has no PMU; the period is in nanoseconds" },
		{ "cycles",
		  { 0 },
		  NULL,
		  "cycles cannot be recorded: this virtual machine (KVM) has no PMU" },
		{ "instructions:u",
		  { .flags = XP_SAMPLING_FALLBACK },
		  NULL,
		  "instructions:u cannot be recorded: this virtual machine (KVM) has no PMU" },
		{ "cycles",
		  { .flags = XP_SAMPLING_FALLBACK, .branch_type = 8 },
		  NULL,
		  "cycles cannot be recorded: this virtual machine (KVM) has no PMU" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		setup(&f, no_pmu, cases[i].events);
		assert_int_equal(config(&f, cases[i].opts), 0);
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
		assert_int_equal(open_on_task(&f), cases[i].name ? 0 : -ENOENT);
		if (cases[i].name) {
			assert_string_equal(xp_evsel_name(evsel), cases[i].name);
			assert_string_equal(xp_evsel_reason(evsel), cases[i].text);
			assert_string_equal(xp_evsel_instead_of(evsel), "cycles");
		} else {
			assert_string_equal(f.diag.what, cases[i].text);
			assert_null(xp_evsel_instead_of(evsel));
		}
		teardown(&f);
	}
}

/* What is counted in NMIs has fewer clocks than software events. */
static void a_clock_the_kernel_refuses_is_named(void **state)
{
	static const struct {
		const char *events;
		int clock;
		const char *error; /* NULL: it opens */
	} cases[] = {
		{ "page-faults", CLOCK_REALTIME, NULL },
		{ "cycles", CLOCK_MONOTONIC_RAW, NULL },
		{ "cycles:pp", CLOCK_REALTIME,
		  "cycles:pp cannot be recorded with the clock realtime: "
		  "the kernel has only monotonic and monotonic_raw for it" },
		{ "{cycles,page-faults}", CLOCK_TAI,
		  "cycles cannot be recorded with the clock tai: "
		  "the kernel has only monotonic and monotonic_raw for it" },
		{ "{page-faults,cycles}", CLOCK_TAI,
		  "cycles cannot be recorded with the clock tai: "
		  "the kernel has only monotonic and monotonic_raw for it" },
		{ "page-faults", 5, "The kernel has no clock number 5 for events" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		setup(&f, machine, cases[i].events);
		assert_int_equal(config(&f, (struct xp_sampling_opts){ .use_clockid = true,
								       .clockid = cases[i].clock }),
				 0);
		assert_int_equal(open_on_task(&f), cases[i].error ? -EINVAL : 0);
		if (cases[i].error)
			assert_string_equal(f.diag.what, cases[i].error);
		teardown(&f);
	}
}

/* Nothing precise is to be had: the level goes down until it opens. */
static void the_most_precise_there_is_is_used(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, machine, NULL);
	assert_int_equal(config(&f, (struct xp_sampling_opts){ 0 }), 0);
	assert_int_equal(xp_evsel_attr_const(xp_evlist_at(f.evlist, 0))->precise_ip, 3);
	assert_int_equal(open_on_task(&f), 0);
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), "cycles:P");
	assert_int_equal(xp_evsel_attr_const(xp_evlist_at(f.evlist, 0))->type, PERF_TYPE_HARDWARE);
	teardown(&f);
}

static void ordinary_users_get_user_space(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f,
	      "machine cpus=2\nuser uid=1000 paranoid=2\npmu none\nhypervisor KVM\n"
	      "program p\n run forever\ntask 50 p uid=1000\n",
	      NULL);
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .initial_delay = true }), 0);
	assert_int_equal(open_on_task(&f), 0);
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), "task-clock:u");
	assert_string_equal(xp_evsel_reason(xp_evlist_at(f.evlist, 0)),
			    "this virtual machine (KVM) has no PMU; "
			    "in user space only (perf_event_paranoid=2)");
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 1)), "dummy:HGu");
	teardown(&f);
}

static void check_whose(struct xp_event_ids *ids, struct xp_evsel *evsel, int expected)
{
	const struct xp_attr *attr = xp_evsel_attr_const(evsel);
	struct xp_event_id *its;
	uint64_t buf[64];
	int nr = xp_evsel_ids(evsel, &its);

	assert_true(nr > 0);
	for (int i = 0; i < nr; i++) {
		struct xp_sample sample = { .size = sizeof(sample), .id = { .id = its[i].id } };

		assert_true(xp_sample_encode(&sample, attr, buf, sizeof(buf)) > 0);
		assert_int_equal(xp_event_ids_of(ids, (const struct xp_record *)buf), expected);
	}
	free(its);
}

/* A record is the event's that it names; of one event alone, all are. */
static void records_find_their_events(void **state)
{
	uint64_t buf[64];
	struct xp_sample unknown = { .size = sizeof(unknown), .id = { .id = 4711 } };
	struct xp_event_ids *ids = NULL;
	struct fixture f;

	(void)state;
	setup(&f, machine, "page-faults,task-clock,context-switches");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .freq_hz = 1000 }), 0);
	assert_int_equal(xp_event_ids_new(f.evlist, &ids), -ENOTCONN);
	assert_int_equal(open_on_task(&f), 0);
	assert_int_equal(xp_event_ids_new(f.evlist, &ids), 0);
	for (int i = 0; i < 3; i++)
		check_whose(ids, xp_evlist_at(f.evlist, i), i);
	assert_true(xp_sample_encode(&unknown, xp_evsel_attr_const(xp_evlist_at(f.evlist, 0)), buf,
				     sizeof(buf)) > 0);
	assert_int_equal(xp_event_ids_of(ids, (const struct xp_record *)buf), -1);
	xp_event_ids_free(ids);
	xp_event_ids_free(NULL);
	teardown(&f);

	setup(&f, machine, "page-faults");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .freq_hz = 1000 }), 0);
	assert_int_equal(open_on_task(&f), 0);
	assert_int_equal(xp_event_ids_new(f.evlist, &ids), 0);
	assert_int_equal(xp_event_ids_of(ids, (const struct xp_record *)buf), 0);
	xp_event_ids_free(ids);
	teardown(&f);
}

static void children_are_recorded_where_that_was_asked_for(void **state)
{
	static const struct {
		const char *event;
		bool inherit, no_inherit;
		int err;
		bool inherits;
	} cases[] = {
		{ "page-faults", false, false, 0, false },
		{ "page-faults", true, true, 0, false },
		{ "page-faults", true, false, -EINVAL, true },
		{ "page-faults/inherit/", false, false, -EINVAL, true },
	};
	const struct xp_rings_opts rings = { .size = sizeof(rings) };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct xp_sampling_opts opts = { .no_inherit = cases[i].no_inherit };
		struct fixture f;

		setup(&f, machine, cases[i].event);
		assert_int_equal(config(&f, opts), 0);
		f.open.inherit = cases[i].inherit;
		assert_int_equal(open_on_task(&f), 0);
		assert_int_equal(xp_evsel_attr_const(xp_evlist_at(f.evlist, 0))->inherit,
				 cases[i].inherits);
		assert_int_equal(xp_evlist_map_rings(f.evlist, &rings, &f.diag), cases[i].err);
		if (cases[i].err)
			assert_string_equal(f.diag.hint, "Open them on the CPUs that are online, "
							 "or without inherit");
		teardown(&f);
	}
}

static void too_many_samples_are_lowered_or_refused(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, machine, "page-faults");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .freq_hz = 200000,
							       .flags = XP_SAMPLING_STRICT_FREQ }),
			 -EINVAL);
	assert_string_equal(f.diag.what, "200000 samples per second of page-faults are too many: "
					 "kernel.perf_event_max_sample_rate is 100000");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .freq_hz = 200000 }), 0);
	assert_int_equal(xp_evsel_attr_const(xp_evlist_at(f.evlist, 0))->sample_freq, 100000);
	assert_string_equal(xp_evsel_reason(xp_evlist_at(f.evlist, 0)),
			    "100000 samples per second instead of 200000: "
			    "kernel.perf_event_max_sample_rate does not allow more");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .freq_hz = 1, .period = 1 }),
			 -EINVAL);
	teardown(&f);
	setup(&f, machine, "page-faults,duration_time");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ 0 }), -EINVAL);
	assert_string_equal(f.diag.what, "duration_time cannot be recorded: it is measured once at "
					 "the end, and cannot be sampled");
	teardown(&f);
	setup(&f, machine, "page-faults,smt_on");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ 0 }), -EINVAL);
	assert_string_equal(f.diag.what, "smt_on cannot be recorded: it is a value that is read, "
					 "not an event that can be sampled");
	teardown(&f);
}

/* Samples of a clock are never closer together than the kernel's timers and its limit allow. */
static void periods_of_clocks_are_raised(void **state)
{
	static const struct {
		const char *event;
		uint64_t period, opened;
		const char *reason;
	} cases[] = {
		{ "cpu-clock", 3, 10000,
		  "a sample each 10000 ns instead of each 3: the kernel's timers are no faster" },
		{ "task-clock/period=9999/", 0, 10000,
		  "a sample each 10000 ns instead of each 9999: the kernel's timers are no faster" },
		{ "cpu-clock", 10000, 10000, "" },
		{ "page-faults", 3, 3, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		setup(&f, machine, cases[i].event);
		assert_int_equal(config(&f, (struct xp_sampling_opts){ .period = cases[i].period }),
				 0);
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
		assert_int_equal(xp_evsel_attr_const(evsel)->sample_period, cases[i].opened);
		assert_string_equal(xp_evsel_reason(evsel), cases[i].reason);
		teardown(&f);
	}
}

/* Registers and stack: which registers is the architecture's matter. */
static void dwarf_wants_registers_and_stack(void **state)
{
	const struct xp_arch *arch = xp_arch_native();
	struct fixture f;

	(void)state;
	if (!arch->sample_regs)
		skip();
	setup(&f, machine, "page-faults,minor-faults/stack-size=1024/");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .callchain = XP_CALLCHAIN_DWARF,
							       .regs_user = 1 }),
			 0);
	const struct xp_attr *attr = xp_evsel_attr_const(xp_evlist_at(f.evlist, 0));
	assert_int_equal(attr->sample_type,
			 45359 | PERF_SAMPLE_ID); /* tests/attr/test-record-graph-dwarf */
	assert_int_equal(attr->sample_regs_user, arch->unwind_regs | 1);
	assert_int_equal(attr->sample_stack_user, 8192);
	assert_int_equal(attr->exclude_callchain_user, 1);
	assert_int_equal(attr->mmap_data, 1);
	attr = xp_evsel_attr_const(xp_evlist_at(f.evlist, 1));
	assert_int_equal(attr->sample_stack_user, 1024);
	assert_int_equal(attr->mmap_data, 0);
	teardown(&f);

	/* What does not get into the file is not asked for; what is needed to unwind is. */
	setup(&f, machine, "page-faults,minor-faults/stack-size=1024/");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .callchain = XP_CALLCHAIN_DWARF,
							       .regs_user = 1,
							       .unwinds = true }),
			 0);
	attr = xp_evsel_attr_const(xp_evlist_at(f.evlist, 0));
	assert_int_equal(attr->sample_type | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC,
			 45359 | PERF_SAMPLE_ID);
	assert_int_equal(attr->sample_type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC), 0);
	assert_int_equal(attr->sample_regs_user, arch->sample_regs | 1);
	assert_int_equal(attr->sample_stack_user, 65528);
	assert_int_equal(attr->mmap_data, 0);
	attr = xp_evsel_attr_const(xp_evlist_at(f.evlist, 1));
	assert_int_equal(attr->sample_stack_user, 1024);
	teardown(&f);

	/* Space for the whole of a copy is set aside: not for samples that come at any rate. */
	setup(&f, machine, "page-faults/freq=5001/,minor-faults/period=1/");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .callchain = XP_CALLCHAIN_DWARF,
							       .unwinds = true }),
			 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(xp_evsel_attr_const(xp_evlist_at(f.evlist, i))->sample_stack_user,
				 16384);
	teardown(&f);
}

/* The side band of a list of CPUs comes from all: tasks move. */
static void the_side_band_comes_from_all_cpus(void **state)
{
	struct xp_event_id *ids;
	struct fixture f;

	(void)state;
	setup(&f, "machine cpus=4\ntime call=0ns\n", "page-faults");
	assert_int_equal(config(&f, (struct xp_sampling_opts){ .cpu_list = true }), 0);
	assert_int_equal(xp_cpus_parse("1", &f.open.cpus, &f.diag), 0);
	assert_int_equal(xp_evlist_open_sampling(f.evlist, &f.open, &f.diag), 0);
	assert_int_equal(xp_evsel_ids(xp_evlist_at(f.evlist, 0), &ids), 1);
	assert_int_equal(ids[0].cpu, 1);
	free(ids);
	assert_int_equal(xp_evsel_ids(xp_evlist_at(f.evlist, 1), &ids), 4);
	assert_int_equal(ids[3].cpu, 3);
	assert_int_equal(ids[3].tid, -1);
	assert_true(ids[3].id != ids[0].id);
	free(ids);
	assert_int_equal(xp_evsel_lost(xp_evlist_at(f.evlist, 0)), 0);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_set_what_perf_sets),
		cmocka_unit_test(cycles_nobody_named_become_a_clock),
		cmocka_unit_test(named_cycles_become_a_clock_on_request),
		cmocka_unit_test(a_clock_the_kernel_refuses_is_named),
		cmocka_unit_test(the_most_precise_there_is_is_used),
		cmocka_unit_test(ordinary_users_get_user_space),
		cmocka_unit_test(records_find_their_events),
		cmocka_unit_test(children_are_recorded_where_that_was_asked_for),
		cmocka_unit_test(too_many_samples_are_lowered_or_refused),
		cmocka_unit_test(periods_of_clocks_are_raised),
		cmocka_unit_test(dwarf_wants_registers_and_stack),
		cmocka_unit_test(the_side_band_comes_from_all_cpus),
	};

	return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
