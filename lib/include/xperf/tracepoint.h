/* SPDX-License-Identifier: MIT */
/* What the kernel says about a tracepoint: its number, its fields, how it is printed. */
#ifndef XPERF_TRACEPOINT_H
#define XPERF_TRACEPOINT_H

#include <xperf/api.h>

struct xp_ctx;
struct xp_diag;

XP_BEGIN_DECLS

/**
 * struct xp_tracepoint_field - one field of a tracepoint's record
 * @name:       as filters name it: "prev_comm"
 * @type:       as the kernel's C code has it: "char[16]", "unsigned long", "__data_loc char[]"
 * @offset:     in the record, bytes
 * @size:       bytes; of a dynamic field, of the word that says where its content is
 * @is_signed:  a signed number
 * @is_array:   more than one element, in the record or elsewhere
 * @is_string:  text: filters compare it with quoted strings
 * @is_dynamic: the word at @offset says where the content is: offset in its lower 16 bits, length
 *              in its upper 16
 * @is_relative: as @is_dynamic, but the offset starts at the end of that word
 * @is_common:  one that every tracepoint has ("common_pid")
 *
 * Source: Documentation/trace/events.rst, "Event formats".
 */
struct xp_tracepoint_field {
	const char *name;
	const char *type;
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	bool is_array;
	bool is_string;
	bool is_dynamic;
	bool is_relative;
	bool is_common;
};

/**
 * struct xp_tracepoint - one tracepoint of this kernel
 * @id:        the number perf_event_open() takes as config, and records carry as common_type
 * @subsystem: "sched"
 * @event:     "sched_switch"
 * @print_fmt: how the kernel prints a record: a printf format and its arguments, as C; "" if it
 *             does not say
 * @nr_fields: how many fields
 * @fields:    the common ones first, then its own, both in the kernel's order
 *
 * Everything in it lives as long as itself.
 */
struct xp_tracepoint {
	uint64_t id;
	const char *subsystem;
	const char *event;
	const char *print_fmt;
	int nr_fields;
	const struct xp_tracepoint_field *fields;
};

/**
 * xp_tracepoint_new - read what the kernel says about a tracepoint
 * @subsystem: "sched"; copied
 * @event:     "sched_switch"; copied
 * @ret_tp:    the caller's, to be freed with xp_tracepoint_free()
 * @diag:      on failure, a sentence for the user; may be NULL
 *
 * Returns 0, or
 *   -ENOENT   there is no such tracepoint, or tracefs is not mounted
 *   -EACCES   this user may not read tracefs
 *   -ENOSYS   this library was built without libtraceevent, or it cannot be loaded
 *   -EBADMSG  the kernel's description is not understood
 *   -ENOMEM
 */
XP_API int xp_tracepoint_new(struct xp_ctx *ctx, const char *subsystem, const char *event,
			     struct xp_tracepoint **ret_tp, struct xp_diag *diag);

/** xp_tracepoint_free - free a description; @tp may be NULL. */
XP_API void xp_tracepoint_free(struct xp_tracepoint *tp);

/**
 * xp_tracepoint_field_find - the field of a name
 * @name, @len: its bytes
 *
 * Returns the field, which lives as long as @tp; NULL: there is none.
 */
XP_API const struct xp_tracepoint_field *xp_tracepoint_field_find(const struct xp_tracepoint *tp,
								  const char *name, size_t len);

XP_END_DECLS

#endif
