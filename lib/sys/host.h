/* SPDX-License-Identifier: MIT */
/* What this machine is, asked when the kernel has refused something. */
#ifndef SYS_HOST_H
#define SYS_HOST_H

#include "ctx.h"

/* kernel.perf_event_paranoid; 2, the kernel's default, where it cannot be read. */
int xp_host_paranoid(struct xp_ctx *ctx);

/* True if a PMU of this name has the processor's own counters, on all or some CPUs. */
bool xp_host_is_core_pmu(const char *name);

/* True if the kernel has a PMU for the processor's own counters. */
bool xp_host_has_core_pmu(struct xp_ctx *ctx);

/* True if the CPUs are of several kinds, each with a PMU of its own (big.LITTLE, hybrid). */
bool xp_host_has_cpu_kinds(struct xp_ctx *ctx);

/* True if a seccomp filter watches this process, as in most containers. */
bool xp_host_has_seccomp_filter(struct xp_ctx *ctx);

/* Opens what every user may count, the time of the calling thread in user space, and closes it
 * again. Returns 0 or the kernel's errno. */
int xp_host_try_open(struct xp_ctx *ctx);

/* True if a seccomp filter refuses even that. */
bool xp_host_filter_refuses(struct xp_ctx *ctx);

/* "another user's" or "protected ...": why a task that is refused is. Returns static text. */
const char *xp_host_whose_task(struct xp_ctx *ctx, pid_t tid);

/* True if this process is in a container that says so. */
bool xp_host_in_container(struct xp_ctx *ctx);

/* "this virtual machine (KVM)", "this container" or "this machine"; kept in the context. */
const char *xp_host_describe(struct xp_ctx *ctx);

#endif
