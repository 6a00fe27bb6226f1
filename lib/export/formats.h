/* SPDX-License-Identifier: MIT */
/* The table of formats. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "stream.h"

/* The format's own; NULL: it is one of trees. */
const struct stream_format *xp_format_stream(const struct xp_export_format *format);
/* Checks options, and makes what is written with them: export->out is the caller's to free. Returns
 * 0 or a negative errno. */
int xp_export_open(struct export *export, const struct xp_tree *tree,
		   const struct xp_export_opts *opts, struct xp_diag *diag);

#endif
