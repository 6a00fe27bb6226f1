/* SPDX-License-Identifier: MIT */
/*
 * The recording that a command reads, from the name of a file to samples with names:
 *
 *	recording_open()    opens it; what comes through a pipe is kept
 *	recording_load()    first pass: who ran and what was mapped, when; then opens symbols
 *	recording_each()    second pass: every sample that the filter lets pass
 *	recording_comm(), recording_frame()    names of a sample, on demand
 *	recording_close()   reports damage and failure; returns the exit status
 */
#ifndef RECORDING_RECORDING_H
#define RECORDING_RECORDING_H

#include <xperf/diag.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>
#include <xperf/unwind.h>

#include "cgroups.h"
#include "cli.h"
#include "progress.h"
#include "rounds.h"
#include "sample-filter.h"
#include "symbol-options.h"

struct xp_attr;
struct xp_ctx;
struct xp_data;
struct xp_diag;
struct xp_frame;
struct xp_record;
struct xp_resolver;
struct xp_stacks;
struct xp_symbols;
struct xp_timeline;
struct xp_traces;

/* Symbols that go on with the next recording, for those who read several of this machine, one after
 * the other. @ctx: for them alone; @symbols: NULL: none was read yet. Both are whoever's has it. */
struct kept_symbols {
	struct xp_ctx *ctx;
	struct xp_symbols *symbols;
};

/* What the options of a command say of reading. Zeroed, all samples of perf.data are read. */
struct recording_opts {
	const char *input;         /* NULL: perf.data, or what is piped into standard input */
	bool force;                /* read files of other users, too */
	bool with_symbols;         /* recording_load() opens them */
	bool with_progress;        /* printed on a terminal, unless there is: */
	struct progress *progress; /* who shows it; NULL: nobody */
	bool is_one_of_several;    /* messages name the file */
	bool split_readings; /* a sample that holds a reading stands for one of each event in it */
	bool filter_rows;    /* threads and places leave out rows of a profile, not samples, so that
				its total is that of all */
	struct symbol_opts symbols;
	struct kept_symbols *kept;    /* NULL: the recording has its own */
	enum xp_unwind_method unwind; /* of copied stacks */
	bool no_join;                 /* their chains have no frames of earlier samples */
	int jobs; /* threads that may be used; 0: one per CPU; less for what is small */
	struct filter_opts filter;
	const char *trace;    /* the option that wants traces of the AUX area decoded; NULL: none */
	const char *stitches; /* the option that wants branch records joined; NULL: none */
};

struct recording {
	const struct recording_opts *opts;
	const char *path; /* as the user knows it; "-": standard input */
	struct xp_ctx *ctx;
	struct xp_data *data;
	struct xp_diag diag; /* why something failed, or was left out */
	bool is_misused;     /* it failed because an option is wrong */
	struct sample_filter filter;

	/* from recording_open() on */
	int nr_events;      /* those that are known before the first sample */
	bool without_times; /* of its samples: the number of a record stands for its time */
	struct xp_timeline *timeline; /* sealed by recording_load() */

	/* from recording_load() on */
	struct xp_symbols *symbols;   /* NULL: not opened */
	struct xp_resolver *resolver; /* likewise */
	bool joins;                   /* copied stacks; scripts of perf's output know no marks */
	struct xp_stacks *stacks; /* NULL: stacks_open() was not called, or none were recorded */
	struct xp_traces *traces; /* NULL: recording_traces() was not called, or there are none */
	struct cgroups cgroups;
	uint64_t nr_samples;
	uint64_t nr_unknown; /* samples of no event that is known */
	struct cut_off cut_off;

	/* the pass that is under way */
	uint64_t nr; /* records that were read */
	struct rounds rounds;
	struct progress *progress, own_progress;
	struct readings *readings;
	struct xp_lbr_chain lbr;
	struct xp_joined joined;
	const struct walked
		*walked; /* of the next sample, if it was before it is decoded; or NULL */
};

/* What xp_stacks_walk() gave. */
struct walked {
	struct xp_unwind_chain chain;
	uint64_t span_ns[2];
};

/* A sample with what belongs to it. */
struct recorded {
	int event; /* its number */
	const struct xp_attr *attr;
	uint64_t time_ns;        /* as rec->without_times says; XP_NO_TIME: this sample has none */
	struct xp_sample sample; /* its id.time_ns is the time for lookups: xp_timeline_moment().
				    Branches of a call stack, and what the kernel reported later,
				    are part of its call chain */
	bool is_cut;             /* it does not fit into its record: the rest is missing */
};

