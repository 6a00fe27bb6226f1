/* SPDX-License-Identifier: MIT */
/*
 * Event strings: what each becomes, or what is wrong with it and where.
 *
 * Expected attributes of events that perf 6.1 knows were measured with `perf stat -vv -e TEXT
 * true`. The PMUs and tracepoints are those of tests/data/roots/parse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "event.h"
#include "glob.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

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

struct fixture {
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_diag diag;
};

static void setup_with(struct fixture *f, const struct xp_sys *sys, const char *root)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = sys, .root = root };

	*f = (struct fixture){ 0 };
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_evlist_new(f->ctx, &f->evlist), 0);
}

static void setup(struct fixture *f)
{
	char root[4096];
	const char *source = getenv("SOURCE_DIR");

	snprintf(root, sizeof(root), "%s/tests/data/roots/parse", source ? source : ".");
	setup_with(f, NULL, root);
}

static void teardown(struct fixture *f)
{
	xp_evlist_free(f->evlist);
	xp_ctx_free(f->ctx);
}

static int parse(struct fixture *f, const char *text)
{
	return xp_evlist_parse(f->evlist, text, &f->diag);
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
		struct fixture f;

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
} bad[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	/* names that do not exist */
	ROW("cylces", -ENOENT, 0, 6, "Did you mean 'cycles'?"),
	ROW("cylces:u", -ENOENT, 0, 6, "there is no event 'cylces'"),
	ROW("page-faults,cylces", -ENOENT, 12, 6, "'cycles'"),
	ROW("{page-faults,cylces:u}:k", -ENOENT, 13, 6, "'cycles'"),
	ROW("Page-Faults", -ENOENT, 0, 11, "Did you mean 'page-faults'?"),
	ROW("llc-loads", -ENOENT, 0, 9, "Did you mean 'LLC-loads'?"),
	ROW("L1-dcache-laod-misses", -ENOENT, 0, 21, "'L1-dcache-load-misses'"),
	ROW("mem-laods", -ENOENT, 0, 9, "'mem-loads'"),
	ROW("zzzzzzzzzzzz", -ENOENT, 0, 12, "xperf list"),
	ROW("r", -ENOENT, 0, 1, "no event"),
	ROW("rxyz", -ENOENT, 0, 4, "no event"),
	ROW("R1A8", -ENOENT, 0, 4, "no event"),
	ROW("l1d-", -ENOENT, 0, 4, "no event"),
	ROW("L1-dcache-load-store", -ENOENT, 0, 20, "no event"),
	ROW("LLC-loads-loads", -ENOENT, 0, 15, "no event"),
	ROW("mem", -ENOENT, 0, 3, "no event"),
	ROW("sched:sched_swtich", -ENOENT, 6, 12, "Did you mean 'sched:sched_switch'?"),
	ROW("shced:sched_switch", -ENOENT, 0, 5, "Did you mean 'sched'?"),
	ROW("sched:*nothing", -ENOENT, 0, 14, "no tracepoint matches"),
	ROW("*:nothing", -ENOENT, 0, 9, "no tracepoint matches"),
	ROW("sched:enable", -ENOENT, 6, 6, "no tracepoint"),
	ROW("sched:..", -ENOENT, 6, 2, "no tracepoint"),
	ROW("..:sched_switch", -ENOENT, 0, 2, "no tracepoints"),
	ROW("cpuu/event=1/", -ENOENT, 0, 4, "Did you mean 'cpu'?"),
	ROW("nothing/event=1/", -ENOENT, 0, 7, "cpu, msr, software"),
	ROW("../type=1/", -ENOENT, 0, 2, "no PMU"),
	ROW("cpu/evnet=1/", -ENOENT, 4, 5, "Did you mean 'event'?"),
	ROW("msr/nothing=1/", -ENOENT, 4, 7, "tsc"),
	ROW("page-faults/nothing/", -ENOENT, 12, 7, "no term"),

	/* combinations that do not exist */
	ROW("iTLB-stores", -EINVAL, 0, 11, "iTLB has no stores"),
	ROW("iTLB-prefetches", -EINVAL, 0, 15, "loads only"),
	ROW("L1-icache-store-misses", -EINVAL, 0, 22, "loads and prefetches"),
	ROW("branch-stores", -EINVAL, 0, 13, "branch has no stores"),
	ROW("bpu-prefetch-misses", -EINVAL, 0, 19, "no prefetches"),

	/* numbers */
	ROW("r10000000000000000", -EINVAL, 0, 18, "64 bits"),
	ROW("4294967296:1", -EINVAL, 0, 10, "32 bits"),
	ROW("1:", -EINVAL, 2, 1, "number is missing"),
	ROW("1:x", -EINVAL, 2, 1, "number is missing"),
	ROW("1:18446744073709551616", -EINVAL, 2, 20, "64 bits"),
	ROW("cpu/event=0x1000/", -EINVAL, 10, 6, "too large"),
	ROW("cpu/inv=2/", -EINVAL, 8, 1, "too large"),
	ROW("cpu/event=x/", -EINVAL, 10, 1, "not a number"),
	ROW("cpu/config=-1/", -EINVAL, 11, 2, "not a number"),
	ROW("cpu/config=18446744073709551616/", -EINVAL, 11, 20, "64 bits"),
	ROW("cpu/strange=1/", -EINVAL, 4, 7, "not understood"),
	ROW("cpu/broken=1/", -EINVAL, 4, 6, "not understood"),
	ROW("cpu/damaged/", -EINVAL, 4, 7, "value is missing"),
	ROW("cpu/circular/", -EINVAL, 4, 8, "no term"),

	/* modifiers */
	ROW("page-faults:x", -EINVAL, 12, 1, "no modifier 'x'"),
	ROW("page-faults:uxk", -EINVAL, 13, 1, "no modifier 'x'"),
	ROW("page-faults:uu", -EINVAL, 13, 1, "given twice"),
	ROW("page-faults:ukpu", -EINVAL, 15, 1, "given twice"),
	ROW("page-faults:pppp", -EINVAL, 12, 4, "levels of precision"),
	ROW("{page-faults:pp,cs}:pp", -EINVAL, 20, 2, "levels of precision"),
	ROW("{page-faults,cs}:uu", -EINVAL, 18, 1, "given twice"),
	ROW("{page-faults,cs}:z", -EINVAL, 17, 1, "no modifier 'z'"),
	ROW("page-faults:u:k", -EINVAL, 14, 1, "one ':' too many"),
	ROW("a:b:c:d:e", -EINVAL, 7, 1, "one ':' too many"),
	ROW("sched:sched_switch:u:k", -EINVAL, 21, 1, "one ':' too many"),
	ROW("sched:sched_switch:x", -EINVAL, 19, 1, "no modifier 'x'"),
	ROW("page-faults:u/name=x/", -EINVAL, 12, 1, "behind the last '/'"),
	ROW("software/config=1/x", -EINVAL, 18, 1, "no modifier 'x'"),
	ROW("{page-faults,cs:D}", -EINVAL, 16, 1, "can be pinned"),
	ROW("{page-faults,cs:e}", -EINVAL, 16, 1, "can be exclusive"),
	ROW("{sched:*:D}", -EINVAL, 9, 1, "can be pinned"),

	/* punctuation */
	ROW("", -EINVAL, 0, 1, "empty"),
	ROW("  \t ", -EINVAL, 4, 1, "empty"),
	ROW(",", -EINVAL, 0, 1, "missing before ','"),
	ROW(",page-faults", -EINVAL, 0, 1, "missing before ','"),
	ROW("page-faults,", -EINVAL, 12, 1, "missing at the end"),
	ROW("page-faults,,cs", -EINVAL, 12, 1, "missing before ','"),
	ROW("page-faults cs", -EINVAL, 12, 2, "',' is missing"),
	ROW("page-faults{cs}{faults}", -EINVAL, 15, 1, "',' is missing before the group"),
	ROW("{}", -EINVAL, 1, 1, "empty"),
	ROW("{,cs}", -EINVAL, 1, 1, "missing before ','"),
	ROW("{cs,}", -EINVAL, 4, 1, "missing before '}'"),
	ROW("{page-faults,cs", -EINVAL, 0, 1, "not closed"),
	ROW("cs,{page-faults", -EINVAL, 3, 1, "not closed"),
	ROW("page-faults,cs}", -EINVAL, 14, 1, "closes no group"),
	ROW("}", -EINVAL, 0, 1, "closes no group"),
	ROW("{page-faults}}", -EINVAL, 13, 1, "closes no group"),
	ROW("{{page-faults}}", -EINVAL, 1, 1, "nested"),
	ROW("{page-faults,a{cs}}", -EINVAL, 14, 1, "nested"),
	ROW("{page-faults,cs}u", -EINVAL, 16, 1, "behind the group"),
	ROW("{page-faults cs}", -EINVAL, 13, 2, "',' is missing"),
	ROW(":u", -EINVAL, 0, 1, "name is missing before ':'"),
	ROW("/config=1/", -EINVAL, 0, 1, "PMU is missing"),
	ROW("=", -EINVAL, 0, 1, "missing before '='"),
	ROW("cycles=3", -EINVAL, 6, 1, "between slashes"),
	ROW("'cycles'", -EINVAL, 1, 6, "quotes"),
	ROW("cycles'", -EINVAL, 6, 1, "not closed"),
	ROW("software/config=1", -EINVAL, 17, 1, "closing '/'"),
	ROW("software/", -EINVAL, 9, 1, "closing '/'"),
	ROW("{software/config=1}", -EINVAL, 18, 1, "closing '/'"),
	ROW("software/config=1,/", -EINVAL, 18, 1, "missing before '/'"),
	ROW("software/config=1,,name=x/", -EINVAL, 18, 1, "missing before ','"),
	ROW("software/config=/", -EINVAL, 16, 1, "value is missing"),
	ROW("software/=1/", -EINVAL, 9, 1, "missing before '='"),
	ROW("software/name='x/", -EINVAL, 14, 1, "not closed"),
	ROW("software/name=''/", -EINVAL, 9, 4, "name is missing"),
	ROW("software/config=1//", -EINVAL, 18, 1, "one '/' too many"),

	/* breakpoints */
	ROW("mem:", -EINVAL, 4, 1, "address of the breakpoint is missing"),
	ROW("mem:x", -EINVAL, 4, 1, "not the address"),
	ROW("mem:0x1000/:r", -EINVAL, 11, 1, "length of the breakpoint"),
	ROW("mem:0x1000/zz", -EINVAL, 11, 2, "not the length"),
	ROW("mem:0x1000:rr", -EINVAL, 12, 1, "given twice"),
	ROW("mem:0x1000:r:u:k", -EINVAL, 14, 1, "one ':' too many"),
	ROW("mem:0x1000:q", -EINVAL, 11, 1, "no modifier 'q'"),

	/* bytes */
	ROW("\xff\xfe", -ENOENT, 0, 2, "no event"),
	ROW("cyc\x1b[31mles", -ENOENT, 0, 11, "'cyc?[31mles'"),
