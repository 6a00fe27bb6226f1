/* SPDX-License-Identifier: MIT */
/*
 * Event strings: what each becomes.
 *
 * Expected attributes of events that perf 6.1 knows were measured with `perf stat -vv -e TEXT
 * true`. The PMUs and tracepoints are those of tests/data/roots/parse.
 */
#include "parse-fixture.h"

/* What an attribute excludes and asks for. */
enum {
	NO_U = 1 << 0,
	NO_K = 1 << 1,
	NO_HV = 1 << 2,
	NO_IDLE = 1 << 3,
	NO_HOST = 1 << 4,
	NO_GUEST = 1 << 5,
	PINNED = 1 << 6,
	EXCLUSIVE = 1 << 7,
	MAX = 1 << 8, /* the highest precision there is */
	P1 = 1 << 12,
	P2 = 2 << 12,
	P3 = 3 << 12,
	USER_ONLY = NO_K | NO_HV | NO_GUEST,
};

static unsigned int flags_of(const struct xp_evsel *evsel)
{
	const struct xp_attr *a = &evsel->attr;

	return (unsigned int)((a->exclude_user ? NO_U : 0) | (a->exclude_kernel ? NO_K : 0) |
			      (a->exclude_hv ? NO_HV : 0) | (a->exclude_idle ? NO_IDLE : 0) |
			      (a->exclude_host ? NO_HOST : 0) | (a->exclude_guest ? NO_GUEST : 0) |
			      (a->pinned ? PINNED : 0) | (a->exclusive ? EXCLUSIVE : 0) |
			      (evsel->precise_max ? MAX : 0) | (int)a->precise_ip << 12);
}

