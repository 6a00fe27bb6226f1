/* SPDX-License-Identifier: MIT */
/*
 * perf.data: writing and reading.
 *
 * The writer uses the oldest layout that expresses the content, so that every perf since 3.x can
 * read it. The reader reads every layout; damage is reported and not fatal.
 *
 * Source: Documentation/perf.data-file-format.txt of perf, and files of perf 5.10 to 7.2.
 */
#ifndef XPERF_DATA_H
#define XPERF_DATA_H

#include <sys/types.h>
#include <xperf/api.h>
#include <xperf/attr.h>

struct xp_cpus;
struct xp_ctx;
struct xp_diag;
struct xp_piece;
struct xp_record;
struct xp_record_build_id;
struct xp_threads;
struct xp_time_conv;

XP_BEGIN_DECLS

/** enum xp_feature - what a feature section holds */
enum xp_feature {
	XP_FEATURE_TRACING_DATA = 1,
	XP_FEATURE_BUILD_ID = 2,
	XP_FEATURE_HOSTNAME = 3,
	XP_FEATURE_OSRELEASE = 4,
	XP_FEATURE_VERSION = 5,
	XP_FEATURE_ARCH = 6,
	XP_FEATURE_NRCPUS = 7,
	XP_FEATURE_CPUDESC = 8,
	XP_FEATURE_CPUID = 9,
	XP_FEATURE_TOTAL_MEM = 10,
	XP_FEATURE_CMDLINE = 11,
	XP_FEATURE_EVENT_DESC = 12,
	XP_FEATURE_CPU_TOPOLOGY = 13,
	XP_FEATURE_NUMA_TOPOLOGY = 14,
	XP_FEATURE_BRANCH_STACK = 15,
	XP_FEATURE_PMU_MAPPINGS = 16,
	XP_FEATURE_GROUP_DESC = 17,
	XP_FEATURE_AUXTRACE = 18,
	XP_FEATURE_STAT = 19,
	XP_FEATURE_CACHE = 20,
	XP_FEATURE_SAMPLE_TIME = 21,
	XP_FEATURE_MEM_TOPOLOGY = 22,
	XP_FEATURE_CLOCKID = 23,
	XP_FEATURE_DIR_FORMAT = 24,
	XP_FEATURE_BPF_PROG_INFO = 25,
	XP_FEATURE_BPF_BTF = 26,
	XP_FEATURE_COMPRESSED = 27,
	XP_FEATURE_CPU_PMU_CAPS = 28,
	XP_FEATURE_CLOCK_DATA = 29,
	XP_FEATURE_HYBRID_TOPOLOGY = 30,
	XP_FEATURE_PMU_CAPS = 31,
	XP_FEATURE_CPU_DOMAIN_INFO = 32,
	XP_FEATURE_E_MACHINE = 33,
	XP_FEATURE_CLN_SIZE = 34,
	XP_FEATURE_XPERF_MISSING =
		240,          /* xperf's own, a text: what no record tells of, a line each */
	XP_FEATURE_MAX = 256, /* bits of the file header */
};

/**
 * struct xp_data_event - an event of a recording
 * @size:       sizeof(struct xp_data_event)
 * @attr:       as it was opened; a newer or older file's is cut or extended with zeros. It is last
 *              because it can grow
 * @name:       "cycles:u"
 * @unit, @scale: as of xp_evsel_unit(), xp_evsel_scale(); NULL, 1.0: none
 * @own_cpus:   text like "0,2-3"; NULL: all
 * @ids:        by which records name it; @nr_ids of them
 * @leader:     index of its group's leader; its own outside groups
 * @group_name: in the leader of a group that has one; else NULL
 */
struct xp_data_event {
	size_t size;
	const char *name;
	const char *unit;
	double scale;
	const char *own_cpus;
	const uint64_t *ids;
	size_t nr_ids;
	const char *group_name;
	int leader;
	uint32_t padding;     /* never used */
	uint64_t reserved[4]; /* 0; for later versions */
	struct xp_attr attr;
};