#undef ROW
};

static void every_mistake_is_one_sentence_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct bad *row = &bad[i];
		struct fixture f;

		setup(&f);
		int err = parse(&f, row->text);
		if (err != row->err || f.diag.err != err || f.diag.pos != row->pos ||
		    f.diag.len != row->len)
			fail_msg("line %d, '%s': %d at %d+%d: %s", row->line, row->text, err,
				 f.diag.pos, f.diag.len, f.diag.what);
		if (!strstr(f.diag.what, row->says) && !strstr(f.diag.hint, row->says))
			fail_msg("line %d, '%s': '%s', '%s'", row->line, row->text, f.diag.what,
				 f.diag.hint);
		assert_int_equal(xp_evlist_nr(f.evlist), 0);
		/* Without anyone to tell, the answer is the same. */
		assert_int_equal(xp_evlist_parse(f.evlist, row->text, NULL), row->err);
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
		struct fixture f;
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
		{ "mem:0x1000", 3, 0x1000, 4 },     { "mem:4096:w", 2, 0x1000, 4 },
		{ "mem:0x1000:r", 1, 0x1000, 4 },   { "mem:0x1000:x", 4, 0x1000, sizeof(long) },
		{ "mem:0x1000/8:x", 4, 0x1000, 8 }, { "mem:0x1000/2:rw:u", 3, 0x1000, 2 },
		{ "mem:0x1000:rwx", 7, 0x1000, 4 }, { "mem:0x1000/1:u", 3, 0x1000, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;

		setup(&f);
		assert_int_equal(parse(&f, rows[i].text), 0);
		const struct xp_attr *attr = xp_evsel_attr(xp_evlist_at(f.evlist, 0));
		assert_int_equal(attr->bp_type, rows[i].type);
		assert_int_equal(attr->bp_addr, rows[i].addr);
		assert_int_equal(attr->bp_len, rows[i].len);
		teardown(&f);
	}
}

