/* SPDX-License-Identifier: MIT */
/* Where the functions of a recording are looked up: what the user names, or the copy of the kernel
 * that `record --kcore` puts beside a recording. */
#ifndef RECORDING_SYMBOLS_H
#define RECORDING_SYMBOLS_H

#include "recording.h"

/* Files that the user names must be readable. Returns 0 or a negative errno with rec->diag filled.
 */
int symbols_check(struct recording *rec);
/* Opens rec->symbols and rec->resolver, once the timeline is loaded. Returns 0 or -ENOMEM. */
int symbols_open(struct recording *rec);

#endif
