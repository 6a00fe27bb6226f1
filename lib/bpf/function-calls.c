/* SPDX-License-Identifier: MIT */
/* Functions that are counted: the programs of function-calls.bpf.c, and a uprobe at each place, or
 * a copy of two of them at each function of the kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/functions.h>

#include "bpf.h"
#include "ctx.h"
#include "event.h"
#include "function-calls.h"
#include "function-places.h"
#include "opts.h"
#include "pids.h"

enum {
	PROCESSES_MAX = 65536,
	FRAMES_MAX = 65536, /* calls that go on, without events */
	FRAMES_WITH_EVENTS = 16384,
	KERNEL_ENOTSUPP = 524, /* which libc does not name */
};

static const _Alignas(8) unsigned char bytes[] = {
#include "function-calls.bpf.hex"
};

static const struct xp_bpf_code code = { "function calls", bytes, sizeof(bytes) };

struct xp_functions {
	struct xp_ctx *ctx;
	struct function_places places;
	bool *is_refused; /* by function: the kernel cannot probe it */
	struct xp_bpf *bpf;
	int nr_events, nr_cpus;
	int64_t pmu;             /* type of uprobes */
	bool is_alone;           /* programs of uprobes keep their CPU */
	struct function_sum sum; /* that was read last */
	struct xp_call_event events[FUNCTION_EVENTS_MAX];
};

/* --- what is loaded --- */

static int nr_events_of(const struct xp_functions_opts *opts)
{
	return opts->evlist ? xp_evlist_nr(opts->evlist) : 0;
}

static int check(const struct xp_functions_opts *opts, struct xp_functions *functions,
		 struct xp_diag *diag)
{
	size_t nr = xp_function_places_probes(&functions->places);

	functions->nr_events = nr_events_of(opts);
	if (functions->nr_events > FUNCTION_EVENTS_MAX)
		return xp_diag_set(diag, -E2BIG, "Functions can count %d events at most, not %d",
				   FUNCTION_EVENTS_MAX, functions->nr_events);
	if (nr > XP_FUNCTIONS_PROBES_MAX) {
		xp_diag_set(diag, -E2BIG, "%zu functions match, which need %zu probes: %d at most",
			    functions->places.nr, nr, XP_FUNCTIONS_PROBES_MAX);
		xp_diag_hint(diag, "Name fewer functions");
		return -E2BIG;
	}
	if (xp_function_places_have(&functions->places, false) &&
	    xp_file_read_int(functions->ctx, &functions->pmu,
			     "/sys/bus/event_source/devices/uprobe/type"))
		return xp_diag_set(diag, -EOPNOTSUPP,
				   "This kernel cannot probe programs: it has no 'uprobe' PMU");
	return opts->pids ? xp_bpf_check_pids(functions->ctx, diag) : 0;
}

static int make_room(const struct xp_functions *functions)
{
	const struct {
		const char *map;
		uint32_t entries;
	} rooms[] = {
		{ "sums", (uint32_t)functions->places.nr },
		{ "frames", functions->nr_events ? FRAMES_WITH_EVENTS : FRAMES_MAX },
		{ "events", (uint32_t)(functions->nr_events * functions->nr_cpus) },
		{ "processes", PROCESSES_MAX },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]) && !err; i++)
		err = xp_bpf_resize(functions->bpf, rooms[i].map,
				    rooms[i].entries ? rooms[i].entries : 1);
	return err;
}

/* Programs that follow processes, and when they are needed. */
static const struct {
	const char *program;
	bool for_inherit, for_exec;
} hooks[] = {
	{ "forked", .for_inherit = true },
	{ "executed", .for_exec = true },
	{ "ended" },
};

enum { NR_HOOKS = sizeof(hooks) / sizeof(hooks[0]) };

static bool needs(const struct xp_functions_opts *opts, int hook)
{
	return opts->pids && (!hooks[hook].for_inherit || opts->inherit) &&
	       (!hooks[hook].for_exec || opts->at_exec);
}

/* What is attached by copies is loaded for a function that is there for tests of the kernel. */
static const char kernel_probes[][15] = { "kernel_entered", "kernel_returns" };
static const char some_function[] = "bpf_fentry_test1";