static void formats_reach_every_word(void **state)
{
	struct fixture f;

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
		{ "page-faults", XP_TOOL_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;

		setup(&f);
		assert_int_equal(parse(&f, rows[i].text), 0);
		assert_int_equal(xp_evsel_tool(xp_evlist_at(f.evlist, 0)), rows[i].tool);
		assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), rows[i].text);
		teardown(&f);
	}
}

static void parsing_twice_appends(void **state)
{
	struct fixture f;

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
		struct fixture f;

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
	struct fixture f;

	(void)state;
	setup_with(&f, NULL, "/nonexistent");
	assert_int_equal(xp_evlist_add_default(f.evlist, XP_DEFAULT_BASIC, true), 0);
	assert_int_equal(xp_evlist_nr(f.evlist), 8);
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), "cpu-clock");
	assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 5)), "instructions");
	teardown(&f);
}

/* A kernel table that counts the files looked at, and can refuse them. */
struct watching_sys {
	struct xp_sys sys;
	int opens;
	int refuse;
};

static int watched_open(const struct xp_sys *sys, const char *path)
{
	struct watching_sys *w = (struct watching_sys *)(uintptr_t)sys;

	w->opens++;
	if (w->refuse && strstr(path, "/tracing"))
		return w->refuse;
	return xp_sys_linux()->open(sys, path);
}