/* One event each: what it becomes. @name NULL: shown as written. */
static const struct good {
	int line;
	const char *text;
	uint32_t type;
	uint64_t config;
	unsigned int flags;
	const char *name;
} good[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	/* generic hardware events: perf_event_open(2), PERF_TYPE_HARDWARE */
	ROW("cycles", 0, 0, NO_GUEST),
	ROW("cpu-cycles", 0, 0, NO_GUEST),
	ROW("instructions", 0, 1, NO_GUEST),
	ROW("cache-references", 0, 2, NO_GUEST),
	ROW("cache-misses", 0, 3, NO_GUEST),
	ROW("branches", 0, 4, NO_GUEST),
	ROW("branch-instructions", 0, 4, NO_GUEST),
	ROW("branch-misses", 0, 5, NO_GUEST),
	ROW("bus-cycles", 0, 6, NO_GUEST),
	ROW("stalled-cycles-frontend", 0, 7, NO_GUEST),
	ROW("idle-cycles-frontend", 0, 7, NO_GUEST),
	ROW("stalled-cycles-backend", 0, 8, NO_GUEST),
	ROW("idle-cycles-backend", 0, 8, NO_GUEST),
	ROW("ref-cycles", 0, 9, NO_GUEST),

	/* software events: perf_event_open(2), PERF_TYPE_SOFTWARE */
	ROW("cpu-clock", 1, 0, NO_GUEST),
	ROW("task-clock", 1, 1, NO_GUEST),
	ROW("page-faults", 1, 2, NO_GUEST),
	ROW("faults", 1, 2, NO_GUEST),
	ROW("context-switches", 1, 3, NO_GUEST),
	ROW("cs", 1, 3, NO_GUEST),
	ROW("cpu-migrations", 1, 4, NO_GUEST),
	ROW("migrations", 1, 4, NO_GUEST),
	ROW("minor-faults", 1, 5, NO_GUEST),
	ROW("major-faults", 1, 6, NO_GUEST),
	ROW("alignment-faults", 1, 7, NO_GUEST),
	ROW("emulation-faults", 1, 8, NO_GUEST),
	ROW("dummy", 1, 9, NO_GUEST),
	ROW("bpf-output", 1, 10, NO_GUEST),
	ROW("cgroup-switches", 1, 11, NO_GUEST),

	/* cache events: perf_event_open(2), PERF_TYPE_HW_CACHE */
	ROW("L1-dcache", 3, 0, NO_GUEST),
	ROW("l1-d", 3, 0, NO_GUEST),
	ROW("l1d", 3, 0, NO_GUEST),
	ROW("L1-data", 3, 0, NO_GUEST),
	ROW("L1-icache", 3, 1, NO_GUEST),
	ROW("l1-i", 3, 1, NO_GUEST),
	ROW("l1i", 3, 1, NO_GUEST),
	ROW("L1-instruction", 3, 1, NO_GUEST),
	ROW("LLC", 3, 2, NO_GUEST),
	ROW("L2", 3, 2, NO_GUEST),
	ROW("dTLB", 3, 3, NO_GUEST),
	ROW("d-tlb", 3, 3, NO_GUEST),
	ROW("Data-TLB", 3, 3, NO_GUEST),
	ROW("iTLB", 3, 4, NO_GUEST),
	ROW("i-tlb", 3, 4, NO_GUEST),
	ROW("Instruction-TLB", 3, 4, NO_GUEST),
	ROW("branch", 3, 5, NO_GUEST),
	ROW("bpu", 3, 5, NO_GUEST),
	ROW("btb", 3, 5, NO_GUEST),
	ROW("bpc", 3, 5, NO_GUEST),
	ROW("node", 3, 6, NO_GUEST),
	ROW("L1-dcache-load", 3, 0, NO_GUEST),
	ROW("L1-dcache-loads", 3, 0, NO_GUEST),
	ROW("L1-dcache-read", 3, 0, NO_GUEST),
	ROW("L1-dcache-stores", 3, 0x100, NO_GUEST),
	ROW("L1-dcache-store", 3, 0x100, NO_GUEST),
	ROW("L1-dcache-write", 3, 0x100, NO_GUEST),
	ROW("L1-dcache-prefetches", 3, 0x200, NO_GUEST),
	ROW("L1-dcache-prefetch", 3, 0x200, NO_GUEST),
	ROW("L1-dcache-speculative-read", 3, 0x200, NO_GUEST),
	ROW("L1-dcache-speculative-load", 3, 0x200, NO_GUEST),
	ROW("L1-dcache-refs", 3, 0, NO_GUEST),
	ROW("L1-dcache-Reference", 3, 0, NO_GUEST),
	ROW("L1-dcache-ops", 3, 0, NO_GUEST),
	ROW("L1-dcache-access", 3, 0, NO_GUEST),
	ROW("L1-dcache-misses", 3, 0x10000, NO_GUEST),
	ROW("L1-dcache-miss", 3, 0x10000, NO_GUEST),
	ROW("L1-dcache-load-misses", 3, 0x10000, NO_GUEST),
	ROW("L1-dcache-misses-loads", 3, 0x10000, NO_GUEST),
	ROW("L1-dcache-load-refs", 3, 0, NO_GUEST),
	ROW("L1-dcache-prefetch-misses", 3, 0x10200, NO_GUEST),
	ROW("L1-icache-prefetches", 3, 0x201, NO_GUEST),
	ROW("LLC-store-misses", 3, 0x10102, NO_GUEST),
	ROW("LLC-speculative-read-access", 3, 0x202, NO_GUEST),
	ROW("dTLB-prefetch-misses", 3, 0x10203, NO_GUEST),
	ROW("Data-TLB-write-Reference", 3, 0x103, NO_GUEST),
	ROW("iTLB-load-misses", 3, 0x10004, NO_GUEST),
	ROW("branch-loads", 3, 5, NO_GUEST),
	ROW("branch-load-misses", 3, 0x10005, NO_GUEST),
	ROW("node-prefetch-misses", 3, 0x10206, NO_GUEST),
	ROW("LLC-loads:k", 3, 2, NO_U | NO_HV),

	/* codes */
	ROW("r1a8", 4, 0x1a8, NO_GUEST),
	ROW("r0", 4, 0, NO_GUEST),
	ROW("r0x1a8", 4, 0x1a8, NO_GUEST),
	ROW("r1A8:u", 4, 0x1a8, USER_ONLY),
	ROW("rFFFFFFFFFFFFFFFF", 4, UINT64_MAX, NO_GUEST),
	ROW("1:2", 1, 2, NO_GUEST),
	ROW("1:0x2:u", 1, 2, USER_ONLY),
	ROW("0x1:2", 1, 2, NO_GUEST),
	ROW("4294967295:18446744073709551615", UINT32_MAX, UINT64_MAX, NO_GUEST),

	/* modifiers */
	ROW("page-faults:", 1, 2, NO_GUEST),
	ROW("page-faults:u", 1, 2, USER_ONLY),
	ROW("page-faults:k", 1, 2, NO_U | NO_HV),
	ROW("page-faults:h", 1, 2, NO_U | NO_K),
	ROW("page-faults:uk", 1, 2, NO_HV | NO_GUEST),
	ROW("page-faults:ku", 1, 2, NO_HV | NO_GUEST),
	ROW("page-faults:ukh", 1, 2, NO_GUEST),
	ROW("page-faults:G", 1, 2, NO_HOST),
	ROW("page-faults:H", 1, 2, NO_GUEST),
	ROW("page-faults:GH", 1, 2, 0),
	ROW("page-faults:uG", 1, 2, NO_K | NO_HV | NO_HOST),
	ROW("page-faults:p", 1, 2, P1 | NO_GUEST),
	ROW("page-faults:pp", 1, 2, P2 | NO_GUEST),
	ROW("page-faults:ppp", 1, 2, P3 | NO_GUEST),
	ROW("page-faults:pG", 1, 2, P1 | NO_HOST),
	ROW("page-faults:P", 1, 2, MAX),
	ROW("page-faults:I", 1, 2, NO_IDLE),
	ROW("page-faults:D", 1, 2, PINNED),
	ROW("page-faults:e", 1, 2, EXCLUSIVE),
	ROW("page-faults:De", 1, 2, PINNED | EXCLUSIVE),
	ROW("page-faults:S", 1, 2, 0),
	ROW("page-faults:W", 1, 2, 0),
	ROW("page-faults:b", 1, 2, 0),
	ROW("page-faults:RX", 1, 2, 0),
	ROW("cycles:ukp", 0, 0, P1 | NO_HV | NO_GUEST),

	/* tracepoints: shown without modifiers, as perf shows them */
	ROW("sched:sched_switch", 2, 316, NO_GUEST),
	ROW("sched:sched_switch:u", 2, 316, USER_ONLY, "sched:sched_switch"),
	ROW("sched:sched_swi*", 2, 316, NO_GUEST, "sched:sched_switch"),
	ROW("sc*d:sched_switch", 2, 316, NO_GUEST, "sched:sched_switch"),
	ROW("*:sched_switch:k", 2, 316, NO_U | NO_HV, "sched:sched_switch"),
	ROW("sched:sched_switc?", 2, 316, NO_GUEST, "sched:sched_switch"),
	ROW("irq:u", 2, 151, NO_GUEST), /* a tracepoint that looks like a modifier */
	ROW("sched:sched_switch/name=mine/u", 2, 316, USER_ONLY, "mine"),

	/* PMUs */
	ROW("software/config=2/", 1, 2, NO_GUEST),
	ROW("software/config=0x2/u", 1, 2, USER_ONLY),
	ROW("software/config=2/:u", 1, 2, USER_ONLY),
	ROW("software//", 1, 0, NO_GUEST),
	ROW("software/config/", 1, 1, NO_GUEST),
	ROW("software/config=2,config=3/", 1, 3, NO_GUEST),
	ROW("software/config=2,name=mine/", 1, 2, NO_GUEST, "mine"),
	ROW("software/config=2,name='a b,c=d/e'/k", 1, 2, NO_U | NO_HV, "a b,c=d/e"),
	ROW("software/config=2,name=a:b/", 1, 2, NO_GUEST, "a:b"),
	ROW("software/config=2,period=100/", 1, 2, NO_GUEST),
	ROW("software/r2/", 1, 2, NO_GUEST),
	ROW("cpu/event=0x3c/", 4, 0x3c, NO_GUEST),
	ROW("cpu/event=0x3c,umask=0x1,inv,cmask=2/", 4, 0x280013c, NO_GUEST),
	ROW("cpu/event=0x1a9/", 4, 0x1000000a9, NO_GUEST),
	ROW("cpu/event=0xfff/", 4, 0xf000000ff, NO_GUEST),
	ROW("cpu/event=0xff,event=1/", 4, 0xff, NO_GUEST),
	ROW("cpu/r1a8/pp", 4, 0x1a8, P2 | NO_GUEST),
	ROW("cpu/stalled-cycles-backend/", 4, 0x1000000a9, NO_GUEST),
	ROW("cpu/mem-loads,umask=2/", 4, 0x3cd, NO_GUEST),
	ROW("msr/tsc/", 9, 0, NO_GUEST),
	ROW("tsc", 9, 0, NO_GUEST),
	ROW("mem-loads:u", 4, 0x1cd, USER_ONLY),
	ROW("page-faults/name=mine/u", 1, 2, USER_ONLY, "mine"),
	ROW("page-faults//u", 1, 2, USER_ONLY),
	ROW("r1a8/name=mine/", 4, 0x1a8, NO_GUEST, "mine"),

	/* breakpoints */
	ROW("mem:0x1000", 5, 0, NO_GUEST),
	ROW("mem:0x1000:u", 5, 0, USER_ONLY),
	ROW("mem:0x1000/8:rw:k", 5, 0, NO_U | NO_HV),

	/* blanks mean nothing */
	ROW("  page-faults\t", 1, 2, NO_GUEST, "page-faults"),
	ROW("page-faults : u", 1, 2, USER_ONLY, "page-faults:u"),
	ROW("\nsoftware / config = 2 / u", 1, 2, USER_ONLY, "software/config=2/u"),
#undef ROW
};

