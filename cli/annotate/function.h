/* SPDX-License-Identifier: MIT */
/* One function of a recording at a time, as `xperf annotate` prints it. */
#ifndef ANNOTATE_FUNCTION_H
#define ANNOTATE_FUNCTION_H

#include "code-lines.h"
#include "recording.h"
#include "sink.h"

struct annotator;

/*
 * Reads a recording and counts its samples by function and address.
 * @opts: borrowed
 * Returns 0 with the caller's to free, or a negative errno as recording_load().
 */
int annotator_new(const struct cli *cli, const struct recording_opts *opts,
		  struct annotator **ret_annotator, struct xp_diag *diag);
/* NULL is allowed. */
void annotator_free(struct annotator *annotator);

/*
 * Adds a function's text to @out, which keeps it and is empty, with its end, and its instructions
 * to
 * @ret_code, which is the caller's to free. @frame: one of it, of any reading of the same
 * recording; @event: whose samples are shown, with those of its group
 * Returns 0, or -ENOENT (no samples are in it), or as code_read() with a sentence in @diag.
 */
int annotator_print(struct annotator *annotator, const struct xp_frame *frame, int event,
		    struct sink *out, struct code_lines *ret_code, struct xp_diag *diag);

#endif
