/* SPDX-License-Identifier: MIT */
/* What was found out: computed once, printed by renderers that compute nothing. */
#ifndef CLI_COMPARE_FINDINGS_H
#define CLI_COMPARE_FINDINGS_H

#include "measure.h"
#include "statistics.h"

/* One metric of one command. */
struct summary {
	size_t nr_known; /* runs in which it was counted; without one, nothing else is known */
	double median, mean, deviation, min, max;
	double *sorted; /* the known values */
};

/* One metric of one command, compared with that of the first command. */
struct finding {
	bool is_known; /* it was counted in all runs of both */
	struct change change;
	enum verdict verdict;
	double rounds_needed; /* of what is unclear; 0: not known */
};

/* Whether rounds of one command look like repetitions: of the time. */
struct health {
	size_t nr_outliers;
	struct drift drift;
	struct modes modes;
};

/* What the machine did during all rounds. */
struct disturbed {
	double steal_s;      /* a hypervisor ran something else; NAN: not known */
	double nr_throttled; /* times that cores were slowed down; NAN: not known */
};

struct findings {
	const struct measurement *m;
	size_t nr_rounds;
	struct summary *summaries; /* by command, then metric */
	struct finding *findings;  /* likewise; nothing for the first command */
	struct health *health;     /* by command */
	struct disturbed disturbed;
	double noise; /* two halves of the rounds of the first command that is run differ by this in
			 time; NAN: not known */
	double rate;  /* of errors */
};

/* Concludes from the rounds so far. Returns 0 or -ENOMEM; findings_fini() follows in any case. */
int findings_init(struct findings *f, const struct measurement *m, double rate);
void findings_fini(struct findings *f);

static inline const struct summary *findings_summary(const struct findings *f, size_t contender,
						     size_t metric)
{
	return &f->summaries[contender * f->m->metrics.nr + metric];
}

static inline const struct finding *findings_at(const struct findings *f, size_t contender,
						size_t metric)
{
	return &f->findings[contender * f->m->metrics.nr + metric];
}

/* Is a metric known of some run of some command? */
bool findings_is_counted(const struct findings *f, size_t metric);

/* What --within means for a metric: a share, or of differences its unit. */
double findings_within(const struct findings *f, const struct change *change, size_t metric);

#endif
