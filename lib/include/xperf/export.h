/* SPDX-License-Identifier: MIT */
/*
 * Profiles for other programs: a tree of call chains with what has been counted in it, and the
 * formats it can be written in.
 *
 * A tree is filled with what a profile of a recording has counted, or with several; it needs memory
 * per distinct call chain, not per sample.
 */
#ifndef XPERF_EXPORT_H
#define XPERF_EXPORT_H

#include <xperf/api.h>

struct xp_data;
struct xp_diag;
struct xp_profile;
struct xp_resolver;
struct xp_sample;
struct xp_timeline;

XP_BEGIN_DECLS

/** What is to be known of a frame beside its name; bits. */
enum {
	XP_MARK_KERNEL = 1 << 0,  /* code of the kernel */
	XP_MARK_INLINED = 1 << 1, /* the function was inlined */
	XP_MARK_JIT = 1 << 2,     /* its code was made while the program ran */
	XP_MARK_JOINED = 1 << 3,  /* of an earlier sample, see xp_chain_walk.is_joined */
	XP_MARK_CUT = 1 << 4,     /* no frame: stands for callers that were not recorded */
	XP_MARK_OFF_CPU = 1 << 5, /* where a thread waited */
	XP_MARK_UNKNOWN = 1 << 6, /* no function is known there: the name is that of the file */
	XP_MARK_ROOT = 1 << 7,    /* no frame: a thread, a CPU ..., see xp_export_opts.by */
};

/** enum xp_by - what frames at the root of pictures stand for */
enum xp_by {
	XP_BY_NONE,
	XP_BY_EVENT,
	XP_BY_CGROUP,
	XP_BY_CPU,
	XP_BY_COMM,
	XP_BY_PROCESS,
	XP_BY_THREAD,
	XP_NR_BY,
	XP_BY_TIME = XP_NR_BY, /* no frame: the tag of a sample is a bucket of time */
};

/** What a format has of the samples, and what it needs; bits. */
enum {
	XP_EXPORT_EVENTS = 1 << 0,    /* all events, each with its sums; else one at a time */
	XP_EXPORT_TASKS = 1 << 1,     /* threads are distinguished without being asked for */
	XP_EXPORT_LINES = 1 << 2,     /* lines of source */
	XP_EXPORT_ADDRESSES = 1 << 3, /* addresses of frames */
	XP_EXPORT_ROOTS = 1 << 4,     /* frames as xp_export_opts.by has them */
	XP_EXPORT_BASE = 1 << 5,      /* the difference from another tree */
	XP_EXPORT_SAMPLES = 1 << 6,   /* each sample, see xp_exporter_new(), not a tree */
	XP_EXPORT_TIMES = 1 << 7,     /* buckets of time, if the tree has them */
	XP_EXPORT_NOTES = 1 << 8,     /* what xp_tree_add_note() was given */
	XP_EXPORT_LABELS = 1 << 9,    /* what xp_tree_opts.by distinguishes, as labels of samples */
	XP_EXPORT_CODE = 1 << 10,     /* what xp_tree_add_code() was given */
	XP_EXPORT_MARKS = 1 << 11,    /* what xp_exporter_add_mark() and _add_count() were given */
};

/**
 * struct xp_export_format - a format
 * @size:    sizeof(struct xp_export_format)
 * @name:    "folded"
 * @summary: what it is for, one line
 * @suffix:  of its files: ".folded"
 * @has:     XP_EXPORT_...
 */
struct xp_export_format {
	size_t size;
	const char *name;
	const char *summary;
	const char *suffix;
	unsigned int has;
	uint32_t padding; /* never used */
};

/** xp_export_format_at - the @idx-th format. Returns NULL after the last. */
XP_API const struct xp_export_format *xp_export_format_at(size_t idx);

/** struct xp_tree - call chains with what was counted; one thread at a time */
struct xp_tree;

/** xp_tree_new - make an empty one. Returns 0 or -ENOMEM. */
XP_API int xp_tree_new(struct xp_tree **ret_tree);
/** xp_tree_free - free it; NULL is allowed. */
XP_API void xp_tree_free(struct xp_tree *tree);

/**
 * struct xp_tree_info - what formats say of a recording
 * @size:  sizeof(struct xp_tree_info), lets the struct grow
 * @title: "sleep 1 on host"; NULL: nothing
 * @host:  name of the machine; NULL: not known
 * @time_ns: when it was recorded, nanoseconds since 1970; 0: not known
 * @duration_ns: from the first sample to the last; 0: not known
 * @bucket_ns, @nr_buckets: with XP_BY_TIME: how long each is, and how many there are; 0: there are
 *         no times
 */
