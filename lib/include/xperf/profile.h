/* SPDX-License-Identifier: MIT */
/*
 * Samples summed up: rows by command, file, function ..., with the call chains that led to them.
 *
 * A profile is filled with samples, which costs no memory per sample: what is counted are distinct
 * raw values. Addresses are looked up afterwards, each once. Several profiles of one recording,
 * filled by one thread each, can be merged before that.
 */
#ifndef XPERF_PROFILE_H
#define XPERF_PROFILE_H

#include <xperf/api.h>
#include <xperf/resolve.h>

struct xp_branch;
struct xp_chain_ends;
struct xp_data;
struct xp_record;
struct xp_resolver;
struct xp_sample;
struct xp_sample_id;
struct xp_stacks;
struct xp_timeline;

XP_BEGIN_DECLS

/** enum xp_key - what makes a row, what rows are sorted by, and what is shown of them */
enum xp_key {
	XP_KEY_OVERHEAD_CHILDREN, /* share, with what it called */
	XP_KEY_OVERHEAD,
	XP_KEY_SAMPLES,
	XP_KEY_PERIOD,
	XP_KEY_OVERHEAD_SYS, /* share in the kernel */
	XP_KEY_OVERHEAD_USER,
	XP_KEY_OVERHEAD_GUEST_SYS,
	XP_KEY_OVERHEAD_GUEST_USER,
	XP_KEY_LATENCY, /* share of the time that passed, see xp_profile_opts.latency */
	XP_KEY_LATENCY_CHILDREN,
	XP_KEY_PID, /* of the thread: its number and command */
	XP_KEY_COMM,
	XP_KEY_DSO,
	XP_KEY_SYMBOL,
	XP_KEY_CPU,
	XP_KEY_TGID,        /* of the process: its number and command */
	XP_KEY_SYMBOL_SIZE, /* of the function, bytes */
	XP_KEY_DSO_SIZE,    /* of what is mapped of the file, bytes */
	XP_KEY_DSO_FROM,    /* of branches: where they come from */
	XP_KEY_DSO_TO,      /* and where they go to */
	XP_KEY_SYMBOL_FROM,
	XP_KEY_SYMBOL_TO,
	XP_KEY_SYMOFF,  /* function and how far from its beginning */
	XP_KEY_ADDRESS, /* of the instruction, as it ran */
	XP_KEY_SRCLINE, /* line of source */
	XP_KEY_SRCFILE, /* file it is in */
	XP_KEY_SRCLINE_FROM,
	XP_KEY_SRCLINE_TO,
	XP_KEY_PARENT, /* the first function of the chain that @is_parent */
	XP_KEY_TAG,    /* what the caller has found in the samples */
	XP_NR_KEYS,
};

/**
 * xp_key_find - key by its name, as perf has them: "comm", "dso", "sym", or "symbol". Returns it,
 * -1 for none.
 */
XP_API int xp_key_find(const char *name, size_t len);
/**
 * xp_key_name - its name: "dso". Returns static text, NULL outside of the keys.
 */
XP_API const char *xp_key_name(enum xp_key key);

/** struct xp_location - a resolved address, or the function that contains it
 * @frame:  of the first address met there; it is last because it can grow
 * @ip:     what is shown where there is no function: in the file's terms for the sample's own
 *          address, as it ran in call chains
 * @level:  'k' kernel, '.' user, 'g' and 'u' of a guest, 'H' hypervisor
 * @is_inlined: the name of @frame.function is that of one that was inlined there
 * @line:   "file.c:12"; where it is not known, how far from the beginning of the function,
 * "leaf+7", or the file, "[heap][10]". NULL: was not asked for
 * @file:   "file.c", "" where it is not known. NULL: was not asked for
 * @start_line: where the function begins in it; 0: not known, or not asked for
 */
struct xp_location {
	uint64_t ip;
	const char *line;
	const char *file;
	char level;
	bool is_inlined;
	uint8_t padding[2]; /* never used */
	uint32_t start_line;
	uint64_t reserved[4]; /* 0; for later versions */
	struct xp_frame frame;
};

/** Whose code it is, of a period's parts. */
enum { XP_PART_SYS, XP_PART_USER, XP_PART_GUEST_SYS, XP_PART_GUEST_USER, XP_NR_PARTS };

