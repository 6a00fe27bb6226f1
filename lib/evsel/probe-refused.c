/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's refusals of a probe mean.
 *
 * Source: kernel/trace/trace_event_perf.c, trace_kprobe.c, kernel/events/uprobes.c (Linux 6.1 to
 * 6.18).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cleanup.h"
#include "kernel-symbols.h"
#include "ladder.h"
#include "suggest.h"

/* The kernel's own, which libc does not name. */
enum { KERNEL_ENOTSUPP = 524 };

struct nearest {
	struct xp_suggest suggest;
	char name[256]; /* of the best, which is lent for the call only */
};

static int offer(const char *name, uint64_t address, void *data)
{
	struct nearest *nearest = data;

	(void)address;
	xp_suggest_offer(&nearest->suggest, name);
	if (nearest->suggest.best == name) {
		snprintf(nearest->name, sizeof(nearest->name), "%s", name);
		nearest->suggest.best = nearest->name;
	}
	return 0;
}

static enum xp_step no_function(const struct xp_refusal *r)
{
	const char *function = r->evsel->probe_target;
	struct nearest nearest = { .suggest = { .word = function, .len = strlen(function) } };

	xp_diag_set(r->diag, r->err, "%s cannot be counted: this kernel has no function '%s'",
		    r->evsel->name, function);
	xp_kernel_functions_walk(r->evsel->ctx, offer, &nearest);
	if (nearest.suggest.best)
		xp_diag_hint(r->diag, "Did you mean '%s'?", nearest.name);
	return XP_STEP_FAIL;
}

static const struct refusal {
	const char *pmu;
	int err;
	const char *what, *hint;
} refusals[] = {
	{ "uprobe", ENOENT, "there is no such file",
	  "Paths are relative to the current directory; ~ is not expanded" },
	{ "uprobe", EINVAL, "the offset is outside of the file's code", "" },
	{ "uprobe", EIO, "the file system does not allow probes in its files", "" },
	{ "uprobe", KERNEL_ENOTSUPP, "the kernel cannot probe the instruction there",
	  "Probe the instruction before or after it" },
	{ "kprobe", EINVAL, "the kernel does not allow a probe there",
	  "/sys/kernel/debug/kprobes/blacklist lists what it protects from probes" },
	{ "kprobe", EILSEQ, "no instruction begins at this offset", "" },
	{ "kprobe", EADDRNOTAVAIL, "the kernel has several functions of this name",
	  "Give the address of one from /proc/kallsyms: kprobe:0xADDRESS" },
};

static const struct refusal *find_refusal(const struct xp_refusal *r)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(refusals); i++)
		if (refusals[i].err == -r->err && !strcmp(refusals[i].pmu, r->evsel->probe))
			return &refusals[i];
	return NULL;
}

/* perf_event_paranoid does not matter here: perf_uprobe_event_init(). */
static enum xp_step no_permission(const struct xp_refusal *r)
{
	xp_diag_set(r->diag, r->err, "No permission to count %s: probes need CAP_PERFMON",
		    r->evsel->name);
	xp_diag_hint(r->diag, "Run it as root, or " XP_GIVE_CAPABILITIES);
	return XP_STEP_FAIL;
}

enum xp_step xp_probe_refused(const struct xp_refusal *r)
{
	if (!r->evsel->probe)
		return XP_STEP_NEXT;
	const struct refusal *known = find_refusal(r);

	if (r->err == -EACCES || r->err == -EPERM)
		return no_permission(r);
	if (r->err == -ENOENT && !strcmp(r->evsel->probe, "kprobe") && r->evsel->probe_target)
		return no_function(r);
	if (!known) {
		xp_diag_set(r->diag, r->err, "%s cannot be counted: perf_event_open failed: %s",
			    r->evsel->name, strerror(-r->err));
		return XP_STEP_FAIL;
	}
	xp_diag_set(r->diag, r->err, "%s cannot be counted: %s", r->evsel->name, known->what);
	if (*known->hint)
		xp_diag_hint(r->diag, "%s", known->hint);
	return XP_STEP_FAIL;
}
