/* SPDX-License-Identifier: MIT */
/*
 * BPF programs that are counted while they run: by number, with the name of their first function,
 * which the kernel has from their type information.
 *
 * Source of what the kernel refuses: bpf_check_attach_target() of kernel/bpf/verifier.c, and
 * kernel/bpf/trampoline.c.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>

#include "bpf-info.h"
#include "counter-impl.h"
#include "ctx.h"

/* Which is in no header of user space, linux/errno.h. */
enum { KERNEL_ENOTSUPP = 524 };

int xp_bpf_check_for_programs(const struct xp_evlist *evlist, struct xp_diag *diag)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		if (evsel->is_uncore || evsel->cgroup)
			return xp_diag_set(diag, -EOPNOTSUPP,
					   "%s cannot be counted while BPF programs run: it is of "
					   "a cgroup, or its PMU counts for several CPUs",
					   evsel->name);
	}
	return 0;
}

/* --- adding --- */

static int not_found(uint32_t id, int err, struct xp_diag *diag)
{
	if (err == -ENOENT) {
		xp_diag_set(diag, err, "There is no BPF program %u", id);
		xp_diag_hint(diag, "bpftool prog list shows those that are loaded");
	} else if (err == -EPERM || err == -EACCES) {
		xp_diag_set(diag, err, "You may not look for BPF program %u", id);
		xp_diag_hint(diag, "run as root, or give the program CAP_SYS_ADMIN");
	} else {
		xp_diag_set(diag, err, "BPF program %u cannot be looked at: %s", id,
			    strerror(-err));
	}
	return err;
}

/* What a refusal means; @type: 0: of any program */
static const struct {
	int err;
	uint32_t type;
	const char *why;
} refusals[] = {
	{ EINVAL, BPF_PROG_TYPE_TRACING, "it is a program for tracing itself" },
	{ EINVAL, 0, "the kernel attaches nothing to a program of this kind" },
	{ EPERM, 0, "the kernel allows no programs at the beginning and end of others" },
	{ EBUSY, 0, "another program replaces a part of it" },
	{ E2BIG, 0, "too many programs are attached to it" },
	{ KERNEL_ENOTSUPP, 0, "the kernel is too old for it on this kind of processor" },
	{ EOPNOTSUPP, 0, "the kernel is too old for it on this kind of processor" },
};

static int refused(const struct xp_bpf_info *program, int err, struct xp_diag *diag)
{
	const char *why = strerror(-err);

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].err == -err &&
		    (!refusals[i].type || refusals[i].type == program->info.type)) {
			why = refusals[i].why;
			break;
		}
	return xp_diag_set(diag, err, "BPF program %u cannot be counted: %s", program->info.id,
			   why);
}

static int add(struct xp_bpf_counts *counts, int fd, const struct xp_bpf_info *program,
	       struct xp_diag *diag)
{
	const char *function = xp_bpf_info_function(program, 0);

	if (!program->info.id)
		return xp_diag_set(diag, -EOPNOTSUPP,
				   "BPF programs cannot be counted: the kernel does not compile "
				   "them (net.core.bpf_jit_enable)");
	if (!function) {
		xp_diag_set(diag, -EOPNOTSUPP,
			    "BPF program %u cannot be counted: it has no type information (BTF)",
			    program->info.id);
		xp_diag_hint(diag, "compile it with clang -g, and load it with libbpf");
		return -EOPNOTSUPP;
	}
	int err = xp_bpf_counts_add_program(counts, fd, function);
	return err ? refused(program, err, diag) : 0;
}

static int add_by_id(struct xp_bpf_counter *counter, uint32_t id, struct xp_diag *diag)
{
	const struct xp_sys *sys = counter->events[0].evsel->ctx->sys;
	struct xp_bpf_info program = { 0 };
	int fd = xp_bpf_info_open(sys, id);

	if (fd < 0)
		return not_found(id, fd, diag);
	int err = xp_bpf_info_read(sys, fd, &program);
	err = err ? not_found(id, err, diag) : add(counter->counts, fd, &program, diag);
	xp_bpf_info_fini(&program);
	sys->close(sys, fd);
	return err;
}

int xp_bpf_add_programs(struct xp_bpf_counter *counter, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < counter->nr_programs && !err; i++)
		err = add_by_id(counter, counter->programs[i], diag);
	return err;
}

/* --- reading --- */

static void set_reason(struct xp_evsel *evsel, const struct xp_bpf_runs *runs)
{
	unsigned long long counted = runs->nr_counted, broken = runs->nr_broken;

	if (!counted && !broken && !runs->nr_skipped)
		xp_evsel_set_reason(evsel, "no run of the BPF program ended");
	else if (runs->nr_skipped)
		xp_evsel_set_reason(evsel,
				    "in %llu runs, without %llu in which other tasks ran, and %llu "
				    "of which the kernel did not show the beginning or the end",
				    counted, broken, (unsigned long long)runs->nr_skipped);
	else if (broken)
		xp_evsel_set_reason(evsel, "in %llu runs, without %llu in which other tasks ran",
				    counted, broken);
}

void xp_bpf_report_runs(struct xp_bpf_counter *counter)
{
	struct xp_bpf_runs runs;

	if (xp_bpf_counts_read_runs(counter->counts, counter->events[0].evsel->ctx->sys, &runs))
		return;
	xp_bpf_copy_back(counter);
	for (int i = 0; i < counter->nr_events; i++)
		if (counter->events[i].evsel->support == XP_SUPPORTED)
			set_reason(counter->events[i].evsel, &runs);
}
