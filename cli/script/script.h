/* SPDX-License-Identifier: MIT */
/* What the parts of `script` share: the state of a run over a recording. */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include <xperf/data.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/traces.h>

#include "config.h"
#include "fields.h"
#include "sink.h"

/* How the samples of an event are printed. */
struct view {
	const struct xp_data_event *event;
	uint32_t fields;
	bool has_chain; /* and it is printed */
	char *name;     /* padded to the longest, with ": " behind it */
	size_t name_len;
};

struct tails;
struct readings;

struct script {
	const struct config *config;
	struct fields fields;
	struct xp_data *data;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_traces *traces; /* NULL: there are none */
	struct view *views;
	int nr_views;
	struct tails *tails;
	struct readings *readings; /* NULL before the first */
	struct time_range *ranges; /* of --time, in nanoseconds */
	int nr_ranges;
	const char *comm;      /* the name that was printed last */
	struct sink comm_text; /* how */
	struct sink out;
};

/* --- sample.c --- */

/* Prints a sample unless it is filtered out. Returns 0, or a negative errno. */
int sample_show(struct script *script, const struct xp_record *record);
/* What a line begins with: who, where and when. @padded: names are right-aligned. */
void show_start(struct script *script, uint32_t fields, const struct xp_sample_id *id, int32_t pid,
		int32_t tid, uint16_t misc, uint32_t type, bool padded);

/* --- frames.c --- */

/* An address of a process at a time. @mode: XP_MISC_KERNEL, XP_MISC_USER ... */
struct where {
	uint64_t ip, time_ns;
	int32_t pid;
	uint16_t mode;
};

/* Returns NULL without memory. */
struct tails *tails_new(void);
void tails_free(struct tails *tails);
/* Prints address, function and file, as far as @fields say. Returns 0 or -ENOMEM. */
int frame_show(struct script *script, uint32_t fields, const struct where *where);
/* Prints the call chain of a sample, a line each. Returns 0 or a negative errno. */
int chain_show(struct script *script, const struct view *view, const struct xp_sample *sample);
/* Prints function and file. Returns likewise. */
int symbol_show(struct script *script, uint32_t fields, const struct where *where);

/* --- side.c --- */

/* True if the user wants to see records of this type. */
bool side_is_shown(const struct config *config, uint32_t type);
void side_show(struct script *script, const struct xp_record *record);

#endif
