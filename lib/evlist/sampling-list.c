/* SPDX-License-Identifier: MIT */
/*
 * What the events of a list decide together when they are recorded: which one bears the side band,
 * which members of a group sample, and by which id records name their event.
 *
 * Source: perf-record(1); what perf 6.1 asks for: `perf record -vv`, tests/attr/.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/sampling.h>

#include "cleanup.h"
#include "host.h"
#include "opts.h"
#include "plural.h"
#include "pmus.h"
#include "sampling-impl.h"
#include "uapi.h"

bool xp_evsel_has_aux(const struct xp_evsel *evsel)
{
	static const char *const names[] = { "intel_pt", "intel_bts", "arm_spe_", "cs_etm",
					     "hisi_ptt" };

	for (size_t i = 0; evsel->pmu && i < XP_ARRAY_LEN(names); i++)
		if (!strncmp(evsel->pmu->name, names[i], strlen(names[i])))
			return true;
	return false;
}

bool xp_evlist_has_aux(const struct xp_evlist *evlist)
{
	for (int i = 0; i < evlist->nr; i++)
		if (xp_evsel_has_aux(evlist->at[i]))
			return true;
	return false;
}

static int add_dummy(struct xp_evlist *evlist)
{
	const struct xp_attr attr = {
		.type = XP_TYPE_SOFTWARE,
		.config = XP_SW_DUMMY,
		.sample_period = 1,
	};
	struct xp_evsel *dummy;
	int err = xp_evsel_new(evlist->ctx, &attr, "dummy:HG", &dummy);

	if (err)
		return err;
	dummy->guest_chosen = true;
	err = xp_evlist_add(evlist, dummy);
	if (err)
		xp_evsel_free(dummy);
	else
		dummy->tracks = true;
	return err;
}

/*
 * The first event bears the side band, unless that must begin earlier than samples do, or is of
 * CPUs the first event does not count on, where there are several kinds (measured, Linux 6.1: it
 * hears nothing from there): then a dummy does, which costs nothing.
 */
static int choose_tracking(const struct xp_sampling *s)
{
	struct xp_evlist *evlist = s->evlist;
	struct xp_evsel *first = evlist->at[0];
	bool apart = s->opts.system_wide || s->opts.cpu_list || s->opts.initial_delay ||
		     xp_evlist_has_aux(evlist) || xp_host_has_cpu_kinds(evlist->ctx);

	for (int i = 0; i < evlist->nr; i++)
		if (evlist->at[i]->tracks)
			return 0;
	if (apart && (first->attr.type != XP_TYPE_SOFTWARE || first->attr.config != XP_SW_DUMMY))
		return add_dummy(evlist);
	first->tracks = true;
	return 0;
}

/* The first member that samples by a counter: a tracing PMU as leader leaves that to the next. */
static const struct xp_evsel *sampling_leader(const struct xp_evlist *evlist,
					      const struct xp_evsel *leader)
{
	if (xp_evsel_has_aux(leader) && leader->group_size > 1)
		return evlist->at[leader->index + 1];
	return leader;
}

/* The leader's samples hold all counts, so members need not interrupt; their records look alike. */
static void config_sample_read(const struct xp_sampling *s, struct xp_evsel *evsel)
{
	const struct xp_evsel *leader = sampling_leader(s->evlist, evsel->leader);
	struct xp_attr *attr = &evsel->attr;

	if (!evsel->leader->sample_read)
		return;
	attr->sample_type |= XP_SAMPLE_READ;
	if (xp_evsel_group_size(evsel) > 1)
		attr->read_format |= XP_FORMAT_GROUP;
	if (evsel == leader || evsel == evsel->leader)
		return;
	attr->sample_type = leader->attr.sample_type;
	attr->write_backward = 0;
	if (evsel->terms.period || evsel->terms.freq)
		return;
	attr->freq = 0;
	attr->sample_period = 0;
}