enum { NR_KERNEL_PROBES = sizeof(kernel_probes) / sizeof(kernel_probes[0]) };

static int choose_kernel_probes(const struct xp_functions *functions)
{
	bool needed = xp_function_places_have(&functions->places, true);
	int err = 0;

	for (int i = 0; i < NR_KERNEL_PROBES && !err; i++)
		err = needed ? xp_bpf_set_target(functions->bpf, kernel_probes[i], 0, some_function)
			     : xp_bpf_leave_out(functions->bpf, kernel_probes[i]);
	return err;
}

/* Programs of uprobes: those that keep their CPU, where the kernel lets them, and the others. */
static const struct {
	const char *entered, *returns;
} uprobes[] = { { "entered", "returns" }, { "entered_alone", "returns_alone" } };

/* Returns 1: the kernel lets programs keep their CPU; 2: it does not. */
static int find_preempt_disable(void *data, const struct xp_bpf_function *function)
{
	(void)data;
	return function->btf ? 2 : !strcmp(function->name, "bpf_preempt_disable");
}

static int choose_uprobes(struct xp_functions *functions)
{
	functions->is_alone = xp_bpf_each_function(functions->bpf, find_preempt_disable, NULL) == 1;
	int other = !functions->is_alone;

	return xp_bpf_leave_out(functions->bpf, uprobes[other].entered)
		       ?: xp_bpf_leave_out(functions->bpf, uprobes[other].returns);
}

static int set_up(struct xp_functions *functions, const struct xp_functions_opts *opts)
{
	size_t len;
	struct function_setup *setup = xp_bpf_constants(functions->bpf, &len);
	int err = setup && len >= sizeof(*setup) ? 0 : -EBADMSG;

	if (err)
		return err;
	*setup = (struct function_setup){
		.nr_events = (uint32_t)functions->nr_events,
		.nr_cpus = (uint32_t)functions->nr_cpus,
		.all_tasks = !opts->pids,
	};
	for (int i = 0; i < NR_HOOKS && !err; i++)
		if (!needs(opts, i))
			err = xp_bpf_leave_out(functions->bpf, hooks[i].program);
	return err ?: choose_uprobes(functions) ?: choose_kernel_probes(functions)
		       ?: make_room(functions);
}

/* Once. */
static int open_programs(struct xp_functions *functions, struct xp_diag *diag)
{
	return functions->bpf ? 0 : xp_bpf_open(&code, &functions->bpf, diag);
}

static int refuse_kernel(int err, struct xp_diag *diag)
{
	xp_diag_set(diag, err,
		    "Functions of the kernel cannot be counted: it attaches no BPF programs to "
		    "them (fentry), or not for you");
	xp_diag_hint(diag, "run as root on Linux 6.0 or newer");
	return err;
}

static int load(struct xp_functions *functions, const struct xp_functions_opts *opts,
		struct xp_diag *diag)
{
	functions->nr_cpus = xp_bpf_possible_cpus(functions->bpf);
	int err = functions->nr_cpus < 0 ? functions->nr_cpus : set_up(functions, opts);

	if (err)
		return xp_diag_set(diag, err, "The BPF program '%s' cannot be prepared: %s",
				   code.name, strerror(-err));
	err = xp_bpf_load(functions->bpf, diag);
	if (err && err != -ENOMEM && xp_function_places_have(&functions->places, true))
		return refuse_kernel(err, diag);
	for (int i = 0; i < NR_HOOKS && !err; i++)
		if (needs(opts, i))
			err = xp_bpf_attach(functions->bpf, hooks[i].program, diag);
	return err;
}

/* Events of CPUs that the kernel refused count nothing. */
static int set_events(struct xp_functions *functions, const struct xp_functions_opts *opts)
{
	int map = xp_bpf_map_fd(functions->bpf, "events");
	int err = 0;

	for (int i = 0; i < functions->nr_events; i++) {
		const struct xp_cpus *cpus = xp_evlist_cpus(opts->evlist);

		for (int c = 0; c < xp_cpus_nr(cpus) && !err; c++) {
			int fd = xp_evsel_fd(xp_evlist_at(opts->evlist, i), c, 0);
			uint32_t key = (uint32_t)(i * functions->nr_cpus + xp_cpus_at(cpus, c).nr);

			if (fd >= 0 && xp_cpus_at(cpus, c).nr < functions->nr_cpus)
				err = xp_bpf_update(functions->bpf, map, &key, &fd);
		}
	}
	return err;
}

