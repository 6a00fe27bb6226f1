/* SPDX-License-Identifier: MIT */
/* The command `xperf stat`. */
#ifndef CLI_STAT_STAT_H
#define CLI_STAT_STAT_H

#include "cli.h"

int stat_main(const struct cli *cli, int argc, char **argv);

#endif
