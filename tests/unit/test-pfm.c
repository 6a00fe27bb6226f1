/* SPDX-License-Identifier: MIT */
/*
 * Vendor event names: what each becomes, or what is wrong with it and where. libpfm4 is made to
 * believe that this machine is a Skylake server.
 *
 * Codes: Intel SDM volume 3, performance monitoring events of Skylake servers; AMD PPR for family
 * 19h, "Core performance monitor counters"; perf_event_open(2) for the kernel's own names.
 */
#include "parse-fixture.h"

#include <unistd.h>

#include "vendor-walk.h"

enum {
	NO_U = 1 << 0,
	NO_K = 1 << 1,
	NO_HV = 1 << 2,
	NO_HOST = 1 << 3,
	NO_GUEST = 1 << 4,
	NO_IDLE = 1 << 5,
	PINNED = 1 << 6,
	EXCLUSIVE = 1 << 7,
	MAX = 1 << 8,  /* the highest precision there is */
	AWAY = 1 << 9, /* of another machine: never opened */
	P1 = 1 << 12,
	P2 = 2 << 12,
	USER_ONLY = NO_K | NO_HV | NO_GUEST,
};

static unsigned int flags_of(const struct xp_evsel *evsel)
{
	const struct xp_attr *a = &evsel->attr;

	return (unsigned int)((a->exclude_user ? NO_U : 0) | (a->exclude_kernel ? NO_K : 0) |
			      (a->exclude_hv ? NO_HV : 0) | (a->exclude_host ? NO_HOST : 0) |
			      (a->exclude_guest ? NO_GUEST : 0) | (a->exclude_idle ? NO_IDLE : 0) |
			      (a->pinned ? PINNED : 0) | (a->exclusive ? EXCLUSIVE : 0) |
			      (evsel->precise_max ? MAX : 0) | (evsel->foreign ? AWAY : 0) |
			      (int)a->precise_ip << 12);
}

#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
#define ZEN4(name) "amd64_fam19h_zen4::" name

