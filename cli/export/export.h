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

/* Rows of the tables of commands. @at: where the struct write_opts is in the values. */
#define WRITE_AT(at, field) .offset = (at) + offsetof(struct write_opts, field)
#define WRITE_OPTIONS(at)                                                                             \
	{ 'e',                                                                                        \
	  "event",                                                                                    \
	  OPTION_STRING,                                                                              \
	  WRITE_AT(at, event),                                                                        \
	  .value = "event",                                                                           \
	  .help = "only the samples of this event" },                                                 \
		{ 0,                                                                                  \
		  "by",                                                                               \
		  OPTION_STRING,                                                                      \
		  WRITE_AT(at, by),                                                                   \
		  .value = "what,...",                                                                \
		  .help = "put frames at the root for: event, cgroup, cpu, comm (default), process, " \
			  "thread" },                                                                 \
		{ 0,                                                                                  \
		  "weight",                                                                           \
		  OPTION_STRING,                                                                      \
		  WRITE_AT(at, weight),                                                               \
		  .value = "period|samples",                                                          \
		  .help = "weigh by the sum of periods (default) or by the number of samples" },      \
	{                                                                                             \
		0, "title", OPTION_STRING, WRITE_AT(at, title),                                       \
			.value = "text",                                                              \
			.help = "the title of a picture (default: the command that was recorded)"     \
	}

/* choose.c: print what is wrong, with the nearest name. */

/* Returns NULL if there is none. */
const struct xp_export_format *format_find(const char *name);
/* Parses the options, and sets what has to be collected for them and for the format. Returns 0 or
 * -1. */
int write_parse(struct write_opts *what, struct collect_opts *from);
/* The number of an event; -1: there is none. */
int event_of_name(const struct xp_tree *tree, const char *name);
/* Sets the event that is written, once the tree is there. Returns 0 or -1. */
int event_choose(struct write_opts *what, const struct xp_tree *tree);

/* write.c: writes the tree. @input: that is still read, or was; NULL: standard input. Returns 0 or
 * a negative errno after printing why. */
int tree_write(const struct write_opts *what, const struct xp_tree *tree, const char *input);

#endif
