/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_TITLE_H
#define EXPORT_TITLE_H

#include "recording.h"

/* The command that was recorded, or, without one, how it was recorded; the path of a recording that
 * knows neither.
 * @is_whole: the command line of the recorder, with its options. For free(); NULL: no memory. */
char *title_make(const struct recording *rec, bool is_whole);

#endif
