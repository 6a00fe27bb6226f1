/* SPDX-License-Identifier: MIT */
/* Formats of samples in the order of time. */
#ifndef EXPORT_STREAM_H
#define EXPORT_STREAM_H

#include "format.h"
#include "str.h"

/* A sample, with numbers of the tree. @call: NO_CALL: it has none; @cpu: -1: not recorded */
struct stream_sample {
	uint64_t time_ns, period;
	uint32_t event, task, call;
	int32_t cpu;
};

/* Texts are of the tree. @to_ns: @from_ns: it is a moment */
struct stream_mark {
	uint64_t from_ns, to_ns;
	const char *name, *text;
	uint32_t task;
};

/* @event: of the tree; @task: that stands for what was counted */
struct stream_count {
	uint64_t from_ns, to_ns;
	double value;
	uint32_t event, task;
};

/* @state: the format's own, @state_bytes of zeros before begin. Each returns 0 or a negative errno;
 * @end is called after all samples, @free in any case. Any may be NULL. */
struct stream_format {
	size_t state_bytes;
	int (*begin)(const struct export *export, void *state);
	int (*sample)(const struct export *export, void *state, const struct stream_sample *sample);
	int (*mark)(const struct export *export, void *state, const struct stream_mark *mark);
	int (*count)(const struct export *export, void *state, const struct stream_count *count);
	int (*end)(const struct export *export, void *state);
	void (*free)(void *state);
};

extern const struct stream_format xp_stream_chrome, xp_stream_csv, xp_stream_firefox,
	xp_stream_jsonl, xp_stream_sqlite;

/* Frames of a call chain as folded stacks have them, the outermost first, put together in @text.
 * Returns 0 or -ENOMEM. */
int xp_chain_text(const struct xp_tree *tree, uint32_t call, struct xp_str *text);

#endif
