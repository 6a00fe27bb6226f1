/* SPDX-License-Identifier: MIT */
/* The control groups of a recording, and the namespaces of them that threads were in. */
#ifndef RECORDING_CGROUPS_H
#define RECORDING_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xp_record_cgroup;
struct xp_record_namespaces;

/* Of control groups; 0: not known. */
struct cgroup_namespace {
	uint64_t device, inode;
};

/* Zeroed: none is known. */
struct cgroups {
	struct cgroup *at;
	struct namespace *namespaces;
	size_t nr, nr_namespaces;
	bool is_sorted;
};

/* A CGROUP, and a NAMESPACES record. Return 0 or -ENOMEM. */
int cgroups_add(struct cgroups *cgroups, const struct xp_record_cgroup *record);
int cgroups_add_namespaces(struct cgroups *cgroups, const struct xp_record_namespaces *record,
			   uint64_t time_ns);
/* The path of the group that samples have this number of; NULL: not known. */
const char *cgroups_path(struct cgroups *cgroups, uint64_t id);
/* The one a thread was in at a time. */
struct cgroup_namespace cgroups_namespace(struct cgroups *cgroups, int32_t tid, uint64_t time_ns);
void cgroups_fini(struct cgroups *cgroups);

#endif
