/* SPDX-License-Identifier: MIT */
/* What the user asked `xperf record` for. */
#ifndef CLI_RECORD_CONFIG_H
#define CLI_RECORD_CONFIG_H

#include <xperf/sampling.h>

#include "cli.h"
#include "control.h"
#include "events.h"
#include "target.h"
#include "values.h"

enum { COMPRESS_MAX = 22 };

/* Three answers to yes or no. */
enum choice { CHOICE_DEFAULT, CHOICE_YES, CHOICE_NO };

/* Who decides how callers are found: --call-graph, or xperf after --call-graph auto, or -g alone.
 */
enum call_graph_choice { CALL_GRAPH_AS_GIVEN, CALL_GRAPH_AUTO, CALL_GRAPH_PLAIN };

struct record_config {
	/* what is recorded */
	struct event_args events;
	const char *syscalls; /* names of those that are recorded, "": all; NULL: none */
	bool group;           /* all of them are one */
	struct xp_sampling_opts sampling; /* not its last part, which follows from the target */
	enum call_graph_choice call_graph;
	bool chain_was_chosen;     /* by xperf */
	enum choice walks;         /* the kernel walks stacks by rules at each sample */
	const char *default_chain; /* what -g without a mode means; NULL: xperf decides */
	const char *default_dump;  /* bytes of stack, where that is "dwarf" */
	enum choice period_wanted;
	bool has_freq; /* -F was given */
	bool freq_is_max;
	bool no_join; /* call chains end where the copy of the stack does */
	bool off_cpu; /* waits are sampled, too */
	bool sched;   /* what tasks do is recorded */
	bool wakers;  /* and who ends them */
	uint64_t off_cpu_min_ns;
	uint64_t sums_ns;   /* --bpf: how often sums are written; 0: each sample is */
	bool sums_by_rules; /* their callers are found by rules, where the kernel can */
	bool no_fallback;   /* cycles that cannot be sampled make it fail */

	/* of whom, and when */
	struct target_args target;
	bool per_thread;
	enum choice inherit;
	struct delay delay;
	char **workload; /* NULL-terminated; NULL: none */
	struct control_place control;

	/* how it is taken */
	size_t pages; /* 0: the default */
	size_t aux_pages;
	bool pages_rounded; /* not the number that was given */
	bool aux_snapshot;
	uint64_t flush_bytes;
	int realtime;
	unsigned int synth; /* SYNTH_... */
	int map_timeout_ms;
	bool tail_synthesize;

	/* where it goes */
	const char *output; /* "-": standard output */
	int compress_level;
	uint64_t max_bytes; /* 0: no limit */
	int max_cpu;        /* percent of the machine's time; 0: any */
	struct switch_rule rule;
	struct event_args switch_events;
	int max_files; /* 0: all are kept */
	bool timestamp_filename;
	enum choice build_ids;
	enum choice cache_build_ids;
	bool all_build_ids;
	bool kcore;
	const char *flamegraph; /* drawn in the end; NULL: none */
	bool open;              /* shown in the end */

	bool dry_run;
	int verbose;
	bool quiet;
	const char *without_effect[16]; /* options that were given and change nothing */
	int nr_without_effect;
};

/*
 * Parses and checks the command line; the strings stay in @argv. Returns true, or false if the
 * program ends with *ret_status; in any case record_config_fini() follows.
 */
bool record_config_init(struct record_config *config, int argc, char **argv, int *ret_status);
void record_config_fini(struct record_config *config);

/* True if what is recorded goes to standard output as a stream. */
bool record_to_pipe(const struct record_config *config);
/* The descriptor it goes to: -o -, and names of open descriptors like /dev/stdout. -1: to a file.
 */
int record_stream_fd(const struct record_config *config);

/* Records all tasks, also where a command is started. */
void record_config_watch_all(struct record_config *config);

/* The option table. */
extern const struct option record_options[];

/* The entry of the command's row. */
int record_main(const struct cli *cli, int argc, char **argv);

#endif
