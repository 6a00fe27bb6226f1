/* SPDX-License-Identifier: MIT */
/* The reasons why call chains end: one table, for all that say it. */
#ifndef RECORDING_CHAIN_REASONS_H
#define RECORDING_CHAIN_REASONS_H

#include <stdbool.h>
#include <stdint.h>
#include <xperf/chain-ends.h>
#include <xperf/data.h>

/*
 * What decides which remedies help.
 * @can_unwind:  this build can, on this machine
 * @has_library: this build uses libdw, if it is installed
 * @is_unwound:  stacks were copied, or chains made by rules; false: frame pointers were followed
 * @is_summed:   the kernel made sums by rules
 * @is_raw:      copies of stacks are in the recording, and chains are computed when it is read
 * @by_pointers: frame pointers were followed, and nothing else
 * @stack_bytes: of each copy; 0: there is none
 * @file: in which most of the chains end; NULL: it does not matter
 */
struct chain_facts {
	bool can_unwind, has_library, is_unwound, is_summed, is_raw, by_pointers;
	uint32_t stack_bytes;
	const char *file;
};

/* What is known without a recording. */
struct chain_facts chain_facts_of_build(void);
/* Adds what the attribute of an event says. @is_recorder: it unwinds, and the file will not have
 * the copies that the event has */
void chain_facts_add(struct chain_facts *facts, const struct xp_attr *attr, bool is_recorder);
/* All of a recording. @is_summed: see header_is_by_rules() */
struct chain_facts chain_facts_of(const struct xp_data *data, bool is_summed);
/* How many addresses the kernel records of a chain at most; 0: it records no user part. */
uint16_t chain_limit_of(const struct xp_attr *attr);

/*
 * A reason.
 * @name: in JSON; @verb: of one chain, of several; NULL: the chain is complete
 * @what: after the verb, before the files: "where the copy of the stack ends"
 */
struct chain_reason {
	enum xp_chain_end end;
	const char *name;
	const char *const *verb;
	const char *what;
};

/* The @idx-th of them, in the order in which they are said. Returns NULL after the last. */
const struct chain_reason *chain_reason_at(size_t idx);
/* The one of an end. */
const struct chain_reason *chain_reason_of(enum xp_chain_end end);
/* What helps against an end, "; install libdw". Returns "" where nothing is known to help. */
const char *chain_remedy(enum xp_chain_end end, const struct chain_facts *facts);
/* All that can help against it, the @idx-th. Returns NULL after the last. */
const char *chain_remedy_at(enum xp_chain_end end, size_t idx);

/* True if a path has a directory, and the name behind it begins so. */
bool file_name_begins(const char *path, const char *beginning);

#endif
