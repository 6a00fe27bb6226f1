/* SPDX-License-Identifier: MIT */
/* What the rows of record's option table call: each takes one occurrence (see option_fn). */
#ifndef CLI_RECORD_TAKE_H
#define CLI_RECORD_TAKE_H

#include "options.h"

/* @offset is a bit of enum xp_sampling_flag. */
int take_flag(const struct option *option, const char *arg, bool negated, void *values);
/* @offset is that of an enum choice. */
int take_choice(const struct option *option, const char *arg, bool negated, void *values);
/* The same for "--no-NAME". */
int take_refusal(const struct option *option, const char *arg, bool negated, void *values);
/* @offset is that of an uint64_t: bytes. */
int take_size(const struct option *option, const char *arg, bool negated, void *values);
/* Accepted for scripts; changes nothing. */
int take_without_effect(const struct option *option, const char *arg, bool negated, void *values);
/* @offset is a row of what is not there, and what is in its place. */
int take_unavailable(const struct option *option, const char *arg, bool negated, void *values);
enum { UNAVAILABLE_OFF_CPU, UNAVAILABLE_BPF_FILTER };

int take_freq(const struct option *option, const char *arg, bool negated, void *values);
int take_count(const struct option *option, const char *arg, bool negated, void *values);
int take_callgraph(const struct option *option, const char *arg, bool negated, void *values);
int take_timestamp(const struct option *option, const char *arg, bool negated, void *values);
int take_branch_any(const struct option *option, const char *arg, bool negated, void *values);
int take_branch_filter(const struct option *option, const char *arg, bool negated, void *values);
int take_regs(const struct option *option, const char *arg, bool negated, void *values);
int take_clock(const struct option *option, const char *arg, bool negated, void *values);
int take_pages(const struct option *option, const char *arg, bool negated, void *values);
int take_delay(const struct option *option, const char *arg, bool negated, void *values);
int take_control(const struct option *option, const char *arg, bool negated, void *values);
int take_snapshot(const struct option *option, const char *arg, bool negated, void *values);
int take_aux_sample(const struct option *option, const char *arg, bool negated, void *values);
int take_synth(const struct option *option, const char *arg, bool negated, void *values);
int take_compress(const struct option *option, const char *arg, bool negated, void *values);
int take_switch(const struct option *option, const char *arg, bool negated, void *values);
int take_build_id_cache(const struct option *option, const char *arg, bool negated, void *values);
int take_latency(const struct option *option, const char *arg, bool negated, void *values);

#endif