/* --- probes --- */

static int refuse_probe(const char *file, const char *name, int err, struct xp_diag *diag)
{
	xp_diag_set(diag, err, "'%s' in %s cannot be probed: %s", name, file, strerror(-err));
	if (err == -EACCES || err == -EPERM)
		xp_diag_hint(diag, "Run it as root, or give the program CAP_PERFMON");
	else if (err == -EMFILE)
		xp_diag_hint(diag, "Raise the limit with `ulimit -n`, or name fewer functions");
	return err;
}

/*
 * Of an event on one CPU, the program runs on all. Returns 0, 1 where the kernel cannot put a probe
 * on the instruction, or a negative errno with @diag filled.
 */
static int add_probe(struct xp_functions *functions, const struct function_place *place,
		     uint64_t offset, const char *program, struct xp_diag *diag)
{
	const struct xp_sys *sys = functions->ctx->sys;
	const char *file = functions->places.files.at[place->file];
	uint64_t number = (uint64_t)(place - functions->places.at);
	struct xp_attr attr = {
		.size = sizeof(attr),
		.type = (uint32_t)functions->pmu,
		.uprobe_path = (uint64_t)(uintptr_t)file,
		.probe_offset = offset,
	};
	int fd = sys->perf_event_open(sys, &attr, -1, 0, -1, 0);

	if (fd == -KERNEL_ENOTSUPP || fd == -EOPNOTSUPP)
		return 1;
	if (fd < 0)
		return refuse_probe(file, place->name, fd, diag);
	int err = xp_bpf_attach_probe(functions->bpf, program, fd,
				      number | (place->nr_ends ? FUNCTION_HAS_ENDS : 0), diag);
	sys->close(sys, fd);
	return err;
}

/* Ends before the beginning, so that no call is seen to begin that cannot end. */
static int add_kernel_function(struct xp_functions *functions, int number, struct xp_diag *diag)
{
	const struct function_place *place = &functions->places.at[number];
	const struct xp_bpf_function function = { .type = place->type, .btf = place->btf };
	int err = 0;

	for (int i = NR_KERNEL_PROBES; i-- > 0 && !err;)
		err = xp_bpf_attach_copy(functions->bpf, kernel_probes[i], &function,
					 (uint64_t)number | FUNCTION_HAS_ENDS);
	if (err == -EPERM || err == -EACCES || err == -EMFILE || err == -ENOMEM)
		return refuse_probe("the kernel", place->name, err, diag);
	functions->is_refused[number] = err;
	return 0;
}

/* Likewise. */
static int add_function(struct xp_functions *functions, int function, struct xp_diag *diag)
{
	struct function_place *place = &functions->places.at[function];
	int err = 0;

	for (size_t i = 0; i < place->nr_ends && !err; i++)
		err = add_probe(functions, place, place->ends[i],
				uprobes[functions->is_alone].returns, diag);
	if (err < 0)
		return err;
	if (err) {
		place->state = FUNCTION_ENDS_NO_PROBE;
		place->nr_ends = 0;
	}
	err = add_probe(functions, place, place->offset, uprobes[functions->is_alone].entered,
			diag);
	functions->is_refused[function] = err > 0;
	return err < 0 ? err : 0;
}

/* Counting begins for all functions at once. */
static int start(struct xp_functions *functions, const struct xp_functions_opts *opts,
		 struct xp_diag *diag)
{
	int map = xp_bpf_map_fd(functions->bpf, "processes");
	uint32_t on = !opts->at_exec;
	int err = 0;

	for (int i = 0; i < (opts->pids ? opts->nr_pids : 1) && !err; i++) {
		uint32_t key = opts->pids ? (uint32_t)opts->pids[i] : 0;

		err = xp_bpf_update(functions->bpf, map, &key, &on);
	}
	if (err)
		xp_diag_set(diag, err, "What BPF is to count cannot be stored: %s", strerror(-err));
	return err;
}

