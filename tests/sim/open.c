/* SPDX-License-Identifier: MIT */
/*
 * perf_event_open(2): what is refused, in the kernel's order, with its errno.
 *
 * Source: perf_event_open(2), ERRORS and /proc/sys/kernel/perf_event_paranoid; the order is that
 * of the checks in kernel/events/core.c, so that of two reasons the same one is reported.
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A call being checked. */
struct request {
	struct xp_attr attr;
	pid_t pid;
	int cpu;
	unsigned long flags;
	struct task *task;    /* NULL: every task of the CPU */
	struct event *leader; /* NULL: none was given */
	const char *cgroup;   /* NULL: none was given */
	int kind;
	bool is_hw;
};

enum { ALL_FLAGS = 15, FIRST_UNKNOWN_FLAG_BIT = 38, LAST_SAMPLE_BIT = 24, MAX_READ_BYTES = 16384 };

static bool capable(const struct sim *sim)
{
	return sim->sc.uid == 0 || sim->sc.perfmon;
}

static bool is_zero(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static int refuse_size(const struct sim *sim, const struct xp_attr *attr)
{
	((struct xp_attr *)attr)->size = sim->sc.attr_size; /* the kernel reports its own size */
	return -E2BIG;
}

/* What user space gave, cut or filled with zeros to what this kernel knows. */
static int copy_attr(const struct sim *sim, const struct xp_attr *attr, struct request *req)
{
	uint32_t size = attr->size ? attr->size : XP_ATTR_SIZE_VER0;
	uint32_t known = sim->sc.attr_size;

	if (size < XP_ATTR_SIZE_VER0 || size > 4096)
		return refuse_size(sim, attr);
	if (size > known && !is_zero((const char *)attr + known, size - known))
		return refuse_size(sim, attr);
	if (known > sizeof(req->attr))
		known = sizeof(req->attr);
	memcpy(&req->attr, attr, size < known ? size : known);
	return 0;
}

/* Hardware events are given the time where not every clock can be read. */
static bool is_good_clock(const struct request *req)
{
	static const int clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME,
				      CLOCK_BOOTTIME, CLOCK_TAI };
	enum { NR_ANYWHERE = 2 };

	for (size_t i = 0; i < (req->is_hw ? NR_ANYWHERE : ARRAY_LEN(clocks)); i++)
		if (req->attr.clockid == clocks[i])
			return true;
	return !req->attr.use_clockid;
}

static bool is_good_sample_type(const struct sim *sim, const struct xp_attr *attr)
{
	uint64_t weights = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	bool self_read = attr->inherit && attr->sample_type & PERF_SAMPLE_READ;

	if ((attr->sample_type & weights) == weights)
		return false;
	if (self_read && (sim->sc.lacks_inherited_reads || !(attr->sample_type & PERF_SAMPLE_TID)))
		return false;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER && !attr->sample_regs_user)
		return false;
	return !(attr->sample_type & PERF_SAMPLE_STACK_USER) ||
	       (attr->sample_stack_user < UINT16_MAX && attr->sample_stack_user % 8 == 0);
}

static int check_attr(const struct sim *sim, const struct request *req)
{
	uint64_t bits, formats = sim->sc.lacks_lost ? 15 : 31;

	memcpy(&bits, (const char *)&req->attr + offsetof(struct xp_attr, read_format) + 8, 8);
	if (bits >> FIRST_UNKNOWN_FLAG_BIT || bits & sim->sc.lacks_bits)
		return -EINVAL;
	if (req->attr.sample_type >> (LAST_SAMPLE_BIT + 1) || req->attr.read_format & ~formats)
		return -EINVAL;
	if (req->attr.freq ? req->attr.sample_freq > sim->sc.max_sample_rate
			   : req->attr.sample_period >> 63)
		return -EINVAL;
	if (!is_good_sample_type(sim, &req->attr))
		return -EINVAL;
	if (!req->attr.exclude_kernel && sim->sc.paranoid > 1 && !capable(sim))
		return -EACCES;
	return 0;
}

