/* SPDX-License-Identifier: MIT */
/* What the parts of `script` share: the state of a run over a recording. */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include <stdio.h>
#include <xperf/api.h>

#include "config.h"
#include "fields.h"
#include "json-numbers.h"
#include "metrics.h"
#include "places.h"
#include "recording.h"
#include "sink.h"
#include "source.h"

/* How the samples of an event are printed. */
struct view {
	const struct xp_data_event *event;
	uint64_t fields;
	bool has_chain; /* and it is printed */
	const char *plain_name;
	char *name; /* padded to the longest, with ": " behind it */
	size_t name_len;
	struct sink file;    /* of --per-event-dump */
	char *path;          /* its name; NULL: none */
	uint64_t nr_samples; /* that were printed to it */
};

struct branch_code;
struct comms;
struct counts;
struct missing;
struct xp_arch_regs;
struct xp_data_event;
struct xp_diag;
struct xp_disasm;
struct xp_frame;
struct xp_record;
struct xp_regs;
struct xp_sample;
struct xp_sample_id;

/* Times that lines are shown relative to. */
struct clock {
	bool has_first, has_last;
	uint64_t first_ns, last_ns; /* lines that were printed */
	int64_t wall_ns;            /* what makes a time the time of day */
	bool has_wall;
};

struct script {
	const struct config *config;
	struct recording *rec;
	struct fields fields;
	struct view *views;
	int nr_views;
	struct places *places;
	struct sources *sources;
	struct metrics *metrics;  /* NULL: nobody asks */
	struct xp_disasm *disasm; /* of @disasm_machine; NULL: none */
	int disasm_machine;       /* as ELF numbers them; 0: nobody has asked */
	struct branch_code *branch_code;
	struct comms *comms;
	struct counts *counts;              /* of `stat record`; NULL: none */
	bool has_counts;                    /* the recording has */
	struct missing *missing;            /* per file; NULL: nobody asks */
	const struct xp_arch_regs *machine; /* the recorded one; NULL: not known */
	struct clock clock;
	uint64_t now;    /* of the record that is shown; 0: it has none */
	uint64_t moment; /* the same for lookups: where times are equal the file's order decides */
	int data_source_width;
	unsigned int counter_width; /* bits of a counter of branches; 0: not known */
	bool are_counters_described;
	struct sink out;
	struct json json; /* --json: into @out */
};

/* --- prepare.c --- */

/* After the first pass: all events are known. Returns 0, or a negative errno; -EINVAL with the
 * reason in @diag. */
int prepare(struct script *script, struct xp_diag *diag);

/* --- apart.c --- */

/* Makes the files of --per-event-dump, beside @path. Returns likewise. */
int apart_open(struct script *script, const char *path, struct xp_diag *diag);
/* Writes what is left and prints how much it was. Returns likewise. */
int apart_close(struct script *script, struct xp_diag *diag);
void apart_fini(struct script *script);

/* --- instruction.c --- */

/* Prints what @fields have of the instruction a sample was at. Returns 0, -ENOSYS with the reason
 * in the recording's diag, -ENOMEM. */
int instruction_show(struct script *script, uint64_t fields, const struct xp_sample *sample);

/* --- branch-code.c --- */

/* Prints the instructions between the branches of a sample. Returns likewise. */
int branch_code_show(struct script *script, uint64_t fields, const struct xp_sample *sample);

/* --- dump.c --- */

/* Prints the bytes of a record, and what they mean. */
void dump_record(struct script *script, const struct xp_record *record);

/* --- dump-sample.c --- */

/* Prints the parts of a sample, as of its event's @type. */
void dump_sample(struct script *script, const struct xp_sample *sample, uint64_t type);

/* --- start.c --- */

/* Returns NULL without memory. */
struct comms *comms_new(void);
void comms_free(struct comms *comms);
/* What a line begins with: who, where and when. @comm: NULL: the thread's then; @padded: names are
 * right-aligned. */
