/* SPDX-License-Identifier: MIT */
/*
 * The timeline of a recording: which threads there were, what they were called, and what was
 * mapped where, at any time.
 *
 * It is filled with the side band of a recording, in any order that the kernel's rings can have
 * given it; then it is sealed, and samples can be attributed in any order, by any number of
 * threads.
 */
#ifndef XPERF_TIMELINE_H
#define XPERF_TIMELINE_H

#include <xperf/api.h>
#include <xperf/record.h>

struct xp_ctx;
struct xp_data;
struct xp_sample_id;

XP_BEGIN_DECLS

/**
 * struct xp_dso - a file, or something like a file, that code can be in
 * @name:     as recorded: "/usr/bin/ls", "[vdso]", "//anon", "[kernel.kallsyms]", "[ext4]"; memory
 *            that is no file's, with code in it: "/tmp/perf-PID.map"; of a BPF program: its symbol
 * @short_name: the part after the last slash; "[kernel.kallsyms]" is kept, a module is "[ext4]"
 * wherever its file is, "/tmp/perf-PID.map" is "[JIT] tid PID"
 * @build_id, @build_id_len: 0 bytes: not known
 * @index:    counts from 0
 * @is_kernel: the kernel, a module or a BPF program
 * @is_jit:   its symbols are in /tmp/perf-PID.map; of a file in memory ("/memfd:"): can be
 * @jit_pid:  that PID, the first's that mapped it; else -1
 * @inode, @inode_generation: of a file; 0: not recorded. Files of one name with different inodes
 *            are different DSOs, if no build id is known of them
 */
struct xp_dso {
	const char *name;
	const char *short_name;
	uint8_t build_id[20];
	uint8_t build_id_len;
	int index;
	bool is_kernel;
	bool is_symbol; /* one function the kernel has made (KSYMBOL), called as the DSO is */
	bool is_jit;
	int32_t jit_pid;
	uint64_t inode, inode_generation;
};

/**
 * struct xp_map - a part of a DSO in an address space
 * @size:        sizeof(struct xp_map), set by the caller
 * @start, @end: addresses as they ran; @end is the first one after it
 * @offset:      of @start in the file, bytes; of the kernel: its start's address in its own terms
 * @inode:       of the file; 0: not recorded
 * @from_ns, @to_ns: the first and the last time for which this is the answer, for all addresses of
 *               it. So one can be kept, and be right for many samples
 */
struct xp_map {
	size_t size;
	uint64_t start, end;
	uint64_t offset;
	const struct xp_dso *dso;
	uint32_t prot, flags;
	uint64_t inode;
	uint64_t from_ns, to_ns;
};

/** struct xp_timeline - see above */
struct xp_timeline;

/** xp_timeline_new - make an empty one. Returns 0 or -ENOMEM. */
XP_API int xp_timeline_new(struct xp_timeline **ret_timeline);
/** xp_timeline_free - free it; NULL is allowed. */
XP_API void xp_timeline_free(struct xp_timeline *timeline);
/**
 * xp_timeline_add - add a record of the side band; others are passed over
 * @id: its trailer. Without a time, or with 0, it is true from the beginning on, but later ones of
 *      the same kind in the file are later. In a file without times, use the number of the
 *      record as its time, for samples too
 *
 * Returns 0, -EBUSY (sealed), -ENOMEM.
 */
XP_API int xp_timeline_add(struct xp_timeline *timeline, const struct xp_record *record,
			   const struct xp_sample_id *id);
/**
 * xp_timeline_add_at - the same of a record in a file. @position: from xp_data_position(); records
 * are added in this order. Returns as xp_timeline_add().
 */
XP_API int xp_timeline_add_at(struct xp_timeline *timeline, const struct xp_record *record,
			      const struct xp_sample_id *id, uint64_t position);
/**
 * xp_timeline_load - fill a timeline with the side band of a recording, build ids included
 * @data: is read from where it is to its end
 * @fn:   called for every record besides; NULL: nobody
 *
 * Seals @timeline. Where the recording has no times, the number of a record is its time, from 1.
 *
 * Returns 0, -EBUSY (@timeline is sealed), -ENOMEM, what @fn returned, or as xp_data_next().
 */
XP_API int xp_timeline_load(struct xp_timeline *timeline, struct xp_data *data, xp_record_fn fn,
			    void *fn_data);
