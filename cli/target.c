/* SPDX-License-Identifier: MIT */
/*
 * Where a command measures. The end of a process is noticed by its pidfd; a single thread has one
 * only since Linux 6.9, and older kernels have none: those are looked for by number at intervals.
 */
#include "target.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sys.h>

#include "processes.h"

/* pidfd_open(2): the descriptor is for the thread, not for its process; Linux 6.9. */
#define PIDFD_OF_THREAD 0200U

/* How long it is tried to catch all threads of processes. */
#define LIST_TIMEOUT_NS 1000000000ULL

static int watch_one(struct target *target, pid_t id, bool is_thread)
{
	const struct xp_sys *sys = xp_ctx_sys(target->ctx);
	int i = target->nr_watched++;
	int fd = sys->pidfd_open(sys, id, is_thread ? PIDFD_OF_THREAD : 0);

	target->watched[i] = id;
	target->pidfds[i] = (struct pollfd){ .fd = fd < 0 ? -1 : fd, .events = POLLIN };
	if (fd < 0)
		target->looks_by_number = true;
	return fd == -ESRCH ? fd : 0;
}

static int nr_in_list(const char *list)
{
	int nr = 1;

	for (const char *p = list; *p; p++)
		nr += *p == ',';
	return nr;
}

/* @list has been checked by the library: numbers and commas. */
static int watch_list(struct target *target, const char *list, bool are_threads,
		      struct xp_diag *diag)
{
	int nr = nr_in_list(list);

	target->watched = calloc((size_t)nr, sizeof(*target->watched));
	target->pidfds = calloc((size_t)nr, sizeof(*target->pidfds));
	if (!target->watched || !target->pidfds)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (const char *p = list; *p;) {
		char *end;
		int id = (int)strtol(p, &end, 10);
		int err = watch_one(target, id, are_threads);

		if (err)
			return xp_diag_set(diag, err, "There is no %s %d",
					   are_threads ? "thread" : "process", id);
		p = *end ? end + 1 : end;
	}
	return 0;
}

static int find_user(const char *user, uid_t *ret_uid, struct xp_diag *diag)
{
	char *end;
	unsigned long number = strtoul(user, &end, 10);
	const struct passwd *entry = *user && !*end ? NULL : getpwnam(user);

	if (entry)
		*ret_uid = entry->pw_uid;
	else if (*user && !*end && number < UINT32_MAX)
		*ret_uid = (uid_t)number;
	else
		return xp_diag_set(diag, -EINVAL, "There is no user '%s'", user);
	return 0;
}

static int find_threads_of_user(struct target *target, const char *user, struct xp_diag *diag)
{
	uid_t uid = 0;
	int err = find_user(user, &uid, diag);

	if (err) {
		xp_diag_at(diag, user, 0, (int)strlen(user));
		return err;
	}
	return xp_threads_of_user(target->ctx, uid, &target->threads, diag);
}

static int find_threads(struct target *target, const struct target_args *args, struct xp_diag *diag)
{
	int err = 0;

	if (args->pid_list)
		err = xp_threads_of_processes(target->ctx, args->pid_list, &target->threads, diag);
	else if (args->tid_list)
		err = xp_threads_parse(target->ctx, args->tid_list, &target->threads, diag);
	else if (args->user)
		err = find_threads_of_user(target, args->user, diag);
	else if (args->threads_apart)
		err = xp_threads_of_system(target->ctx, &target->threads, diag);
	return err;
}

/* Read now: a thread that has ended when it is shown has no name any more. */
static void read_names(struct target *target)
{
	for (int i = 0; i < xp_threads_nr(target->threads); i++)
		xp_threads_comm(target->threads, i);
}

static int find_cpus(struct target *target, const struct target_args *args, struct xp_diag *diag)
{
	/* Threads are followed across CPUs, unless CPUs were named. */
	if (args->cpu_list)
		return xp_cpus_parse(args->cpu_list, &target->cpus, diag);
	if (args->tasks_per_cpu || (args->system_wide && !target->threads))
		return xp_cpus_online(target->ctx, &target->cpus, diag);
	return 0;
}

