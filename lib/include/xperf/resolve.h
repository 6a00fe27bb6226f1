/* SPDX-License-Identifier: MIT */
/* From an address in a sample to a function of a file: timeline and symbol tables together. */
#ifndef XPERF_RESOLVE_H
#define XPERF_RESOLVE_H

#include <xperf/api.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>

struct xp_ctx;
struct xp_data;
struct xp_symbols;
struct xp_symtab;
struct xp_timeline;
struct xp_traces;

XP_BEGIN_DECLS

/** xp_data_is_of_this_kernel - whether a recording says it was made under a kernel of the release
 * and architecture of the running one; of a stream, what has been read of it. Returns true or
 * false. */
XP_API bool xp_data_is_of_this_kernel(const struct xp_data *data, struct xp_ctx *ctx);
/** xp_data_is_of_this_machine - whether a recording says it was made on a machine with this one's
 * name and architecture; of a stream, what has been read of it. Returns true or false. */
XP_API bool xp_data_is_of_this_machine(const struct xp_data *data, struct xp_ctx *ctx);

/**
 * struct xp_frame - where an address is
 * @size:    sizeof(struct xp_frame), set by the caller
 * @ip:      as sampled
 * @cpumode: XP_MISC_KERNEL, XP_MISC_USER ...
 * @map:     @map.dso is NULL where nothing is known; @map.from_ns and @map.to_ns say for which
 * times. It is last because it can grow
 * @address: in the terms of the file's own symbols; @ip where nothing is known
 * @function: its name is NULL where the file has no symbol there
 * @symtab:  of the file; NULL where nothing is known
 */
struct xp_frame {
	size_t size;
	uint64_t ip;
	uint64_t address;
	struct xp_function function;
	struct xp_symtab *symtab;
	uint16_t cpumode;
	uint16_t padding[3];  /* never used */
	uint64_t reserved[4]; /* 0; for later versions */
	struct xp_map map;
};

/** struct xp_resolver - a timeline and symbol tables; one thread at a time */
struct xp_resolver;

/**
 * xp_resolver_new - make a resolver
 * @timeline, @symbols: borrowed
 *
 * Returns 0, -EINVAL (@timeline is not sealed), -ENOMEM.
 */
XP_API int xp_resolver_new(const struct xp_timeline *timeline, struct xp_symbols *symbols,
			   struct xp_resolver **ret_resolver);
/** xp_resolver_free - free it; NULL is allowed. */
XP_API void xp_resolver_free(struct xp_resolver *resolver);
/**
 * xp_resolver_frame - where an address is
 * @is_return: it is a return address of a call chain: the call before it is meant
 *
 * The distance by which the kernel has moved between the recording and its symbols is subtracted
 * from kernel addresses. Results are kept per map and address.
 *
 * Returns 0, -EINVAL (the size of @ret_frame is not set), -ENOMEM.
 */
XP_API int xp_resolver_frame(struct xp_resolver *resolver, int32_t pid, uint16_t cpumode,
			     uint64_t ip, bool is_return, uint64_t time_ns,
			     struct xp_frame *ret_frame);
/** xp_resolver_name_traces - functions of the kernel that tracepoints refer to are shown by their
 * names, as of the end of the recording; @resolver is borrowed as long as @traces. */
XP_API void xp_resolver_name_traces(struct xp_resolver *resolver, struct xp_traces *traces);
/**
 * xp_frame_lines - lines and inlined functions at a frame
 * @is_return: as for xp_resolver_frame(): the line of the call is meant
 *
 * Returns as xp_symtab_lines().
 */
XP_API int xp_frame_lines(const struct xp_frame *frame, bool is_return,
			  const struct xp_line **ret_lines);

XP_END_DECLS

#endif