/**
 * struct xp_profile_sum - sums of a row, of one event
 * @period:  of its own samples; @children_period: of those it called, too
 * @latency: the same of what xp_profile_opts.latency makes of periods; 0 without it
 * @parts:   of @period, by whose code it is
 */
struct xp_profile_sum {
	uint64_t period, samples;
	uint64_t children_period;
	uint64_t latency, children_latency;
	uint64_t parts[XP_NR_PARTS];
};

/**
 * struct xp_profile_row - a line of the profile
 * @comm:     of the first thread, as all others that the keys do not distinguish
 * @tag:      as given with its samples
 * @location: where it is; of branches, where they come from
 * @level:    of @location, of branches of @target; of one that is not known, that of what called it
 * @parent:   by XP_KEY_PARENT; NULL: none
 * @target:   where branches go to; NULL: these are no branches
 * @sum:      of its event; of a group's leader, or of all its members with XP_GROUP_SUM
 * @members:  the same of each event of a group, of the leader first; NULL: no events are grouped
 * @numbers:  what xp_profile_opts.add_numbers has added up; NULL: nothing
 */
struct xp_profile_row {
	const char *comm;
	int32_t pid, tid;
	int32_t cpu;
	uint32_t tag;
	char level;
	const struct xp_location *location;
	const struct xp_location *target;
	const struct xp_location *parent;
	struct xp_profile_sum sum;
	const struct xp_profile_sum *members;
	const uint64_t *numbers;
};

/** xp_profile_row_location - where its samples are; of branches, where they go to. */
static inline const struct xp_location *xp_profile_row_location(const struct xp_profile_row *row)
{
	return row->target ? row->target : row->location;
}

/**
 * struct xp_chain - a piece of the tree of a row's call chains: nothing branches off or ends
 * between its locations
 * @hit, @nr_hits: period and number of samples whose chain ends here
 * @below, @nr_below: of those that go on
 * @next: of the same parent; the heaviest is first
 * @nr_joined: per location, the number of samples that have the frame from an earlier sample, see
 *             xp_chain_walk.is_joined; at most @nr_hits and @nr_below
 */
struct xp_chain {
	struct xp_chain *parent, *child, *next;
	const struct xp_location *const *locations;
	int nr_locations;
	uint64_t hit, below;
	uint64_t nr_hits, nr_below;
	const uint64_t *nr_joined;
};

/** Of xp_profile_opts.group_leader: all members, whose periods are in one unit */
enum { XP_GROUP_SUM = -1 };

/**
 * struct xp_profile_opts - how samples are summed up
 * @size:      sizeof(struct xp_profile_opts), lets the struct grow
 * @keys:      in their order; copied
 * @nr_events: events are numbered below it
 * @with_chains: xp_profile_chains() will be asked
 * @children:  the cost of callees is added to their callers
 * @callers_first: chains begin with the outermost function
 * @by_address: addresses of chains in one function are different
 * @by_line:   different lines are different, and frames of chains have theirs; also with
 * @by_address
 * @inlines:   inlined functions are locations of chains, too
 * @full_paths: lines have the whole path of their file
 * @max_stack: entries of a chain that count, of those that come first; 0: 127
 * @leaders:   of each event the first of its group, itself outside of groups; members follow their
 *             leader. Rows are the group's, and those of the leader in xp_profile_row_at(). NULL:
 * there are no groups. Copied
 * @compare_tags: order of XP_KEY_TAG, less than 0: @a is shown first; NULL: by number. @tag_data
 *             is given to it
 * @latency:  which part of a period of samples with this tag passed as time, where others ran
 * beside them; NULL: is not asked for. @tag_data is given to it
 * @group_leader: which member of a group decides the order of its rows, from 0 on; XP_GROUP_SUM:
 *             the sum of all, which is then the row's, with the call chains of all
 * @is_root:  call chains begin with the outermost frame for which it returns true, and the cost of
 *             its callees is added to its row; NULL: none. @root_data is given to it
 * @is_parent: whether a location of a chain is a parent, for XP_KEY_PARENT
 * @hide_unresolved: samples, branches and entries of call chains that are in no known function do
 *             not count
 * @merge_unknown: by XP_KEY_SYMBOL, addresses in no known function are one row per file
 * @long_files: files of one name in several directories are several
 * @is_shown: whether a row is one of xp_profile_row_at(); its own samples count as kept only then,
 * but the cost of its callees is added in any case. NULL: all are shown. @shown_data is given to it
 * @nr_threads: that look addresses up, at most; 0: as many as have counted samples, see
 *               xp_profile_fill()
 * @row_tag:  the tag of the rows of samples with this tag, where several make one row; NULL: the
 * tag itself. @tag_data is given to it
 * @whole_chains: for xp_profile_stack_at(): samples without a call chain have one of their own
 *             place, and those whose chain has no part of the kernel, where they were, end there
 * @add_numbers: adds to the @nr_numbers numbers of a row, 0 at first, what samples with this tag
 * add to them. Own samples of the event whose sums the row has count. NULL: rows have none.
 *            @tag_data is given to it
 */