static int watched_list_dir(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	struct watching_sys *w = (struct watching_sys *)(uintptr_t)sys;

	w->opens++;
	if (w->refuse && strstr(path, "/tracing"))
		return w->refuse;
	return xp_sys_linux()->list_dir(sys, path, fn, data);
}

static struct watching_sys watch(int refuse)
{
	struct watching_sys w = { .sys = *xp_sys_linux(), .refuse = refuse };

	w.sys.open = watched_open;
	w.sys.list_dir = watched_list_dir;
	return w;
}

static void built_in_names_need_no_file(void **state)
{
	struct watching_sys w = watch(0);
	struct fixture f;

	(void)state;
	setup_with(&f, &w.sys, "");
	assert_int_equal(parse(&f, "task-clock,{page-faults:u,cs}:k,1:2,mem:0x1000:w,"
				   "duration_time,page-faults/name=x/"),
			 0);
	assert_int_equal(w.opens, 0);
	teardown(&f);
}

/* Which are one PMU's or several's is seen from the names of all. */
static void hardware_names_need_one_directory(void **state)
{
	struct watching_sys w = watch(0);
	struct fixture f;
	char root[4096];

	(void)state;
	snprintf(root, sizeof(root), "%s/tests/data/roots/parse", getenv("SOURCE_DIR"));
	setup_with(&f, &w.sys, root);
	assert_int_equal(parse(&f, "{cycles:u,LLC-load-misses}:k,r1a8"), 0);
	assert_int_equal(parse(&f, "instructions"), 0);
	assert_int_equal(w.opens, 1);
	teardown(&f);
}

