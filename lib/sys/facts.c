/* SPDX-License-Identifier: MIT */
/*
 * Finds out what decides what can be counted and sampled. Sources: proc(5),
 * Documentation/admin-guide/sysctl/kernel.rst, Documentation/arch/arm64/perf.rst
 * (perf_user_access), Documentation/ABI/testing/sysfs-bus-event_source-devices.
 */
#include "facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/arch.h>
#include <xperf/pmu.h>

#include "cleanup.h"
#include "host.h"
#include "names.h"
#include "pmus.h"
#include "str.h"
#include "tracefs.h"

#define DEVICES "/sys/bus/event_source/devices"

static const struct {
	const char *path;
	size_t offset;
} numbers[] = {
#define KERNEL(file, field)                                                                        \
	{                                                                                          \
		"/proc/sys/kernel/" file, offsetof(struct xp_facts, field)                         \
	}
	KERNEL("perf_event_paranoid", paranoid),
	KERNEL("perf_event_mlock_kb", mlock_kb),
	KERNEL("perf_event_max_sample_rate", sample_rate),
	KERNEL("kptr_restrict", kptr_restrict),
	KERNEL("nmi_watchdog", nmi_watchdog),
	KERNEL("unprivileged_bpf_disabled", bpf_disabled),
};

static void read_numbers(struct xp_ctx *ctx, struct xp_facts *f)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(numbers); i++) {
		int64_t *number = (int64_t *)((char *)f + numbers[i].offset);

		if (xp_file_read_int(ctx, number, "%s", numbers[i].path))
			*number = -1;
	}
	/* -1 is also a level: everybody may do everything. */
	f->has_perf = xp_file_exists(ctx, "%s", numbers[0].path);
}

static void read_kernel(struct xp_ctx *ctx, struct xp_facts *f)
{
	xp_auto_free char *release = NULL;
	int len = sizeof(f->kernel) / 2;

	if (xp_file_read(ctx, &release, NULL, "/proc/sys/kernel/osrelease"))
		return;
	release[strcspn(release, "\n")] = '\0';
	if (sscanf(release, "%d.%d", &f->release[0], &f->release[1]) != 2)
		f->release[0] = f->release[1] = 0;
	snprintf(f->kernel, sizeof(f->kernel), "%.*s %.*s", len - 1, release, len - 1,
		 ctx->arch->name);
}

static void read_status(struct xp_ctx *ctx, struct xp_facts *f)
{
	xp_auto_free char *status = NULL;

	f->has_seccomp_filter = xp_host_has_seccomp_filter(ctx);
	f->in_container = xp_host_in_container(ctx);
	if (xp_file_read(ctx, &status, NULL, "/proc/self/status"))
		return;
	const char *line = strstr(status, "\nCapEff:");
	if (line)
		f->caps = strtoull(line + strlen("\nCapEff:"), NULL, 16);
}

static int add_name(const char *name, void *data)
{
	return xp_names_add(data, name);
}

static void read_pmus(struct xp_ctx *ctx, struct xp_facts *f)
{
	struct xp_names names = { 0 };
	size_t len = 0;

	xp_file_list(ctx, add_name, &names, DEVICES);
	xp_names_sort(&names);
	for (int i = 0; i < names.nr; i++) {
		int n = snprintf(f->pmus + len, sizeof(f->pmus) - len, "%s%s", i ? " " : "",
				 names.at[i]);

		if (n < 0 || (size_t)n >= sizeof(f->pmus) - len)
			break;
		len += (size_t)n;
	}
	xp_names_fini(&names);
	f->has_core_pmu = xp_host_has_core_pmu(ctx);
	if (!ctx->arch->hypervisor(ctx->arch, f->hypervisor, sizeof(f->hypervisor)))
		f->hypervisor[0] = '\0';
}

/* The capabilities of one PMU. */
struct caps {
	struct xp_facts *facts;
	struct xp_str *text;
	const char *pmu; /* NULL: it was named already */
};

static int add_cap(const char *name, const char *value, void *data)
{
	struct caps *caps = data;

	if (caps->pmu)
		xp_str_addf(caps->text, "%s%s:", caps->text->len ? "; " : "", caps->pmu);
	caps->pmu = NULL;
	xp_str_addf(caps->text, " %s=%s", name, value);
	caps->facts->has_branches |= !strcmp(name, "branches") && strcmp(value, "0") != 0;
	return 0;
}