/**
 * struct xp_data_id - where an id counts, for ID_INDEX
 * @id:  as records bear it
 * @idx: number of its ring
 * @cpu, @tid: -1: any
 */
struct xp_data_id {
	uint64_t id;
	uint64_t idx;
	int cpu;
	pid_t tid;
};

/** struct xp_data_writer - a recording that is being written; one thread at a time. After the start
 * that need not be the context's. */
struct xp_data_writer;

/** enum xp_data_shape - the container */
enum xp_data_shape {
	XP_DATA_FILE, /* header, attributes, records, features; seeks */
	XP_DATA_PIPE, /* a stream of records */
};

/**
 * struct xp_data_writer_opts - where a recording goes
 * @size:  sizeof(struct xp_data_writer_opts), lets the struct grow
 * @path:  the file, copied; NULL: @fd
 * @fd:    an open descriptor, not closed by the writer
 * @shape: of @fd; @path is a file, but a FIFO gets a stream
 * @compress_level: 0: none, 1 .. 22: records of rings are compressed with zstd
 * @keep_existing: an existing file is neither renamed nor replaced: -EEXIST
 * @directory: @path is made a directory, in which others put files, too; the recording is its file
 *             "data" (DIR_FORMAT)
 */
struct xp_data_writer_opts {
	size_t size;
	const char *path;
	int fd;
	enum xp_data_shape shape;
	int compress_level;
	bool keep_existing;
	bool directory;
	uint8_t padding[2]; /* never used */
};

/**
 * xp_data_writer_open - create the file
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * A file or directory of a recording that is there is renamed to PATH.old first, as perf does, and
 * comes back if the recording is never started; an empty file is replaced. The new one is the
 * user's alone (0600). No symbolic link is followed, and, as root, no other user's file is
 * replaced.
 *
 * Returns 0, or
 *   -ELOOP, -EPERM  the path is a symbolic link, or the file is another user's
 *   -EEXIST  there is a file, and @opts->keep_existing; or a directory that is no recording
 *   -EINVAL  the path is a disk or socket; unknown @opts->shape or @opts->compress_level
 *   -ENOSYS  compression was asked for, and there is no zstd
 * Other negative errno: as open(2) or rename(2) gave it.
 */
XP_API int xp_data_writer_open(struct xp_ctx *ctx, const struct xp_data_writer_opts *opts,
			       struct xp_data_writer **ret_writer, struct xp_diag *diag);
/** xp_data_writer_add_event - describe an event, in order. @event is copied. Returns 0, -ENOMEM,
 * -EBUSY (records were written), -EINVAL, -E2BIG (its size). */
XP_API int xp_data_writer_add_event(struct xp_data_writer *writer,
				    const struct xp_data_event *event);
/**
 * xp_data_writer_add_feature - set the body of a feature section
 * @body: copied; replaces an earlier one. NULL removes it
 *
 * Before the first record: it is part of the file from the start. Later: from the
 * next time that the header is written; pipes cannot remove it then.
 *
 * Returns 0, -EINVAL (no such feature), -ENOMEM.
 */
XP_API int xp_data_writer_add_feature(struct xp_data_writer *writer, enum xp_feature feature,
				      const void *body, size_t len);
/**
 * xp_data_writer_add_host - add the features that describe this machine
 * @argc, @argv: the command line
 *
 * Features that cannot be found out are left out, and those that have a body already stay. Also
 * the clock (CLOCKID, CLOCK_DATA) and the tracepoints (TRACING_DATA) of the events added up to now.
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_data_writer_add_host(struct xp_data_writer *writer, int argc,
				   const char *const *argv);
/**
 * xp_data_writer_add_ids - which id counts where, as ID_INDEX records
 *
 * This, as the next three, before the start: among the first records; later: where the others are.
 *
 * Returns as xp_data_writer_write(), -ENOMEM.
 */
