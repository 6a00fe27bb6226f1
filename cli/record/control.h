/* SPDX-License-Identifier: MIT */
/* --control: commands that come through a descriptor while a recording goes on. */
#ifndef CLI_RECORD_CONTROL_H
#define CLI_RECORD_CONTROL_H

#include "values.h"

struct xp_ctx;
struct xp_diag;

/*
 * Carries a command out. @arg: what is behind its name, "" if nothing. Returns 0 or a negative
 * errno with @diag filled, which ends the recording.
 */
typedef int (*control_fn)(void *data, const char *arg, struct xp_diag *diag);

/* What each command does. */
struct control_ops {
	control_fn enable;
	control_fn disable;
	control_fn snapshot;
	control_fn stop;
	control_fn list; /* of events */
};

struct control {
	struct xp_ctx *ctx;
	int fd, ack_fd;  /* -1: none, or nobody writes any more */
	bool owns;       /* they were opened here */
	char line[1024]; /* what has come of a command that is not complete */
	size_t len;
};

/* Returns 0 or a negative errno with @diag filled. */
int control_open(struct control *control, struct xp_ctx *ctx, const struct control_place *place,
		 struct xp_diag *diag);
void control_close(struct control *control);

/* Reads what has come and carries it out, each command acknowledged. Returns likewise. */
int control_handle(struct control *control, const struct control_ops *ops, void *data,
		   struct xp_diag *diag);

#endif
