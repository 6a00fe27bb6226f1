/* SPDX-License-Identifier: MIT */
/* Functions that no other calls: a chain that has reached one of them is complete. */
#ifndef BASE_FIRST_FUNCTION_H
#define BASE_FIRST_FUNCTION_H

#include <stdbool.h>

/* By the name, which may have a version: "__libc_start_main@@GLIBC_2.34". */
bool xp_is_first_function(const char *name);

#endif
