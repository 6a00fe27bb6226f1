/* SPDX-License-Identifier: MIT */
/*
 * The files of the machine: a tree in a temporary directory with what /proc, /sys and tracefs
 * show of it. Removed with the machine.
 *
 * Source: Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-bus-event_source-devices-*,
 * Documentation/trace/ftrace.rst, proc(5).
 */
#include "model.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_LEN = 512 };

#define CGROUPS "/sys/fs/cgroup"

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* Writes a file; @path is below the root, @fmt its content. */
static void XP_PRINTF(3, 4) put(const struct sim *sim, const char *path, const char *fmt, ...)
{
	char full[PATH_LEN];
	va_list ap;

	snprintf(full, sizeof(full), "%s%s", sim->root, path);
	FILE *out = fopen(full, "w");
	if (!out) {
		make_parents(full);
		out = fopen(full, "w");
	}
	if (!out)
		return;
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fclose(out);
}

void roots_put(const struct sim *sim, const char *line, const char *fmt, ...)
{
	char path[PATH_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	put(sim, path, "%s\n", line);
}

bool roots_has(const struct sim *sim, const char *path)
{
	size_t len = strlen(sim->root);

	return !strncmp(path, sim->root, len) && path[len] == '/';
}

static const char *XP_PRINTF(2, 3) in(char *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, PATH_LEN, fmt, ap);
	va_end(ap);
	return buf;
}

static void put_kernel(const struct sim *sim)
{
	put(sim, "/proc/sys/kernel/perf_event_paranoid", "%d\n", sim->sc.paranoid);
	put(sim, "/proc/sys/kernel/perf_event_max_sample_rate", "%llu\n",
	    (unsigned long long)sim->sc.max_sample_rate);
	put(sim, "/proc/sys/kernel/perf_event_mlock_kb", "%llu\n",
	    (unsigned long long)sim->sc.mlock_kb);
	put(sim, "/proc/sys/kernel/nmi_watchdog", "%d\n", sim->sc.watchdog);
	put(sim, "/proc/sys/kernel/osrelease", "6.12.0-sim\n");
	put(sim, "/proc/version", "Linux version 6.12.0-sim\n");
	put(sim, "/proc/self/status", "Name:\txperf\nUid:\t%u\t%u\t%u\t%u\nSeccomp:\t%d\n",
	    sim->sc.uid, sim->sc.uid, sim->sc.uid, sim->sc.uid, sim->sc.seccomp ? 2 : 0);
	static const char *const mounts[] = { "/proc/mounts", "/proc/self/mounts" };
	for (size_t i = 0; i < ARRAY_LEN(mounts); i++)
		put(sim, mounts[i], "proc /proc proc rw 0 0\nsysfs /sys sysfs rw 0 0\n%s%s",
		    sim->sc.has_tracefs ? "tracefs /sys/kernel/tracing tracefs rw 0 0\n" : "",
		    sim->sc.has_cgroups ? "cgroup2 " CGROUPS " cgroup2 rw 0 0\n" : "");
}

/* "0-2,4": what is online of @nr CPUs from @cpu on. */
static void put_list(const struct sim *sim, const char *path, int cpu, int nr)
{
	char list[2048];
	size_t len = 0;
	int i = cpu, end = cpu + nr < sim->sc.nr_cpus ? cpu + nr : sim->sc.nr_cpus;

	while (i < end) {
		int first = i;

		while (i < end && !sim->sc.offline[i])
			i++;
		if (i > first && len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len,
						i - first > 1 ? "%s%d-%d" : "%s%d", len ? "," : "",
						first, i - 1);
		i++;
	}
	put(sim, path, "%s\n", list);
}

static void put_online(const struct sim *sim)
{
	put_list(sim, "/sys/devices/system/cpu/online", 0, sim->sc.nr_cpus);
	put(sim, "/sys/devices/system/cpu/possible", "0-%d\n", sim->sc.nr_cpus - 1);
	put(sim, "/sys/devices/system/cpu/present", "0-%d\n", sim->sc.nr_cpus - 1);
}

