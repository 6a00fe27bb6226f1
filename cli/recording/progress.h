/* SPDX-License-Identifier: MIT */
/* How far reading has come, for who waits at a terminal. */
#ifndef RECORDING_PROGRESS_H
#define RECORDING_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

struct progress {
	int64_t start_ms;
	uint64_t nr, bytes; /* records; of the file, 0: nobody watches */
	bool shown;
};

/* Each pass; does nothing unless the command shows progress. */
void progress_start(struct recording *rec);
void progress_show(struct recording *rec);
void progress_end(struct recording *rec);

/* One record more. */
static inline void progress_step(struct recording *rec, struct progress *progress)
{
	enum { EVERY_RECORDS = 1 << 16 };

	if (progress->bytes && !(++progress->nr % EVERY_RECORDS))
		progress_show(rec);
}

#endif
