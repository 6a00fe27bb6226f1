/* SPDX-License-Identifier: MIT */
/*
 * The terms every event can have besides config and name: how it is sampled, inherited and where
 * it counts. Parsing checks them (parse/common-terms.c); period and whatever follows samples is
 * kept for recording, as a counting event must not raise interrupts. Source: perf-record(1), "-e".
 */
#ifndef EVSEL_EVENT_TERMS_H
#define EVSEL_EVENT_TERMS_H

#include <stdbool.h>
#include <stdint.h>

struct xp_cpus;

enum xp_choice { XP_UNSAID, XP_NO, XP_YES };

enum xp_call_graph {
	XP_CALL_GRAPH_UNSAID,
	XP_CALL_GRAPH_NO,
	XP_CALL_GRAPH_FP,
	XP_CALL_GRAPH_DWARF,
	XP_CALL_GRAPH_LBR,
};

enum xp_aux_action { XP_AUX_UNSAID, XP_AUX_START_PAUSED, XP_AUX_PAUSE, XP_AUX_RESUME };

/*
 * Numbers are 0 where the event does not say.
 * @period:          events per sample
 * @freq:            samples per second
 * @call_graph:      how callers are found
 * @stack_bytes:     of the stack kept with a sample; a multiple of 8
 * @max_stack:       frames
 * @nr_events:       samples after which the event stops
 * @branch_type:     branch_sample_type of the attribute
 * @time:            samples bear their time
 * @inherit:         child tasks count, too
 * @overwrite:       the ring keeps the newest
 * @percore:         counts belong to the core, not to its threads
 * @aux_output:      samples go into the AUX area of the group's leader
 * @aux_sample_bytes: of the AUX area kept with a sample
 * @aux_action:      what a sample does to the AUX area's tracing
 * @ratio_to_prev:   samples are taken when there are more of the group's event before it, for one
 * of this, than so many; 0: not asked for
 * @cpus:            the event counts on these only; NULL: wherever it can
 */
struct xp_event_terms {
	uint64_t period;
	uint64_t freq;
	enum xp_call_graph call_graph;
	uint32_t stack_bytes;
	uint32_t max_stack;
	uint64_t nr_events;
	uint64_t branch_type;
	enum xp_choice time;
	enum xp_choice inherit;
	enum xp_choice overwrite;
	bool percore;
	bool aux_output;
	uint32_t aux_sample_bytes;
	enum xp_aux_action aux_action;
	double ratio_to_prev;
	struct xp_cpus *cpus;
};

void xp_event_terms_fini(struct xp_event_terms *terms);

/* Copies, with a reference to the CPUs. @dst holds nothing. */
void xp_event_terms_copy(struct xp_event_terms *dst, const struct xp_event_terms *src);

#endif
