/* SPDX-License-Identifier: MIT */
/*
 * SQLite: a table of samples, which refer to tables of events, threads, call chains, frames and
 * files; and views that put them together. Call chains are a tree: a row has its caller's number.
 */
#include <errno.h>
#include <stdio.h>

#include "database.h"
#include "stream.h"

enum { SAMPLES, EVENTS, THREADS, FILES, FRAMES, STACKS };

static const char schema[] =
	"CREATE TABLE events (id INTEGER PRIMARY KEY, name TEXT, unit TEXT, off_cpu INTEGER);"
	"CREATE TABLE threads (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, comm TEXT,"
	" cgroup TEXT);"
	"CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT, name TEXT, build_id TEXT);"
	"CREATE TABLE frames (id INTEGER PRIMARY KEY, symbol TEXT, file_id INTEGER REFERENCES files,"
	" source TEXT, line INTEGER, kernel INTEGER, inlined INTEGER, jit INTEGER, joined INTEGER,"
	" unknown INTEGER);"
	"CREATE TABLE stacks (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES stacks,"
	" frame_id INTEGER REFERENCES frames);"
	"CREATE TABLE samples (id INTEGER PRIMARY KEY, time_ns INTEGER,"
	" event_id INTEGER REFERENCES events, thread_id INTEGER REFERENCES threads, cpu INTEGER,"
	" period INTEGER, stack_id INTEGER REFERENCES stacks);"
	/* Each sample with its names. */
	"CREATE VIEW samples_view AS SELECT samples.id, time_ns, events.name AS event, period, comm,"
	" pid, tid, cpu, cgroup, symbol, files.path AS file, source, line, stack_id FROM samples"
	" JOIN events ON events.id = event_id JOIN threads ON threads.id = thread_id"
	" LEFT JOIN stacks ON stacks.id = stack_id LEFT JOIN frames ON frames.id = frame_id"
	" LEFT JOIN files ON files.id = file_id;"
	/* What functions weigh by themselves. */
	"CREATE VIEW functions_view AS SELECT event, symbol, file, sum(period) AS period,"
	" count(*) AS samples FROM samples_view GROUP BY event, symbol, file ORDER BY 4 DESC;"
	/* Call chains as text. */
	"CREATE VIEW stacks_view AS WITH RECURSIVE chains(id, parent_id, depth, stack) AS ("
	" SELECT stacks.id, parent_id, 1, symbol FROM stacks JOIN frames ON frames.id = frame_id"
	" UNION ALL SELECT chains.id, stacks.parent_id, depth + 1, symbol || ';' || stack FROM chains"
	" JOIN stacks ON stacks.id = chains.parent_id JOIN frames ON frames.id = frame_id)"
	" SELECT id, depth, stack FROM chains WHERE parent_id IS NULL;"
	/* Which frames each call chain has, itself included. */
	"CREATE VIEW callers_view AS WITH RECURSIVE callers(stack_id, at) AS ("
	" SELECT id, id FROM stacks UNION ALL SELECT callers.stack_id, parent_id FROM callers"
	" JOIN stacks ON stacks.id = at WHERE parent_id IS NOT NULL)"
	" SELECT DISTINCT callers.stack_id, symbol, file_id FROM callers"
	" JOIN stacks ON stacks.id = at JOIN frames ON frames.id = frame_id;"
	/* What functions weigh with all that they called. */
	"CREATE VIEW totals_view AS SELECT events.name AS event, symbol, files.path AS file,"
	" sum(period) AS period FROM (SELECT event_id, stack_id, sum(period) AS period FROM samples"
	" GROUP BY event_id, stack_id) JOIN events ON events.id = event_id"
	" JOIN callers_view USING (stack_id) LEFT JOIN files ON files.id = file_id"
	" GROUP BY events.name, symbol, files.path ORDER BY 4 DESC;";

static const char *const inserts[] = {
	[SAMPLES] = "INSERT INTO samples VALUES (NULL, ?, ?, ?, ?, ?, ?)",
	[EVENTS] = "INSERT INTO events VALUES (?, ?, ?, ?)",
	[THREADS] = "INSERT INTO threads VALUES (?, ?, ?, ?, ?)",
	[FILES] = "INSERT INTO files VALUES (?, ?, ?, ?)",
	[FRAMES] = "INSERT INTO frames VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[STACKS] = "INSERT INTO stacks VALUES (?, ?, ?)",
};

enum { NR_INSERTS = sizeof(inserts) / sizeof(inserts[0]) };