static void every_name_becomes_its_attribute(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		const struct good *row = &good[i];
		struct parsing f;

		setup(&f);
		int err = parse(&f, row->text);
		if (err || xp_evlist_nr(f.evlist) != 1)
			fail_msg("line %d, '%s': %d, %d events: %s", row->line, row->text, err,
				 xp_evlist_nr(f.evlist), f.diag.what);
		const struct xp_evsel *e = xp_evlist_at(f.evlist, 0);
		const char *name = row->name ? row->name : row->text;
		if (e->attr.type != row->type || e->attr.config != row->config ||
		    flags_of(e) != row->flags || strcmp(xp_evsel_name(e), name))
			fail_msg("line %d, '%s': type %u config %#llx flags %#x name '%s'",
				 row->line, row->text, e->attr.type,
				 (unsigned long long)e->attr.config, flags_of(e), xp_evsel_name(e));
		/* What opening decides is left alone. */
		if (e->attr.sample_type || e->attr.read_format || e->attr.sample_period ||
		    e->attr.disabled || e->attr.inherit || e->attr.enable_on_exec)
			fail_msg("line %d, '%s': more than the event is set", row->line, row->text);
		assert_names_come_back(&f, row->text);
		teardown(&f);
	}
}

/* Several events: names and flags in order, the leader's position and the group's size. */
static const struct many {
	int line;
	const char *text;
	struct {
		const char *name;
		unsigned int flags;
		int leader;
		int size;
		bool weak;
	} events[6];
} many[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	ROW("page-faults, cs", { { "page-faults", NO_GUEST, 0, 1 }, { "cs", NO_GUEST, 1, 1 } }),
	ROW("{page-faults,cs},faults", { { "page-faults", NO_GUEST, 0, 2 },
					 { "cs", NO_GUEST, 0, 2 },
					 { "faults", NO_GUEST, 2, 1 } }),
	ROW("{page-faults},{cs}", { { "page-faults", NO_GUEST, 0, 1 }, { "cs", NO_GUEST, 1, 1 } }),
	ROW("{cs,cs},{cs,cs}", { { "cs", NO_GUEST, 0, 2 },
				 { "cs", NO_GUEST, 0, 2 },
				 { "cs", NO_GUEST, 2, 2 },
				 { "cs", NO_GUEST, 2, 2 } }),
	ROW("g1{page-faults,cs}:u",
	    { { "page-faults", USER_ONLY, 0, 2 }, { "cs", USER_ONLY, 0, 2 } }),
	ROW("{ page-faults , cs } : u",
	    { { "page-faults", USER_ONLY, 0, 2 }, { "cs", USER_ONLY, 0, 2 } }),
	ROW("{page-faults,cs}:W",
	    { { "page-faults", NO_GUEST, 0, 2, true }, { "cs", NO_GUEST, 0, 2 } }),
	ROW("{page-faults,cs}:", { { "page-faults", NO_GUEST, 0, 2 }, { "cs", NO_GUEST, 0, 2 } }),

	/* the group's letters come on top of the members' */
	ROW("{page-faults:u,cs}:k", { { "page-faults:u", NO_HV | NO_GUEST, 0, 2 },
				      { "cs", NO_U | NO_HV | NO_GUEST, 0, 2 } }),
	ROW("{page-faults:G,cs}:H", { { "page-faults:G", 0, 0, 2 }, { "cs", NO_GUEST, 0, 2 } }),
	ROW("{page-faults,cs}:G", { { "page-faults", NO_HOST, 0, 2 }, { "cs", NO_HOST, 0, 2 } }),
	ROW("{page-faults:k,cs:p}:pp", { { "page-faults:k", P2 | NO_U | NO_HV | NO_GUEST, 0, 2 },
					 { "cs:p", P3 | NO_GUEST, 0, 2 } }),
	ROW("{page-faults:I,cs}:u",
	    { { "page-faults:I", NO_IDLE | USER_ONLY, 0, 2 }, { "cs", USER_ONLY, 0, 2 } }),
	/* the leader is pinned for all */
	ROW("{page-faults,cs}:De",
	    { { "page-faults", PINNED | EXCLUSIVE | NO_GUEST, 0, 2 }, { "cs", NO_GUEST, 0, 2 } }),
	ROW("{page-faults:D,cs}", { { "page-faults:D", PINNED, 0, 2 }, { "cs", NO_GUEST, 0, 2 } }),

	/* patterns stand for all that match, in order */
	ROW("sched:sched_wak*,cs", { { "sched:sched_wakeup", NO_GUEST, 0, 1 },
				     { "sched:sched_waking", NO_GUEST, 1, 1 },
				     { "cs", NO_GUEST, 2, 1 } }),
	ROW("{sched:sched_wak*:k,cs}:u", { { "sched:sched_wakeup", NO_HV | NO_GUEST, 0, 3 },
					   { "sched:sched_waking", NO_HV | NO_GUEST, 0, 3 },
					   { "cs", USER_ONLY, 0, 3 } }),
	ROW("s*:*read", { { "syscalls:sys_enter_read", NO_GUEST, 0, 1 },
			  { "syscalls:sys_exit_read", NO_GUEST, 1, 1 } }),
	ROW("sched:*", { { "sched:sched_process_exit", NO_GUEST, 0, 1 },
			 { "sched:sched_switch", NO_GUEST, 1, 1 },
			 { "sched:sched_wakeup", NO_GUEST, 2, 1 },
			 { "sched:sched_waking", NO_GUEST, 3, 1 } }),
#undef ROW
};

