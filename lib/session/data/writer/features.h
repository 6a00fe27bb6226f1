/* SPDX-License-Identifier: MIT */
/* The features the writer makes itself: of the machine, of the events, of the writing. */
#ifndef SESSION_FEATURES_H
#define SESSION_FEATURES_H

#include <string.h>
#include <xperf/api.h>

#include "str.h"

struct xp_ctx;
struct xp_data_event;
struct xp_data_writer;
struct xp_str;

/* What features are made of. */
struct xp_feature_source {
	struct xp_ctx *ctx;
	const struct xp_data_event *events;
	int nr_events;
	int argc;
	const char *const *argv;
};

/* Adds the body of a feature. Returns 0, or a negative errno: it cannot be known, and is left out.
 */
typedef int (*xp_feature_fn)(const struct xp_feature_source *from, struct xp_str *out);

/* Cuts a file's text to its first line. Returns it. */
static inline char *first_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* features-host.c */
int xp_feature_hostname(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_osrelease(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_version(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_arch(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_cmdline(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_cpudesc(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_cpuid(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_clockid(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_clock_data(const struct xp_feature_source *from, struct xp_str *out);

/* features-cpus.c */
int xp_feature_nrcpus(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_cpu_topology(const struct xp_feature_source *from, struct xp_str *out);
/* One more than the highest number of a CPU that is present. Returns it, 0: not known. */
int xp_nr_cpus_present(struct xp_ctx *ctx);

/* features-cache.c */
int xp_feature_cache(const struct xp_feature_source *from, struct xp_str *out);

/* features-memory.c */
int xp_feature_total_mem(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_numa_topology(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_mem_topology(const struct xp_feature_source *from, struct xp_str *out);

/* features-pmus.c */
int xp_feature_pmu_mappings(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_cpu_pmu_caps(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_pmu_caps(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_hybrid_topology(const struct xp_feature_source *from, struct xp_str *out);

/* features-tracing.c */
int xp_feature_tracing_data(const struct xp_feature_source *from, struct xp_str *out);

/* features-events.c */
int xp_feature_event_desc(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_group_desc(const struct xp_feature_source *from, struct xp_str *out);
int xp_feature_branch_stack(const struct xp_feature_source *from, struct xp_str *out);

/* Those without which a recording is not complete: names of events, compression. Returns 0 or
 * -ENOMEM. */
int xp_features_start(struct xp_data_writer *w);
/* Those that are known at the end: where AUX data are, what compression has achieved. Likewise. */
int xp_features_finish(struct xp_data_writer *w);

#endif
