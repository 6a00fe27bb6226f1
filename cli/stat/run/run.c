/* SPDX-License-Identifier: MIT */
/*
 * One run: hold the workload, open the events, let it go, wait in one loop for what may come
 * (the end of the workload or of all targets, a signal, an interval, the time-out, the end of
 * the delay), read.
 */
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sys.h>

#include "counts.h"
#include "rss.h"
#include "times.h"

#define NS_PER_MS 1000000ULL

/* How often targets without a descriptor are looked for, and what may change under the events. */
#define LOOK_NS (100 * NS_PER_MS)

/* The state of the loop; times are xp_ctx_now()'s. */
struct loop {
	struct stat_job *job;
	struct session *session;
	bool done; /* other reasons to end than the session's */

	uint64_t start_ns;            /* counting began */
	struct xp_times times_before; /* that were used by then */
	bool no_times;                /* they could not be read */
	uint64_t enable_at_ns;
	uint64_t interval_at_ns;
	uint64_t update_at_ns; /* CPUs and cgroups are looked at; NEVER: there are none */
	uint64_t timeout_at_ns;
	uint64_t interval_start_ns;
	int intervals_left; /* 0: no limit */
	struct run_counts counts;
};

static int open_list(void *data, struct xp_diag *diag)
{
	struct loop *loop = data;
	struct stat_job *job = loop->job;
	const struct stat_config *config = job->config;
	struct xp_threads *workload_thread = NULL;
	struct xp_open_opts opts = {
		.size = sizeof(opts),
		.cpus = job->target.cpus,
		.threads = job->target.threads,
		.inherit = !config->no_inherit,
		.enable_on_exec = stat_follows_workload(loop->job) && !config->delay_ms,
		.read_on_cpus = config->affinity,
	};

	if (stat_follows_workload(loop->job)) {
		int err = xp_threads_one(job->ctx, xp_workload_pid(loop->session->workload),
					 &workload_thread);

		if (err)
			return xp_diag_set(diag, err, "Out of memory");
		opts.threads = workload_thread;
	}
	/* Worth it where readings are many: the user's own groups and single reads stay as perf's.
	 * Not where one event may be switched: its leader would switch all. */
	opts.join_software =
		!config->control.given && (config->interval_ms || xp_cpus_nr(opts.cpus) > 1 ||
					   xp_threads_nr(opts.threads) > 1);
	int err = xp_evlist_open(job->evlist, &opts, diag);
	xp_threads_unref(workload_thread);
	return err;
}

/* Tests of perf, of 2025, look for both. */
static int answer_as_perf(struct stat_job *job, int err, struct xp_diag *diag)
{
	enum { STATUS = 1 };

	job->session.exec_status = STATUS;
	return xp_diag_set(diag, err, "No supported events found.");
}

static int open_events(struct loop *loop, struct xp_diag *diag)
{
	struct stat_job *job = loop->job;
	int err;

	/* Rows per thread are those of the first run. */
	if (job->rows_are_fixed)
		err = open_list(loop, diag);
	else
		err = target_open(&job->target, &job->config->target, job->evlist, open_list, loop,
				  diag);
	if (err && job->as_perf && target_is_offline(&job->target, &job->config->target))
		return answer_as_perf(job, err, diag);
	return err ? err : job->on_open(job, diag);
}

static int enable(struct loop *loop, struct xp_diag *diag)
{
	struct stat_job *job = loop->job;
	int err = job->config->null_run ? 0 : xp_evlist_enable(job->evlist);

	if (err)
		return xp_diag_set(diag, err, "The events cannot be enabled: %s", strerror(-err));
	return 0;
}

bool stat_counts_tool(const struct xp_evlist *evlist, enum xp_tool_event tool)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		if (xp_evsel_tool(xp_evlist_at(evlist, i)) == tool)
			return true;
	return false;
}

static bool has_times(const struct xp_evlist *evlist)
{
	return stat_counts_tool(evlist, XP_TOOL_USER_TIME) ||
	       stat_counts_tool(evlist, XP_TOOL_SYSTEM_TIME);
}

/* Whether CPUs that come online later are counted: where all are, no run before this one has rows
 * of its own, and no recording has begun with those there were. */
static bool counts_new_cpus(const struct loop *loop)
{
	const struct stat_config *config = loop->job->config;

	return !config->target.cpu_list && config->repeat == 1 && !config->record;
}

