/* SPDX-License-Identifier: MIT */
/* Tasks as a table, with the columns that the recording can fill. */
#include <inttypes.h>
#include <string.h>

#include "escape.h"
#include "number.h"
#include "plural.h"
#include "sched-impl.h"
#include "sink.h"

enum { TASK_WIDTH = 24 };

/* --- cells --- */

static void put_ms(FILE *file, int width, uint64_t ns)
{
	fprintf(file, "%*.3f", width, (double)ns / 1e6);
}

static void put_us(FILE *file, int width, double ns)
{
	fprintf(file, "%*.3f", width, ns / 1e3);
}

static void put_nr(FILE *file, int width, uint64_t nr)
{
	fprintf(file, "%*" PRIu64, width, nr);
}

static void put_run(FILE *file, int width, const struct sched_task *task)
{
	put_ms(file, width, task->run_ns);
}

static void put_runs(FILE *file, int width, const struct sched_task *task)
{
	put_nr(file, width, task->nr_runs);
}

static void put_preempted(FILE *file, int width, const struct sched_task *task)
{
	put_nr(file, width, task->nr_preempted);
}

static void put_migrations(FILE *file, int width, const struct sched_task *task)
{
	put_nr(file, width, task->nr_migrations);
}

static void put_queued(FILE *file, int width, const struct sched_task *task)
{
	put_ms(file, width, task->preempted.total_ns);
}

static void put_mean(FILE *file, int width, const struct sched_task *task)
{
	const struct sched_waits *waits = &task->woken;

	if (waits->nr)
		put_us(file, width, (double)waits->total_ns / (double)waits->nr);
	else
		fprintf(file, "%*s", width, "-");
}

static void put_max(FILE *file, int width, const struct sched_task *task)
{
	if (task->woken.nr)
		put_us(file, width, (double)task->woken.max_ns);
	else
		fprintf(file, "%*s", width, "-");
}

static void put_max_at(FILE *file, int width, const struct sched_task *task)
{
	const struct sched_waits *waits = &task->woken;

	if (waits->nr)
		fprintf(file, "%*" PRIu64 ".%06" PRIu64, width - 7, waits->max_from_ns / 1000000000,
			waits->max_from_ns % 1000000000 / 1000);
	else
		fprintf(file, "%*s", width, "-");
}

static void put_asleep(FILE *file, int width, const struct sched_task *task)
{
	put_ms(file, width, task->asleep_ns);
}

static void put_blocked(FILE *file, int width, const struct sched_task *task)
{
	put_ms(file, width, task->blocked_ns);
}

static void put_away(FILE *file, int width, const struct sched_task *task)
{
	put_ms(file, width, task->away_ns);
}

/* "name/tid", escaped. Widths are those of the text. */
static void put_name(FILE *file, int width, int32_t tid, const char *comm)
{
	struct sink out = SINK_KEPT;

	sink_escaped(&out, comm ? comm : "[unknown]");
	sink_format(&out, "/%" PRId32, tid);
	sink_char(&out, '\0');
	fprintf(file, "%-*s", width, out.err ? "" : out.buf);
	sink_fini(&out);
}

static void put_task(FILE *file, int width, const struct sched_task *task)
{
	put_name(file, width, task->tid, task->comm);
}

static void put_one_waker(FILE *file, const struct sched_waker *waker)
{
	if (waker->tid == SCHED_INTERRUPT)
		fputs("[interrupt]", file);
	else
		put_name(file, 0, waker->tid, waker->comm);
}

/* It, and the chain of wake-ups that most often led to it. */
static void put_waker(FILE *file, int width, const struct sched_task *task)
{
	const struct sched_chain *chain = &task->chain;

	(void)width;
	if (task->waker.tid == SCHED_NOBODY) {
		fputc('-', file);
		return;
	}
	put_one_waker(file, &task->waker);
	fprintf(file, " (%" PRIu64 " of %" PRIu64 ")", task->nr_by_waker, task->nr_wakes);
	for (int i = 1; i < chain->nr; i++) {
		fputs(" <- ", file);
		put_one_waker(file, &chain->by[i]);
	}
	if (chain->nr > 1)
		fprintf(file, " (%" PRIu64 ")", task->nr_by_chain);
}

/* --- columns --- */

enum shown { ALWAYS, WITH_WAKES, WITH_WAKERS, WITH_AWAY };

