/* SPDX-License-Identifier: MIT */
/*
 * What one event asks of the kernel when it is recorded: what its samples hold, how often they are
 * used, the side band. Most of it is a table: which option sets which bits of the attribute. The
 * event's own terms come last and win.
 *
 * Source: perf_event_open(2); perf-record(1); what perf 6.1 asks for: `perf record -vv`,
 * tests/attr/.
 */
#include "sampling-impl.h"

#include <errno.h>
#include <xperf/arch.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "attr-bits.h"
#include "cleanup.h"
#include "uapi.h"

enum scope {
	EVERY,    /* every event */
	TRACKING, /* the one that bears the side band */
	CHAINS,   /* events with call chains */
};

/*
 * @with:    the option that asks for it; 0: always
 * @without: the option that forbids it
 * @set:     bits that are set
 */
static const struct effect {
	uint64_t with;
	uint64_t without;
	enum scope scope;
	struct xp_attr set;
} effects[] = {
	{ .set = { .sample_type = XP_SAMPLE_IP | XP_SAMPLE_TID,
		   .read_format = XP_FORMAT_ID | XP_FORMAT_LOST,
		   .sample_id_all = 1 } },
	{ .without = XP_SAMPLING_NO_TIME, .set = { .sample_type = XP_SAMPLE_TIME } },
	{ XP_SAMPLING_ADDRESS, .set = { .sample_type = XP_SAMPLE_ADDR | XP_SAMPLE_DATA_SRC } },
	{ XP_SAMPLING_PHYS_ADDRESS, .set = { .sample_type = XP_SAMPLE_PHYS_ADDR } },
	{ XP_SAMPLING_DATA_PAGE_SIZE, .set = { .sample_type = XP_SAMPLE_DATA_PAGE_SIZE } },
	{ XP_SAMPLING_CODE_PAGE_SIZE, .set = { .sample_type = XP_SAMPLE_CODE_PAGE_SIZE } },
	{ XP_SAMPLING_WEIGHT, .set = { .sample_type = XP_SAMPLE_WEIGHT_STRUCT } },
	{ XP_SAMPLING_TRANSACTION, .set = { .sample_type = XP_SAMPLE_TRANSACTION } },
	{ XP_SAMPLING_PERIOD, .set = { .sample_type = XP_SAMPLE_PERIOD } },
	{ XP_SAMPLING_CPU, .set = { .sample_type = XP_SAMPLE_CPU } },
	{ XP_SAMPLING_RAW,
	  .set = { .sample_type = XP_SAMPLE_RAW | XP_SAMPLE_TIME | XP_SAMPLE_CPU } },
	{ XP_SAMPLING_COUNTS,
	  .set = { .inherit_stat = 1,
		   .read_format = XP_FORMAT_TOTAL_TIME_ENABLED | XP_FORMAT_TOTAL_TIME_RUNNING } },
	{ XP_SAMPLING_RUNNING_TIME,
	  .set = { .read_format = XP_FORMAT_TOTAL_TIME_ENABLED | XP_FORMAT_TOTAL_TIME_RUNNING } },
	{ XP_SAMPLING_CGROUP, .set = { .sample_type = XP_SAMPLE_CGROUP } },
	{ XP_SAMPLING_NO_BUFFERING, .set = { .wakeup_events = 1 } },
	{ XP_SAMPLING_OVERWRITE, .set = { .write_backward = 1 } },

	{ .scope = TRACKING,
	  .set = { .mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1, .ksymbol = 1 } },
	{ .without = XP_SAMPLING_NO_BPF, .scope = TRACKING, .set = { .bpf_event = 1 } },
	{ .without = XP_SAMPLING_NO_BUILD_IDS, .scope = TRACKING, .set = { .build_id = 1 } },
	{ XP_SAMPLING_DATA_MAPS, .scope = TRACKING, .set = { .mmap_data = 1 } },
	{ XP_SAMPLING_CGROUP, .scope = TRACKING, .set = { .cgroup = 1 } },
	{ XP_SAMPLING_NAMESPACES, .scope = TRACKING, .set = { .namespaces = 1 } },
	{ XP_SAMPLING_SWITCHES, .scope = TRACKING, .set = { .context_switch = 1 } },
	{ XP_SAMPLING_TEXT_POKES, .scope = TRACKING, .set = { .text_poke = 1 } },
	{ XP_SAMPLING_DEFER, .scope = TRACKING, .set = { .defer_output = 1 } },

	{ XP_SAMPLING_NO_USER_CHAIN, .scope = CHAINS, .set = { .exclude_callchain_user = 1 } },
	{ XP_SAMPLING_NO_KERNEL_CHAIN, .scope = CHAINS, .set = { .exclude_callchain_kernel = 1 } },
	{ XP_SAMPLING_DEFER, .scope = CHAINS, .set = { .defer_callchain = 1 } },
};

