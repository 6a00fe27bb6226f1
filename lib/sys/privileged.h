/* SPDX-License-Identifier: MIT */
/* Commands that get privileges by their exec. */
#ifndef SYS_PRIVILEGED_H
#define SYS_PRIVILEGED_H

#include <stdbool.h>

struct xp_ctx;

/*
 * True if the file that execvp(3) would run as @command gives another user, group or capabilities,
 * or may not be read by us. It is looked at now.
 */
bool xp_command_is_privileged(struct xp_ctx *ctx, const char *command);

#endif