static void read_pmu_caps(struct xp_ctx *ctx, struct xp_facts *f)
{
	const struct xp_names *names = xp_pmus_names(ctx);
	struct xp_str text = { 0 };

	for (int i = 0; i < names->nr; i++) {
		struct caps caps = { f, &text, names->at[i] };

		if (xp_host_is_core_pmu(names->at[i]))
			xp_pmu_caps_walk(ctx, names->at[i], add_cap, &caps);
	}
	snprintf(f->pmu_caps, sizeof(f->pmu_caps), "%s", xp_str_text(&text));
	xp_str_fini(&text);
}

static void read_rdpmc(struct xp_ctx *ctx, struct xp_facts *f)
{
	static const char *const files[] = { DEVICES "/cpu/rdpmc", DEVICES "/cpu_core/rdpmc",
					     "/proc/sys/kernel/perf_user_access" };

	f->rdpmc = -1;
	for (size_t i = 0; i < XP_ARRAY_LEN(files); i++)
		if (!xp_file_read_int(ctx, &f->rdpmc, "%s", files[i])) {
			f->rdpmc_is_sysctl = i == XP_ARRAY_LEN(files) - 1;
			return;
		}
}

static int refuse(const char *name, void *data)
{
	(void)name, (void)data;
	return 1;
}

static void read_tracefs(struct xp_ctx *ctx, struct xp_facts *f)
{
	f->tracefs = xp_tracefs_path(ctx);
	f->tracefs_readable =
		f->tracefs && xp_file_list(ctx, refuse, NULL, "%s/events", f->tracefs) >= 0;
}

/* "none integrity [confidentiality]": the one in brackets holds. */
static void read_lockdown(struct xp_ctx *ctx, struct xp_facts *f)
{
	xp_auto_free char *text = NULL;

	if (xp_file_read(ctx, &text, NULL, "/sys/kernel/security/lockdown"))
		return;
	const char *open = strchr(text, '[');
	if (open)
		snprintf(f->lockdown, sizeof(f->lockdown), "%.*s", (int)strcspn(open + 1, "]"),
			 open + 1);
}

static void read_limits(struct xp_ctx *ctx, struct xp_facts *f)
{
	static const struct rlimit unknown = { RLIM_INFINITY, RLIM_INFINITY };
	struct xp_cpus *online = NULL;

	f->nofile = f->memlock = unknown;
	ctx->sys->rlimit(ctx->sys, 0, RLIMIT_NOFILE, NULL, &f->nofile);
	ctx->sys->rlimit(ctx->sys, 0, RLIMIT_MEMLOCK, NULL, &f->memlock);
	f->nr_cpus = 1;
	if (!xp_cpus_online(ctx, &online, NULL))
		f->nr_cpus = xp_cpus_nr(online);
	xp_cpus_unref(online);
}

/* Another root than this process has: libraries are looked for there by name. */
static enum xp_libbpf look_for_libbpf(struct xp_ctx *ctx)
{
	if (!*ctx->root)
		return xp_libbpf_look();
	return xp_file_exists(ctx, "/usr/lib/libbpf.so.1") ? XP_LIBBPF_FOUND : XP_LIBBPF_ABSENT;
}

void xp_facts_read(struct xp_ctx *ctx, struct xp_facts *facts)
{
	*facts = (struct xp_facts){ 0 };
	read_kernel(ctx, facts);
	read_numbers(ctx, facts);
	read_status(ctx, facts);
	read_pmus(ctx, facts);
	read_pmu_caps(ctx, facts);
	read_rdpmc(ctx, facts);
	read_tracefs(ctx, facts);
	read_lockdown(ctx, facts);
	read_limits(ctx, facts);
	facts->open_err = xp_host_try_open(ctx);
	facts->has_btf = xp_file_exists(ctx, "/sys/kernel/btf/vmlinux");
	facts->libbpf = look_for_libbpf(ctx);
	facts->debuginfod = getenv("DEBUGINFOD_URLS");
}