static void groups_and_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(many); i++) {
		const struct many *row = &many[i];
		struct parsing f;
		int nr = 0;

		setup(&f);
		if (parse(&f, row->text))
			fail_msg("line %d, '%s': %s", row->line, row->text, f.diag.what);
		for (; nr < (int)ARRAY_LEN(row->events) && row->events[nr].name; nr++) {
			const struct xp_evsel *e = xp_evlist_at(f.evlist, nr);

			if (!e || strcmp(xp_evsel_name(e), row->events[nr].name) ||
			    flags_of(e) != row->events[nr].flags || xp_evsel_index(e) != nr ||
			    xp_evsel_index(xp_evsel_leader(e)) != row->events[nr].leader ||
			    xp_evsel_group_size(e) != row->events[nr].size ||
			    e->weak != row->events[nr].weak)
				fail_msg(
					"line %d, '%s': event %d: '%s' flags %#x leader %d size %d",
					row->line, row->text, nr, e ? xp_evsel_name(e) : "-",
					e ? flags_of(e) : 0,
					e ? xp_evsel_index(xp_evsel_leader(e)) : 0,
					e ? xp_evsel_group_size(e) : 0);
		}
		if (xp_evlist_nr(f.evlist) != nr)
			fail_msg("line %d, '%s': %d events", row->line, row->text,
				 xp_evlist_nr(f.evlist));
		assert_names_come_back(&f, row->text);
		teardown(&f);
	}
}