static void config_aux(struct xp_evsel *evsel)
{
	struct xp_attr *attr = &evsel->attr;

	if (evsel->tracks)
		attr->context_switch = 1;
	if (!xp_evsel_has_aux(evsel))
		return;
	attr->freq = 0;
	attr->sample_period = evsel->terms.period ? evsel->terms.period : 1;
	attr->sample_type &= ~(uint64_t)XP_SAMPLE_PERIOD;
	attr->sample_type |= XP_SAMPLE_TIME | XP_SAMPLE_CPU;
}

static bool are_alike(const struct xp_evlist *evlist)
{
	for (int i = 1; i < evlist->nr; i++)
		if (evlist->at[i]->attr.sample_type != evlist->at[0]->attr.sample_type)
			return false;
	return true;
}

/*
 * A lone event needs no id. IDENTIFIER has its fixed place in every record, ID only among records
 * that look alike.
 */
static void config_ids(const struct xp_sampling *s)
{
	struct xp_evlist *evlist = s->evlist;
	bool identifier = s->opts.flags & XP_SAMPLING_IDENTIFIER || xp_evlist_has_aux(evlist) ||
			  !are_alike(evlist);

	for (int i = 0; i < evlist->nr; i++)
		if (identifier || evlist->nr > 1)
			evlist->at[i]->attr.sample_type |=
				identifier ? XP_SAMPLE_IDENTIFIER : XP_SAMPLE_ID;
}

static bool has_both(const struct xp_sampling_opts *opts, uint64_t one, uint64_t other)
{
	return opts->flags & one && opts->flags & other;
}

/* What no kernel is asked about. */
static int check_opts(const struct xp_sampling_opts *opts, struct xp_diag *diag)
{
	enum { MOST_STACK_BYTES = UINT16_MAX - 7, MOST_STACK = UINT16_MAX };
	const uint64_t unknown = opts->flags & ~(2 * (uint64_t)XP_SAMPLING_FALLBACK - 1);

	if (unknown)
		return xp_diag_set(diag, -EINVAL,
				   "This libxperf does not know the sampling flags %#llx",
				   (unsigned long long)unknown);
	if ((unsigned int)opts->callchain > XP_CALLCHAIN_LBR)
		return xp_diag_set(diag, -EINVAL, "%d is not a kind of call chain",
				   (int)opts->callchain);
	if (has_both(opts, XP_SAMPLING_ALL_USER, XP_SAMPLING_ALL_KERNEL))
		return xp_diag_set(diag, -EINVAL,
				   "Samples of user space only and of the kernel only exclude "
				   "each other");
	if (has_both(opts, XP_SAMPLING_NO_USER_CHAIN, XP_SAMPLING_NO_KERNEL_CHAIN))
		return xp_diag_set(diag, -EINVAL,
				   "Call chains without user space and without the kernel are "
				   "empty");
	if (has_both(opts, XP_SAMPLING_TIME, XP_SAMPLING_NO_TIME))
		return xp_diag_set(diag, -EINVAL,
				   "Samples with a time and without a time "
				   "exclude each other");
	if (opts->stack_bytes % 8 || opts->stack_bytes > MOST_STACK_BYTES)
		return xp_diag_set(
			diag, -EINVAL,
			"%u %s of stack cannot be copied: the size must be a multiple of 8, "
			"at most %d",
			opts->stack_bytes, plural(opts->stack_bytes, "byte", "bytes"),
			MOST_STACK_BYTES);
	if (opts->max_stack > MOST_STACK)
		return xp_diag_set(diag, -EINVAL,
				   "Call chains of %u frames are too long: the limit is %d",
				   opts->max_stack, MOST_STACK);
	return 0;
}

/* The clocks of clock_gettime(2) that all processes have. */
static bool is_clock(int32_t id)
{
	static const int32_t ids[] = {
		CLOCK_REALTIME,          CLOCK_MONOTONIC,     CLOCK_PROCESS_CPUTIME_ID,
		CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
		CLOCK_MONOTONIC_COARSE,  CLOCK_BOOTTIME,      CLOCK_TAI
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(ids); i++)
		if (ids[i] == id)
			return true;
	return false;
}

