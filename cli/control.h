/* SPDX-License-Identifier: MIT */
/* --control: commands that come through a descriptor while something is measured. */
#ifndef CLI_CONTROL_H
#define CLI_CONTROL_H

#include <xperf/api.h>

#include "options.h"

struct xp_ctx;
struct xp_diag;
struct xp_evlist;

/* "fd:3,4", "fifo:/run/ctl,/run/ack" */
struct control_place {
	bool given;
	int fd, ack_fd;        /* -1: none */
	char *fifo, *ack_fifo; /* NULL: none */
};

/* An option_fn: option->offset is that of a struct control_place. */
int control_parse(const struct option *option, const char *arg, bool negated, void *values);
void control_place_fini(struct control_place *place);

/*
 * Carries a command out. @arg: what is behind its name, "" if nothing. Returns 0 or a negative
 * errno with @diag filled, which ends the measuring.
 */
typedef int (*control_fn)(void *data, const char *arg, struct xp_diag *diag);

/* What each command does. */
struct control_ops {
	control_fn enable;
	control_fn disable;
	control_fn stop;
	control_fn list;     /* of events */
	control_fn snapshot; /* NULL: there are none */
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

/* What "enable" and "disable" do: switches all events, or those called @name, and says so unless
 * @quiet. A name that no event has is a warning. Returns likewise. */
int control_switch(struct xp_evlist *evlist, const char *name, bool on, bool quiet,
		   struct xp_diag *diag);
/* What "evlist" does: prints the events to stdout. */
void control_list(const struct xp_evlist *evlist, const char *arg);

#endif
