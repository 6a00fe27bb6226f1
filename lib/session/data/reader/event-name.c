/* SPDX-License-Identifier: MIT */
/*
 * The name that follows from an attribute, for recordings that do not hold one.
 *
 * Source: perf_event_open(2), types and configs; spelling: perf evlist, perf 6.1.
 */
#include <errno.h>

#include "cleanup.h"
#include "reader-impl.h"

enum { HARDWARE, SOFTWARE, TRACEPOINT, HW_CACHE, RAW, BREAKPOINT };

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
				      "iTLB",      "branch",    "node" };
static const char *const operations[] = { "load", "store", "prefetch" };
static const char *const plurals[] = { "loads", "stores", "prefetches" };

/* PMU-qualified generic events carry the number of the PMU in the upper half. */
static const char *row(const char *const *names, size_t nr, uint64_t config)
{
	return (uint32_t)config < nr ? names[(uint32_t)config] : NULL;
}

static bool add_cache(struct xp_str *name, uint64_t config)
{
	size_t cache = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= XP_ARRAY_LEN(caches) || operation >= XP_ARRAY_LEN(operations) || result > 1)
		return false;
	if (result)
		xp_str_addf(name, "%s-%s-misses", caches[cache], operations[operation]);
	else
		xp_str_addf(name, "%s-%s", caches[cache], plurals[operation]);
	return true;
}

static void add_breakpoint(struct xp_str *name, const struct xp_attr *attr)
{
	enum { R = 1, W = 2, X = 4 };

	xp_str_addf(name, "mem:0x%llx:", (unsigned long long)attr->bp_addr);
	if (attr->bp_type & R)
		xp_str_add(name, "r", 1);
	if (attr->bp_type & W)
		xp_str_add(name, "w", 1);
	if (attr->bp_type & X)
		xp_str_add(name, "x", 1);
}

/* Returns false if the generic types know no name for it. */
static bool add_generic(struct xp_str *name, const struct xp_attr *attr)
{
	const char *text = NULL;

	switch (attr->type) {
	case HARDWARE:
		text = row(hardware, XP_ARRAY_LEN(hardware), attr->config);
		break;
	case SOFTWARE:
		text = row(software, XP_ARRAY_LEN(software), attr->config);
		break;
	case HW_CACHE:
		return add_cache(name, attr->config);
	case BREAKPOINT:
		add_breakpoint(name, attr);
		return true;
	case RAW:
		xp_str_addf(name, "raw 0x%llx", (unsigned long long)attr->config);
		return true;
	case TRACEPOINT:
		xp_str_addf(name, "tracepoint:%llu", (unsigned long long)attr->config);
		return true;
	default:
		break;
	}
	if (text)
		xp_str_addf(name, "%s", text);
	return text;
}

/* Where it counts, and how exact it is: ":uppp". */
static void add_modifiers(struct xp_str *name, const struct xp_attr *attr)
{
	bool modes = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool guest_is_out = modes || attr->precise_ip; /* what users of modifiers get */
	bool sides = attr->exclude_host || attr->exclude_guest == guest_is_out;
	const char *colon = ":";
	const struct {
		bool set;
		char letter;
	} letters[] = {
		{ modes && !attr->exclude_kernel, 'k' }, { modes && !attr->exclude_user, 'u' },
		{ modes && !attr->exclude_hv, 'h' },     { attr->precise_ip >= 1, 'p' },
		{ attr->precise_ip >= 2, 'p' },          { attr->precise_ip >= 3, 'p' },
		{ sides && !attr->exclude_host, 'H' },   { sides && !attr->exclude_guest, 'G' },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(letters); i++)
		if (letters[i].set) {
			xp_str_addf(name, "%s%c", colon, letters[i].letter);
			colon = "";
		}
}

void xp_attr_name(const struct xp_attr *attr, const char *pmu, struct xp_str *name)
{
	if (!add_generic(name, attr)) {
		if (pmu)
			xp_str_addf(name, "%s/config=0x%llx/", pmu,
				    (unsigned long long)attr->config);
		else
			xp_str_addf(name, "type %u, config 0x%llx", attr->type,
				    (unsigned long long)attr->config);
	}
	if (attr->type != TRACEPOINT)
		add_modifiers(name, attr);
}
