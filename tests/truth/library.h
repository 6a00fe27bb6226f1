/* SPDX-License-Identifier: MIT
 *
 * A library of the programs of truth: linked, so that its functions are called through the
 * procedure linkage table, and once more loaded at run time.
 */
#ifndef XPERF_TRUTH_LIBRARY_H
#define XPERF_TRUTH_LIBRARY_H

/* library_call - call back, from two frames of the library; @name: of the point in the library */
int library_call(const char *name, int (*callback)(int), int value);

/* library_short - so short that samples also hit the way to it; a point if @value is 0 */
int library_short(int value);

#endif
