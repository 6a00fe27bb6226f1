/* SPDX-License-Identifier: MIT */
/*
 * What the facts of a machine mean: one table of checks, each with the rules that judge it, of
 * which the first that holds is used; if none does, nothing is in the way.
 *
 * Sources: Documentation/admin-guide/perf-security.rst; Documentation/admin-guide/sysctl/kernel.rst
 * (perf_event_paranoid, perf_event_mlock_kb, perf_event_max_sample_rate, kptr_restrict,
 * nmi_watchdog, unprivileged_bpf_disabled); kernel_lockdown(7); capabilities(7);
 * kernel/kallsyms.c, kallsyms_show_value(). Level 3 and above of perf_event_paranoid: Debian.
 */
#include <xperf/doctor.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "facts.h"
#include "str.h"

/* --- conditions --- */

static bool no_perf(const struct xp_facts *f)
{
	return !f->has_perf;
}

static bool is_refused(const struct xp_facts *f)
{
	return f->open_err == -EACCES || f->open_err == -EPERM;
}

static bool filter_refuses(const struct xp_facts *f)
{
	return f->open_err && f->has_seccomp_filter &&
	       (xp_facts_may_perf(f) || f->paranoid < 3 || f->open_err == -ENOSYS);
}

static bool does_not_open(const struct xp_facts *f)
{
	return f->open_err;
}

static bool paranoid_3(const struct xp_facts *f)
{
	return f->paranoid >= 3 && !xp_facts_may_perf(f) && is_refused(f);
}

static bool paranoid_2(const struct xp_facts *f)
{
	return f->paranoid >= 2 && !xp_facts_may_perf(f);
}

static bool paranoid_1(const struct xp_facts *f)
{
	return f->paranoid == 1 && !xp_facts_may_perf(f);
}

static bool paranoid_0(const struct xp_facts *f)
{
	return f->paranoid == 0 && !xp_facts_may_perf(f);
}

static bool lacks_perfmon(const struct xp_facts *f)
{
	return !xp_facts_may_perf(f);
}

static bool lacks_ptrace(const struct xp_facts *f)
{
	return !xp_facts_has_cap(f, XP_CAP_SYS_PTRACE);
}

static bool in_container(const struct xp_facts *f)
{
	return f->in_container;
}

static bool is_virtual(const struct xp_facts *f)
{
	return *f->hypervisor;
}

static bool no_pmu_passed_on(const struct xp_facts *f)
{
	return !f->has_core_pmu && is_virtual(f);
}

/* Kernels that report nothing may have some all the same. */
static bool no_branches(const struct xp_facts *f)
{
	return *f->pmu_caps && !f->has_branches;
}

static bool no_core_pmu(const struct xp_facts *f)
{
	return !f->has_core_pmu;
}

static bool watchdog_holds_one(const struct xp_facts *f)
{
	return f->nmi_watchdog > 0 && f->has_core_pmu;
}

static bool rdpmc_forbidden(const struct xp_facts *f)
{
	return !f->rdpmc && !f->rdpmc_is_sysctl;
}

static bool user_access_forbidden(const struct xp_facts *f)
{
	return !f->rdpmc && f->rdpmc_is_sysctl;
}

static bool no_rdpmc(const struct xp_facts *f)
{
	return f->rdpmc < 0;
}

static bool rate_is_low(const struct xp_facts *f)
{
	return f->sample_rate >= 0 && f->sample_rate < 100000;
}

static bool mlock_is_small(const struct xp_facts *f)
{
	return f->mlock_kb >= 0 && f->mlock_kb < 516 && !xp_facts_has_cap(f, XP_CAP_IPC_LOCK);
}

static bool addresses_hidden_from_all(const struct xp_facts *f)
{
	return f->kptr_restrict > 1;
}

static bool addresses_hidden(const struct xp_facts *f)
{
	return f->kptr_restrict == 1 && !xp_facts_has_cap(f, XP_CAP_SYSLOG);
}

static bool addresses_hidden_by_paranoid(const struct xp_facts *f)
{
	return !f->kptr_restrict && f->paranoid > 1 && !xp_facts_has_cap(f, XP_CAP_SYSLOG);
}

static bool is_confidential(const struct xp_facts *f)
{
	return !strcmp(f->lockdown, "confidentiality");
}

static bool tracefs_absent(const struct xp_facts *f)
{
	return !f->tracefs;
}

static bool tracefs_closed(const struct xp_facts *f)
{
	return !f->tracefs_readable;
}

static bool no_bpf(const struct xp_facts *f)
{
	return f->bpf_disabled < 0;
}

