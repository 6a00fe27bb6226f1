/* SPDX-License-Identifier: MIT */
/*
 * The recorder: from rings to a file, without ever waiting for the disk.
 *
 * One thread empties the rings into memory, one writes that to the file; between them is a queue
 * of blocks. The caller's thread starts, watches and stops them.
 */
#ifndef XPERF_RECORDER_H
#define XPERF_RECORDER_H

#include <xperf/api.h>

struct xp_attr;
struct xp_build_ids;
struct xp_chain_ends;
struct xp_ctx;
struct xp_data_writer;
struct xp_diag;
struct xp_evlist;
struct xp_evsel;
struct xp_record;
struct xp_unwind;

XP_BEGIN_DECLS

/** struct xp_recorder - a recording that is going on */
struct xp_recorder;

/**
 * struct xp_band - who hears of maps and tasks while they are read from rings
 * @note:  a COMM, MMAP, MMAP2, FORK, EXIT or LOST record and its time, in the order of time;
 * borrowed for the call
 * @known: all records up to a time, by CLOCK_MONOTONIC, have been noted. It is called soon after
 *         each of them
 * @data:  handed to both
 *
 * Both are called by a thread of the recorder, and may not call it.
 */
struct xp_band {
	void (*note)(void *data, const struct xp_record *record, uint64_t time_ns);
	void (*known)(void *data, uint64_t until_ns);
	void *data;
};

/**
 * struct xp_recorder_opts - how a recording is made
 * @size:       sizeof(struct xp_recorder_opts), lets the struct grow
 * @evlist:     open, with rings; borrowed until xp_recorder_free()
 * @writer:     started; borrowed until it is replaced or the recorder is freed
 * @build_ids:  gets each MMAP and MMAP2 record; borrowed; NULL: none
 * @no_threads: nothing happens but in xp_recorder_pump()
 * @backlog_bytes: most that may wait for the disk; 0: 64 MiB. From half of it on, stacks are
 * cut, to fewer bytes the more is waiting; near it samples are dropped and counted; other records
 * never
 * @flush_ns:   rings are emptied and the file brought to date at least this often; 0: one second
 * @min_bytes:  --mmap-flush: a ring with less is left until it is due
 * @max_bytes:  no samples are written beyond this size of all files together; 0: no limit. Names of
 *              tasks and maps are, of which earlier samples may have need
 * @switch_bytes: xp_recorder_fd() is readable when the file has this many; 0: never
 * @off_cpu:    an event of context switches, each of which is sampled, with time and period, while
 *              records of switches are part of the side band. Its samples are replaced by one for
 *              each wait of a task: as of the end of the wait, with its length in nanoseconds as
 *              period. Tasks that were preempted did not wait. If the event excludes the kernel,
 *              there are no such samples, and the user's part of the call chain is that of the
 *              task's last sample of any event. NULL: none
 * @off_cpu_min_ns: shorter waits are left out
 * @realtime_priority: SCHED_FIFO priority of the reader; 0: none, but as favourable as is allowed
 * @unwind:     stacks of samples become call chains on their way to the file, whose events have the
 *              attributes of xp_unwound_attr(); borrowed. NULL: stacks stay. Addresses of callers
 *              are in the call, as those of struct xp_stacks
 * @no_join:    with @unwind: call chains end where the copy of the stack does, as in struct
 *              xp_stacks_opts
 * @own_rounds: the caller injects FINISHED_ROUND, when no record will follow that is older than
 *              those before the one before it; the recorder marks no rounds
 * @kept_regs:  with @unwind: registers of user space that stay in samples, as in that function
 * @band:       hears of what happens to maps and tasks; copied. NULL: nobody does
 * @band_cpu_ppm: the share of a CPU, in millionths, that the reader may take for long to call @band
 *              at once; beyond it records are read up to 20 ms later, many together. 0: any;
 *              at most 1,000,000
 * @cpu_ppm:    the share of the time of the CPUs that are recorded, in millionths, that sampling
 *              may take for long: CPU time of this process, and 10 us of the kernel for a sample.
 *              Beyond it, and while samples come faster than they can be read and unwound, clocks
 *              of whole CPUs are sampled less often; periods of samples say so. 0: any; at most
 *              1,000,000. Without effect with @no_threads and @own_rounds
 */