static void breakpoints_have_length_and_access(void **state)
{
	/* Source: linux/hw_breakpoint.h: 1 reads, 2 writes, 4 executes. */
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t addr, len;
	} rows[] = {
		{ "mem:0x1000", 3, 0x1000, 4 },
		{ "mem:4096:w", 2, 0x1000, 4 },
		{ "mem:0x1000:r", 1, 0x1000, 4 },
		{ "mem:0x1000:x", 4, 0x1000, sizeof(long) },
		{ "mem:0x1000/8:x", 4, 0x1000, 8 },
		{ "mem:0x1000/2:rw:u", 3, 0x1000, 2 },
		{ "mem:0x1000:rwx", 7, 0x1000, 4 },
		{ "mem:0x1000/1:u", 3, 0x1000, 1 },
		{ "mem:0x1000//u", 3, 0x1000, 4 },
		{ "mem:0x1000/8:w//k", 2, 0x1000, 8 },
		{ "mem:1/2/period=5/", 3, 1, 2 },
		{ "mem:0x1000/percore,time/", 3, 0x1000, 4 },
		{ "mem:0x1000:x/time/u", 4, 0x1000, sizeof(long) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;

		setup(&f);
		assert_int_equal(parse(&f, rows[i].text), 0);
		const struct xp_attr *attr = xp_evsel_attr(xp_evlist_at(f.evlist, 0));
		assert_int_equal(attr->bp_type, rows[i].type);
		assert_int_equal(attr->bp_addr, rows[i].addr);
		assert_int_equal(attr->bp_len, rows[i].len);
		assert_names_come_back(&f, rows[i].text);
		teardown(&f);
	}
}

