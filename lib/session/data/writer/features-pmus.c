/* SPDX-License-Identifier: MIT */
/*
 * The PMUs: their numbers, what they can do, which CPUs of a hybrid machine are whose.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices, and -devices-caps.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/pmu.h>

#include "bytes.h"
#include "cleanup.h"
#include "features.h"
#include "names.h"
#include "pmus.h"

int xp_feature_pmu_mappings(const struct xp_feature_source *from, struct xp_str *out)
{
	const struct xp_names *names = xp_pmus_names(from->ctx);
	uint32_t nr = 0;

	add_u32(out, 0); /* how many, known at the end */
	for (int i = 0; i < names->nr; i++) {
		const struct xp_pmu *pmu =
			xp_pmus_find(from->ctx, names->at[i], strlen(names->at[i]));

		if (!pmu)
			continue;
		add_u32(out, pmu->type);
		add_feature_string(out, pmu->name);
		nr++;
	}
	set_u32(out, 0, nr);
	return nr ? 0 : -ENOENT;
}

struct caps {
	struct xp_str *out;
	uint32_t nr;
};

static int add_cap(const char *name, const char *value, void *data)
{
	struct caps *caps = data;

	add_feature_string(caps->out, name);
	add_feature_string(caps->out, value);
	caps->nr++;
	return 0;
}

/* The capabilities of a PMU: how many, and their names and values. Returns their number. */
static uint32_t add_caps(struct xp_ctx *ctx, const char *pmu, struct xp_str *out)
{
	struct caps caps = { .out = out };
	size_t start = out->len;

	add_u32(out, 0); /* how many, known at the end */
	xp_pmu_caps_walk(ctx, pmu, add_cap, &caps);
	set_u32(out, start, caps.nr);
	return caps.nr;
}

int xp_feature_cpu_pmu_caps(const struct xp_feature_source *from, struct xp_str *out)
{
	return add_caps(from->ctx, "cpu", out) ? 0 : -ENOENT;
}

/* Adds a PMU that has capabilities. Returns 1, or 0. */
static uint32_t add_pmu(struct xp_ctx *ctx, const char *pmu, struct xp_str *out)
{
	size_t start = out->len;

	if (add_caps(ctx, pmu, out)) {
		add_feature_string(out, pmu);
		return 1;
	}
	if (!out->failed)
		out->len = start;
	return 0;
}

/* The PMUs of the kinds of CPUs; none where there is just "cpu", which saves looking. */
static int core_pmus(struct xp_ctx *ctx, const struct xp_pmu *const **ret_pmus)
{
	return xp_pmus_find(ctx, "cpu", 3) ? 0 : xp_pmus_core(ctx, ret_pmus);
}

static bool is_one_of(const struct xp_pmu *const *pmus, int nr, const char *name)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(pmus[i]->name, name))
			return true;
	return false;
}

int xp_feature_pmu_caps(const struct xp_feature_source *from, struct xp_str *out)
{
	const struct xp_names *names = xp_pmus_names(from->ctx);
	const struct xp_pmu *const *core = NULL;
	int nr_core = core_pmus(from->ctx, &core);
	uint32_t nr = 0;

	add_u32(out, 0); /* how many, known at the end */
	for (int i = 0; i < nr_core; i++)
		nr += add_pmu(from->ctx, core[i]->name, out);
	for (int i = 0; i < names->nr; i++)
		if (strcmp(names->at[i], "cpu") && !is_one_of(core, nr_core, names->at[i]))
			nr += add_pmu(from->ctx, names->at[i], out);
	set_u32(out, 0, nr);
	return nr ? 0 : -ENOENT;
}

int xp_feature_hybrid_topology(const struct xp_feature_source *from, struct xp_str *out)
{
	const struct xp_pmu *const *core = NULL;
	int nr_core = core_pmus(from->ctx, &core);
	uint32_t nr = 0;

	add_u32(out, 0); /* how many, known at the end */
	for (int i = 0; i < nr_core; i++) {
		xp_auto_free char *cpus = NULL;

		if (xp_file_read(from->ctx, &cpus, NULL, XP_PMU_DEVICES "/%s/cpus", core[i]->name))
			continue;
		add_feature_string(out, core[i]->name);
		add_feature_string(out, first_line(cpus));
		nr++;
	}
	set_u32(out, 0, nr);
	return nr ? 0 : -ENOENT;
}