/* CPUs are numbered socket by socket, die by die, core by core. */
static void put_cpu(const struct sim *sim, int cpu)
{
	const struct scenario *sc = &sim->sc;
	int per_socket = (sc->nr_cpus + sc->sockets - 1) / sc->sockets;
	int per_die = (per_socket + sc->dies - 1) / sc->dies;
	int per_node = (sc->nr_cpus + sc->nodes - 1) / sc->nodes;
	char dir[PATH_LEN - 64], path[PATH_LEN], full[PATH_LEN * 2];

	snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%d", cpu);
	put(sim, in(path, "%s/online", dir), "%d\n", !sc->offline[cpu]);
	if (sc->offline[cpu])
		return;
	put(sim, in(path, "%s/topology/physical_package_id", dir), "%d\n", cpu / per_socket);
	put(sim, in(path, "%s/topology/die_id", dir), "%d\n", cpu % per_socket / per_die);
	put(sim, in(path, "%s/topology/core_id", dir), "%d\n",
	    cpu % per_socket % per_die / sc->smt);
	put_list(sim, in(path, "%s/topology/core_siblings_list", dir), cpu - cpu % per_socket,
		 per_socket);
	put_list(sim, in(path, "%s/topology/die_cpus_list", dir), cpu - cpu % per_socket % per_die,
		 per_die);
	put_list(sim, in(path, "%s/topology/thread_siblings_list", dir),
		 cpu - cpu % per_socket % per_die % sc->smt, sc->smt);
	put(sim, in(path, "/sys/devices/system/node/node%d/cpu%d", cpu / per_node, cpu), "\n");
	snprintf(full, sizeof(full), "%s%s/node%d", sim->root, dir, cpu / per_node);
	mkdir(full, 0755);
}

static const struct {
	const char *name;
	const char *bits;
} pmu_format[] = {
	{ "event", "config:0-7" }, { "umask", "config:8-15" },  { "edge", "config:18" },
	{ "inv", "config:23" },    { "cmask", "config:24-31" }, { "pc", "config:19" },
	{ "any", "config:21" },
};

static const char *sysfs_name(const struct kind *kind)
{
	if (!strcmp(kind->name, "cycles"))
		return "cpu-cycles";
	return !strcmp(kind->name, "branches") ? "branch-instructions" : kind->name;
}

/* Documentation/ABI/testing/sysfs-bus-event_source-devices-*: PMUs that are not everywhere */
static void put_pmu_cpus(const struct sim *sim, const char *file, bool own)
{
	char path[PATH_LEN], list[6 * MAX_CPUS + 1] = "";
	int len = 0;

	for (int cpu = 0; cpu < sim->sc.nr_cpus; cpu++)
		if (sim->sc.pmu_cpus[cpu] == own)
			len += snprintf(list + len, sizeof(list) - (size_t)len, "%s%d",
					len ? "," : "", cpu);
	put(sim, in(path, "/sys/bus/event_source/devices/%s", file), "%s\n", list);
}

static void put_pmu(const struct sim *sim)
{
	char path[PATH_LEN];

	if (sim->sc.pmu_is_uncore) {
		put_pmu_cpus(sim, "cpu/cpumask", true);
	} else if (sim->sc.pmu_is_partial) {
		put_pmu_cpus(sim, "cpu/cpus", true);
		put_pmu_cpus(sim, "cpu_other/cpus", false);
	}

	put(sim, "/sys/bus/event_source/devices/cpu/type", "%d\n", PERF_TYPE_RAW);
	put(sim, "/sys/bus/event_source/devices/cpu/caps/max_precise", "%d\n", sim->sc.precise_max);
	put(sim, "/sys/bus/event_source/devices/cpu/caps/pmu_name", "sim\n");
	for (size_t i = 0; i < ARRAY_LEN(pmu_format); i++)
		put(sim,
		    in(path, "/sys/bus/event_source/devices/cpu/format/%s", pmu_format[i].name),
		    "%s\n", pmu_format[i].bits);
	for (int i = 0; i < sim->sc.nr_kinds; i++) {
		const struct kind *kind = &sim->sc.kinds[i];

		if (kind->raw && sim->sc.has_kind[i])
			put(sim,
			    in(path, "/sys/bus/event_source/devices/cpu/events/%s",
			       sysfs_name(kind)),
			    "event=0x%02x,umask=0x%02x\n", kind->raw & 0xff, kind->raw >> 8);
	}
}