/* As perf 7 writes them. */
static void breakpoints_have_terms(void **state)
{
	static const struct {
		const char *text;
		uint64_t len;
		bool user_only;
	} rows[] = {
		{ "mem:0x1000/name=x/", 4, false },
		{ "mem:0x1000/name=x/u", 4, true },
		{ "mem:0x1000:rw/name=x/:u", 4, true },
		{ "mem:0x1000/8/name=x/u", 8, true },
		{ "mem:0x1000/8:rw/period=7,name='x'/u", 8, true },
		{ "{mem:0x1000/percore,name=x/u,cycles}", 4, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;

		setup(&f);
		assert_int_equal(parse(&f, rows[i].text), 0);
		struct xp_evsel *evsel = xp_evlist_at(f.evlist, 0);
		const struct xp_attr *attr = xp_evsel_attr(evsel);
		assert_string_equal(xp_evsel_name(evsel), "x");
		assert_int_equal(attr->bp_addr, 0x1000);
		assert_int_equal(attr->bp_type, 3);
		assert_int_equal(attr->bp_len, rows[i].len);
		assert_int_equal(attr->exclude_kernel, rows[i].user_only);
		teardown(&f);
	}
}

static void formats_reach_every_word(void **state)
{
	struct parsing f;

	(void)state;
	setup(&f);
	assert_int_equal(
		parse(&f, "cpu/mem-loads,wide=0xffffffffffffffff,filter=7,config1=0x10003/"), 0);
	const struct xp_attr *attr = xp_evsel_attr(xp_evlist_at(f.evlist, 0));
	assert_int_equal(attr->config, 0x1cd);
	assert_int_equal(attr->config1, 0x10003);
	assert_true(attr->config2 == UINT64_MAX);
	assert_int_equal(attr->config3, 7);
	assert_int_equal(attr->size, XP_ATTR_SIZE_VER8);
	teardown(&f);
}

static void tool_events_know_what_they_measure(void **state)
{
	static const struct {
		const char *text;
		enum xp_tool_event tool;
	} rows[] = {
		{ "duration_time", XP_TOOL_DURATION_TIME },
		{ "user_time", XP_TOOL_USER_TIME },
		{ "system_time", XP_TOOL_SYSTEM_TIME },
		{ "num_cpus", XP_TOOL_NUM_CPUS },
		{ "slots", XP_TOOL_SLOTS },
		{ "max_rss", XP_TOOL_MAX_RSS },
		{ "page-faults", XP_TOOL_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;

		setup(&f);
		assert_int_equal(parse(&f, rows[i].text), 0);
		assert_int_equal(xp_evsel_tool(xp_evlist_at(f.evlist, 0)), rows[i].tool);
		assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), rows[i].text);
		teardown(&f);
	}
}

