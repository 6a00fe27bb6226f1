/* SPDX-License-Identifier: MIT */
/* The features the writer makes itself: of the machine, of the events, of the writing. */
#ifndef SESSION_FEATURES_H
#define SESSION_FEATURES_H

#include <xperf/data.h>

#include "str.h"

/* What features are made of. */
struct xp_feature_source {
	struct xp_ctx *ctx;
	const struct xp_data_event *events;
	int nr_events;
	int argc;
	const char *const *argv;
};

/* Adds the body of a feature. Returns 0, or a negative errno: it cannot be known, and is left out.
 */
typedef int (*xp_feature_fn)(const struct xp_feature_source *from, struct xp_str *out);

/* features-events.c */
int xp_feature_event_desc(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_group_desc(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_branch_stack(const struct xp_feature_source *from, struct xp_str *out);

/* Those without which a recording is not complete: names of events, compression. Returns 0 or
 * -ENOMEM. */
int xp_features_start(struct xp_data_writer *w);
/* Those that are known at the end: where AUX data are, what compression has achieved. Likewise. */
int xp_features_finish(struct xp_data_writer *w);

#endif