static void put_tracefs(const struct sim *sim)
{
	/* All have the same fields. */
	static const char format[] =
		"name: %s\nID: %llu\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:char task[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:long ret;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		"print fmt: \"task=%%s ret=%%ld\", REC->task, REC->ret\n";
	char path[PATH_LEN], name[48];

	for (int i = 0; i < sim->sc.nr_kinds; i++) {
		const struct kind *kind = &sim->sc.kinds[i];
		char *colon;

		if (kind->type != PERF_TYPE_TRACEPOINT)
			continue;
		memcpy(name, kind->name, sizeof(name));
		colon = strchr(name, ':');
		*colon = '/';
		put(sim, in(path, "/sys/kernel/tracing/events/%s/id", name), "%llu\n",
		    (unsigned long long)kind->config);
		put(sim, in(path, "/sys/kernel/tracing/events/%s/format", name), format, colon + 1,
		    (unsigned long long)kind->config);
	}
}

static void put_cgroups(const struct sim *sim)
{
	char path[PATH_LEN];

	put(sim, CGROUPS "/cgroup.controllers", "\n");
	for (int i = 0; i < sim->sc.cgroups.nr; i++)
		put(sim, in(path, CGROUPS "/%s/cgroup.events", (const char *)sim->sc.cgroups.at[i]),
		    "%s", "");
}

const char *roots_cgroup(const struct sim *sim, const char *path)
{
	size_t len = strlen(sim->root);

	if (!sim->sc.has_cgroups || strncmp(path, sim->root, len) ||
	    strncmp(path + len, CGROUPS "/", strlen(CGROUPS "/")))
		return NULL;
	const char *name = path + len + strlen(CGROUPS "/");
	name += strspn(name, "/");
	for (int i = 0; i < sim->sc.cgroups.nr; i++) {
		const char *cgroup = sim->sc.cgroups.at[i];
		size_t name_len = strlen(cgroup);

		if (!strncmp(name, cgroup, name_len) &&
		    strspn(name + name_len, "/.") == strlen(name + name_len))
			return cgroup;
	}
	return strspn(name, "/.") == strlen(name) ? "" : NULL;
}

static int nr_threads_of(const struct sim *sim, pid_t tgid)
{
	int nr = 0;

	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *task = sim->tasks.at[i];

		nr += task->tgid == tgid && task_alive(task);
	}
	return nr;
}

/* With the times it has used until now. */
static void put_stat(const struct sim *sim, const struct task *task, const char *dir)
{
	struct rusage all;
	char path[PATH_LEN];

	task_usage(sim, task, &all);
	put(sim, in(path, "%s/stat", dir), "%d (%s) R %d 0 0 0 0 0 0 0 0 0 %llu %llu 0 0 20 0 %d\n",
	    task->tid, task->comm, task->parent ? task->parent->tgid : 0,
	    (unsigned long long)(all.ru_utime.tv_sec * 100 + all.ru_utime.tv_usec / 10000),
	    (unsigned long long)(all.ru_stime.tv_sec * 100 + all.ru_stime.tv_usec / 10000),
	    nr_threads_of(sim, task->tgid));
}

void roots_set_online(struct sim *sim, int cpu, bool online)
{
	sim->sc.offline[cpu] = !online;
	put_online(sim);
	/* The lists of those it shares something with change, too. */
	for (int i = 0; i < sim->sc.nr_cpus; i++)
		put_cpu(sim, i);
}

