/* SPDX-License-Identifier: MIT */
/* What a recording is made of: numbers of records, tasks, maps; and how good a profile it is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "chain-ends.h"
#include "header.h"
#include "plural.h"
#include "report.h"
#include "unnamed.h"
#include "vec.h"

void stats_print(FILE *file, const struct report *report, bool with_empty)
{
	const struct tally *tally = &report->tally;

	fprintf(file, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n", "TOTAL", tally->total);
	for (uint32_t i = 0; i < RECORD_TYPES; i++)
		if (tally->records[i])
			fprintf(file, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", xp_record_name(i),
				tally->records[i],
				100.0 * (double)tally->records[i] / (double)tally->total);
	for (int i = 0; i < report->rec.nr_events; i++) {
		bool has_samples = report->samples[i] || with_empty;

		if (has_samples || report->lost[i])
			fprintf(file, "%s stats:\n",
				escaped(xp_data_event_at(report->rec.data, i)->name));
		if (has_samples)
			fprintf(file, "%16s events: %10" PRIu64 "\n", "SAMPLE", report->samples[i]);
		if (report->lost[i])
			fprintf(file, "%16s events: %10" PRIu64 "\n", "LOST_SAMPLES",
				report->lost[i]);
	}
}

/* Tasks as a tree: threads below their process, processes below their parent. */
struct task {
	int32_t pid, tid, parent;
	const char *comm;
};

struct tasks {
	struct task *tasks;
	size_t nr;
};

static int gather(int32_t pid, int32_t tid, int32_t parent, const char *comm, void *data)
{
	struct tasks *tasks = data;

	if (vec_add(&tasks->tasks, tasks->nr, sizeof(*tasks->tasks)))
		return -1;
	tasks->tasks[tasks->nr++] =
		(struct task){ .pid = pid, .tid = tid, .parent = parent, .comm = comm };
	return 0;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *l = a, *r = b;

	if (l->pid != r->pid)
		return l->pid < r->pid ? -1 : 1;
	return (l->tid > r->tid) - (l->tid < r->tid);
}

static bool has_process(const struct tasks *tasks, int32_t pid)
{
	const struct task key = { .pid = pid, .tid = pid };

	return tasks->nr &&
	       bsearch(&key, tasks->tasks, tasks->nr, sizeof(key), compare_tasks) != NULL;
}

typedef void (*task_fn)(FILE *file, const struct report *report, const struct task *task,
			int indent);

/* Where a line of a map goes to. */
struct map_line {
	FILE *file;
	int indent;
};

static void print_below(FILE *file, const struct report *report, const struct tasks *tasks,
			int32_t pid, int indent, task_fn then)
{
	for (size_t i = 0; i < tasks->nr; i++) {
		const struct task *task = &tasks->tasks[i];
		bool is_thread = task->pid == pid && task->tid != pid;
		bool is_child = task->parent == pid && task->pid == task->tid && task->pid != pid;

		if ((!is_thread && !is_child) || indent > 512)
			continue;
		fprintf(file, "%10d %8d %8d |%*s%s\n", task->pid, task->tid, task->parent, indent,
			"", escaped(task->comm));
		if (then)
			then(file, report, task, indent);
		if (is_child)
			print_below(file, report, tasks, task->pid, indent + 1, then);
	}
}

static void print_tree(FILE *file, const struct report *report, task_fn then)
{
	struct tasks tasks = { 0 };

	xp_timeline_tasks(report->rec.timeline, gather, &tasks);
	if (tasks.nr)
		qsort(tasks.tasks, tasks.nr, sizeof(*tasks.tasks), compare_tasks);
	fprintf(file, "# %8s %8s %8s  comm\n", "pid", "tid", "ppid");
	if (!has_process(&tasks, 0))
		fprintf(file, "%10d %8d %8d |swapper\n", 0, 0, -1);
	for (size_t i = 0; i < tasks.nr; i++) {
		const struct task *task = &tasks.tasks[i];

		if (task->pid != task->tid ||
		    (task->parent != task->pid && has_process(&tasks, task->parent)))
			continue;
		fprintf(file, "%10d %8d %8d |%s\n", task->pid, task->tid, task->parent,
			escaped(task->comm));
		if (then)
			then(file, report, task, 0);
		print_below(file, report, &tasks, task->pid, 1, then);
	}
	free(tasks.tasks);
}

/* The build id of a file whose inode was not recorded. */
static void put_identity(FILE *file, const struct xp_map *map)
{
	const struct xp_dso *dso = map->dso;

	if (map->inode || *dso->name != '/' || !dso->build_id_len)
		fprintf(file, "%" PRIu64, map->inode);
	else
		for (int i = 0; i < dso->build_id_len; i++)
			fprintf(file, "%02x", dso->build_id[i]);
}

static int put_map(const struct xp_map *map, void *data)
{
	const struct map_line *line = data;

	fprintf(line->file, "%*s  %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " ", line->indent,
		"", map->start, map->end, map->prot & PROT_READ ? 'r' : '-',
		map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
		map->flags & MAP_SHARED ? 's' : 'p', map->offset);
	put_identity(line->file, map);
	fprintf(line->file, " %s\n", escaped(map->dso->name));
	return 0;
}

/* What was mapped in a process at last, below its line. */
static void put_maps(FILE *file, const struct report *report, const struct task *task, int indent)
{
	enum { LINE_START = 30 }; /* where the commands begin */
	struct map_line line = { file, LINE_START + indent };

	xp_timeline_maps(report->rec.timeline, task->pid, XP_NO_TIME, put_map, &line);
}

