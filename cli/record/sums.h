/* SPDX-License-Identifier: MIT */
/* --bpf: call chains are summed in the kernel, and written from time to time. */
#ifndef CLI_RECORD_SUMS_H
#define CLI_RECORD_SUMS_H

#include <xperf/api.h>

#include "config.h"

struct recorder;
struct xp_band;
struct xp_diag;
struct xp_recorder_stats;
struct xp_stack_sums_stats;

/* What --bpf excludes; NULL: nothing that was given. */
const char *sums_contradiction(const struct record_config *config);
/* What it needs of samples. */
void sums_finalize(struct record_config *config);
/* Loads the programs, before the events are opened. Returns 0, or a negative errno with @diag
 * filled.
 */
int sums_load(struct recorder *recorder, struct xp_diag *diag);
/* Notes what processes have mapped, for rules of their files. Returns likewise. */
int sums_describe(struct recorder *recorder, struct xp_diag *diag);
/* What hears of maps while it goes on; NULL: nothing has to. */
const struct xp_band *sums_band(const struct recorder *recorder, struct xp_band *band);
/* The share of a CPU, in millionths, that hearing of them at once may cost. */
uint64_t sums_cpu_ppm(const struct recorder *recorder);
/* Looks for what chains missed: processes of which records were lost, rules that were put off. */
void sums_look(const struct recorder *recorder);
/* How soon after an early reading is looked at them, and how seldom at most: what comes meanwhile
 * has to fit into half of the room. */
enum { SUMS_SOON_NS = 20000000, SUMS_SELDOM_NS = 200000000 };
/* Whether they should be written early. */
bool sums_are_filling(const struct recorder *recorder);
/* Writes what has been summed since the last time. Returns 0, or a negative errno with @diag
 * filled; without --bpf nothing happens. */
int sums_write(struct recorder *recorder, struct xp_diag *diag);
/* Nothing is added any more; what is written then has waits that go on. Returns likewise. */
int sums_stop(struct recorder *recorder, struct xp_diag *diag);
/* Adds the sums to what the recorder knows of samples. */
void sums_complete(const struct recorder *recorder, struct xp_recorder_stats *stats,
		   struct xp_stack_sums_stats *ret_sums);

#endif
