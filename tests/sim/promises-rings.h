/* SPDX-License-Identifier: MIT */
/* The promises about rings and records. */
#ifndef SIM_PROMISES_RINGS_H
#define SIM_PROMISES_RINGS_H

void promise_sampling_is_refused(void **state);
void promise_mapping_is_refused(void **state);
void promise_output_goes_to_rings_of_the_same_cpu(void **state);
void promise_samples_add_up(void **state);
void promise_a_full_ring_keeps_the_oldest(void **state);
void promise_a_paused_ring_tells_what_it_lost(void **state);
void promise_an_overwritten_ring_keeps_the_newest(void **state);
void promise_a_ring_polls_at_its_watermark(void **state);
void promise_a_ring_polls_hup_at_the_end(void **state);
void promise_clocks_are_sampled_in_time(void **state);
void promise_samples_know_their_event(void **state);
void promise_tasks_are_told(void **state);
void promise_switches_are_told(void **state);
void promise_a_mapping_keeps_its_event(void **state);

#endif
