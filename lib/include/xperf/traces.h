/* SPDX-License-Identifier: MIT */
/* The tracepoints of a recording: what they are called, and what their samples say. */
#ifndef XPERF_TRACES_H
#define XPERF_TRACES_H

#include <stdint.h>
#include <sys/types.h>
#include <xperf/api.h>

struct xp_diag;
struct xp_tracepoint_field;

XP_BEGIN_DECLS

/** struct xp_traces - the tracepoints that the tracing data of a recording describe */
struct xp_traces;

/**
 * xp_traces_new - read the tracing data of a recording
 * @body, @len: of XP_FEATURE_TRACING_DATA; borrowed as long as @ret_traces
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * What cannot be read after the first damage is left out.
 *
 * Returns 0, or
 *   -EBADMSG  these are no tracing data
 *   -ENOSYS   this library was built without libtraceevent, or it cannot be loaded
 *   -ENOMEM
 *
 * Source: trace-cmd.dat.v6(5).
 */
XP_API int xp_traces_new(const void *body, size_t len, struct xp_traces **ret_traces,
			 struct xp_diag *diag);
/** xp_traces_free - free it; NULL is allowed. */
XP_API void xp_traces_free(struct xp_traces *traces);
/**
 * xp_traces_text - what a sample of a tracepoint says, as the kernel would print it
 * @id:      of the tracepoint
 * @cpu:     where it happened
 * @raw, @raw_len: xp_sample's
 * @ret_text: valid until the next call; "" for a tracepoint that is not described
 *
 * Returns its length, -EBADMSG (the sample is too short for what the tracepoint records), -ENOMEM.
 */
XP_API ssize_t xp_traces_text(struct xp_traces *traces, uint64_t id, int cpu, const void *raw,
			      size_t raw_len, const char **ret_text);
/** xp_traces_fields - names of the fields of a tracepoint, its own, separated by ",". Returns "" if
 * it is not described; valid until the next call. */
XP_API const char *xp_traces_fields(struct xp_traces *traces, uint64_t id);
/** xp_traces_raw_text - the same from the fields alone, whatever the kernel would print:
 * " prev_pid=12 next_pid=0". Returns as xp_traces_text(). */
XP_API ssize_t xp_traces_raw_text(struct xp_traces *traces, uint64_t id, const void *raw,
				  size_t raw_len, const char **ret_text);
/** xp_traces_field - describe a field of a tracepoint, one of its own. @ret_field: its texts live
 * as long as @traces. Returns 0, -ENOENT. */
XP_API int xp_traces_field(struct xp_traces *traces, uint64_t id, const char *name,
			   struct xp_tracepoint_field *ret_field);
/** xp_traces_field_text - what a field of a sample holds. Returns as xp_traces_text(). */
XP_API ssize_t xp_traces_field_text(struct xp_traces *traces, uint64_t id,
				    const struct xp_tracepoint_field *field, const void *raw,
				    size_t raw_len, const char **ret_text);

XP_END_DECLS

#endif
