/* SPDX-License-Identifier: MIT */
/* What pprof and OTLP call what was counted, and whose it is. */
#ifndef EXPORT_TYPES_H
#define EXPORT_TYPES_H

#include "tree-add.h"

enum { TYPE_NAME_MAX = 128 };

/*
 * Writes an event's name as a type, an identifier: servers refuse others. Clocks are "cpu", a
 * tracepoint is what is behind its subsystem, modifiers are left out; where two events of the tree
 * would be called the same, the later one has its whole name.
 */
void xp_type_name(const struct xp_tree *tree, uint32_t event, char ret_name[TYPE_NAME_MAX]);
/* What one sample stands for; where that was not constant, the mean. At least 1. */
uint64_t xp_type_period(const struct tree_event *event);
/* Whether each sample of an event stands for its period, so that their number says all. */
bool xp_type_is_counted(const struct xp_tree *tree, uint32_t event);
/* What servers file a recording under: the command, or, of several, the one that was started. Its
 * text lives as long as @room and the tree. */
const char *xp_service_name(const struct xp_tree *tree, char room[TYPE_NAME_MAX]);

#endif