static int find_leader(const struct sim *sim, int group_fd, struct request *req)
{
	if (group_fd == -1)
		return 0;
	const struct file *file = file_find(sim, group_fd);
	if (!file || file->kind != FILE_EVENT)
		return -EBADF;
	req->leader = file->event;
	/* Linux 6.15: its task has ended (measured, 6.18). */
	if (req->leader->state == EVENT_EXIT)
		return -ENODEV;
	return 0;
}

/* With PERF_FLAG_PID_CGROUP the number is that of a descriptor. */
static int find_cgroup(const struct sim *sim, struct request *req)
{
	if (!(req->flags & PERF_FLAG_PID_CGROUP))
		return 0;
	if (req->pid == -1 || req->cpu == -1)
		return -EINVAL;
	const struct file *file = file_find(sim, req->pid);
	if (!file || !file->cgroup)
		return -EBADF;
	req->cgroup = file->cgroup;
	req->pid = -1;
	return 0;
}

static int find_task(const struct sim *sim, struct request *req)
{
	if (req->pid == -1)
		return 0;
	req->task = req->pid ? task_find(sim, req->pid) : sim->self;
	return req->task && task_alive(req->task) ? 0 : -ESRCH;
}

static int kind_of_config(const struct sim *sim, uint32_t type, uint64_t config)
{
	for (int i = 0; i < sim->sc.nr_kinds; i++) {
		const struct kind *kind = &sim->sc.kinds[i];

		if ((kind->type == type && kind->config == config) ||
		    (type == PERF_TYPE_RAW && kind->raw && kind->raw == config))
			return i;
	}
	return -1;
}

/* Generic events carry the number of the PMU in their upper half, if any: ours is "cpu", 4. */
static uint64_t generic_config(const struct request *req)
{
	bool generic = req->attr.type == PERF_TYPE_HARDWARE || req->attr.type == PERF_TYPE_HW_CACHE;

	if (generic && req->attr.config >> 32 == PERF_TYPE_RAW)
		return req->attr.config & UINT32_MAX;
	return req->attr.config;
}

static int check_hw(const struct sim *sim, struct request *req)
{
	struct event event = { .kind = req->kind, .is_hw = true };
	bool raw = req->attr.type == PERF_TYPE_RAW;

	req->is_hw = true;
	event.leader = &event;
	if (!sim->sc.has_pmu || (req->kind < 0 && !raw))
		return -ENOENT;
	if (sim->sc.pmu_is_uncore && req->cpu < 0)
		return -EINVAL;
	if (sim->sc.pmu_is_partial && req->cpu >= 0 && !sim->sc.pmu_cpus[req->cpu])
		return -ENOENT; /* measured: an Arm machine with two kinds of CPU */
	if (req->kind >= 0 && !sim->sc.has_kind[req->kind] && !raw)
		return -ENOENT;
	if (req->attr.precise_ip > sim->sc.precise_max)
		return -EOPNOTSUPP;
	if (req->attr.precise_ip && !req->attr.sample_period)
		return -EINVAL; /* nothing to be precise about */
	if (!pmu_group_fits(sim, req->leader ? req->leader : &event, req->leader ? &event : NULL))
		return -EINVAL;
	return 0;
}

static int check_software(const struct sim *sim, struct request *req)
{
	(void)sim;
	if (req->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	return req->kind < 0 ? -ENOENT : 0;
}

static int check_tracepoint(const struct sim *sim, struct request *req)
{
	if (req->kind < 0)
		return -EINVAL;
	if (req->attr.sample_type & PERF_SAMPLE_RAW && sim->sc.paranoid > -1 && !capable(sim))
		return -EPERM;
	if (req->attr.sample_period && sim->sc.kinds[req->kind].traits & KIND_UNSAMPLED)
		return -EPERM;
	return 0;
}

static const struct {
	uint32_t type;
	int (*check)(const struct sim *sim, struct request *req);
} types[] = {
	{ PERF_TYPE_HARDWARE, check_hw },
	{ PERF_TYPE_HW_CACHE, check_hw },
	{ PERF_TYPE_RAW, check_hw },
	{ PERF_TYPE_SOFTWARE, check_software },
	{ PERF_TYPE_TRACEPOINT, check_tracepoint },
};

static int check_device(const struct device *device, const struct request *req)
{
	/* What a part of the machine counts is not looked at. */
	if (req->kind < 0 && !device->has_cpus)
		return -EINVAL;
	return device_check(device, &req->attr, !req->task, req->cpu, req->cgroup);
}

static int check_type(const struct sim *sim, struct request *req)
{
	const struct device *device = device_of_type(sim, req->attr.type);

	if (sim->sc.seccomp)
		return -EPERM;
	if (req->leader && req->task && req->leader->attr.inherit != req->attr.inherit)
		return -EINVAL;
	if ((req->pid == -1 && req->cpu == -1) || req->cpu < -1 || req->cpu >= sim->sc.nr_cpus)
		return -EINVAL;
	req->kind = kind_of_config(sim, req->attr.type, generic_config(req));
	if (device)
		return check_device(device, req);
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].type == req->attr.type)
			return types[i].check(sim, req);
	return -ENOENT;
}

