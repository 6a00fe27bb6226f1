/* SPDX-License-Identifier: MIT */
/*
 * The loop of a recording. The recorder's threads do the work; here is waited for what may end it
 * or change it: the workload, signals, commands, times, sizes, and what the recorder has to say.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>
#include <xperf/sys.h>

#include "recorder.h"

#define NS_PER_MS 1000000ULL

/* How often the status line is written. */
#define STATUS_NS (500 * NS_PER_MS)
/* How often CPUs and cgroups are looked at. */
#define UPDATE_NS (250 * NS_PER_MS)
/* How often rings are emptied where no thread does it, and nothing happens. */
#define PUMP_NS (100 * NS_PER_MS)

/* What is waited for; the rings only where nobody else empties them. */
enum { POLL_SIGNALS, POLL_RECORDER, POLL_CONTROL, POLL_RINGS };

int recorder_enable(struct recorder *r, bool on, struct xp_diag *diag)
{
	int err = control_switch(r->evlist, "", on, true, diag);

	if (!err)
		r->enabled = on;
	return err;
}

/* As perf says it; scripts wait for it. */
static void say_enabled(const struct recorder *r)
{
	if (!r->config.quiet)
		fputs(r->enabled ? "Events enabled\n" : "Events disabled\n", stderr);
}

/* --- what is waited for --- */

/* Signals, news and commands; the rings only where nobody else empties them. */
static int plan_polled(struct recorder *r, struct xp_diag *diag)
{
	int nr = r->is_pumped ? xp_evlist_nr_rings(r->evlist) : 0;

	free(r->polled);
	r->nr_polled = POLL_RINGS + (size_t)nr;
	r->polled = calloc(r->nr_polled, sizeof(*r->polled));
	if (!r->polled)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (int i = 0; i < nr; i++)
		r->polled[POLL_RINGS + i] =
			(struct pollfd){ .fd = xp_evlist_ring(r->evlist, i)->fd, .events = POLLIN };
	return 0;
}

static void set_polled(const struct recorder *r)
{
	int recorder = r->is_pumped ? -1 : xp_recorder_fd(r->recorder);
	struct pollfd *fds = r->polled;

	fds[POLL_SIGNALS] = (struct pollfd){ .fd = r->session.signal_fd, .events = POLLIN };
	fds[POLL_RECORDER] = (struct pollfd){ .fd = recorder, .events = POLLIN };
	fds[POLL_CONTROL] = (struct pollfd){ .fd = r->control.fd, .events = POLLIN };
}

/* --- beginning --- */

/* The time of the next beginning or end of a range of --delay. */
static void set_toggle(struct recorder *r)
{
	const struct delay *delay = &r->config.delay;
	uint64_t ms = NEVER;

	if (r->range < delay->nr)
		ms = r->in_range ? delay->ranges[r->range].to_ms : delay->ranges[r->range].from_ms;
	r->toggle_at_ns = ms == NEVER ? NEVER : r->start_ns + ms * NS_PER_MS;
}

static void set_times(struct recorder *r)
{
	const struct record_config *config = &r->config;

	r->start_ns = xp_ctx_now(r->ctx);
	r->switch_at_ns =
		config->rule.when & SWITCH_BY_TIME ? r->start_ns + config->rule.ns : NEVER;
	status_init(&r->status, config);
	r->status_at_ns = r->status.shown_at_all ? r->start_ns + STATUS_NS : NEVER;
	set_toggle(r);
	r->update_at_ns = r->target.cpus ? r->start_ns : NEVER;
	r->sums_at_ns = r->sums ? r->start_ns + config->sums_ns : NEVER;
	r->sums_wait_ns = SUMS_SOON_NS;
	r->walks_at_ns = r->walks ? r->start_ns : NEVER;
	r->sums_look_at_ns = r->sums ? r->start_ns + SUMS_SOON_NS : NEVER;
}

static int begin(struct recorder *r, struct xp_diag *diag)
{
	const struct record_config *config = &r->config;
	int err = 0;

	if (config->delay.given)
		say_enabled(r);
	else if (!config->sampling.has_workload)
		err = recorder_enable(r, true, diag);
	else
		r->enabled = true; /* by its exec */
	set_times(r);
	if (!err && r->session.workload)
		err = session_start(&r->session, diag);
	r->begun = !err;
	return err;
}

