/* SPDX-License-Identifier: MIT */
/* `xperf stat report`: the counts of a recording, shown as stat shows them. */
#ifndef CLI_STAT_REPORT_H
#define CLI_STAT_REPORT_H

#include "stat-config.h"

/* @config->report has the arguments; it is freed. Returns the exit status. */
int stat_report(const struct cli *cli, struct stat_config *config);

#endif