/*
 * Parses the filter and opens the recording. @opts is borrowed. Returns 0 or a negative errno; in
 * any case recording_close() follows.
 */
int recording_open(struct recording *rec, const struct cli *cli, const struct recording_opts *opts);
/* For a context and data that are the caller's own: recording_fini() follows, not
 * recording_close(). Returns likewise. */
int recording_begin(struct recording *rec, const struct recording_opts *opts);

/* Whether there is what the filter and the options of symbols name; recording_load() begins with
 * it. Returns 0 or a negative errno with rec->diag filled. */
int recording_check(struct recording *rec);

/*
 * First pass. Calls @note, unless it is NULL, for every record that is no sample, with its trailer;
 * without times, its time is the number of the record. Returns 0, what @note returned, or a
 * negative errno with rec->diag filled unless reading failed.
 */
int recording_load(struct recording *rec,
		   int (*note)(const struct xp_record *record, const struct xp_sample_id *id,
			       void *data),
		   void *data);

/* How many threads may be used. */
int recording_jobs(const struct recording_opts *opts);

/* What uname(2) calls the machine that was recorded; NULL: it is not known. */
const char *recording_machine(const struct recording *rec);

/* The formats of its tracepoints. @diag: may be NULL. Returns 0, or a negative errno: they are not
 * known. */
int recording_traces(struct recording *rec, struct xp_diag *diag);

/*
 * Second pass: calls @fn for each sample that passes the filter, in the order of the file. Returns
 * 0, what @fn returned if that is not 0, or a negative errno.
 */
int recording_each(struct recording *rec, int (*fn)(struct recorded *recorded, void *data),
		   void *data);

/* The name of a sample's thread. */
const char *recording_comm(const struct recording *rec, const struct recorded *recorded);
/* Where an address of a sample is. @cpumode: whose it is: that of struct xp_chain_walk, or
 * recorded_mode() for its ip. Returns 0 or -ENOMEM. */
int recording_frame(struct recording *rec, const struct recorded *recorded, uint16_t cpumode,
		    uint64_t ip, struct xp_frame *ret_frame);
static inline uint16_t recorded_mode(const struct recorded *recorded)
{
	return recorded->sample.record->misc & XP_MISC_CPUMODE_MASK;
}
/* Its call chain, for xp_chain_next(). */
static inline struct xp_chain_walk recorded_chain(const struct recorded *recorded)
{
	return (struct xp_chain_walk){ .ips = recorded->sample.callchain,
				       .nr = recorded->sample.nr_callchain,
				       .cpumode = recorded_mode(recorded) };
}

/*
 * Closes it, after reporting on stderr what was damaged (all of it with @verbose) and why the
 * command failed, if @err is not 0 and standard output has not failed: the program reports that at
 * its end. Returns the exit status: that of a failure after damage, too.
 */
int recording_close(struct recording *rec, int err, bool verbose);
/* Frees what was loaded. */
void recording_fini(struct recording *rec);

/* --- for commands that go through the records by themselves --- */

/* Begins a pass. Returns 0 or a negative errno. */
int recording_rewind(struct recording *rec);
/* Returns 1, 0 at the end, or a negative errno. */
int recording_next(struct recording *rec, const struct xp_record **ret_record);
/* When a record was; XP_NO_TIME: it has no time. Samples are not decoded for it. */
uint64_t recording_time(const struct recording *rec, const struct xp_record *record);
/* The time for lookups, of the record that was read last. */
uint64_t recording_moment(const struct recording *rec, uint64_t time_ns);
/*
 * Decodes a sample. @time_ns: of recording_time(), or, without times, the number of the record;
 * @position: xp_data_position(). Returns 1, 0 (of no event that is known), -ENOMEM. What it points
 * to is valid until the next call.
 */
int recording_decode(struct recording *rec, const struct xp_record *record, uint64_t time_ns,
		     uint64_t position, struct recorded *ret_recorded);
/* After stacks_open(), computes the rest of its call chain, if its stack was copied. Returns 0 or
 * -ENOMEM. */
int recording_unwind(struct recording *rec, struct recorded *recorded);
/* Calls @fn for a sample, or for each event of the reading in it, as far as they pass the filter;
 * unwinds it before.  * Returns as recording_each(). */
int recording_split(struct recording *rec, struct recorded *recorded,
		    int (*fn)(struct recorded *recorded, void *data), void *data);
/* The event of a record; -1: none that is known. */
int recording_event_of(const struct recording *rec, const struct xp_record *record);
/* Whether a sample passes the whole filter. Returns 1, 0, -ENOMEM. */
int recording_passes(struct recording *rec, const struct recorded *recorded);

#endif
