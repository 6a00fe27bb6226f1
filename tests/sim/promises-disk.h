/* SPDX-License-Identifier: MIT */
/* The promises about files that are written, the machine's name and its clocks. */
#ifndef SIM_PROMISES_DISK_H
#define SIM_PROMISES_DISK_H

void promise_create_is_exclusive(void **state);
void promise_names_are_added(void **state);
void promise_writes_go_where_they_are_told(void **state);
void promise_no_reader_no_signal(void **state);
void promise_file_limit_no_signal(void **state);
void promise_names_change(void **state);
void promise_directories(void **state);
void promise_uname(void **state);
void promise_clocks(void **state);

#endif