struct xp_tree_info {
	size_t size;
	const char *title, *host;
	uint64_t time_ns, duration_ns;
	uint64_t bucket_ns, nr_buckets;
};

/** xp_tree_describe - say what was recorded. Texts are copied. Returns 0, -EINVAL, -E2BIG (@info),
 * -ENOMEM. */
XP_API int xp_tree_describe(struct xp_tree *tree, const struct xp_tree_info *info);

/** enum xp_tree_note - what a note of a tree is */
enum xp_tree_note {
	XP_NOTE_FACT,    /* of the recording: "Host", and its name */
	XP_NOTE_QUALITY, /* how good it is, in one sentence; the first one counts */
	XP_NOTE_GOOD,    /* of its quality: what is the case, and what helps, which may be "" */
	XP_NOTE_NOTICE,
	XP_NOTE_BAD,
};

/**
 * xp_tree_add_note - say something of a recording, for formats with XP_EXPORT_NOTES
 * @what, @text: copied; of XP_NOTE_QUALITY, @what is not used
 *
 * Returns 0, -EINVAL (@kind), -ENOMEM.
 */
XP_API int xp_tree_add_note(struct xp_tree *tree, enum xp_tree_note kind, const char *what,
			    const char *text);

/**
 * xp_tree_add_processes - add what the processes of a recording are called: as their first threads
 * were at last. Before its samples are added
 * @timeline: sealed; not needed afterwards
 *
 * Returns 0, -EINVAL, -ENOMEM.
 */
XP_API int xp_tree_add_processes(struct xp_tree *tree, const struct xp_timeline *timeline);

/** enum xp_code_kind - what a row of code is */
enum xp_code_kind {
	XP_CODE_INSTRUCTION,
	XP_CODE_SOURCE,  /* a line of source, before the instructions made of it */
	XP_CODE_NAME,    /* whose code follows: a function that is inlined, or one that goes on */
	XP_CODE_SKIPPED, /* instructions that were left out */
};

/**
 * struct xp_code_row - a row of a function's code
 * @kind:   enum xp_code_kind
 * @line:   of source, of an instruction, too; 0: not known
 * @text:   of XP_CODE_SKIPPED not used
 * @file:   of source; NULL: not known
 * @offset: of an instruction from the beginning of the function, in bytes; of XP_CODE_SKIPPED how
 *          many instructions there are
 */
struct xp_code_row {
	uint32_t kind, line;
	const char *text, *file;
	uint64_t offset;
};

/**
 * struct xp_code_sum - samples at an instruction
 * @row:    its number; of XP_CODE_SKIPPED, all instructions there
 * @event:  of xp_tree_event_at()
 * @period, @samples: as there
 */
struct xp_code_sum {
	uint32_t row;
	int event;
	uint64_t period, samples;
};

/**
 * struct xp_tree_code - the code of a function
 * @size:     sizeof(struct xp_tree_code)
 * @function, @file: names as frames have them: without directories
 * @address:  where it begins, in the file's own terms
 * @rows, @nr_rows: in the order of addresses
 * @sums, @nr_sums: in any order
 */
struct xp_tree_code {
	size_t size;
	const char *function, *file;
	uint64_t address;
	const struct xp_code_row *rows;
	size_t nr_rows;
	const struct xp_code_sum *sums;
	size_t nr_sums;
};

/**
 * xp_tree_add_code - add the code of a function, for formats with XP_EXPORT_CODE
 * @code: copied; formats show functions in the order in which they were added
 *
 * Returns 0, -EINVAL (a kind, a row or an event that there is not), -E2BIG (@code), -ENOMEM.
 */
XP_API int xp_tree_add_code(struct xp_tree *tree, const struct xp_tree_code *code);

/**
 * struct xp_tree_opts - what of a profile is added to a tree
 * @size:      sizeof(struct xp_tree_opts), lets the struct grow
 * @by:        bits, 1 << XP_BY_...: what is distinguished; the keys of the profile have to
 *             distinguish it, too
 * @addresses: places at different addresses are different frames, if the profile has them
 * @cgroup:    the control group of rows with a tag; NULL: it is not known. Its result lives until
 *             the next call
 * @data:      handed to @cgroup
 */