/* One event each: what it becomes. */
static const struct good {
	int line;
	const char *text;
	uint32_t type;
	uint64_t config;
	unsigned int flags;
	uint64_t config1;
	const char *name; /* NULL: as written */
} good[] = {
	/* event and unit mask: config bits 0-7 and 8-15 */
	ROW("skx::INST_RETIRED", 4, 0xc0, NO_GUEST),
	ROW("skx::INST_RETIRED:ANY_P", 4, 0xc0, NO_GUEST),
	ROW("skx::INST_RETIRED:PREC_DIST", 4, 0x1c0, NO_GUEST),
	ROW("skx::UNHALTED_CORE_CYCLES", 4, 0x3c, NO_GUEST),
	ROW("skx::UNHALTED_REFERENCE_CYCLES", 4, 0x300, NO_GUEST),
	ROW("skx::CPU_CLK_UNHALTED:THREAD_P", 4, 0x3c, NO_GUEST),
	ROW("skx::BR_INST_RETIRED:ALL_BRANCHES", 4, 0xc4, NO_GUEST),
	ROW("skx::BR_MISP_RETIRED:ALL_BRANCHES", 4, 0xc5, NO_GUEST),
	ROW("skx::LONGEST_LAT_CACHE:MISS", 4, 0x412e, NO_GUEST),
	ROW("skx::LONGEST_LAT_CACHE:REFERENCE", 4, 0x4f2e, NO_GUEST),
	ROW("skx::L2_RQSTS:MISS", 4, 0x3f24, NO_GUEST),
	ROW("skx::MEM_LOAD_RETIRED:L3_MISS", 4, 0x20d1, NO_GUEST),
	ROW("skx::MEM_INST_RETIRED:ALL_LOADS", 4, 0x81d0, NO_GUEST),
	ROW("skx::DTLB_LOAD_MISSES:WALK_COMPLETED", 4, 0xe08, NO_GUEST),
	ROW("skx::UOPS_ISSUED:ANY", 4, 0x10e, NO_GUEST),
	ROW("skx::IDQ_UOPS_NOT_DELIVERED:CORE", 4, 0x19c, NO_GUEST),
	ROW("skx::ICACHE_64B:IFTAG_MISS", 4, 0x283, NO_GUEST),
	ROW("skx::RTM_RETIRED:ABORTED", 4, 0x4c9, NO_GUEST),
	ROW("skx::FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 4, 0x40c7, NO_GUEST),

	/* what the event's definition adds: counter masks, a second register */
	ROW("skx::CYCLE_ACTIVITY:STALLS_L2_MISS", 4, 0x50005a3, NO_GUEST),
	ROW("skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30", 4, 0x1cd, NO_GUEST, 30),
	ROW("skx::FRONTEND_RETIRED:DSB_MISS", 4, 0x1c6, NO_GUEST, 0x11),

	/* modifiers of the PMU: edge 18, any thread 21, invert 23, counter mask 24-31, intx 32 */
	ROW("skx::INST_RETIRED:c=1:e:i", 4, 0x18400c0, NO_GUEST),
	ROW("skx::INST_RETIRED:ANY_P:i=1", 4, 0x8000c0, NO_GUEST),
	ROW("skx::INST_RETIRED:t=1", 4, 0x2000c0, NO_GUEST),
	ROW("skx::INST_RETIRED:intx=1", 4, 0x1000000c0, NO_GUEST),
	ROW("skx::UOPS_EXECUTED:THREAD:c=4", 4, 0x40001b1, NO_GUEST),
	ROW("skx::INST_RETIRED:0x1", 4, 0x1c0, NO_GUEST),

	/* modifiers of every event */
	ROW("skx::INST_RETIRED:ANY_P:u", 4, 0xc0, USER_ONLY),
	ROW("skx::INST_RETIRED:u", 4, 0xc0, USER_ONLY),
	ROW("skx::INST_RETIRED:k:c=2", 4, 0x20000c0, NO_U | NO_HV | NO_GUEST),
	ROW("skx::INST_RETIRED:u:k", 4, 0xc0, NO_HV | NO_GUEST),
	ROW("skx::INST_RETIRED:uk", 4, 0xc0, NO_HV | NO_GUEST),
	ROW("skx::INST_RETIRED:ANY_P:upp", 4, 0xc0, P2 | USER_ONLY),
	ROW("skx::INST_RETIRED:G", 4, 0xc0, NO_HOST),
	ROW("skx::INST_RETIRED:D", 4, 0xc0, PINNED | NO_GUEST),
	ROW("skx::INST_RETIRED:P", 4, 0xc0, MAX | NO_GUEST),
	ROW("skx::INST_RETIRED:I", 4, 0xc0, NO_IDLE | NO_GUEST),
	ROW("skx::INST_RETIRED:u=1:k=0", 4, 0xc0, NO_K | NO_GUEST),
	ROW("skx::INST_RETIRED:precise=1", 4, 0xc0, P1 | NO_GUEST),
	ROW("skx::INST_RETIRED:pinned:excl", 4, 0xc0, PINNED | EXCLUSIVE | NO_GUEST),
	/* for sampling only, as the terms of these names are */
	ROW("skx::INST_RETIRED:period=1000", 4, 0xc0, NO_GUEST),

	/* how it is written */
	ROW("SKX::inst_retired:any_p", 4, 0xc0, NO_GUEST),
	ROW(" skx :: INST_RETIRED : c = 1 ", 4, 0x10000c0, NO_GUEST, 0, "skx::INST_RETIRED:c=1"),
	ROW("skx::INST_RETIRED:ANY_P/name=mine/u", 4, 0xc0, USER_ONLY, 0, "mine"),
	ROW("skx::INST_RETIRED//", 4, 0xc0, NO_GUEST),

	/* this machine's, without the PMU */
	ROW("INST_RETIRED", 4, 0xc0, NO_GUEST),
	ROW("INST_RETIRED:ANY_P", 4, 0xc0, NO_GUEST),
	ROW("inst_retired:prec_dist:c=1:u", 4, 0x10001c0, USER_ONLY),
	ROW("UNHALTED_CORE_CYCLES:u", 4, 0x3c, USER_ONLY),

	/* as guides and perf write them: the names of perf's tables for this processor */
	ROW("inst_retired.any", 4, 0xc0, NO_GUEST),
	ROW("inst_retired.any_p:u", 4, 0xc0, USER_ONLY),
	ROW("INST_RETIRED.PREC_DIST", 4, 0x1c0, NO_GUEST),
	ROW("cpu_clk_unhalted.thread", 4, 0x3c, NO_GUEST),
	ROW("cpu_clk_unhalted.ref_tsc", 4, 0x300, NO_GUEST),
	ROW("l2_rqsts.miss", 4, 0x3f24, NO_GUEST),
	ROW("longest_lat_cache.miss:c=1:u", 4, 0x100412e, USER_ONLY),
	ROW("mem_load_retired.l3_miss", 4, 0x20d1, NO_GUEST),
	ROW("mem_inst_retired.all_loads", 4, 0x81d0, NO_GUEST),
	ROW("cycle_activity.stalls_l2_miss", 4, 0x50005a3, NO_GUEST),
	ROW("dtlb_load_misses.walk_completed", 4, 0xe08, NO_GUEST),
	ROW("fp_arith_inst_retired.512b_packed_double", 4, 0x40c7, NO_GUEST),
	ROW("br-misp-retired.all-branches", 4, 0xc5, NO_GUEST),
	ROW("skx::idq_uops_not_delivered.core:k", 4, 0x19c, NO_U | NO_HV | NO_GUEST),
	ROW("nhm::inst_retired.any_p", 4, 0xc0, AWAY | NO_GUEST),

	/* names of the kernel stay its own */
	ROW("cycles", 0, 0, NO_GUEST),
	ROW("r1a8", 4, 0x1a8, NO_GUEST),

	/* of another machine: its code would count something else here */
	ROW(ZEN4("RETIRED_INSTRUCTIONS"), 4, 0xc0, AWAY | NO_GUEST),
	ROW(ZEN4("RETIRED_OPS"), 4, 0xc1, AWAY | NO_GUEST),
	ROW(ZEN4("CYCLES_NOT_IN_HALT"), 4, 0x76, AWAY | NO_GUEST),
	ROW(ZEN4("RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"), 4, 0xc3, AWAY | NO_GUEST),
	ROW(ZEN4("L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS"), 4, 0x1045, AWAY | NO_GUEST),
	ROW(ZEN4("RETIRED_OPS:c=8"), 4, 0x80000c1, AWAY | NO_GUEST),
	ROW(ZEN4("RETIRED_OPS:c=1:i:h"), 4, 0x18000c1, AWAY | NO_U | NO_K | NO_GUEST),
	ROW("nhm::INST_RETIRED:ANY_P", 4, 0xc0, AWAY | NO_GUEST),
};

static int is_pmu_of(const struct xp_vendor_pmu *pmu, void *data)
{
	const char *text = data;
	size_t len = strlen(pmu->name);

	return !strncmp(text, pmu->name, len) && !strncmp(text + len, "::", 2);
}

/* Which PMUs there are besides the forced one differs between versions of libpfm4. */
static bool is_of_unknown_pmu(const char *text)
{
	return !strncmp(text, ZEN4(""), strlen(ZEN4(""))) &&
	       xp_vendor_walk_pmus(is_pmu_of, (void *)(uintptr_t)text, NULL) != 1;
}

static void every_name_becomes_its_attribute(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		const struct good *row = &good[i];
		struct parsing f;

		if (is_of_unknown_pmu(row->text))
			continue;
		setup_here(&f);
		int err = xp_evlist_parse(f.evlist, row->text, &f.diag);
		if (err || xp_evlist_nr(f.evlist) != 1)
			fail_msg("line %d, '%s': %d, %d events: %s", row->line, row->text, err,
				 xp_evlist_nr(f.evlist), f.diag.what);
		const struct xp_evsel *e = xp_evlist_at(f.evlist, 0);
		const char *name = row->name ? row->name : row->text;
		if (e->attr.type != row->type || e->attr.config != row->config ||
		    e->attr.config1 != row->config1 || flags_of(e) != row->flags ||
		    strcmp(xp_evsel_name(e), name))
			fail_msg("line %d, '%s': type %u config %#llx,%#llx flags %#x name '%s'",
				 row->line, row->text, e->attr.type,
				 (unsigned long long)e->attr.config,
				 (unsigned long long)e->attr.config1, flags_of(e),
				 xp_evsel_name(e));
		if (e->attr.sample_period || e->attr.freq || e->attr.config2)
			fail_msg("line %d, '%s': more than the event is set", row->line, row->text);
		/* A complaint of a kind that did not know the name is forgotten. */
		assert_int_equal(f.diag.err, 0);
		assert_names_come_back(&f, row->text);
		teardown(&f);
	}
}

