/* SPDX-License-Identifier: MIT */
/* Closing descriptors without waiting for what their last close does. */
#ifndef SYS_CLOSE_BEHIND_H
#define SYS_CLOSE_BEHIND_H

#include <stddef.h>

/* struct xp_sys, close_behind. */
int xp_close_behind(const int *fds, size_t nr);

#endif
