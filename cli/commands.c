/* SPDX-License-Identifier: MIT */
/* The table of commands. */
#include "cli.h"

const struct command commands[] = {
	{ 0 },
};
