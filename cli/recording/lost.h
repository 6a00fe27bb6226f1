/* SPDX-License-Identifier: MIT */
/* What a recording has lost, for those who draw conclusions from what comes after what. */
#ifndef RECORDING_LOST_H
#define RECORDING_LOST_H

#include <xperf/record.h>

/* The same loss may be in both: the kernel counts records of a ring, and samples of an event. */
struct lost {
	uint64_t records, samples;
};

/* Adds a record, if it says that others are missing. Returns whether it does. */
static inline bool lost_add(struct lost *lost, const struct xp_record *record)
{
	if (record->type == XP_RECORD_LOST)
		lost->records += ((const struct xp_record_lost *)record)->lost;
	else if (record->type == XP_RECORD_LOST_SAMPLES)
		lost->samples += ((const struct xp_record_lost_samples *)record)->lost;
	else
		return false;
	return true;
}

/* At least this many. */
static inline uint64_t lost_nr(const struct lost *lost)
{
	return lost->records > lost->samples ? lost->records : lost->samples;
}

/* For struct xp_order_opts: samples, and these records. */
static inline int lost_keep(const struct xp_record *record, void *data)
{
	(void)data;
	return record->type == XP_RECORD_SAMPLE || record->type == XP_RECORD_LOST ||
	       record->type == XP_RECORD_LOST_SAMPLES;
}

#endif
