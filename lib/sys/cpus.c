/* SPDX-License-Identifier: MIT */
/* Sets of CPUs. Source of the online list: Documentation/admin-guide/cputopology.rst. */
#include "cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "ctx.h"
#include "num.h"

struct xp_cpus {
	int refs;
	int nr;
	bool is_all; /* that were online when it was made */
	struct xp_cpu at[];
};

static struct xp_cpus *new_set(int nr)
{
	struct xp_cpus *cpus = calloc(1, sizeof(*cpus) + (size_t)nr * sizeof(cpus->at[0]));

	if (!cpus)
		return NULL;
	cpus->refs = 1;
	cpus->nr = nr;
	return cpus;
}

int xp_cpus_any(struct xp_cpus **ret_cpus)
{
	struct xp_cpus *cpus = new_set(1);

	if (!cpus)
		return -ENOMEM;
	cpus->at[0].nr = -1;
	*ret_cpus = cpus;
	return 0;
}

/* A bit for each CPU that there can be. */
struct members {
	uint64_t words[XP_CPU_MAX / 64 + 1];
	int nr;
};

static int add_range(uint64_t first, uint64_t last, void *data)
{
	struct members *members = data;

	for (uint64_t cpu = first; cpu <= last; cpu++) {
		uint64_t bit = UINT64_C(1) << cpu % 64, *word = &members->words[cpu / 64];

		members->nr += !(*word & bit);
		*word |= bit;
	}
	return 0;
}

int xp_cpus_parse(const char *text, struct xp_cpus **ret_cpus, struct xp_diag *diag)
{
	struct members members = { .nr = 0 };
	int pos, idx = 0;

	if (xp_num_ranges(text, XP_CPU_MAX, add_range, &members, &pos)) {
		int len = (int)strspn(text + pos, "0123456789");
		uint64_t cpu = XP_CPU_MAX;

		if (xp_num_parse(text + pos, (size_t)len, 10, &cpu) == -ERANGE ||
		    cpu > XP_CPU_MAX) {
			xp_diag_set(diag, -EINVAL, "There is no CPU %.*s: numbers go up to %d", len,
				    text + pos, XP_CPU_MAX);
			xp_diag_at(diag, text, pos, len);
			return -EINVAL;
		}
		xp_diag_set(diag, -EINVAL, "'%s' is not a list of CPUs", text);
		xp_diag_at(diag, text, pos, 1);
		xp_diag_hint(diag, "Write numbers and ranges separated by commas, like 0,2-3");
		return -EINVAL;
	}

	struct xp_cpus *cpus = new_set(members.nr);
	if (!cpus)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (int word = 0; idx < members.nr; word++)
		for (uint64_t bits = members.words[word]; bits; bits &= bits - 1)
			cpus->at[idx++].nr = word * 64 + __builtin_ctzll(bits);
	*ret_cpus = cpus;
	return 0;
}

int xp_cpus_online(struct xp_ctx *ctx, struct xp_cpus **ret_cpus, struct xp_diag *diag)
{
	xp_auto_free char *text = NULL;
	int err = xp_file_read(ctx, &text, NULL, "/sys/devices/system/cpu/online");

	if (err)
		return xp_diag_set(
			diag, err,
			"The list of CPUs cannot be read from /sys/devices/system/cpu/online: %s",
			strerror(-err));
	err = xp_cpus_parse(text, ret_cpus, NULL);
	if (err == -EINVAL)
		return xp_diag_set(diag, err,
				   "/sys/devices/system/cpu/online does not hold a list of CPUs");
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	(*ret_cpus)->is_all = true;
	return 0;
}

bool xp_cpus_are_all(const struct xp_cpus *cpus)
{
	return cpus && cpus->is_all;
}

struct xp_cpus *xp_cpus_join(const struct xp_cpus *a, const struct xp_cpus *b)
{
	struct xp_cpus *joined = new_set(a->nr + b->nr);
	int i = 0, j = 0, nr = 0;

	if (!joined)
		return NULL;
	while (i < a->nr || j < b->nr) {
		bool from_a = j == b->nr || (i < a->nr && a->at[i].nr <= b->at[j].nr);

		/* A CPU of both is counted once. */
		if (from_a && j < b->nr && a->at[i].nr == b->at[j].nr)
			j++;
		joined->at[nr++] = from_a ? a->at[i++] : b->at[j++];
	}
	joined->nr = nr;
	return joined;
}

struct xp_cpus *xp_cpus_ref(struct xp_cpus *cpus)
{
	if (cpus)
		cpus->refs++;
	return cpus;
}

void xp_cpus_unref(struct xp_cpus *cpus)
{
	if (cpus && !--cpus->refs)
		free(cpus);
}

int xp_cpus_nr(const struct xp_cpus *cpus)
{
	return cpus ? cpus->nr : 0;
}

struct xp_cpu xp_cpus_at(const struct xp_cpus *cpus, int idx)
{
	if (!cpus || idx < 0 || idx >= cpus->nr)
		return (struct xp_cpu){ -1 };
	return cpus->at[idx];
}

/* Sets are sorted. */
int xp_cpus_find(const struct xp_cpus *cpus, struct xp_cpu cpu)
{
	int low = 0, high = xp_cpus_nr(cpus);

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (cpus->at[middle].nr < cpu.nr)
			low = middle + 1;
		else
			high = middle;
	}
	return xp_cpus_at(cpus, low).nr == cpu.nr && low < xp_cpus_nr(cpus) ? low : -1;
}
