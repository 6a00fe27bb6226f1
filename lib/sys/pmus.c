/* SPDX-License-Identifier: MIT */
/*
 * Which PMUs there are. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices,
 * -devices-uncore (cpumask) and -devices-hybrid (cpus); Documentation/arch/arm64 for the latter's
 * use there. A name alone opens that PMU's files; only patterns list the directory.
 */
#include "pmus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/pmu.h>

#include "cleanup.h"
#include "names.h"
#include "str.h"
#include "vec.h"

struct xp_pmus {
	struct xp_pmu **known;
	int nr_known;
	struct xp_names names;
	bool names_known;
	const struct xp_pmu **core;
	int nr_core;
	bool core_known;
	const struct xp_pmu *wanted; /* of them; NULL: all */
	bool merges_core;
};

/* Files cannot have longer names. */
enum { NAME_LEN_MAX = 255 };

static struct xp_pmus *pmus_of(struct xp_ctx *ctx)
{
	if (!ctx->pmus)
		ctx->pmus = calloc(1, sizeof(*ctx->pmus));
	if (!ctx->pmus)
		xp_ctx_note(ctx, -ENOMEM);
	return ctx->pmus;
}

static void free_pmu(struct xp_pmu *pmu)
{
	if (!pmu)
		return;
	xp_cpus_unref(pmu->cpus);
	free(pmu->name);
	free(pmu);
}

void xp_pmus_free(struct xp_pmus *pmus)
{
	if (!pmus)
		return;
	for (int i = 0; i < pmus->nr_known; i++)
		free_pmu(pmus->known[i]);
	free(pmus->known);
	free(pmus->core);
	xp_names_fini(&pmus->names);
	free(pmus);
}

