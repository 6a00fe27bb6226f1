/* SPDX-License-Identifier: MIT */
/*
 * The scenario: a text, one statement a line, words separated by blanks, # to the end of the line
 * is a comment. Numbers may be written 3_000_000; times carry ns, us, ms or s.
 *
 * The machine:
 *   machine cpus=8 sockets=2 dies=1 smt=2 nodes=2 offline=3     defaults 1 1 1 1 1, none offline
 *   user uid=1000 perfmon=1 paranoid=2 nofile=1024 nofile_max=4096    default root, 2, 1024, 4096
 *   user seccomp=1                                     a filter refuses perf_event_open()
 *   user memlock_kb=8192                                        RLIMIT_MEMLOCK
 *   pmu general=4 fixed=cycles,instructions watchdog=1 precise=3
 *   pmu cpus=1,2                                the PMU, "cpu", is on these CPUs only; the
 *     others are of another kind, with a PMU "cpu_other" that has no events
 *   pmu uncore cpus=0,2                         ... for parts of the machine, not for tasks
 *   pmu none                                                    default: general=4, nothing fixed
 *   pmu lacks=EVENT,... has=EVENT,...
 *   device NAME type=N [cpus=0,2] format=event:0-7,umask:8-15 [EVENT=event=0x83,umask=0x04 ...]
 *     a PMU of another driver; formats are bits of config. Its events are NAME/EVENT/ in steps.
 *     With cpus it counts for parts of the machine, of which these CPUs stand for one each: what
 *     tasks do on the CPU itself. It always has a counter
 *   sysfs PATH CONTENT                          a file of one line, which root may write
 *   kernel attr_size=136 lacks=exclude_guest,lost,pidfd,...     an older kernel
 *   kernel max_sample_rate=100000 mlock_kb=516                  its limits
 *   tracefs none
 *   cgroup NAME ...       more of them than tasks are in; version 2, on /sys/fs/cgroup
 *   cgroup none           they are not mounted
 *   hypervisor KVM
 *   time call=300ns exec=0ns mux=4ms slice=4ms limit=1000s
 *     call: what each kernel call takes; exec: CPU time from the release of a held child to its
 *     exec; mux: rotation interval; slice: of a CPU among its tasks; limit: end of virtual time
 *
 * Programs, found by the last part of argv[0]:
 *   program NAME [ignores=INT,TERM] [exec_error=EACCES] [bits=32]
 *     run TIME|forever [cpu=N|any] [sys=PCT] [EVENT=N] [EVENT:k=N] [EVENT:u=N] ...
 *       on a CPU; N events per millisecond, in user or kernel mode; sys: kernel share of the time
 *     sleep TIME
 *     hit EVENT N           N of them at once (software events and tracepoints: in kernel mode)
 *     fork NAME [N]         children running NAME without an exec
 *     thread NAME [N]
 *     wait                  for all children
 *     repeat N              from the first step, N more times
 *     exit N | raise SIGNAL
 *     name NAME | map PATH  renames the task; maps a library
 *   The end of the steps is exit 0.
 *
 * What else goes on:
 *   task PID NAME [threads=N] [uid=N] [cpu=N] [cgroup=NAME]     runs from the start; threads are
 *     PID, PID+1, ...; what it starts is in its cgroup
 *   at TIME|exec+TIME signal NAME [all]           to the program under test; all: from the
 *     terminal, to its children as well
 *   at TIME|exec+TIME kill PID NAME               to a task
 *   at TIME|exec+TIME unplug CPU                  its events stop; tasks stay where they are
 *   at TIME|exec+TIME plug CPU                    it is back; its events stay where they are
 *   fail CALL N ERRNO                             the N-th call of that name; CALL "call": of all
 */
#include "model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

static const struct {
	const char *word;
	int (*parse)(struct parser *p);
} statements[] = {
	{ "machine", parse_machine },
	{ "user", parse_user },
	{ "pmu", parse_pmu },
	{ "kernel", parse_kernel },
	{ "tracefs", parse_tracefs },
	{ "cgroup", parse_cgroup },
	{ "hypervisor", parse_hypervisor },
	{ "time", parse_time },
	{ "device", parse_device },
	{ "sysfs", parse_sysfs },
	{ "program", parse_program },
	{ "task", parse_task },
	{ "at", parse_at },
	{ "fail", parse_fail },
};

