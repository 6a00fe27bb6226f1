/* SPDX-License-Identifier: MIT */
/* What truly happened: queries, and all of it as text for scripts to compare with. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum_of(const struct sim *sim, const struct task *task, int kind, int cpu,
		       enum sim_mode mode)
{
	uint64_t sum = 0;

	for (int i = cpu < 0 ? 0 : cpu; i < (cpu < 0 ? sim->sc.nr_cpus : cpu + 1); i++) {
		const struct tally *tally = &task->truth[kind * sim->sc.nr_cpus + i];

		sum += (mode & SIM_USER ? tally->user : 0) +
		       (mode & SIM_KERNEL ? tally->kernel : 0);
	}
	return sum;
}

static uint64_t sum_of_all(const struct sim *sim, int kind, int cpu, enum sim_mode mode)
{
	uint64_t sum = 0;

	for (int i = 0; i < sim->tasks.nr; i++)
		sum += sum_of(sim, sim->tasks.at[i], kind, cpu, mode);
	for (int i = 0; i < sim->sc.nr_cpus; i++)
		sum += sum_of(sim, sim->cpus[i].idle, kind, cpu, mode);
	return sum;
}

uint64_t sim_truth(const struct sim *sim, const char *event, pid_t tid, int cpu, enum sim_mode mode)
{
	int kind = scenario_kind(&sim->sc, event);
	uint64_t sum = 0;

	if (kind < 0)
		return 0;
	if (tid < 0)
		return sum_of_all(sim, kind, cpu, mode) / MICRO;
	for (int i = 0; i < sim->tasks.nr; i++) {
		const struct task *task = sim->tasks.at[i];

		if (task->tid == tid)
			sum += sum_of(sim, task, kind, cpu, mode);
	}
	return sum / MICRO;
}

static bool is_below(const struct task *task, pid_t pid)
{
	for (; task; task = task->parent)
		if (task->tgid == pid)
			return true;
	return false;
}

uint64_t sim_truth_below(const struct sim *sim, const char *event, pid_t pid, enum sim_mode mode)
{
	int kind = scenario_kind(&sim->sc, event);
	uint64_t sum = 0;

	for (int i = 0; kind >= 0 && i < sim->tasks.nr; i++)
		if (is_below(sim->tasks.at[i], pid))
			sum += sum_of(sim, sim->tasks.at[i], kind, -1, mode);
	return sum / MICRO;
}

void truth_note_event(struct sim *sim, const struct event *event)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "event %s %d %d true=%llu value=%llu enabled=%llu running=%llu",
		 event->kind < 0 ? "-" : sim->sc.kinds[event->kind].name, event->pid, event->cpu,
		 (unsigned long long)event->last.truth, (unsigned long long)event->last.value,
		 (unsigned long long)event->last.enabled_ns,
		 (unsigned long long)event->last.running_ns);
	vec_add(&sim->past_events, xstrdup(text));
}

void truth_note_write(struct sim *sim, const char *path, const char *text, size_t len)
{
	char line[256];

	snprintf(line, sizeof(line), "wrote %s %.*s", path, (int)strnlen(text, len), text);
	line[strcspn(line, "\n")] = '\0';
	vec_add(&sim->past_events, xstrdup(line));
}

static void put_line(FILE *out, const char *kind, const char *tid, const char *cpu, uint64_t micro)
{
	if (micro)
		fprintf(out, "task %s %s %s %llu\n", kind, tid, cpu,
			(unsigned long long)(micro / MICRO));
}

struct sim_output sim_samples(const struct sim *sim, const char *event)
{
	int kind = scenario_kind(&sim->sc, event);

	return kind < 0 ? (struct sim_output){ 0 } : sim->samples[kind];
}

struct sim_output sim_records(const struct sim *sim, uint32_t type)
{
	return type < NR_RECORD_TYPES ? sim->output[type] : (struct sim_output){ 0 };
}

static void write_output(const struct sim *sim, FILE *out)
{
	for (int kind = 0; kind < sim->sc.nr_kinds; kind++)
		if (sim->samples[kind].written + sim->samples[kind].lost)
			fprintf(out, "samples %s written=%llu lost=%llu\n",
				sim->sc.kinds[kind].name,
				(unsigned long long)sim->samples[kind].written,
				(unsigned long long)sim->samples[kind].lost);
	for (int type = 0; type < NR_RECORD_TYPES; type++)
		if (sim->output[type].written + sim->output[type].lost)
			fprintf(out, "records %d written=%llu lost=%llu\n", type,
				(unsigned long long)sim->output[type].written,
				(unsigned long long)sim->output[type].lost);
}

void sim_write_truth(struct sim *sim, FILE *out)
{
	char number[16];

	for (int kind = 0; kind < sim->sc.nr_kinds; kind++) {
		const char *name = sim->sc.kinds[kind].name;

		put_line(out, name, "all", "all", sum_of_all(sim, kind, -1, SIM_ANY_MODE));
		for (int cpu = 0; cpu < sim->sc.nr_cpus; cpu++) {
			snprintf(number, sizeof(number), "%d", cpu);
			put_line(out, name, "all", number,
				 sum_of_all(sim, kind, cpu, SIM_ANY_MODE));
		}
		for (int i = 0; i < sim->tasks.nr; i++) {
			const struct task *task = sim->tasks.at[i];

			snprintf(number, sizeof(number), "%d", task->tid);
			put_line(out, name, number, "all",
				 sum_of(sim, task, kind, -1, SIM_ANY_MODE));
		}
	}
	write_output(sim, out);
	for (int i = 0; i < sim->past_events.nr; i++)
		fprintf(out, "%s\n", (const char *)sim->past_events.at[i]);
}
