/* SPDX-License-Identifier: MIT */
/*
 * The values of tool events that are no times. A value that is not known has a reason, it is never
 * taken for 0.
 *
 * Source: perf-list(1) of perf 7.2, "tool"; Documentation/admin-guide/cputopology.rst;
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-caps; ACPI 6.0, "NVDIMM Firmware
 * Interface Table".
 */
#include "tools.h"

#include <string.h>
#include <xperf/arch.h>
#include <xperf/cpus.h>
#include <xperf/ring.h>

#include "cleanup.h"
#include "names.h"
#include "num.h"
#include "pmus.h"
#include "topology.h"
#include "uapi.h"
#include "userpage.h"

/* @ctx: of the machine; @cpus: what runs on them is counted, NULL: tasks are. */
struct asked {
	struct xp_ctx *ctx;
	const struct xp_cpus *cpus;
};

static const char *read_num_cpus(const struct asked *asked, uint64_t *ret_value)
{
	xp_auto_free char *text = NULL;
	struct xp_cpus *present;

	if (xp_file_read(asked->ctx, &text, NULL, "/sys/devices/system/cpu/present") ||
	    xp_cpus_parse(text, &present, NULL))
		return "the kernel does not report which CPUs are present";
	*ret_value = (uint64_t)xp_cpus_nr(present);
	xp_cpus_unref(present);
	return NULL;
}

static const char *read_num_cpus_online(const struct asked *asked, uint64_t *ret_value)
{
	struct xp_cpus *online;

	if (xp_cpus_online(asked->ctx, &online, NULL))
		return "the kernel does not report which CPUs are online";
	*ret_value = (uint64_t)xp_cpus_nr(online);
	xp_cpus_unref(online);
	return NULL;
}

static const char *read_num_cores(const struct asked *asked, uint64_t *ret_value)
{
	return xp_topology_count(asked->ctx, XP_SHARED_CORE, ret_value)
		       ? "the kernel does not report which CPUs share a core"
		       : NULL;
}

static const char *read_num_dies(const struct asked *asked, uint64_t *ret_value)
{
	return xp_topology_count(asked->ctx, XP_SHARED_DIE, ret_value)
		       ? "the kernel does not report which CPUs share a die"
		       : NULL;
}

static const char *read_num_packages(const struct asked *asked, uint64_t *ret_value)
{
	return xp_topology_count(asked->ctx, XP_SHARED_PACKAGE, ret_value)
		       ? "the kernel does not report which CPUs share a package"
		       : NULL;
}

static const char *read_smt_on(const struct asked *asked, uint64_t *ret_value)
{
	return xp_topology_smt(asked->ctx, ret_value)
		       ? "the kernel does not report which CPUs share a core"
		       : NULL;
}

