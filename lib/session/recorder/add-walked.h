/* SPDX-License-Identifier: MIT */
/* For what lets BPF write samples into the rings of a recorder. */
#ifndef SESSION_ADD_WALKED_H
#define SESSION_ADD_WALKED_H

#include <stddef.h>
#include <stdint.h>

struct xp_attr;
struct xp_recorder;

/*
 * From now on samples of @attr, with one of the ids, are those of kernel-walk.h. Once.
 * Returns 0, -EOPNOTSUPP (the recorder makes no call chains), -ENOMEM.
 */
int xp_recorder_add_walked(struct xp_recorder *recorder, const struct xp_attr *attr,
			   const uint64_t *ids, size_t nr);

#endif
