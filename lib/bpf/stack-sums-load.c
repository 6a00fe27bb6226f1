/* SPDX-License-Identifier: MIT */
/* One program for each event that is summed; waits are the event of context switches that has
 * others. */
#include <errno.h>
#include <stdlib.h>
#include <xperf/attr.h>
#include <xperf/bpf-samples.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "bpf.h"
#include "cpu-share.h"
#include "event.h"
#include "opts.h"
#include "stack-sums-impl.h"
#include "stack-walk.h"

static const _Alignas(8) unsigned char sums_bytes[] = {
#include "stack-sums.bpf.hex"
};
static const _Alignas(8) unsigned char waits_bytes[] = {
#include "stack-waits.bpf.hex"
};

static const struct xp_bpf_code sums_code = { "stack sums", sums_bytes, sizeof(sums_bytes) };
static const struct xp_bpf_code waits_code = { "stack waits", waits_bytes, sizeof(waits_bytes) };

/* What samples can have that are sums. */
#define SUMMED                                                                                     \
	(XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_ID |      \
	 XP_SAMPLE_CPU | XP_SAMPLE_PERIOD | XP_SAMPLE_IDENTIFIER | XP_SAMPLE_CGROUP)
#define NEEDED (XP_SAMPLE_TID | XP_SAMPLE_TIME | XP_SAMPLE_CALLCHAIN | XP_SAMPLE_PERIOD)

static bool is_dummy(const struct xp_evsel *evsel)
{
	return evsel->attr.type == XP_TYPE_SOFTWARE && evsel->attr.config == XP_SW_DUMMY;
}

static int check_event(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	uint64_t type = evsel->attr.sample_type;

	if (evsel->attr.type == XP_TYPE_TRACEPOINT || evsel->probe)
		return xp_diag_set(diag, -EINVAL,
				   "Samples of %s cannot be summed: each has its own fields",
				   evsel->name);
	if (evsel->sample_filter)
		return xp_diag_set(diag, -EINVAL,
				   "Samples of %s cannot both be filtered and be summed",
				   evsel->name);
	if ((type & NEEDED) != NEEDED || type & ~SUMMED)
		return xp_diag_set(diag, -EINVAL,
				   "Samples of %s cannot be summed: they need task, time, period "
				   "and call chain, and can have CPU and cgroup beside them",
				   evsel->name);
	return 0;
}

static void find_maps(struct program *program)
{
	struct xp_bpf *bpf = program->bpf;

	program->sums[0] = xp_bpf_map_fd(bpf, "sums0");
	program->sums[1] = xp_bpf_map_fd(bpf, "sums1");
	program->chains[0] = xp_bpf_map_fd(bpf, "chains0");
	program->chains[1] = xp_bpf_map_fd(bpf, "chains1");
	program->generation = xp_bpf_map_fd(bpf, "generation");
	program->sums_of = xp_bpf_map_fd(bpf, "sums");
}

static int check_waits(const struct xp_evsel *evsel, struct xp_diag *diag)
{
	if (evsel->attr.type == XP_TYPE_SOFTWARE && evsel->attr.config == XP_SW_CONTEXT_SWITCHES &&
	    evsel->attr.sample_period == 1 && !evsel->attr.freq && !evsel->attr.exclude_kernel)
		return 0;
	return xp_diag_set(diag, -EINVAL,
			   "Waits cannot be summed of %s: it has to be "
			   "context-switches, each of them sampled in the kernel",
			   evsel->name);
}

static int set_constants(const struct program *program, const struct xp_stack_sums *sums)
{
	size_t len;
	struct stack_constants *constants = xp_bpf_constants(program->bpf, &len);

	if (!constants || len != sizeof(*constants))
		return -EBADMSG;
	*constants = (struct stack_constants){
		.with_cgroups = !!(program->evsel->attr.sample_type & XP_SAMPLE_CGROUP),
		.with_rules = !!sums->walk,
		.min_ns = program->min_ns,
		.with_wakers = !!sums->wakers.evsel,
	};
	return xp_stack_walk_use(sums->walk, program->bpf);
}

static int leave_out_wakers(const struct program *program)
{
	return xp_bpf_leave_out(program->bpf, "wake") ?: xp_bpf_resize(program->bpf, "wakes", 1);
}

static int attach_waits(struct program *program, bool with_wakers, struct xp_diag *diag)
{
	program->waits = xp_bpf_map_fd(program->bpf, "waits");
	return xp_bpf_attach(program->bpf, "come_back", diag)
		       ?: xp_bpf_attach(program->bpf, "forget", diag)
		       ?: (with_wakers ? xp_bpf_attach(program->bpf, "wake", diag) : 0);
}

