/* SPDX-License-Identifier: MIT */
/* What to do when the kernel refuses to open an event. */
#ifndef EVSEL_LADDER_H
#define EVSEL_LADDER_H

#include "open.h"

/* One refused perf_event_open. */
struct xp_refusal {
	struct xp_evsel *evsel;
	const struct xp_open_args *args;
	int cpu_idx;
	int thread_idx;
	int err; /* negative errno */
	struct xp_diag *diag;
};

enum xp_step {
	XP_STEP_NEXT,        /* this rung does not apply: look at the next one */
	XP_STEP_AGAIN,       /* something outside the event was changed: try this cell again */
	XP_STEP_REOPEN,      /* the attribute was changed: open all cells again */
	XP_STEP_SKIP,        /* leave this cell out */
	XP_STEP_UNSUPPORTED, /* the event cannot be counted here; its reason is set */
	XP_STEP_FAIL,        /* nothing can be counted this way; the diag is filled */
};

/* What lets an ordinary user count more, whatever program this is. */
#define XP_GIVE_CAPABILITIES                                                                       \
	"give the program the capabilities (sudo setcap cap_perfmon,cap_sys_ptrace=ep PROGRAM)"

/* What to do about some errnos. @step looks whether it applies, acts, and says what to do next. */
struct xp_rung {
	int errs[4]; /* positive, 0 ends them; none: any errno */
	enum xp_step (*step)(const struct xp_refusal *r);
};

/* Those for events that are sampled (ladder-sampling.c); the last one is empty. */
extern const struct xp_rung xp_sampling_rungs[];

/* Those for descriptors that run out (ladder-limit.c); likewise. */
extern const struct xp_rung xp_limit_rungs[];

/* Does what the first rung says that applies to the refusal. */
enum xp_step xp_ladder_step(const struct xp_refusal *refusal);

/* A generic event of whose kind the PMU has one of its own becomes that (own-event.c). */
enum xp_step xp_use_own_event(const struct xp_refusal *refusal);

/* Why a probe was refused (probe-refused.c). */
enum xp_step xp_probe_refused(const struct xp_refusal *refusal);

/* The event would open for the tasks of any cgroup: why not for this one (cgroup-refused.c). */
enum xp_step xp_cgroup_refused(const struct xp_refusal *refusal);

#endif