/* What has changed under the events. What cannot be looked at stays as it is. */
static int look_for_changes(struct loop *loop, struct xp_diag *diag)
{
	struct xp_evlist *evlist = loop->job->evlist;
	struct xp_cpus *cpus = xp_cpus_ref(xp_evlist_cpus(evlist));
	int err = 0;

	if (counts_new_cpus(loop))
		xp_evlist_update_cpus(evlist);
	else
		xp_evlist_update(evlist);
	if (xp_cpus_nr(xp_evlist_cpus(evlist)) != xp_cpus_nr(cpus)) {
		err = run_counts_widen(&loop->counts, evlist, cpus);
		if (err)
			xp_diag_set(diag, err, "Out of memory");
		else
			err = loop->job->on_new_cpus(loop->job, diag);
	}
	xp_cpus_unref(cpus);
	return err;
}

/* The clock of everything that is shown starts here. */
static int start_clock(struct loop *loop, struct xp_diag *diag)
{
	const struct stat_config *config = loop->job->config;
	uint64_t now = xp_ctx_now(loop->job->ctx);
	int err = 0;

	loop->start_ns = now;
	if (has_times(loop->job->evlist))
		loop->no_times = !times_read(loop->job, &loop->times_before);
	loop->interval_start_ns = now;
	if (loop->job->target.cpus && !config->null_run) {
		err = look_for_changes(loop, diag);
		loop->update_at_ns = now + LOOK_NS;
	}
	if (config->interval_ms)
		loop->interval_at_ns = now + (uint64_t)config->interval_ms * NS_PER_MS;
	if (config->timeout_ms)
		loop->timeout_at_ns = now + (uint64_t)config->timeout_ms * NS_PER_MS;
	return err;
}

static int end_delay(struct loop *loop, struct xp_diag *diag)
{
	int err = enable(loop, diag);

	loop->enable_at_ns = NEVER;
	if (!loop->job->config->quiet)
		fputs("Events enabled\n", stderr);
	return err ? err : start_clock(loop, diag);
}

/* What the tool events read now. */
static struct xp_tool_times tool_times(const struct loop *loop, uint64_t now_ns)
{
	struct xp_tool_times tool = { .duration_ns = now_ns - loop->start_ns };
	struct xp_times times;

	if (!has_times(loop->job->evlist))
		return tool;
	tool.no_times = loop->no_times || !times_read(loop->job, &times);
	if (!tool.no_times) {
		tool.user_ns = times.user_ns - loop->times_before.user_ns;
		tool.system_ns = times.system_ns - loop->times_before.system_ns;
	}
	return tool;
}

static int read_now(struct loop *loop, uint64_t now_ns, struct xp_diag *diag)
{
	struct xp_tool_times tool = tool_times(loop, now_ns);
	int err = 0;

	xp_evlist_set_max_rss(loop->job->evlist, stat_max_rss_bytes(loop->job));
	if (loop->counts.now)
		err = xp_evlist_read(loop->job->evlist, &tool, loop->counts.now);
	if (err)
		xp_diag_set(diag, err, "The counters cannot be read: %s", strerror(-err));
	return err;
}

/* A tool event that could not be read. */
static bool is_unknown(const struct loop *loop, int event)
{
	const struct xp_count *count = xp_counts_at(loop->counts.now, event, 0, 0);

	return xp_evsel_tool(xp_evlist_at(loop->job->evlist, event)) != XP_TOOL_NONE &&
	       count->enabled_ns && !count->running_ns;
}

/* How things are now, or are not known, has no difference to before. */
static void keep_snapshots(struct loop *loop)
{
	const struct xp_evlist *evlist = loop->job->evlist;

	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		if (!xp_evsel_is_snapshot(xp_evlist_at(evlist, i)) && !is_unknown(loop, i))
			continue;
		for (int c = 0; c < xp_counts_nr_cpus(loop->counts.now); c++)
			for (int t = 0; t < xp_counts_nr_threads(loop->counts.now); t++)
				*xp_counts_at(loop->counts.delta, i, c, t) =
					*xp_counts_at(loop->counts.now, i, c, t);
	}
}

