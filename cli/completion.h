/* SPDX-License-Identifier: MIT */
/* Completion scripts for shells, made from the option tables. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

struct cli;

/* Runs `xperf --complete SHELL`: prints the script for bash, zsh or fish. Returns the exit status.
 */
int completion_print(const struct cli *cli, int argc, char **argv);

#endif
