/* SPDX-License-Identifier: MIT */
/* One type for the message to the user when a call fails. */
#ifndef XPERF_DIAG_H
#define XPERF_DIAG_H

#include <xperf/api.h>

XP_BEGIN_DECLS

/**
 * struct xp_diag - one sentence for the user, and what to do
 * @err:   the negative errno the call returned; 0: nothing is recorded
 * @pos:   byte offset in @input the sentence is about; -1: no position
 * @len:   number of bytes at @pos it is about; at least 1 when @pos >= 0
 * @what:  what failed, on what, and why; no newline, no final full stop. Begins with a capital,
 *         except in event strings, where it is shown after the place: "there is no event 'x'"
 * @hint:  what the user can do about it, in any program: it names no option of one; may be empty
 * @input: the text @pos refers to (an event string, a list); may be empty
 *
 * Fixed size, owned by the caller, no destructor. A later failure overwrites an earlier one.
 */
struct xp_diag {
	int err;
	int pos;
	int len;
	char what[400];
	char hint[400];
	char input[400];
};

/**
 * xp_diag_set - record a failure
 * @diag: may be NULL: then nothing is recorded
 * @err:  negative errno
 * @fmt:  printf format of the sentence; what does not fit is cut
 *
 * Clears hint, input and position.
 *
 * Returns @err, so that a caller can write "return xp_diag_set(...)".
 */
XP_API int xp_diag_set(struct xp_diag *diag, int err, const char *fmt, ...) XP_PRINTF(3, 4);

/**
 * xp_diag_hint - add what the user can do
 * @diag: may be NULL
 */
XP_API void xp_diag_hint(struct xp_diag *diag, const char *fmt, ...) XP_PRINTF(2, 3);

/**
 * xp_diag_at - say which part of which input the failure is about
 * @diag:  may be NULL
 * @input: copied, cut to what fits
 * @pos:   byte offset in @input
 * @len:   bytes; less than 1 means 1
 */
XP_API void xp_diag_at(struct xp_diag *diag, const char *input, int pos, int len);

XP_END_DECLS

#endif