struct xp_tree_opts {
	size_t size;
	unsigned int by;
	bool addresses;
	uint8_t padding[3]; /* never used */
	const char *(*cgroup)(uint32_t tag, void *data);
	void *data;
};

/**
 * xp_tree_add_profile - add what a profile has counted
 * @profile: resolved, with xp_profile_opts.whole_chains; not needed afterwards
 * @data:    its recording, for the names of events
 *
 * Events of one name are one event.
 *
 * Returns 0, -EINVAL, -E2BIG (@opts), -ENOMEM.
 */
XP_API int xp_tree_add_profile(struct xp_tree *tree, const struct xp_profile *profile,
			       const struct xp_data *data, const struct xp_tree_opts *opts);
/**
 * xp_tree_add_folded - add a line of folded stacks
 * @line, @len: "main;read 12", with or without its end; an empty one adds nothing
 *
 * Such lines have one event, "samples", and no tasks. What xperf appends to names of frames becomes
 * marks again. Frames are cut at 4095 bytes, and numbers at their decimal point.
 *
 * Returns 0, -EBADMSG (there is no call chain, no number at the end, or their sum is larger than 64
 * bits), -ENOMEM.
 */
XP_API int xp_tree_add_folded(struct xp_tree *tree, const char *line, size_t len);

/**
 * xp_tree_add_pprof - add a profile of pprof
 * @bytes, @len: of its file, compressed or not
 *
 * Each kind of its values is an event, but the number of samples, which is that of the others'
 * samples; its labels pid, tid and comm make tasks. On failure, a part of it can have been added.
 *
 * Returns 0, -EBADMSG (it is none, or damaged), -ENOSYS (it is compressed, and zlib is missing),
 * -EFBIG (more than 1 GiB), -ENOMEM.
 */
XP_API int xp_tree_add_pprof(struct xp_tree *tree, const void *bytes, size_t len);

/**
 * struct xp_tree_event - what a tree has of an event
 * @size: sizeof(struct xp_tree_event), set by the caller
 * @name: "cycles:u"; lives as long as the tree
 * @unit: of @period: "nanoseconds", "count"
 * @period: sum of the periods of its samples
 * @is_off_cpu: periods are times that threads waited
 */
struct xp_tree_event {
	size_t size;
	const char *name, *unit;
	uint64_t period, samples;
	bool is_off_cpu;
	uint8_t padding[7]; /* never used */
};

/** xp_tree_event_at - the @idx-th event. Returns 0, -EINVAL (there are less, or the size of
 * @ret_event is not set). */
XP_API int xp_tree_event_at(const struct xp_tree *tree, int idx, struct xp_tree_event *ret_event);

/**
 * xp_export_write_fn - writes what has been formatted
 * Returns 0, or a negative errno, which ends the writing.
 */
typedef int (*xp_export_write_fn)(const void *bytes, size_t len, void *data);

/**
 * struct xp_export_opts - how a tree is written
 * @size:    sizeof(struct xp_export_opts), lets the struct grow
 * @write:   where to; @data is handed to it
 * @by:      of formats with XP_EXPORT_ROOTS, the frames at the root, the outermost first, up to
 *           XP_BY_NONE; the tree has to distinguish them
 * @event:   the event that is written; -1: all that have samples
 * @samples: frames weigh as many samples as there were, not the sum of their periods
 * @inverted: pictures have the outermost frames at the top
 * @no_lines: of XP_EXPORT_SAMPLES: debug information is not read, for lines and inlined functions
 * @title:   of pictures; NULL: what was recorded
 * @base:    with XP_EXPORT_BASE: what @tree is compared with; NULL: nothing
 * @base_event: the event of @base; -1: all, of formats with XP_EXPORT_EVENTS each with the one of
 *           its name
 * @width:   of pictures, in pixels; 0: as wide as the window, 1200 without scripts
 * @subtitle: of pictures, below the title; NULL: none
 * @count_name: what weights of pictures are called; NULL: by their unit
 * @min_width: of boxes in pictures, in thousandths of a pixel; thinner ones are left out. 0: 100
 * @negated: in pictures, what is more than in @base is blue, what is less is red
 */
