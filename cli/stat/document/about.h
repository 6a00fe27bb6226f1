/* SPDX-License-Identifier: MIT */
/* What counts are of: the machine, the command line, the environment. */
#ifndef CLI_STAT_ABOUT_H
#define CLI_STAT_ABOUT_H

#include <xperf/doctor.h>

#include "stat-config.h"

struct json;
struct recording;

/* Texts are NULL, and numbers 0, where they are not known. */
struct stat_about {
	const struct stat_config *config;
	const char
		*recording; /* the file of counts that were recorded; NULL: they are counted now */
	const char *recorder; /* what it was written by */
	const char *host;
	const char *kernel;
	const char *machine; /* uname(2) */
	const char *cpu;
	int nr_cpus_online;
	struct xp_disturbance disturbance; /* size 0: not known */
	uint64_t started_ns;               /* CLOCK_REALTIME */
	const char **arguments;            /* those of the program, after its name */
	int nr_arguments;
	char *texts[4]; /* of them, what is owned */
};

/* Of this machine, now; @argv is borrowed. Returns 0 or -ENOMEM. */
int stat_about_here(struct stat_about *about, const struct stat_config *config, struct xp_ctx *ctx,
		    int argc, char **argv);
/* As the header of a recording says, from which texts are borrowed. Returns likewise. */
int stat_about_recorded(struct stat_about *about, const struct stat_config *config,
			const struct recording *rec);
void stat_about_fini(struct stat_about *about);

/* Members of an object. */
void stat_about_put(const struct stat_about *about, struct json *json);

#endif
