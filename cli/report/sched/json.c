/* SPDX-License-Identifier: MIT */
/* Tasks as JSON: everything the table has, nothing rounded; null is what is not known. */
#include "json-numbers.h"
#include "sched-impl.h"

enum { FORMAT_VERSION = 1 };

static const struct json_layout row_lines = { "\n\t", "\n\t", "\n" };

static void put_known(struct json *json, const char *name, uint64_t value, bool is_known)
{
	if (is_known)
		json_uint(json, name, value);
	else
		json_null(json, name);
}

static void put_waits(struct json *json, const char *name, const struct sched_waits *waits)
{
	json_object(json, name, &json_blanks);
	json_uint(json, "nr", waits->nr);
	json_uint(json, "total_ns", waits->total_ns);
	put_known(json, "max_ns", waits->max_ns, waits->nr);
	put_known(json, "max_from_ns", waits->max_from_ns, waits->nr);
	json_end(json);
}

static void put_who(struct json *json, const struct sched_waker *waker)
{
	json_bool(json, "interrupt", waker->tid == SCHED_INTERRUPT);
	if (waker->tid == SCHED_INTERRUPT)
		return;
	json_string(json, "comm", waker->comm);
	json_int(json, "tid", waker->tid);
}

static void put_waker(struct json *json, const struct sched_task *task)
{
	if (task->waker.tid == SCHED_NOBODY) {
		json_null(json, "waker");
		return;
	}
	json_object(json, "waker", &json_blanks);
	put_who(json, &task->waker);
	json_uint(json, "wakes", task->nr_by_waker);
	json_array(json, "chain", &json_blanks);
	for (int i = 1; i < task->chain.nr; i++) {
		json_object(json, NULL, &json_blanks);
		put_who(json, &task->chain.by[i]);
		json_end(json);
	}
	json_end(json);
	json_uint(json, "chain_wakes", task->nr_by_chain);
	json_end(json);
}

static void put_task(struct json *json, const struct sched *sched, const struct sched_task *task)
{
	json_object(json, NULL, &json_blanks);
	json_string(json, "comm", task->comm);
	if (task->pid >= 0)
		json_int(json, "pid", task->pid);
	else
		json_null(json, "pid");
	json_int(json, "tid", task->tid);
	json_uint(json, "run_ns", task->run_ns);
	json_uint(json, "runs", task->nr_runs);
	json_uint(json, "max_run_ns", task->max_run_ns);
	json_uint(json, "preemptions", task->nr_preempted);
	json_uint(json, "migrations", task->nr_migrations);
	put_waits(json, "preempted", &task->preempted);
	if (sched->has_wakes)
		put_waits(json, "woken", &task->woken);
	else
		json_null(json, "woken");
	put_known(json, "asleep_ns", task->asleep_ns, sched->has_wakes);
	put_known(json, "blocked_ns", task->blocked_ns, sched->has_wakes);
	json_uint(json, "off_cpu_ns", task->away_ns);
	put_known(json, "known_wakes", task->nr_wakes, sched->has_wakers);
	put_waker(json, task);
	json_uint(json, "unfinished_run_ns", task->open_run_ns);
	json_uint(json, "unsure", task->nr_unsure);
	json_end(json);
}

int sched_print_json(FILE *file, const struct sched *sched)
{
	struct sink out = SINK_TO_FILE(file);
	const struct sched_task *task;
	struct json json;

	json_init(&json, &out, ": ");
	json_object(&json, NULL, &json_blanks);
	json_string(&json, "format", "xperf-report-sched");
	json_uint(&json, "version", FORMAT_VERSION);
	json_space(&json, "\n");
	json_uint(&json, "elapsed_ns", sched_sums_elapsed_ns(sched->sums));
	json_uint(&json, "lost_samples", sched->lost.samples);
	json_uint(&json, "lost_records", sched->lost.records);
	json_space(&json, "\n");
	json_array(&json, "tasks", &row_lines);
	for (size_t i = 0; (task = sched_sums_at(sched->sums, i)) != NULL; i++)
		put_task(&json, sched, task);
	json_end(&json);
	return json_close(&json);
}
