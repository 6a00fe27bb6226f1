/* SPDX-License-Identifier: MIT */
/*
 * Call chains of samples that have recorded a copy of the stack (--call-graph dwarf): the timeline
 * of the recording says what was mapped, struct xp_unwind how callers are found.
 */
#ifndef XPERF_STACKS_H
#define XPERF_STACKS_H

#include <xperf/api.h>
#include <xperf/attr.h>
#include <xperf/unwind.h>

struct xp_sample;
struct xp_symbols;
struct xp_timeline;

XP_BEGIN_DECLS

/** struct xp_stacks - unwinds the stacks of a recording; one thread at a time */
struct xp_stacks;

/**
 * struct xp_stacks_opts - how stacks are unwound
 * @size:    sizeof(struct xp_stacks_opts), lets the struct grow
 * @machine: what uname(2) calls the machine that was recorded: "x86_64"; NULL: this one. Borrowed
 *           for the call
 * @max:     frames of the kernel's part of a chain, and of the user's part; 0: 127
 * @method:  how frames are computed
 * @no_join: a chain ends where its copy of the stack does. Otherwise it gets the callers that
 *           earlier samples of its thread have shown, as far as these can still be there, and
 *           @is_joined of struct xp_chain_walk is true for them
 * @is_monotonic: times of the recording are those of CLOCK_MONOTONIC (attribute use_clockid), as
 *           those in a jit-PID.dump: what it describes is found by them. Otherwise times in a dump
 *           count from when its process mapped it
 */
struct xp_stacks_opts {
	size_t size;
	const char *machine;
	int max;
	enum xp_unwind_method method;
	bool no_join;
	bool is_monotonic;
	uint8_t padding[6]; /* never used */
};

/**
 * xp_stacks_new - make one
 * @timeline: sealed; borrowed
 * @symbols:  says where files are; borrowed
 * @opts:     NULL: as if all were 0
 *
 * Returns 0, -EINVAL (@opts; @timeline is not sealed), -E2BIG (@opts), -ENOSYS (the method needs a
 * library that is not installed), -ENOMEM.
 */
XP_API int xp_stacks_new(const struct xp_timeline *timeline, struct xp_symbols *symbols,
			 const struct xp_stacks_opts *opts, struct xp_stacks **ret_stacks);
/**
 * xp_stacks_fork - make another one, for another thread, that shares the files of the first
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_stacks_fork(const struct xp_stacks *stacks, struct xp_stacks **ret_stacks);
/** xp_stacks_free - free it, after all that were forked from it; NULL is allowed. */
XP_API void xp_stacks_free(struct xp_stacks *stacks);

/** xp_stacks_are_in - whether samples of an event have copies of stacks. Returns true or false. */
static inline bool xp_stacks_are_in(const struct xp_attr *attr)
{
	const uint64_t both = XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER;

	return (attr->sample_type & both) == both;
}

/**
 * xp_stacks_unwind - make the call chain of a sample whole
 * @sample: the time in its id is that of xp_timeline_moment(). If it has registers and a copy of
 *          the stack, and its chain has no user part, the chain gets one: the marker
 *          XP_CONTEXT_USER, then addresses, the innermost first, then markers that say how it ends;
 *          the kernel's part stays. The chain is valid until the next call then
 *
 * Addresses of callers are one less than those that calls return to, and so in the call, as perf
 * has them. A frame that a signal interrupted has a marker of its own, because it made no call.
 * Where nothing can be unwound, as of machines that are not known, the user part is the address
 * that the thread returns to from the kernel.
 *
 * Returns 0, -EINVAL (the size of @sample is not set), -ENOMEM.
 */
XP_API int xp_stacks_unwind(struct xp_stacks *stacks, struct xp_sample *sample);

/**
 * xp_stacks_walk - the part of xp_stacks_unwind() that another thread can do
 * @ret_chain: the frames that the copy of the stack reaches. Its arrays are valid until the next
 *             call
 * @ret_span_ns: while the maps that were looked up were there, first and last nanosecond
 *
 * Several threads, each with what xp_stacks_fork() gave it, can compute chains in any order; one of
 * them completes them in the order of the samples, with xp_stacks_complete().
 *
 * Returns 1 with a chain; 0: there is none, and xp_stacks_unwind() does what can be done; -EINVAL
 * (the size of @sample is not set), -ENOMEM.
 */
XP_API int xp_stacks_walk(struct xp_stacks *stacks, const struct xp_sample *sample,
			  struct xp_unwind_chain *ret_chain, uint64_t ret_span_ns[2]);
/**
 * xp_stacks_complete - make the call chain of a sample whole, as xp_stacks_unwind() does
 * @chain, @span_ns: of xp_stacks_walk() for the same sample; copied
 *
 * Returns 0 or -EINVAL (the size of @sample is not set, or @chain has another number of frames than
 * xp_stacks_walk() gives).
 */
XP_API int xp_stacks_complete(struct xp_stacks *stacks, struct xp_sample *sample,
			      const struct xp_unwind_chain *chain, const uint64_t span_ns[2]);

/** xp_stacks_have_made - whether xp_stacks_unwind() has made the call chain of a sample. Returns
 * true or false. */
static inline bool xp_stacks_have_made(const struct xp_sample *sample)
{
	uintptr_t chain = (uintptr_t)sample->callchain, record = (uintptr_t)sample->record;

	return sample->stack && chain && chain - record >= sample->record->size;
}

XP_END_DECLS

#endif
