/* SPDX-License-Identifier: MIT */
/* What the options of `script` say. */
#ifndef SCRIPT_CONFIG_H
#define SCRIPT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "fields.h"

/* The options as they were given. */
struct values {
	const char *input;
	const char *comms, *cpus, *pids, *tids, *symbols, *dsos;
	const char *time, *stop_bt, *addr_range, *switch_on, *switch_off;
	const char *symfs, *vmlinux, *kallsyms;
	bool force, hide_chains, ns, header, header_only, full_header;
	bool demangle_off, demangle_kernel, debuginfod;
	bool show_mmap, show_task, show_namespaces, show_switch, show_lost, show_rounds, show_bpf,
		show_cgroup, show_text_poke;
	bool reltime, deltatime, show_on_off;
	bool json, per_event_dump, dump;
	bool inlines, full_paths;
	bool only_check; /* the order of samples */
	bool ignored;    /* by options that change nothing here */
	int max_stack;
	int verbose;
	struct fields fields; /* of -F */
};

/* Texts that were separated by commas. */
struct list {
	char **at;
	int nr;
};

/* Both ends are part of it. */
struct time_range {
	uint64_t first_ns, last_ns;
};

struct config {
	const struct values *values;
	struct list comms, symbols, dsos, stops;
	struct list pids, tids;
	uint64_t *addresses; /* of -S */
	int nr_addresses;
	uint64_t addr_range;  /* so far behind each of them, inclusive */
	struct xp_cpus *cpus; /* NULL: all */
};

/* Returns 0, or -1 with the reason in @diag. */
int config_make(const struct values *values, struct config *config, struct xp_diag *diag);
void config_fini(struct config *config);
/* True if it has @text, or is empty. */
bool list_allows(const struct list *list, const char *text);
bool list_allows_number(const struct list *list, int32_t number);

/*
 * Reads --time: "A,B", either may be missing, in seconds; "10%/2", "0%-20%"; several separated by
 * blanks or, of the latter two, by commas. @first_ns, @last_ns: of the samples. Returns 0, or -1
 * with the reason in @diag.
 */
int ranges_parse(const char *text, uint64_t first_ns, uint64_t last_ns, struct time_range **ret,
		 int *ret_nr, struct xp_diag *diag);

#endif
