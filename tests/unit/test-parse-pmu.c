/* SPDX-License-Identifier: MIT */
/*
 * Events of PMUs on the machines of tests/data/roots: what attribute a string gives, on which CPUs
 * the event is opened, what is merged, what is refused.
 *
 * Facts: the trees are small ones after real machines; Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-*; the sums of bits were measured with perf 6.1 (terms.c).
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

#include <xperf/xperf.h>

#include "event.h"
#include "stat-shown.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

enum { FIRST_FD = 1000000, FDS_MAX = 4096, EVENTS_MAX = 16 };

/* A kernel that opens everything, and reads what it is told. */
struct any_kernel {
	struct xp_sys sys;
	int nr;
	int nr_open;
};

static struct any_kernel *kernel_of(const struct xp_sys *sys)
{
	return (struct any_kernel *)(uintptr_t)sys;
}

static int open_any(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		    int group_fd, unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	kernel_of(sys)->nr_open++;
	return FIRST_FD + kernel_of(sys)->nr++;
}

static int close_any(const struct xp_sys *sys, int fd)
{
	if (fd < FIRST_FD)
		return xp_sys_linux()->close(sys, fd);
	kernel_of(sys)->nr_open--;
	return 0;
}

struct machine {
	struct any_kernel kernel;
	struct xp_ctx *ctx;
	struct xp_evlist *evlist;
	struct xp_diag diag;
};

static void machine_init(struct machine *m, const char *name)
{
	char root[4096];
	const char *source = getenv("SOURCE_DIR");
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &m->kernel.sys, .root = root };

	snprintf(root, sizeof(root), "%s/tests/data/roots/%s", source ? source : ".", name);
	*m = (struct machine){ .kernel.sys = *xp_sys_linux() };
	m->kernel.sys.perf_event_open = open_any;
	m->kernel.sys.close = close_any;
	assert_int_equal(xp_ctx_new(&opts, &m->ctx), 0);
	assert_int_equal(xp_evlist_new(m->ctx, &m->evlist), 0);
}

static void machine_fini(struct machine *m)
{
	xp_evlist_free(m->evlist);
	assert_int_equal(m->kernel.nr_open, 0);
	xp_ctx_free(m->ctx);
}

static int parse(struct machine *m, const char *text)
{
	return xp_evlist_parse(m->evlist, text, &m->diag);
}

/* Opens on some CPUs; NULL: those that are online. */
static void open_on(struct machine *m, const char *cpus)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };

	if (cpus)
		assert_int_equal(xp_cpus_parse(cpus, &opts.cpus, NULL), 0);
	else
		assert_int_equal(xp_cpus_online(m->ctx, &opts.cpus, NULL), 0);
	assert_int_equal(xp_evlist_open(m->evlist, &opts, &m->diag), 0);
	xp_cpus_unref(opts.cpus);
}

/* "0,4": where an event is open. */
static const char *opened_on(const struct xp_evsel *evsel)
{
	static char list[256];
	size_t len = 0;

	list[0] = '\0';
	for (int i = 0; evsel->fds && i < xp_cpus_nr(evsel->cpus); i++)
		if (xp_evsel_fd(evsel, i, 0) >= 0)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%d",
						len ? "," : "", xp_cpus_at(evsel->cpus, i).nr);
	return list;
}

#define E(type) ((uint64_t)(type) << 32)
#define ALL4    "0,1,2,3"
#define ALL8    "0,1,2,3,4,5,6,7"

