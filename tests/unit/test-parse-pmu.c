/* SPDX-License-Identifier: MIT */
/*
 * Events of PMUs on the machines of tests/data/roots: what attribute a string gives, on which CPUs
 * the event is opened, what is refused.
 *
 * Facts: the trees are small ones after real machines; Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-*; the sums of bits were measured with perf 6.1 (terms.c).
 */
#include "open-fixture.h"

enum { EVENTS_MAX = 16 };

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
	ROW("intel-hybrid", "cycles/ /",
	    { { 0, E(4), ALL4, "cpu_core/cycles/" }, { 0, E(10), "4,5,6,7", "cpu_atom/cycles/" } }),
	ROW("intel-hybrid", "cycles/config=9/",
	    { { 0, E(4) | 9, ALL4, "cpu_core/cycles,config=9/" },
	      { 0, E(10) | 9, "4,5,6,7", "cpu_atom/cycles,config=9/" } }),
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
		struct parsing f;

		if (!nr_events(row))
			continue;
		setup_machine(&f, row->root);
		int err = parse(&f, row->text);
		if (err || xp_evlist_nr(f.evlist) != nr_events(row))
			fail_msg("line %d, '%s': %d, %d events: %s", row->line, row->text, err,
				 xp_evlist_nr(f.evlist), f.diag.what);
		assert_names_come_back(&f, row->text);
		open_on(&f, NULL);
		for (int e = 0; e < nr_events(row); e++) {
			const struct xp_evsel *evsel = xp_evlist_at(f.evlist, e);
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
		teardown_machine(&f);
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
	ROW("skylake-sp", "cycles/stack-size=70000/", -EINVAL, 18, 5, "at most 65528"),
	ROW("skylake-sp", "cycles/stack-size=4097/", -EINVAL, 18, 4, "multiple of 8"),
	ROW("skylake-sp", "cycles/branch_type=any|xx/", -EINVAL, 23, 2, "cannot be 'xx'"),
	ROW("skylake-sp", "cycles/branch_type/", -EINVAL, 7, 11, "value is missing"),
	ROW("skylake-sp", "cycles/aux-action=stop/", -EINVAL, 18, 4, "pause"),
	ROW("skylake-sp", "cycles/max-stack=65536/", -EINVAL, 17, 5, "at most 65535"),
	ROW("skylake-sp", "cycles/ratio-to-prev=0/", -EINVAL, 21, 1, "above 0"),
	ROW("skylake-sp", "cycles/ratio-to-prev=1e3/", -EINVAL, 21, 3, "above 0"),
	ROW("skylake-sp", "cycles/ratio-to-prev=1.0.0/", -EINVAL, 21, 5, "above 0"),
	ROW("skylake-sp", "cycles/ratio-to-prev/", -EINVAL, 7, 13, "value is missing"),
	ROW("skylake-sp", "instructions,cycles/ratio-to-prev=0.5/", -EINVAL, 13, 25, "same PMU"),
	ROW("skylake-sp", "{cycles/ratio-to-prev=0.5/}", -EINVAL, 1, 25, "same PMU"),
	ROW("skylake-sp", "{instructions,dummy,cycles/ratio-to-prev=0.5/}", -EINVAL, 20, 25,
	    "same PMU"),
	ROW("skylake-sp", "{msr/tsc/,cycles/ratio-to-prev=0.5/}", -EINVAL, 10, 25, "same PMU"),
	ROW("skylake-sp", "cpu/cpu-cycles,@sink/", -EINVAL, 15, 5, "'@sink' is not possible"),
	ROW("skylake-sp", "cycles/@sink/", -EINVAL, 7, 5, "'@sink' is not possible"),
	ROW("skylake-sp", "msr/tsc,@a=b/", -EINVAL, 8, 2, "'@a' is not possible"),
	ROW("arm-coresight", "cs_etm/@tmc_etr1/", -ENOENT, 7, 9, "'tmc_etr0'"),
	ROW("arm-coresight", "cs_etm/@tmc_etr0=1/", -EINVAL, 7, 9, "does not accept its sink as"),
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
		struct parsing f;

		setup_machine(&f, row->root);
		int err = parse(&f, row->text);
		if (err != row->err || f.diag.pos != row->pos || f.diag.len != row->len ||
		    (!strstr(f.diag.what, row->says) && !strstr(f.diag.hint, row->says)))
			fail_msg("line %d, '%s': %d at %d+%d: %s. %s", row->line, row->text, err,
				 f.diag.pos, f.diag.len, f.diag.what, f.diag.hint);
		assert_int_equal(xp_evlist_nr(f.evlist), 0);
		teardown_machine(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_its_attribute_and_cpus),
		cmocka_unit_test(every_mistake_has_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