/* --- events --- */

static void stop_sampling(struct recorder *r)
{
	xp_evlist_disable(r->evlist);
	r->enabled = false;
	r->toggle_at_ns = NEVER;
}

void recorder_stop(struct recorder *r)
{
	stop_sampling(r);
	if (r->session.workload)
		session_terminate(&r->session);
	else
		r->done = true;
}

static int toggle(struct recorder *r, struct xp_diag *diag)
{
	int err = recorder_enable(r, !r->in_range, diag);

	if (err)
		return err;
	say_enabled(r);
	r->in_range = !r->in_range;
	r->range += !r->in_range;
	/* Behind the last range there is nothing to wait for but the workload. */
	if (r->range == r->config.delay.nr)
		r->done = !r->session.workload;
	set_toggle(r);
	return 0;
}

static void show_status(struct recorder *r, uint64_t now_ns)
{
	struct xp_recorder_stats stats = { .size = sizeof(stats) };

	xp_recorder_get_stats(r->recorder, &stats);
	status_show(&r->status, &stats, now_ns - r->start_ns);
	r->status_at_ns = now_ns + STATUS_NS;
}

static int update(struct recorder *r, struct xp_diag *diag)
{
	int changes = xp_recorder_update_cpus(r->recorder);

	r->update_at_ns = xp_ctx_now(r->ctx) + UPDATE_NS;
	if (!changes)
		return 0;
	r->has_changed = true;
	if (changes < 0)
		r->reopen_err = changes;
	return plan_polled(r, diag);
}

/* Each wait is half of the time since the last early reading: what fills half of the room in that
 * time is seen before it has filled the rest. */
static void wait_for_sums(struct recorder *r, uint64_t now, bool are_filling)
{
	uint64_t longer = r->sums_wait_ns * 3 / 2;

	r->sums_wait_ns = are_filling               ? SUMS_SOON_NS
			  : longer < SUMS_SELDOM_NS ? longer
						    : SUMS_SELDOM_NS;
	r->sums_look_at_ns = now + r->sums_wait_ns;
}

/* Writes them when it is time, or early, before there is no room for more. */
static int look_after_sums(struct recorder *r, uint64_t now, struct xp_diag *diag)
{
	bool are_filling = sums_are_filling(r);

	wait_for_sums(r, now, are_filling);
	sums_look(r);
	if (!are_filling && now < r->sums_at_ns)
		return 0;
	r->sums_at_ns = now + r->config.sums_ns;
	return sums_write(r, diag);
}

static int handle_deadlines(struct recorder *r, struct xp_diag *diag)
{
	uint64_t now = xp_ctx_now(r->ctx);
	int err = 0;

	if (now >= r->toggle_at_ns)
		err = toggle(r, diag);
	if (!err && now >= r->update_at_ns)
		err = update(r, diag);
	if (!err && now >= r->switch_at_ns) {
		r->switch_at_ns = now + r->config.rule.ns;
		err = recorder_switch(r, diag);
	}
	if (!err &&
	    now >= (r->sums_at_ns < r->sums_look_at_ns ? r->sums_at_ns : r->sums_look_at_ns))
		err = look_after_sums(r, now, diag);
	if (now >= r->walks_at_ns)
		walks_tend(r, now);
	if (now >= r->status_at_ns)
		show_status(r, now);
	if (!err && now >= r->session.grace_at_ns)
		err = session_give_up(&r->session, diag);
	return err;
}

/* SIGUSR2: a new file, or a snapshot, where one of them was asked for. */
static int handle_usr2(struct recorder *r, struct xp_diag *diag)
{
	r->session.nr_usr2 = 0;
	if (r->config.rule.when & SWITCH_ON_SIGNAL)
		return recorder_switch(r, diag);
	if (r->config.aux_snapshot)
		return recorder_control.snapshot(r, "", diag);
	return 0;
}

/* Samples may be what keeps a machine from all else: they end first. A workload that got ^C from
 * the terminal decides itself how long it goes on. */
static int handle_signals(struct recorder *r, struct xp_diag *diag)
{
	uint64_t grace_at_ns = r->session.grace_at_ns;
	int err = session_handle_signals(&r->session, diag);

	if (r->session.over || r->session.grace_at_ns != grace_at_ns)
		stop_sampling(r);
	return !err && r->session.nr_usr2 ? handle_usr2(r, diag) : err;
}

