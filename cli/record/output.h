/* SPDX-License-Identifier: MIT */
/* Where a recording goes: one file, several after each other, or a stream. */
#ifndef CLI_RECORD_OUTPUT_H
#define CLI_RECORD_OUTPUT_H

#include <sys/types.h>
#include <xperf/api.h>

#include "config.h"

struct xp_build_ids;
struct xp_ctx;
struct xp_data_writer;
struct xp_diag;
struct xp_evlist;

struct output {
	struct xp_ctx *ctx;
	const struct record_config *config;
	const char **argv; /* the command line, the program's path first */
	int argc;
	struct xp_evlist *evlist; /* open, with rings, when the first writer is made */
	const struct target *target;
	const char *path; /* as it is written to */
	char *followed;   /* where the link leads to that was named; NULL: it was none */
	int stream_fd;    /* -1: it is no stream */
	bool has_old;     /* there was a recording, which was renamed */
	dev_t device;     /* of the regular file that is written; inode 0: it is none */
	ino_t inode;
	char **kept; /* with --switch-max-files: files that are there, oldest first */
	int nr_kept;
};

/* What is known of a file when it is complete. */
struct output_end {
	struct xp_build_ids *build_ids; /* NULL: none are written */
	uint64_t first_ns, last_ns;     /* times of samples; 0, 0: none */
	char *missing;                  /* what no record tells of, a line each; NULL: nothing */
};

/* What became of it. */
struct output_file {
	char *name; /* the caller's to free */
	uint64_t bytes;
	dev_t device; /* inode 0: it is no regular file */
	ino_t inode;
	bool is_gone; /* it is not at its name any more */
};

/*
 * @cli, @argc, @argv: as the command got them. A stream takes the place of standard output, which
 * then is standard error for everybody else. Returns 0 or a negative errno with @diag filled.
 */
int output_init(struct output *output, struct xp_ctx *ctx, const struct record_config *config,
		const struct cli *cli, int argc, char **argv, struct xp_diag *diag);

/* Makes the next file, with everything that describes events and machine. Returns likewise. */
int output_begin(struct output *output, struct xp_data_writer **ret_writer, struct xp_diag *diag);

/*
 * Gives the file that is being written the name it has from now on, so that the next one can be
 * begun. Returns likewise; then it keeps its name.
 */
int output_name(struct output *output, struct output_file *ret_file, struct xp_diag *diag);

/* Completes the file @file. Frees @writer and @end's text, also on failure. Returns likewise. */
int output_end(struct output *output, struct xp_data_writer *writer, const struct output_end *end,
	       struct output_file *file, struct xp_diag *diag);

/* Says why the recording cannot be written, and to where. Returns @err. */
int output_failed(const struct output *output, int err, struct xp_diag *diag);

/* Nothing was recorded: what was there before is there again. @writer is freed. */
void output_discard(struct output *output, struct xp_data_writer *writer);

void output_fini(struct output *output);

#endif
