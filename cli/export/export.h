/* SPDX-License-Identifier: MIT */
/* What the commands that write for other programs share: choosing, and writing. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "collect.h"

/* What is written, and where to. @event, @by, @weight: as given; NULL: not given. @output: NULL:
 * standard output */
struct write_opts {
	const struct xp_export_format *format;
	const char *output, *event, *by, *weight, *title;
	struct xp_export_opts opts;
};

/* choose.c: print what is wrong, with the nearest name. */

/* Returns NULL if there is none. */
const struct xp_export_format *format_find(const char *name);
/* Parses "thread,cgroup" into opts->by; adds to @ret_bits what a tree has to distinguish for it.
 * Returns 0 or -1. */
int by_parse(struct write_opts *what, unsigned int *ret_bits);
/* The weight. Returns 0 or -1. */
int weight_parse(struct write_opts *what);
/* Sets the event that is written, once the tree is there. Returns 0 or -1. */
int event_choose(struct write_opts *what, const struct xp_tree *tree);

/* write.c: writes the tree. @input: that is still read, or was; NULL: standard input. Returns 0 or
 * a negative errno after printing why. */
int tree_write(const struct write_opts *what, const struct xp_tree *tree, const char *input);

#endif
