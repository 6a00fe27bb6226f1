/* SPDX-License-Identifier: MIT */
/* The promises about events, and what both files of promises use. */
#ifndef SIM_PROMISES_EVENTS_H
#define SIM_PROMISES_EVENTS_H

#include <sys/types.h>
#include <xperf/attr.h>

#include "promises.h"

/* promises.c */
struct xp_child promise_spawn(char *const argv[]);
/* Releases a child and closes its pipes. Returns the errno of its exec, 0 on success. */
int promise_start(const struct xp_child *child);
/* Returns the status. */
int promise_wait(pid_t pid);
int promise_run_to_end(const struct xp_child *child);

/* promises-events.c */
struct xp_attr promise_software(uint64_t config);

void promise_opening_is_refused(void **state);
void promise_size_is_reported(void **state);
void promise_group_membership(void **state);
void promise_enable_on_exec(void **state);
void promise_inherit(void **state);
void promise_other_cpu(void **state);
void promise_group_layout(void **state);
void promise_single_layout(void **state);
void promise_member_under_disabled_leader(void **state);
void promise_disabled_member(void **state);
void promise_short_buffer(void **state);
void promise_switches(void **state);
void promise_reset_keeps_times(void **state);
void promise_closed_leader(void **state);
void promise_event_polls_hup(void **state);
void promise_no_pmu(void **state);
void promise_too_large_group(void **state);
void promise_pinned_error_reads_end_of_file(void **state);
void promise_filter_is_accepted_once(void **state);
void promise_multiplexing_shows_in_times(void **state);

/* promises-cgroup.c */
void promise_cgroup_counts_its_tasks(void **state);
void promise_cgroup_is_refused(void **state);

/* promises-maps.c */
void promise_maps_are_found(void **state);
void promise_a_second_descriptor_keeps_an_event(void **state);

#endif