struct xp_recorder_opts {
	size_t size;
	struct xp_evlist *evlist;
	struct xp_data_writer *writer;
	struct xp_build_ids *build_ids;
	size_t backlog_bytes;
	uint64_t flush_ns;
	size_t min_bytes;
	uint64_t max_bytes;
	uint64_t switch_bytes;
	int realtime_priority;
	bool no_threads;
	bool no_join;
	bool own_rounds;
	uint8_t padding; /* never used */
	struct xp_unwind *unwind;
	uint64_t kept_regs;
	const struct xp_evsel *off_cpu;
	uint64_t off_cpu_min_ns;
	const struct xp_band *band;
	uint64_t band_cpu_ppm;
	uint64_t cpu_ppm;
};

/**
 * struct xp_recorder_stats - what has happened up to now
 * @size:          sizeof(struct xp_recorder_stats), set by the caller
 * @samples:       written or on their way
 * @records:       all records that were read
 * @bytes:         of them
 * @lost:          records and samples the kernel had no room for
 * @shed_samples:  dropped because the disk could not keep up
 * @cut_stacks:    stacks cut for the same reason
 * @throttled:     times the kernel stopped sampling an event for too many interrupts
 * @wakeups:       times the reader was woken up
 * @first_time_ns, @last_time_ns: time stamps of samples, by the events' clock; 0, 0: none
 * @rings_gone:    rings all tasks of which have ended
 * @file_bytes:    of the file that is written now, compressed if it is
 * @is_full:       @max_bytes was reached: later samples are in none of these numbers
 * @slowed_ns:     for so long clocks were sampled less often, see @cpu_ppm
 * @slowest:       1 in this many of the samples was taken then, at least; 0: all were
 * @short_chains:  call chains that end where the copy of the stack ends
 * @unwritten_samples: read, but not in the file because it could not be written
 */
struct xp_recorder_stats {
	size_t size;
	uint64_t samples;
	uint64_t records;
	uint64_t bytes;
	uint64_t lost;
	uint64_t shed_samples;
	uint64_t cut_stacks;
	uint64_t throttled;
	uint64_t wakeups;
	uint64_t first_time_ns, last_time_ns;
	uint64_t unwritten_samples;
	uint64_t file_bytes;
	int rings_gone;
	bool is_full;
	uint8_t padding[3]; /* never used */
	uint64_t slowed_ns;
	unsigned int slowest;
	uint8_t padding2[4]; /* never used */
	uint64_t short_chains;
};

/**
 * xp_unwound_attr - the attribute of an event whose stacks the recorder turns into call chains
 * @attr: as it was opened. It becomes that of the samples in the file; without a copy of the stack
 *        beside the call chain it stays as it is
 * @regs_user: registers of user space that stay in samples; 0: none
 */
XP_API void xp_unwound_attr(struct xp_attr *attr, uint64_t regs_user);

/** xp_recorder_new - prepare; starts nothing. Returns 0, -EINVAL (no rings, a share that is too
 * large), -EOPNOTSUPP (stacks of this machine cannot be unwound), -ENOMEM. */
XP_API int xp_recorder_new(struct xp_ctx *ctx, const struct xp_recorder_opts *opts,
			   struct xp_recorder **ret_recorder);
/** xp_recorder_start - start the threads. Returns 0, -EAGAIN (no more threads), -EPERM (no
 * real-time priority for this user). */
XP_API int xp_recorder_start(struct xp_recorder *recorder, struct xp_diag *diag);
/**
 * xp_recorder_fd - polls readable when the recorder has something to say: it has failed, all tasks
 * have ended, a size is reached, or samples of xp_recorder_watch() have come
 *
 * Returns a descriptor, owned by the recorder.
 */
