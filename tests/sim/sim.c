/* SPDX-License-Identifier: MIT */
/* The simulated kernel as an object: made from a scenario, asked, freed. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SELF_PID = 1000 };

static bool no_rdpmc(const struct xp_arch *arch, uint32_t counter, uint64_t *ret_raw)
{
	(void)arch;
	(void)counter;
	(void)ret_raw;
	return false;
}

static uint64_t no_timestamp(const struct xp_arch *arch)
{
	(void)arch;
	return 0;
}

static bool hypervisor(const struct xp_arch *arch, char *buf, size_t len)
{
	const struct sim *sim =
		(const struct sim *)((const char *)arch - offsetof(struct sim, arch));

	if (!sim->sc.hypervisor[0])
		return false;
	snprintf(buf, len, "%s", sim->sc.hypervisor);
	return true;
}

static void start(struct sim *sim)
{
	sim->sys = sim_table;
	sim->arch = (struct xp_arch){ .size = sizeof(sim->arch),
				      .name = "sim",
				      .rdpmc = no_rdpmc,
				      .timestamp = no_timestamp,
				      .hypervisor = hypervisor,
				      .regs = xp_arch_native()->regs,
				      .sample_regs = xp_arch_native()->sample_regs,
				      .unwind_regs = xp_arch_native()->unwind_regs };
	sim->exec_at = NEVER;
	sim->next_id = 100;
	sim->next_pid = SELF_PID;
	sim->nofile = (struct rlimit){ sim->sc.nofile_soft, sim->sc.nofile_hard };
	sim->memlock = (struct rlimit){ sim->sc.memlock_kb * 1024, sim->sc.memlock_kb * 1024 };
	while (sim->sc.offline[sim->self_cpu] && sim->self_cpu < sim->sc.nr_cpus - 1)
		sim->self_cpu++;
	sched_init(sim);
	sim->self = task_new(sim, 0, "xperf", NULL);
	sim->self->cpu = sim->self_cpu;
	roots_add_task(sim, sim->self);
	for (int i = 0; i < sim->sc.backgrounds.nr; i++)
		task_background(sim, sim->sc.backgrounds.at[i]);
	sim_advance(sim, 0);
}

struct sim *sim_new(const char *text, const char *origin)
{
	struct sim *sim = xalloc(sizeof(*sim));

	if (scenario_parse(&sim->sc, text, origin)) {
		free(sim);
		return NULL;
	}
	int err = roots_make(sim);
	if (err) {
		fprintf(stderr, "%s: no temporary directory: %s\n", origin, strerror(-err));
		scenario_fini(&sim->sc);
		free(sim);
		return NULL;
	}
	start(sim);
	return sim;
}

struct sim *sim_load(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t len = 0;

	if (!in || getdelim(&text, &len, '\0', in) < 0) {
		fprintf(stderr, "%s: cannot be read\n", path);
		if (in)
			fclose(in);
		free(text);
		return NULL;
	}
	fclose(in);
	struct sim *sim = sim_new(text, path);
	free(text);
	return sim;
}

static void free_texts(struct vec *vec)
{
	for (int i = 0; i < vec->nr; i++)
		free(vec->at[i]);
	vec_fini(vec);
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	ring_unmap_all(sim);
	for (int i = 0; i < sim->files.nr; i++) {
		const struct file *file = sim->files.at[i];

		if (file)
			file_close(sim, file->fd);
	}
	vec_fini(&sim->files);
	for (int i = 0; i < sim->tasks.nr; i++)
		task_free(sim->tasks.at[i]);
	vec_fini(&sim->tasks);
	sched_fini(sim);
	roots_remove(sim);
	free_texts(&sim->complaints);
	free_texts(&sim->past_events);
	scenario_fini(&sim->sc);
	free(sim);
}

const struct xp_sys *sim_sys(struct sim *sim)
{
	return &sim->sys;
}

const struct xp_arch *sim_arch(struct sim *sim)
{
	return &sim->arch;
}

const char *sim_root(const struct sim *sim)
{
	return sim->root;
}

struct xp_ctx_opts sim_ctx_opts(struct sim *sim)
{
	return (struct xp_ctx_opts){ .size = sizeof(struct xp_ctx_opts),
				     .sys = &sim->sys,
				     .arch = &sim->arch,
				     .root = sim->root,
				     .raise_limits = true };
}

const struct sim_stats *sim_stats(const struct sim *sim)
{
	return &sim->stats;
}

pid_t sim_self(const struct sim *sim)
{
	return sim->self->tid;
}

void sim_fail_call(struct sim *sim, uint64_t n, int err)
{
	sim_fail_named(sim, NULL, n, err);
}

void sim_fail_named(struct sim *sim, const char *name, uint64_t n, int err)
{
	struct fault *fault = xalloc(sizeof(*fault));

	fault->name = name ? xstrdup(name) : NULL;
	fault->nr = n;
	fault->err = err;
	vec_add(&sim->sc.faults, fault);
}

void sim_log_to(struct sim *sim, FILE *out)
{
	sim->log = out;
}

void sim_exit_when_stuck(struct sim *sim)
{
	sim->exit_when_stuck = true;
}

int sim_killed_by(const struct sim *sim)
{
	return sim->killed_by;
}

int sim_leaks(struct sim *sim, FILE *out)
{
	int nr = 0;

	for (int i = 0; i < sim->files.nr; i++) {
		const struct file *file = sim->files.at[i];

		if (file)
			nr += fprintf(out, "left open: %d (%s)\n", file->fd, file->what) > 0;
	}
	if (sim->mappings.nr)
		nr += fprintf(out, "left mapped: %d\n", sim->mappings.nr) > 0;
	for (int i = 0; i < sim->complaints.nr; i++)
		nr += fprintf(out, "%s\n", (const char *)sim->complaints.at[i]) > 0;
	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *task = sim->tasks.at[i];

		if (task->is_child_of_self &&
		    (task->state == TASK_ZOMBIE || task->state == TASK_HELD))
			nr += fprintf(out, "child not waited for: %d (%s)\n", task->tid,
				      task->comm) > 0;
	}
	return nr;
}
