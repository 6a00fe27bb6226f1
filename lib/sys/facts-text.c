/* SPDX-License-Identifier: MIT */
/* The facts of a machine as people read them. */
#include <string.h>

#include "cleanup.h"
#include "facts.h"
#include "str.h"

static void show_kernel(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", f->kernel);
}

static void show_open(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", f->open_err ? strerror(-f->open_err) : "works");
}

static void show_number(int64_t number, struct xp_str *out)
{
	if (number < 0)
		xp_str_addf(out, "not available");
	else
		xp_str_addf(out, "%lld", (long long)number);
}

static void show_paranoid(const struct xp_facts *f, struct xp_str *out)
{
	if (!f->has_perf)
		xp_str_addf(out, "not available");
	else
		xp_str_addf(out, "%lld%s", (long long)f->paranoid,
			    xp_facts_may_perf(f) ? ", does not apply to you" : "");
}

static void show_capabilities(const struct xp_facts *f, struct xp_str *out)
{
	static const struct {
		int cap;
		const char *name;
	} shown[] = {
		{ XP_CAP_PERFMON, "perfmon" },
		{ XP_CAP_SYS_ADMIN, "sys_admin" },
		{ XP_CAP_SYS_PTRACE, "sys_ptrace" },
		{ XP_CAP_SYSLOG, "syslog" },
		{ XP_CAP_BPF, "bpf" },
		{ XP_CAP_IPC_LOCK, "ipc_lock" },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(shown); i++)
		if (xp_facts_has_cap(f, shown[i].cap))
			xp_str_addf(out, "%s%s", out->len ? " " : "", shown[i].name);
	if (!out->len)
		xp_str_addf(out, "none");
}

static void show_container(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s%s", f->in_container ? "yes" : "none detected",
		    f->has_seccomp_filter ? ", seccomp filter" : "");
}

static void show_hypervisor(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", *f->hypervisor ? f->hypervisor : "none detected");
}

static void show_pmus(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", *f->pmus ? f->pmus : "none");
}

static void show_pmu_caps(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", *f->pmu_caps ? f->pmu_caps : "none reported");
}

static void show_watchdog(const struct xp_facts *f, struct xp_str *out)
{
	show_number(f->nmi_watchdog, out);
}

static void show_rdpmc(const struct xp_facts *f, struct xp_str *out)
{
	show_number(f->rdpmc, out);
}

static void show_sample_rate(const struct xp_facts *f, struct xp_str *out)
{
	show_number(f->sample_rate, out);
}

static void show_mlock(const struct xp_facts *f, struct xp_str *out)
{
	show_number(f->mlock_kb, out);
}

static void show_kptr(const struct xp_facts *f, struct xp_str *out)
{
	show_number(f->kptr_restrict, out);
}

static void show_lockdown(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", *f->lockdown ? f->lockdown : "none");
}

static void show_tracefs(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s%s", f->tracefs ? f->tracefs : "not mounted",
		    f->tracefs && !f->tracefs_readable ? ", not readable" : "");
}

static void show_bpf(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "unprivileged_bpf_disabled ");
	show_number(f->bpf_disabled, out);
	xp_str_addf(out, ", %s", f->has_btf ? "BTF" : "no BTF");
}

static void show_libbpf(const struct xp_facts *f, struct xp_str *out)
{
	static const char *const words[] = {
		[XP_LIBBPF_FOUND] = "libbpf.so.1",
		[XP_LIBBPF_ABSENT] = "not found",
		[XP_LIBBPF_NOT_BUILT_IN] = "not built in",
	};

	xp_str_addf(out, "%s", words[f->libbpf]);
}

static void show_debuginfod(const struct xp_facts *f, struct xp_str *out)
{
	xp_str_addf(out, "%s", f->debuginfod && *f->debuginfod ? f->debuginfod : "not set");
}

static void show_limit(rlim_t limit, rlim_t unit, const char *suffix, struct xp_str *out)
{
	if (limit == RLIM_INFINITY)
		xp_str_addf(out, "unlimited");
	else
		xp_str_addf(out, "%llu%s", (unsigned long long)(limit / unit), suffix);
}

static void show_files(const struct xp_facts *f, struct xp_str *out)
{
	show_limit(f->nofile.rlim_max, 1, "", out);
	xp_str_addf(out, " on %d CPU%s", f->nr_cpus, f->nr_cpus == 1 ? "" : "s");
}

static void show_memlock(const struct xp_facts *f, struct xp_str *out)
{
	show_limit(f->memlock.rlim_cur, 1024, " KiB", out);
}

static void (*const shows[XP_NR_FACTS])(const struct xp_facts *f, struct xp_str *out) = {
	[XP_FACT_KERNEL] = show_kernel,
	[XP_FACT_OPEN] = show_open,
	[XP_FACT_PARANOID] = show_paranoid,
	[XP_FACT_CAPABILITIES] = show_capabilities,
	[XP_FACT_CONTAINER] = show_container,
	[XP_FACT_HYPERVISOR] = show_hypervisor,
	[XP_FACT_PMUS] = show_pmus,
	[XP_FACT_PMU_CAPS] = show_pmu_caps,
	[XP_FACT_WATCHDOG] = show_watchdog,
	[XP_FACT_RDPMC] = show_rdpmc,
	[XP_FACT_SAMPLE_RATE] = show_sample_rate,
	[XP_FACT_MLOCK] = show_mlock,
	[XP_FACT_MEMLOCK] = show_memlock,
	[XP_FACT_FILES] = show_files,
	[XP_FACT_KPTR] = show_kptr,
	[XP_FACT_LOCKDOWN] = show_lockdown,
	[XP_FACT_TRACEFS] = show_tracefs,
	[XP_FACT_BPF] = show_bpf,
	[XP_FACT_LIBBPF] = show_libbpf,
	[XP_FACT_DEBUGINFOD] = show_debuginfod,
};

void xp_facts_show(const struct xp_facts *facts, enum xp_fact fact, struct xp_str *out)
{
	shows[fact](facts, out);
}
