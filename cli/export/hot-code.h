/* SPDX-License-Identifier: MIT */
/* The code of the hottest functions of a recording, for formats that show it. */
#ifndef EXPORT_HOT_CODE_H
#define EXPORT_HOT_CODE_H

#include <xperf/api.h>

#include "heat.h"

struct xp_tree;

/*
 * Adds them to a tree that has the events of the recording. Functions whose code is not there are
 * left out, and so is all of it without a disassembler. @with_lines: with lines of source. Returns
 * 0 or -ENOMEM.
 */
int hot_code_add(const struct heat *heat, bool with_lines, struct xp_tree *tree);

#endif
