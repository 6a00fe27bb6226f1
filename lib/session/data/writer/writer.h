/* SPDX-License-Identifier: MIT */
/* What the recorder asks of the writer of a file, beyond <xperf/data.h>. */
#ifndef SESSION_DATA_WRITER_H
#define SESSION_DATA_WRITER_H

#include <xperf/api.h>

struct xp_data_writer;
struct xp_record;

/*
 * Bring the file to date: all that was given is in it, and the header
 * knows. Returns as xp_data_writer_write().
 */
int xp_data_writer_flush(struct xp_data_writer *writer);

/*
 * Append a record that is followed by @len bytes outside of it
 * (AUXTRACE). Returns as xp_data_writer_write().
 */
int xp_data_writer_write_outside(struct xp_data_writer *writer, const struct xp_record *record,
				 const void *bytes, size_t len);

/* Whether events can get ids after the start: those of a file can, a stream describes them once. */
bool xp_data_writer_can_add_ids(const struct xp_data_writer *writer);
/*
 * Give an event one more id, after the start; it is found by one it has, @known. Before samples of
 * it are written. Returns 0, -ENOENT (no event has @known) or -ENOMEM.
 */
int xp_data_writer_add_id(struct xp_data_writer *writer, uint64_t known, uint64_t id);

/*
 * Records that were given to the writer and are not in the recording,
 * because of a failure. Returns their bytes before compression.
 */
uint64_t xp_data_writer_dropped(const struct xp_data_writer *writer);

/*
 * Number of samples among the records that were not written.
 * Returns it.
 */
uint64_t xp_data_writer_dropped_samples(const struct xp_data_writer *writer);

#endif
