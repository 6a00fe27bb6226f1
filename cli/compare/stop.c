/* SPDX-License-Identifier: MIT */
/*
 * When enough has been measured: after a number of rounds, a time, or when the interval of the
 * difference is narrow enough. Rounds and time do not look at the values, so the conclusions at the
 * end have the whole rate of errors. Precision does: see looks.c.
 */
#include "stop.h"

#include <errno.h>
#include <math.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

enum {
	LEAST_ROUNDS = 10,
	LEAST_ROUNDS_MAX = 30, /* with stored runs: one or two would need very many */
	MOST_ROUNDS = 1000,
	SECONDS_PER_COMMAND = 3,
};

/* With fewer rounds than these, nothing could be stated about any metric. */
static size_t least_rounds(const struct measurement *m, double rate)
{
	size_t nr = m->metrics.nr * (m->contenders.nr > 1 ? m->contenders.nr - 1 : 1);
	double level = rate / (double)nr;
	size_t least = signed_rank_least(level);

	if (m->contenders.nr_stored)
		least = rank_sum_least(level, measured_runs(m, 0));
	if (m->contenders.nr_stored && least > LEAST_ROUNDS_MAX)
		least = LEAST_ROUNDS_MAX;
	return least > LEAST_ROUNDS ? least : LEAST_ROUNDS;
}

static size_t most_rounds(const struct measurement *m)
{
	return m->config->max_rounds ? (size_t)m->config->max_rounds : MOST_ROUNDS;
}

static bool is_precise(const struct findings *f, size_t metric)
{
	bool is_precise = true;

	for (size_t i = contenders_first_judged(&f->m->contenders); i < f->m->contenders.nr; i++) {
		const struct finding *finding = findings_at(f, i, metric);
		double until = f->m->config->until;

		if (!finding->change.is_ratio)
			until *= findings_summary(f, 0, metric)->median;
		is_precise &= finding->is_known && change_precision(&finding->change) <= until;
	}
	return is_precise;
}

/* One more look. The last one is at the limit, if none before it was enough. */
static int look(struct measurement *m, struct xp_diag *diag)
{
	size_t metric = (size_t)metrics_find(&m->metrics, m->config->judge);
	bool is_last = m->nr_rounds >= most_rounds(m);
	struct findings findings;

	m->nr_looks++;
	int err = findings_init(&findings, m, look_rate(m->nr_looks, is_last));
	if (err)
		xp_diag_set(diag, err, "Out of memory");
	else
		m->over = is_last || is_precise(&findings, metric);
	findings_fini(&findings);
	return err;
}

/* Is there a look after this round? They are planned before anything is measured. */
static bool is_look(const struct measurement *m)
{
	size_t least = least_rounds(m, look_rate(1, false)), at = 0;

	while (at < m->nr_rounds)
		at = look_next(at, least);
	return at == m->nr_rounds || m->nr_rounds >= most_rounds(m);
}

static bool is_late(const struct measurement *m)
{
	double seconds = (double)(m->ended_ns - m->began_ns) / 1e9;

	if (m->config->time_s > 0)
		return seconds >= m->config->time_s || m->nr_rounds >= MOST_ROUNDS;
	return m->nr_rounds >= least_rounds(m, ERROR_RATE) &&
	       (seconds >= SECONDS_PER_COMMAND * (double)m->contenders.nr ||
		m->nr_rounds >= MOST_ROUNDS);
}

int stop_if_enough(struct measurement *m, struct xp_diag *diag)
{
	const struct compare_config *config = m->config;

	if (metrics_find(&m->metrics, config->judge) < 0)
		return xp_diag_set(diag, -EINVAL, "--judge: there is no metric '%s'",
				   config->judge);
	if (config->until < 0) {
		m->over = config->rounds ? m->nr_rounds >= (size_t)config->rounds : is_late(m);
		return 0;
	}
	int err = is_look(m) ? look(m, diag) : 0;
	/* --time ends it, too; what is concluded then is the last look. */
	if (!err && !m->over && config->time_s > 0 && is_late(m)) {
		m->nr_looks++;
		m->over = true;
	}
	return err;
}

/* Where a signal or the time has ended it, the look at the end is one more. */
double stop_rate(const struct measurement *m)
{
	int nr_looks = m->nr_looks + (m->job.session.stop_signal || !m->nr_looks);

	if (m->config->until < 0)
		return ERROR_RATE;
	return look_rate(nr_looks, m->nr_rounds >= most_rounds(m));
}