/* Strings that are refused: why, where, and a part of the sentence or hint. */
static const struct bad {
	int line;
	const char *text;
	int err;
	int pos;
	int len;
	const char *says;
	bool vendor; /* after --pfm-events */
} bad[] = {
	/* PMU */
	ROW("skxx::INST_RETIRED", -ENOENT, 0, 4, "Did you mean 'skx'?"),
	ROW("cs,skxx::INST_RETIRED", -ENOENT, 3, 4, "does not know the PMU 'skxx'"),
	ROW("qwertyuiop::INST_RETIRED", -ENOENT, 0, 10, "PMU::EVENT"),
	ROW("cycles::u", -EINVAL, 8, 1, "unexpected ':'"),

	/* event */
	ROW("skx::", -EINVAL, 5, 1, "name of an event of 'skx' is missing"),
	ROW("skx::,cs", -EINVAL, 5, 1, "missing"),
	ROW("skx::INST_RETIERD", -ENOENT, 5, 12, "Did you mean 'skx::INST_RETIRED'?"),
	ROW("{cs,skx::qwertyuiop:u}", -ENOENT, 9, 10, "'skx' has no event 'qwertyuiop'"),
	ROW("INST_RETIERD", -ENOENT, 0, 12, "Did you mean 'INST_RETIRED'?"),
	ROW("INST_RETIERD:ANY_P", -ENOENT, 0, 12, "Did you mean 'INST_RETIRED'?"),
	ROW("cylces", -ENOENT, 0, 6, "Did you mean 'cycles'?"),
	ROW("cylces:u", -ENOENT, 0, 6, "Did you mean 'cycles'?"),
	ROW("RETIRED_OPS", -ENOENT, 0, 11, "'amd64_fam19h_zen4::RETIRED_OPS' is an event of other"),
	/* as perf writes them */
	ROW("cs,mem_inst_retired.all_load", -ENOENT, 3, 25, "'skx::MEM_INST_RETIRED:ALL_LOADS'"),
	ROW("l2_rqsts.mess", -ENOENT, 0, 13, "Did you mean 'skx::L2_RQSTS:MISS'?"),
	ROW("l2_rqtss.miss:u", -ENOENT, 0, 13, "Did you mean 'l2_rqsts.miss'?"),
	ROW("skx::l2_rqsts.mess", -ENOENT, 5, 13, "'skx' has no event 'l2_rqsts.mess'"),
	ROW("l2_rqsts.qwertyuiop", -ENOENT, 0, 19, "Did you mean 'skx::L2_RQSTS'?"),
	ROW("retired_ops.x", -ENOENT, 0, 13, "::RETIRED_OPS' is an event of other processors"),
	ROW("qwerty_uiop.any", -ENOENT, 0, 15, "No event has a similar name"),

	/* unit masks and modifiers */
	ROW("skx::INST_RETIRED:ANY", -ENOENT, 18, 3, "Did you mean 'ANY_P'?"),
	ROW("INST_RETIRED:ANY", -ENOENT, 13, 3, "'skx::INST_RETIRED' has no unit mask"),
	ROW("skx::INST_RETIRED:qwertyuiop", -ENOENT, 18, 10, "PREC_DIST"),
	ROW("skx::INST_RETIRED:ANY_P:x", -ENOENT, 24, 1, "modifiers are: e, i, c"),
	ROW("skx::INST_RETIRED:ldlat=3", -ENOENT, 18, 5, "no unit mask or modifier 'ldlat'"),
	ROW("skx::INST_RETIRED:c=300", -EINVAL, 18, 5, "cannot have this value"),
	ROW("skx::INST_RETIRED:ANY_P:c=1:e:c=2", -EINVAL, 30, 3, "twice"),
	ROW("skx::INST_RETIRED:c", -EINVAL, 18, 1, "cannot have this value"),
	ROW("skx::INST_RETIRED:u:c=1:c=2", -EINVAL, 24, 3, "given twice"),
	ROW("skx::INST_RETIRED:c=", -EINVAL, 19, 1, "'='"),
	ROW("skx::INST_RETIRED:uu", -EINVAL, 19, 1, "given twice"),
	ROW("skx::INST_RETIRED:cpu=1", -EINVAL, 18, 5, "the CPUs are not chosen in the event"),
	ROW("skx::L2_RQSTS:MISS:REFERENCES", -EINVAL, 19, 10, "cannot be combined"),
	ROW("skx::INST_RETIRED::u", -EINVAL, 18, 1, "unexpected ':'"),
	ROW("skx::INST_RETIRED:u:", -EINVAL, 20, 1, "unexpected ':'"),
	ROW(ZEN4("TAGGED_IBS_OPS"), -EINVAL, 19, 14, "unit masks are"),
	ROW("{skx::INST_RETIRED,skx::INST_RETIRED:D}", -EINVAL, 37, 1, "can be pinned"),
	ROW("skx::INST_RETIRED:1:2:3:4:5:6:7:8:9:1:2:3:4:5:6:7:8:9:1:2:3:4", -EINVAL, 59, 1,
	    "unexpected ':'"),

	/* only a machine that has it can encode it */
	ROW("hswep_unc_imc0::UNC_M_CLOCKTICKS", -ENOENT, 0, 14,
	    "not know the PMU 'hswep_unc_imc0'"),

	/* after --pfm-events */
	ROW("qwertyuiop", -ENOENT, 0, 10, "no PMU of this machine", true),
	ROW("inst_retired,inst_retierd", -ENOENT, 13, 12, "Did you mean 'INST_RETIRED'?", true),
	ROW("cpu/event=1/", -ENOENT, 0, 3, "no PMU of this machine", true),
};

