/* SPDX-License-Identifier: MIT */
/*
 * What programs look at in the kernel's tasks and control groups: the members that are used alone.
 *
 * Source: linux/sched.h, linux/cgroup-defs.h, linux/kernfs.h of Linux 5.10 to 6.18.
 */
#ifndef BPF_TASKS_BPF_H
#define BPF_TASKS_BPF_H

#include "kernel.bpf.h"

struct kernfs_node {
	__u64 id;
} IN_KERNEL;

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} IN_KERNEL;

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
} IN_KERNEL;

struct css_set {
	struct cgroup_subsys_state *subsys[1]; /* more: by number of the controller */
	struct cgroup *dfl_cgrp;
} IN_KERNEL;

struct task_struct {
	int pid;
	int tgid;
	struct css_set *cgroups;
} IN_KERNEL;

/* Of version 1, one hierarchy per controller; here that of events. */
enum cgroup_subsys_id {
	perf_event_cgrp_id = 1,
};

static __always_inline struct cgroup *cgroup_of(struct task_struct *task, bool by_controller)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state **states, *state = NULL;

	if (!by_controller)
		return BPF_CORE_READ(set, dfl_cgrp);
	states = __builtin_preserve_access_index(&set->subsys[0]);
	states += bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id);
	bpf_probe_read_kernel(&state, sizeof(state), states);
	return BPF_CORE_READ(state, cgroup);
}

static __always_inline __u64 cgroup_id(struct cgroup *cgroup)
{
	return BPF_CORE_READ(cgroup, kn, id);
}

static __always_inline struct cgroup *cgroup_parent(struct cgroup *cgroup)
{
	struct cgroup_subsys_state *parent = BPF_CORE_READ(cgroup, self.parent);

	return parent ? BPF_CORE_READ(parent, cgroup) : NULL;
}

#endif