static int check_target(const struct sim *sim, struct request *req)
{
	if (!req->task && sim->sc.paranoid > 0 && !capable(sim))
		return -EACCES;
	if (!req->task && !sim->cpus[req->cpu].online)
		return -ENODEV;
	if (req->task && req->task->uid != sim->sc.uid && !capable(sim))
		return -EACCES;
	return 0;
}

static struct context *context_of(const struct sim *sim, const struct request *req)
{
	return req->task ? &req->task->ctx : &sim->cpus[req->cpu].ctx;
}

/* What counts for parts of the machine is in no group with events of another PMU. */
static bool mixes_pmus(const struct sim *sim, const struct request *req)
{
	const struct device *own = device_of_type(sim, req->attr.type);
	const struct device *first = device_of_type(sim, req->leader->attr.type);
	bool own_parts = own && own->has_cpus, first_parts = first && first->has_cpus;

	if (own_parts && first_parts)
		return own != first;
	return (own_parts && req->leader->is_hw) || (first_parts && req->is_hw);
}

static int check_group(const struct sim *sim, struct request *req)
{
	const struct event *leader = req->leader;

	if (!leader)
		return 0;
	if (leader->leader != leader || leader->cpu != req->cpu ||
	    leader->ctx != context_of(sim, req) || (req->cgroup && leader->cgroup != req->cgroup))
		return -EINVAL;
	if (req->attr.pinned || req->attr.exclusive || mixes_pmus(sim, req))
		return -EINVAL;
	if (24 * (uint64_t)(leader->siblings.nr + 2) > MAX_READ_BYTES)
		return -E2BIG;
	return 0;
}

static int check(struct sim *sim, const struct xp_attr *attr, int group_fd, struct request *req)
{
	int err = req->flags & ~(unsigned long)ALL_FLAGS ? -EINVAL : copy_attr(sim, attr, req);

	if (!err)
		err = check_attr(sim, req);
	if (!err)
		err = file_room(sim);
	if (!err)
		err = find_leader(sim, group_fd, req);
	if (!err)
		err = find_cgroup(sim, req);
	if (!err)
		err = find_task(sim, req);
	if (!err)
		err = check_type(sim, req);
	if (!err && !is_good_clock(req))
		err = -EINVAL;
	if (!err)
		err = check_target(sim, req);
	return err ? err : check_group(sim, req);
}

int event_open(struct sim *sim, const struct xp_attr *attr, pid_t pid, int cpu, int group_fd,
	       unsigned long flags)
{
	struct request req = { .pid = pid, .cpu = cpu, .flags = flags };
	int err = check(sim, attr, group_fd, &req);

	if (err)
		return err;
	struct file *file = file_new(sim, FILE_EVENT, -1,
				     req.kind < 0 ? "event" : sim->sc.kinds[req.kind].name, &err);
	if (!file)
		return err;

	struct event *event = xalloc(sizeof(*event));
	event->id = event->stream_id = sim->next_id++;
	event->attr = req.attr;
	event->kind = req.kind;
	event->is_hw = req.is_hw;
	event->pid = req.task ? req.task->tid : -1;
	event->cpu = cpu;
	event->cgroup = req.cgroup;
	event->ctx = context_of(sim, &req);
	event->leader = req.leader ? req.leader : event;
	event->state = req.attr.disabled ? EVENT_OFF : EVENT_INACTIVE;
	file->event = event;
	event->nr_files = 1;
	event_attach(sim, event);
	sim->stats.opened++;
	return file->fd;
}