static int check_values(const struct xp_sampling *s)
{
	const struct xp_sampling_opts *opts = &s->opts;
	const uint64_t branches = opts->branch_type & ~(2 * XP_BRANCH_COUNTERS - 1);
	uint64_t regs = opts->regs_user | opts->regs_intr;

	if (branches)
		return xp_diag_set(s->diag, -EINVAL,
				   "This libxperf does not know the branch types %#llx",
				   (unsigned long long)branches);
	if (opts->use_clockid && !is_clock(opts->clockid))
		return xp_diag_set(s->diag, -EINVAL, "%d is not a clock", opts->clockid);
	/* Registers of 128 bits have two bits each. */
	for (const struct xp_arch_reg *reg = s->evlist->ctx->arch->regs; reg && reg->name; reg++)
		regs &= ~((strncmp(reg->name, "XMM", 3) ? UINT64_C(1) : UINT64_C(3)) << reg->bit);
	if (regs)
		return xp_diag_set(s->diag, -EINVAL,
				   "This processor has no registers %#llx in samples",
				   (unsigned long long)regs);
	return 0;
}

static int check(const struct xp_sampling *s)
{
	const struct xp_evlist *evlist = s->evlist;
	int err = check_opts(&s->opts, s->diag) ?: check_values(s);

	if (err)
		return err;

	if (evlist->is_open)
		return xp_diag_set(s->diag, -EBUSY, "The events are open");
	if (!evlist->nr)
		return xp_diag_set(s->diag, -EINVAL, "The list has no events");
	if (s->opts.freq_hz && s->opts.period) {
		xp_diag_set(s->diag, -EINVAL, "A frequency and a period exclude each other");
		xp_diag_hint(s->diag, "Give a frequency or a period");
		return -EINVAL;
	}
	if (s->opts.aux_sample_bytes && !xp_evlist_has_aux(evlist)) {
		xp_diag_set(s->diag, -EINVAL, "No event has an AUX area to record with samples");
		xp_diag_hint(s->diag, "Add an event with an AUX area, such as intel_pt//, "
				      "cs_etm// or arm_spe_0//");
		return -EINVAL;
	}
	for (int i = 0; i < evlist->nr; i++)
		if (evlist->at[i]->tool != XP_TOOL_NONE)
			return xp_diag_set(
				s->diag, -EINVAL, "%s cannot be recorded: it is %s",
				evlist->at[i]->name,
				evlist->at[i]->snapshot
					? "a value that is read, not an event that can be sampled"
					: "measured once at the end, and cannot be sampled");
	return 0;
}

static int config_events(const struct xp_sampling *s)
{
	struct xp_evlist *evlist = s->evlist;
	bool has_aux = xp_evlist_has_aux(evlist);

	for (int i = 0; i < evlist->nr; i++) {
		int err = xp_sampling_config_event(s, evlist->at[i]);

		if (err)
			return err;
	}
	for (int i = 0; i < evlist->nr; i++) {
		if (has_aux)
			config_aux(evlist->at[i]);
		config_sample_read(s, evlist->at[i]);
	}
	return 0;
}

int xp_evlist_config_sampling(struct xp_evlist *evlist, const struct xp_sampling_opts *opts,
			      struct xp_diag *diag)
{
	struct xp_sampling s = { .evlist = evlist, .diag = diag };
	int err = XP_OPTS_COPY(&s.opts, opts, struct xp_sampling_opts, no_inherit, diag);

	if (err)
		return err;
	s.max_rate = xp_max_sample_rate(evlist->ctx);
	err = check(&s);
	if (err)
		return err;
	err = choose_tracking(&s);
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	err = config_events(&s);
	if (err)
		return err;
	config_ids(&s);
	evlist->nr_configured = evlist->nr;
	return 0;
}

int xp_evlist_add_default_sampling(struct xp_evlist *evlist)
{
	int first = evlist->nr;
	int err = xp_evlist_parse(evlist, "cycles:P", NULL);

	for (int i = first; !err && i < evlist->nr; i++)
		evlist->at[i]->clock_will_do = true;
	return err;
}
