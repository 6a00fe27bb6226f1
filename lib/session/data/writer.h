/* SPDX-License-Identifier: MIT */
/* What the recorder asks of the writer of a file, beyond <xperf/data.h>. */
#ifndef SESSION_DATA_WRITER_H
#define SESSION_DATA_WRITER_H

#include <xperf/data.h>

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
