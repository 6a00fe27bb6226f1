/* SPDX-License-Identifier: MIT */
/*
 * What a kernel does not know of struct perf_event_attr: each feature is tried once, alone, on a
 * software event of this process, which nothing else can make fail.
 * Source: linux/perf_event.h and the kernel releases named in perf_event_open(2).
 */
#include "missing.h"

#include <errno.h>

#include "cleanup.h"
#include "uapi.h"

struct feature {
	bool (*is_used)(const struct xp_attr *attr);
	void (*use)(struct xp_attr *attr);
	void (*drop)(struct xp_attr *attr);
};

/* Linux 6.0 */
static bool lost_is_used(const struct xp_attr *attr)
{
	return attr->read_format & XP_FORMAT_LOST;
}

static void lost_use(struct xp_attr *attr)
{
	attr->read_format |= XP_FORMAT_LOST;
}

static void lost_drop(struct xp_attr *attr)
{
	attr->read_format &= ~(uint64_t)XP_FORMAT_LOST;
}

/* Linux 4.3; without it, members of inherited groups are read one by one. */
static bool inherited_group_is_used(const struct xp_attr *attr)
{
	return attr->inherit && (attr->read_format & PERF_FORMAT_GROUP);
}

static void inherited_group_use(struct xp_attr *attr)
{
	attr->inherit = 1;
	attr->read_format |= PERF_FORMAT_GROUP;
}

static void inherited_group_drop(struct xp_attr *attr)
{
	attr->read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
}

/* Linux 3.12 */
static bool identifier_is_used(const struct xp_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_IDENTIFIER;
}

static void identifier_use(struct xp_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
}

static void identifier_drop(struct xp_attr *attr)
{
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
}

/* Linux 3.2 */
static bool guest_is_used(const struct xp_attr *attr)
{
	return attr->exclude_guest || attr->exclude_host;
}

static void guest_use(struct xp_attr *attr)
{
	attr->exclude_guest = 1;
}

static void guest_drop(struct xp_attr *attr)
{
	attr->exclude_guest = 0;
	attr->exclude_host = 0;
}

static const struct feature features[] = {
	{ lost_is_used, lost_use, lost_drop },
	{ inherited_group_is_used, inherited_group_use, inherited_group_drop },
	{ identifier_is_used, identifier_use, identifier_drop },
	{ guest_is_used, guest_use, guest_drop },
};

/* Only EINVAL speaks of the attribute; without descriptors, for example, nothing is known. */
static bool is_refused(struct xp_ctx *ctx, const struct feature *feature)
{
	struct xp_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = XP_ATTR_SIZE_VER0,
		.disabled = 1,
		.exclude_kernel = 1,
	};

	feature->use(&attr);
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

bool xp_missing_drop(struct xp_ctx *ctx, struct xp_attr *attr)
{
	bool dropped = false;

	if (!ctx->features_known)
		probe(ctx);
	for (unsigned int i = 0; i < XP_ARRAY_LEN(features); i++) {
		if (!(ctx->missing_features & 1U << i) || !features[i].is_used(attr))
			continue;
		features[i].drop(attr);
		dropped = true;
	}
	return dropped;
}