bool target_names_tasks(const struct target_args *args)
{
	return args->pid_list || args->tid_list || args->user;
}

int target_init(struct target *target, struct xp_ctx *ctx, struct target_args *args,
		struct xp_diag *diag)
{
	*target = (struct target){ .ctx = ctx };
	int err = args->pid_list ? processes_of_names(ctx, args->pid_list, &args->named_list, diag)
				 : 0;

	if (err)
		return err;
	args->pid_list = args->named_list ? args->named_list : args->pid_list;
	err = find_threads(target, args, diag);

	if (!err && args->threads_apart)
		read_names(target);
	return err ? err : find_cpus(target, args, diag);
}

int target_open(struct target *target, const struct target_args *args, struct xp_evlist *evlist,
		int (*open)(void *data, struct xp_diag *diag), void *data, struct xp_diag *diag)
{
	uint64_t until_ns = xp_ctx_now(target->ctx) + LIST_TIMEOUT_NS;

	target->nr_late = 0;
	for (;;) {
		struct xp_threads *now = NULL;
		int err = open(data, diag);
		/* All threads that were listed may have ended, and left others behind. */
		int nr = !err || err == -ESRCH ? xp_threads_renew(target->threads, &now) : 0;

		if (nr > 0 && xp_ctx_now(target->ctx) >= until_ns)
			target->nr_late = nr;
		if (nr <= 0 || target->nr_late) {
			xp_threads_unref(now);
			return err;
		}
		if (!err)
			xp_evlist_close_behind(evlist);
		xp_threads_unref(target->threads);
		target->threads = now;
		if (args->threads_apart)
			read_names(target);
	}
}

bool target_is_offline(const struct target *target, const struct target_args *args)
{
	struct xp_cpus *online = NULL;
	bool is_offline = args->cpu_list && !xp_cpus_online(target->ctx, &online, NULL);

	for (int i = 0; is_offline && i < xp_cpus_nr(target->cpus); i++)
		is_offline = xp_cpus_find(online, xp_cpus_at(target->cpus, i)) < 0;
	xp_cpus_unref(online);
	return is_offline;
}

void target_say_late(const struct target *target, const char *done)
{
	if (target->nr_late)
		fprintf(stderr,
			"Warning: threads start faster than their events can be opened: at least "
			"%d, and those they start, may not be %s\n",
			target->nr_late, done);
}

int target_watch(struct target *target, const struct target_args *args, struct xp_diag *diag)
{
	if (args->pid_list)
		return watch_list(target, args->pid_list, false, diag);
	return args->tid_list ? watch_list(target, args->tid_list, true, diag) : 0;
}

void target_fini(struct target *target)
{
	for (int i = 0; i < target->nr_watched; i++)
		if (target->pidfds[i].fd >= 0)
			xp_ctx_sys(target->ctx)
				->close(xp_ctx_sys(target->ctx), target->pidfds[i].fd);
	free(target->watched);
	free(target->pidfds);
	xp_cpus_unref(target->cpus);
	xp_threads_unref(target->threads);
	*target = (struct target){ 0 };
}

static bool has_ended(struct target *target, int i)
{
	const struct xp_sys *sys = xp_ctx_sys(target->ctx);

	if (target->pidfds[i].fd >= 0)
		return target->pidfds[i].revents;
	return sys->kill(sys, target->watched[i], 0) == -ESRCH;
}

bool target_is_gone(struct target *target)
{
	const struct xp_sys *sys = xp_ctx_sys(target->ctx);

	for (int i = 0; i < target->nr_watched; i++) {
		if (!target->watched[i] || !has_ended(target, i))
			continue;
		if (target->pidfds[i].fd >= 0)
			sys->close(sys, target->pidfds[i].fd);
		target->pidfds[i].fd = -1; /* poll() passes over it from now on */
		target->watched[i] = 0;
		target->nr_gone++;
	}
	return target->nr_watched && target->nr_gone == target->nr_watched;
}
