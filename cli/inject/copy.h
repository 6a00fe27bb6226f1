/* SPDX-License-Identifier: MIT */
/* A recording, written again. */
#ifndef INJECT_COPY_H
#define INJECT_COPY_H

#include "recording.h"

/* @output: "-": a stream to standard output. @build_ids: those of files are added, too. */
struct copy_opts {
	const char *output;
	bool build_ids;
};

/* Of an open recording: events, features, and all records in the order they have. Returns 0 or a
 * negative errno with rec->diag filled. */
int copy_recording(struct recording *rec, const struct copy_opts *opts);

#endif
