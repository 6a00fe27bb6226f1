/* SPDX-License-Identifier: MIT */
/* Event strings to events. */
#ifndef EVSEL_PARSE_H
#define EVSEL_PARSE_H

#include <xperf/symbol.h>

struct xp_ctx;
struct xp_diag;
struct xp_evsel;

/*
 * How the content of ELF files is looked up, for probes and breakpoints at symbols:
 * <xperf/symbol.h>, given from above.
 */
struct xp_elf_lookup {
	__typeof__(xp_symbol_find) *find_symbol;
	__typeof__(xp_sdt_walk) *walk_sdt;
};

/* One event of a string: events with the same @group >= 0 stand in one pair of braces. */
struct xp_parsed_event {
	struct xp_evsel *evsel;
	int group; /* -1: outside groups; groups are numbered from 0 in order */
	bool weak; /* the group carries ":W" */
};

struct xp_parsed {
	struct xp_parsed_event *at;
	int nr;
};

/*
 * Parses an event string into new events, which are the caller's.
 * @elf: how files are looked into
 * Returns 0, or as xp_evlist_parse().
 */
int xp_events_parse(struct xp_ctx *ctx, const struct xp_elf_lookup *elf, const char *text,
		    struct xp_parsed *ret_parsed, struct xp_diag *diag);

/* Likewise, of vendor events only. */
int xp_vendor_events_parse(struct xp_ctx *ctx, const char *text, struct xp_parsed *ret_parsed,
			   struct xp_diag *diag);

/* Frees the array and the events still in it (those set to NULL have moved away). */
void xp_parsed_fini(struct xp_parsed *parsed);

#endif
