/* SPDX-License-Identifier: MIT */
/* What a recording says about itself: events, ids, threads, CPUs, the machine, build ids. */
#ifndef CLI_RECORD_DESCRIBE_H
#define CLI_RECORD_DESCRIBE_H

#include "output.h"

/* Gives @writer, before its start, all there is. Returns 0 or a negative errno with @diag filled.
 */
int describe_recording(const struct output *output, struct xp_data_writer *writer,
		       struct xp_diag *diag);

/* Gives it what is known at the end only. Returns likewise. */
int describe_end(struct xp_data_writer *writer, const struct output_end *end, struct xp_diag *diag);

#endif
