/* SPDX-License-Identifier: MIT */
/* Sets of threads, found in /proc. Source: proc(5), /proc/PID/task. */
#include <xperf/cpus.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "ctx.h"
#include "num.h"
#include "vec.h"

struct thread {
	pid_t tid;
	char *comm; /* NULL: not read yet */
};

/* What a set was made of, so that it can be listed again. */
enum origin {
	FROM_NUMBERS, /* of threads: there are no others */
	FROM_PROCESSES,
	FROM_USER,
	FROM_SYSTEM,
};

struct xp_threads {
	int refs;
	struct xp_ctx *ctx;
	int nr;
	struct thread *at;
	enum origin origin;
	char *processes; /* numbers, of FROM_PROCESSES */
	uid_t uid;       /* of FROM_USER */
};

static struct xp_threads *new_set(struct xp_ctx *ctx)
{
	struct xp_threads *threads = calloc(1, sizeof(*threads));

	if (!threads)
		return NULL;
	threads->refs = 1;
	threads->ctx = ctx;
	return threads;
}

static int add_thread(struct xp_threads *threads, pid_t tid)
{
	if (vec_add(&threads->at, (size_t)threads->nr, sizeof(*threads->at)))
		return -ENOMEM;
	threads->at[threads->nr++] = (struct thread){ .tid = tid };
	return 0;
}

int xp_threads_one(struct xp_ctx *ctx, pid_t tid, struct xp_threads **ret_threads)
{
	struct xp_threads *threads = new_set(ctx);

	if (!threads || add_thread(threads, tid)) {
		xp_threads_unref(threads);
		return -ENOMEM;
	}
	*ret_threads = threads;
	return 0;
}

int xp_threads_recorded(const pid_t *tids, const char *const *comms, int nr,
			struct xp_threads **ret_threads)
{
	struct xp_threads *threads = nr < 1 ? NULL : new_set(NULL);
	int err = nr < 1 ? -EINVAL : threads ? 0 : -ENOMEM;

	for (int i = 0; i < nr && !err; i++) {
		err = add_thread(threads, tids[i]);
		if (!err && !(threads->at[i].comm = strdup(comms[i])))
			err = -ENOMEM;
	}
	if (err)
		xp_threads_unref(threads);
	else
		*ret_threads = threads;
	return err;
}

int xp_threads_any(struct xp_threads **ret_threads)
{
	return xp_threads_one(NULL, -1, ret_threads);
}

static int add_tid(const char *name, void *data)
{
	uint64_t tid;

	if (xp_num_parse(name, strlen(name), 10, &tid) || tid > INT32_MAX)
		return 0;
	return add_thread(data, (pid_t)tid);
}

static int add_process(struct xp_threads *threads, pid_t pid)
{
	int before = threads->nr;
	int err = xp_file_list(threads->ctx, add_tid, threads, "/proc/%d/task", pid);

	/* One that ends while it is listed has no thread any more. */
	return err ? err : threads->nr == before ? -ESRCH : 0;
}