void show_start(struct script *script, uint64_t fields, const struct xp_sample_id *id,
		const char *comm, uint16_t misc, uint32_t type, bool padded);

/* --- sample.c --- */

/* Prints a sample unless it is filtered out. @time_ns, @position: as for recording_decode().
 * Returns 0, or a negative errno. */
int sample_show(struct script *script, const struct xp_record *record, uint64_t time_ns,
		uint64_t position);

/* " 4K", " N/A" */
void page_size_show(struct sink *out, uint64_t size);

/* --- json.c --- */

/* The line that names the columns. */
void json_start(struct script *script);
/* A sample as one line. Returns 0, or a negative errno. */
int json_show(struct script *script, const struct view *view, const struct xp_sample *sample);
/* A counter as one line. @values: what it has counted, time enabled and running, when. */
void json_count(struct script *script, const char *event, int32_t cpu, int32_t thread,
		const uint64_t values[4]);
/* A record that is no sample. */
void json_record(struct script *script, const char *name, const struct xp_sample_id *id,
		 const char *text);

/* --- counters.c --- */

/* What brcntr needs. Returns 0, or -EINVAL with the reason in @diag. */
int counters_make(struct script *script, struct xp_diag *diag);
/* Prints once which letter stands for which event. */
void counters_describe(struct script *script);
/* How many counters the words of an event's branches have. */
int counters_nr(const struct script *script, const struct view *view);
uint64_t counter_of(const struct script *script, uint64_t word, int idx);
/* Prints a word for each branch, as many letters as were counted. */
void counters_show(struct script *script, const struct view *view, const struct xp_sample *sample);

/* --- frames.c --- */

/* Prints address, function and file, as far as @fields say. Returns 0 or -ENOMEM. */
int frame_show(struct script *script, uint64_t fields, const struct where *where);
/* Prints the call chain of a sample, a line each. Returns 0 or a negative errno. */
int chain_show(struct script *script, const struct view *view, const struct xp_sample *sample);
/*
 * Calls @fn for each entry of the call chain that is shown. Returns 0, what @fn returned if that is
 * negative; it is the last one if that is positive.
 */
int chain_each(struct script *script, const struct view *view, const struct xp_sample *sample,
	       int (*fn)(struct script *script, const struct view *view,
			 const struct where *where));

/* --- branches.c, regs.c, data-source.c: parts of a sample --- */

int branches_show(struct script *script, uint64_t fields, const struct xp_sample *sample);
/* Returns "" for an unknown one. */
const char *branch_type(uint64_t flags);
int branch_frame(struct script *script, const struct xp_sample *sample, uint64_t ip,
		 struct xp_frame *ret_frame);
void regs_show(struct script *script, const struct xp_regs *regs);
/* The name of the register of a bit, perhaps in @buf. */
const char *reg_name(const struct xp_arch_regs *machine, int bit, char *buf, size_t size);

/* --- missing.c --- */

/* Remembers a place that has no function. */
void missing_note(struct script *script, const struct xp_frame *frame);
/* Reports why. */
void missing_print(struct script *script, FILE *file);

/* --- counts.c --- */

/*
 * Adds a record of `stat record`; at the end of a round prints what was counted, as a table.
 * Returns 0, or -ENOMEM. Other records are passed over.
 */
int counts_add(struct script *script, const struct xp_record *record);
void counts_free(struct counts *counts);

/* --- side.c --- */

/* True if the user wants to see records of this type. */
bool side_is_shown(const struct config *config, uint32_t type);
void side_show(struct script *script, const struct xp_record *record);
/* What a record says, behind its name; for types that are not shown on their own, a line's end. */
void side_body(struct sink *out, const struct xp_record *record);
/* dump-made.c: the same of records that no kernel writes. Returns false for other types. */
bool dump_made(struct sink *out, const struct xp_record *record);

#endif