static void parsing_twice_appends(void **state)
{
	struct parsing f;

	(void)state;
	setup(&f);
	assert_int_equal(parse(&f, "cs"), 0);
	assert_int_equal(parse(&f, "{cycles,page-faults}"), 0);
	assert_int_equal(parse(&f, "cs,nothing"), -ENOENT);
	assert_int_equal(xp_evlist_nr(f.evlist), 3);
	assert_int_equal(xp_evsel_index(xp_evsel_leader(xp_evlist_at(f.evlist, 2))), 1);
	assert_int_equal(xp_evsel_group_size(xp_evlist_at(f.evlist, 0)), 1);
	teardown(&f);
}

static void the_standard_sets(void **state)
{
	/* Source: `perf stat -ddd true`, perf 6.1; the root has both stalled-cycles events. */
	static const char *const names[] = {
		"task-clock",
		"context-switches",
		"cpu-migrations",
		"page-faults",
		"cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"instructions",
		"branches",
		"branch-misses",
		"L1-dcache-loads",
		"L1-dcache-load-misses",
		"LLC-loads",
		"LLC-load-misses",
		"L1-icache-loads",
		"L1-icache-load-misses",
		"dTLB-loads",
		"dTLB-load-misses",
		"iTLB-loads",
		"iTLB-load-misses",
		"L1-dcache-prefetches",
		"L1-dcache-prefetch-misses",
	};
	static const int sizes[] = { 10, 14, 20, 22 };

	(void)state;
	for (int set = XP_DEFAULT_BASIC; set <= XP_DEFAULT_DETAILED_3; set++) {
		struct parsing f;

		setup(&f);
		assert_int_equal(xp_evlist_add_default(f.evlist, (enum xp_default_set)set, false),
				 0);
		assert_int_equal(xp_evlist_nr(f.evlist), sizes[set]);
		for (int i = 0; i < sizes[set]; i++) {
			const struct xp_evsel *e = xp_evlist_at(f.evlist, i);

			assert_string_equal(xp_evsel_name(e), names[i]);
			assert_int_equal(flags_of(e), NO_GUEST);
			assert_ptr_equal(xp_evsel_leader(e), e);
		}
		teardown(&f);
		setup(&f);
		assert_int_equal(xp_evlist_add_detailed(f.evlist, (enum xp_default_set)set), 0);
		assert_int_equal(xp_evlist_nr(f.evlist), sizes[set] - sizes[0]);
		for (int i = sizes[0]; i < sizes[set]; i++)
			assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, i - sizes[0])),
					    names[i]);
		teardown(&f);
	}
}

static void the_standard_set_of_a_system_without_pmu(void **state)
{
	struct parsing f;

	(void)state;
	setup_with(&f, NULL, "/nonexistent");
	assert_int_equal(xp_evlist_add_default(f.evlist, XP_DEFAULT_BASIC, true), 0);
	assert_int_equal(xp_evlist_nr(f.evlist), 8);
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), "cpu-clock");
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 5)), "instructions");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_becomes_its_attribute),
		cmocka_unit_test(groups_and_patterns),
		cmocka_unit_test(breakpoints_have_length_and_access),
		cmocka_unit_test(breakpoints_have_terms),
		cmocka_unit_test(formats_reach_every_word),
		cmocka_unit_test(tool_events_know_what_they_measure),
		cmocka_unit_test(parsing_twice_appends),
		cmocka_unit_test(the_standard_sets),
		cmocka_unit_test(the_standard_set_of_a_system_without_pmu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
