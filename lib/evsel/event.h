/* SPDX-License-Identifier: MIT */
/* One event from inside the library. */
#ifndef EVSEL_EVENT_H
#define EVSEL_EVENT_H

#include <xperf/attr.h>
#include <xperf/chain-ends.h>
#include <xperf/cpus.h>
#include <xperf/evsel.h>

#include "ctx.h"
#include "event-terms.h"

struct xp_pmu;

/* A cgroup whose tasks are counted; the list's, which closes it (lib/evlist/cgroups.c). */
struct xp_cgroup {
	char *name;      /* as given */
	int fd;          /* of its directory; -1: it is all there are, and counted as such */
	uint64_t inode;  /* of its directory, which no other one gets; 0: not known */
	bool is_another; /* another one had its name when it was looked at last */
};

struct xp_evsel {
	struct xp_ctx *ctx;
	struct xp_attr attr;
	char *name;
	const char *unit;
	double scale;
	enum xp_tool_event tool;
	uint64_t tool_value; /* of a snapshot, read when it was opened */

	/* a probe: its PMU and what the attribute points to, a path or a function (parse/probe.c)
	 */
	const char *probe; /* static; NULL: it is none */
	char *probe_target;
	uint64_t named_id; /* of its name in tracefs (probe-named.c); 0: it has none */

	/* its place in a list, set by lib/evlist */
	int index;               /* -1: in no list */
	struct xp_evsel *leader; /* of the user's group; itself outside groups */
	int group_size;          /* in the leader: members of the user's group */
	bool weak;               /* ":W": the group may be broken up */
	bool precise_max;        /* ":P": start at the highest precision and step down */

	/* what its PMU and its terms say (parse/pmu-resolve.c, parse/common-terms.c) */
	const struct xp_pmu *pmu;     /* NULL: none was named, nor meant */
	struct xp_evsel *merged_into; /* the first of those shown as one; itself if it is alone */
	bool is_merged;               /* it is one of several */
	char *own_name;               /* its name among them; NULL: name */
	bool is_named;                /* name= was given */
	char *own_unit;               /* of unit, unless that is static */
	bool per_pkg;                 /* counts for its package on whichever CPU it is */
	bool snapshot;                /* the value is no sum */
	struct xp_event_terms terms;
	bool *elsewhere; /* by cpu_idx, since it was opened: not counted there; NULL: nowhere */
	int nr_elsewhere;
	struct xp_cpus *own_cpus;       /* where its PMU is; NULL: everywhere */
	bool is_uncore;                 /* its PMU counts for CPUs, not for tasks */
	const struct xp_cgroup *cgroup; /* NULL: whatever runs is counted */

	bool alone;          /* it follows tasks, but cannot be handed on to what they start */
	bool wants_bpf;      /* ":b" */
	bool by_bpf;         /* BPF counts it (lib/bpf): it has no descriptors of its own */
	bool retire_latency; /* ":R": not the event is meant, but the latency of what it hits */
	bool guest_chosen;   /* ":G" or ":H": the guest bits are the user's, not the default */

	/* when it is recorded (lib/evlist/sampling.c) */
	bool sample_read;            /* ":S": samples bear the counts of the event's group */
	bool clock_will_do;          /* where it cannot be sampled, a clock is */
	const char *instead_of;      /* static: what was asked for; NULL: this event was */
	bool tracks;                 /* it bears the side band: maps, names, tasks */
	struct xp_cpus *recorded_on; /* it is opened on these only; NULL: wherever the list is */

	/* of tracepoints: SUBSYSTEM:EVENT, NULL if not known; which of its events count */
	char *tracepoint;
	char *filter;                           /* NULL: all of them */
	bool exclude_self;                      /* @filter is to leave out this process, too */
	struct xp_sample_filter *sample_filter; /* of any other event; NULL: all samples count */
	bool has_program; /* the kernel runs @program_fd at each overflow (lib/bpf) */
	int program_fd;   /* borrowed */
	char *foreign; /* another machine's event (parse/vendor.c): why it is not opened; NULL: it
			  is */

	/* what opening it found */
	enum xp_support support;
	char *reason;         /* NULL: nothing to report */
	const char *too_many; /* what its group does not fit, static; NULL: that is not why */

	/* descriptors, [cpu_idx * nr_threads + thread_idx]; -1: not open there; NULL: not open */
	int *fds;
	struct xp_cpus *cpus;
	struct xp_threads *threads;
	/* given.c: descriptors that opening takes over, by number of the CPU; -1: none */
	int *given;
	int nr_given;
};

/* It says how the machine is, or how it is counted: a value, no time. */
static inline bool xp_tool_is_snapshot(enum xp_tool_event tool)
{
	return tool > XP_TOOL_SYSTEM_TIME;
}

/* Every letter that can follow an event as a modifier (parse/modifiers.c has their meaning). */
extern const char xp_modifier_letters[];

/*
 * Makes a tool event. Returns 0 or -ENOMEM.
 */
int xp_evsel_new_tool(struct xp_ctx *ctx, enum xp_tool_event tool, const char *name,
		      struct xp_evsel **ret_evsel);

/* Makes an event that counts the same, in no list, group or cgroup. Returns 0 or -ENOMEM. */
int xp_evsel_copy(const struct xp_evsel *evsel, struct xp_evsel **ret_copy);

/* Appends to the shown name (":u"). Returns 0 or -ENOMEM. */
int xp_evsel_append_name(struct xp_evsel *evsel, const char *suffix);

/* Gives it another shown name. Out of memory leaves the old one. */
void xp_evsel_rename(struct xp_evsel *evsel, const char *name);

/* Lowers the frequency of a sampling event to @most Hz, and says so in the reason. */
void xp_evsel_limit_freq(struct xp_evsel *evsel, uint64_t most);

/* Raises the period of a clock to what timers and @max_rate, in Hz, allow, and adds that to the
 * reason. */
void xp_evsel_limit_clock(struct xp_evsel *evsel, uint64_t max_rate);
/* Replaces the reason. Out of memory leaves none. */
void xp_evsel_set_reason(struct xp_evsel *evsel, const char *fmt, ...) XP_PRINTF(2, 3);
void xp_evsel_forget_reason(struct xp_evsel *evsel);

/* The descriptor at a position, -1 if it is not open there. */
static inline int xp_evsel_fd(const struct xp_evsel *evsel, int cpu_idx, int thread_idx)
{
	if (!evsel->fds)
		return -1;
	return evsel->fds[cpu_idx * xp_threads_nr(evsel->threads) + thread_idx];
}

#endif