/* What each way of finding callers sets; what is behind it is the same for all. */
static const struct chain {
	struct xp_attr set;
	bool registers; /* with those of user space, and the stack */
	bool data_maps; /* unwinders want to know those as well */
	bool unwinds;   /* while recording */
} chains[] = {
	[XP_CALLCHAIN_FP] = { .set = { .sample_type = XP_SAMPLE_CALLCHAIN } },
	[XP_CALLCHAIN_LBR] = { .set = { .sample_type = XP_SAMPLE_CALLCHAIN | XP_SAMPLE_BRANCH_STACK,
					.branch_sample_type =
						XP_BRANCH_USER | XP_BRANCH_CALL_STACK |
						XP_BRANCH_NO_FLAGS | XP_BRANCH_NO_CYCLES |
						XP_BRANCH_HW_INDEX } },
	[XP_CALLCHAIN_DWARF] = { .set = { .sample_type = XP_SAMPLE_CALLCHAIN | XP_SAMPLE_REGS_USER |
							 XP_SAMPLE_STACK_USER | XP_SAMPLE_ADDR |
							 XP_SAMPLE_DATA_SRC,
					  .exclude_callchain_user = 1 },
				 .registers = true,
				 .data_maps = true },
};
static const struct chain unwound_chain = {
	.set = { .sample_type = XP_SAMPLE_CALLCHAIN | XP_SAMPLE_REGS_USER | XP_SAMPLE_STACK_USER,
		 .exclude_callchain_user = 1 },
	.registers = true,
	.unwinds = true,
};

static bool has(const struct xp_sampling *s, uint64_t flag)
{
	return s->opts.flags & flag;
}

static bool is_software(const struct xp_evsel *evsel, uint64_t config)
{
	return evsel->attr.type == XP_TYPE_SOFTWARE && evsel->attr.config == config;
}

/* Whatever happens there is worth a sample each time. */
static bool is_sampled_each_time(const struct xp_evsel *evsel)
{
	return evsel->attr.type == XP_TYPE_TRACEPOINT || evsel->attr.type == XP_TYPE_BREAKPOINT ||
	       evsel->probe || is_software(evsel, XP_SW_BPF_OUTPUT);
}

static bool has_payload(const struct xp_evsel *evsel)
{
	return evsel->attr.type == XP_TYPE_TRACEPOINT || is_software(evsel, XP_SW_BPF_OUTPUT);
}

static void set_period(struct xp_evsel *evsel, uint64_t period)
{
	evsel->attr.freq = 0;
	evsel->attr.sample_period = period;
}

static void set_freq(const struct xp_sampling *s, struct xp_evsel *evsel, uint64_t freq)
{
	evsel->attr.freq = 1;
	evsel->attr.sample_freq = freq == UINT64_MAX ? s->max_rate : freq;
	if (evsel->attr.sample_freq > s->max_rate)
		xp_evsel_limit_freq(evsel, s->max_rate);
}

/* The event's terms, the options, what its maker gave it, and the default, in this order. */
static void set_rate(const struct xp_sampling *s, struct xp_evsel *evsel)
{
	enum { DEFAULT_HZ = 4000 };
	struct xp_attr *attr = &evsel->attr;

	if (evsel->terms.period)
		set_period(evsel, evsel->terms.period);
	else if (evsel->terms.freq)
		set_freq(s, evsel, evsel->terms.freq);
	else if (s->opts.period)
		set_period(evsel, s->opts.period);
	else if (s->opts.freq_hz)
		set_freq(s, evsel, s->opts.freq_hz);
	else if (!attr->sample_period && is_sampled_each_time(evsel))
		set_period(evsel, 1);
	else if (!attr->sample_period)
		set_freq(s, evsel, DEFAULT_HZ);
	if (has(s, XP_SAMPLING_ONCE))
		attr->sample_period = 0;
	xp_evsel_limit_clock(evsel, s->max_rate);
	if (attr->freq)
		attr->sample_type |= XP_SAMPLE_PERIOD;
}

