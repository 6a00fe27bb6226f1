/* SPDX-License-Identifier: MIT */
/*
 * Where a sample was: the address, with what is behind it; and the call chain.
 *
 * Source: perf script, 6.1, measured; in chains the addresses are as they ran, as perf has it since
 * 6.2.
 */
#include <errno.h>
#include <limits.h>
#include <xperf/resolve.h>
#include <xperf/stacks.h>

#include "script.h"

enum { ADDRESS_WIDTH = 16 };

int frame_show(struct script *script, uint64_t fields, const struct where *where)
{
	sink_hex(&script->out, where->ip, ADDRESS_WIDTH, ' ');
	return place_show(script, fields, where);
}

/* True if --stop-bt ends a chain behind this entry. Returns -ENOMEM, too. */
static int is_last(struct script *script, const struct where *where)
{
	const struct words *stops = &script->config->stops;
	struct xp_frame frame = { .size = sizeof(frame) };

	if (xp_resolver_frame(script->rec->resolver, where->pid, where->mode, where->ip, false,
			      where->time_ns, &frame))
		return -ENOMEM;
	return words_have(stops, frame.function.name);
}

int chain_each(struct script *script, const struct view *view, const struct xp_sample *sample,
	       int (*fn)(struct script *script, const struct view *view, const struct where *where))
{
	/* Each part of what was unwound is as long as it may be. */
	int left = xp_stacks_have_made(sample) ? INT_MAX : script->config->values->max_stack;
	int err = 0;
	bool may_stop = script->config->stops.text;
	uint16_t mode = sample->record->misc & XP_MISC_CPUMODE_MASK;
	struct where where = { .time_ns = sample->id.time_ns, .pid = sample->id.pid };
	struct xp_chain_walk at = { .ips = sample->callchain,
				    .nr = sample->nr_callchain,
				    .cpumode = mode };

	for (; left && !err && xp_chain_next(&at); left--) {
		where.ip = at.ip;
		where.mode = at.cpumode;
		where.is_return = at.is_return;
		where.is_joined = at.is_joined;
		err = fn(script, view, &where);
		if (!err && may_stop)
			err = is_last(script, &where);
	}
	return err < 0 ? err : 0;
}

static int show_entry(struct script *script, const struct view *view, const struct where *where)
{
	sink_char(&script->out, '\t');
	int err = frame_show(script, view->fields, where);
	if (where->is_joined)
		sink_text(&script->out, " [earlier sample]");
	sink_char(&script->out, '\n');
	return err;
}

int chain_show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	return chain_each(script, view, sample, show_entry);
}