XP_API int xp_data_writer_add_ids(struct xp_data_writer *writer, const struct xp_data_id *ids,
				  size_t nr);
/** xp_data_writer_add_threads - the threads that are recorded, as THREAD_MAP; of very many the
 * first. Returns as xp_data_writer_add_ids(). */
XP_API int xp_data_writer_add_threads(struct xp_data_writer *writer, struct xp_threads *threads);
/** xp_data_writer_add_cpus - the CPUs that are recorded, as CPU_MAP. Returns as
 * xp_data_writer_add_ids(). */
XP_API int xp_data_writer_add_cpus(struct xp_data_writer *writer, const struct xp_cpus *cpus);
/** xp_data_writer_add_time_conv - how time stamps of the processor become time, as TIME_CONV.
 * Returns as xp_data_writer_add_ids(). */
XP_API int xp_data_writer_add_time_conv(struct xp_data_writer *writer,
					const struct xp_time_conv *conv);
/**
 * xp_data_writer_start - write header, attributes, ids and features
 *
 * Also writes, for the events, EVENT_DESC, GROUP_DESC and BRANCH_STACK, unless they were set; and
 * names, units, factors and CPUs as EVENT_UPDATE records.
 *
 * From here on the file is complete at any moment: whatever happens to the process, what was
 * written is readable, features included.
 *
 * Returns 0, -E2BIG (too many ids for a stream), -ENOMEM, or the kernel's errno, -ENOSPC for one.
 */
XP_API int xp_data_writer_start(struct xp_data_writer *writer, struct xp_diag *diag);
/**
 * xp_data_writer_write - append records
 * @records: whole records, @len bytes in all
 * @from_ring: kernel's records, which are compressed if that was asked for
 *
 * Small pieces are collected. Returns 0, or the kernel's errno: -ENOSPC, -EFBIG: the disk, or the
 * file, is full; -EPIPE: the reader closed the pipe. What was written before stays a
 * complete file; nothing can be written afterwards.
 */
XP_API int xp_data_writer_write(struct xp_data_writer *writer, const void *records, size_t len,
				bool from_ring);
/** xp_data_writer_bytes - what has been written and collected. Returns bytes. */
XP_API uint64_t xp_data_writer_bytes(const struct xp_data_writer *writer);
/** xp_data_writer_finish - flush, with the final features: AUXTRACE, COMPRESSED, and those that
 * were set. After a failure those that find room. Returns as xp_data_writer_write(): what has
 * failed before, too. */
XP_API int xp_data_writer_finish(struct xp_data_writer *writer, struct xp_diag *diag);
/** xp_data_writer_free - close and free; NULL is allowed. Without xp_data_writer_finish() the file
 * stays as the last flush left it. */
XP_API void xp_data_writer_free(struct xp_data_writer *writer);

/** struct xp_data - a recording that is being read */
struct xp_data;

/**
 * struct xp_data_opts - how a recording is read
 * @size: sizeof(struct xp_data_opts), lets the struct grow
 * @path: a file, a directory, or "-": standard input. Copied
 * @force: accept another user's file, too
 * @spool: keep a stream in memory while it is read, so that it can be read again, and by several
 *         threads, as a file can. No effect on files
 * @read_ahead: a thread reads what follows while a file is gone through, so that it is in memory
 * when it is needed. No effect on streams and directories
 * @is_stopped: asked now and then whether reading is to end; NULL: it does not. What was read by
 *         then is the whole recording from there on, also after xp_data_rewind(). If it waits for a
 *         stream, it is asked when a signal interrupts that
 * @stop_data: for @is_stopped
 */
struct xp_data_opts {
	size_t size;
	const char *path;
	bool force;
	bool spool;
	bool read_ahead;
	uint8_t padding[5]; /* never used */
	bool (*is_stopped)(void *data);
	void *stop_data;
};