struct xp_export_opts {
	size_t size;
	xp_export_write_fn write;
	void *data;
	uint8_t by[8]; /* enum xp_by */
	int event;
	bool samples, inverted, no_lines;
	uint8_t padding; /* never used */
	const char *title;
	const struct xp_tree *base;
	int base_event;
	uint32_t width;
	const char *subtitle, *count_name;
	uint32_t min_width;
	bool negated;
	uint8_t padding2[3]; /* never used */
};

/**
 * xp_export_tree - write a tree in a format
 * @format: of xp_export_format_at()
 * @diag:   on failure, a sentence for the user where there is one; may be NULL
 *
 * The same tree gives the same bytes.
 *
 * Returns 0, -EINVAL, -E2BIG (@opts), -ENOMEM, -ENOSYS (a library is missing), or what @write
 * returned.
 */
XP_API int xp_export_tree(const struct xp_tree *tree, const struct xp_export_format *format,
			  const struct xp_export_opts *opts, struct xp_diag *diag);

/**
 * struct xp_export_sample - a sample of a recording
 * @size:    sizeof(struct xp_export_sample)
 * @sample:  its call chain is whole; its id.time_ns is the time for lookups, xp_timeline_moment()
 * @time_ns: when it was
 * @comm, @cgroup: of its thread; "" or NULL: not known
 * @event:   its number in the recording
 */
struct xp_export_sample {
	size_t size;
	const struct xp_sample *sample;
	uint64_t time_ns;
	const char *comm, *cgroup;
	int event;
	uint32_t padding; /* never used */
};

/** struct xp_exporter - a format that has each sample, while it is written; one thread at a time */
struct xp_exporter;

/**
 * xp_exporter_new - begin to write a format with XP_EXPORT_SAMPLES
 * @tree: empty, but described; borrowed
 * @data: the recording, for the names of events
 * @resolver: borrowed
 * @opts: @base and @by are not used
 * @diag: on failure, a sentence for the user where there is one; may be NULL; borrowed
 *
 * Memory is needed per distinct call chain; of some formats, a few bytes per sample.
 *
 * Returns as xp_export_tree().
 */
XP_API int xp_exporter_new(struct xp_tree *tree, const struct xp_data *data,
			   struct xp_resolver *resolver, const struct xp_export_format *format,
			   const struct xp_export_opts *opts, struct xp_diag *diag,
			   struct xp_exporter **ret_exporter);
/** xp_exporter_add - write a sample; they come in the order of time. Returns 0, -EINVAL or -E2BIG
 * (@sample), -ENOMEM, or what the write function returned. */
XP_API int xp_exporter_add(struct xp_exporter *exporter, const struct xp_export_sample *sample);
/**
 * struct xp_export_mark - something that happened to a thread beside its samples
 * @size:    sizeof(struct xp_export_mark)
 * @time_ns: when it was, as of samples
 * @duration_ns: how long it lasted from then on; 0: it is a moment
 * @name:    what it was: "mmap"; marks of one name are shown alike
 * @text, @comm: more of it, and the name of the thread; NULL: nothing, not known
 * @pid, @tid: of the thread
 */
struct xp_export_mark {
	size_t size;
	uint64_t time_ns, duration_ns;
	const char *name, *text, *comm;
	int32_t pid, tid;
};

/** xp_exporter_add_mark - write a mark, which can come later than samples after it. Formats without
 * XP_EXPORT_MARKS leave it out. Returns as xp_exporter_add(). */
XP_API int xp_exporter_add_mark(struct xp_exporter *exporter, const struct xp_export_mark *mark);

/**
 * struct xp_export_count - what was counted in an interval
 * @size:    sizeof(struct xp_export_count)
 * @from_ns, @to_ns: the interval; those of one event are in order and do not overlap
 * @event:   its number in the recording
 * @value:   in the unit of the event
 */
struct xp_export_count {
	size_t size;
	uint64_t from_ns, to_ns;
	double value;
	int event;
	uint32_t padding; /* never used */
};

/** xp_exporter_add_count - write a count. Formats without XP_EXPORT_MARKS leave it out. Returns as
 * xp_exporter_add(); -EINVAL: @count, or there is no such event. */
XP_API int xp_exporter_add_count(struct xp_exporter *exporter, const struct xp_export_count *count);
/** xp_exporter_end - write what comes after the last sample. Returns as xp_exporter_add(). */
XP_API int xp_exporter_end(struct xp_exporter *exporter);
/** xp_exporter_free - free it; NULL is allowed. */
XP_API void xp_exporter_free(struct xp_exporter *exporter);

XP_END_DECLS

#endif
