/* SPDX-License-Identifier: MIT */
/* Whether tasks are named here by the numbers that BPF programs see. */
#ifndef BPF_PIDS_H
#define BPF_PIDS_H

struct xp_ctx;
struct xp_diag;

/* Returns 0, or -EOPNOTSUPP with @diag filled: in a namespace of process ids they are not. */
int xp_bpf_check_pids(struct xp_ctx *ctx, struct xp_diag *diag);

#endif