static int check_rate(const struct xp_sampling *s, const struct xp_evsel *evsel)
{
	uint64_t freq = evsel->terms.freq ? evsel->terms.freq : s->opts.freq_hz;

	if (!has(s, XP_SAMPLING_STRICT_FREQ) || freq == UINT64_MAX || freq <= s->max_rate)
		return 0;
	xp_diag_set(s->diag, -EINVAL,
		    "%llu samples per second of %s are too many: "
		    "kernel.perf_event_max_sample_rate is %llu",
		    (unsigned long long)freq, evsel->name, (unsigned long long)s->max_rate);
	xp_diag_hint(s->diag,
		     "Use a lower frequency, or: sudo sysctl "
		     "kernel.perf_event_max_sample_rate=%llu",
		     (unsigned long long)freq);
	return -EINVAL;
}

static enum xp_callchain chain_of(const struct xp_sampling *s, const struct xp_evsel *evsel)
{
	static const enum xp_callchain said[] = {
		[XP_CALL_GRAPH_NO] = XP_CALLCHAIN_NONE,
		[XP_CALL_GRAPH_FP] = XP_CALLCHAIN_FP,
		[XP_CALL_GRAPH_DWARF] = XP_CALLCHAIN_DWARF,
		[XP_CALL_GRAPH_LBR] = XP_CALLCHAIN_LBR,
	};

	if (evsel->terms.call_graph != XP_CALL_GRAPH_UNSAID)
		return said[evsel->terms.call_graph];
	return s->opts.callchain;
}

static void add_effects(const struct xp_sampling *s, struct xp_evsel *evsel, bool with_chain)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(effects); i++) {
		const struct effect *effect = &effects[i];
		bool in_scope = effect->scope == EVERY ||
				(effect->scope == TRACKING && evsel->tracks) ||
				(effect->scope == CHAINS && with_chain);

		if (in_scope && (!effect->with || has(s, effect->with)) && !has(s, effect->without))
			xp_attr_add(&evsel->attr, &effect->set);
	}
}

/* All tasks of a CPU: which CPU is then worth knowing. */
static bool has_cpus(const struct xp_sampling *s)
{
	return s->opts.system_wide || s->opts.cpu_list;
}

static uint32_t stack_bytes(const struct xp_sampling *s, const struct xp_evsel *evsel)
{
	/*
	 * As perf where it is for the file, else the whole stack. Space for all of it is set aside
	 * in the ring, whatever is copied: less where samples may come at any rate, or often on all
	 * CPUs at once.
	 */
	enum { DEFAULT = 8192, WHOLE = 65528, OFTEN = 16384, OFTEN_HZ = 5000, OFTEN_ALL_HZ = 1000 };
	const struct xp_attr *attr = &evsel->attr;
	uint64_t often = has_cpus(s) ? OFTEN_ALL_HZ : OFTEN_HZ;

	if (evsel->terms.stack_bytes)
		return evsel->terms.stack_bytes;
	if (s->opts.stack_bytes)
		return s->opts.stack_bytes;
	if (!s->opts.unwinds)
		return DEFAULT;
	return attr->freq && attr->sample_freq <= often ? WHOLE : OFTEN;
}

/* What perf wants of registers that were asked for is enough where stacks are only stored. */
static uint64_t user_regs(const struct xp_sampling *s, const struct xp_arch *arch, bool unwinds)
{
	if (!s->opts.regs_user)
		return arch->sample_regs;
	return s->opts.regs_user | (unwinds ? arch->sample_regs : arch->unwind_regs);
}

static int set_chain(const struct xp_sampling *s, struct xp_evsel *evsel, enum xp_callchain chain)
{
	const struct xp_arch *arch = evsel->ctx->arch;
	struct xp_attr *attr = &evsel->attr;
	bool unwinds = chain == XP_CALLCHAIN_DWARF && s->opts.unwinds;
	const struct chain *how = unwinds ? &unwound_chain : &chains[chain];

	if (chain == XP_CALLCHAIN_NONE)
		return 0;
	if (how->registers && !arch->sample_regs)
		return xp_diag_set(s->diag, -EINVAL,
				   "Call chains by DWARF cannot be recorded: this library does "
				   "not know the registers of this processor");
	xp_attr_add(attr, &how->set);
	if (evsel->terms.max_stack || s->opts.max_stack)
		attr->sample_max_stack = (uint16_t)(evsel->terms.max_stack ? evsel->terms.max_stack
									   : s->opts.max_stack);
	if (how->data_maps && evsel->tracks)
		attr->mmap_data = 1;
	if (how->registers) {
		attr->sample_stack_user = stack_bytes(s, evsel);
		attr->sample_regs_user |= user_regs(s, arch, how->unwinds);
	}
	return 0;
}

