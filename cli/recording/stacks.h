/* SPDX-License-Identifier: MIT */
/* Call chains of samples that have copies of stacks. */
#ifndef RECORDING_STACKS_H
#define RECORDING_STACKS_H

#include <xperf/api.h>

#include "options.h"
#include "recording.h"

struct xp_chain_ends;

/* Parses one occurrence of the option (see option_fn); @offset is that of an enum
 * xp_unwind_method. */
int stacks_parse(const struct option *option, const char *arg, bool negated, void *values);

/* The row of a command's table. */
#define STACKS_OPTION(at)                                                                          \
	{                                                                                          \
		0, "unwind", OPTION_CALL,                                                          \
			.offset = (at), .call = stacks_parse, .value = "how",                      \
			.help = "unwind copied stacks by: auto (default), rules, libunwind, libdw" \
	}

/* Likewise; @at is that of a bool. */
#define NO_JOIN_OPTION(at)                                                                         \
	{                                                                                          \
		0, "no-join", OPTION_FLAG,                                                         \
			.offset = (at),                                                            \
			.help = "end call chains of copied stacks where the copy ends"             \
	}

/*
 * After recording_load(), with symbols: call chains of samples are whole from now on. Nothing
 * happens where no stacks were recorded. @max: frames of the kernel's part of a chain, and of the
 * user's part; 0: the default. Returns 0 or a negative errno with rec->diag filled.
 */
int stacks_open(struct recording *rec, int max);

#endif