struct xp_profile_opts {
	size_t size;
	const enum xp_key *keys;
	int nr_keys;
	int nr_events;
	const int *leaders;
	int (*compare_tags)(uint32_t a, uint32_t b, void *data);
	void *tag_data;
	uint64_t (*latency)(uint32_t tag, uint64_t period, void *data);
	bool (*is_root)(const struct xp_location *location, void *data);
	void *root_data;
	bool (*is_parent)(const struct xp_location *location, void *data);
	void *parent_data;
	bool (*is_shown)(const struct xp_profile_row *row, void *data);
	void *shown_data;
	int group_leader;
	int max_stack;
	bool with_chains;
	bool children;
	bool callers_first;
	bool by_address;
	bool by_line;
	bool inlines;
	bool full_paths;
	bool hide_unresolved;
	bool long_files;
	bool whole_chains;
	bool merge_unknown;
	uint8_t padding; /* never used */
	int nr_threads;
	uint32_t (*row_tag)(uint32_t tag, void *data);
	void (*add_numbers)(uint32_t tag, const struct xp_profile_sum *sum, uint64_t *numbers,
			    void *data);
	size_t nr_numbers;
};

/** struct xp_profile_total - sums of an event. @kept_...: of what no filter took away
 * @size: sizeof(struct xp_profile_total), set by the caller */
struct xp_profile_total {
	size_t size;
	uint64_t samples, period;
	uint64_t kept_samples, kept_period;
	uint64_t latency, kept_latency;
	uint64_t unresolved_samples; /* whose address is in no known function */
	uint64_t truncated_samples;  /* whose call chain is as long as the kernel lets it be */
	uint64_t hidden_samples;     /* not in @samples: see xp_profile_opts.hide_unresolved */
};

/** struct xp_profile - see above; one thread at a time */
struct xp_profile;

/**
 * xp_profile_new - make an empty one
 * @timeline: borrowed; sealed before the first sample is added
 *
 * Returns 0, -EINVAL (@opts), -ENOMEM.
 */
XP_API int xp_profile_new(const struct xp_timeline *timeline, const struct xp_profile_opts *opts,
			  struct xp_profile **ret_profile);
/** xp_profile_free - free it, its rows and chains; NULL is allowed. */
XP_API void xp_profile_free(struct xp_profile *profile);

/**
 * xp_profile_note - use a record of the side band; before the first sample
 *
 * Between two of them nothing changes for a thread, and an address means what it meant.
 *
 * Returns 0, -EBUSY (there are samples), -ENOMEM.
 *
 * Unstable: it may change or disappear in any version.
 */
XP_API int xp_profile_note(struct xp_profile *profile, const struct xp_record *record,
			   const struct xp_sample_id *id);
/** xp_profile_note_at - the same of a record in a file. @position: as for xp_timeline_add_at().
 * Samples are then added with times of xp_timeline_moment(). Returns as xp_profile_note(). */
XP_API int xp_profile_note_at(struct xp_profile *profile, const struct xp_record *record,
			      const struct xp_sample_id *id, uint64_t position);
/**
 * xp_profile_add - count a sample
 * @event: 0 .. nr_events-1
 *
 * Returns 0, -EINVAL (@event; the size of @sample; the timeline is not sealed), -ENOMEM.
 */
XP_API int xp_profile_add(struct xp_profile *profile, int event, const struct xp_sample *sample);
/** xp_profile_add_tagged - the same; with XP_KEY_TAG, @tag also makes a row. Returns as
 * xp_profile_add(). */
