/* SPDX-License-Identifier: MIT */
/* The command `xperf compare`, which is also `xperf stat --compare`. */
#ifndef CLI_COMPARE_COMPARE_H
#define CLI_COMPARE_COMPARE_H

#include "cli.h"

/* Exit statuses of --fail-if-slower. */
enum { EXIT_SLOWER = 3, EXIT_UNCLEAR = 4 };

int compare_main(const struct cli *cli, int argc, char **argv);

#endif
