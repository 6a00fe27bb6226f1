/* SPDX-License-Identifier: MIT */
/* What the kinds of probes share. */
#ifndef EVSEL_PROBE_KINDS_H
#define EVSEL_PROBE_KINDS_H

#include <xperf/attr.h>

#include "probe-text.h"
#include "resolver.h"

/* A probe while it is put together. */
struct xp_probe {
	struct xp_resolver *r;
	const struct xp_ast_event *ast;
	struct xp_probe_text text;
	const char *pmu;
	struct xp_attr attr;
};

/* Says what is wrong, and what to do; @hint may be "". Returns @err. */
int xp_probe_complain(const struct xp_probe *p, int err, struct xp_span span, const char *what,
		      const char *hint);

/* Passes on what is wrong with the file of field 0, or with @name in it. Returns the error. */
int xp_probe_blame_file(const struct xp_probe *p, struct xp_span name, const struct xp_diag *diag);

/* Begins the attribute with the number of the PMU. Returns 0 or -ENOENT. */
int xp_probe_find_pmu(struct xp_probe *p, const char *pmu);

/* Writes a value into an attribute. Returns 0, or -EOPNOTSUPP when @what has been said. */
int xp_probe_write_format(const struct xp_probe *p, const char *format, uint64_t value,
			  struct xp_attr *attr, struct xp_span span, const char *what);

/* Parses a field as the modifiers, if there is one; nothing may follow it. Returns 0, -EINVAL. */
int xp_probe_parse_modifiers(const struct xp_probe *p, int field);

/*
 * Parses the quoted or plain text of a field, the caller's.
 * @what: it is; @form: how the probe is written
 * Returns 0, -EINVAL, -ENOMEM.
 */
int xp_probe_parse_text(const struct xp_probe *p, int field, const char *what, const char *form,
			char **ret_text);

/* Adds an event with its target, which the attribute points to; NULL: none. Returns 0, -ENOMEM. */
int xp_probe_add(const struct xp_probe *p, const struct xp_attr *attr, const char *target,
		 const char *name);
/* Likewise, named as it is written. */
int xp_probe_add_as_written(const struct xp_probe *p, const struct xp_attr *attr,
			    const char *target);

/* The kinds. Return 0 when the events are added, or why not. */
int xp_probe_resolve_user(struct xp_probe *p);
int xp_probe_resolve_kernel(struct xp_probe *p);
int xp_probe_resolve_sdt(struct xp_probe *p);
int xp_probe_resolve_memory(struct xp_probe *p);

#endif