static void every_mistake_is_one_sentence_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct bad *row = &bad[i];
		struct parsing f;

		if (is_of_unknown_pmu(row->text))
			continue;
		setup_here(&f);
		int err = row->vendor ? xp_evlist_parse_vendor(f.evlist, row->text, &f.diag)
				      : xp_evlist_parse(f.evlist, row->text, &f.diag);
		if (err != row->err || f.diag.err != err || f.diag.pos != row->pos ||
		    f.diag.len != row->len)
			fail_msg("line %d, '%s': %d at %d+%d: %s", row->line, row->text, err,
				 f.diag.pos, f.diag.len, f.diag.what);
		if (!strstr(f.diag.what, row->says) && !strstr(f.diag.hint, row->says))
			fail_msg("line %d, '%s': '%s', '%s'", row->line, row->text, f.diag.what,
				 f.diag.hint);
		assert_int_equal(xp_evlist_nr(f.evlist), 0);
		teardown(&f);
	}
}

/* It looks like a tracepoint, too: without tracefs nobody knows that it is none. */
static void a_name_with_a_colon_is_looked_up_as_both(void **state)
{
	bool has_tracefs = !access("/sys/kernel/tracing/events", R_OK) ||
			   !access("/sys/kernel/debug/tracing/events", R_OK);
	const char *says =
		has_tracefs ? "::RETIRED_OPS' is an event of other processors" : "tracefs";
	struct parsing f;

	(void)state;
	setup_here(&f);
	assert_int_equal(xp_evlist_parse(f.evlist, "retired_ops:x", &f.diag), -ENOENT);
	if (!strstr(f.diag.what, says) && !strstr(f.diag.hint, says))
		fail_msg("'%s', '%s'", f.diag.what, f.diag.hint);
	teardown(&f);
}

