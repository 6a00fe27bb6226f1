/* SPDX-License-Identifier: MIT */
/* An event string as written, before any name in it means anything. */
#ifndef EVSEL_AST_H
#define EVSEL_AST_H

#include "source.h"

/* NAME or NAME=VALUE between slashes. */
struct xp_ast_term {
	struct xp_span name;
	struct xp_span value; /* absent: NAME alone */
};

/* PMU::EVENT:MASK:MASK:NAME=VALUE has the most. */
enum { XP_AST_PARTS_MAX = 24 };

/* PART[:PART[=VALUE]...][/TERMS/[:][MODIFIERS]], or mem:ADDRESS/LENGTH[:PART...] */
struct xp_ast_event {
	struct xp_span whole;
	struct xp_span parts[XP_AST_PARTS_MAX]; /* what colons separate; may be empty */
	int nr_parts;
	struct xp_span length; /* of a breakpoint; absent: not given */
	struct xp_span probe;  /* all behind the first colon of a probe; absent: it is none */
	bool has_terms;
	int first_term;
	int nr_terms;
	struct xp_span modifiers; /* behind the terms; absent: none */
	int group;                /* -1: outside groups */
};

/* NAME{EVENT,...}:MODIFIERS */
struct xp_ast_group {
	struct xp_span name;      /* absent: none */
	struct xp_span modifiers; /* absent: none */
	int nr_events;            /* as written */
};

/* Zero-initialised is empty; free with xp_ast_fini(). The parts point into the parsed text. */
struct xp_ast {
	struct xp_ast_event *events;
	int nr_events, cap_events;
	struct xp_ast_term *terms;
	int nr_terms, cap_terms;
	struct xp_ast_group *groups;
	int nr_groups, cap_groups;
};

void xp_ast_fini(struct xp_ast *ast);

#endif
