/* SPDX-License-Identifier: MIT */
/* How far reading has come: counted without locks, printed by the thread that reads. */
#include "progress.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xperf/data.h>

#include "escape.h"
#include "recording.h"

enum { PATIENCE_MS = 700, EVERY_MS = 50 };

static const char *const names[NR_STAGES] = {
	[STAGE_OPENING] = "Opening",
	[STAGE_READING] = "Reading",
	[STAGE_COUNTING] = "Counting samples",
	[STAGE_NAMING] = "Looking up functions",
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(struct progress *progress, enum stage stage, uint64_t total)
{
	/* What was asked of the stage before is not asked of this one. */
	if ((int)stage != progress->stage)
		progress->is_stop_asked = false;
	progress->total = total;
	progress->done = 0;
	progress->stage = (int)stage;
	progress->start_ms = now_ms();
}

void progress_end(struct progress *progress)
{
	int stage = progress->stage;

	if (progress->was_stopped[stage]) {
		progress->stopped_at[stage][0] = progress->done;
		progress->stopped_at[stage][1] = progress->total;
	}
	if (progress->is_printed)
		fputs("\r\033[K", stderr);
	progress->is_printed = false;
	progress->path = NULL;
}

bool progress_is_stopped(void *data)
{
	struct progress *progress = data;
	bool is_stopped = progress->is_stop_asked;

	if (is_stopped)
		progress->was_stopped[progress->stage] = true;
	return is_stopped;
}

bool progress_add(uint64_t nr, void *data)
{
	struct progress *progress = data;

	if (progress_is_stopped(progress))
		return false;
	progress->done += nr;
	return true;
}

bool progress_set(struct progress *progress, uint64_t done)
{
	progress->done = done;
	return !progress_is_stopped(progress);
}

void progress_stop(struct progress *progress)
{
	progress->is_stop_asked = true;
}

void progress_text(struct progress *progress, char *buf, size_t room)
{
	const char *name = names[progress->stage];
	uint64_t done = progress->done, total = progress->total;

	if (total)
		snprintf(buf, room, "%s: %3.0f%%", name,
			 100.0 * (double)(done < total ? done : total) / (double)total);
	else if (done)
		snprintf(buf, room, "%s: %.1f MB", name, (double)done / 1e6);
	else
		snprintf(buf, room, "%s", name);
}

static uint64_t bytes_of(const struct recording *rec)
{
	struct stat st;

	return !stat(rec->path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

void progress_start(struct recording *rec, enum stage stage)
{
	uint64_t bytes = bytes_of(rec);
	bool is_shown = rec->opts->with_progress && bytes && isatty(STDERR_FILENO);

	/* Who has given it shows it. */
	rec->progress->path = is_shown && !rec->opts->progress ? rec->path : NULL;
	progress_begin(rec->progress, stage, bytes);
}

static void print(struct progress *progress)
{
	int64_t waited_ms = now_ms() - progress->start_ms;
	char text[128];

	if (waited_ms < (progress->is_printed ? EVERY_MS : PATIENCE_MS))
		return;
	progress_text(progress, text, sizeof(text));
	fputc('\r', stderr);
	escape_print(stderr, progress->path);
	fprintf(stderr, ": %s", text);
	progress->is_printed = true;
	progress->start_ms = now_ms();
}

bool progress_step(struct recording *rec)
{
	bool goes_on = progress_set(rec->progress, xp_data_offset(rec->data));

	if (rec->progress->path)
		print(rec->progress);
	return goes_on;
}