static void set_values(const struct xp_sampling *s, struct xp_evsel *evsel)
{
	uint64_t branches =
		evsel->terms.branch_type ? evsel->terms.branch_type : s->opts.branch_type;
	uint32_t aux_bytes = evsel->terms.aux_sample_bytes ? evsel->terms.aux_sample_bytes
							   : s->opts.aux_sample_bytes;
	struct xp_attr *attr = &evsel->attr;

	if (branches) {
		attr->sample_type |= XP_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type |= branches;
	}
	if (s->opts.regs_user) {
		attr->sample_type |= XP_SAMPLE_REGS_USER;
		attr->sample_regs_user |= s->opts.regs_user;
	}
	if (s->opts.regs_intr) {
		attr->sample_type |= XP_SAMPLE_REGS_INTR;
		attr->sample_regs_intr |= s->opts.regs_intr;
	}
	if (s->opts.use_clockid) {
		attr->use_clockid = 1;
		attr->clockid = s->opts.clockid;
	}
	if (aux_bytes) {
		attr->sample_type |= XP_SAMPLE_AUX;
		attr->aux_sample_size = aux_bytes;
	}
}

static void set_rings(const struct xp_sampling *s, struct xp_attr *attr)
{
	if (has(s, XP_SAMPLING_ALL_KERNEL)) {
		attr->exclude_kernel = 0;
		attr->exclude_user = 1;
	}
	if (has(s, XP_SAMPLING_ALL_USER)) {
		attr->exclude_kernel = 1;
		attr->exclude_user = 0;
	}
}

/* A member starts with its leader; the side band starts before what is recorded does. */
static void set_start(const struct xp_sampling *s, struct xp_evsel *evsel)
{
	struct xp_attr *attr = &evsel->attr;
	bool leads = evsel->leader == evsel;
	bool is_side_band = evsel->tracks && is_software(evsel, XP_SW_DUMMY);
	bool at_exec = s->opts.has_workload && !has_cpus(s);

	/* All tasks are recorded then, and older kernels refuse children with counts in samples. */
	attr->inherit = !s->opts.no_inherit && !(evsel->sample_read && s->opts.system_wide);
	attr->disabled = leads && !(is_side_band && (has_cpus(s) || !at_exec));
	attr->enable_on_exec =
		attr->disabled && at_exec && (!s->opts.initial_delay || is_side_band);
}

static void apply_terms(struct xp_evsel *evsel)
{
	static const uint32_t aux_actions[] = {
		[XP_AUX_START_PAUSED] = 1 << 0,
		[XP_AUX_PAUSE] = 1 << 1,
		[XP_AUX_RESUME] = 1 << 2,
	};
	const struct xp_event_terms *terms = &evsel->terms;
	struct xp_attr *attr = &evsel->attr;

	if (terms->time == XP_YES)
		attr->sample_type |= XP_SAMPLE_TIME;
	if (terms->time == XP_NO)
		attr->sample_type &= ~(uint64_t)XP_SAMPLE_TIME;
	if (evsel->leader->terms.inherit != XP_UNSAID)
		attr->inherit = evsel->leader->terms.inherit == XP_YES;
	if (terms->overwrite != XP_UNSAID)
		attr->write_backward = terms->overwrite == XP_YES;
	attr->aux_output |= terms->aux_output;
	attr->aux_action |= aux_actions[terms->aux_action];
}

int xp_sampling_config_event(const struct xp_sampling *s, struct xp_evsel *evsel)
{
	enum { PRECISE_MAX = 3 };
	enum xp_callchain chain = chain_of(s, evsel);
	struct xp_attr *attr = &evsel->attr;
	int err = check_rate(s, evsel);

	if (err)
		return err;
	if (has(s, XP_SAMPLING_FALLBACK))
		evsel->clock_will_do = true;
	set_rate(s, evsel);
	add_effects(s, evsel, chain != XP_CALLCHAIN_NONE);
	err = set_chain(s, evsel, chain);
	if (err)
		return err;
	set_values(s, evsel);
	if (has_cpus(s))
		attr->sample_type |= XP_SAMPLE_CPU;
	if (has_payload(evsel))
		attr->sample_type |=
			XP_SAMPLE_RAW | XP_SAMPLE_TIME | XP_SAMPLE_CPU | XP_SAMPLE_PERIOD;
	if (evsel->precise_max)
		attr->precise_ip = PRECISE_MAX;
	set_rings(s, attr);
	set_start(s, evsel);
	apply_terms(evsel);
	return 0;
}
