/* SPDX-License-Identifier: MIT */
/*
 * Which events have metrics, and how they are computed and shown. Names, widths, thresholds:
 * perf-stat(1) and the output of perf 6.1, `perf stat -d`, with constructed counts.
 */
#include "metric.h"

#include <math.h>
#include <string.h>
#include <xperf/evsel.h>

#include "cleanup.h"
#include "uapi.h"

#define CACHE_READ(cache, result)                                                                  \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 |                          \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	uint32_t type;
	uint32_t config;
	enum metric_kind kind;
} by_attr[] = {
	{ XP_TYPE_SOFTWARE, XP_SW_CPU_CLOCK, KIND_CLOCK },
	{ XP_TYPE_SOFTWARE, XP_SW_TASK_CLOCK, KIND_CLOCK },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, KIND_CYCLES },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, KIND_INSTRUCTIONS },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, KIND_CACHE_REFS },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, KIND_CACHE_MISSES },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, KIND_BRANCHES },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, KIND_BRANCH_MISSES },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, KIND_STALLED_FRONT },
	{ XP_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, KIND_STALLED_BACK },
	{ XP_TYPE_HW_CACHE, CACHE_READ(L1D, ACCESS), KIND_L1D_LOADS },
	{ XP_TYPE_HW_CACHE, CACHE_READ(L1D, MISS), KIND_L1D_MISSES },
	{ XP_TYPE_HW_CACHE, CACHE_READ(L1I, ACCESS), KIND_L1I_LOADS },
	{ XP_TYPE_HW_CACHE, CACHE_READ(L1I, MISS), KIND_L1I_MISSES },
	{ XP_TYPE_HW_CACHE, CACHE_READ(LL, ACCESS), KIND_LLC_LOADS },
	{ XP_TYPE_HW_CACHE, CACHE_READ(LL, MISS), KIND_LLC_MISSES },
	{ XP_TYPE_HW_CACHE, CACHE_READ(DTLB, ACCESS), KIND_DTLB_LOADS },
	{ XP_TYPE_HW_CACHE, CACHE_READ(DTLB, MISS), KIND_DTLB_MISSES },
	{ XP_TYPE_HW_CACHE, CACHE_READ(ITLB, ACCESS), KIND_ITLB_LOADS },
	{ XP_TYPE_HW_CACHE, CACHE_READ(ITLB, MISS), KIND_ITLB_MISSES },
};

/* Events of a PMU are known by name only: "cpu/tx-start/" as well as "tx-start". */
static const struct {
	const char *name;
	enum metric_kind kind;
} by_name[] = {
	{ "cycles-t", KIND_CYCLES_TX },
	{ "cycles-ct", KIND_CYCLES_TX_COMMITTED },
	{ "tx-start", KIND_TX_START },
	{ "el-start", KIND_EL_START },
	{ "topdown-retiring", KIND_TD_RETIRING },
	{ "topdown-bad-spec", KIND_TD_BAD_SPEC },
	{ "topdown-fe-bound", KIND_TD_FRONTEND },
	{ "topdown-be-bound", KIND_TD_BACKEND },
	{ "topdown-heavy-ops", KIND_TD_HEAVY_OPS },
	{ "topdown-br-mispredict", KIND_TD_BR_MISPREDICT },
	{ "topdown-fetch-lat", KIND_TD_FETCH_LATENCY },
	{ "topdown-mem-bound", KIND_TD_MEMORY_BOUND },
};

enum metric_kind xp_metric_kind_of(const struct xp_evsel *evsel)
{
	const struct xp_attr *attr = xp_evsel_attr_const(evsel);
	const char *name = xp_evsel_name(evsel);

	if (xp_evsel_tool(evsel) != XP_TOOL_NONE)
		return KIND_OTHER;
	/* The upper half of a hardware event's config names the PMU of a hybrid machine. */
	for (size_t i = 0; i < XP_ARRAY_LEN(by_attr); i++)
		if (attr->type == by_attr[i].type && (uint32_t)attr->config == by_attr[i].config)
			return by_attr[i].kind;
	if (attr->type < XP_TYPE_RAW)
		return KIND_OTHER;

