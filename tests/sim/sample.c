/* SPDX-License-Identifier: MIT */
/*
 * Samples: when an event has happened often enough, and what is written then.
 *
 *  - With a period, a sample comes at each multiple of it, counted for each task apart. Software
 *    events and tracepoints that report their period are sampled at each event.
 *  - With a frequency the period begins at 1 and is brought an eighth nearer to what would have
 *    been right at each sample. Clocks just take the time.
 *  - More than the most samples in a tick stop a hardware event or clock until the next tick; a
 *    hardware event does not count meanwhile.
 *
 * Source: perf_event_open(2), "sample_period, sample_freq", "sample_type"; behaviour of
 * __perf_event_account_interrupt(), perf_adjust_period(), perf_swevent_event() and
 * perf_output_sample() in kernel/events/core.c.
 */
#include <xperf/record.h>

#include "model.h"

enum { TICK_NS = 4000000, TICKS_PER_SECOND = 250, MIN_TIMER_NS = 10000, DEPTH = 3 };

#define KERNEL_TEXT   UINT64_C(0xffffffff81000000)
#define STACK_TOP     UINT64_C(0x7ffc00000000)
#define MAX_PERIOD    (INT64_MAX / (int64_t)MICRO / 16)
#define NS_PER_SECOND (1000 * MICRO)
#define STACK_BYTES   (48 << 10)
#define REGISTER_IP   8 /* asm/perf_regs.h of x86 */
#define REGISTER_SP   7

static bool is_clock(const struct sim *sim, const struct event *event)
{
	return event->kind >= 0 && sim->sc.kinds[event->kind].traits & KIND_CLOCK;
}

static void set_period(struct sampler *s, uint64_t period)
{
	s->period = period < 1 ? 1 : period > MAX_PERIOD ? MAX_PERIOD : period;
}

static int64_t micro_of(uint64_t period)
{
	return (int64_t)(period * MICRO);
}

void sample_init(const struct sim *sim, struct event *event)
{
	const struct xp_attr *attr = &event->attr;
	struct sampler *s = &event->sampler;
	bool clock = is_clock(sim, event);

	*s = (struct sampler){ .on = attr->sample_period };
	if (!s->on)
		return;
	set_period(s, attr->freq ? 1 : attr->sample_period);
	if (clock && attr->freq)
		set_period(s, NS_PER_SECOND / attr->sample_freq);
	if (clock && s->period < MIN_TIMER_NS)
		set_period(s, MIN_TIMER_NS);
	else if (!clock && !event->is_hw && !attr->freq && attr->sample_type & PERF_SAMPLE_PERIOD)
		set_period(s, 1);
	s->adapts = attr->freq && !clock;
	s->can_throttle = clock || event->is_hw;
	s->left = micro_of(s->period);
}

/* --- what is written --- */

static uint64_t user_ip(const struct task *task)
{
	const struct program *program = task->program;

	if (!program)
		return SIM_TEXT_BASE;
	long step = task->step ? task->step - program->steps : task->pc;
	return SIM_TEXT_BASE + (uint64_t)program->nr * SIM_PROGRAM_BYTES + 0x1000 +
	       (uint64_t)step * 0x40;
}

static uint64_t kernel_ip(const struct event *event)
{
	return KERNEL_TEXT + (uint64_t)(event->kind + 1) * 0x1000;
}

static void put_user_chain(uint64_t *chain, int *nr, uint64_t ip)
{
	chain[(*nr)++] = XP_CONTEXT_USER;
	chain[(*nr)++] = ip;
	for (uint64_t i = 1; i < DEPTH; i++) /* the callers are in the same program */
		chain[(*nr)++] = (ip & ~(uint64_t)(SIM_PROGRAM_BYTES - 1)) + 0x100 * i;
}

static void put_callchain(struct record *r, const struct event *event, const struct task *task,
			  enum sim_mode mode, bool is_idle)
{
	uint64_t chain[2 * DEPTH + 4];
	int nr = 0;

	if (mode == SIM_KERNEL && !event->attr.exclude_callchain_kernel) {
		chain[nr++] = XP_CONTEXT_KERNEL;
		chain[nr++] = kernel_ip(event);
		chain[nr++] = KERNEL_TEXT + 0x100;
	}
	if (!is_idle && !event->attr.exclude_callchain_user)
		put_user_chain(chain, &nr, user_ip(task));
	record_u64(r, (uint64_t)nr);
	record_bytes(r, chain, (size_t)nr * sizeof(chain[0]));
}

/* As the format files in tracefs describe it, see roots.c. */
static void put_raw(const struct sim *sim, struct record *r, const struct event *event,
		    const struct task *task)
{
	if (event->attr.type != PERF_TYPE_TRACEPOINT) {
		record_u32(r, 4);
		record_u32(r, 0);
		return;
	}
	record_u32(r, 36);
	record_u32(r, (uint32_t)sim->sc.kinds[event->kind].config);
	record_u32(r, (uint32_t)task->tid);
	record_bytes(r, task->comm, sizeof(task->comm));
	record_u64(r, event->sampler.nr);
	record_u32(r, 0); /* up to a multiple of 8, the size in front included */
}

