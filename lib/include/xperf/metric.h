/* SPDX-License-Identifier: MIT */
/* Metrics by name, as files describe them. */
#ifndef XPERF_METRIC_H
#define XPERF_METRIC_H

#include <xperf/api.h>

struct xp_diag;
struct xp_formula;

XP_BEGIN_DECLS

/**
 * struct xp_metric_def - a metric of a file; texts are "" where the file has none
 * @name:      "insn_per_cycle"
 * @groups:    names of the groups it is in, with blanks between them
 * @brief:     what it is, in one sentence
 * @text:      what it means, and what can be done
 * @events:    the events it is computed from, with blanks between them
 * @formula_text, @threshold_text: as in the file
 * @unit:      of the value that is shown
 * @origin:    the file
 * @scale:     what the formula's value is multiplied with to be in @unit
 * @formula:   its value
 * @threshold: not 0: the value is remarkable. In it, @name is the formula's value. NULL: none
 * @line:      in the file
 */
struct xp_metric_def {
	const char *name;
	const char *groups;
	const char *brief;
	const char *text;
	const char *events;
	const char *formula_text;
	const char *threshold_text;
	const char *unit;
	const char *origin;
	double scale;
	const struct xp_formula *formula;
	const struct xp_formula *threshold;
	int line;
	uint8_t padding[4]; /* never used */
};

/** struct xp_metric_group - a group of metrics; @text is "" where no file describes it */
struct xp_metric_group {
	const char *name;
	const char *text;
};

/** struct xp_metric_defs - the metrics of some files */
struct xp_metric_defs;

/**
 * xp_metric_defs_new - make an empty set. Returns 0 or -ENOMEM.
 */
XP_API int xp_metric_defs_new(struct xp_metric_defs **ret_defs);
/**
 * xp_metric_defs_free - free a set with its metrics; may be NULL
 */
XP_API void xp_metric_defs_free(struct xp_metric_defs *defs);

/**
 * xp_metric_defs_parse - add the metrics of a file
 * @text:   the file's @len bytes; xperf-metrics(5) describes them
 * @origin: name of the file, for messages; copied
 * @diag:   on failure, what is wrong, with the number of the line; may be NULL
 *
 * A metric replaces one of the same name of an earlier file. On failure nothing is added.
 *
 * Returns 0, -EINVAL (the file is wrong), -E2BIG (it is too large), -ENOMEM.
 */
XP_API int xp_metric_defs_parse(struct xp_metric_defs *defs, const char *text, size_t len,
				const char *origin, struct xp_diag *diag);

/**
 * xp_metric_defs_nr - number of metrics. Returns >= 0.
 */
XP_API int xp_metric_defs_nr(const struct xp_metric_defs *defs);
/**
 * xp_metric_defs_at - a metric, in the order of the files. Returns it, valid until a file is added
 * or the set is freed; NULL outside 0 .. nr-1.
 */
XP_API const struct xp_metric_def *xp_metric_defs_at(const struct xp_metric_defs *defs, int idx);
/**
 * xp_metric_defs_find - a metric by its name. Returns it, or NULL.
 */
XP_API const struct xp_metric_def *xp_metric_defs_find(const struct xp_metric_defs *defs,
						       const char *name);
/**
 * xp_metric_defs_group - a group that a file describes or a metric is in. Returns it, valid as a
 * metric is; NULL outside 0 .. nr-1.
 */
XP_API const struct xp_metric_group *xp_metric_defs_group(const struct xp_metric_defs *defs,
							  int idx);

/**
 * xp_metric_defs_check - find out whether all names in the formulas of a metric have a meaning
 * @diag: on failure, which name has none, or which metrics need each other; may be NULL
 *
 * Returns 0, -ENOENT (a name is no event of the metric, and no metric), -ELOOP (it needs itself).
 */
XP_API int xp_metric_defs_check(const struct xp_metric_defs *defs, const struct xp_metric_def *def,
				struct xp_diag *diag);

/**
 * xp_metric_def_has_event - whether a metric lists an event. Returns true or false.
 */
XP_API bool xp_metric_def_has_event(const struct xp_metric_def *def, const char *name);

XP_END_DECLS

#endif