/* What each event of a string becomes; what is not given is 0. @name NULL: as written. */
static const struct row {
	int line;
	const char *root;
	const char *text;
	struct {
		uint32_t type;
		uint64_t config;
		const char *cpus;
		const char *name;
		uint64_t config1, config2, config3;
	} events[EVENTS_MAX];
} rows[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	/* CPUs that are all alike */
	ROW("skylake-sp", "cycles", { { 0, 0, ALL8 } }),
	ROW("skylake-sp", "cpu/cpu-cycles/", { { 4, 0x3c, ALL8 } }),
	ROW("skylake-sp", "cpu/event=0xd1,umask=0x20,cmask=1,inv,edge/u",
	    { { 4, 0x18420d1 | 1 << 23, ALL8 } }),
	ROW("skylake-sp", "cpu/event=0xcd,umask=0x1,ldlat=30/pp", { { 4, 0x1cd, ALL8, NULL, 30 } }),
	ROW("skylake-sp", "cpu/mem-loads,ldlat=0x10/", { { 4, 0x1cd, ALL8, NULL, 0x13 } }),
	ROW("skylake-sp", "mem-loads", { { 4, 0x1cd, ALL8, NULL, 3 } }),
	ROW("skylake-sp", "mem-loads/ldlat=0x100/P", { { 4, 0x1cd, ALL8, NULL, 0x103 } }),
	ROW("skylake-sp", "cpu/event=0xb7,umask=1,offcore_rsp=0x3f80000001/",
	    { { 4, 0x1b7, ALL8, NULL, 0x3f80000001 } }),
	ROW("skylake-sp", "cpu/cycles/", { { 0, 0, ALL8 } }),
	ROW("skylake-sp", "cpu/LLC-loads/", { { 3, 2, ALL8 } }),
	ROW("skylake-sp", "cpu/r1a8/", { { 4, 0x1a8, ALL8 } }),
	ROW("skylake-sp", "cpu/config=0x3c,config1=0x7,config2=0x9,config3=0xb/",
	    { { 4, 0x3c, ALL8, NULL, 7, 9, 11 } }),
	ROW("skylake-sp", "cpu/event=1,config=2/", { { 4, 3, ALL8 } }),
	ROW("skylake-sp", "cpu/config=2,event=1/", { { 4, 3, ALL8 } }),
	ROW("skylake-sp", "software/page-faults/", { { 1, 2, ALL8 } }),
	ROW("skylake-sp", "software/cs/k", { { 1, 3, ALL8 } }),
	ROW("skylake-sp", "msr/tsc/", { { 11, 0, ALL8 } }),
	ROW("skylake-sp", "tsc", { { 11, 0, ALL8 } }),
	ROW("skylake-sp", "intel_pt/cyc,tsc=1,branch=0/", { { 8, 0x402, ALL8 } }),

	/* boxes of the uncore: one CPU per package */
	ROW("skylake-sp", "uncore_imc_3/cas_count_read/", { { 33, 0x304, "0,4" } }),
	ROW("skylake-sp", "imc_3/cas_count_write/", { { 33, 0xc04, "0,4" } }),
	ROW("skylake-sp", "uncore_imc/cas_count_read/",
	    { { 30, 0x304, "0,4" },
	      { 31, 0x304, "0,4" },
	      { 32, 0x304, "0,4" },
	      { 33, 0x304, "0,4" },
	      { 34, 0x304, "0,4" },
	      { 35, 0x304, "0,4" } }),
	ROW("skylake-sp", "imc/clockticks/",
	    { { 30, 0, "0,4" },
	      { 31, 0, "0,4" },
	      { 32, 0, "0,4" },
	      { 33, 0, "0,4" },
	      { 34, 0, "0,4" },
	      { 35, 0, "0,4" } }),
	ROW("skylake-sp", "cas_count_write",
	    { { 30, 0xc04, "0,4" },
	      { 31, 0xc04, "0,4" },
	      { 32, 0xc04, "0,4" },
	      { 33, 0xc04, "0,4" },
	      { 34, 0xc04, "0,4" },
	      { 35, 0xc04, "0,4" } }),
	ROW("skylake-sp", "uncore_imc_?/event=4,umask=3/",
	    { { 30, 0x304, "0,4" },
	      { 31, 0x304, "0,4" },
	      { 32, 0x304, "0,4" },
	      { 33, 0x304, "0,4" },
	      { 34, 0x304, "0,4" },
	      { 35, 0x304, "0,4" } }),
	ROW("skylake-sp", "*imc_1*/event=4/", { { 31, 4, "0,4" } }),
	ROW("skylake-sp", "uncore_cha/event=0x35,umask=0x10001/",
	    { { 40, 0x10000000135, "0,4" },
	      { 41, 0x10000000135, "0,4" },
	      { 42, 0x10000000135, "0,4" },
	      { 50, 0x10000000135, "0,4" } }),
	ROW("skylake-sp", "cha_10/event=0x35,filter_opc0=0x248,tid_en/",
	    { { 50, 0x80035, "0,4", NULL, UINT64_C(0x248) << 41 } }),
	ROW("skylake-sp", "uncore_pcu/event=0,occ_sel=1/", { { 60, 0x4000, "0,4" } }),
	ROW("skylake-sp", "pcu/event=0,occ_sel=2/", { { 60, 0x8000, "0,4" } }),
	ROW("skylake-sp", "power/energy-pkg/", { { 20, 2, "0,4" } }),
	ROW("skylake-sp", "energy-ram", { { 20, 3, "0,4" } }),
	ROW("skylake-sp", "intel_cqm/llc_occupancy/", { { 9, 1, "0,4" } }),
	ROW("skylake-sp", "uncore_imc_0/event=4,name=mine/", { { 30, 4, "0,4", "mine" } }),

	/* cpu= */
	ROW("skylake-sp", "cycles/cpu=3/", { { 0, 0, "3" } }),
	ROW("skylake-sp", "cycles/cpu=2-4,cpu=7/", { { 0, 0, "2,3,4,7" } }),
	ROW("skylake-sp", "page-faults/cpu=0/u", { { 1, 2, "0" } }),
	ROW("skylake-sp", "uncore_imc_0/event=4,cpu=4-7/", { { 30, 4, "4" } }),
	ROW("intel-hybrid", "page-faults/cpu=cpu_atom/", { { 1, 2, "4,5,6,7" } }),

	/* terms that change nothing in the attribute of a count */
	ROW("skylake-sp", "cycles/period=100000/", { { 0, 0, ALL8 } }),
	ROW("skylake-sp", "cpu/event=0x3c,freq=99,call-graph=dwarf,stack-size=4096/",
	    { { 4, 0x3c, ALL8 } }),
	ROW("skylake-sp", "cpu/cpu-cycles,percore,no-inherit,time=1,max-stack=5,nr=3/",
	    { { 4, 0x3c, ALL8 } }),
	ROW("skylake-sp", "cycles/branch_type=any_call|u,no-overwrite/", { { 0, 0, ALL8 } }),
	ROW("skylake-sp", "cycles/aux-output,aux-sample-size=4096,aux-action=pause/",
	    { { 0, 0, ALL8 } }),

	/* CPUs of two kinds */
	ROW("intel-hybrid", "cycles",
	    { { 0, E(4), ALL4, "cpu_core/cycles/" }, { 0, E(10), "4,5,6,7", "cpu_atom/cycles/" } }),
	ROW("intel-hybrid", "instructions:u",
	    { { 0, E(4) | 1, ALL4, "cpu_core/instructions/u" },
	      { 0, E(10) | 1, "4,5,6,7", "cpu_atom/instructions/u" } }),
	ROW("intel-hybrid", "LLC-load-misses",
	    { { 3, E(4) | 0x10002, ALL4, "cpu_core/LLC-load-misses/" },
	      { 3, E(10) | 0x10002, "4,5,6,7", "cpu_atom/LLC-load-misses/" } }),
	ROW("intel-hybrid", "r1a8",
	    { { 4, 0x1a8, ALL4, "cpu_core/r1a8/" }, { 10, 0x1a8, "4,5,6,7", "cpu_atom/r1a8/" } }),
	ROW("intel-hybrid", "cpu/r1a8/",
	    { { 4, 0x1a8, ALL4, "cpu_core/r1a8/" }, { 10, 0x1a8, "4,5,6,7", "cpu_atom/r1a8/" } }),
	ROW("intel-hybrid", "cpu/event=0x3c,umask=1/k",
	    { { 4, 0x13c, ALL4, "cpu_core/event=0x3c,umask=1/k" },
	      { 10, 0x13c, "4,5,6,7", "cpu_atom/event=0x3c,umask=1/k" } }),
	/* what one PMU cannot do is counted by the other */
	ROW("intel-hybrid", "cpu/event=0x3c,frontend=1/", { { 4, 0x3c, ALL4, NULL, 1 } }),
	ROW("intel-hybrid", "cpu_atom/cycles/", { { 0, E(10), "4,5,6,7" } }),
	ROW("intel-hybrid", "cpu_core/cpu-cycles/", { { 4, 0x3c, ALL4 } }),
	ROW("intel-hybrid", "cpu_*/cpu-cycles/",
	    { { 10, 0x3c, "4,5,6,7", "cpu_atom/cpu-cycles/" },
	      { 4, 0x3c, ALL4, "cpu_core/cpu-cycles/" } }),
	ROW("intel-hybrid", "mem-loads",
	    { { 10, 0x5d0, "4,5,6,7", "cpu_atom/mem-loads/", 3 },
	      { 4, 0x1cd, ALL4, "cpu_core/mem-loads/", 3 } }),
	ROW("intel-hybrid", "slots", { { 4, 0x400, ALL4 } }),
	ROW("intel-hybrid", "cycles/name=mine/",
	    { { 0, E(4), ALL4, "mine" }, { 0, E(10), "4,5,6,7", "mine" } }),
	ROW("intel-hybrid", "4:0x1a8", { { 4, 0x1a8, ALL8 } }),
	ROW("intel-hybrid", "task-clock", { { 1, 1, ALL8 } }),
	ROW("intel-hybrid", "data_read", { { 24, 0x20ff, "0" }, { 25, 0x20ff, "0" } }),
	ROW("intel-hybrid", "uncore_imc_free_running/data_read/",
	    { { 24, 0x20ff, "0" }, { 25, 0x20ff, "0" } }),

	/* AMD */
	ROW("amd-zen4", "cpu/event=0x1c0,umask=1/", { { 4, 0x1000001c0, ALL4 } }),
	ROW("amd-zen4", "ibs_op/cnt_ctl=1/", { { 9, 0x80000, ALL4 } }),
	ROW("amd-zen4", "ibs_fetch/rand_en,swfilt=1/",
	    { { 8, UINT64_C(1) << 57, ALL4, NULL, 0, 1 } }),
	ROW("amd-zen4", "amd_df/event=0x1f,umask=0xffe/", { { 12, 0xf00fe1f, "0" } }),
	ROW("amd-zen4", "amd_df/event=0x301f/", { { 12, 0x300000001f, "0" } }),
	ROW("amd-zen4", "amd_l3/event=0x04,umask=0xff,enallcores,enallslices,threadmask=3/",
	    { { 13, 0x300c0000000ff04, "0,2" } }),
	ROW("amd-zen4", "amd_umc/event=0xa,rdwrmask=1/",
	    { { 14, 0x10a, "0" }, { 15, 0x10a, "0" } }),
	ROW("amd-zen4", "stalled-cycles-frontend", { { 0, 7, ALL4 } }),

	/* Arm */
	ROW("arm-neoverse", "cycles", { { 0, 0, ALL4 } }),
	ROW("arm-neoverse", "r11", { { 4, 0x11, ALL4 } }),
	ROW("arm-neoverse", "armv8_pmuv3_0/l1d_cache/", { { 9, 4, ALL4 } }),
	ROW("arm-neoverse", "armv8_pmuv3_0/event=0x11,long=1,rdpmc/",
	    { { 9, 0x11, ALL4, NULL, 3 } }),
	ROW("arm-neoverse", "inst_retired:u", { { 9, 8, ALL4 } }),
	ROW("arm-neoverse",
	    "arm_spe_0/ts_enable=1,load_filter=1,min_latency=100,inv_event_filter=2/",
	    { { 10, 0x200000001, ALL4, NULL, 0, 100, 2 } }),
	ROW("arm-neoverse", "arm_cmn_0/type=0x5,eventid=0x1,bynodeid=1,nodeid=0x24/",
	    { { 11, 0x2480010005, "0" } }),
	ROW("arm-neoverse", "arm_cmn/hnf_cache_miss/", { { 11, 0x10005, "0" } }),
	ROW("arm-neoverse", "hnf_cache_miss/nodeid=1/", { { 11, 0x100010005, "0" } }),
	ROW("arm-neoverse", "smmuv3_pmcg/transaction/", { { 12, 1, "1" }, { 13, 1, "1" } }),
	ROW("arm-neoverse", "smmuv3_pmcg_ff88840/transaction,filter_stream_id=0x42/",
	    { { 12, 1, "1", NULL, 0x42 } }),
	ROW("arm-biglittle", "cycles:k",
	    { { 0, E(8), ALL4, "armv8_cortex_a53/cycles/k" },
	      { 0, E(9), "4,5", "armv8_cortex_a72/cycles/k" } }),
	ROW("arm-biglittle", "l2d_cache", { { 9, 0x16, "4,5" } }),
	ROW("arm-biglittle", "rff",
	    { { 8, 0xff, ALL4, "armv8_cortex_a53/rff/" },
	      { 9, 0xff, "4,5", "armv8_cortex_a72/rff/" } }),
	ROW("raspberry-pi", "cycles", { { 0, 0, ALL4 } }),
	ROW("raspberry-pi", "br_mis_pred", { { 8, 0x10, ALL4 } }),
	ROW("raspberry-pi", "uprobe/retprobe,ref_ctr_offset=0x10/", { { 7, 0x1000000001, ALL4 } }),

	/* parameters of an event */
	ROW("power9", "hv_24x7/HPM_CCYC__PHYS_CORE,core=3/", { { 7, 0xe000030002, "0" } }),
	ROW("power9", "HPM_CCYC__PHYS_CORE/core=3/", { { 7, 0xe000030002, "0" } }),

	/* a machine without a PMU */
	ROW("vm", "cycles", { { 0, 0, "0,1" } }),
	ROW("vm", "msr/tsc/", { { 9, 0, "0,1" } }),
	ROW("vm", "tsc/event=1/", { { 9, 1, "0,1" } }),
#undef ROW
};