static int handle_interval(struct loop *loop, uint64_t now_ns, struct xp_diag *diag)
{
	uint64_t length_ns = now_ns - loop->interval_start_ns;
	int err = read_now(loop, now_ns, diag);

	if (err)
		return err;
	if (loop->counts.now) {
		xp_counts_copy(loop->counts.delta, loop->counts.now);
		xp_counts_subtract(loop->counts.delta, loop->counts.before);
		keep_snapshots(loop);
		xp_counts_copy(loop->counts.before, loop->counts.now);
	}
	loop->interval_start_ns = now_ns;
	return loop->job->on_interval(loop->job, loop->counts.delta, now_ns - loop->start_ns,
				      length_ns, diag);
}

static int end_interval(struct loop *loop, uint64_t now_ns, struct xp_diag *diag)
{
	uint64_t step_ns = (uint64_t)loop->job->config->interval_ms * NS_PER_MS;

	/* A fixed beat; beats that were missed are left out. */
	loop->interval_at_ns += step_ns * ((now_ns - loop->interval_at_ns) / step_ns + 1);
	int err = handle_interval(loop, now_ns, diag);
	if (loop->intervals_left && !--loop->intervals_left) {
		loop->interval_at_ns = NEVER;
		loop->done = !loop->session->workload; /* a workload is waited for, as perf does */
	}
	return err;
}

static void end_by_timeout(struct loop *loop)
{
	loop->timeout_at_ns = NEVER;
	if (loop->session->workload)
		session_terminate(loop->session);
	else
		loop->done = true;
}

static int begin(struct loop *loop, struct xp_diag *diag)
{
	const struct stat_config *config = loop->job->config;
	bool by_exec = stat_follows_workload(loop->job) && !config->delay_ms;
	int err = 0;

	if (!config->delay_ms && !by_exec)
		err = enable(loop, diag);
	if (config->delay_ms && !config->quiet)
		fputs("Events disabled\n", stderr);
	if (!err && config->sync)
		sync();
	if (!err)
		err = start_clock(loop, diag);
	if (!err && loop->session->workload)
		err = session_start(loop->session, diag);
	if (config->delay_ms > 0) {
		loop->enable_at_ns = loop->start_ns + (uint64_t)config->delay_ms * NS_PER_MS;
		loop->interval_at_ns = loop->timeout_at_ns = NEVER;
	}
	return err;
}

static uint64_t next_deadline(const struct loop *loop, uint64_t now_ns)
{
	uint64_t deadlines[] = { loop->enable_at_ns,
				 loop->interval_at_ns,
				 loop->timeout_at_ns,
				 loop->update_at_ns,
				 loop->session->grace_at_ns,
				 loop->job->target.looks_by_number ? now_ns + LOOK_NS : NEVER };
	uint64_t next = NEVER;

	for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++)
		if (deadlines[i] < next)
			next = deadlines[i];
	return next;
}

/* Everything that is due at @now_ns. */
static int handle_deadlines(struct loop *loop, uint64_t now_ns, struct xp_diag *diag)
{
	int err = 0;

	if (now_ns >= loop->enable_at_ns)
		err = end_delay(loop, diag);
	if (!err && now_ns >= loop->update_at_ns) {
		err = look_for_changes(loop, diag);
		loop->update_at_ns = now_ns + LOOK_NS;
	}
	if (!err && now_ns >= loop->interval_at_ns)
		err = end_interval(loop, now_ns, diag);
	if (now_ns >= loop->timeout_at_ns)
		end_by_timeout(loop);
	if (!err && now_ns >= loop->session->grace_at_ns)
		err = session_give_up(loop->session, diag);
	return err;
}

/* What is waited for: these, then the targets. */
enum { POLL_SIGNALS, POLL_CONTROL, POLL_TARGETS };

/* Waits for the next event. */
static int wait_for_more(struct loop *loop, struct pollfd *fds, size_t nr, struct xp_diag *diag)
{
	const struct xp_sys *sys = xp_ctx_sys(loop->job->ctx);
	struct target *target = &loop->job->target;
	uint64_t now = xp_ctx_now(loop->job->ctx);
	uint64_t next = next_deadline(loop, now);
	int64_t timeout = next == NEVER ? -1 : next > now ? (int64_t)(next - now) : 0;

	/* As perf: no command is read before the end of a delay. */
	fds[POLL_CONTROL] = (struct pollfd){
		.fd = loop->enable_at_ns == NEVER ? loop->job->control.fd : -1,
		.events = POLLIN,
	};
	for (int i = 0; i < target->nr_watched; i++)
		fds[POLL_TARGETS + i] = target->pidfds[i];
	int n = sys->poll(sys, fds, nr, timeout);
	if (n < 0 && n != -EINTR)
		return xp_diag_set(diag, n, "Waiting failed: %s", strerror(-n));
	if (n <= 0)
		for (size_t i = 0; i < nr; i++)
			fds[i].revents = 0;
	for (int i = 0; i < target->nr_watched; i++)
		target->pidfds[i].revents = fds[POLL_TARGETS + i].revents;
	return 0;
}

