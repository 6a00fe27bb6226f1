/* SPDX-License-Identifier: MIT */
/*
 * --iostat: which root ports, and the events of each: those of its I/O stack's PMU, on the CPU that
 * stands for its die. Source of words and columns: perf-iostat(1). Of the events: Intel's uncore
 * performance monitoring guides, "IIO", DATA_REQ_OF_CPU and DATA_REQ_BY_CPU, of which each count is
 * 4 bytes; fc_mask: of posted, other and completed requests.
 */
#include "iostat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/pmu.h>

#include "absent.h"
#include "cli.h"
#include "vec.h"

const char *const iostat_titles[IOSTAT_COLUMNS] = {
	"Inbound Read(MB)",
	"Inbound Write(MB)",
	"Outbound Read(MB)",
	"Outbound Write(MB)",
};

static const char *const codes[IOSTAT_COLUMNS] = {
	"event=0x83,umask=0x04",
	"event=0x83,umask=0x01",
	"event=0xc0,umask=0x04",
	"event=0xc0,umask=0x01",
};

static int add_port(const struct xp_root_port *port, void *data)
{
	struct iostat *iostat = data;
	struct iostat_port *to;

	if (vec_add(&iostat->at, (size_t)iostat->nr, sizeof(*iostat->at)))
		return -ENOMEM;
	to = &iostat->at[iostat->nr];
	*to = (struct iostat_port){ .pmu = strdup(port->pmu),
				    .die = port->die,
				    .cpu = port->cpu.nr,
				    .nr_parts = port->nr_parts };
	if (!to->pmu)
		return -ENOMEM;
	snprintf(to->name, sizeof(to->name), "%s", port->name);
	iostat->nr++;
	return 0;
}

static void say_ports(const struct iostat *iostat, char *text, size_t room)
{
	size_t len = 0;

	*text = '\0';
	for (int i = 0; i < iostat->nr && len < room; i++)
		len += (size_t)snprintf(text + len, room - len, "%s%s", i ? ", " : "",
					iostat->at[i].name);
}

/* The name of a port as sysfs would have it. Returns false if @text is none. */
static bool canonical(const char *text, size_t len, char name[IOSTAT_PORT_LEN])
{
	static const char digits[] = "0123456789abcdefABCDEF";
	size_t segment = strspn(text, digits), bus = 0;

	if (text[segment] == ':')
		bus = strspn(text + segment + 1, digits);
	if (!segment || segment > 4 || !bus || bus > 2 || segment + 1 + bus != len)
		return false;
	snprintf(name, IOSTAT_PORT_LEN, "%04lx:%02lx", strtoul(text, NULL, 16),
		 strtoul(text + segment + 1, NULL, 16));
	return true;
}

/* Moves those of a name behind those that are kept. Returns how many there were. */
static int keep(struct iostat *iostat, int *nr_kept, const char *name)
{
	int nr = 0;

	for (int i = 0; i < iostat->nr; i++) {
		struct iostat_port port = iostat->at[i];

		if (strcmp(port.name, name) != 0)
			continue;
		nr++;
		if (i < *nr_kept)
			continue;
		iostat->at[i] = iostat->at[*nr_kept];
		iostat->at[(*nr_kept)++] = port;
	}
	return nr;
}

static void free_from(struct iostat *iostat, int first)
{
	for (int i = first; i < iostat->nr; i++)
		free(iostat->at[i].pmu);
	iostat->nr = first;
}

/* Those of a list, in its order. */
static int choose(struct iostat *iostat, const char *wanted, struct xp_diag *diag)
{
	char name[IOSTAT_PORT_LEN], ports[256];
	int nr_kept = 0;

	say_ports(iostat, ports, sizeof(ports));
	for (const char *at = wanted;; at++) {
		size_t len = strcspn(at, ",");

		if (!canonical(at, len, name) || !keep(iostat, &nr_kept, name))
			return xp_diag_set(diag, -ENOENT,
					   "--iostat: there is no root port '%.*s': this machine "
					   "has %s",
					   len > 40 ? 40 : (int)len, at, ports);
		at += len;
		if (!*at)
			break;
	}
	free_from(iostat, nr_kept);
	return 0;
}

int iostat_find(struct iostat *iostat, struct xp_ctx *ctx, const char *wanted, struct xp_diag *diag)
{
	int err;

	*iostat = (struct iostat){ 0 };
	err = xp_root_ports_walk(ctx, add_port, iostat, diag);
	if (err == -ENOMEM)
		return xp_diag_set(diag, err, "Out of memory");
	if (!err && !iostat->nr)
		return xp_diag_set(diag, -EOPNOTSUPP,
				   "--iostat: the kernel does not say which root ports the PMUs "
				   "uncore_iio_N count: it has no /sys/devices/uncore_iio_N/dieX");
	return err || !wanted ? err : choose(iostat, wanted, diag);
}

/* "{uncore_iio_1/event=0x83,umask=0x04,ch_mask=0xf,fc_mask=0x07,cpu=0/,...}" */
static int plan_port(struct iostat_port *port, struct xp_evlist *evlist, struct xp_diag *diag)
{
	unsigned int parts = (1U << port->nr_parts) - 1;
	char text[IOSTAT_COLUMNS * 400];
	size_t len = 0;

	for (int i = 0; i < IOSTAT_COLUMNS; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%c%.255s/%s,ch_mask=%#x,fc_mask=0x07,cpu=%d/",
					i ? ',' : '{', port->pmu, codes[i], parts, port->cpu);
	snprintf(text + len, sizeof(text) - len, "}");
	port->first_event = xp_evlist_nr(evlist);
	return xp_evlist_parse(evlist, text, diag);
}

int iostat_plan(struct iostat *iostat, struct xp_evlist *evlist, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < iostat->nr && !err; i++)
		err = plan_port(&iostat->at[i], evlist, diag);
	return err;
}

void iostat_fini(struct iostat *iostat)
{
	free_from(iostat, 0);
	free(iostat->at);
	*iostat = (struct iostat){ 0 };
}

static void print_ports(const struct iostat *iostat)
{
	for (int i = 0; i < iostat->nr; i++)
		printf("S%d-%s<%s>\n", iostat->at[i].die, iostat->at[i].pmu, iostat->at[i].name);
}

int iostat_list(const struct cli *cli, struct stat_config *config)
{
	struct xp_ctx *ctx = cli_ctx_new(cli, config->verbose);
	struct iostat iostat = { 0 };
	struct xp_diag diag = { 0 };
	int err = ctx ? iostat_find(&iostat, ctx, NULL, &diag) : -ENOMEM;

	if (!err)
		print_ports(&iostat);
	else if (ctx)
		stat_refuse_absent(config, ctx, &diag); /* rather why there are none */
	if (err && diag.err)
		cli_print_diag(&diag, NULL);
	iostat_fini(&iostat);
	if (ctx)
		cli_ctx_free(ctx);
	stat_config_fini(config);
	return err ? EXIT_FAILED : 0;
}