struct sqlite {
	struct database *database;
};

static struct database_value number(int64_t value)
{
	return (struct database_value){ .number = value };
}

/* Numbers of rows begin with 1. */
static struct database_value row(uint32_t nr, uint32_t none)
{
	return (struct database_value){ .number = (int64_t)nr + 1, .is_null = nr == none };
}

/* What is not known is NULL. */
static struct database_value text(const char *value)
{
	return (struct database_value){ .text = value, .is_null = !*value };
}

static int begin(const struct export *export, void *state)
{
	struct sqlite *to = state;
	int err = xp_database_new(export->diag, &to->database)
			  ?: xp_database_run(to->database, schema);

	for (int i = 0; !err && i < NR_INSERTS; i++)
		err = xp_database_prepare(to->database, i, inserts[i]);
	return err;
}

static int add_sample(const struct export *export, void *state, const struct stream_sample *sample)
{
	const struct database_value values[] = {
		number((int64_t)sample->time_ns),
		row(sample->event, UINT32_MAX),
		row(sample->task, UINT32_MAX),
		{ .number = sample->cpu, .is_null = sample->cpu < 0 },
		number((int64_t)sample->period),
		row(sample->call, NO_CALL),
	};

	(void)export;
	return xp_database_insert(((struct sqlite *)state)->database, SAMPLES, values, 6);
}

static int add_events(const struct xp_tree *tree, struct database *database)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < tree->nr_events; i++) {
		const struct tree_event *event = &tree->events[i];
		const struct database_value values[] = { row(i, UINT32_MAX), text(event->name),
							 text(event->unit),
							 number(event->is_off_cpu) };

		err = xp_database_insert(database, EVENTS, values, 4);
	}
	return err;
}

static int add_threads(const struct xp_tree *tree, struct database *database)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < tree->tasks.nr; i++) {
		const struct tree_task *task = tree_task(tree, i);
		const struct database_value values[] = { row(i, UINT32_MAX), number(task->pid),
							 number(task->tid), text(task->comm),
							 text(task->cgroup) };

		err = xp_database_insert(database, THREADS, values, 5);
	}
	return err;
}

static int add_files(const struct xp_tree *tree, struct database *database)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < tree->nr_files; i++) {
		const struct tree_file *file = &tree->files[i];
		char build_id[2 * sizeof(file->build_id) + 1] = "";

		xp_file_build_id(file, build_id);
		const struct database_value values[] = { row(i, UINT32_MAX), text(file->path),
							 text(file->name), text(build_id) };
		err = xp_database_insert(database, FILES, values, 4);
	}
	return err;
}

static int add_frames(const struct xp_tree *tree, struct database *database)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < tree->frames.nr; i++) {
		const struct tree_frame *frame = tree_frame(tree, i);
		const struct database_value values[] = {
			row(i, UINT32_MAX),
			text(frame->name),
			row(frame->file, NO_FILE),
			text(frame->source),
			{ .number = frame->line, .is_null = !frame->line },
			number((frame->marks & XP_MARK_KERNEL) != 0),
			number((frame->marks & XP_MARK_INLINED) != 0),
			number((frame->marks & XP_MARK_JIT) != 0),
			number((frame->marks & XP_MARK_JOINED) != 0),
			number((frame->marks & XP_MARK_UNKNOWN) != 0),
		};

		err = xp_database_insert(database, FRAMES, values, 10);
	}
	return err;
}

static int add_stacks(const struct xp_tree *tree, struct database *database)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < tree->calls.nr; i++) {
		const struct tree_call *call = tree_call(tree, i);
		const struct database_value values[] = { row(i, UINT32_MAX),
							 row(call->parent, NO_CALL),
							 row(call->frame, UINT32_MAX) };

		err = xp_database_insert(database, STACKS, values, 3);
	}
	return err;
}

static int end(const struct export *export, void *state)
{
	struct database *database = ((struct sqlite *)state)->database;
	const struct xp_tree *tree = export->tree;

	return add_events(tree, database)
		       ?: add_threads(tree, database)
		       ?: add_files(tree, database)
		       ?: add_frames(tree, database)
		       ?: add_stacks(tree, database)
		       ?: xp_database_write(database, export->out);
}

static void free_state(void *state)
{
	xp_database_free(((struct sqlite *)state)->database);
}

const struct stream_format xp_stream_sqlite = {
	.state_bytes = sizeof(struct sqlite),
	.begin = begin,
	.sample = add_sample,
	.end = end,
	.free = free_state,
};
