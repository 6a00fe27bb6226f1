/* SPDX-License-Identifier: MIT */
/* Names of registers, for -I and --user-regs. */
#ifndef CLI_RECORD_REGS_H
#define CLI_RECORD_REGS_H

#include <stdint.h>

#include "options.h"

/* Prints the names that can be given, to stderr. */
void regs_print(void);

/* Reads "ax,bx"; NULL or "" is all that are usually recorded. Returns 0, or -1 after one sentence.
 */
int regs_parse(const struct option *option, const char *text, uint64_t *ret_mask);

#endif