/* The frequency by which the kernel makes nanoseconds of the processor's clock; 0: unknown. */
static uint64_t clock_hz(struct xp_ctx *ctx)
{
	/* Below, the factor is too coarse for a part per million, as older kernels have it. */
	enum { LEAST_MULT = 1 << 20, MOST_SHIFT = 32 };
	const struct xp_attr attr = { .type = XP_TYPE_SOFTWARE,
				      .size = sizeof(attr),
				      .config = XP_SW_DUMMY,
				      .exclude_kernel = 1,
				      .exclude_hv = 1 };
	const volatile struct xp_userpage *page = NULL;
	struct xp_time_conv conv;
	int fd = ctx->sys->perf_event_open(ctx->sys, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return 0;
	int err = xp_userpage_map(ctx->sys, fd, &page) ?: xp_userpage_time_conv(page, &conv);
	xp_userpage_unmap(ctx->sys, page);
	ctx->sys->close(ctx->sys, fd);
	if (err || conv.mult < LEAST_MULT || conv.shift > MOST_SHIFT)
		return 0;
	return (UINT64_C(1000000000) << conv.shift) / conv.mult;
}

static const char *read_system_tsc_freq(const struct asked *asked, uint64_t *ret_value)
{
	const struct xp_arch *arch = asked->ctx->arch;

	if (!arch->tsc_hz)
		return "only x86 processors have a time stamp counter";
	uint64_t hz = arch->tsc_hz(arch);
	if (!hz)
		hz = clock_hz(asked->ctx);
	if (!hz)
		return "neither the processor nor the kernel reports the frequency of the time "
		       "stamp counter";
	*ret_value = hz;
	return NULL;
}

static int find_nfit(const char *name, void *data)
{
	*(uint64_t *)data |= !strcmp(name, "NFIT");
	return 0;
}

static int stop(const char *name, void *data)
{
	(void)name, (void)data;
	return 1;
}

/* The table itself may be readable for root only; that it is there everyone may see. */
static const char *read_has_pmem(const struct asked *asked, uint64_t *ret_value)
{
	uint64_t found = 0;

	/* Containers often hide all of /sys/firmware; a machine without ACPI has other things
	 * there. */
	if (xp_file_list(asked->ctx, find_nfit, &found, "/sys/firmware/acpi/tables") &&
	    xp_file_list(asked->ctx, stop, NULL, "/sys/firmware") != 1)
		return "/sys/firmware has no tables of the firmware";
	*ret_value = found;
	return NULL;
}

/* Only whoever counts CPUs counts whatever runs on their cores. */
static const char *read_core_wide(const struct asked *asked, uint64_t *ret_value)
{
	*ret_value = 0;
	return asked->cpus && xp_topology_whole_cores(asked->ctx, asked->cpus, ret_value)
		       ? "the kernel does not report which CPUs share a core"
		       : NULL;
}

static const char *read_target_cpu(const struct asked *asked, uint64_t *ret_value)
{
	*ret_value = asked->cpus != NULL;
	return NULL;
}

/* The kernel gives the slots of a cycle with arm64's PMUs. */
static const char *read_slots(const struct asked *asked, uint64_t *ret_value)
{
	const struct xp_names *pmus = xp_pmus_names(asked->ctx);
	uint64_t slots = 0;

	for (int i = 0; i < pmus->nr; i++) {
		xp_auto_free char *text = NULL;
		uint64_t value;

		if (xp_file_read(asked->ctx, &text, NULL, XP_PMU_DEVICES "/%s/caps/slots",
				 pmus->at[i]) ||
		    xp_num_parse(text, strcspn(text, "\n"), 0, &value) || !value)
			continue;
		if (slots && slots != value)
			return "this machine has CPUs with different numbers of slots";
		slots = value;
	}
	if (!slots)
		return "no PMU of this machine reports the slots per cycle";
	*ret_value = slots;
	return NULL;
}

/* Not known yet. */
static const char *read_max_rss(const struct asked *asked, uint64_t *ret_value)
{
	(void)asked;
	*ret_value = 0;
	return NULL;
}

static const char *(*const readers[])(const struct asked *asked, uint64_t *ret_value) = {
	[XP_TOOL_NUM_CPUS] = read_num_cpus,
	[XP_TOOL_NUM_CPUS_ONLINE] = read_num_cpus_online,
	[XP_TOOL_NUM_CORES] = read_num_cores,
	[XP_TOOL_NUM_DIES] = read_num_dies,
	[XP_TOOL_NUM_PACKAGES] = read_num_packages,
	[XP_TOOL_SMT_ON] = read_smt_on,
	[XP_TOOL_SYSTEM_TSC_FREQ] = read_system_tsc_freq,
	[XP_TOOL_HAS_PMEM] = read_has_pmem,
	[XP_TOOL_CORE_WIDE] = read_core_wide,
	[XP_TOOL_TARGET_CPU] = read_target_cpu,
	[XP_TOOL_SLOTS] = read_slots,
	[XP_TOOL_MAX_RSS] = read_max_rss,
};

const char *xp_tool_read(struct xp_ctx *ctx, enum xp_tool_event tool, const struct xp_cpus *cpus,
			 uint64_t *ret_value)
{
	const struct asked asked = { ctx, cpus };

	return readers[tool](&asked, ret_value);
}
