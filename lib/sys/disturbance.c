/* SPDX-License-Identifier: MIT */
/*
 * What changes the speed of programs from outside. Sources: proc(5), /proc/stat; Linux,
 * Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst;
 * arch/x86/kernel/cpu/mce/therm_throt.c.
 */
#include <xperf/doctor.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>

#include "cleanup.h"
#include "ctx.h"
#include "opts.h"

#define CPUS "/sys/devices/system/cpu"

static void read_steal(struct xp_ctx *ctx, struct xp_disturbance *d)
{
	xp_auto_free char *text = NULL;
	uint64_t ticks;

	if (xp_file_read(ctx, &text, NULL, "/proc/stat"))
		return;
	if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) == 1)
		d->steal_ns = ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void read_throttled(struct xp_ctx *ctx, int cpu, struct xp_disturbance *d)
{
	int64_t nr;

	if (xp_file_read_int(ctx, &nr, CPUS "/cpu%d/thermal_throttle/core_throttle_count", cpu))
		return;
	if (d->nr_throttled == UINT64_MAX)
		d->nr_throttled = 0;
	d->nr_throttled += (uint64_t)nr;
}

static void read_governor(struct xp_ctx *ctx, int cpu, struct xp_disturbance *d)
{
	xp_auto_free char *text = NULL;

	if (xp_file_read(ctx, &text, NULL, CPUS "/cpu%d/cpufreq/scaling_governor", cpu))
		return;
	text[strcspn(text, "\n")] = '\0';
	if (!d->governor[0])
		snprintf(d->governor, sizeof(d->governor), "%s", text);
	else if (strncmp(d->governor, text, sizeof(d->governor) - 1) != 0)
		strcpy(d->governor, "different ones");
}

static void read_turbo(struct xp_ctx *ctx, struct xp_disturbance *d)
{
	int64_t value;

	if (!xp_file_read_int(ctx, &value, CPUS "/intel_pstate/no_turbo"))
		d->turbo = !value;
	else if (!xp_file_read_int(ctx, &value, CPUS "/cpufreq/boost"))
		d->turbo = value != 0;
}

int xp_disturbance_read(struct xp_ctx *ctx, struct xp_disturbance *ret_disturbance)
{
	struct xp_disturbance d = { .steal_ns = UINT64_MAX,
				    .nr_throttled = UINT64_MAX,
				    .turbo = -1 };
	struct xp_cpus *cpus = NULL;

	read_steal(ctx, &d);
	read_turbo(ctx, &d);
	if (!xp_cpus_online(ctx, &cpus, NULL)) {
		for (int i = 0; i < xp_cpus_nr(cpus); i++) {
			read_throttled(ctx, xp_cpus_at(cpus, i).nr, &d);
			read_governor(ctx, xp_cpus_at(cpus, i).nr, &d);
		}
		xp_cpus_unref(cpus);
	}
	return XP_OUTPUT_COPY(ret_disturbance, &d, struct xp_disturbance, governor);
}
