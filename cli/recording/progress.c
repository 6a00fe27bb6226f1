/* SPDX-License-Identifier: MIT */
/* How far reading has come, for who waits at a terminal. */
#include "progress.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"
#include "recording.h"

enum { PATIENCE_MS = 700 };

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_start(struct recording *rec)
{
	struct stat st;

	rec->progress = (struct progress){ .start_ms = now_ms() };
	if (rec->opts->with_progress && isatty(STDERR_FILENO) && !stat(rec->path, &st) &&
	    S_ISREG(st.st_mode))
		rec->progress.bytes = (uint64_t)st.st_size;
}

void progress_show(struct recording *rec)
{
	struct progress *progress = &rec->progress;

	if (now_ms() - progress->start_ms < PATIENCE_MS)
		return;
	fputs("\rReading ", stderr);
	escape_print(stderr, rec->path);
	fprintf(stderr, ": %3.0f%%",
		100.0 * (double)xp_data_offset(rec->data) / (double)progress->bytes);
	progress->shown = true;
}

void progress_end(struct recording *rec)
{
	if (rec->progress.shown)
		fputs("\r\033[K", stderr);
	rec->progress.shown = false;
}
