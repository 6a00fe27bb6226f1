/* SPDX-License-Identifier: MIT */
/*
 * How the user part of call chains ends, counted: whatever makes or judges call chains adds to one
 * table, and the program prints what share is complete, and what helps the rest.
 */
#ifndef XPERF_CHAIN_ENDS_H
#define XPERF_CHAIN_ENDS_H

#include <xperf/api.h>

XP_BEGIN_DECLS

/** enum xp_chain_end - where a call chain ends, and why */
enum xp_chain_end {
	XP_CHAIN_COMPLETE,  /* it contains the function that its thread begins with */
	XP_CHAIN_JOINED,    /* likewise, but its outer part is that of an earlier sample */
	XP_CHAIN_INSIDE,    /* in a function that has a caller, which was not found */
	XP_CHAIN_NOWHERE,   /* at an address where no code is mapped */
	XP_CHAIN_NO_CALL,   /* at an address in code that no call returns to */
	XP_CHAIN_UNNAMED,   /* in a function without a name: it may be the first of its thread */
	XP_CHAIN_LIMIT,     /* it has as many frames as are recorded */
	XP_CHAIN_NO_RULES,  /* in a file without unwind information */
	XP_CHAIN_STACK_END, /* at the end of the copy of the stack */
	XP_CHAIN_MAX,       /* it has as many frames as are computed */
	XP_CHAIN_DAMAGED,   /* where a copy of the stack leads to no code, or not outwards */
	XP_CHAIN_NO_STACK,  /* in execve(), which replaces the stack: nothing is missing */
	XP_CHAIN_NO_FILE, /* in a file that could not be read, so that nothing describes its code */
	XP_CHAIN_NO_LIBRARY, /* where descriptions of code cannot be read: libdw is missing */
	XP_CHAIN_COMPLEX,    /* in code whose description is no rule that the kernel can follow */
	XP_CHAIN_TOO_NEW, /* in a process or file of which the kernel did not know the rules yet */
	XP_CHAIN_MADE_CODE, /* in code made at run time, which nothing describes; its file is that
			     * of the outermost frame that is in one */
	XP_CHAIN_PROBED,    /* at the kernel's trampoline: a return probe has replaced the return
			     * address
			     */
	XP_NR_CHAIN_ENDS,
};

/** struct xp_chain_ends - the table; one thread at a time */
struct xp_chain_ends;

/**
 * xp_chain_ends_new - make an empty one. Returns 0 or -ENOMEM.
 */
XP_API int xp_chain_ends_new(struct xp_chain_ends **ret_ends);
/**
 * xp_chain_ends_free - free it; NULL is allowed.
 */
XP_API void xp_chain_ends_free(struct xp_chain_ends *ends);
/**
 * xp_chain_ends_add - add call chains that end alike
 * @file: its name, copied; NULL: none of the frames is in a file that is known
 * @nr:   number of chains
 *
 * Returns 0, -EINVAL (no such @end), -ENOMEM.
 */
XP_API int xp_chain_ends_add(struct xp_chain_ends *ends, enum xp_chain_end end, const char *file,
			     uint64_t nr);
/**
 * xp_chain_ends_merge - add what another table has counted, as that of another thread. Returns 0 or
 * -ENOMEM: a part of it may be added then.
 *
 * Unstable: it may change or disappear in any version.
 */
XP_API int xp_chain_ends_merge(struct xp_chain_ends *ends, const struct xp_chain_ends *other);
/**
 * xp_chain_ends_nr - chains that end in this way; XP_NR_CHAIN_ENDS: all of them. Returns a number.
 */
XP_API uint64_t xp_chain_ends_nr(const struct xp_chain_ends *ends, enum xp_chain_end end);
/**
 * xp_chain_ends_file - the @idx-th file that chains end in in this way, the one of most chains
 * first
 * @ret_nr: chains; written if there is such a file
 *
 * Returns its name, valid until the table is changed; NULL after the last.
 */
XP_API const char *xp_chain_ends_file(struct xp_chain_ends *ends, enum xp_chain_end end, size_t idx,
				      uint64_t *ret_nr);

XP_END_DECLS

#endif