XP_API int xp_recorder_fd(const struct xp_recorder *recorder);
/** xp_recorder_state - look, and make the descriptor unreadable. Returns 0: goes on, 1: all tasks
 * of all rings have ended, or the errno the recording failed with. */
XP_API int xp_recorder_state(struct xp_recorder *recorder, struct xp_diag *diag);
/** xp_recorder_pump - empty the rings and write, in the caller's thread. Only without threads.
 * Returns as xp_recorder_state(). */
XP_API int xp_recorder_pump(struct xp_recorder *recorder);
/** xp_recorder_inject - write records of one's own (synthesized ones), in order with those of the
 * rings. Returns 0 or -ENOMEM. */
XP_API int xp_recorder_inject(struct xp_recorder *recorder, const struct xp_record *records,
			      size_t len);
/**
 * xp_recorder_update_cpus - see which CPUs and cgroups came and went, and record CPUs that are back
 *
 * Does what xp_evlist_update() does, and opens the events of a list that records whole CPUs again
 * on those that came back, and on those that came online if it was opened on all. What happened
 * there since is missing, so call it often, four times a second. Between xp_recorder_start() and
 * xp_recorder_stop(), instead of xp_evlist_update().
 *
 * Returns the number of changes, or as xp_evlist_update(), or
 *   -EOPNOTSUPP  there are changes, but nothing can be opened again: what is recorded is tasks, an
 *                AUX area or what rings are overwritten with, or it goes into a stream, whose
 *                events are described once, at its beginning
 * Other negative errno: there are changes, and why a CPU is not recorded again.
 */
XP_API int xp_recorder_update_cpus(struct xp_recorder *recorder);
/**
 * xp_recorder_snapshot - read what the overwritten rings hold now
 *
 * They are paused, read, and resumed. Returns 0 or the kernel's errno.
 */
XP_API int xp_recorder_snapshot(struct xp_recorder *recorder);
/**
 * xp_recorder_prepare_switch - another file is coming
 *
 * What happens to tasks and maps from here on is written to that file, too. So it is complete if
 * the caller describes now what is there, into that file, and then calls xp_recorder_switch().
 * Waits for the thread that reads the rings.
 */
XP_API void xp_recorder_prepare_switch(struct xp_recorder *recorder);
/**
 * xp_recorder_switch - go on in another file
 * @writer: started; borrowed. What was read before it goes to the old one, which is then the
 *          caller's to finish
 *
 * Returns 0 or the errno the old one failed with.
 */
XP_API int xp_recorder_switch(struct xp_recorder *recorder, struct xp_data_writer *writer);
/** xp_recorder_watch - an event whose samples make xp_recorder_fd() readable
 * (--switch-output-event). */
XP_API void xp_recorder_watch(struct xp_recorder *recorder, const struct xp_evsel *evsel);
/** xp_recorder_watched - samples of the watched event up to now. Returns their number. */
XP_API uint64_t xp_recorder_watched(const struct xp_recorder *recorder);
/** xp_recorder_get_stats - how it goes; from any thread. Returns 0 or -EINVAL (the size of
 * @ret_stats is not set). */
XP_API int xp_recorder_get_stats(const struct xp_recorder *recorder,
				 struct xp_recorder_stats *ret_stats);
/**
 * xp_recorder_chain_ends - how the call chains ended that were made of stacks
 * @ret_ends: the caller's to free
 *
 * Returns 0, -EBUSY (before xp_recorder_stop()), -ENODATA (there were none), -ENOMEM.
 */
XP_API int xp_recorder_chain_ends(const struct xp_recorder *recorder,
				  struct xp_chain_ends **ret_ends);
/** xp_recorder_stop - read all that is in the rings, write it, and end the threads. Returns 0 or
 * the errno the recording failed with; the writer is not finished. */
XP_API int xp_recorder_stop(struct xp_recorder *recorder, struct xp_diag *diag);
/** xp_recorder_free - end and free it; NULL is allowed. In a child by fork(2) it only frees it. */
XP_API void xp_recorder_free(struct xp_recorder *recorder);

XP_END_DECLS

#endif