static int add_name(const char *name, void *data)
{
	return xp_names_add(data, name);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

const struct xp_names *xp_pmus_names(struct xp_ctx *ctx)
{
	static const struct xp_names none;
	struct xp_pmus *pmus = pmus_of(ctx);

	if (!pmus)
		return &none;
	if (!pmus->names_known) {
		struct xp_names *names = &pmus->names;
		unsigned int since = ctx->nr_shortages;

		xp_names_fini(names);
		xp_file_list(ctx, add_name, names, XP_PMU_DEVICES);
		if (names->nr)
			qsort(names->at, (size_t)names->nr, sizeof(*names->at), compare_names);
		pmus->names_known = !xp_ctx_shortage(ctx, since);
	}
	return &pmus->names;
}

/* The CPUs in a file of a PMU; NULL if there is no such file, or nothing in it. */
static struct xp_cpus *read_cpus(struct xp_ctx *ctx, const char *pmu, const char *file)
{
	xp_auto_free char *text = NULL;
	struct xp_cpus *cpus = NULL;

	if (!xp_file_read(ctx, &text, NULL, XP_PMU_DEVICES "/%s/%s", pmu, file))
		xp_ctx_note(ctx, xp_cpus_parse(text, &cpus, NULL));
	return cpus;
}

/* Arm's trace units name the CPUs they are in, as if they were uncore, but follow tasks. */
static bool follows_tasks(const char *name)
{
	return !strncmp(name, "arm_spe", strlen("arm_spe")) || !strncmp(name, "trbe", 4);
}

static void read_place(struct xp_ctx *ctx, struct xp_pmu *pmu)
{
	pmu->cpus = read_cpus(ctx, pmu->name, "cpumask");
	pmu->is_uncore = pmu->cpus && !follows_tasks(pmu->name);
	if (pmu->cpus)
		return;
	pmu->cpus = read_cpus(ctx, pmu->name, "cpus");
	pmu->is_core = pmu->cpus;
}

/* A capability being reported; they are small files of one line. */
static int report_cap(struct xp_ctx *ctx, const char *pmu, const char *name, xp_pmu_cap_fn fn,
		      void *data)
{
	xp_auto_free char *value = NULL;
	int err = xp_file_read(ctx, &value, NULL, XP_PMU_DEVICES "/%s/caps/%s", pmu, name);

	if (err)
		return err == -ENOMEM ? err : 0;
	value[strcspn(value, "\r\n")] = '\0';
	return fn(name, value, data);
}

int xp_pmu_caps_walk(struct xp_ctx *ctx, const char *pmu, xp_pmu_cap_fn fn, void *data)
{
	struct xp_names names = { 0 };

	if (!xp_pmus_find(ctx, pmu, strlen(pmu)))
		return -ENOENT;
	int r = xp_file_list(ctx, add_name, &names, XP_PMU_DEVICES "/%s/caps", pmu);
	if (r == -ENOENT || r == -ENOTDIR)
		r = 0;
	xp_names_sort(&names);
	for (int i = 0; i < names.nr && !r; i++)
		r = report_cap(ctx, pmu, names.at[i], fn, data);
	xp_names_fini(&names);
	return r;
}

static struct xp_pmu *read_pmu(struct xp_ctx *ctx, const char *name, size_t len)
{
	struct xp_pmu *pmu = calloc(1, sizeof(*pmu));
	unsigned int since = ctx->nr_shortages;
	int64_t type;

	if (!pmu || !(pmu->name = strndup(name, len))) {
		xp_ctx_note(ctx, -ENOMEM);
		free_pmu(pmu);
		return NULL;
	}
	if (xp_file_read_int(ctx, &type, XP_PMU_DEVICES "/%s/type", pmu->name) || type < 0 ||
	    type > UINT32_MAX) {
		free_pmu(pmu);
		return NULL;
	}
	pmu->type = (uint32_t)type;
	read_place(ctx, pmu);
	if (xp_ctx_shortage(ctx, since)) {
		free_pmu(pmu);
		return NULL;
	}
	return pmu;
}

static const struct xp_pmu *keep(struct xp_ctx *ctx, struct xp_pmu *pmu)
{
	struct xp_pmus *pmus = ctx->pmus;

	if (xp_ctx_note(ctx,
			vec_add(&pmus->known, (size_t)pmus->nr_known, sizeof(struct xp_pmu *)))) {
		free_pmu(pmu);
		return NULL;
	}
	pmus->known[pmus->nr_known++] = pmu;
	return pmu;
}

const struct xp_pmu *xp_pmus_find(struct xp_ctx *ctx, const char *name, size_t len)
{
	struct xp_pmus *pmus = pmus_of(ctx);

	if (!pmus || !len || len > NAME_LEN_MAX || *name == '.')
		return NULL;
	for (int i = 0; i < pmus->nr_known; i++) {
		const char *known = pmus->known[i]->name;

		if (strlen(known) == len && !memcmp(known, name, len))
			return pmus->known[i];
	}
	struct xp_pmu *pmu = read_pmu(ctx, name, len);
	return pmu ? keep(ctx, pmu) : NULL;
}

/* What has no CPUs of its own on any machine: not worth a look into its directory. */
static bool is_never_core(const char *name)
{
	static const char *const never[] = {
		"software", "tracepoint", "breakpoint", "kprobe",
		"uprobe",   "msr",        "power",      "uncore_",
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(never); i++)
		if (!strncmp(name, never[i], strlen(never[i])))
			return true;
	return false;
}

static int compare_first_cpus(const void *a, const void *b)
{
	const struct xp_pmu *const *left = a, *const *right = b;

	return xp_cpus_at((*left)->cpus, 0).nr - xp_cpus_at((*right)->cpus, 0).nr;
}

static void find_core(struct xp_ctx *ctx, struct xp_pmus *pmus)
{
	const struct xp_names *names = xp_pmus_names(ctx);

	pmus->core = calloc((size_t)names->nr + 1, sizeof(const struct xp_pmu *));
	if (!pmus->core)
		xp_ctx_note(ctx, -ENOMEM);
	for (int i = 0; pmus->core && i < names->nr; i++) {
		const struct xp_pmu *pmu;

		if (is_never_core(names->at[i]))
			continue;
		pmu = xp_pmus_find(ctx, names->at[i], strlen(names->at[i]));
		if (pmu && pmu->is_core)
			pmus->core[pmus->nr_core++] = pmu;
	}
	if (pmus->nr_core > 1)
		qsort(pmus->core, (size_t)pmus->nr_core, sizeof(*pmus->core), compare_first_cpus);
	else
		pmus->nr_core = 0;
}

static bool has_name(const struct xp_names *names, const char *name)
{
	for (int i = 0; i < names->nr; i++)
		if (!strcmp(names->at[i], name))
			return true;
	return false;
}

int xp_pmus_core(struct xp_ctx *ctx, const struct xp_pmu *const **ret_pmus)
{
	struct xp_pmus *pmus = pmus_of(ctx);

	if (!pmus)
		return 0;
	/* Where CPUs are alike, x86 and others call their PMU "cpu". */
	if (!pmus->core_known) {
		unsigned int since = ctx->nr_shortages;

		free(pmus->core);
		pmus->core = NULL;
		pmus->nr_core = 0;
		if (!has_name(xp_pmus_names(ctx), "cpu"))
			find_core(ctx, pmus);
		pmus->core_known = !xp_ctx_shortage(ctx, since);
	}
	*ret_pmus = pmus->core;
	return pmus->nr_core;
}

bool xp_pmus_wants(struct xp_ctx *ctx, const struct xp_pmu *pmu)
{
	const struct xp_pmu *wanted = ctx->pmus ? ctx->pmus->wanted : NULL;

	return !pmu->is_core || !wanted || wanted == pmu;
}

bool xp_pmus_is_chosen(struct xp_ctx *ctx, const struct xp_pmu *pmu)
{
	return ctx->pmus && ctx->pmus->wanted == pmu;
}

bool xp_pmus_merges_core(struct xp_ctx *ctx)
{
	return ctx->pmus && ctx->pmus->merges_core;
}

/* "core" is "cpu_core", "a53" "armv8_cortex_a53". */
static bool is_kind(const char *pmu, const char *kind)
{
	size_t len = strlen(pmu), end = strlen(kind);

	return !strcmp(pmu, kind) ||
	       (end && end < len && pmu[len - end - 1] == '_' && !strcmp(pmu + len - end, kind));
}

static int no_such_kind(const struct xp_pmu *const *core, int nr, const char *kind,
			struct xp_diag *diag)
{
	struct xp_str names = { 0 };

	for (int i = 0; i < nr; i++)
		xp_str_addf(&names, "%s%s", i ? ", " : "", core[i]->name);
	xp_diag_set(diag, -ENOENT, "This machine has no kind of CPU '%s'", kind);
	xp_diag_at(diag, kind, 0, (int)strlen(kind));
	if (nr)
		xp_diag_hint(diag, "Its kinds are %s", xp_str_text(&names));
	else
		xp_diag_hint(diag, "Its CPUs are all of one kind");
	xp_str_fini(&names);
	return -ENOENT;
}

int xp_pmus_choose_core(struct xp_ctx *ctx, const char *kind, struct xp_diag *diag)
{
	const struct xp_pmu *const *core = NULL;
	int nr = xp_pmus_core(ctx, &core);

	if (!ctx->pmus)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (int i = 0; i < nr && kind; i++) {
		if (!is_kind(core[i]->name, kind))
			continue;
		ctx->pmus->wanted = core[i];
		return 0;
	}
	if (kind)
		return no_such_kind(core, nr, kind, diag);
	ctx->pmus->wanted = NULL;
	return 0;
}

int xp_pmus_merge_core(struct xp_ctx *ctx, bool merge)
{
	struct xp_pmus *pmus = pmus_of(ctx);

	if (pmus)
		pmus->merges_core = merge;
	return pmus ? 0 : -ENOMEM;
}
