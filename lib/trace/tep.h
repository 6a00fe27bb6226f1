/* SPDX-License-Identifier: MIT */
/* Records of tracepoints as text, by libtraceevent. */
#ifndef TRACE_TEP_H
#define TRACE_TEP_H

#include <sys/types.h>
#include <xperf/api.h>

#include "traces.h"

struct xp_diag;
struct xp_tep;
struct xp_tracepoint_field;

/* What the recording machine was. */
struct xp_tep_machine {
	bool big_endian;
	int long_bytes;
	int page_bytes;
};

/* Returns 0, -ENOSYS (no libtraceevent; @diag says so), -ENOMEM. */
int xp_tep_new(const struct xp_tep_machine *machine, struct xp_tep **ret_tep, struct xp_diag *diag);
void xp_tep_free(struct xp_tep *tep);
/* Gives the name of a function of the kernel, or of a format that its records point to. */
void xp_tep_add_function(struct xp_tep *tep, const char *name, uint64_t address);
void xp_tep_add_format(struct xp_tep *tep, const char *text, uint64_t address);
/* Whom to ask for others. */
void xp_tep_set_functions(struct xp_tep *tep, xp_traces_function_fn fn, void *data);
/* Reads the text of a format file; *ret_event is the library's. Returns 0 or -EBADMSG. */
int xp_tep_add_event(struct xp_tep *tep, const char *system, const char *text, size_t len,
		     void **ret_event);
/* Valid until the next call. Returns its length, -EBADMSG (the record ends before its fields do),
 * or -ENOMEM. */
ssize_t xp_tep_text(struct xp_tep *tep, void *event, int cpu, const void *raw, size_t len,
		    const char **ret_text);
/* From its fields alone. Returns likewise. */
ssize_t xp_tep_raw_text(struct xp_tep *tep, void *event, const void *raw, size_t len,
			const char **ret_text);
/* Finds a field of its own. Returns 0 or -ENOENT. */
int xp_tep_field(void *event, const char *name, struct xp_tracepoint_field *ret_field);
/* What a field holds, as xp_tep_text(). */
ssize_t xp_tep_field_text(struct xp_tep *tep, void *event, const char *name, const void *raw,
			  size_t len, const char **ret_text);
/* Calls @fn with the name of each field of its own. */
void xp_tep_fields(void *event, void (*fn)(const char *name, void *data), void *data);

#endif
