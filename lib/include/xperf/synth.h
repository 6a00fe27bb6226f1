/* SPDX-License-Identifier: MIT */
/*
 * What was there before a recording began, as the records the kernel would have written: the
 * kernel's own text and modules, existing tasks, their names and maps.
 */
#ifndef XPERF_SYNTH_H
#define XPERF_SYNTH_H

#include <xperf/api.h>
#include <xperf/record.h>

struct xp_ctx;
struct xp_diag;
struct xp_threads;

XP_BEGIN_DECLS

/**
 * struct xp_synth_opts - what to describe, and how
 * @size:       sizeof(struct xp_synth_opts), lets the struct grow
 * @id_bytes:   zeros at the end of each record, in the place of the trailer:
 *              xp_sample_id_bytes() of the first event; a multiple of 8, at most 256
 * @no_maps:    names and parents only
 * @data_maps:  maps that are not executable, too
 * @namespaces: of each task
 * @build_ids:  the kernel puts build ids into MMAP2: these do, too, where the kernel provides
 *              them cheaply
 * @timeout_ms: for the maps of one process; 0: 500. What is not read in time is left out, and the
 *              last record says so (XP_MISC_PROC_MAP_PARSE_TIMEOUT)
 */
struct xp_synth_opts {
	size_t size;
	size_t id_bytes;
	bool no_maps;
	bool data_maps;
	bool namespaces;
	bool build_ids;
	uint32_t timeout_ms;
};

/**
 * xp_synth_kernel - the kernel's text, by its reference symbol, and its modules
 *
 * MMAP records, or MMAP2 where build ids are asked for. Reads no more of /proc/kallsyms than the
 * reference symbol needs. Where its addresses are hidden (kptr_restrict), nothing is described.
 * @opts may be NULL, here and below: all is 0.
 *
 * Returns 0, what @fn returned, -EINVAL (@opts->id_bytes is no multiple of 8, or too large), or
 * -ENOMEM, -EMFILE, -ENFILE: of what could not be read for lack of that, nothing is described.
 */
XP_API int xp_synth_kernel(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
			   void *data);
/**
 * xp_synth_threads - the processes of some threads: names, parents, maps
 *
 * FORK, NAMESPACES, COMM and MMAP2 of each process, then FORK, NAMESPACES and COMM of those of its
 * other threads that are in the set; of the set of every task: all processes with all threads.
 * Names of maps are those the kernel's own records have: "//anon", "/memfd:x (deleted)".
 * Maps by the PROCMAP_QUERY ioctl where the kernel has it (Linux 6.11), else by /proc/PID/maps.
 * A thread that has ended meanwhile is left out.
 *
 * Returns as xp_synth_kernel().
 */
XP_API int xp_synth_threads(struct xp_ctx *ctx, struct xp_threads *threads,
			    const struct xp_synth_opts *opts, xp_record_fn fn, void *data);
/** xp_synth_system - the same of all processes. Returns as xp_synth_threads(), or why /proc cannot
 * be read. */
XP_API int xp_synth_system(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
			   void *data);
/** xp_synth_cgroups - all control groups. Returns as xp_synth_threads(). */
XP_API int xp_synth_cgroups(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
			    void *data);
/** xp_synth_bpf - the BPF programs that are loaded: KSYMBOL and BPF_EVENT. Returns as
 * xp_synth_threads(); nothing is described without the privilege to see them. */
XP_API int xp_synth_bpf(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
			void *data);

/** struct xp_build_ids - the files of a recording, each looked up once; one thread at a time */
struct xp_build_ids;

/** xp_build_ids_new - make an empty set. Returns 0 or -ENOMEM. */
XP_API int xp_build_ids_new(struct xp_ctx *ctx, struct xp_build_ids **ret_ids);
/** xp_build_ids_free - end its threads and free it; NULL is allowed. */
XP_API void xp_build_ids_free(struct xp_build_ids *ids);
/** xp_build_ids_walk - wait for what is under way, and go through the results as
 * XP_RECORD_HEADER_BUILD_ID records: the kernel's first. Their sequence is the body of
 * XP_FEATURE_BUILD_ID. Returns 0 or what @fn returned. */
XP_API int xp_build_ids_walk(struct xp_build_ids *ids, xp_record_fn fn, void *data);
/**
 * xp_build_ids_cache - keep a copy of each file where perf looks for it
 * @dir: "$HOME/.debug"
 *
 * Makes @dir, of mode 0700. Files that are there are left alone; files are linked where that is
 * possible. Files that cannot be had any more, and names with "..", are left out.
 *
 * Returns 0, -EPERM (@dir belongs to another user), or why @dir cannot be written.
 *
 * Source: perf-buildid-cache(1); the layout is that of perf 6.1.
 */
XP_API int xp_build_ids_cache(struct xp_build_ids *ids, const char *dir, struct xp_diag *diag);

/**
 * struct xp_build_ids_kept - what xp_build_ids_keep() did
 * @size:    sizeof(struct xp_build_ids_kept), lets the struct grow
 * @files:   that the directory has now, and a report finds there only
 * @lost:    that nobody can find any more
 * @bytes:   of files that were not there before
 * @a_lost_file: the name of one of @lost; NULL: there is none. Valid as long as the set
 */
struct xp_build_ids_kept {
	size_t size;
	uint64_t files;
	uint64_t lost;
	uint64_t bytes;
	const char *a_lost_file;
};

/**
 * xp_build_ids_keep - keep a copy of each file that a report would not find any more
 * @dir:       as for xp_build_ids_cache()
 * @max_bytes: of all copies; a file that would exceed it counts as lost
 * @ret_kept:  its size is set by the caller
 *
 * These are files that only ended containers and chroots had, and programs and libraries that were
 * deleted or replaced. Those without a build id get one, made of their content, with which
 * xp_build_ids_walk() shows them. @dir is made when there is something to keep.
 *
 * Returns 0, or as xp_build_ids_cache(); @ret_kept is then filled, too.
 */
XP_API int xp_build_ids_keep(struct xp_build_ids *ids, const char *dir, uint64_t max_bytes,
			     struct xp_build_ids_kept *ret_kept, struct xp_diag *diag);

/**
 * xp_btf_name - the name of a type in BTF, with which functions of BPF programs are described
 * @types, @len: the type information, in this machine's byte order
 * @id: of the type, from 1
 *
 * Returns it, in @types; NULL: it has none, or the information is damaged.
 */
XP_API const char *xp_btf_name(const void *types, size_t len, uint32_t id);

XP_END_DECLS

#endif