static int load_one(struct program *program, bool of_waits, const struct xp_stack_sums *sums,
		    struct xp_diag *diag)
{
	bool with_wakers = sums->wakers.evsel;
	const struct xp_bpf_code *code = of_waits ? &waits_code : &sums_code;
	struct xp_evsel *evsel = program->evsel;
	int err = check_event(evsel, diag);

	if (!err && of_waits)
		err = check_waits(evsel, diag);
	if (!err)
		err = xp_bpf_open(code, &program->bpf, diag);
	if (err)
		return err;
	if (set_constants(program, sums) || (of_waits && !with_wakers && leave_out_wakers(program)))
		return xp_diag_set(diag, -EBADMSG, "The BPF program '%s' is damaged", code->name);
	err = xp_bpf_load(program->bpf, diag);
	if (!err && of_waits)
		err = attach_waits(program, with_wakers, diag);
	if (err)
		return err;
	find_maps(program);
	evsel->program_fd = xp_bpf_program_fd(program->bpf, of_waits ? "leave" : "sum");
	evsel->has_program = true;
	return 0;
}

static int load_all(struct xp_stack_sums *sums, struct xp_evlist *evlist,
		    const struct xp_stack_sums_opts *opts, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < xp_evlist_nr(evlist) && !err; i++) {
		struct xp_evsel *evsel = xp_evlist_at(evlist, i);

		if (is_dummy(evsel) || evsel == opts->waking)
			continue;
		struct program *program = &sums->programs[sums->nr++];
		*program = (struct program){
			.evsel = evsel,
			.waits = -1,
			.min_ns = opts->off_cpu_min_ns,
		};
		err = load_one(program, evsel == opts->off_cpu, sums, diag);
	}
	return err;
}

static void unload_all(struct xp_stack_sums *sums)
{
	for (int i = 0; i < sums->nr; i++) {
		sums->programs[i].evsel->has_program = false;
		xp_bpf_close(sums->programs[i].bpf);
		sums->programs[i] = (struct program){ 0 };
	}
	sums->nr = 0;
	xp_stack_walk_close(sums->walk);
	sums->walk = NULL;
}

/* There is nothing in the rings but what is to be known at once. */
static void wake_at_once(struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		struct xp_attr *attr = &xp_evlist_at(evlist, i)->attr;

		attr->watermark = 1;
		attr->wakeup_watermark = 1;
	}
}

/* By rules, or, where the kernel does not have what that takes, by frame pointers. */
static int load(struct xp_stack_sums *sums, struct xp_evlist *evlist,
		const struct xp_stack_sums_opts *opts, struct xp_diag *diag)
{
	const struct stack_walk_opts walk = {
		.unwind = opts->unwind,
		.cpu_ppm = opts->rules_cpu_ppm,
	};
	int err = opts->unwind && xp_evlist_nr(evlist)
			  ? xp_stack_walk_open(evlist, &walk, &sums->walk, &sums->no_walk)
			  : 0;

	if (sums->walk) {
		err = load_all(sums, evlist, opts, &sums->no_walk);
		if (!err) {
			wake_at_once(evlist);
			return 0;
		}
		unload_all(sums);
	}
	return load_all(sums, evlist, opts, diag);
}

int xp_stack_sums_load(struct xp_evlist *evlist, const struct xp_stack_sums_opts *opts,
		       struct xp_stack_sums **ret_sums, struct xp_diag *diag)
{
	struct xp_stack_sums_opts known;
	int err = XP_OPTS_COPY(&known, opts, struct xp_stack_sums_opts, off_cpu_min_ns, diag);

	if (err)
		return err;
	if (known.rules_cpu_ppm > CPU_SHARE_WHOLE_PPM)
		return xp_diag_set(diag, -EINVAL, "Rules of stacks cannot have more than a CPU");
	struct xp_stack_sums *sums = calloc(1, sizeof(*sums));
	if (sums)
		sums->programs = calloc((size_t)xp_evlist_nr(evlist) + 1, sizeof(*sums->programs));
	if (!sums || !sums->programs) {
		free(sums);
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	}
	if (known.waking)
		err = xp_stack_wakers_init(&sums->wakers, known.waking, diag);
	err = err ?: load(sums, evlist, &known, diag);
	if (err)
		xp_stack_sums_free(sums);
	else
		*ret_sums = sums;
	return err;
}

void xp_stack_sums_free(struct xp_stack_sums *sums)
{
	if (!sums)
		return;
	unload_all(sums);
	xp_stack_wakers_fini(&sums->wakers);
	xp_stack_chains_fini(&sums->read);
	free(sums->programs);
	free(sums);
}
