/* SPDX-License-Identifier: MIT */
/* The promises about files that are written, the machine's name, its clocks, eventfd(2), and turns.
 */
#ifndef SIM_PROMISES_DISK_H
#define SIM_PROMISES_DISK_H

void promise_create_is_exclusive(void **state);
void promise_names_are_added(void **state);
void promise_writes_go_to_the_given_offset(void **state);
void promise_reads_from_the_given_offset(void **state);
void promise_no_reader_no_signal(void **state);
void promise_file_limit_no_signal(void **state);
void promise_names_change(void **state);
void promise_directories(void **state);
void promise_uname(void **state);
void promise_clocks(void **state);
void promise_counters_add_up(void **state);
void promise_set_priority_is_no_failure(void **state);

#endif