int parse_error(const struct parser *p, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: ", p->origin, p->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

/* Cuts one line into words. */
static void split(struct parser *p, char *line)
{
	char *save = NULL;

	line[strcspn(line, "#")] = '\0';
	p->nr = 0;
	for (char *w = strtok_r(line, " \t", &save); w && p->nr < MAX_WORDS;
	     w = strtok_r(NULL, " \t", &save))
		p->words[p->nr++] = w;
}

static int parse_statement(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_LEN(statements); i++)
		if (!strcmp(p->words[0], statements[i].word))
			return statements[i].parse(p);
	if (p->program)
		return parse_step(p);
	return parse_error(p, "'%s' is no statement", p->words[0]);
}

static void set_defaults(struct scenario *sc)
{
	*sc = (struct scenario){ .nr_cpus = 1,
				 .sockets = 1,
				 .dies = 1,
				 .smt = 1,
				 .nodes = 1,
				 .paranoid = 2,
				 .nofile_soft = 1024,
				 .nofile_hard = 4096,
				 .memlock_kb = 8192,
				 .max_sample_rate = 100000,
				 .mlock_kb = 516,
				 .has_pmu = true,
				 .nr_general = 4,
				 .precise_max = 3,
				 .has_tracefs = true,
				 .has_cgroups = true,
				 .attr_size = XP_ATTR_SIZE_VER8,
				 .call_ns = 300,
				 .mux_ns = 4 * MICRO,
				 .slice_ns = 4 * MICRO,
				 .limit_ns = 1000 * 1000 * MICRO };
	sc->nr_kinds = builtin_kinds(sc->kinds);
	for (int i = 0; i < sc->nr_kinds; i++)
		sc->has_kind[i] = !(sc->kinds[i].traits & KIND_ABSENT);
}

const struct program *scenario_program(const struct scenario *sc, const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	for (int i = 0; i < sc->programs.nr; i++) {
		const struct program *program = sc->programs.at[i];

		if (!strcmp(program->name, name))
			return program;
	}
	return NULL;
}

int scenario_kind(const struct scenario *sc, const char *name)
{
	for (int i = 0; i < sc->nr_kinds; i++)
		if (!strcmp(sc->kinds[i].name, name))
			return i;
	return -1;
}

/* Programs may be named before they are described. */
static int resolve_names(struct parser *p)
{
	struct scenario *sc = p->sc;

	for (int i = 0; i < sc->programs.nr; i++) {
		struct program *program = sc->programs.at[i];

		for (int s = 0; s < program->nr_steps; s++) {
			struct step *step = &program->steps[s];

			if (!step->program_name)
				continue;
			step->program = scenario_program(sc, step->program_name);
			if (!step->program)
				return parse_error(p, "no program '%s'", step->program_name);
		}
	}
	for (int i = 0; i < sc->backgrounds.nr; i++) {
		const struct background *background = sc->backgrounds.at[i];

		if (!scenario_program(sc, background->program_name))
			return parse_error(p, "no program '%s'", background->program_name);
	}
	return 0;
}

int scenario_parse(struct scenario *sc, const char *text, const char *origin)
{
	struct parser *p = xalloc(sizeof(*p));
	char *copy = xstrdup(text), *save = copy;
	int err = 0;

	p->sc = sc;
	p->origin = origin;
	set_defaults(sc);
	for (char *line = strsep(&save, "\n"); line && !err; line = strsep(&save, "\n")) {
		p->line++;
		split(p, line);
		if (p->nr)
			err = parse_statement(p);
	}
	if (!err)
		err = resolve_names(p);
	free(copy);
	free(p);
	if (err)
		scenario_fini(sc);
	return err;
}

static void free_program(struct program *program)
{
	for (int i = 0; i < program->nr_steps; i++) {
		free(program->steps[i].program_name);
		free(program->steps[i].name);
		free(program->steps[i].rates);
	}
	free(program->steps);
	free(program->name);
	free(program);
}

void scenario_fini(struct scenario *sc)
{
	for (int i = 0; i < sc->programs.nr; i++)
		free_program(sc->programs.at[i]);
	for (int i = 0; i < sc->actions.nr; i++)
		free(sc->actions.at[i]);
	for (int i = 0; i < sc->faults.nr; i++) {
		struct fault *fault = sc->faults.at[i];

		free(fault->name);
		free(fault);
	}
	for (int i = 0; i < sc->backgrounds.nr; i++) {
		struct background *background = sc->backgrounds.at[i];

		free(background->program_name);
		free(background->cgroup);
		free(background);
	}
	for (int i = 0; i < sc->cgroups.nr; i++)
		free(sc->cgroups.at[i]);
	devices_fini(sc);
	vec_fini(&sc->cgroups);
	vec_fini(&sc->programs);
	vec_fini(&sc->actions);
	vec_fini(&sc->faults);
	vec_fini(&sc->backgrounds);
}
