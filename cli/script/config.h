/* SPDX-License-Identifier: MIT */
/* What the options of `script` say. */
#ifndef SCRIPT_CONFIG_H
#define SCRIPT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "fields.h"
#include "recording.h"

struct xp_diag;

/* The options as they were given. */
struct values {
	struct recording_opts read;
	const char *stop_bt;
	bool hide_chains, ns, header, header_only, full_header;
	bool show_mmap, show_task, show_namespaces, show_switch, show_lost, show_rounds, show_bpf,
		show_cgroup, show_text_poke;
	bool reltime, deltatime;
	bool json, per_event_dump, dump;
	const char *script; /* in Python */
	char **arguments;   /* its own */
	bool list_scripts;
	bool no_inlines, full_paths;
	bool only_check; /* the order of samples */
	bool ignored;    /* by options that change nothing here */
	int max_stack;
	int max_blocks; /* of code between branches; 0: all */
	int verbose;
	struct fields fields; /* of -F */
};

struct config {
	const struct values *values;
	struct words stops; /* of --stop-bt */
};

/* Returns 0, or -1 with the reason in @diag. */
int config_make(const struct values *values, struct config *config, struct xp_diag *diag);
void config_fini(struct config *config);

#endif