XP_API int xp_profile_add_tagged(struct xp_profile *profile, int event,
				 const struct xp_sample *sample, uint32_t tag);
/**
 * xp_profile_merge_tags - count samples with several tags as samples with one
 * @merged: the tag of the samples that have been counted with @tag; @data is given to it
 *
 * Bounds the memory of a profile whose tags are many, such as times: each is rounded more. Samples
 * that are added afterwards have the tags they are given.
 *
 * Returns 0, -EBUSY (after xp_profile_resolve()), -ENOMEM, after which the profile is only to be
 * freed.
 */
XP_API int xp_profile_merge_tags(struct xp_profile *profile,
				 uint32_t (*merged)(uint32_t tag, void *data), void *data);
/**
 * xp_profile_nr_distinct - how many samples are kept apart
 *
 * Memory of a profile grows with it, by about 100 bytes each.
 *
 * Returns the number of those that differ in address, call chain, thread, event or tag.
 */
XP_API uint32_t xp_profile_nr_distinct(const struct xp_profile *profile);
/** xp_profile_add_branch - count one branch of a sample, with a period of 1. Returns as
 * xp_profile_add(). */
XP_API int xp_profile_add_branch(struct xp_profile *profile, int event,
				 const struct xp_sample *sample, const struct xp_branch *branch,
				 uint32_t tag);
/** xp_profile_sample_fn - whether a sample of an event counts; called by several threads */
typedef bool (*xp_profile_sample_fn)(int event, const struct xp_sample *sample, void *data);

/** xp_go_on_fn - called by several threads after some more samples, or addresses, @nr of them.
 * Returns false: the others are left out */
typedef bool (*xp_go_on_fn)(uint64_t nr, void *data);

/**
 * struct xp_fill_opts - how samples are counted
 * @size:       sizeof(struct xp_fill_opts), lets the struct grow
 * @nr_threads: 0: as many as there are CPUs, and the recording is large enough for
 * @keep:       NULL: all samples count
 * @without_times: the recording has none: the number of the record stands for it, as in
 *              xp_timeline_add()
 * @stacks:     makes call chains of copied stacks, by as many threads, and has counted their ends
 *              afterwards; NULL: copied stacks do not count
 * @go_on:      called after some thousand records; NULL: all samples are counted
 */
struct xp_fill_opts {
	size_t size;
	xp_profile_sample_fn keep;
	void *keep_data;
	int nr_threads;
	bool without_times;
	uint8_t padding[3]; /* never used */
	struct xp_stacks *stacks;
	xp_go_on_fn go_on;
	void *go_on_data;
};

/**
 * xp_profile_fill - count all samples of a recording
 * @data: has been read to its end, as far as it goes. Samples that do not fit their event are
 *        reported as damage
 *
 * The result does not depend on the number of threads, the order of equal rows included.
 *
 * Returns 0, -EINVAL (the timeline is not sealed), -ENOMEM, -ESPIPE (a pipe), or as xp_data_next().
 */
XP_API int xp_profile_fill(struct xp_profile *profile, struct xp_data *data,
			   const struct xp_fill_opts *opts);
/** xp_profile_keep_fn - whether a row, which has no sums yet, is wanted */
typedef bool (*xp_profile_keep_fn)(const struct xp_profile_row *row, void *data);

/**
 * xp_profile_resolve - look up all addresses and make the rows
 * @keep: NULL: all are wanted; what is not still counts in the totals
 *
 * Returns 0, -EBUSY (done before), -ENOMEM.
 */
XP_API int xp_profile_resolve(struct xp_profile *profile, struct xp_resolver *resolver,
			      xp_profile_keep_fn keep, void *data);
/**
 * xp_profile_watch - report how far xp_profile_resolve() is
 * @go_on: called after some addresses were looked up; if it returns false, the others are in no
 *         known function
 *
 * To be called before xp_profile_resolve(). Returns the number of addresses.
 */
XP_API uint64_t xp_profile_watch(struct xp_profile *profile, xp_go_on_fn go_on, void *data);

/** xp_profile_total_at - sums of an event; all 0 for an event that is none. Returns 0 or -EINVAL
 * (the size of @ret_total is not set). */
XP_API int xp_profile_total_at(const struct xp_profile *profile, int event,
			       struct xp_profile_total *ret_total);
