/* SPDX-License-Identifier: MIT */
/* What the parts of synthesis share: the options, and the record being made. */
#ifndef SESSION_SYNTH_EMIT_H
#define SESSION_SYNTH_EMIT_H

#include <limits.h>
#include <xperf/synth.h>

#include "ctx.h"
#include "lines.h"

enum {
	SYNTH_ID_MAX = 256, /* more than any trailer has */
	SYNTH_RECORD_MAX = 128 + PATH_MAX + SYNTH_ID_MAX,
	SYNTH_NR_IDS = 256, /* a power of two */
	BUILD_ID_MAX = 20,
};

/* A build id from the kernel; a direct-mapped cache, so it is never full. */
struct synth_id {
	uint64_t inode;
	uint32_t major, minor;
	uint8_t len; /* 0: it has none */
	uint8_t id[BUILD_ID_MAX];
};

struct synth {
	struct xp_ctx *ctx;
	struct xp_synth_opts opts;
	xp_record_fn fn;
	void *data;
	bool no_query; /* this kernel has no PROCMAP_QUERY */
	struct synth_id ids[SYNTH_NR_IDS];
	union { /* the record being made; only its beginning has one of these shapes */
		struct xp_record header;
		struct xp_record_mmap mmap;
		struct xp_record_mmap2 mmap2;
		struct xp_record_comm comm;
		struct xp_record_task task;
		struct xp_record_namespaces namespaces;
		struct xp_record_cgroup cgroup;
		struct xp_record_ksymbol ksymbol;
		char bytes[SYNTH_RECORD_MAX];
	} rec;
	struct lines lines; /* last: its buffer is not zeroed */
};

/* Makes the state of one call. Returns 0, -EINVAL (@opts is of a newer library), -ENOMEM. */
int xp_synth_new(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn, void *data,
		 struct synth **ret_synth);
/* @synth may be NULL. */
void xp_synth_free(struct synth *synth);

/* Begins a record: its first @fixed bytes are zero but for the header. */
void xp_synth_begin(struct synth *synth, uint32_t type, uint16_t misc, size_t fixed);
/*
 * Hands out the record: @fixed bytes, then @name (@len bytes; it may be in place already) with its
 * NUL, padded, and the trailer's place. Without a name @len is 0 and @name is NULL.
 * Returns what the callback returned.
 */
int xp_synth_emit(struct synth *synth, size_t fixed, const char *name, size_t len);

/* The maps of a process, as MMAP2 records (synth-maps.c). Returns 0 or what the callback returned.
 */
int xp_synth_maps(struct synth *synth, pid_t pid);

#endif