/** xp_timeline_seal - no more records come. Returns 0 or -ENOMEM: it can only be freed then. */
XP_API int xp_timeline_seal(struct xp_timeline *timeline);

/**
 * xp_timeline_moment - the time to look up for a record of a file
 * @time_ns: of the record
 * @position: of the record, from xp_data_position()
 *
 * Where records have equal times, the order in the file decides which of them was first: a sample
 * in front of a COMM of the same nanosecond has the name of before. The result differs from
 * @time_ns by a few nanoseconds there, and only there; it is for the lookups below, not to be
 * shown. It is @time_ns where the timeline was not filled with xp_timeline_load() or
 * xp_timeline_add_at().
 *
 * Returns it. Source of the rule: perf 6.1, measured.
 */
XP_API uint64_t xp_timeline_moment(const struct xp_timeline *timeline, uint64_t time_ns,
				   uint64_t position);
/**
 * xp_timeline_map_at - what was mapped at an address
 * @cpumode: XP_MISC_KERNEL, XP_MISC_USER ...: whose address it is
 * @time_ns: when; XP_NO_TIME: at the end
 * @ret_map: written on success only
 *
 * Returns 1, 0: nothing that is known, or -EINVAL (the size of @ret_map is not set).
 */
XP_API int xp_timeline_map_at(const struct xp_timeline *timeline, int32_t pid, uint16_t cpumode,
			      uint64_t address, uint64_t time_ns, struct xp_map *ret_map);
/**
 * xp_timeline_maps - go through what was mapped in a process, by address
 * @time_ns: when; XP_NO_TIME: at the end
 * @fn: its map lives until it returns. Returns what @fn returned, or 0.
 */
XP_API int xp_timeline_maps(const struct xp_timeline *timeline, int32_t pid, uint64_t time_ns,
			    int (*fn)(const struct xp_map *map, void *data), void *data);

/** xp_timeline_comm_at - the name of a thread at a time. Returns it, equal pointers are equal
 * names; ":TID" where it is not known: only that takes a lock. Valid as long as @timeline. */
XP_API const char *xp_timeline_comm_at(const struct xp_timeline *timeline, int32_t pid, int32_t tid,
				       uint64_t time_ns);
/** xp_chain_is_open - whether a call chain is one whose end the kernel records later, in a
 * record CALLCHAIN_DEFERRED; its last two words are a marker and a number. Returns true or false.
 */
static inline bool xp_chain_is_open(const uint64_t *chain, size_t nr)
{
	return nr >= 2 && chain[nr - 2] == XP_CONTEXT_USER_DEFERRED;
}
/** struct xp_joined - room for call chains that are put together; zeroed at first, @at is the
 * caller's to free */
struct xp_joined {
	uint64_t *at;
	size_t room;
};
/**
 * xp_timeline_join - a call chain with its end, if that was recorded later
 * @tid, @time_ns: of the sample; the first end that was recorded at this time or later is used
 * @chain, @nr: the sample's; then, if it was open, what is in @joined until the next call. Where no
 *         end is known, the marker is gone
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_timeline_join(const struct xp_timeline *timeline, int32_t tid, uint64_t time_ns,
			    struct xp_joined *joined, const uint64_t **chain, size_t *nr);
/** xp_timeline_nr_dsos - DSOs there are, once it is sealed. Returns >= 0. */
XP_API int xp_timeline_nr_dsos(const struct xp_timeline *timeline);
/** xp_timeline_nr_shared_ids - build ids that several kernel modules had, and that were left out:
 * some versions of perf gave all the same. Once it is sealed. Returns >= 0. */
XP_API int xp_timeline_nr_shared_ids(const struct xp_timeline *timeline);
/** xp_timeline_dso - DSO by its index. Returns NULL outside 0 .. nr-1. */
XP_API const struct xp_dso *xp_timeline_dso(const struct xp_timeline *timeline, int idx);
/**
 * xp_timeline_tasks - go through all threads there were
 * @fn: with the name it had at last; @parent_pid: -1: not known. Returns what @fn returned, or 0.
 */
XP_API int xp_timeline_tasks(const struct xp_timeline *timeline,
			     int (*fn)(int32_t pid, int32_t tid, int32_t parent_pid,
				       const char *comm, void *data),
			     void *data);

XP_END_DECLS

#endif