/** xp_profile_nr_rows - rows of an event. Returns a number, 0 before they are made. */
XP_API size_t xp_profile_nr_rows(const struct xp_profile *profile, int event);
/**
 * xp_profile_row_at - @idx-th row of an event
 *
 * With XP_KEY_OVERHEAD among the keys the heaviest row is first; else the keys give the order.
 *
 * Returns NULL after the last.
 */
XP_API const struct xp_profile_row *xp_profile_row_at(const struct xp_profile *profile, int event,
						      size_t idx);
/** xp_profile_compare - which of two rows comes first by one key alone, that is no sum and not
 * XP_KEY_TAG. Returns less than 0: @a; 0: they are equal in it. */
XP_API int xp_profile_compare(enum xp_key key, const struct xp_profile_row *a,
			      const struct xp_profile_row *b);
/**
 * xp_profile_chains - call chains of a row as a tree
 * @ret_root: has no locations; valid until the next call
 *
 * Returns 0, -EINVAL (no such row), -ENOMEM.
 */
XP_API int xp_profile_chains(struct xp_profile *profile, int event, size_t idx,
			     const struct xp_chain **ret_root);

/**
 * struct xp_profile_call - a place in the tree of all call chains, which begin with the outermost
 * @size:     sizeof(struct xp_profile_call), set by the caller
 * @parent:   what has called it, a lower number; -1: it is outermost
 * @place:    as for xp_profile_location()
 * @is_joined: the frame is of an earlier sample, see xp_chain_walk.is_joined
 * @is_cut:   the chain is as long as the kernel lets it be, so that callers are missing. With
 *            xp_profile_opts.whole_chains only
 */
struct xp_profile_call {
	size_t size;
	int64_t parent;
	const struct xp_location *location;
	uint32_t place;
	bool is_joined, is_cut;
	uint8_t padding[2]; /* never used */
};

/**
 * struct xp_profile_stack - samples of one row, event and call chain
 * @size:     sizeof(struct xp_profile_stack), set by the caller
 * @row:      comm, pid, tid, cpu and tag are right as far as the keys distinguish them
 * @call:     the innermost place of the chain; -1: it has none
 * @event:    the samples' own, also where events are grouped
 */
struct xp_profile_stack {
	size_t size;
	const struct xp_profile_row *row;
	int64_t call;
	uint64_t period, samples;
	int event;
	uint8_t padding[4]; /* never used */
};

/** xp_profile_nr_calls - places in the tree of all call chains. Returns a number, 0 before rows are
 * made. Unstable: it may change or disappear in any version. */
XP_API size_t xp_profile_nr_calls(const struct xp_profile *profile);
/** xp_profile_call_at - the @idx-th of them. Returns 0, -EINVAL (outside of the tree, or the size
 * of
 * @ret_call is not set). Unstable: it may change or disappear in any version. */
XP_API int xp_profile_call_at(const struct xp_profile *profile, size_t idx,
			      struct xp_profile_call *ret_call);
/** xp_profile_nr_stacks - distinct rows, events and call chains. Returns a number, 0 before rows
 * are made. Unstable: it may change or disappear in any version. */
XP_API size_t xp_profile_nr_stacks(const struct xp_profile *profile);
/** xp_profile_stack_at - the @idx-th of them, of the rows that are kept. Returns 0, -EINVAL
 * (outside of them, or the size of @ret_stack is not set). Unstable: it may change or disappear in
 * any version. */
XP_API int xp_profile_stack_at(const struct xp_profile *profile, size_t idx,
			       struct xp_profile_stack *ret_stack);

/** xp_profile_location - the @idx-th resolved address of samples, with the number of samples there.
 * Returns NULL after the last. */
XP_API const struct xp_location *xp_profile_location(const struct xp_profile *profile, size_t idx,
						     uint64_t *ret_samples);
/**
 * xp_profile_judge_chains - count how the user part of call chains ends, before or after
 * xp_profile_resolve()
 * @limits: per event, the most addresses that a chain of it has; 0: its chains were not found by
 *          frame pointers, and do not count
 * @ends:   is added to
 *
 * Only what can be checked is decided: which functions are in a chain, whether code is mapped at
 * its last address, and whether a call precedes it.
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_profile_judge_chains(struct xp_profile *profile, struct xp_resolver *resolver,
				   const uint16_t *limits, struct xp_chain_ends *ends);

XP_END_DECLS

#endif