static int nr_events(const struct row *row)
{
	int nr = 0;

	while (nr < EVENTS_MAX && row->events[nr].cpus)
		nr++;
	return nr;
}

static void every_event_has_its_attribute_and_cpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		struct machine m;

		if (!nr_events(row))
			continue;
		machine_init(&m, row->root);
		int err = parse(&m, row->text);
		if (err || xp_evlist_nr(m.evlist) != nr_events(row))
			fail_msg("line %d, '%s': %d, %d events: %s", row->line, row->text, err,
				 xp_evlist_nr(m.evlist), m.diag.what);
		open_on(&m, NULL);
		for (int e = 0; e < nr_events(row); e++) {
			const struct xp_evsel *evsel = xp_evlist_at(m.evlist, e);
			const struct xp_attr *a = &evsel->attr;
			const char *name = row->events[e].name;

			if (a->type != row->events[e].type || a->config != row->events[e].config ||
			    a->config1 != row->events[e].config1 ||
			    a->config2 != row->events[e].config2 ||
			    a->config3 != row->events[e].config3 || a->sample_period)
				fail_msg(
					"line %d, '%s': type %u, config %#llx, %#llx, %#llx, %#llx",
					row->line, row->text, a->type,
					(unsigned long long)a->config,
					(unsigned long long)a->config1,
					(unsigned long long)a->config2,
					(unsigned long long)a->config3);
			if (strcmp(opened_on(evsel), row->events[e].cpus))
				fail_msg("line %d, '%s': on CPUs '%s': %s", row->line, row->text,
					 opened_on(evsel), xp_evsel_reason(evsel));
			if (strcmp(xp_evsel_name(evsel), name ? name : row->text))
				fail_msg("line %d, '%s': named '%s'", row->line, row->text,
					 xp_evsel_name(evsel));
		}
		machine_fini(&m);
	}
}