/* Times go on: they are written when somebody looks. */
void roots_look(struct sim *sim, const char *path)
{
	size_t len = strlen(sim->root);
	int pid, end = 0;

	if (strncmp(path, sim->root, len) ||
	    sscanf(path + len, "/proc/%d/stat%n", &pid, &end) < 1 || !end ||
	    path[len + (size_t)end])
		return;
	const struct task *task = task_find(sim, pid);
	char dir[64];
	snprintf(dir, sizeof(dir), "/proc/%d", pid);
	if (task)
		put_stat(sim, task, dir);
}

static void put_task(const struct sim *sim, const struct task *task, const char *dir)
{
	int parent = task->parent ? task->parent->tgid : 0;
	char path[PATH_LEN];

	put(sim, in(path, "%s/comm", dir), "%s\n", task->comm);
	put_stat(sim, task, dir);
	put(sim, in(path, "%s/status", dir),
	    "Name:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t%u\t%u\t%u\t%u\n", task->comm,
	    task->tgid, task->tid, parent, task->uid, task->uid, task->uid, task->uid);
	in(path, "%s/maps", dir);
	if (task->exe[0])
		put(sim, path, "%llx-%llx r-xp 00000000 %02x:%02x %d %s\n",
		    (unsigned long long)SIM_TEXT_BASE,
		    (unsigned long long)(SIM_TEXT_BASE +
					 (uint64_t)sim->sc.programs.nr * SIM_PROGRAM_BYTES),
		    SIM_FILE_MAJOR, SIM_FILE_MINOR, SIM_FILE_INODE, task->exe);
	else
		put(sim, path, "%s", "");
}

/* /proc/PID/task/TID and /proc/TID; and the process, which has a thread more now */
void roots_add_task(struct sim *sim, const struct task *task)
{
	const struct task *leader = task_find(sim, task->tgid);
	char dir[64];

	snprintf(dir, sizeof(dir), "/proc/%d/task/%d", task->tgid, task->tid);
	put_task(sim, task, dir);
	snprintf(dir, sizeof(dir), "/proc/%d", task->tid);
	put_task(sim, task, dir);
	snprintf(dir, sizeof(dir), "/proc/%d", task->tgid);
	if (leader && leader != task)
		put_task(sim, leader, dir);
}

void roots_set_comm(struct sim *sim, const struct task *task)
{
	roots_add_task(sim, task);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void roots_remove_task(struct sim *sim, const struct task *task)
{
	char path[PATH_LEN];

	remove_tree(in(path, "%s/proc/%d/task/%d", sim->root, task->tgid, task->tid));
	remove_tree(in(path, "%s/proc/%d", sim->root, task->tid));
}

/* A test makes thousands of files: in memory where that can be had, as a disk that others use takes
 * a millisecond for each. */
static const char *temporary(void)
{
	const char *named = getenv("TMPDIR");

	if (named)
		return named;
	return access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm";
}

int roots_make(struct sim *sim)
{
	char path[PATH_LEN];

	snprintf(path, sizeof(path), "%s/xperf-sim-XXXXXX", temporary());
	if (!mkdtemp(path))
		return -errno;
	sim->root = xstrdup(path);
	put_kernel(sim);
	put_online(sim);
	for (int i = 0; i < sim->sc.nr_cpus; i++)
		put_cpu(sim, i);
	put(sim, "/sys/bus/event_source/devices/software/type", "%d\n", PERF_TYPE_SOFTWARE);
	put(sim, "/sys/bus/event_source/devices/tracepoint/type", "%d\n", PERF_TYPE_TRACEPOINT);
	if (sim->sc.has_pmu)
		put_pmu(sim);
	if (sim->sc.has_tracefs)
		put_tracefs(sim);
	if (sim->sc.has_cgroups)
		put_cgroups(sim);
	devices_put(sim);
	return 0;
}

void roots_remove(struct sim *sim)
{
	if (sim->root)
		remove_tree(sim->root);
	free(sim->root);
}
