/* SPDX-License-Identifier: MIT */
/* The field srccode: the source code of the line a sample was at. */
#ifndef SCRIPT_SOURCE_H
#define SCRIPT_SOURCE_H

#include <stdint.h>

struct script;
struct sources;
struct where;

/* Returns NULL without memory. */
struct sources *sources_new(void);
void sources_free(struct sources *sources);
/* Prints the line on a line of its own, unless it is what was printed last of the thread, or not
 * known. Returns 0 or -ENOMEM. */
int source_show(struct script *script, const struct where *where, int32_t tid);

#endif
