/* SPDX-License-Identifier: MIT */
/* Sets of CPUs and of threads to count on, and where a CPU sits in the machine. */
#ifndef XPERF_CPUS_H
#define XPERF_CPUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;

XP_BEGIN_DECLS

/**
 * struct xp_cpu - a CPU number, not a position in a set
 * @nr: as the kernel numbers CPUs; -1: whichever CPU the thread runs on
 */
struct xp_cpu {
	int nr;
};

/** struct xp_cpus - an ordered set of CPUs; immutable, counted references */
struct xp_cpus;

/**
 * xp_cpus_any - the set of one member, -1: wherever the threads run
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_cpus_any(struct xp_cpus **ret_cpus);

/**
 * xp_cpus_parse - read a list like "0,2-3"
 * @text: numbers and ranges separated by commas; order does not matter, duplicates are merged
 *
 * Returns 0, -EINVAL (not such a list; @diag has the position), -ENOMEM.
 */
XP_API int xp_cpus_parse(const char *text, struct xp_cpus **ret_cpus, struct xp_diag *diag);

/**
 * xp_cpus_online - the CPUs that are online now
 *
 * Returns 0, -ENOMEM, -EINVAL (the kernel's list is not understood), or why
 * /sys/devices/system/cpu/online cannot be read.
 */
XP_API int xp_cpus_online(struct xp_ctx *ctx, struct xp_cpus **ret_cpus, struct xp_diag *diag);

/** xp_cpus_ref - take a reference. Returns @cpus. NULL is passed through. */
XP_API struct xp_cpus *xp_cpus_ref(struct xp_cpus *cpus);
/** xp_cpus_unref - give a reference back; @cpus may be NULL. */
XP_API void xp_cpus_unref(struct xp_cpus *cpus);
/** xp_cpus_nr - number of members. Returns 0 for NULL. */
XP_API int xp_cpus_nr(const struct xp_cpus *cpus);
/** xp_cpus_at - member at position @idx. Returns {-1} outside 0 .. nr-1. */
XP_API struct xp_cpu xp_cpus_at(const struct xp_cpus *cpus, int idx);
/** xp_cpus_find - position of a CPU. Returns it, or -1 if it is not a member. */
XP_API int xp_cpus_find(const struct xp_cpus *cpus, struct xp_cpu cpu);

/** struct xp_threads - an ordered set of threads; immutable, counted references */
struct xp_threads;

/**
 * xp_threads_any - the set of one member, -1: every task on the CPUs
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_threads_any(struct xp_threads **ret_threads);

/**
 * xp_threads_one - the set of one thread
 * @tid: thread number, not looked up; 0: whichever thread opens the events
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_threads_one(struct xp_ctx *ctx, pid_t tid, struct xp_threads **ret_threads);

/**
 * xp_threads_of_processes - all threads of some processes, as they are now
 * @text: process numbers separated by commas
 *
 * Returns 0, or
 *   -EINVAL  not such a list
 *   -ESRCH   there is no such process; here, too, @diag has the position
 * Other negative errno: why /proc/PID/task cannot be read.
 */
XP_API int xp_threads_of_processes(struct xp_ctx *ctx, const char *text,
				   struct xp_threads **ret_threads, struct xp_diag *diag);

/**
 * xp_threads_renew - list the threads of processes, a user or the system again
 * @threads: made by xp_threads_of_processes(), xp_threads_of_user() or xp_threads_of_system(); for
 *           others there is nothing to do
 * @ret_now: the threads there are now, if some are new; else NULL
 *
 * Threads that begin between the listing and the opening of events may be missed. If this finds
 * none after the opening, none was.
 *
 * Returns how many are new, -ENOMEM, or why /proc cannot be read.
 */
XP_API int xp_threads_renew(const struct xp_threads *threads, struct xp_threads **ret_now);

/**
 * xp_threads_of_system - all threads there are now
 *
 * Returns 0, -ENOMEM, or why /proc cannot be read.
 */
XP_API int xp_threads_of_system(struct xp_ctx *ctx, struct xp_threads **ret_threads,
				struct xp_diag *diag);

/**
 * xp_threads_of_user - all threads of processes that a user owns now
 * @uid: their effective user
 *
 * Returns 0, -ESRCH (there are none), -ENOMEM, or why /proc cannot be read.
 */
XP_API int xp_threads_of_user(struct xp_ctx *ctx, uid_t uid, struct xp_threads **ret_threads,
			      struct xp_diag *diag);

/**
 * xp_threads_parse - threads by number
 * @text: thread numbers separated by commas
 *
 * Returns 0, -EINVAL (not such a list), -ESRCH (no such thread), -ENOMEM.
 */
