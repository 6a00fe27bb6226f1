/* SPDX-License-Identifier: MIT */
/*
 * What this machine is. Sources: Documentation/admin-guide/sysctl/kernel.rst (perf_event_paranoid),
 * Documentation/ABI/testing/sysfs-bus-event_source-devices, proc(5) (Seccomp in /proc/PID/status).
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/arch.h>
#include <xperf/sampling.h>

#include "cleanup.h"
#include "names.h"
#include "pmus.h"
#include "uapi.h"

int xp_host_paranoid(struct xp_ctx *ctx)
{
	int64_t level;

	if (xp_file_read_int(ctx, &level, "/proc/sys/kernel/perf_event_paranoid"))
		return 2;
	return (int)level;
}

uint64_t xp_max_sample_rate(struct xp_ctx *ctx)
{
	enum { KERNEL_DEFAULT = 100000 };
	int64_t rate;

	if (xp_file_read_int(ctx, &rate, "/proc/sys/kernel/perf_event_max_sample_rate") || rate < 1)
		return KERNEL_DEFAULT;
	return (uint64_t)rate;
}

/* x86: cpu, cpu_core, cpu_atom; Arm: armv8_..., armv7_...; others name theirs cpu, too. */
bool xp_host_is_core_pmu(const char *name)
{
	return !strncmp(name, "cpu", 3) || !strncmp(name, "armv", 4);
}

bool xp_host_has_core_pmu(struct xp_ctx *ctx)
{
	const struct xp_names *names = xp_pmus_names(ctx);

	for (int i = 0; names && i < names->nr; i++)
		if (xp_host_is_core_pmu(names->at[i]))
			return true;
	return false;
}

struct cpu_kinds {
	struct xp_ctx *ctx;
	int nr;
};

static int count_kind(const char *name, void *data)
{
	struct cpu_kinds *kinds = data;

	kinds->nr += xp_file_exists(kinds->ctx, "/sys/bus/event_source/devices/%s/cpus", name);
	return 0;
}

bool xp_host_has_cpu_kinds(struct xp_ctx *ctx)
{
	struct cpu_kinds kinds = { .ctx = ctx };

	xp_file_list(ctx, count_kind, &kinds, "/sys/bus/event_source/devices");
	return kinds.nr > 1;
}

bool xp_host_has_seccomp_filter(struct xp_ctx *ctx)
{
	xp_auto_free char *status = NULL;

	if (xp_file_read(ctx, &status, NULL, "/proc/self/status"))
		return false;
	const char *line = strstr(status, "\nSeccomp:");
	return line && atoi(line + strlen("\nSeccomp:")) == 2;
}

int xp_host_try_open(struct xp_ctx *ctx)
{
	struct xp_attr attr = { .type = XP_TYPE_SOFTWARE,
				.config = XP_SW_TASK_CLOCK,
				.size = XP_ATTR_SIZE_VER0,
				.disabled = 1,
				.exclude_kernel = 1,
				.exclude_hv = 1 };
	int fd = ctx->sys->perf_event_open(ctx->sys, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		ctx->sys->close(ctx->sys, fd);
	return fd < 0 ? fd : 0;
}

bool xp_host_filter_refuses(struct xp_ctx *ctx)
{
	enum { MOST_FOR_ALL = 2 }; /* beyond that distributions forbid all of it */
	bool allowed = xp_host_paranoid(ctx) <= MOST_FOR_ALL || !ctx->sys->euid(ctx->sys);

	return xp_host_has_seccomp_filter(ctx) && allowed && xp_host_try_open(ctx) < 0;
}

/* The kernel lets a user look at his own tasks, unless they had privileges. Source: ptrace(2),
 * "Ptrace access mode checking". */
const char *xp_host_whose_task(struct xp_ctx *ctx, pid_t tid)
{
	unsigned int own = (unsigned int)ctx->sys->euid(ctx->sys), uids[3];
	xp_auto_free char *status = NULL;

	int err = xp_file_read(ctx, &status, NULL, "/proc/%d/status", (int)tid);
	const char *line = err ? NULL : strstr(status, "\nUid:");
	if (!line || sscanf(line + strlen("\nUid:"), "%u %u %u", &uids[0], &uids[1], &uids[2]) != 3)
		return "another user's, or protected";
	for (size_t i = 0; i < XP_ARRAY_LEN(uids); i++)
		if (uids[i] != own)
			return "another user's";
	return "protected (set-user-ID programs and programs with capabilities are)";
}

bool xp_host_in_container(struct xp_ctx *ctx)
{
	return xp_file_exists(ctx, "/.dockerenv") || xp_file_exists(ctx, "/run/.containerenv");
}

const char *xp_host_describe(struct xp_ctx *ctx)
{
	char hypervisor[32];

	if (ctx->host[0])
		return ctx->host;
	if (ctx->arch->hypervisor(ctx->arch, hypervisor, sizeof(hypervisor)))
		snprintf(ctx->host, sizeof(ctx->host), "this virtual machine (%s)", hypervisor);
	else
		snprintf(ctx->host, sizeof(ctx->host),
			 xp_host_in_container(ctx) ? "this container" : "this machine");
	return ctx->host;
}