static int count(struct xp_functions *functions, const struct xp_functions_opts *opts,
		 struct xp_diag *diag)
{
	const char *patterns = opts->patterns ?: "";
	int err = xp_function_patterns_have_kernel(patterns) ? open_programs(functions, diag) : 0;

	err = err ?: xp_function_places_find(functions->bpf, &functions->places, patterns,
					     opts->program, diag)
		      ?: check(opts, functions, diag) ?: open_programs(functions, diag)
		      ?: load(functions, opts, diag);

	if (err)
		return err;
	functions->is_refused = calloc(functions->places.nr, sizeof(bool));
	if (!functions->is_refused)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	err = set_events(functions, opts);
	if (err)
		return xp_diag_set(diag, err, "What BPF is to count cannot be stored: %s",
				   strerror(-err));
	for (int i = 0; i < xp_functions_nr(functions) && !err; i++)
		err = (functions->places.at[i].in_kernel ? add_kernel_function
							 : add_function)(functions, i, diag);
	return err ?: start(functions, opts, diag);
}

int xp_functions_new(struct xp_ctx *ctx, const struct xp_functions_opts *opts,
		     struct xp_functions **ret_functions, struct xp_diag *diag)
{
	struct xp_functions_opts known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, opts, struct xp_functions_opts, evlist, diag);
	struct xp_functions *functions = err ? NULL : calloc(1, sizeof(*functions));

	if (!functions)
		return err ? err : xp_diag_set(diag, -ENOMEM, "Out of memory");
	functions->ctx = ctx;
	err = count(functions, &known, diag);
	if (err)
		xp_functions_free(functions);
	else
		*ret_functions = functions;
	return err;
}

void xp_functions_free(struct xp_functions *functions)
{
	if (!functions)
		return;
	xp_bpf_close(functions->bpf);
	xp_function_places_fini(&functions->places);
	free(functions->is_refused);
	free(functions);
}

/* --- what is known --- */

int xp_functions_nr(const struct xp_functions *functions)
{
	return (int)functions->places.nr;
}

uint64_t xp_functions_missed(const struct xp_functions *functions)
{
	uint32_t key = 0;
	uint64_t nr = 0;

	return xp_bpf_lookup(functions->bpf, xp_bpf_map_fd(functions->bpf, "missed"), &key, &nr)
		       ? 0
		       : nr;
}

static const char *why_no_times(const struct xp_functions *functions, int function)
{
	const struct function_place *place = &functions->places.at[function];

	if (!functions->is_refused[function])
		return xp_function_ends_reason(place->state);
	return place->in_kernel ? "the kernel attaches nothing to it"
				: "the kernel cannot probe its first instruction";
}

uint64_t xp_functions_unseen(const struct xp_functions *functions)
{
	return xp_bpf_misses(functions->bpf);
}

int xp_functions_read(struct xp_functions *functions, int function, struct xp_calls *ret_calls)
{
	const struct function_sum *sum = &functions->sum;
	uint32_t key = (uint32_t)function;

	if (function < 0 || function >= xp_functions_nr(functions))
		return -EINVAL;
	const struct function_place *place = &functions->places.at[function];
	int err = xp_bpf_lookup(functions->bpf, xp_bpf_map_fd(functions->bpf, "sums"), &key,
				&functions->sum);
	if (err)
		return err;
	for (int i = 0; i < FUNCTION_EVENTS_MAX; i++)
		functions->events[i] =
			(struct xp_call_event){ sum->events[i].value, sum->events[i].calls };
	const struct xp_calls calls = {
		.name = place->name,
		.file = functions->places.files.at[place->file],
		.reason = why_no_times(functions, function),
		.calls = sum->calls,
		.timed = sum->timed,
		.total_ns = sum->total_ns,
		.max_ns = sum->max_lost ? 0 : sum->max_ns,
		.events = functions->events,
		.buckets = (const uint64_t *)sum->buckets,
		.counted = !functions->is_refused[function],
		.repeats = place->repeats,
		.left_out = sum->left_out,
	};
	return XP_OUTPUT_COPY(ret_calls, &calls, struct xp_calls, repeats);
}
