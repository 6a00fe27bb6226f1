/* SPDX-License-Identifier: MIT */
/*
 * PCIe root ports whose traffic can be counted: each I/O stack of a die has a PMU, uncore_iio_N,
 * and its file dieX names the port. Source: Documentation/ABI/testing/sysfs-devices-mapping; for
 * the field ch_mask: Intel's uncore performance monitoring guides, "IIO": a stack has four parts on
 * the first Xeon Scalable processors, where the field has 8 bits, and eight on those that followed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/pmu.h>

#include "cleanup.h"
#include "ctx.h"
#include "names.h"
#include "place.h"
#include "pmus.h"

#define STACK "uncore_iio_"

enum { DIES_MAX = 1024, DIGITS_MAX = 4, PARTS_FEW = 4, PARTS_MANY = 8, FIELD_BITS_FEW = 8 };

/* A die, by its numbers in the topology. */
struct die {
	int socket;
	int die;
};

struct walk {
	struct xp_ctx *ctx;
	struct xp_diag *diag;
	xp_root_port_fn fn;
	void *data;
	struct die *dies; /* in their order: the X-th is the kernel's die X */
	int nr_dies;
	const struct xp_pmu *pmu;
	int nr_parts;
	int *listed; /* the numbers X of the PMU's files */
	int nr_listed;
};

static int compare_dies(const void *a, const void *b)
{
	const struct die *x = a, *y = b;

	return x->socket != y->socket ? (x->socket > y->socket) - (x->socket < y->socket)
				      : (x->die > y->die) - (x->die < y->die);
}

static int find_dies(struct walk *walk)
{
	struct xp_cpus *cpus;
	struct xp_place place;
	int err = xp_cpus_online(walk->ctx, &cpus, walk->diag), nr = 0;

	if (err)
		return err;
	walk->dies = calloc((size_t)xp_cpus_nr(cpus) + 1, sizeof(*walk->dies));
	if (!walk->dies)
		err = -ENOMEM;
	for (int i = 0; i < xp_cpus_nr(cpus) && !err; i++) {
		err = xp_place_of(walk->ctx, xp_cpus_at(cpus, i), &place);
		if (!err)
			walk->dies[nr++] = (struct die){ place.socket, place.die };
	}
	xp_cpus_unref(cpus);
	if (err)
		return err;
	qsort(walk->dies, (size_t)nr, sizeof(*walk->dies), compare_dies);
	for (int i = 0; i < nr; i++)
		if (!i || compare_dies(&walk->dies[i], &walk->dies[walk->nr_dies - 1]))
			walk->dies[walk->nr_dies++] = walk->dies[i];
	return 0;
}

/* "3" of @text; -1: it is no number, or there is more. */
static int number_of(const char *text)
{
	size_t len = strspn(text, "0123456789");

	return len && len <= DIGITS_MAX && !text[len] ? atoi(text) : -1;
}

static int keep_die(const char *name, void *data)
{
	struct walk *walk = data;
	int die = strncmp(name, "die", 3) ? -1 : number_of(name + 3);

	if (die >= 0 && die < DIES_MAX && walk->nr_listed < DIES_MAX)
		walk->listed[walk->nr_listed++] = die;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The CPU that stands for a die; -1: there is none. */
static int cpu_of(const struct walk *walk, int die)
{
	struct xp_place place;

	for (int i = 0; die < walk->nr_dies && i < xp_cpus_nr(walk->pmu->cpus); i++) {
		struct xp_cpu cpu = xp_cpus_at(walk->pmu->cpus, i);

		if (!xp_place_of(walk->ctx, cpu, &place) &&
		    place.socket == walk->dies[die].socket && place.die == walk->dies[die].die)
			return cpu.nr;
	}
	return -1;
}

/* "config:36-47" */
static int parts_of(struct xp_ctx *ctx, const char *pmu)
{
	xp_auto_free char *text = NULL;
	int first, last;

	if (xp_file_read(ctx, &text, NULL, XP_PMU_DEVICES "/%s/format/ch_mask", pmu) ||
	    sscanf(text, "config:%d-%d", &first, &last) != 2)
		return PARTS_FEW;
	return last - first >= FIELD_BITS_FEW ? PARTS_MANY : PARTS_FEW;
}

static int report_port(struct walk *walk, int die)
{
	xp_auto_free char *text = NULL;
	unsigned int segment, bus;
	int end = 0;
	char name[16];
	int err =
		xp_file_read(walk->ctx, &text, NULL, "/sys/devices/%s/die%d", walk->pmu->name, die);

	if (err)
		return xp_diag_set(walk->diag, err, "/sys/devices/%s/die%d cannot be read: %s",
				   walk->pmu->name, die, strerror(-err));
	if (sscanf(text, "%4x:%2x%n", &segment, &bus, &end) != 2 ||
	    (text[end] && text[end] != '\n'))
		return xp_diag_set(walk->diag, -EBADMSG,
				   "/sys/devices/%s/die%d has no root port like 0000:17",
				   walk->pmu->name, die);
	snprintf(name, sizeof(name), "%04x:%02x", segment, bus);
	struct xp_root_port port = { .size = sizeof(port),
				     .name = name,
				     .pmu = walk->pmu->name,
				     .die = die,
				     .cpu = { cpu_of(walk, die) },
				     .nr_parts = walk->nr_parts };
	if (port.cpu.nr < 0)
		return xp_diag_set(walk->diag, -ENODEV,
				   "The root port %s cannot be counted: %s counts on no CPU of die "
				   "%d",
				   name, walk->pmu->name, die);
	return walk->fn(&port, walk->data);
}

/* All ports of one PMU, by die. */
static int walk_stack(struct walk *walk, const char *name)
{
	int err;

	walk->pmu = xp_pmus_find(walk->ctx, name, strlen(name));
	if (!walk->pmu)
		return 0;
	walk->nr_parts = parts_of(walk->ctx, name);
	walk->nr_listed = 0;
	err = xp_file_list(walk->ctx, keep_die, walk, "/sys/devices/%s", name);
	if (err)
		return err == -ENOENT ? 0 : err;
	qsort(walk->listed, (size_t)walk->nr_listed, sizeof(*walk->listed), compare_numbers);
	/* Which of the others they are is not known if one is missing. */
	if (walk->nr_listed && walk->listed[walk->nr_listed - 1] >= walk->nr_dies)
		return xp_diag_set(walk->diag, -ENODEV,
				   "%s counts on %d dies, of which %d have a CPU that is online: "
				   "bring the others online",
				   name, walk->listed[walk->nr_listed - 1] + 1, walk->nr_dies);
	for (int i = 0; i < walk->nr_listed && !err; i++)
		err = report_port(walk, walk->listed[i]);
	return err;
}

int xp_root_ports_walk(struct xp_ctx *ctx, xp_root_port_fn fn, void *data, struct xp_diag *diag)
{
	const struct xp_names *names = xp_pmus_names(ctx);
	struct walk walk = { .ctx = ctx, .diag = diag, .fn = fn, .data = data };
	int err = find_dies(&walk);

	walk.listed = calloc(DIES_MAX, sizeof(*walk.listed));
	if (!walk.listed || !names)
		err = -ENOMEM;
	for (int i = 0; !err && i < names->nr; i++)
		if (!strncmp(names->at[i], STACK, strlen(STACK)) &&
		    number_of(names->at[i] + strlen(STACK)) >= 0)
			err = walk_stack(&walk, names->at[i]);
	free(walk.listed);
	free(walk.dies);
	return err;
}
