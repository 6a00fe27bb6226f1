/* SPDX-License-Identifier: MIT */
/*
 * --syscalls: entries of system calls, and returns from them, filtered in the kernel by the numbers
 * of the calls that were named.
 */
#include "syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sampling.h>

#include "sink.h"
#include "syscall-names.h"

int parse_syscalls(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	if (arg && !*arg)
		return option_error(option, "needs names of system calls, as in read,write");
	config->syscalls = negated ? NULL : arg ? arg : "";
	return 0;
}

const char *syscalls_contradiction(const struct record_config *config)
{
	uint64_t flags = config->sampling.flags;

	if (!config->syscalls)
		return NULL;
	if (flags & XP_SAMPLING_ALL_USER)
		return "--syscalls needs samples of the kernel, where calls are entered: leave out --all-user";
	if (flags & XP_SAMPLING_NO_TIME)
		return "--syscalls needs the time of samples: leave out --no-timestamp";
	if (config->sums_ns)
		return "--bpf sums samples, --syscalls needs each of them: choose one";
	return NULL;
}

/* --- filters --- */

static int unknown_name(const char *name, size_t len, enum syscall_abi abi, const char *machine,
			struct xp_diag *diag)
{
	const char *meant = syscall_meant(abi, name, len);

	if (abi == SYSCALLS_UNKNOWN)
		xp_diag_set(diag, -EINVAL, "The numbers of system calls are not known of %s",
			    machine);
	else
		xp_diag_set(diag, -EINVAL, "This machine has no system call '%.*s'", (int)len,
			    name);
	if (abi == SYSCALLS_UNKNOWN)
		xp_diag_hint(diag, "--syscalls without names records all of them");
	else if (meant)
		xp_diag_hint(diag, "Did you mean '%s'?", meant);
	return -EINVAL;
}

/* Conditions on their numbers, one for entries and one for returns. The kernel has forgotten the
 * number when a signal handler has ended. */
static int put_numbers(const char *names, struct sink *entries, struct sink *returns,
		       struct xp_diag *diag)
{
	struct utsname machine;
	const char * or = "";

	if (uname(&machine))
		*machine.machine = '\0';
	enum syscall_abi abi = syscall_abi_of(machine.machine);
	for (const char *at = names;; at++) {
		size_t len = strcspn(at, ",");
		int nr = syscall_number(abi, at, len);

		if (nr < 0)
			return unknown_name(at, len, abi, machine.machine, diag);
		sink_format(entries, "%sid == %d", or, nr);
		sink_format(returns, "%sid == %d", or, nr);
		if (nr == syscall_number(abi, "rt_sigreturn", strlen("rt_sigreturn")))
			sink_text(returns, " || id == -1");
		or = " || ";
		at += len;
		if (!*at)
			return 0;
	}
}

/* --- events --- */

static int add_event(struct xp_evlist *evlist, const char *event, const char *filter,
		     struct xp_diag *diag)
{
	int err = xp_evlist_parse(evlist, event, diag);
	struct xp_evsel *evsel = err ? NULL : xp_evlist_at(evlist, xp_evlist_nr(evlist) - 1);

	if (!err && *filter)
		err = xp_evsel_add_filter(evsel, filter, diag);
	return err ?: xp_evsel_exclude_self(evsel, diag);
}

int syscalls_add(struct xp_evlist *evlist, const char *names, struct xp_diag *diag)
{
	struct sink entries = SINK_KEPT, returns = SINK_KEPT;

	if (!names)
		return 0;
	int err = *names ? put_numbers(names, &entries, &returns, diag) : 0;
	sink_char(&entries, '\0');
	sink_char(&returns, '\0');
	if (!err && (entries.err || returns.err))
		err = -ENOMEM;
	/* A call returns to where it was entered: one stack is enough. */
	if (!err)
		err = add_event(evlist, "raw_syscalls:sys_enter/period=1/", entries.buf, diag)
			      ?: add_event(evlist, "raw_syscalls:sys_exit/call-graph=no,period=1/",
					   returns.buf, diag);
	sink_fini(&entries);
	sink_fini(&returns);
	return err;
}