static bool is_done(const struct loop *loop)
{
	return loop->done || loop->session->over;
}

static int loop_until_done(struct loop *loop, struct xp_diag *diag)
{
	struct target *target = &loop->job->target;
	size_t nr = POLL_TARGETS + (size_t)target->nr_watched;
	struct pollfd *fds = calloc(nr, sizeof(*fds));
	int err = 0;

	if (!fds)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	fds[POLL_SIGNALS] = (struct pollfd){ .fd = loop->session->signal_fd, .events = POLLIN };
	while (!is_done(loop) && !err) {
		err = wait_for_more(loop, fds, nr, diag);
		if (!err && fds[POLL_SIGNALS].revents)
			err = session_handle_signals(loop->session, diag);
		if (!err && fds[POLL_CONTROL].revents && !is_done(loop))
			err = control_handle(&loop->job->control, &stat_control, loop->job, diag);
		if (!err && !is_done(loop))
			err = handle_deadlines(loop, xp_ctx_now(loop->job->ctx), diag);
		if (!loop->session->workload && target_is_gone(target))
			loop->done = true;
	}
	free(fds);
	return err;
}

static int finish(struct loop *loop, struct stat_result *result, struct xp_diag *diag)
{
	const struct stat_config *config = loop->job->config;
	uint64_t now = xp_ctx_now(loop->job->ctx);
	int err = 0;

	result->wall_ns = now - loop->start_ns;
	result->exit = loop->session->exit;
	result->has_exit = loop->session->ended;
	result->left_running = loop->session->workload && !loop->session->ended;
	result->has_usage =
		loop->session->ended && !xp_workload_usage(loop->session->workload, &result->usage);
	if (loop->update_at_ns != NEVER)
		err = look_for_changes(loop, diag);
	if (err)
		return err;
	/* The last interval is what is left of it. */
	if (config->interval_ms && loop->interval_at_ns != NEVER)
		err = handle_interval(loop, now, diag);
	else
		err = read_now(loop, now, diag);
	if (err)
		return err;
	if (loop->counts.now && stat_follows_workload(loop->job) && loop->session->ended)
		xp_evlist_check_workload(loop->job->evlist, loop->session->workload,
					 &loop->session->exit, loop->counts.now);
	result->counts = loop->counts.now;
	loop->counts.now = NULL;
	return 0;
}

static int run_loop(struct loop *loop, struct stat_result *result, struct xp_diag *diag)
{
	const struct stat_config *config = loop->job->config;
	int err = 0;

	if (!config->null_run) {
		err = open_events(loop, diag)
			      ?: run_counts_make(&loop->counts, loop->job->evlist,
						 config->interval_ms);
		if (err && !diag->what[0])
			xp_diag_set(diag, err, "Out of memory");
	}
	if (!err)
		err = begin(loop, diag);
	if (!err)
		err = loop_until_done(loop, diag);
	if (!err)
		err = finish(loop, result, diag);
	return err;
}

int stat_run(struct stat_job *job, struct stat_result *ret_result, struct xp_diag *diag)
{
	struct loop loop = {
		.job = job,
		.session = &job->session,
		.enable_at_ns = NEVER,
		.interval_at_ns = NEVER,
		.update_at_ns = NEVER,
		.timeout_at_ns = NEVER,
		.intervals_left = job->config->interval_count,
	};
	int err = 0;

	*ret_result = (struct stat_result){ 0 };
	if (job->config->workload)
		err = job->prepare ? job->prepare(job, diag)
				   : session_prepare(&job->session, job->config->workload, diag);
	if (!err)
		err = run_loop(&loop, ret_result, diag);
	ret_result->ran = !err;
	if (err && session_is_called_off(&job->session))
		err = 0;
	xp_evlist_close_behind(job->evlist);
	if (!err)
		session_drop_workload(&job->session);
	run_counts_free(&loop.counts);
	return err;
}
