/* SPDX-License-Identifier: MIT */
/* Where in functions samples were: periods and samples by function, address and event. */
#ifndef RECORDING_HEAT_H
#define RECORDING_HEAT_H

#include "recording.h"

struct heat_sum {
	uint64_t period, samples;
};

/* Samples of an event at an address, which is in the terms of the file's symbols. */
struct heat_place {
	uint64_t address;
	int event;
	struct heat_sum sum;
};

/* @frame: of one of its samples; @places: by address, then by event; @sums: by event */
struct hot_function {
	const struct xp_frame *frame;
	const struct heat_place *places;
	size_t nr_places;
	const struct heat_sum *sums;
};

/* @totals: by event, of all samples; @unknown: a file whose functions are not known, and why; NULL:
 * there is none */
struct heat {
	struct hot_function *functions;
	size_t nr_functions;
	struct heat_place *places;
	struct heat_sum *sums, *totals;
	int nr_events;
	const struct xp_dso *unknown;
	const char *reason;
	struct recording *rec;
	struct xp_profile *profile;
};

/*
 * After recording_open(), with symbols: reads the recording, counts all samples that the filter
 * lets pass and that are in a function. Returns 0, or a negative errno as recording_load(); in any
 * case heat_fini() follows, before recording_close().
 */
int heat_load(struct recording *rec, struct heat *ret_heat);
/*
 * The same in steps, of a command that reads the recording for something else, too: heat_begin()
 * after recording_open(), heat_note() by recording_load(), heat_add() for each sample, heat_end().
 * Each returns 0 or a negative errno; heat_fini() follows heat_begin() in any case.
 */
int heat_begin(struct recording *rec, struct heat *ret_heat);
int heat_note(const struct xp_record *record, const struct xp_sample_id *id, void *heat);
int heat_add(struct heat *heat, const struct recorded *recorded);
int heat_end(struct heat *heat);
void heat_fini(struct heat *heat);

#endif