static void one_tracepoint_costs_two_opens(void **state)
{
	struct watching_sys w = watch(0);
	struct fixture f;
	char root[4096];

	(void)state;
	snprintf(root, sizeof(root), "%s/tests/data/roots/parse", getenv("SOURCE_DIR"));
	setup_with(&f, &w.sys, root);
	assert_int_equal(parse(&f, "sched:sched_switch"), 0);
	assert_int_equal(w.opens, 2);
	assert_int_equal(parse(&f, "sched:sched_wakeup"), 0);
	assert_int_equal(w.opens, 3);
	teardown(&f);
}

static void unreadable_tracefs_says_what_to_do(void **state)
{
	struct watching_sys w = watch(-EACCES);
	struct fixture f;
	char root[4096];

	(void)state;
	snprintf(root, sizeof(root), "%s/tests/data/roots/parse", getenv("SOURCE_DIR"));
	setup_with(&f, &w.sys, root);
	assert_int_equal(parse(&f, "cs,sched:sched_switch"), -EACCES);
	assert_non_null(strstr(f.diag.what, "may not read /sys/kernel/tracing"));
	assert_non_null(strstr(f.diag.hint, "mount -o remount,mode=755 /sys/kernel/tracing"));
	assert_int_equal(f.diag.pos, 3);
	assert_int_equal(f.diag.len, 18);
	assert_int_equal(parse(&f, "sched:*"), -EACCES);
	assert_int_equal(parse(&f, "*:*"), -EACCES);
	assert_int_equal(parse(&f, "cylces:u"), -ENOENT);
	teardown(&f);
}

static void missing_tracefs_says_how_to_mount_it(void **state)
{
	struct fixture f;

	(void)state;
	setup_with(&f, NULL, "/nonexistent");
	assert_int_equal(parse(&f, "sched:sched_switch"), -ENOENT);
	assert_non_null(strstr(f.diag.what, "tracefs is not mounted"));
	assert_non_null(strstr(f.diag.hint, "mount -t tracefs nodev /sys/kernel/tracing"));
	assert_int_equal(f.diag.pos, 0);
	assert_int_equal(parse(&f, "cylces:u"), -ENOENT);
	assert_non_null(strstr(f.diag.hint, "'cycles'"));
	teardown(&f);
}