static void expect_same_event(const struct row *row, const struct xp_evsel *a, const char *name)
{
	struct machine again;

	machine_init(&again, row->root);
	if (parse(&again, name))
		fail_msg("line %d: '%s' does not parse: %s", row->line, name, again.diag.what);
	for (int i = 0; i < xp_evlist_nr(again.evlist); i++) {
		const struct xp_evsel *b = xp_evlist_at(again.evlist, i);

		if (!memcmp(&a->attr, &b->attr, sizeof(a->attr))) {
			machine_fini(&again);
			return;
		}
	}
	fail_msg("line %d: '%s' parses to something else", row->line, name);
}

/* A name the user gave with name= is no event, every other is. */
static void every_name_parses_to_its_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		struct machine m;

		machine_init(&m, row->root);
		int err = parse(&m, row->text);
		for (int e = 0; !err && !strstr(row->text, "name=") && e < nr_events(row); e++) {
			const struct xp_evsel *evsel = xp_evlist_at(m.evlist, e);

			expect_same_event(row, evsel, xp_evsel_name(evsel));
			expect_same_event(row, evsel, xp_evsel_own_name(evsel));
		}
		machine_fini(&m);
	}
}

static const struct bad {
	int line;
	const char *root;
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
	ROW("skylake-sp", "uncore_ims/clockticks/", -ENOENT, 0, 10, "no PMU"),
	ROW("skylake-sp", "*ims*/clockticks/", -ENOENT, 0, 5, "no PMU"),
	ROW("skylake-sp", "uncore_im/clockticks/", -ENOENT, 0, 9, "no PMU"),
	ROW("skylake-sp", "uncore_imc_[/event=1/", -ENOENT, 0, 12, "no PMU"),
	ROW("skylake-sp", "uncore_imc/cas_count_raed/", -ENOENT, 11, 14, "'cas_count_read'"),
	ROW("skylake-sp", "uncore_imc/event=0x100/", -EINVAL, 17, 5, "too large"),
	ROW("skylake-sp", "uncore_cha/event=1,umask=0x100000000/", -EINVAL, 25, 11, "too large"),
	ROW("skylake-sp", "uncore_imc/cycles/", -ENOENT, 11, 6, "no term"),
	ROW("skylake-sp", "energy-pkg.unit", -ENOENT, 0, 15, "no event"),
	ROW("skylake-sp", "cycles/cpu=x/", -EINVAL, 11, 1, "neither a CPU"),
	ROW("skylake-sp", "cycles/cpu=3-1/", -EINVAL, 11, 3, "neither a CPU"),
	ROW("skylake-sp", "cycles/cpu/", -EINVAL, 7, 3, "value is missing"),
	ROW("skylake-sp", "cycles/period=x/", -EINVAL, 14, 1, "not a number"),
	ROW("skylake-sp", "cycles/period/", -EINVAL, 7, 6, "value is missing"),
	ROW("skylake-sp", "cycles/time=2/", -EINVAL, 12, 1, "0 or 1"),
	ROW("skylake-sp", "cycles/percore=yes/", -EINVAL, 15, 3, "0 or 1"),
	ROW("skylake-sp", "cycles/call-graph=dwarv/", -EINVAL, 18, 5, "'dwarf'"),
	ROW("skylake-sp", "cycles/stack-size=70000/", -EINVAL, 18, 5, "65528 at most"),
	ROW("skylake-sp", "cycles/stack-size=4097/", -EINVAL, 18, 4, "multiple of 8"),
	ROW("skylake-sp", "cycles/branch_type=any|xx/", -EINVAL, 23, 2, "cannot be 'xx'"),
	ROW("skylake-sp", "cycles/branch_type/", -EINVAL, 7, 11, "value is missing"),
	ROW("skylake-sp", "cycles/aux-action=stop/", -EINVAL, 18, 4, "pause"),
	ROW("skylake-sp", "cycles/max-stack=65536/", -EINVAL, 17, 5, "65535 at most"),
	ROW("skylake-sp", "cycles/ratio-to-prev=0/", -EINVAL, 21, 1, "above 0"),
	ROW("skylake-sp", "cycles/ratio-to-prev=1e3/", -EINVAL, 21, 3, "above 0"),
	ROW("skylake-sp", "cycles/ratio-to-prev=1.0.0/", -EINVAL, 21, 5, "above 0"),
	ROW("skylake-sp", "cycles/ratio-to-prev/", -EINVAL, 7, 13, "value is missing"),
	ROW("skylake-sp", "instructions,cycles/ratio-to-prev=0.5/", -EINVAL, 13, 25, "same PMU"),
	ROW("skylake-sp", "{cycles/ratio-to-prev=0.5/}", -EINVAL, 1, 25, "same PMU"),
	ROW("skylake-sp", "{instructions,dummy,cycles/ratio-to-prev=0.5/}", -EINVAL, 20, 25,
	    "same PMU"),
	ROW("skylake-sp", "{msr/tsc/,cycles/ratio-to-prev=0.5/}", -EINVAL, 10, 25, "same PMU"),
	ROW("skylake-sp", "cpu/cpu-cycles,@sink/", -EINVAL, 15, 5, "no driver takes '@sink'"),
	ROW("skylake-sp", "cycles/@sink/", -EINVAL, 7, 5, "no driver takes '@sink'"),
	ROW("skylake-sp", "msr/tsc,@a=b/", -EINVAL, 8, 2, "no driver takes '@a'"),
	ROW("arm-coresight", "cs_etm/@tmc_etr1/", -ENOENT, 7, 9, "'tmc_etr0'"),
	ROW("arm-coresight", "cs_etm/@tmc_etr0=1/", -EINVAL, 7, 9, "does not take its sink as"),
	ROW("arm-coresight", "cs_etm/@/", -ENOENT, 7, 1, "no sink ''"),
	ROW("intel-hybrid", "cpu_atom/frontend=1/", -ENOENT, 9, 8, "no term"),
	ROW("intel-hybrid", "cpu/nothing=1/", -ENOENT, 4, 7, "no term"),
	ROW("intel-hybrid", "cpu/event=0x100/", -EINVAL, 10, 5, "too large"),
	ROW("amd-zen4", "amd_l3/coreid=8/", -EINVAL, 14, 1, "too large"),
	ROW("arm-biglittle", "armv8_cortex/cpu_cycles/", -ENOENT, 0, 12, "no PMU"),
	ROW("power9", "hv_24x7/HPM_CCYC__PHYS_CORE/", -EINVAL, 8, 19, "needs a value for 'core'"),
	ROW("vm", "uncore_imc/cas_count_read/", -ENOENT, 0, 10, "breakpoint"),
#undef ROW
};

