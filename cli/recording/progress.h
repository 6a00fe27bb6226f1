/* SPDX-License-Identifier: MIT */
/*
 * How far reading has come, for who waits at a terminal: the stage, what of it is done, and whether
 * it is to end. Any thread may look at it, and ask for the end, while others read.
 */
#ifndef RECORDING_PROGRESS_H
#define RECORDING_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* How often a pass over records looks at it; a power of 2. */
enum { PROGRESS_RECORDS = 1 << 12 };

enum stage { STAGE_OPENING, STAGE_READING, STAGE_COUNTING, STAGE_NAMING, NR_STAGES };

/* Zeroed, nothing has begun, and nobody is shown it. */
struct progress {
	atomic_int stage;
	/* Of the stage: bytes, records or addresses; @total 0: it is not known. */
	atomic_uint_fast64_t done, total;
	atomic_bool is_stop_asked;
	atomic_bool was_stopped[NR_STAGES];
	uint64_t stopped_at[NR_STAGES][2]; /* done, total; only of the thread that reads */

	/* What is printed on standard error. @path: of the recording; NULL: nothing is */
	const char *path;
	int64_t start_ms;
	bool is_printed;
};

/* A stage begins; the one before has ended. */
void progress_begin(struct progress *progress, enum stage stage, uint64_t total);
void progress_end(struct progress *progress);
/* More of it is done. Returns false: it is to end, and what there is so far is used. For
 * xp_go_on_fn, too. */
bool progress_add(uint64_t nr, void *progress);
/* The same, with all that is done. */
bool progress_set(struct progress *progress, uint64_t done);
/* Whether the stage is to end; for xp_data_opts.is_stopped. */
bool progress_is_stopped(void *progress);
/* Ends the stage as soon as it can be. */
void progress_stop(struct progress *progress);
/* "Counting samples: 43%". */
void progress_text(struct progress *progress, char *buf, size_t room);

/* A pass over the records of a recording; shown on standard error if the command wants that. */
void progress_start(struct recording *rec, enum stage stage);
/* After some more records. Returns as progress_add(). */
bool progress_step(struct recording *rec);

#endif