static int add_existing_thread(struct xp_threads *threads, pid_t tid)
{
	/* /proc/TID exists for every thread, though a listing of /proc shows leaders only. */
	if (!xp_file_exists(threads->ctx, "/proc/%d/stat", tid))
		return -ENOENT;
	return add_thread(threads, tid);
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void drop_duplicates(struct xp_threads *threads)
{
	int kept = 0;

	if (!threads->nr)
		return;
	qsort(threads->at, (size_t)threads->nr, sizeof(threads->at[0]), by_tid);
	for (int i = 0; i < threads->nr; i++)
		if (!kept || threads->at[kept - 1].tid != threads->at[i].tid)
			threads->at[kept++] = threads->at[i];
	threads->nr = kept;
}

/* One kind of target: what is listed, and how one of it is added. */
struct target_kind {
	const char *noun;
	int (*add)(struct xp_threads *threads, pid_t id);
};

static const struct target_kind process_kind = { "process", add_process };
static const struct target_kind thread_kind = { "thread", add_existing_thread };

/* Adds the target whose number is the @len bytes at @number. */
static int add_one(struct xp_threads *threads, const struct target_kind *kind, const char *number,
		   size_t len, struct xp_diag *diag)
{
	uint64_t id;

	if (xp_num_parse(number, len, 10, &id) || !id || id > INT32_MAX)
		return xp_diag_set(diag, -EINVAL, "'%.*s' is not a %s id", (int)len, number,
				   kind->noun);
	int err = kind->add(threads, (pid_t)id);
	if (err == -ENOENT || err == -ESRCH)
		return xp_diag_set(diag, -ESRCH, "There is no %s %d", kind->noun, (int)id);
	if (err)
		return xp_diag_set(diag, err, "The threads of %s %d cannot be listed: %s",
				   kind->noun, (int)id, strerror(-err));
	return 0;
}

static int add_list(struct xp_threads *threads, const struct target_kind *kind, const char *text,
		    struct xp_diag *diag)
{
	for (const char *p = text;; p++) {
		p += strspn(p, " \t"); /* as strtol(3), with which perf reads them */
		size_t len = strcspn(p, ",");
		int err = add_one(threads, kind, p, len, diag);

		if (err) {
			xp_diag_at(diag, text, (int)(p - text), (int)len);
			return err;
		}
		p += len;
		if (!*p)
			return 0;
	}
}

static int new_from_list(struct xp_ctx *ctx, const struct target_kind *kind, const char *text,
			 struct xp_threads **ret_threads, struct xp_diag *diag)
{
	struct xp_threads *threads = new_set(ctx);

	if (!threads)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	int err = add_list(threads, kind, text, diag);
	if (err) {
		xp_threads_unref(threads);
		return err;
	}
	drop_duplicates(threads);
	*ret_threads = threads;
	return 0;
}

int xp_threads_of_processes(struct xp_ctx *ctx, const char *text, struct xp_threads **ret_threads,
			    struct xp_diag *diag)
{
	int err = new_from_list(ctx, &process_kind, text, ret_threads, diag);

	if (err)
		return err;
	(*ret_threads)->origin = FROM_PROCESSES;
	(*ret_threads)->processes = strdup(text);
	if ((*ret_threads)->processes)
		return 0;
	xp_threads_unref(*ret_threads);
	*ret_threads = NULL;
	return xp_diag_set(diag, -ENOMEM, "Out of memory");
}

/* How many of @now are not in @threads; both are sorted. */
static int count_new(const struct xp_threads *threads, const struct xp_threads *now)
{
	int nr = 0;

	for (int i = 0, known = 0; i < now->nr; i++) {
		while (known < threads->nr && threads->at[known].tid < now->at[i].tid)
			known++;
		nr += known == threads->nr || threads->at[known].tid != now->at[i].tid;
	}
	return nr;
}

/* The threads that processes of a list have now; those that have ended have none. */
static int add_living(struct xp_threads *threads, const char *list)
{
	for (const char *p = list;; p++) {
		int err = add_process(threads, (pid_t)strtol(p, NULL, 10));

		if (err && err != -ENOENT && err != -ESRCH)
			return err;
		p += strcspn(p, ",");
		if (!*p)
			return 0;
	}
}

int xp_threads_parse(struct xp_ctx *ctx, const char *text, struct xp_threads **ret_threads,
		     struct xp_diag *diag)
{
	return new_from_list(ctx, &thread_kind, text, ret_threads, diag);
}

/* "Uid:" is followed by the real, the effective and two more users: proc(5), status. */
static bool is_owned(struct xp_ctx *ctx, pid_t pid, uid_t uid)
{
	char *status;
	unsigned int effective;

	if (xp_file_read(ctx, &status, NULL, "/proc/%d/status", pid))
		return false;
	const char *line = strstr(status, "\nUid:");
	bool owned = line && sscanf(line, "\nUid: %*u %u", &effective) == 1 && effective == uid;
	free(status);
	return owned;
}

static int add_process_name(const char *name, void *data)
{
	struct xp_threads *threads = data;
	uint64_t pid;

	if (xp_num_parse(name, strlen(name), 10, &pid) || pid > INT32_MAX)
		return 0;
	if (threads->origin == FROM_USER && !is_owned(threads->ctx, (pid_t)pid, threads->uid))
		return 0;
	int err = add_process(threads, (pid_t)pid);
	/* A process may end between the two listings. */
	return err == -ENOENT || err == -ESRCH ? 0 : err;
}

/* Those of a set's user, or all. */
static int add_system(struct xp_threads *threads)
{
	return xp_file_list(threads->ctx, add_process_name, threads, "/proc");
}

static int new_from_system(struct xp_ctx *ctx, enum origin origin, uid_t uid,
			   struct xp_threads **ret_threads, struct xp_diag *diag)
{
	struct xp_threads *threads = new_set(ctx);

	if (!threads)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	threads->origin = origin;
	threads->uid = uid;
	int err = add_system(threads);
	if (err)
		xp_diag_set(diag, err, "The processes cannot be listed from /proc: %s",
			    strerror(-err));
	else if (!threads->nr)
		err = xp_diag_set(diag, -ESRCH, "The user has no processes");
	if (err) {
		xp_threads_unref(threads);
		return err;
	}
	drop_duplicates(threads);
	*ret_threads = threads;
	return 0;
}

int xp_threads_of_system(struct xp_ctx *ctx, struct xp_threads **ret_threads, struct xp_diag *diag)
{
	return new_from_system(ctx, FROM_SYSTEM, 0, ret_threads, diag);
}

int xp_threads_of_user(struct xp_ctx *ctx, uid_t uid, struct xp_threads **ret_threads,
		       struct xp_diag *diag)
{
	return new_from_system(ctx, FROM_USER, uid, ret_threads, diag);
}

/* Lists again what @like was made of. */
static int add_again(struct xp_threads *threads, const struct xp_threads *like)
{
	threads->origin = like->origin;
	threads->uid = like->uid;
	if (like->origin != FROM_PROCESSES)
		return add_system(threads);
	threads->processes = strdup(like->processes);
	return threads->processes ? add_living(threads, like->processes) : -ENOMEM;
}

int xp_threads_renew(const struct xp_threads *threads, struct xp_threads **ret_now)
{
	*ret_now = NULL;
	if (!threads || threads->origin == FROM_NUMBERS)
		return 0;
	struct xp_threads *now = new_set(threads->ctx);
	int nr = now ? add_again(now, threads) : -ENOMEM;
	if (!nr) {
		drop_duplicates(now);
		nr = count_new(threads, now);
	}
	if (nr > 0)
		*ret_now = now;
	else
		xp_threads_unref(now);
	return nr;
}

struct xp_threads *xp_threads_ref(struct xp_threads *threads)
{
	if (threads)
		threads->refs++;
	return threads;
}

void xp_threads_unref(struct xp_threads *threads)
{
	if (!threads || --threads->refs)
		return;
	for (int i = 0; i < threads->nr; i++)
		free(threads->at[i].comm);
	free(threads->at);
	free(threads->processes);
	free(threads);
}

int xp_threads_nr(const struct xp_threads *threads)
{
	return threads ? threads->nr : 0;
}

pid_t xp_threads_tid(const struct xp_threads *threads, int idx)
{
	return threads && idx >= 0 && idx < threads->nr ? threads->at[idx].tid : -1;
}

const char *xp_threads_comm(struct xp_threads *threads, int idx)
{
	pid_t tid = xp_threads_tid(threads, idx);

	if (tid < 0)
		return "";
	struct thread *thread = &threads->at[idx];
	if (!thread->comm) {
		if (xp_file_read(threads->ctx, &thread->comm, NULL, "/proc/%d/comm", tid))
			return "";
		thread->comm[strcspn(thread->comm, "\n")] = '\0';
	}
	return thread->comm;
}