void mmaps_print(FILE *file, const struct report *report)
{
	print_tree(file, report, put_maps);
}

void tasks_print(FILE *file, const struct report *report)
{
	print_tree(file, report, NULL);
}

static void put_count(FILE *file, uint64_t nr, const char *one, const char *many, const char *what)
{
	if (nr)
		fprintf(file, ", %" PRIu64 " %s %s", nr, plural(nr, one, many), what);
}

/* What is missing, as the end of a file that is cut off, is also a fault of the profile. */
/* A line each, which comes from the file. */
static void put_missing(FILE *file, const char *missing)
{
	char line[512];

	while (header_next_missing(&missing, line, sizeof(line)))
		fprintf(file, "# Quality: %s\n", escaped(line));
}

static void put_damage(FILE *file, const struct xp_data *data)
{
	const char *first = xp_data_damage(data, 0);
	uint64_t nr = xp_data_nr_damages(data);

	if (!first)
		return;
	fprintf(file, "# Quality: damage %s", escaped(first));
	if (nr > 1)
		fprintf(file, "; %" PRIu64 " more %s damaged", nr - 1,
			plural(nr - 1, "place is", "places are"));
	fputc('\n', file);
}

/* Waits that could not be sampled where they began: see xp_recorder_opts.off_cpu. */
static void put_last_stacks(FILE *file, const struct report *report)
{
	for (int i = 0; i < report->rec.nr_events; i++) {
		const struct xp_data_event *event = xp_data_event_at(report->rec.data, i);

		if (plan_is_wait(event) && event->attr.config == XP_SW_DUMMY)
			fputs("# Quality: the call chains of offcpu-time are those of the last "
			      "sample before each wait; where tasks really wait is recorded with "
			      "sysctl kernel.perf_event_paranoid=1 or as root\n",
			      file);
	}
}

static void put_chain_ends(FILE *file, const struct report *report)
{
	struct xp_chain_ends *ends = report->chain_ends;
	const struct xp_data *data = report->rec.data;
	const struct chain_facts facts = chain_facts_of(data, header_is_by_rules(data));
	const struct chain_words words = { .prefix = "# Quality: ", .which = "" };

	if (xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS) && !chain_ends_all_complete(ends))
		chain_ends_print(file, &words, &facts, ends);
}

/* What was not read, counted or looked up because the user did not want to wait. */
static void put_stops(FILE *file, const struct report *report, uint64_t samples)
{
	const struct progress *progress = report->rec.progress;
	const uint64_t *reading = progress->stopped_at[STAGE_READING];
	const uint64_t *naming = progress->stopped_at[STAGE_NAMING];

	if (progress->was_stopped[STAGE_READING])
		fprintf(file, "# Quality: reading was stopped with Ctrl-C after %.1f MB",
			(double)reading[0] / 1e6);
	if (progress->was_stopped[STAGE_READING] && reading[1])
		fprintf(file, " of %.1f MB", (double)reading[1] / 1e6);
	if (progress->was_stopped[STAGE_READING])
		fputc('\n', file);
	if (progress->was_stopped[STAGE_COUNTING])
		fprintf(file,
			"# Quality: stopped with Ctrl-C: %" PRIu64 " of %" PRIu64
			" samples are counted\n",
			samples, report->tally.records[XP_RECORD_SAMPLE]);
	if (progress->was_stopped[STAGE_NAMING])
		fprintf(file,
			"# Quality: stopped with Ctrl-C: %" PRIu64 " of %" PRIu64
			" addresses were looked up\n",
			naming[0], naming[1]);
}

/*
 * All samples of the recording, whatever their event. Without percent signs, which scripts search
 * for rows.
 */
void quality_print(FILE *file, const struct report *report)
{
	const struct tally *tally = &report->tally;
	const struct xp_data *data = report->rec.data;
	const struct chain_facts facts = chain_facts_of(data, header_is_by_rules(data));
	const char *missing = header_missing(data);
	uint64_t samples = 0, unresolved = 0, truncated = 0;

	for (int i = 0; i < report->rec.nr_events; i++) {
		struct xp_profile_total total = { .size = sizeof(total) };

		xp_profile_total_at(report->profile, i, &total);
		samples += total.samples + total.hidden_samples;
		unresolved += total.unresolved_samples;
		truncated += total.truncated_samples;
	}
	put_stops(file, report, samples);
	fprintf(file, "# Quality: %" PRIu64 " %s", samples, plural(samples, "sample", "samples"));
	if (!tally->lost_samples && !tally->lost_records && !*missing &&
	    !report->rec.cut_off.is_cut)
		fputs(", nothing lost", file);
	put_count(file, tally->lost_samples, "sample", "samples", "lost");
	put_count(file, tally->lost_records, "record", "records", "lost");
	put_count(file, tally->throttled, "time", "times", "throttled");
	put_count(file, truncated, "call chain", "call chains", "cut short");
	put_count(file, unresolved, "sample", "samples", "in no known function");
	if (samples && !unresolved)
		fputs(", all functions known", file);
	if (chain_ends_all_complete(report->chain_ends))
		fprintf(file, ", all call chains complete%s",
			chain_ends_but(report->chain_ends, &facts));
	fputc('\n', file);
	put_missing(file, missing);
	put_damage(file, report->rec.data);
	rounds_print(file, "# Quality: ", data, &report->rec.cut_off);
	if (tally->counted < 1)
		fprintf(file,
			"# Quality: an event was on a counter for %.1f percent of the time only\n",
			100 * tally->counted);
	unnamed_print(file, "# Quality: ", report->rec.timeline, report->profile, false);
	put_last_stacks(file, report);
	put_chain_ends(file, report);
}