void recorder_look_at_limit(struct recorder *r, const struct xp_recorder_stats *stats)
{
	if (!stats->is_full || r->limit_was_said)
		return;
	r->limit_was_said = true;
	if (!r->config.quiet)
		fprintf(stderr,
			"[ perf record: perf size limit reached (%" PRIu64
			" KB), stopping session ]\n",
			stats->file_bytes >> 10);
}

/* A file is large enough, or an event came that switches files. */
static bool next_file_is_due(struct recorder *r, const struct xp_recorder_stats *stats)
{
	uint64_t nr = r->nr_switch_events ? xp_recorder_watched(r->recorder) : 0;
	bool came = nr != r->nr_switch_samples;

	r->nr_switch_samples = nr;
	return came ||
	       (r->config.rule.when & SWITCH_BY_SIZE && stats->file_bytes >= r->config.rule.bytes);
}

/* The recorder has failed, all tasks have ended, a size is reached, or an event came. */
static int handle_recorder(struct recorder *r, struct xp_diag *diag)
{
	int state = xp_recorder_state(r->recorder, diag);
	struct xp_recorder_stats stats = { .size = sizeof(stats) };

	if (state < 0)
		return state;
	/* A workload is collected first: its exit status is ours. */
	if (state > 0 && !r->session.workload)
		r->done = true;
	xp_recorder_get_stats(r->recorder, &stats);
	if (stats.is_full && !r->limit_was_said) {
		recorder_look_at_limit(r, &stats);
		recorder_stop(r);
	}
	return next_file_is_due(r, &stats) ? recorder_switch(r, diag) : 0;
}

/* --- waiting --- */

static int64_t timeout(const struct recorder *r)
{
	uint64_t now = xp_ctx_now(r->ctx), next = NEVER;
	const uint64_t deadlines[] = {
		r->toggle_at_ns,        r->switch_at_ns,
		r->update_at_ns,        r->status_at_ns,
		r->session.grace_at_ns, r->sums_at_ns,
		r->sums_look_at_ns,     r->is_pumped ? now + PUMP_NS : NEVER,
		r->walks_at_ns,
	};

	for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++)
		if (deadlines[i] < next)
			next = deadlines[i];
	return next == NEVER ? -1 : next > now ? (int64_t)(next - now) : 0;
}

/* One whose task has ended would wake us up for ever. */
static void leave_out_ended(struct recorder *r)
{
	for (size_t i = POLL_RINGS; i < r->nr_polled; i++)
		if (r->polled[i].revents & (POLLHUP | POLLERR))
			r->polled[i].fd = -1;
}

static int handle_events(struct recorder *r, struct xp_diag *diag)
{
	const struct pollfd *fds = r->polled;
	int err = 0;

	if (fds[POLL_SIGNALS].revents)
		err = handle_signals(r, diag);
	if (!err && r->is_pumped && xp_recorder_pump(r->recorder) > 0)
		r->done = !r->session.workload;
	if (!err && (fds[POLL_RECORDER].revents || r->is_pumped))
		err = handle_recorder(r, diag);
	if (!err && fds[POLL_CONTROL].revents)
		err = control_handle(&r->control, &recorder_control, r, diag);
	return err;
}

static bool is_over(const struct recorder *r)
{
	return r->done || r->session.over;
}

static int loop(struct recorder *r, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(r->ctx);
	int err = 0;

	while (!is_over(r) && !err) {
		set_polled(r);
		int n = sys->poll(sys, r->polled, r->nr_polled, timeout(r));

		if (n < 0 && n != -EINTR)
			return xp_diag_set(diag, n, "Waiting failed: %s", strerror(-n));
		leave_out_ended(r);
		if (n > 0 || r->is_pumped)
			err = handle_events(r, diag);
		if (!err && !is_over(r))
			err = handle_deadlines(r, diag);
	}
	return err;
}

int recorder_run(struct recorder *r, struct xp_diag *diag)
{
	int err = plan_polled(r, diag) ?: begin(r, diag) ?: loop(r, diag);

	if (!err && r->update_at_ns != NEVER)
		err = update(r, diag);
	r->end_ns = xp_ctx_now(r->ctx);
	status_clear(&r->status);
	free(r->polled);
	r->polled = NULL;
	return err;
}
