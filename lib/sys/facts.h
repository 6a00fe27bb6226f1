/* SPDX-License-Identifier: MIT */
/* What decides what can be counted and sampled on a machine, as it was found. */
#ifndef SYS_FACTS_H
#define SYS_FACTS_H

#include <sys/resource.h>

#include "ctx.h"
#include "libbpf.h"

struct xp_str;

/* Capabilities. Source: capabilities(7), linux/capability.h. */
enum {
	XP_CAP_IPC_LOCK = 14,
	XP_CAP_SYS_PTRACE = 19,
	XP_CAP_SYS_ADMIN = 21,
	XP_CAP_SYSLOG = 34,
	XP_CAP_PERFMON = 38, /* Linux 5.8 */
	XP_CAP_BPF = 39,     /* Linux 5.8 */
};

/* Numbers are -1 where there is no such setting. */
struct xp_facts {
	char kernel[96];
	int release[2]; /* of the kernel: 6, 12; 0, 0: not known */
	bool has_perf;  /* the kernel knows perf_event_open */
	int open_err; /* what it says to a software event in user space of this process; 0: opens */
	int64_t paranoid;
	int64_t mlock_kb;
	int64_t sample_rate;
	int64_t kptr_restrict;
	int64_t nmi_watchdog;
	int64_t rdpmc;
	int64_t bpf_disabled;
	bool rdpmc_is_sysctl; /* Arm; x86 has it in sysfs */
	bool has_btf;
	enum xp_libbpf libbpf;
	uint64_t caps; /* effective, bits 1 << CAP_... */
	bool has_seccomp_filter;
	bool in_container;
	char hypervisor[32]; /* "": none is seen */
	char pmus[400];      /* their names */
	bool has_core_pmu;
	char pmu_caps[200];  /* what the core PMUs are capable of: "cpu: branches=32 max_precise=3"
			      */
	bool has_branches;   /* one of them records branches */
	const char *tracefs; /* its mount point, NULL: not mounted */
	bool tracefs_readable;
	char lockdown[24]; /* "": no such file */
	const char *debuginfod;
	struct rlimit nofile;
	struct rlimit memlock;
	int nr_cpus;
};

/* Finds them out. @facts borrows from @ctx. */
void xp_facts_read(struct xp_ctx *ctx, struct xp_facts *facts);

static inline bool xp_facts_has_cap(const struct xp_facts *facts, int cap)
{
	return facts->caps >> cap & 1;
}

/* perf_event_paranoid does not apply. Source: linux/capability.h, perfmon_capable(). */
static inline bool xp_facts_may_perf(const struct xp_facts *facts)
{
	return xp_facts_has_cap(facts, XP_CAP_PERFMON) || xp_facts_has_cap(facts, XP_CAP_SYS_ADMIN);
}

/* What is shown of them. */
enum xp_fact {
	XP_FACT_KERNEL,
	XP_FACT_OPEN,
	XP_FACT_PARANOID,
	XP_FACT_CAPABILITIES,
	XP_FACT_CONTAINER,
	XP_FACT_HYPERVISOR,
	XP_FACT_PMUS,
	XP_FACT_PMU_CAPS,
	XP_FACT_WATCHDOG,
	XP_FACT_RDPMC,
	XP_FACT_SAMPLE_RATE,
	XP_FACT_MLOCK,
	XP_FACT_MEMLOCK,
	XP_FACT_FILES,
	XP_FACT_KPTR,
	XP_FACT_LOCKDOWN,
	XP_FACT_TRACEFS,
	XP_FACT_BPF,
	XP_FACT_LIBBPF,
	XP_FACT_DEBUGINFOD,
	XP_NR_FACTS,
};

/* Adds a fact as people read it (facts-text.c). */
void xp_facts_show(const struct xp_facts *facts, enum xp_fact fact, struct xp_str *out);

#endif