/**
 * xp_data_open - open a recording and read its header
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Reads files and streams, compressed or not, of either byte order, of any version; also of a
 * recorder that was killed, and cut ones.
 *
 * Returns 0, or
 *   -ENOEXEC  not a perf.data file
 *   -EBADMSG  its header is damaged beyond use
 *   -EPERM    it belongs to another user, and @opts->force is not set
 *   -ENOSYS   it is compressed, and this library was built without zstd
 * Other negative errno: as open(2) or mmap(2) gave it.
 */
XP_API int xp_data_open(struct xp_ctx *ctx, const struct xp_data_opts *opts,
			struct xp_data **ret_data, struct xp_diag *diag);
/** xp_data_close - close and free; NULL is allowed. */
XP_API void xp_data_close(struct xp_data *data);
/** xp_data_has_times - whether some event of a recording has times with its samples; of a stream,
 * what has been read of it. Returns true or false. */
XP_API bool xp_data_has_times(const struct xp_data *data);
/** xp_data_nr_events - events known up to now; of a stream, more can come with the records. Returns
 * >= 0. */
XP_API int xp_data_nr_events(const struct xp_data *data);
/** xp_data_event_at - event at position @idx. Returns NULL outside 0 .. nr-1; owned by @data. */
XP_API const struct xp_data_event *xp_data_event_at(const struct xp_data *data, int idx);
/** xp_data_event_of - which event a record belongs to. Returns its position; the first for a record
 * without an id, and where there is only one; -1 for an id that no event has. */
XP_API int xp_data_event_of(const struct xp_data *data, const struct xp_record *record);
/** xp_data_feature - the body of a feature section, in the recorder's byte order. Returns it with
 * its length in @ret_len, NULL if there is none; owned by @data. */
XP_API const void *xp_data_feature(const struct xp_data *data, enum xp_feature feature,
				   size_t *ret_len);
/** xp_build_id_fn - called once per build id, with its file; @record is borrowed for the call.
 * Return 0 to go on; any other value stops the walk and becomes its result. */
typedef int (*xp_build_id_fn)(const struct xp_record_build_id *record, void *data);
/** xp_data_build_ids - go through the build ids of XP_FEATURE_BUILD_ID, up to the first that is
 * damaged. Returns 0, -ENOMEM, or what @fn returned. */
XP_API int xp_data_build_ids(const struct xp_data *data, xp_build_id_fn fn, void *fn_data);
/** struct xp_data_layout - where a file's header says that things are, bytes; of a stream all 0.
 * @data_size: 0: the recorder did not come to its end */
struct xp_data_layout {
	uint64_t data_offset, data_size;
	uint64_t feature_offset;
};

/** xp_data_get_layout - what the header says. Returns it. */
XP_API struct xp_data_layout xp_data_get_layout(const struct xp_data *data);
/** xp_data_is_swapped - recorded in the other byte order. Returns true or false. */
XP_API bool xp_data_is_swapped(const struct xp_data *data);
/** xp_data_is_stream - a stream, not a file with a header. Returns true or false. */
XP_API bool xp_data_is_stream(const struct xp_data *data);
/**
 * xp_data_next - next record, in the file's order
 * @ret_record: in this machine's byte order, 8-byte aligned, sizes checked for its type, strings
 *              ended; valid until the next call. Compressed ones are unpacked and not shown
 *              themselves; those of a type this version does not know are left out
 * @ret_payload: bytes that follow it outside (AUXTRACE, TRACING_DATA); may be NULL
 *
 * Returns 1 with a record, 0 at the end, or -errno for a stream that cannot be read on. Damage is
 * no error: it is passed over, and xp_data_damage() has it.
 */
XP_API int xp_data_next(struct xp_data *data, const struct xp_record **ret_record,
			struct xp_piece *ret_payload);
/**
 * xp_ahead_fn - called for records that xp_data_next_ordered() will most likely return soon, so
 * that what is needed for them can be fetched into the cache
 * @is_near: it comes sooner than those of the calls with false
 */
