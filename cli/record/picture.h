/* SPDX-License-Identifier: MIT */
/* A recording as a picture, once it is complete: --flamegraph and --open. */
#ifndef CLI_RECORD_PICTURE_H
#define CLI_RECORD_PICTURE_H

#include "config.h"

/* Whether one is asked for. */
bool picture_is_wanted(const struct record_config *config);
/* Whether it can be written, before the program runs. Returns 0, or a negative errno with @diag
 * filled. */
int picture_check(const struct record_config *config, struct xp_diag *diag);
/* Call chains make it; they are recorded if nothing else was chosen. */
void picture_add_chains(struct record_config *config);
/* Draws and shows the recording in the file @name. Returns 0, or the exit status of what failed. */
int picture_show(const struct cli *cli, const struct record_config *config, const char *name);

#endif