	const char *slash = strchr(name, '/');
	const char *word = slash ? slash + 1 : name;
	size_t len = strcspn(word, "/:");
	for (size_t i = 0; i < XP_ARRAY_LEN(by_name); i++)
		if (strlen(by_name[i].name) == len && !memcmp(by_name[i].name, word, len))
			return by_name[i].kind;
	return KIND_OTHER;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double per_wall(double own, const double *partners, double wall_ns)
{
	(void)partners;
	return own / wall_ns;
}

static double per_partner(double own, const double *partners, double wall_ns)
{
	(void)wall_ns;
	return own / partners[0];
}

static double percent_of_partner(double own, const double *partners, double wall_ns)
{
	return 100 * per_partner(own, partners, wall_ns);
}

/* The clock counts nanoseconds. */
static double per_second(double own, const double *partners, double wall_ns)
{
	return 1e9 * per_partner(own, partners, wall_ns);
}

/* Partners: stalls of both ends; the larger one, and nothing where there is none. */
static double stalled_per_own(double own, const double *partners, double wall_ns)
{
	double stalled = larger(partners[0], partners[1]);

	(void)wall_ns;
	return stalled > 0 ? stalled / own : NAN;
}

static double partner_per_own(double own, const double *partners, double wall_ns)
{
	(void)wall_ns;
	return partners[0] / own;
}

/* Own: cycles of transactions that committed. Partners: all cycles, cycles in transactions. */
static double percent_aborted(double own, const double *partners, double wall_ns)
{
	(void)wall_ns;
	return 100 * (larger(partners[1], own) - own) / partners[0];
}

/* Partners of the topdown metrics: the four classes every slot falls into. */
static double slots(const double *classes)
{
	return classes[0] + classes[1] + classes[2] + classes[3];
}

static double percent_of_slots(double own, const double *classes, double wall_ns)
{
	(void)wall_ns;
	return 100 * own / slots(classes);
}

/* What is left of the first class beside the own count. */
static double percent_rest(double own, const double *classes, double wall_ns)
{
	(void)wall_ns;
	return 100 * larger(classes[0] - own, 0) / slots(classes);
}

/* Misses among accesses; remarkable from 5, 10 and 20 %. */
#define MISSES(of, text)                                                                           \
	.partners = { of }, .compute = percent_of_partner, .unit = text, .width = 7,               \
	.precision = 2, .suffix = "%", .yellow = 5, .magenta = 10, .red = 20
/* A share of all slots. */
#define SLOTS(how, text)                                                                           \
	.partners_optional = true, .compute = how, .unit = text, .width = 8, .precision = 1,       \
	.suffix = "%"
#define RETIRING_FIRST KIND_TD_RETIRING, KIND_TD_BAD_SPEC, KIND_TD_FRONTEND, KIND_TD_BACKEND
#define BAD_SPEC_FIRST KIND_TD_BAD_SPEC, KIND_TD_RETIRING, KIND_TD_FRONTEND, KIND_TD_BACKEND
#define FRONTEND_FIRST KIND_TD_FRONTEND, KIND_TD_RETIRING, KIND_TD_BAD_SPEC, KIND_TD_BACKEND
#define BACKEND_FIRST  KIND_TD_BACKEND, KIND_TD_RETIRING, KIND_TD_BAD_SPEC, KIND_TD_FRONTEND

/* At most XP_METRICS_PER_EVENT_MAX per kind. A kind without a row here has the row of KIND_OTHER.
 */
const struct metric_formula xp_metric_formulas[] = {
	{ KIND_OTHER, { KIND_CLOCK }, .compute = per_second, .width = 8, .precision = 3 },
	{ KIND_CLOCK, .compute = per_wall, .unit = "CPUs utilized", .width = 8, .precision = 3 },
	{ KIND_CYCLES,
	  { KIND_CLOCK },
	  .compute = per_partner,
	  .unit = "GHz",
	  .width = 8,
	  .precision = 3 },
	{ KIND_INSTRUCTIONS,
	  { KIND_CYCLES },
	  .compute = per_partner,
	  .unit = "insn per cycle",
	  .width = 7,
	  .precision = 2,
	  .suffix = " " },
	{ KIND_INSTRUCTIONS,
	  { KIND_STALLED_FRONT, KIND_STALLED_BACK },
	  .partners_optional = true,
	  .compute = stalled_per_own,
	  .unit = "stalled cycles per insn",
	  .width = 7,
	  .precision = 2,
	  .suffix = " ",
	  .own_line = true },
	{ KIND_BRANCH_MISSES, MISSES(KIND_BRANCHES, "of all branches") },
	{ KIND_CACHE_MISSES,
	  { KIND_CACHE_REFS },
	  .compute = percent_of_partner,
	  .unit = "of all cache refs",
	  .width = 8,
	  .precision = 3,
	  .suffix = " %",
	  .yellow = 5,
	  .magenta = 10,
	  .red = 20 },
	{ KIND_L1D_MISSES, MISSES(KIND_L1D_LOADS, "of all L1-dcache accesses") },
	{ KIND_L1I_MISSES, MISSES(KIND_L1I_LOADS, "of all L1-icache accesses") },
	{ KIND_LLC_MISSES, MISSES(KIND_LLC_LOADS, "of all LL-cache accesses") },
	{ KIND_DTLB_MISSES, MISSES(KIND_DTLB_LOADS, "of all dTLB cache accesses") },
	{ KIND_ITLB_MISSES, MISSES(KIND_ITLB_LOADS, "of all iTLB cache accesses") },
	{ KIND_STALLED_FRONT,
	  { KIND_CYCLES },
	  .compute = percent_of_partner,
	  .unit = "frontend cycles idle",
	  .width = 7,
	  .precision = 2,
	  .suffix = "%",
	  .hide_zero = true,
	  .yellow = 10,
	  .magenta = 30,
	  .red = 50 },
	{ KIND_STALLED_BACK,
	  { KIND_CYCLES },
	  .compute = percent_of_partner,
	  .unit = "backend cycles idle",
	  .width = 7,
	  .precision = 2,
	  .suffix = "%",
	  .yellow = 20,
	  .magenta = 50,
	  .red = 75 },
	{ KIND_CYCLES_TX,
	  { KIND_CYCLES },
	  .compute = percent_of_partner,
	  .unit = "transactional cycles",
	  .width = 7,
	  .precision = 2,
	  .suffix = "%" },
	{ KIND_CYCLES_TX_COMMITTED,
	  { KIND_CYCLES, KIND_CYCLES_TX },
	  .compute = percent_aborted,
	  .unit = "aborted cycles",
	  .width = 7,
	  .precision = 2,
	  .suffix = "%" },
	{ KIND_TX_START,
	  { KIND_CYCLES_TX },
	  .compute = partner_per_own,
	  .unit = "cycles / transaction",
	  .width = 8 },
	{ KIND_EL_START,
	  { KIND_CYCLES_TX },
	  .compute = partner_per_own,
	  .unit = "cycles / elision",
	  .width = 8 },
	{ KIND_TD_RETIRING, { RETIRING_FIRST }, SLOTS(percent_of_slots, "Retiring") },
	{ KIND_TD_BAD_SPEC,
	  { RETIRING_FIRST },
	  SLOTS(percent_of_slots, "Bad Speculation"),
	  .red = 10 },
	{ KIND_TD_FRONTEND,
	  { RETIRING_FIRST },
	  SLOTS(percent_of_slots, "Frontend Bound"),
	  .red = 20 },
	{ KIND_TD_BACKEND,
	  { RETIRING_FIRST },
	  SLOTS(percent_of_slots, "Backend Bound"),
	  .red = 20 },
	{ KIND_TD_HEAVY_OPS, { RETIRING_FIRST }, SLOTS(percent_of_slots, "Heavy Operations") },
	{ KIND_TD_HEAVY_OPS, { RETIRING_FIRST }, SLOTS(percent_rest, "Light Operations") },
	{ KIND_TD_BR_MISPREDICT,
	  { BAD_SPEC_FIRST },
	  SLOTS(percent_of_slots, "Branch Mispredict"),
	  .red = 5 },
	{ KIND_TD_BR_MISPREDICT,
	  { BAD_SPEC_FIRST },
	  SLOTS(percent_rest, "Machine Clears"),
	  .red = 5 },
	{ KIND_TD_FETCH_LATENCY,
	  { FRONTEND_FIRST },
	  SLOTS(percent_of_slots, "Fetch Latency"),
	  .red = 15 },
	{ KIND_TD_FETCH_LATENCY,
	  { FRONTEND_FIRST },
	  SLOTS(percent_rest, "Fetch Bandwidth"),
	  .red = 10 },
	{ KIND_TD_MEMORY_BOUND,
	  { BACKEND_FIRST },
	  SLOTS(percent_of_slots, "Memory Bound"),
	  .red = 20 },
	{ KIND_TD_MEMORY_BOUND, { BACKEND_FIRST }, SLOTS(percent_rest, "Core Bound"), .red = 10 },
};

const size_t xp_metric_nr_formulas = XP_ARRAY_LEN(xp_metric_formulas);