static void names_of_libpfm4_make_lists_and_groups(void **state)
{
	struct parsing f;

	(void)state;
	setup_here(&f);
	int err = xp_evlist_parse_vendor(
		f.evlist, "inst_retired,{inst_retired:any_p,unhalted_core_cycles}:u", &f.diag);
	if (err)
		fail_msg("%s", f.diag.what);
	assert_int_equal(xp_evlist_nr(f.evlist), 3);
	assert_false(xp_evsel_attr(xp_evlist_at(f.evlist, 0))->exclude_kernel);
	assert_int_equal(xp_evsel_attr(xp_evlist_at(f.evlist, 1))->config, 0xc0);
	assert_int_equal(xp_evsel_attr(xp_evlist_at(f.evlist, 2))->config, 0x3c);
	assert_true(xp_evsel_attr(xp_evlist_at(f.evlist, 2))->exclude_kernel);
	assert_ptr_equal(xp_evsel_leader(xp_evlist_at(f.evlist, 2)), xp_evlist_at(f.evlist, 1));
	teardown(&f);
}

/* Another machine's code is not counted under its name. */
static void events_of_other_machines_are_not_opened(void **state)
{
	struct parsing f;
	struct xp_open_opts opts = { .size = sizeof(opts) };

	(void)state;
	setup_here(&f);
	assert_int_equal(xp_evlist_parse(f.evlist, "dummy,nhm::INST_RETIRED", &f.diag), 0);
	assert_int_equal(xp_threads_one(f.ctx, getpid(), &opts.threads), 0);
	assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
	const struct xp_evsel *evsel = xp_evlist_at(f.evlist, 1);
	assert_int_equal(xp_evsel_support(evsel), XP_NOT_SUPPORTED);
	assert_non_null(strstr(xp_evsel_reason(evsel), "'nhm'"));
	assert_non_null(strstr(xp_evsel_reason(evsel), "'skx'"));
	xp_threads_unref(opts.threads);
	teardown(&f);
}