static bool lacks_bpf(const struct xp_facts *f)
{
	return !xp_facts_has_cap(f, XP_CAP_BPF) && !xp_facts_has_cap(f, XP_CAP_SYS_ADMIN);
}

/* BPF_PROG_TEST_RUN of raw tracepoints, with which counting begins and ends, is of 5.10. */
static bool too_old_for_bpf(const struct xp_facts *f)
{
	return f->release[0] && (f->release[0] < 5 || (f->release[0] == 5 && f->release[1] < 10));
}

static bool no_btf(const struct xp_facts *f)
{
	return !f->has_btf;
}

static bool libbpf_absent(const struct xp_facts *f)
{
	return f->libbpf == XP_LIBBPF_ABSENT;
}

static bool libbpf_not_built_in(const struct xp_facts *f)
{
	return f->libbpf == XP_LIBBPF_NOT_BUILT_IN;
}

static bool no_debuginfod(const struct xp_facts *f)
{
	return !f->debuginfod || !*f->debuginfod;
}

/* Sixty-four events on every CPU, and what the program needs for itself. */
static bool few_files(const struct xp_facts *f)
{
	return f->nofile.rlim_max < 64 * (rlim_t)f->nr_cpus + 64;
}

/* Eight mebibytes are a ring of two on each of four CPUs. */
static bool little_memory(const struct xp_facts *f)
{
	return f->memlock.rlim_cur < (rlim_t)8 << 20 && !xp_facts_has_cap(f, XP_CAP_IPC_LOCK) &&
	       f->paranoid >= 0;
}

/* --- the table --- */

/* The levels that errors advise, one for each thing that is forbidden. */
#define PARANOID                                                                                   \
	"sudo sysctl kernel.perf_event_paranoid=-1"                                                \
	"  # 1: only the kernel, 0: also whole CPUs, -1: also tracepoints"
#define SETCAP "sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog,cap_bpf=ep PROGRAM"

struct rule {
	bool (*holds)(const struct xp_facts *f);
	enum xp_check_state state;
	const char *effect;
	const char *fix; /* a '@' stands for where tracefs is mounted */
};

