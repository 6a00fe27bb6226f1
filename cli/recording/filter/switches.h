/* SPDX-License-Identifier: MIT */
/* "--switch-on", "--switch-off": events between which samples count. Source: perf-report(1). */
#ifndef RECORDING_SWITCHES_H
#define RECORDING_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xp_data;
struct xp_diag;

/* Zeroed: there is nothing to switch. The names are those of events, NULL: none. */
struct switches {
	const char *on, *off;
	bool is_shown; /* the events that switch pass, too */
	const struct xp_data *data;
	struct change *changes;
	size_t nr;
};

/* Both events must be there. @data: borrowed. Returns 0, or -EINVAL with @diag filled. */
int switches_check(struct switches *switches, const struct xp_data *data, struct xp_diag *diag);
/* A sample in the first pass. Returns 0 or -ENOMEM. */
int switches_note(struct switches *switches, int event, uint64_t time_ns);
/* After the last one. */
void switches_finish(struct switches *switches);
/* Whether a sample passes. Several threads may ask. */
bool switches_have(const struct switches *switches, int event, uint64_t time_ns);
void switches_fini(struct switches *switches);

#endif