static const struct column {
	const char *heading;
	int width;
	enum shown shown;
	void (*put)(FILE *file, int width, const struct sched_task *task);
} columns[] = {
	{ "Run ms", 12, ALWAYS, put_run },
	{ "Runs", 8, ALWAYS, put_runs },
	{ "Preempted", 9, ALWAYS, put_preempted },
	{ "Migrated", 8, ALWAYS, put_migrations },
	{ "Wait mean us", 12, WITH_WAKES, put_mean },
	{ "Wait max us", 12, WITH_WAKES, put_max },
	{ "Max at s", 14, WITH_WAKES, put_max_at },
	{ "Preempted ms", 12, ALWAYS, put_queued },
	{ "Asleep ms", 12, WITH_WAKES, put_asleep },
	{ "Blocked ms", 12, WITH_WAKES, put_blocked },
	{ "Off CPU ms", 12, WITH_AWAY, put_away },
	{ "Task", TASK_WIDTH, ALWAYS, put_task },
	{ "Woken most by", 13, WITH_WAKERS, put_waker },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static bool has_away(const struct sched *sched)
{
	const struct sched_task *task;

	for (size_t i = 0; (task = sched_sums_at(sched->sums, i)) != NULL; i++)
		if (task->away_ns)
			return true;
	return false;
}

static void choose(const struct sched *sched, bool is_shown[NR_COLUMNS])
{
	const bool has[] = {
		[ALWAYS] = true,
		[WITH_WAKES] = sched->has_wakes,
		[WITH_WAKERS] = sched->has_wakers,
		[WITH_AWAY] = has_away(sched),
	};

	for (int i = 0; i < NR_COLUMNS; i++)
		is_shown[i] = has[columns[i].shown];
}

/* --- the table --- */

static void put_heading(FILE *file, const struct sched *sched, const bool is_shown[NR_COLUMNS])
{
	fprintf(file, "# Tasks on CPUs, in %.6f s\n#\n",
		(double)sched_sums_elapsed_ns(sched->sums) / 1e9);
	fputc('#', file);
	for (int i = 0; i < NR_COLUMNS; i++)
		if (is_shown[i] && columns[i].put != put_task && columns[i].put != put_waker)
			fprintf(file, " %*s", columns[i].width, columns[i].heading);
		else if (is_shown[i])
			fprintf(file, "  %-*s", columns[i].width, columns[i].heading);
	fputs("\n#\n", file);
}

static void put_row(FILE *file, const struct sched_task *task, const bool is_shown[NR_COLUMNS])
{
	fputc(' ', file);
	for (int i = 0; i < NR_COLUMNS; i++) {
		if (!is_shown[i])
			continue;
		fputs(columns[i].put == put_task || columns[i].put == put_waker ? "  " : " ", file);
		columns[i].put(file, columns[i].width, task);
	}
	fputc('\n', file);
}

/* What the numbers above do not include. */
static void put_notes(FILE *file, const struct sched *sched)
{
	uint64_t nr_open = 0, open_ns = 0, nr_unsure = 0, nr_lost = losses_nr(&sched->lost);
	const struct sched_task *task;
	char nr[COUNT_LEN];

	for (size_t i = 0; (task = sched_sums_at(sched->sums, i)) != NULL; i++) {
		nr_open += task->open_run_ns != 0;
		open_ns += task->open_run_ns;
		nr_unsure += task->nr_unsure;
	}
	if (!sched_sums_at(sched->sums, 0))
		fputs("# No task was recorded that passes the filters\n", file);
	if (nr_open)
		fprintf(file, "# Not counted: %s %s had not ended, %.3f ms until then\n",
			number_grouped(nr, nr_open), plural(nr_open, "run", "runs"),
			(double)open_ns / 1e6);
	if (nr_unsure)
		fprintf(file, "# Not counted: %s %s whose beginning or end is missing\n",
			number_grouped(nr, nr_unsure), plural(nr_unsure, "time", "times"));
	if (nr_lost)
		fprintf(file, "# %s %s lost: runs are missing\n", number_grouped(nr, nr_lost),
			plural(nr_lost, "record was", "records were"));
	if (!sched->has_states)
		fputs("# Without tracepoints: why tasks left their CPUs, and when they were woken, is "
		      "not known\n",
		      file);
	else if (!sched->has_wakes)
		fputs("# When tasks were woken is not recorded (sched:sched_waking)\n", file);
}

void sched_print(FILE *file, const struct sched *sched, const struct sched_opts *opts)
{
	const struct sched_task *task;
	bool is_shown[NR_COLUMNS];

	choose(sched, is_shown);
	if (!opts->quiet)
		put_heading(file, sched, is_shown);
	for (size_t i = 0; (task = sched_sums_at(sched->sums, i)) != NULL; i++)
		put_row(file, task, is_shown);
	if (!opts->quiet)
		put_notes(file, sched);
}