static void put_registers(struct record *r, uint64_t mask, uint64_t ip, bool is_32)
{
	uint64_t abi = is_32 ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64;

	record_u64(r, mask ? abi : PERF_SAMPLE_REGS_ABI_NONE);
	for (int i = 0; i < 64; i++)
		if (mask >> i & 1)
			record_u64(r, i == REGISTER_IP   ? ip
				      : i == REGISTER_SP ? STACK_TOP - STACK_BYTES
							 : (uint64_t)i);
}

static void put_stack(struct record *r, const struct event *event, bool is_idle)
{
	size_t room = UINT16_MAX / 8 * 8 - 512 - r->len, size = event->attr.sample_stack_user;

	if (size > room)
		size = room / 8 * 8;
	if (is_idle)
		size = 0;
	record_u64(r, size);
	record_bytes(r, NULL, size);
	if (size)
		record_u64(r, size < STACK_BYTES ? size : STACK_BYTES);
}

/* Fields of one word, in the order of the record, that come last. */
static const struct {
	uint64_t bits;
	uint64_t value;
} last_words[] = {
	{ PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, 7 },
	{ PERF_SAMPLE_DATA_SRC, PERF_MEM_OP_NA },
	{ PERF_SAMPLE_TRANSACTION, 0 },
};
static const struct {
	uint64_t bits;
	uint64_t value;
} very_last_words[] = {
	{ PERF_SAMPLE_PHYS_ADDR, 0 },
	{ PERF_SAMPLE_CGROUP, 1 },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, 4096 },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, 4096 },
	{ PERF_SAMPLE_AUX, 0 }, /* bytes of it */
};

static void put_head(const struct sim *sim, struct record *r, const struct event *event,
		     const struct scene *scene, uint64_t ip, uint64_t period)
{
	uint64_t type = event->attr.sample_type;

	record_identity(sim, r, event, scene, PERF_SAMPLE_IDENTIFIER);
	if (type & PERF_SAMPLE_IP)
		record_u64(r, ip);
	record_identity(sim, r, event, scene, UINT64_MAX & ~(uint64_t)PERF_SAMPLE_IDENTIFIER);
	if (type & PERF_SAMPLE_PERIOD)
		record_u64(r, period);
}

static void put_tail(struct record *r, const struct event *event, const struct task *task,
		     uint64_t ip, bool is_idle)
{
	uint64_t type = event->attr.sample_type;
	bool is_32 = task->program && task->program->is_32;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		record_u64(r, 0); /* none; the index in hardware is left out too */
	if (type & PERF_SAMPLE_REGS_USER)
		put_registers(r, is_idle ? 0 : event->attr.sample_regs_user, ip, is_32);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(r, event, is_idle);
	for (size_t i = 0; i < ARRAY_LEN(last_words); i++)
		if (type & last_words[i].bits)
			record_u64(r, last_words[i].value);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_registers(r, event->attr.sample_regs_intr, ip, is_32);
	for (size_t i = 0; i < ARRAY_LEN(very_last_words); i++)
		if (type & very_last_words[i].bits)
			record_u64(r, very_last_words[i].value);
}

static void write_sample(struct sim *sim, struct event *event, const struct scene *scene,
			 enum sim_mode mode, uint64_t period)
{
	bool is_idle = scene->task == sim->cpus[scene->cpu].idle;
	uint64_t type = event->attr.sample_type;
	uint64_t ip = mode == SIM_KERNEL ? kernel_ip(event) : user_ip(scene->task);
	uint16_t misc = mode == SIM_KERNEL ? XP_MISC_KERNEL : XP_MISC_USER;
	struct record *r = &sim->scratch;

	record_start(r, XP_RECORD_SAMPLE,
		     (uint16_t)(misc | (event->attr.precise_ip ? XP_MISC_EXACT_IP : 0)));
	put_head(sim, r, event, scene, ip, period);
	if (type & PERF_SAMPLE_READ)
		record_reading(r, event);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_callchain(r, event, scene->task, mode, is_idle);
	if (type & PERF_SAMPLE_RAW)
		put_raw(sim, r, event, scene->task);
	put_tail(r, event, scene->task, ip, is_idle);

	struct event *owner = event->parent ? event->parent : event;
	if (!owner->ring)
		return;
	if (record_write(sim, r, event, scene))
		sim->samples[event->kind].written++;
	else
		sim->samples[event->kind].lost++;
}

/* --- when --- */

static void throttle(struct sim *sim, struct event *event, const struct scene *scene)
{
	struct sampler *s = &event->sampler;
	uint64_t tick = sim->now / TICK_NS;
	uint64_t most = (sim->sc.max_sample_rate + TICKS_PER_SECOND - 1) / TICKS_PER_SECOND;

	if (s->tick != tick) {
		s->tick = tick;
		s->in_tick = 1;
		return;
	}
	if (++s->in_tick <= most || !s->can_throttle)
		return;
	s->throttled = true;
	record_throttle(sim, event, scene, true);
}