static const struct row {
	const char *name;
	enum xp_fact fact;
	struct rule rules[6];
} rows[] = {
	{ "kernel",
	  XP_FACT_KERNEL,
	  { { no_perf, XP_CHECK_OFF,
	      "nothing can be counted: the kernel was built without "
	      "CONFIG_PERF_EVENTS",
	      "" } } },
	{ "perf_event_open",
	  XP_FACT_OPEN,
	  { { filter_refuses, XP_CHECK_OFF,
	      "nothing can be counted: a seccomp filter (usual in "
	      "containers) blocks perf_event_open",
	      "docker run --cap-add PERFMON --security-opt seccomp=unconfined ..." },
	    { is_refused, XP_CHECK_OFF, "you cannot count anything",
	      "sudo sysctl kernel.perf_event_paranoid=2" },
	    { does_not_open, XP_CHECK_OFF, "nothing can be counted", "" } } },
	{ "perf_event_paranoid",
	  XP_FACT_PARANOID,
	  { { paranoid_3, XP_CHECK_OFF, "you cannot count anything", PARANOID },
	    { paranoid_2, XP_CHECK_LIMITS,
	      "you can count your own processes in user space only: no kernel, no whole CPUs, no "
	      "tracepoints",
	      PARANOID },
	    { paranoid_1, XP_CHECK_LIMITS,
	      "you can count your own processes only: no whole CPUs, no data of tracepoints",
	      PARANOID },
	    { paranoid_0, XP_CHECK_LIMITS, "you cannot record the data of tracepoints",
	      PARANOID } } },
	{ "capabilities",
	  XP_FACT_CAPABILITIES,
	  { { lacks_perfmon, XP_CHECK_LIMITS,
	      "you are an ordinary user: perf_event_paranoid applies, and you cannot count "
	      "processes of others",
	      SETCAP },
	    { lacks_ptrace, XP_CHECK_LIMITS,
	      "the maps of other users' processes cannot be read: their functions have no names",
	      SETCAP } } },
	{ "container",
	  XP_FACT_CONTAINER,
	  { { in_container, XP_CHECK_LIMITS,
	      "processes outside have no names here; kernel settings are those of the host",
	      "docker run --pid host ..." } } },
	{ "hypervisor",
	  XP_FACT_HYPERVISOR,
	  { { is_virtual, XP_CHECK_LIMITS,
	      "only the PMUs that the hypervisor passes on can be used: rarely more than the "
	      "core PMU",
	      "" } } },
	{ "pmu",
	  XP_FACT_PMUS,
	  { { no_pmu_passed_on, XP_CHECK_OFF,
	      "no cycles, instructions, cache or raw events: the virtual machine has no PMU",
	      "qemu-system-x86_64 -cpu host,pmu=on ..." },
	    { no_core_pmu, XP_CHECK_OFF, "no cycles, instructions, cache or raw events", "" } } },
	{ "pmu_capabilities",
	  XP_FACT_PMU_CAPS,
	  { { no_branches, XP_CHECK_LIMITS, "no branch records", "" } } },
	{ "nmi_watchdog",
	  XP_FACT_WATCHDOG,
	  { { watchdog_holds_one, XP_CHECK_LIMITS, "it uses one hardware counter of each CPU",
	      "sudo sysctl kernel.nmi_watchdog=0" } } },
	{ "rdpmc",
	  XP_FACT_RDPMC,
	  { { no_core_pmu, XP_CHECK_OK, "", "" },
	    { no_rdpmc, XP_CHECK_OFF, "a program needs a system call to read its own counters",
	      "" },
	    { rdpmc_forbidden, XP_CHECK_OFF,
	      "a program needs a system call to read its own "
	      "counters",
	      "echo 1 | sudo tee /sys/bus/event_source/devices/cpu*/rdpmc" },
	    { user_access_forbidden, XP_CHECK_OFF,
	      "a program needs a system call to read its "
	      "own counters",
	      "sudo sysctl kernel.perf_user_access=1" } } },
	{ "perf_event_max_sample_rate",
	  XP_FACT_SAMPLE_RATE,
	  { { rate_is_low, XP_CHECK_LIMITS,
	      "this is the highest sampling frequency; the kernel lowers it when samples take long",
	      "sudo sysctl kernel.perf_event_max_sample_rate=100000" } } },
	{ "perf_event_mlock_kb",
	  XP_FACT_MLOCK,
	  { { mlock_is_small, XP_CHECK_LIMITS, "rings must be small: more samples get lost",
	      "sudo sysctl kernel.perf_event_mlock_kb=516" } } },
	{ "locked_memory",
	  XP_FACT_MEMLOCK,
	  { { little_memory, XP_CHECK_LIMITS,
	      "rings cannot exceed perf_event_mlock_kb by more than this",
	      "sudo prlimit --pid $$ --memlock=67108864" } } },
	{ "open_files",
	  XP_FACT_FILES,
	  { { few_files, XP_CHECK_LIMITS,
	      "few events can be open on all CPUs: each needs a descriptor per CPU or thread",
	      "sudo prlimit --pid $$ --nofile=65536" } } },
	{ "kptr_restrict",
	  XP_FACT_KPTR,
	  { { addresses_hidden_from_all, XP_CHECK_LIMITS, "kernel functions have no names",
	      "sudo sysctl kernel.kptr_restrict=0" },
	    { addresses_hidden, XP_CHECK_LIMITS, "kernel functions have no names for you",
	      "sudo sysctl kernel.kptr_restrict=0" },
	    { addresses_hidden_by_paranoid, XP_CHECK_LIMITS,
	      "kernel functions have no names for you: perf_event_paranoid is above 1",
	      "sudo sysctl kernel.perf_event_paranoid=1" } } },
	{ "lockdown",
	  XP_FACT_LOCKDOWN,
	  { { is_confidential, XP_CHECK_LIMITS, "no kprobes, no BPF, no tracefs", "" } } },
	{ "tracefs",
	  XP_FACT_TRACEFS,
	  { { tracefs_absent, XP_CHECK_OFF, "no tracepoints: their ids cannot be read",
	      "sudo mount -t tracefs nodev /sys/kernel/tracing" },
	    { tracefs_closed, XP_CHECK_OFF, "no tracepoints for you: their ids cannot be read",
	      "sudo mount -o remount,mode=755 @" } } },
	{ "bpf",
	  XP_FACT_BPF,
	  { { no_bpf, XP_CHECK_OFF, "no BPF programs", "" },
	    { is_confidential, XP_CHECK_OFF,
	      "no BPF programs: lockdown hides the kernel's memory from them", "" },
	    { too_old_for_bpf, XP_CHECK_OFF, "no BPF programs: they need Linux 5.10", "" },
	    { lacks_bpf, XP_CHECK_OFF, "you cannot load BPF programs", SETCAP },
	    { lacks_perfmon, XP_CHECK_OFF, "you cannot load BPF programs that count or sample",
	      SETCAP },
	    { no_btf, XP_CHECK_LIMITS, "no BPF programs that read kernel structures", "" } } },
	{ "libbpf",
	  XP_FACT_LIBBPF,
	  { { libbpf_absent, XP_CHECK_OFF, "no BPF programs: libbpf loads them",
	      "sudo apt install libbpf1  # Fedora: sudo dnf install libbpf" },
	    { libbpf_not_built_in, XP_CHECK_OFF,
	      "no BPF programs: the library was built without libbpf", "" } } },
	{ "debuginfod",
	  XP_FACT_DEBUGINFOD,
	  { { no_debuginfod, XP_CHECK_LIMITS, "debug information is not downloaded",
	      "export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/" } } },
};