static void every_mistake_has_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct bad *row = &bad[i];
		struct machine m;

		machine_init(&m, row->root);
		int err = parse(&m, row->text);
		if (err != row->err || m.diag.pos != row->pos || m.diag.len != row->len ||
		    (!strstr(m.diag.what, row->says) && !strstr(m.diag.hint, row->says)))
			fail_msg("line %d, '%s': %d at %d+%d: %s. %s", row->line, row->text, err,
				 m.diag.pos, m.diag.len, m.diag.what, m.diag.hint);
		assert_int_equal(xp_evlist_nr(m.evlist), 0);
		machine_fini(&m);
	}
}

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
		struct machine m;

		machine_init(&m, "skylake-sp");
		assert_int_equal(parse(&m, facts[i].text), 0);
		const struct xp_evsel *evsel = xp_evlist_at(m.evlist, 0);
		assert_string_equal(xp_evsel_unit(evsel), facts[i].unit);
		assert_true(xp_evsel_scale(evsel) == facts[i].scale);
		assert_int_equal(xp_evsel_is_snapshot(evsel), i == 4);
		machine_fini(&m);
	}
}

static void boxes_are_merged_kinds_of_cpus_are_not(void **state)
{
	struct machine m;

	(void)state;
	machine_init(&m, "skylake-sp");
	assert_int_equal(parse(&m, "uncore_imc/cas_count_read/,cycles"), 0);
	for (int i = 0; i < 6; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(m.evlist, i);
		char own[64];

		snprintf(own, sizeof(own), "uncore_imc_%d/cas_count_read/", i);
		assert_string_equal(xp_evsel_own_name(evsel), own);
		assert_ptr_equal(xp_evsel_merged_into(evsel), xp_evlist_at(m.evlist, 0));
	}
	const struct xp_evsel *cycles = xp_evlist_at(m.evlist, 6);
	assert_ptr_equal(xp_evsel_merged_into(cycles), cycles);
	assert_string_equal(xp_evsel_own_name(cycles), "cycles");
	machine_fini(&m);

	machine_init(&m, "intel-hybrid");
	assert_int_equal(parse(&m, "cycles"), 0);
	for (int i = 0; i < 2; i++)
		assert_ptr_equal(xp_evsel_merged_into(xp_evlist_at(m.evlist, i)),
				 xp_evlist_at(m.evlist, i));
	machine_fini(&m);
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
		struct machine m;
		int nr = 0;

		machine_init(&m, groups[g].root);
		assert_int_equal(parse(&m, groups[g].text), 0);
		for (; nr < 8 && groups[g].events[nr].name; nr++) {
			const struct xp_evsel *evsel = xp_evlist_at(m.evlist, nr);

			assert_non_null(evsel);
			assert_string_equal(xp_evsel_name(evsel), groups[g].events[nr].name);
			assert_int_equal(xp_evsel_index(xp_evsel_leader(evsel)),
					 groups[g].events[nr].leader);
		}
		assert_int_equal(xp_evlist_nr(m.evlist), nr);
		open_on(&m, NULL);
		machine_fini(&m);
	}
}

