/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions, counted and timed in the kernel by BPF programs (libbpf, CAP_BPF with
 * CAP_PERFMON or root): functions of programs and libraries at uprobes (Linux 5.15), those of the
 * kernel by fentry and fexit (Linux 6.0, with BTF). Nothing of it stays when the process ends.
 */
#ifndef XPERF_FUNCTIONS_H
#define XPERF_FUNCTIONS_H

#include <sys/types.h>
#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;
struct xp_evlist;

XP_BEGIN_DECLS

/** Probes that are set at most: one for each function, and one for each place it returns at, or one
 * for all of them in the kernel. */
enum { XP_FUNCTIONS_PROBES_MAX = 800 };

/**
 * struct xp_functions_opts - which functions, called by which processes
 * @size:     sizeof(struct xp_functions_opts), lets the struct grow
 * @patterns: "FILE:GLOB" or "GLOB" with '*' and '?', separated by commas; matched with the symbols'
 *            names as the file has them, and demangled. FILE is "kernel" for functions of
 *            the kernel and its modules
 * @program:  the file of patterns without one; NULL: there is none
 * @pids:     processes; NULL: all there are
 * @nr_pids:  their number
 * @at_exec:  they count from their exec on
 * @inherit:  and with them the processes that they start
 * @evlist:   events that are counted in each call, at most 8, open on CPUs and enabled; NULL: none.
 *            Borrowed until xp_functions_free()
 */
struct xp_functions_opts {
	size_t size;
	const char *patterns;
	const char *program;
	const pid_t *pids;
	int nr_pids;
	bool at_exec;
	bool inherit;
	uint8_t padding[2]; /* never used */
	struct xp_evlist *evlist;
};

/**
 * struct xp_call_event - what an event counted in calls of a function
 * @value: sum over @calls
 * @calls: those in which the thread was not switched out and the event not multiplexed, so that
 * what the CPU counted is the call's
 */
struct xp_call_event {
	uint64_t value;
	uint64_t calls;
};

/**
 * struct xp_calls - what is known of the calls of one function
 * @size:     sizeof(struct xp_calls), set by the caller
 * @name:     demangled
 * @file:     as in the pattern; of a module of the kernel, its name in brackets
 * @reason:   why calls have no times, a clause: "it has a jump table"; "": they have
 * @calls:    how often it began
 * @timed:    calls whose end was seen too. The others go on, or ended by an exception, by
 *            longjmp(3) or with their process
 * @total_ns: the sum of their times, of the probes within them, too
 * @max_ns:   the longest one; 0: none, or not known
 * @events:   one per event of the list
 * @buckets:  for xp_calls_percentile() and xp_calls_between()
 * @counted:  false: the kernel cannot probe the function, and the numbers are 0
 * @repeats:  a jump of the function goes to its beginning; @calls has those jumps, too
 * @left_out: calls of a function of the kernel that are not in @calls: they came while the CPU
 *            counted another call, most of them because of that
 *
 * What it points to is valid until the next xp_functions_read() or xp_functions_free().
 */
struct xp_calls {
	size_t size;
	const char *name;
	const char *file;
	const char *reason;
	uint64_t calls;
	uint64_t timed;
	uint64_t total_ns;
	uint64_t max_ns;
	const struct xp_call_event *events;
	const uint64_t *buckets;
	bool counted;
	bool repeats;
	uint8_t padding[6]; /* never used */
	uint64_t left_out;
};

/** struct xp_functions - functions that are counted */
struct xp_functions;

/**
 * xp_functions_new - find functions, and begin to count their calls
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Ends are found in the code (x86-64): a function that returns at places that can be known has a
 * probe at each. Functions of the kernel have ends on all machines; what interrupts call is a call
 * of the process that they interrupt. Processes that are not named run into the probes, too, and
 * are not counted.
 *
 * Returns 0, or
 *   -ENODATA    no function matches, or a file has no symbols
 *   -ENOEXEC    a file is no ELF file
 *   -E2BIG      more than XP_FUNCTIONS_PROBES_MAX probes, or more than 8 events
 *   -ENOSYS     there is no libbpf, or no libelf
 *   -EOPNOTSUPP the kernel has no uprobes, or is older than Linux 5.15; or it does not describe its
 *               functions; or processes are named from within a namespace of process ids
 *   -EPERM, -EACCES  the kernel does not let this process load BPF programs or set uprobes
 *   -EINVAL     a pattern without a file, and no @program; the size of @opts
 * Other negative errno: as the kernel gave it.
 */
XP_API int xp_functions_new(struct xp_ctx *ctx, const struct xp_functions_opts *opts,
			    struct xp_functions **ret_functions, struct xp_diag *diag);
/** xp_functions_free - take the probes away, and free it; NULL is allowed. */
XP_API void xp_functions_free(struct xp_functions *functions);

/** xp_functions_nr - how many functions there are. Returns their number, 1 or more. */
XP_API int xp_functions_nr(const struct xp_functions *functions);

/**
 * xp_functions_missed - processes that were started and are not counted, for there was no room
 *
 * Returns their number; it has to be 0 for counts to be complete.
 */
XP_API uint64_t xp_functions_missed(const struct xp_functions *functions);

/**
 * xp_functions_unseen - how often the kernel did not run a program that counts
 *
 * On a CPU, each runs once at a time: while a task that is preempted is in one, it is not run for
 * other tasks, of whatever process. So calls of functions of the kernel, or processes that were
 * started, can be missing, or ends of calls.
 *
 * Returns their number, since Linux 5.12; if it is 0, nothing is missing.
 */
XP_API uint64_t xp_functions_unseen(const struct xp_functions *functions);

/**
 * xp_functions_read - what is known of a function by now
 * @function: 0 .. xp_functions_nr() - 1, in the order of their files and addresses
 *
 * Returns 0, -EINVAL (the size of @ret_calls is not set), or another negative errno.
 */
XP_API int xp_functions_read(struct xp_functions *functions, int function,
			     struct xp_calls *ret_calls);

/**
 * xp_calls_percentile - the time that a share of the calls did not exceed
 * @percent: 0 .. 100
 *
 * Times are kept in buckets, 32 for each power of two: a time is wrong by at most 1.6 %.
 *
 * Returns nanoseconds; 0: no call was timed, or it is longer than 73 minutes.
 */
XP_API uint64_t xp_calls_percentile(const struct xp_calls *calls, double percent);

/**
 * xp_calls_between - calls that took from 2^@power to less than 2^(@power + 1) nanoseconds
 * @power: 0 .. 41, of which 0 also has times of 0
 *
 * Returns their number.
 */
XP_API uint64_t xp_calls_between(const struct xp_calls *calls, int power);

XP_END_DECLS

#endif
