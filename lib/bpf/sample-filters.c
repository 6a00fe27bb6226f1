/* SPDX-License-Identifier: MIT */
/*
 * Filters of samples: one program for each event that has one, whose constants are the event's
 * conditions. Opening the event gives it to the kernel (lib/evsel/filter.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <xperf/bpf-samples.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sys.h>

#include "bpf.h"
#include "filter.h"
#include "opts.h"
#include "sample-conditions.h"

static const _Alignas(8) unsigned char bytes[] = {
#include "sample-filter.bpf.hex"
};

/* The program's constants, as sample-filter.bpf.c has them. */
struct constants {
	uint32_t nr_terms;
	uint32_t padding;
	struct sample_term terms[SAMPLE_TERMS_MAX];
};

/* The program's counts, of one CPU. */
struct tally {
	uint64_t kept, kept_period;
	uint64_t dropped, dropped_period;
};

struct xp_sample_filters {
	struct xp_evlist *evlist;
	struct xp_bpf **programs; /* by position of the event; NULL: it has none */
	int nr;
};

/* --- loading --- */

/* What a program can see before Linux 6.3. */
static bool is_early(uint32_t field)
{
	return field == SAMPLE_FIELD_ADDR || field == SAMPLE_FIELD_PERIOD ||
	       field == SAMPLE_FIELD_UID || field == SAMPLE_FIELD_GID;
}

static int check_kernel(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	const struct xp_sys *sys = evsel->ctx->sys;
	const struct xp_sample_filter *filter = evsel->sample_filter;
	struct utsname name;
	int major, minor;

	if (sys->uname(sys, &name) || sscanf(name.release, "%d.%d", &major, &minor) != 2 ||
	    major > 6 || (major == 6 && minor >= 3))
		return 0;
	for (int i = 0; i < filter->nr; i++)
		if (!is_early(filter->terms[i].field)) {
			xp_diag_set(diag, -EOPNOTSUPP,
				    "Samples of %s cannot be filtered by %s: this needs Linux 6.3, "
				    "and here is %d.%d",
				    evsel->name, xp_sample_field_name(filter->terms[i].field),
				    major, minor);
			xp_diag_hint(diag, "period, addr, uid and gid can be compared here");
			return -EOPNOTSUPP;
		}
	return 0;
}

static int set_constants(struct xp_bpf *bpf, const struct xp_sample_filter *filter)
{
	size_t len;
	struct constants *constants = xp_bpf_constants(bpf, &len);

	if (!constants || len != sizeof(*constants))
		return -EBADMSG;
	constants->nr_terms = (uint32_t)filter->nr;
	memcpy(constants->terms, filter->terms, sizeof(constants->terms));
	return 0;
}

static int load_one(struct xp_evsel *evsel, struct xp_bpf **ret_bpf, struct xp_diag *diag)
{
	static const struct xp_bpf_code code = { "sample filter", bytes, sizeof(bytes) };
	int err = check_kernel(evsel, diag) ?: xp_bpf_open(&code, ret_bpf, diag);

	if (err)
		return err;
	err = set_constants(*ret_bpf, evsel->sample_filter);
	if (err)
		return xp_diag_set(diag, err, "The BPF program '%s' is damaged", code.name);
	err = xp_bpf_load(*ret_bpf, diag);
	if (err)
		return err;
	evsel->program_fd = xp_bpf_program_fd(*ret_bpf, "filter");
	evsel->has_program = true;
	return 0;
}

static bool has_filters(const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++)
		if (xp_evlist_at(evlist, i)->sample_filter)
			return true;
	return false;
}

int xp_sample_filters_load(struct xp_evlist *evlist, struct xp_sample_filters **ret_filters,
			   struct xp_diag *diag)
{
	struct xp_sample_filters *filters = NULL;
	int err = 0;

	if (!has_filters(evlist)) {
		*ret_filters = NULL;
		return 0;
	}
	filters = calloc(1, sizeof(*filters));
	if (filters)
		filters->programs =
			calloc((size_t)xp_evlist_nr(evlist), sizeof(*filters->programs));
	if (!filters || !filters->programs) {
		free(filters);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	filters->evlist = evlist;
	filters->nr = xp_evlist_nr(evlist);
	for (int i = 0; i < xp_evlist_nr(evlist) && !err; i++)
		if (xp_evlist_at(evlist, i)->sample_filter)
			err = load_one(xp_evlist_at(evlist, i), &filters->programs[i], diag);
	if (err)
		xp_sample_filters_free(filters);
	else
		*ret_filters = filters;
	return err;
}

/* --- afterwards --- */

static int add_tally(struct xp_bpf *bpf, struct xp_sample_tally *sum)
{
	int nr = xp_bpf_possible_cpus(bpf);
	struct tally *tallies = nr > 0 ? calloc((size_t)nr, sizeof(*tallies)) : NULL;
	uint32_t zero = 0;

	if (!tallies)
		return nr > 0 ? -ENOMEM : nr;
	int err = xp_bpf_lookup(bpf, xp_bpf_map_fd(bpf, "tallies"), &zero, tallies);
	for (int i = 0; i < nr && !err; i++) {
		sum->kept += tallies[i].kept;
		sum->kept_period += tallies[i].kept_period;
		sum->dropped += tallies[i].dropped;
		sum->dropped_period += tallies[i].dropped_period;
	}
	free(tallies);
	return err;
}

int xp_sample_filters_tally(const struct xp_sample_filters *filters,
			    struct xp_sample_tally *ret_tally)
{
	struct xp_sample_tally sum = { 0 };
	int err = 0;

	for (int i = 0; i < filters->nr && !err; i++)
		if (filters->programs[i])
			err = add_tally(filters->programs[i], &sum);
	return err ? err : XP_OUTPUT_COPY(ret_tally, &sum, struct xp_sample_tally, dropped_period);
}

void xp_sample_filters_free(struct xp_sample_filters *filters)
{
	if (!filters)
		return;
	for (int i = 0; i < filters->nr; i++) {
		if (!filters->programs[i])
			continue;
		xp_evlist_at(filters->evlist, i)->has_program = false;
		xp_bpf_close(filters->programs[i]);
	}
	free(filters->programs);
	free(filters);
}