XP_API int xp_threads_parse(struct xp_ctx *ctx, const char *text, struct xp_threads **ret_threads,
			    struct xp_diag *diag);

/**
 * xp_threads_recorded - threads of a recording
 * @tids:  their numbers, not looked up; -1: every task
 * @comms: their names, copied
 *
 * Returns 0, -EINVAL (@nr < 1), -ENOMEM.
 */
XP_API int xp_threads_recorded(const pid_t *tids, const char *const *comms, int nr,
			       struct xp_threads **ret_threads);

/** xp_threads_ref - take a reference. Returns @threads. NULL is passed through. */
XP_API struct xp_threads *xp_threads_ref(struct xp_threads *threads);
/** xp_threads_unref - give a reference back; @threads may be NULL. */
XP_API void xp_threads_unref(struct xp_threads *threads);
/** xp_threads_nr - number of members. Returns 0 for NULL. */
XP_API int xp_threads_nr(const struct xp_threads *threads);
/** xp_threads_tid - thread at position @idx. Returns -1 outside 0 .. nr-1 and for "every task". */
XP_API pid_t xp_threads_tid(const struct xp_threads *threads, int idx);
/**
 * xp_threads_comm - name of the thread at position @idx, read at the first call
 *
 * Returns the name, "" if the thread has ended; valid as long as the set.
 */
XP_API const char *xp_threads_comm(struct xp_threads *threads, int idx);

/** XP_CACHE_LEVEL_MAX - the highest level of caches */
enum { XP_CACHE_LEVEL_MAX = 4 };

/**
 * struct xp_place - where a CPU sits
 * @socket, @die, @core, @node: numbers as the kernel gives them; @core is unique within its die
 *               only. 0 where the kernel does not say
 * @cluster:     CPUs that share some resource, such as a level 2 cache; -1 where the kernel does
 * not say
 * @cache_level: of @cache; 0: the kernel lists no cache
 * @cache:       the CPU with the lowest number of those that share this cache; -1: there is none
 *
 * Source: Documentation/admin-guide/cputopology.rst, /sys/devices/system/node;
 * Documentation/ABI/testing/sysfs-devices-system-cpu, "shared_cpu_list".
 */
struct xp_place {
	int socket;
	int die;
	int core;
	int node;
	int cluster;
	int cache_level;
	int cache;
};

/**
 * xp_place_set - where a CPU of another machine, or of a recording, sits
 * @place: copied; its @cache is that of every level which is asked for
 *
 * From now on the context answers this for the CPU, and looks at no files.
 *
 * Returns 0, -EINVAL (@cpu), -ENOMEM.
 */
XP_API int xp_place_set(struct xp_ctx *ctx, struct xp_cpu cpu, const struct xp_place *place);

/**
 * xp_cpu_model - the name of the processor, with single blanks
 * @ret_name: as the kernel gives it for its first CPU; the caller's to free. Written on success
 *            only
 *
 * Returns 0, -ENOENT (the kernel gives none, as on many Arm machines), -ENOMEM, or why
 * /proc/cpuinfo cannot be read.
 *
 * Source: proc(5), /proc/cpuinfo: "model name" and what other architectures have in its place.
 */
XP_API int xp_cpu_model(struct xp_ctx *ctx, char **ret_name);

/**
 * struct xp_times - CPU time that was used
 * @user_ns, @system_ns: nanoseconds, in steps of a clock tick (10 ms)
 */
struct xp_times {
	uint64_t user_ns;
	uint64_t system_ns;
};

/**
 * xp_times_of_process - time that all threads of a process have used
 * @with_children: and the children it has waited for
 *
 * Returns 0, -ENOENT or -ESRCH (it has ended and was waited for), -EINVAL, -ENOMEM. Source:
 * proc(5), /proc/PID/stat.
 */
XP_API int xp_times_of_process(struct xp_ctx *ctx, pid_t pid, bool with_children,
			       struct xp_times *ret_times);
/** xp_times_of_thread - time that one thread has used. Returns as xp_times_of_process(). */
XP_API int xp_times_of_thread(struct xp_ctx *ctx, pid_t tid, struct xp_times *ret_times);
/**
 * xp_times_of_cpus - time that was used on CPUs, interrupts included
 * @cpus: NULL: all of them
 *
 * Returns 0, -ENOENT (a CPU is not online), -EINVAL, -ENOMEM. Source: proc(5), /proc/stat.
 */
XP_API int xp_times_of_cpus(struct xp_ctx *ctx, const struct xp_cpus *cpus,
			    struct xp_times *ret_times);

XP_END_DECLS

#endif
