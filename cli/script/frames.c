/* SPDX-License-Identifier: MIT */
/*
 * Where a sample was: the address, with what is behind it; and the call chain.
 *
 * Source: perf script, 6.1, measured; in chains the addresses are as they ran, as perf has it since
 * 6.2.
 */
#include <errno.h>

#include "script.h"

enum { ADDRESS_WIDTH = 16 };

int frame_show(struct script *script, uint64_t fields, const struct where *where)
{
	sink_hex(&script->out, where->ip, ADDRESS_WIDTH, ' ');
	return place_show(script, fields, where);
}

/* The processor mode that entries behind a marker have; 0: they are not shown. */
static uint16_t mode_of(uint64_t marker)
{
	switch (marker) {
	case XP_CONTEXT_HV:
		return XP_MISC_HYPERVISOR;
	case XP_CONTEXT_KERNEL:
		return XP_MISC_KERNEL;
	case XP_CONTEXT_USER:
		return XP_MISC_USER;
	case XP_CONTEXT_GUEST_KERNEL:
		return XP_MISC_GUEST_KERNEL;
	case XP_CONTEXT_GUEST_USER:
		return XP_MISC_GUEST_USER;
	default:
		return 0;
	}
}

/* True if --stop-bt ends a chain behind this entry. Returns -ENOMEM, too. */
static int is_last(struct script *script, const struct where *where)
{
	const struct list *stops = &script->config->stops;
	struct xp_frame frame;

	if (!stops->nr)
		return false;
	if (xp_resolver_frame(script->resolver, where->pid, where->mode, where->ip, false,
			      where->time_ns, &frame))
		return -ENOMEM;
	return frame.function.name && list_allows(stops, frame.function.name);
}

int chain_each(struct script *script, const struct view *view, const struct xp_sample *sample,
	       int (*fn)(struct script *script, const struct view *view, const struct where *where))
{
	int left = script->config->values->max_stack, shown = 0, err = 0;
	struct where where = { 0, sample->id.time_ns, sample->id.pid,
			       sample->record->misc & XP_MISC_CPUMODE_MASK };

	for (size_t i = 0; i < sample->nr_callchain && shown < left && !err; i++) {
		where.ip = sample->callchain[i];
		if (where.ip >= XP_CONTEXT_MAX) {
			where.mode = mode_of(where.ip);
			where.is_return = false;
			continue;
		}
		if (!where.mode)
			continue;
		err = fn(script, view, &where);
		if (!err)
			err = is_last(script, &where);
		where.is_return = true;
		shown++;
	}
	/* Where user code was, if only its registers and stack were recorded. */
	bool is_leaf = !shown && sample->stack &&
		       (sample->record->misc & XP_MISC_CPUMODE_MASK) == XP_MISC_USER;
	if (is_leaf && !err) {
		where.ip = sample->ip;
		where.mode = XP_MISC_USER;
		err = fn(script, view, &where);
	}
	return err < 0 ? err : 0;
}

static int show_entry(struct script *script, const struct view *view, const struct where *where)
{
	sink_char(&script->out, '\t');
	int err = frame_show(script, view->fields, where);
	sink_char(&script->out, '\n');
	return err;
}

int chain_show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	return chain_each(script, view, sample, show_entry);
}
