/* SPDX-License-Identifier: MIT */
/*
 * Which samples of a recording without an end may have the wrong name.
 *
 * The recorder reads one ring after the other, so a sample may be in the file while the record that
 * names its task or maps its code is still in a ring that was to be read next. When a round is
 * finished, all rings have been read: nothing is missing then that is older than the round.
 */
#ifndef RECORDING_ROUNDS_H
#define RECORDING_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct xp_data;
struct xp_record;

struct rounds {
	bool is_watched;
	uint64_t complete_ns;      /* nothing up to here is missing, by the last finished round */
	uint64_t next_complete_ns; /* the same once the present round is finished */
	uint64_t newest_ns;        /* of all records */
	uint64_t nr_doubtful;      /* samples behind complete_ns */
	uint64_t nr_next_doubtful; /* samples of the present round behind next_complete_ns */
	bool is_first_ring;        /* records are still those of the ring that was read first */
	int ring;                  /* the CPU whose ring that is; -1: not known yet */
};

/* @path: of the file that @data reads */
void rounds_init(struct rounds *rounds, const struct xp_data *data, const char *path);
/* Takes each record, in the order of the file. */
void rounds_note(struct rounds *rounds, const struct xp_data *data, const struct xp_record *record);
/* How a recording ends that its recorder has not ended. */
struct cut_off {
	bool is_cut;
	uint64_t nr_doubtful; /* samples that may have the wrong name */
};

/* Returns it, after the last record. */
struct cut_off rounds_end(const struct rounds *rounds, const struct xp_data *data);
/* Prints a line about it, if it is cut off. */
void rounds_print(FILE *file, const char *prefix, const struct xp_data *data,
		  const struct cut_off *cut);

/* True if `xperf record` was killed before it could write the time of the last sample. */
bool rounds_recorder_was_killed(const struct xp_data *data);

#endif
