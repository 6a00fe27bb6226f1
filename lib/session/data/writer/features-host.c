/* SPDX-License-Identifier: MIT */
/*
 * Features that name the machine, its processor, its clock, and the command.
 *
 * Source: perf 6.1: what it writes ("perf report --header-only"); proc(5), cpuinfo; on Arm
 * Documentation/ABI/testing/sysfs-devices-system-cpu, identification/midr_el1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/data.h>

#include "bytes.h"
#include "cleanup.h"
#include "cpuinfo.h"
#include "features.h"

/* The first line of a file. */
static int add_file(const struct xp_feature_source *from, const char *path, struct xp_str *out)
{
	xp_auto_free char *text = NULL;
	int err = xp_file_read(from->ctx, &text, NULL, "%s", path);

	if (!err)
		add_feature_string(out, first_line(text));
	return err;
}

int xp_feature_hostname(const struct xp_feature_source *from, struct xp_str *out)
{
	return add_file(from, "/proc/sys/kernel/hostname", out);
}

int xp_feature_osrelease(const struct xp_feature_source *from, struct xp_str *out)
{
	return add_file(from, "/proc/sys/kernel/osrelease", out);
}

int xp_feature_version(const struct xp_feature_source *from, struct xp_str *out)
{
	struct xp_str version = { 0 };

	(void)from;
	xp_str_addf(&version, "xperf %s", xp_version());
	add_feature_string(out, xp_str_text(&version));
	xp_str_fini(&version);
	return 0;
}

int xp_feature_arch(const struct xp_feature_source *from, struct xp_str *out)
{
	struct utsname name;
	int err = from->ctx->sys->uname(from->ctx->sys, &name);

	if (!err)
		add_feature_string(out, name.machine);
	return err;
}

int xp_feature_cmdline(const struct xp_feature_source *from, struct xp_str *out)
{
	add_u32(out, (uint32_t)from->argc);
	for (int i = 0; i < from->argc; i++)
		add_feature_string(out, from->argv[i]);
	return from->argc ? 0 : -ENOENT;
}

/* --- the processor --- */

int xp_feature_cpudesc(const struct xp_feature_source *from, struct xp_str *out)
{
	xp_auto_free char *name = NULL;
	int err = xp_cpu_model(from->ctx, &name);

	if (!err)
		add_feature_string(out, name);
	return err;
}

/* x86: vendor, family, model, stepping. */
static int add_x86_cpuid(const char *info, struct xp_str *out)
{
	static const char *const parts[] = { "vendor_id", "cpu family", "model", "stepping" };
	struct xp_str id = { 0 };
	int err = 0;

	for (size_t i = 0; i < XP_ARRAY_LEN(parts) && !err; i++) {
		xp_auto_free char *part = xp_cpuinfo_value(info, parts[i]);

		if (part)
			err = xp_str_addf(&id, i ? ",%s" : "%s", part);
		else
			err = -ENOENT;
	}
	if (!err)
		add_feature_string(out, id.s);
	xp_str_fini(&id);
	return err;
}

/* Arm: the identification register without variant and revision, as perf writes it. */
static int add_arm_cpuid(struct xp_ctx *ctx, struct xp_str *out)
{
	const uint64_t without = ~(UINT64_C(0xf) << 20 | UINT64_C(0xf));
	xp_auto_free char *text = NULL;
	char id[24];
	int err = xp_file_read(ctx, &text, NULL,
			       "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");

	if (err)
		return err;
	snprintf(id, sizeof(id), "0x%016llx", strtoull(text, NULL, 16) & without);
	add_feature_string(out, id);
	return 0;
}

int xp_feature_cpuid(const struct xp_feature_source *from, struct xp_str *out)
{
	char info[XP_CPUINFO_LEN];
	int err = xp_cpuinfo_read(from->ctx, info) ?: add_x86_cpuid(info, out);

	return err ? add_arm_cpuid(from->ctx, out) : 0;
}

/* --- the clock of time stamps, where it was chosen --- */

static const struct xp_attr *attr_with_clock(const struct xp_feature_source *from)
{
	for (int i = 0; i < from->nr_events; i++)
		if (from->events[i].attr.use_clockid)
			return &from->events[i].attr;
	return NULL;
}

int xp_feature_clockid(const struct xp_feature_source *from, struct xp_str *out)
{
	const struct xp_sys *sys = from->ctx->sys;
	const struct xp_attr *attr = attr_with_clock(from);
	uint64_t ns, resolution_ns;
	int err = attr ? sys->clock(sys, attr->clockid, &ns, &resolution_ns) : -ENOENT;

	if (!err)
		add_u64(out, resolution_ns);
	return err;
}

int xp_feature_clock_data(const struct xp_feature_source *from, struct xp_str *out)
{
	enum { VERSION = 1 };
	const struct xp_sys *sys = from->ctx->sys;
	const struct xp_attr *attr = attr_with_clock(from);
	uint64_t wall_ns, clock_ns, resolution_ns;
	int err = attr ? sys->clock(sys, CLOCK_REALTIME, &wall_ns, &resolution_ns) : -ENOENT;

	if (!err)
		err = sys->clock(sys, attr->clockid, &clock_ns, &resolution_ns);
	if (err)
		return err;
	add_u32(out, VERSION);
	add_u32(out, (uint32_t)attr->clockid);
	add_u64(out, wall_ns);
	add_u64(out, clock_ns);
	return 0;
}