/* With another machine's files, bare names are not looked up in this one. */
static void other_roots_have_no_bare_names(void **state)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = "/nonexistent" };
	struct xp_evlist *evlist;
	struct xp_ctx *ctx;

	(void)state;
	assert_int_equal(xp_ctx_new(&opts, &ctx), 0);
	assert_int_equal(xp_evlist_new(ctx, &evlist), 0);
	assert_int_equal(xp_evlist_parse(evlist, "INST_RETIRED", NULL), -ENOENT);
	assert_int_equal(xp_evlist_parse(evlist, "skx::INST_RETIRED", NULL), 0);
	xp_evlist_free(evlist);
	xp_ctx_free(ctx);
}

/* --- what there is --- */

struct seen {
	struct xp_vendor_pmu skx;
	struct xp_vendor_event event;
	bool past_present, out_of_order;
	int nr_events, nr_umasks, nr_defaults, nr_modifiers;
};

static int see_attr(const struct xp_vendor_attr *attr, void *data)
{
	struct seen *seen = data;

	assert_non_null(attr->desc);
	seen->nr_umasks += attr->is_umask;
	seen->nr_modifiers += !attr->is_umask;
	seen->nr_defaults += attr->is_default;
	return 0;
}

static int see_event(const struct xp_vendor_event *event, void *data)
{
	struct seen *seen = data;

	assert_non_null(event->desc);
	seen->nr_events++;
	if (!strcmp(event->name, "INST_RETIRED"))
		seen->event = *event;
	return 0;
}

static int see_pmu(const struct xp_vendor_pmu *pmu, void *data)
{
	struct seen *seen = data;

	seen->out_of_order |= pmu->is_present && seen->past_present;
	seen->past_present |= !pmu->is_present;
	if (!strcmp(pmu->name, "skx"))
		seen->skx = *pmu;
	return 0;
}