static void adapt(const struct sim *sim, struct event *event)
{
	struct sampler *s = &event->sampler;
	uint64_t since = sim->now - s->sampled_at;

	s->sampled_at = sim->now;
	if (!s->adapts || !since)
		return;
	double right = (double)s->period * NS_PER_SECOND /
		       ((double)since * (double)event->attr.sample_freq);
	double change = (right - (double)s->period) / 8;
	double period = (double)s->period + change;

	set_period(s, period > (double)MAX_PERIOD ? MAX_PERIOD : (uint64_t)period);
}

static void overflow(struct sim *sim, struct event *event, const struct scene *scene,
		     enum sim_mode mode)
{
	struct sampler *s = &event->sampler;
	uint64_t period = s->period;

	s->nr++;
	throttle(sim, event, scene);
	adapt(sim, event);
	s->left += micro_of(s->period);
	if (!event_counts_mode(event, mode))
		return; /* a clock that ran out at the wrong moment */
	if (event->attr.exclude_idle && scene->task == sim->cpus[scene->cpu].idle)
		return;
	write_sample(sim, event, scene, mode, period);
}

/* Kernel mode has its share of the samples, as evenly as can be. */
static enum sim_mode next_mode(const struct sim *sim, struct event *event,
			       const struct scene *scene)
{
	const struct step *step = scene->task->step;
	uint64_t share = 0;

	if (scene->task == sim->cpus[scene->cpu].idle || scene->task->execing)
		return SIM_KERNEL;
	if (is_clock(sim, event)) {
		share = step ? (uint64_t)step->sys_pct : 0;
	} else if (step && step->rates) {
		const struct rate *rate = &step->rates[event->kind];
		uint64_t user = event_counts_mode(event, SIM_USER) ? rate->user : 0;
		uint64_t kernel = event_counts_mode(event, SIM_KERNEL) ? rate->kernel : 0;

		share = user + kernel ? kernel * 100 / (user + kernel) : 0;
	}
	event->sampler.kernel_share += share;
	if (event->sampler.kernel_share < 100)
		return SIM_USER;
	event->sampler.kernel_share -= 100;
	return SIM_KERNEL;
}

static bool samples_now(const struct event *event)
{
	return event->sampler.on && event->state == EVENT_ACTIVE &&
	       event_effective_state(event) >= EVENT_INACTIVE;
}

void sample_hit(struct sim *sim, struct event *event, const struct scene *scene, enum sim_mode mode)
{
	while (samples_now(event) && !event->sampler.throttled && event->sampler.left <= 0)
		overflow(sim, event, scene, mode);
}

struct due {
	struct sim *sim;
	struct scene scene;
	const struct rate *rates;
	uint64_t at;
};

static uint64_t next_tick(const struct sampler *s)
{
	return (s->tick + 1) * TICK_NS;
}

static void find_next(struct event *event, void *arg)
{
	struct due *due = arg;
	const struct sampler *s = &event->sampler;
	uint64_t at = NEVER, per_ns;

	if (!samples_now(event))
		return;
	per_ns = event_rate(due->sim, event, due->rates, 1);
	if (s->throttled)
		at = next_tick(s);
	else if (per_ns)
		at = due->sim->now + ((uint64_t)s->left + per_ns - 1) / per_ns;
	if (at < due->at)
		due->at = at;
}

static void sample_event_due(struct event *event, void *arg)
{
	struct due *due = arg;
	struct sampler *s = &event->sampler;

	if (!samples_now(event))
		return;
	if (s->throttled && due->sim->now >= next_tick(s)) {
		s->throttled = false;
		record_throttle(due->sim, event, &due->scene, false);
		if (s->left <= 0)
			s->left = micro_of(s->period);
	}
	while (!s->throttled && s->left <= 0)
		overflow(due->sim, event, &due->scene, next_mode(due->sim, event, &due->scene));
}

static void each_running(struct sim *sim, struct due *due,
			 void (*fn)(struct event *event, void *arg))
{
	for (int i = 0; i < sim->sc.nr_cpus; i++) {
		struct task *task = sched_current(&sim->cpus[i]);

		due->scene = (struct scene){ task, i };
		due->rates = task->step ? task->step->rates : NULL;
		context_each(&sim->cpus[i].ctx, fn, due);
		context_each(&task->ctx, fn, due);
	}
}

uint64_t sample_next(struct sim *sim)
{
	struct due due = { .sim = sim, .at = NEVER };

	if (sim->nr_sampling)
		each_running(sim, &due, find_next);
	return due.at;
}

void sample_due(struct sim *sim)
{
	struct due due = { .sim = sim };

	if (sim->nr_sampling)
		each_running(sim, &due, sample_event_due);
}