typedef void (*xp_ahead_fn)(const struct xp_record *record, bool is_near, void *data);

/**
 * struct xp_order_opts - how a recording is read in the order of time
 * @size:  sizeof(struct xp_order_opts), lets the struct grow
 * @keep:  called for each record, in the order of the file. Returns 1: it is wanted; 0: it is left
 *         out; a negative errno ends reading. NULL: all are wanted
 * @ahead: may be NULL
 * @data:  for @keep and @ahead
 * @limit_bytes: of records that wait for others; beyond it the oldest are returned. 0: a limit that
 *         follows from what the file takes on the disk: 64 times that, at least 40 MiB and at most
 *         256 MiB or 8 times that; none for streams and directories
 */
struct xp_order_opts {
	size_t size;
	int (*keep)(const struct xp_record *record, void *data);
	xp_ahead_fn ahead;
	void *data;
	size_t limit_bytes;
};

/** xp_data_set_order - choose how xp_data_next_ordered() reads. Returns 0, -EINVAL, -E2BIG (@opts),
 * -EBUSY (it was called since the start). */
XP_API int xp_data_set_order(struct xp_data *data, const struct xp_order_opts *opts);
/**
 * xp_data_next_ordered - next record, in the order of time
 * @ret_record: as xp_data_next() gives them; valid until the next call
 * @ret_time_ns: its time. A record without one does not wait for others: 0; where no event of the
 *              recording has times, the number of the record in the file, from 1. May be NULL
 * @ret_position: as xp_data_position() for the record, for xp_timeline_moment(). May be NULL
 *
 * Records of equal times stay in the order of the file. FINISHED_ROUND records are not returned:
 * they say how far the order is certain. Not to be mixed with xp_data_next() before
 * xp_data_rewind().
 *
 * Returns 1 with a record, 0 at the end, what @keep of struct xp_order_opts returned, -ENOMEM, or
 * as xp_data_next(): after a failure, what was read before it comes first.
 */
XP_API int xp_data_next_ordered(struct xp_data *data, const struct xp_record **ret_record,
				uint64_t *ret_time_ns, uint64_t *ret_position);
/** xp_data_nr_late - records that were returned after younger ones, because more than the limit of
 * struct xp_order_opts waited. Returns their number. */
XP_API uint64_t xp_data_nr_late(const struct xp_data *data);
/** xp_data_nr_packed - records since the start that held compressed ones, which are not returned;
 * @type: XP_RECORD_COMPRESSED or XP_RECORD_COMPRESSED2. Returns their number, 0 of other types. */
XP_API uint64_t xp_data_nr_packed(const struct xp_data *data, uint32_t type);
/** xp_data_offset - where in the file the last record was. Returns bytes from its start. */
XP_API uint64_t xp_data_offset(const struct xp_data *data);
/** xp_data_position - where the last record was in what is read. Returns a number that grows from
 * record to record, and is the same for a record however often it is read. */
XP_API uint64_t xp_data_position(const struct xp_data *data);
/** xp_data_rewind - start again at the first record. Returns 0, -ESPIPE (a pipe
 * that was opened without spool). */
XP_API int xp_data_rewind(struct xp_data *data);
/**
 * xp_data_damage - what was found wrong up to now, the @idx-th (from 0)
 *
 * Returns "at offset 0x1f8: SAMPLE (9): ..." without full stop, NULL if there is no more; owned by
 * @data. After 100, the rest is counted only.
 */
XP_API const char *xp_data_damage(const struct xp_data *data, size_t idx);
/** xp_data_nr_damages - how often something was wrong. Returns a number. */
XP_API uint64_t xp_data_nr_damages(const struct xp_data *data);
/** xp_data_is_damaged - whether something was wrong that is not merely of a version to come, as are
 * records of types that are not known and fields of attributes. Returns true or false. */
XP_API bool xp_data_is_damaged(const struct xp_data *data);

XP_END_DECLS

#endif