static void everything_there_is_can_be_listed(void **state)
{
	struct seen seen = { 0 };

	(void)state;
	assert_int_equal(xp_vendor_walk_pmus(see_pmu, &seen, NULL), 0);
	assert_false(seen.out_of_order);
	assert_non_null(seen.skx.name);
	assert_true(seen.skx.is_present && seen.skx.is_core && !seen.skx.is_generic);
	assert_int_equal(xp_vendor_walk_events(&seen.skx, see_event, &seen, NULL), 0);
	assert_int_equal(seen.nr_events, seen.skx.nr_events);
	assert_int_equal(xp_vendor_walk_attrs(&seen.event, see_attr, &seen, NULL), 0);
	assert_true(seen.nr_umasks >= 2 && seen.nr_modifiers >= 6);
	assert_int_equal(seen.nr_defaults, 1);
}

/* What is listed can be counted by the name it is listed under. */
struct listing {
	struct parsing f;
	int nr, nr_skx;
};

static int parse_listed(const struct xp_event_info *event, void *data)
{
	struct listing *listing = data;
	char numbers[64];

	if (xp_evlist_parse(listing->f.evlist, event->name, &listing->f.diag))
		fail_msg("%s: %s", event->name, listing->f.diag.what);
	const struct xp_evsel *evsel = xp_evlist_at(listing->f.evlist, listing->nr++);
	assert_string_equal(xp_evsel_name(evsel), event->name);
	snprintf(numbers, sizeof(numbers), "%u:0x%llx", evsel->attr.type,
		 (unsigned long long)evsel->attr.config);
	if (*event->encoding)
		assert_string_equal(numbers, event->encoding);
	listing->nr_skx += !strcmp(event->pmu, "skx");
	return 0;
}

static void every_listed_name_parses_to_itself(void **state)
{
	struct xp_list_opts opts = { .size = sizeof(opts),
				     .kinds = 1U << XP_EVENT_VENDOR,
				     .encoding = true };
	struct listing listing = { 0 };

	(void)state;
	setup_here(&listing.f);
	assert_int_equal(xp_events_list(listing.f.ctx, &opts, parse_listed, &listing, NULL), 0);
	assert_true(listing.nr > 100);
	assert_int_equal(listing.nr, listing.nr_skx);
	teardown(&listing.f);
}

/* A rate in a name is for recording; what counts raises no interrupts. */
static void rates_are_kept_for_recording(void **state)
{
	struct parsing f;

	(void)state;
	setup(&f);
	assert_int_equal(xp_evlist_parse_vendor(f.evlist,
						"skx::INST_RETIRED:ANY_P:period=77777,"
						"skx::INST_RETIRED:ANY_P:freq=99",
						&f.diag),
			 0);
	for (int i = 0; i < 2; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(f.evlist, i);

		assert_int_equal(evsel->attr.sample_period, 0);
		assert_int_equal(evsel->attr.freq, 0);
		assert_int_equal(evsel->terms.period, i ? 0 : 77777);
		assert_int_equal(evsel->terms.freq, i ? 99 : 0);
	}
	teardown(&f);
}

/* What libpfm4 is made to believe must not reach the commands that are counted. */
static void the_environment_stays_as_it_was(void **state)
{
	(void)state;
	assert_null(getenv("LIBPFM_ENCODE_INACTIVE"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_becomes_its_attribute),
		cmocka_unit_test(every_mistake_is_one_sentence_with_its_place),
		cmocka_unit_test(a_name_with_a_colon_is_looked_up_as_both),
		cmocka_unit_test(names_of_libpfm4_make_lists_and_groups),
		cmocka_unit_test(events_of_other_machines_are_not_opened),
		cmocka_unit_test(other_roots_have_no_bare_names),
		cmocka_unit_test(everything_there_is_can_be_listed),
		cmocka_unit_test(every_listed_name_parses_to_itself),
		cmocka_unit_test(rates_are_kept_for_recording),
		cmocka_unit_test(the_environment_stays_as_it_was),
	};
	struct seen seen = { 0 };
	struct xp_diag diag = { 0 };

	unsetenv("LIBPFM_ENCODE_INACTIVE");
	setenv("LIBPFM_FORCE_PMU", "skx", 1);
	int err = xp_vendor_walk_pmus(see_pmu, &seen, &diag);
	if (err || !seen.skx.name) {
		printf("skipped: %s\n", err ? diag.what : "this libpfm4 knows no x86 PMUs");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
