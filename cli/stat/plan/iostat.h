/* SPDX-License-Identifier: MIT */
/* --iostat: what goes through each PCIe root port. */
#ifndef CLI_STAT_IOSTAT_H
#define CLI_STAT_IOSTAT_H

#include "stat-config.h"

struct xp_evlist;

enum { IOSTAT_COLUMNS = 4, IOSTAT_PORT_LEN = 16 };

/* One value per port each. */
extern const char *const iostat_titles[IOSTAT_COLUMNS];

/* Megabytes, of 2^20 bytes as perf's, in one count. */
#define IOSTAT_MB_PER_COUNT (4.0 / (1 << 20))

struct iostat_port {
	char name[IOSTAT_PORT_LEN]; /* "0000:17" */
	char *pmu;
	int die;
	int cpu;
	int nr_parts;    /* of the stack, as struct xp_root_port has it */
	int first_event; /* position in the list; the other columns' follow */
};

struct iostat {
	struct iostat_port *at;
	int nr;
};

/*
 * Finds the ports. @wanted: "0000:17,0:3a"; NULL: all there are. Returns 0 or a negative errno with
 * @diag filled; in any case iostat_fini() follows.
 */
int iostat_find(struct iostat *iostat, struct xp_ctx *ctx, const char *wanted,
		struct xp_diag *diag);
/* Appends the events of all ports to a list. Returns likewise. */
int iostat_plan(struct iostat *iostat, struct xp_evlist *evlist, struct xp_diag *diag);
/* --iostat=list: prints the ports to stdout. Returns the exit status; @config is gone. */
int iostat_list(const struct cli *cli, struct stat_config *config);
void iostat_fini(struct iostat *iostat);

#endif
