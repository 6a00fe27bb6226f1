/* SPDX-License-Identifier: MIT */
/*
 * What a kernel does not know of struct perf_event_attr: each feature is tried once, alone, on a
 * software event of this process, which nothing else can make fail.
 * Source: linux/perf_event.h and the kernel releases named in perf_event_open(2).
 */
#include "missing.h"

#include <errno.h>

#include "attr-bits.h"
#include "cleanup.h"
#include "str.h"
#include "uapi.h"

/*
 * @use:     the bits that make it up; an attribute that has them all uses it
 * @give_up: those that go when the kernel lacks it; none: all of @use
 * @instead: those that come in their place
 * @name:    what is lost, if that is more than comfort of ours
 */
static const struct feature {
	struct xp_attr use;
	struct xp_attr give_up;
	struct xp_attr instead;
	const char *name;
} features[] = {
	/* Linux 6.19 */
	{ .use = { .defer_callchain = 1 }, .name = "deferred call chains" },
	{ .use = { .defer_output = 1 } },
	/* Linux 6.12; before it is one or the other */
	{ .use = { .inherit = 1, .sample_type = XP_SAMPLE_READ | XP_SAMPLE_TID },
	  .give_up = { .inherit = 1 },
	  .name = "samples of child tasks with :S" },
	/* Linux 6.0 */
	{ .use = { .read_format = XP_FORMAT_LOST } },
	/* Linux 5.13 */
	{ .use = { .inherit = 1, .inherit_thread = 1 },
	  .give_up = { .inherit_thread = 1 },
	  .name = "the limit to threads" },
	/* Linux 5.12 */
	{ .use = { .build_id = 1 } },
	{ .use = { .sample_type = XP_SAMPLE_WEIGHT_STRUCT },
	  .instead = { .sample_type = XP_SAMPLE_WEIGHT } },
	/* Linux 5.11 */
	{ .use = { .sample_type = XP_SAMPLE_DATA_PAGE_SIZE }, .name = "sizes of data pages" },
	{ .use = { .sample_type = XP_SAMPLE_CODE_PAGE_SIZE }, .name = "sizes of code pages" },
	/* Linux 5.8 */
	{ .use = { .text_poke = 1 }, .name = "changes of the kernel's text" },
	/* Linux 5.7, CONFIG_CGROUP_PERF */
	{ .use = { .cgroup = 1 }, .name = "names of control groups" },
	{ .use = { .sample_type = XP_SAMPLE_CGROUP }, .name = "control groups of samples" },
	{ .use = { .branch_sample_type = XP_BRANCH_HW_INDEX,
		   .sample_type = XP_SAMPLE_BRANCH_STACK },
	  .give_up = { .branch_sample_type = XP_BRANCH_HW_INDEX } },
	/* Linux 5.5, 5.4 */
	{ .use = { .sample_type = XP_SAMPLE_AUX }, .name = "the AUX area in samples" },
	{ .use = { .aux_output = 1 }, .name = "samples in the AUX area" },
	/* Linux 5.1 */
	{ .use = { .ksymbol = 1 } },
	{ .use = { .bpf_event = 1 } },
	/* Linux 4.13 */
	{ .use = { .sample_type = XP_SAMPLE_PHYS_ADDR }, .name = "physical addresses" },
	/* Linux 4.12 */
	{ .use = { .namespaces = 1 }, .name = "namespaces" },
	/* Linux 4.7 */
	{ .use = { .write_backward = 1 }, .name = "overwriting" },
	/* Linux 4.3; without it, members of inherited groups are read one by one */
	{ .use = { .inherit = 1, .read_format = XP_FORMAT_GROUP },
	  .give_up = { .read_format = XP_FORMAT_GROUP } },
	{ .use = { .context_switch = 1 }, .name = "context switches" },
	/* Linux 4.1 */
	{ .use = { .use_clockid = 1 },
	  .give_up = { .use_clockid = 1, .clockid = -1 },
	  .name = "the requested clock" },
	/* Linux 3.16 */
	{ .use = { .mmap2 = 1 } },
	{ .use = { .comm_exec = 1 } },
	/* Linux 3.12 */
	{ .use = { .sample_type = XP_SAMPLE_IDENTIFIER } },
	/* Linux 3.2 */
	{ .use = { .exclude_guest = 1 } },
	{ .use = { .exclude_host = 1 } },
};

_Static_assert(XP_ARRAY_LEN(features) <= 32, "xp_ctx.missing_features has a bit for each");

static bool is_none(const struct xp_attr *bits)
{
	static const struct xp_attr none;

	return xp_attr_has(&none, bits);
}

/* Only EINVAL speaks of the attribute; without descriptors, for example, nothing is known. */
static bool is_refused(struct xp_ctx *ctx, const struct feature *feature)
{
	struct xp_attr attr = {
		.type = XP_TYPE_SOFTWARE,
		.config = XP_SW_CPU_CLOCK,
		.size = XP_ATTR_SIZE_VER0,
		.disabled = 1,
		.exclude_kernel = 1,
	};

	/* A bit of a later field needs its size. */
	if (feature->use.branch_sample_type)
		attr.size = XP_ATTR_SIZE_VER7;
	xp_attr_add(&attr, &feature->use);
	int fd = ctx->sys->perf_event_open(ctx->sys, &attr, 0, -1, -1, 0);
	if (fd >= 0)
		ctx->sys->close(ctx->sys, fd);
	return fd == -EINVAL;
}

static void probe(struct xp_ctx *ctx)
{
	ctx->features_known = true;
	for (unsigned int i = 0; i < XP_ARRAY_LEN(features); i++)
		if (is_refused(ctx, &features[i]))
			ctx->missing_features |= 1U << i;
}

static void give_up(struct xp_attr *attr, const struct feature *feature)
{
	xp_attr_remove(attr, is_none(&feature->give_up) ? &feature->use : &feature->give_up);
	xp_attr_add(attr, &feature->instead);
}

bool xp_missing_drop(struct xp_evsel *evsel)
{
	struct xp_ctx *ctx = evsel->ctx;
	struct xp_str name = { 0 };
	bool dropped = false;

	if (!ctx->features_known)
		probe(ctx);
	for (unsigned int i = 0; i < XP_ARRAY_LEN(features); i++) {
		if (!(ctx->missing_features & 1U << i) ||
		    !xp_attr_has(&evsel->attr, &features[i].use))
			continue;
		give_up(&evsel->attr, &features[i]);
		if (features[i].name)
			xp_str_addf(&name, "%s%s", name.len ? ", " : "", features[i].name);
		dropped = true;
	}
	if (name.len)
		xp_evsel_set_reason(evsel, "without %s, which this kernel does not know",
				    xp_str_text(&name));
	xp_str_fini(&name);
	return dropped;
}