static void terms_are_kept_for_recording(void **state)
{
	struct machine m;

	(void)state;
	machine_init(&m, "skylake-sp");
	assert_int_equal(parse(&m, "cycles/period=5,freq=7,call-graph=lbr,stack-size=16,"
				   "max-stack=9,nr=3,branch_type='any,u',time=0,no-inherit,"
				   "overwrite,percore,aux-output,aux-sample-size=64,"
				   "aux-action=resume,cpu=1/"),
			 0);
	const struct xp_event_terms *t = &xp_evlist_at(m.evlist, 0)->terms;
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
	machine_fini(&m);
	machine_init(&m, "skylake-sp");
	assert_int_equal(parse(&m, "{cycles,instructions/period=200000,ratio-to-prev=2.5/}"), 0);
	assert_true(xp_evlist_at(m.evlist, 0)->terms.ratio_to_prev == 0);
	assert_true(xp_evlist_at(m.evlist, 1)->terms.ratio_to_prev == 2.5);
	machine_fini(&m);
	machine_init(&m, "intel-hybrid");
	assert_int_equal(parse(&m, "{cycles,instructions/ratio-to-prev=2/}"), 0);
	assert_int_equal(xp_evlist_nr(m.evlist), 4);
	machine_fini(&m);
}

/* What a trace unit's driver is told by name is a number in the attribute. */
static void sinks_are_numbers(void **state)
{
	struct machine m;

	(void)state;
	machine_init(&m, "arm-coresight");
	assert_int_equal(parse(&m, "cs_etm/cycacc,@tmc_etr0/u"), 0);
	assert_int_equal(xp_evsel_attr(xp_evlist_at(m.evlist, 0))->config, 1 << 12);
	assert_int_equal(xp_evsel_attr(xp_evlist_at(m.evlist, 0))->config2, 0xdb7ec9c6);
	machine_fini(&m);
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
		struct machine m;

		machine_init(&m, "skylake-sp");
		assert_int_equal(parse(&m, cases[i].text), 0);
		open_on(&m, cases[i].cpus);
		const struct xp_evsel *evsel = xp_evlist_at(m.evlist, 0);
		assert_string_equal(opened_on(evsel), cases[i].open);
		assert_int_equal(xp_evsel_support(evsel),
				 *cases[i].open ? XP_SUPPORTED : XP_NOT_SUPPORTED);
		assert_non_null(strstr(xp_evsel_reason(evsel), cases[i].says));
		machine_fini(&m);
	}
}

