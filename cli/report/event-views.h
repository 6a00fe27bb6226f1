/* SPDX-License-Identifier: MIT */
/* --syscalls, --sched: other rows than those of a profile. */
#ifndef REPORT_EVENT_VIEWS_H
#define REPORT_EVENT_VIEWS_H

#include "report.h"

bool event_view_is_wanted(const struct values *values);
/* Shows it. Returns the exit status. */
int event_view(const struct cli *cli, struct values *values);

#endif