static void write_file(const char *root, const char *path, const char *text)
{
	char full[4096];

	snprintf(full, sizeof(full), "%s", root);
	for (const char *p = path; *p;) {
		size_t part = strcspn(p + 1, "/") + 1;

		strncat(full, p, part);
		p += part;
		if (*p)
			mkdir(full, 0777);
	}
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void tracefs_is_found_where_it_is_mounted(void **state)
{
	static const struct {
		const char *mounts;
		const char *at;
	} rows[] = {
		{ "x /my\\040traces tracefs rw 0 0\n", "/my traces" },
		{ "bad line\n\nproc /proc proc rw 0 0\nx /t tracefs rw 0 0", "/t" },
		{ "", "/sys/kernel/debug/tracing" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char root[] = "/tmp/test-parse-XXXXXX";
		char id[256], command[64];
		struct fixture f;

		assert_non_null(mkdtemp(root));
		snprintf(id, sizeof(id), "%s/events/irq/softirq_entry/id", rows[i].at);
		write_file(root, "/proc/mounts", rows[i].mounts);
		write_file(root, id, "77\n");
		setup_with(&f, NULL, root);
		assert_int_equal(parse(&f, "irq:softirq_entry"), 0);
		assert_int_equal(xp_evsel_attr(xp_evlist_at(f.evlist, 0))->config, 77);
		teardown(&f);
		snprintf(command, sizeof(command), "rm -r %s", root);
		assert_int_equal(system(command), 0);
	}
}

/* @nr times @piece between @before and @after, the caller's. */
static char *repeat(const char *before, const char *piece, size_t nr, const char *after)
{
	size_t len = strlen(piece);
	char *text = malloc(strlen(before) + nr * len + strlen(after) + 1);
	char *end = stpcpy(text, before);

	for (size_t i = 0; i < nr; i++)
		end = stpcpy(end, piece);
	strcpy(end, after);
	return text;
}

static void long_strings_take_linear_time_and_flat_stack(void **state)
{
	enum { NR = 100000 };
	static const struct {
		const char *before, *piece, *after;
		int err;
	} rows[] = {
		{ "", "a", "", -ENOENT },
		{ "", "{", "", -EINVAL },
		{ "", ":", "", -EINVAL },
		{ "cs:", "u", "", -EINVAL },
		{ "{cs", ",cs", "}:u", 0 },
		{ "{cs", ",cs", "", -EINVAL },
		{ "software/config=1", ",config=2", "/", 0 },
		{ "software/name=", "x", "/", 0 },
		{ "software/name=a", "'", "/", -EINVAL },
		{ "sched:", "*?", "", -ENOENT },
		{ "", "*", ":x", -ENOENT },
		{ "sched:", "x", "", -ENOENT },
		{ "", "x", "/config=1/", -ENOENT },
		{ "", " ", "cs", 0 },
		{ "r", "0", "1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text = repeat(rows[i].before, rows[i].piece, NR, rows[i].after);
		struct fixture f;

		setup(&f);
		int err = parse(&f, text);
		if (err != rows[i].err)
			fail_msg("row %zu: %d: %s", i, err, f.diag.what);
		if (err && (f.diag.pos < 0 || f.diag.len < 1 ||
			    (size_t)(f.diag.pos + f.diag.len) > sizeof(f.diag.input)))
			fail_msg("row %zu: position %d+%d", i, f.diag.pos, f.diag.len);
		teardown(&f);
		free(text);
	}
}

static void the_place_is_right_in_an_excerpt_too(void **state)
{
	char *text = repeat("", "page-faults,", 1000, "cylces,cs");
	struct fixture f;

	(void)state;
	setup(&f);
	assert_int_equal(parse(&f, text), -ENOENT);
	assert_memory_equal(f.diag.input + f.diag.pos, "cylces,cs", 10);
	assert_int_equal(f.diag.len, 6);
	teardown(&f);
	free(text);
}

static void patterns_match_whole_names(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} rows[] = {
		{ "", "", true },        { "*", "", true },        { "?", "", false },
		{ "a*c", "abbc", true }, { "a*c", "abcb", false }, { "*a*b*", "xxaxxbxx", true },
		{ "?b?", "abc", true },  { "abc", "abcd", false }, { "abcd", "abc", false },
		{ "**a", "aaa", true },  { "*ab", "aaaab", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (xp_glob_match(rows[i].pattern, strlen(rows[i].pattern), rows[i].text) !=
		    rows[i].matches)
			fail_msg("row %zu, '%s' and '%s'", i, rows[i].pattern, rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_becomes_its_attribute),
		cmocka_unit_test(every_mistake_is_one_sentence_with_its_place),
		cmocka_unit_test(groups_and_patterns),
		cmocka_unit_test(breakpoints_have_length_and_access),
		cmocka_unit_test(formats_reach_every_word),
		cmocka_unit_test(tool_events_know_what_they_measure),
		cmocka_unit_test(parsing_twice_appends),
		cmocka_unit_test(the_standard_sets),
		cmocka_unit_test(the_standard_set_of_a_system_without_pmu),
		cmocka_unit_test(built_in_names_need_no_file),
		cmocka_unit_test(hardware_names_need_one_directory),
		cmocka_unit_test(one_tracepoint_costs_two_opens),
		cmocka_unit_test(unreadable_tracefs_says_what_to_do),
		cmocka_unit_test(missing_tracefs_says_how_to_mount_it),
		cmocka_unit_test(tracefs_is_found_where_it_is_mounted),
		cmocka_unit_test(long_strings_take_linear_time_and_flat_stack),
		cmocka_unit_test(the_place_is_right_in_an_excerpt_too),
		cmocka_unit_test(patterns_match_whole_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