static void a_package_is_no_task(void **state)
{
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct machine m;

	(void)state;
	machine_init(&m, "skylake-sp");
	assert_int_equal(parse(&m, "power/energy-pkg/,cycles,cycles/cpu=1/"), 0);
	assert_int_equal(xp_threads_one(m.ctx, 4711, &opts.threads), 0);
	assert_int_equal(xp_evlist_open(m.evlist, &opts, &m.diag), 0);
	assert_int_equal(xp_evsel_support(xp_evlist_at(m.evlist, 0)), XP_NOT_SUPPORTED);
	assert_non_null(strstr(xp_evsel_reason(xp_evlist_at(m.evlist, 0)), "use -a"));
	assert_int_equal(xp_evsel_support(xp_evlist_at(m.evlist, 1)), XP_SUPPORTED);
	assert_non_null(strstr(xp_evsel_reason(xp_evlist_at(m.evlist, 2)), "-C"));
	xp_threads_unref(opts.threads);
	machine_fini(&m);
}

/* Counts of one run of "-a" on a machine: each open cell counts @value. */
static char *shown(struct machine *m, enum xp_aggr_mode mode, bool no_merge, uint64_t value)
{
	struct xp_counts *counts;
	struct xp_aggr *aggr;
	struct stat_table table;
	struct stat_style style = { .format = STYLE_CSV, .separator = "," };
	char *text = NULL;
	size_t len = 0;

	assert_int_equal(xp_counts_new(xp_evlist_nr(m->evlist),
				       xp_cpus_nr(xp_evlist_cpus(m->evlist)), 1, &counts),
			 0);
	for (int e = 0; e < xp_evlist_nr(m->evlist); e++)
		for (int c = 0; c < xp_counts_nr_cpus(counts); c++)
			if (xp_evsel_fd(xp_evlist_at(m->evlist, e), c, 0) >= 0)
				*xp_counts_at(counts, e, c, 0) =
					(struct xp_count){ value, 10, 10, 0 };
	assert_int_equal(xp_aggr_new(m->ctx, mode, xp_evlist_cpus(m->evlist),
				     xp_evlist_threads(m->evlist), &aggr),
			 0);
	assert_int_equal(stat_table_init(&table, m->evlist, aggr), 0);
	table.no_merge = no_merge;
	stat_table_take(&table, counts, 1000, true);
	stat_table_finish(&table);
	style.out = open_memstream(&text, &len);
	stat_render(&style, &table);
	fclose(style.out);
	stat_table_fini(&table);
	xp_aggr_free(aggr);
	xp_counts_free(counts);
	return text;
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
		struct machine m;

		machine_init(&m, cases[i].root);
		assert_int_equal(parse(&m, cases[i].text), 0);
		open_on(&m, NULL);
		char *text = shown(&m, cases[i].mode, cases[i].no_merge, 100);
		assert_string_equal(text, cases[i].lines);
		free(text);
		machine_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_its_attribute_and_cpus),
		cmocka_unit_test(every_name_parses_to_its_event),
		cmocka_unit_test(every_mistake_has_its_place),
		cmocka_unit_test(units_and_scales_are_those_of_the_pmu),
		cmocka_unit_test(boxes_are_merged_kinds_of_cpus_are_not),
		cmocka_unit_test(groups_are_of_one_pmu),
		cmocka_unit_test(terms_are_kept_for_recording),
		cmocka_unit_test(sinks_are_numbers),
		cmocka_unit_test(only_cpus_that_were_asked_for),
		cmocka_unit_test(a_package_is_no_task),
		cmocka_unit_test(lines_are_sums_over_boxes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
