/* SPDX-License-Identifier: MIT */
/* A tree as an HTML report has it: frames that look alike are one, whatever task they are of, and
 * everything is sorted, so that equal trees give equal reports. */
#ifndef EXPORT_HTML_TREE_H
#define EXPORT_HTML_TREE_H

#include "format.h"
#include "html-bytes.h"
#include "json.h"

/* Source: docs/html-report.md. */
enum html_kind {
	HTML_USER,
	HTML_KERNEL,
	HTML_JIT,
	HTML_INLINED,
	HTML_OFF_CPU,
	HTML_UNKNOWN,
	HTML_GUEST,
	HTML_GROUP,
	HTML_CUT,
};

enum { HTML_ROOT = 0, HTML_NO_CHAIN = UINT32_MAX };

/* Texts of html->texts. @rank: its number in the report, which is its place by name, file, kind */
struct html_frame {
	const char *name, *file;
	uint32_t kind, unused;
	uint64_t rank; /* value */
};

/* @frame: of html->frames. @number: depth first; @chain: HTML_NO_CHAIN: none ends
 * there; @next: where the search for their numbers goes on */
struct html_node {
	uint32_t parent, frame;
	uint32_t number, depth, chain, next; /* value */
	uint64_t nr_joined;
};

/* What was counted of an event where a chain ends. */
struct html_sum {
	uint64_t samples, weight, base;
};

/* An event that is written. @number: in the tree. Weights are multiples of @step; those of samples
 * are of @sample_step, and rounded to it unless @exact */
struct html_event {
	uint32_t number;
	bool exact;
	uint64_t step, sample_step;
};

struct html {
	const struct export *export;
	struct xp_intern texts;
	struct table frames, nodes; /* struct html_frame, struct html_node */
	uint32_t *by_rank;          /* frames in their order */
	uint32_t *order;            /* nodes, depth first */
	uint32_t *chains;           /* nodes where chains end, in that order */
	uint32_t nr_chains;
	struct html_event *events;
	uint32_t nr_events;
	struct html_sum *sums;  /* nr_events of each chain */
	uint32_t *places[2];    /* per event of the tree and of its base: see html-tree.c */
	uint32_t *nodes_of[2];  /* per call of the tree and of its base, the node; 0: not met yet */
	uint32_t *frames_of[2]; /* per frame of these; 0: not met yet, else its number + 1 */
};

static inline struct html_frame *html_frame(const struct html *html, uint32_t nr)
{
	return xp_table_at(&html->frames, nr);
}
static inline struct html_node *html_node(const struct html *html, uint32_t nr)
{
	return xp_table_at(&html->nodes, nr);
}

/* Makes it; xp_html_fini() in any case. Returns 0 or -ENOMEM. */
int xp_html_init(struct html *html, const struct export *export);
void xp_html_fini(struct html *html);
/* The node where a stack of the tree ends. */
uint32_t xp_html_node_of(struct html *html, const struct tree_stack *stack);

/* html-blocks.c: add the columns of a block. */
int xp_html_frames(const struct html *html, struct bytes *bytes);
int xp_html_nodes(const struct html *html, struct bytes *bytes);

/* html-samples.c: what was counted by thread and time. @threads: tasks of the tree, one per thread,
 * in their order in the report */
struct html_samples {
	struct html *html;
	uint32_t *threads; /* tasks */
	uint32_t nr_threads;
	uint32_t *thread_of; /* per task */
};
int xp_html_samples_init(struct html_samples *samples, struct html *html);
void xp_html_samples_fini(struct html_samples *samples);
int xp_html_samples(const struct html_samples *samples, struct bytes *bytes);

/* html-code.c: writes the code of functions. Returns 0 or -ENOMEM. */
int xp_html_code(const struct html *html, struct json *json);

#endif
