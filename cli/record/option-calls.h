/* SPDX-License-Identifier: MIT */
/* What the rows of record's option table call: each parses one occurrence (see option_fn). */
#ifndef CLI_RECORD_OPTION_CALLS_H
#define CLI_RECORD_OPTION_CALLS_H

#include "options.h"

/* @offset is a bit of enum xp_sampling_flag. */
int parse_flag(const struct option *option, const char *arg, bool negated, void *values);
/* @offset is that of an enum choice. */
int parse_choice(const struct option *option, const char *arg, bool negated, void *values);
/* The same for "--no-NAME". */
int parse_refusal(const struct option *option, const char *arg, bool negated, void *values);
/* @offset is that of an uint64_t: bytes. */
int parse_size(const struct option *option, const char *arg, bool negated, void *values);
/* Accepted for scripts; changes nothing. */
int accept_without_effect(const struct option *option, const char *arg, bool negated, void *values);

int parse_freq(const struct option *option, const char *arg, bool negated, void *values);
int parse_count(const struct option *option, const char *arg, bool negated, void *values);
int parse_callgraph(const struct option *option, const char *arg, bool negated, void *values);
int parse_default_callgraph(const struct option *option, const char *arg, bool negated,
			    void *values);
int parse_timestamp(const struct option *option, const char *arg, bool negated, void *values);
int parse_branch_any(const struct option *option, const char *arg, bool negated, void *values);
int parse_branch_filter(const struct option *option, const char *arg, bool negated, void *values);
int parse_regs(const struct option *option, const char *arg, bool negated, void *values);
int parse_clock(const struct option *option, const char *arg, bool negated, void *values);
int parse_pages(const struct option *option, const char *arg, bool negated, void *values);
int parse_delay(const struct option *option, const char *arg, bool negated, void *values);
int parse_snapshot(const struct option *option, const char *arg, bool negated, void *values);
int parse_aux_sample(const struct option *option, const char *arg, bool negated, void *values);
int parse_synth(const struct option *option, const char *arg, bool negated, void *values);
int parse_compress(const struct option *option, const char *arg, bool negated, void *values);
int parse_switch(const struct option *option, const char *arg, bool negated, void *values);
int parse_build_id_cache(const struct option *option, const char *arg, bool negated, void *values);
int parse_bpf(const struct option *option, const char *arg, bool negated, void *values);
int parse_off_cpu(const struct option *option, const char *arg, bool negated, void *values);
int parse_latency(const struct option *option, const char *arg, bool negated, void *values);

#endif