static const struct rule *judge(const struct row *row, const struct xp_facts *f)
{
	static const struct rule fine = { NULL, XP_CHECK_OK, "", "" };

	for (size_t i = 0; i < XP_ARRAY_LEN(row->rules) && row->rules[i].holds; i++)
		if (row->rules[i].holds(f))
			return &row->rules[i];
	return &fine;
}

static int report(const struct row *row, const struct xp_facts *f, xp_check_fn fn, void *data)
{
	const struct rule *rule = judge(row, f);
	struct xp_str value = { 0 }, fix = { 0 };
	int before = (int)strcspn(rule->fix, "@");

	xp_facts_show(f, row->fact, &value);
	xp_str_addf(&fix, "%.*s%s", before, rule->fix, rule->fix[before] ? f->tracefs : "");
	struct xp_check check = { .name = row->name,
				  .state = rule->state,
				  .value = xp_str_text(&value),
				  .effect = rule->effect,
				  .fix = xp_str_text(&fix) };
	int err = value.failed || fix.failed ? -ENOMEM : fn(&check, data);
	xp_str_fini(&value);
	xp_str_fini(&fix);
	return err;
}

int xp_doctor_examine(struct xp_ctx *ctx, xp_check_fn fn, void *data)
{
	struct xp_facts facts;
	int err = 0;

	xp_facts_read(ctx, &facts);
	for (size_t i = 0; !err && i < XP_ARRAY_LEN(rows); i++)
		err = report(&rows[i], &facts, fn, data);
	return err;
}

/* --- the summary --- */

static bool may_open(const struct xp_facts *f)
{
	return f->has_perf && !f->open_err;
}

/* Without CAP_PERFMON: up to this level of perf_event_paranoid. */
static bool may_at(const struct xp_facts *f, int64_t paranoid)
{
	return may_open(f) && (xp_facts_may_perf(f) || f->paranoid <= paranoid);
}

static bool can_count_kernel(const struct xp_facts *f)
{
	return may_at(f, 1);
}

static bool can_count_cpus(const struct xp_facts *f)
{
	return may_at(f, 0);
}

static bool can_count_others(const struct xp_facts *f)
{
	return may_open(f) && (xp_facts_may_perf(f) || !lacks_ptrace(f));
}

static bool can_count_cycles(const struct xp_facts *f)
{
	return may_open(f) && f->has_core_pmu;
}

static bool can_use_tracepoints(const struct xp_facts *f)
{
	return may_at(f, -1) && f->tracefs && f->tracefs_readable && !is_confidential(f);
}

static bool can_use_bpf(const struct xp_facts *f)
{
	return f->libbpf == XP_LIBBPF_FOUND && f->has_btf && !no_bpf(f) && !is_confidential(f) &&
	       !too_old_for_bpf(f) && !lacks_bpf(f) && xp_facts_may_perf(f);
}

static bool can_name_kernel(const struct xp_facts *f)
{
	return !addresses_hidden_from_all(f) && !addresses_hidden(f) &&
	       !addresses_hidden_by_paranoid(f);
}

static const struct ability {
	const char *what;
	bool (*holds)(const struct xp_facts *f);
} abilities[] = {
	{ "count and sample your own programs", may_open },
	{ "count and sample processes of other users", can_count_others },
	{ "count and sample in the kernel", can_count_kernel },
	{ "count and sample whole CPUs", can_count_cpus },
	{ "count cycles, instructions and other hardware events", can_count_cycles },
	{ "record the data of tracepoints", can_use_tracepoints },
	{ "count, filter and sum up in the kernel, by BPF programs", can_use_bpf },
	{ "see the names of kernel functions", can_name_kernel },
};

int xp_doctor_abilities(struct xp_ctx *ctx, xp_ability_fn fn, void *data)
{
	struct xp_facts facts;
	int err = 0;

	xp_facts_read(ctx, &facts);
	for (size_t i = 0; !err && i < XP_ARRAY_LEN(abilities); i++)
		err = fn(abilities[i].what, abilities[i].holds(&facts), data);
	return err;
}
