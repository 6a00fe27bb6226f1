/* SPDX-License-Identifier: MIT */
/*
 * The letters behind an event or a group.
 *
 * The first of u, k, h excludes all three rings, then each lets its own in again; likewise G and H.
 * Letters start from nothing on an event, from what its members have on a group.
 *
 * Source: perf-list(1), "EVENT MODIFIERS", of perf 7.2; what each sets: measured with
 * `perf stat -vv`, perf 6.1.
 */
#include "modifiers.h"

#include <errno.h>
#include <xperf/attr.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "event.h"
#include "grammar.h"

/* What the letters say about one event. */
struct state {
	bool exclude_user, exclude_kernel, exclude_hv;
	bool exclude_host, exclude_guest, exclude_idle;
	bool pinned, exclusive, weak, precise_max, sample_read, retire_latency, bpf;
	bool rings_chosen, guest_chosen;
	unsigned int precise;
};

enum effect {
	SET,         /* the flag */
	LET_IN,      /* a ring: clear the flag, after excluding all if it is the first */
	LET_IN_SIDE, /* host or guest: likewise */
	PRECISE,     /* one level more */
	NOTHING,     /* about ways of counting that are perf's */
};

static const struct modifier {
	char letter;
	enum effect effect;
	size_t flag; /* offset of a bool in struct state */
} modifiers[] = {
	{ 'u', LET_IN, offsetof(struct state, exclude_user) },
	{ 'k', LET_IN, offsetof(struct state, exclude_kernel) },
	{ 'h', LET_IN, offsetof(struct state, exclude_hv) },
	{ 'G', LET_IN_SIDE, offsetof(struct state, exclude_guest) },
	{ 'H', LET_IN_SIDE, offsetof(struct state, exclude_host) },
	{ 'I', SET, offsetof(struct state, exclude_idle) },
	{ 'D', SET, offsetof(struct state, pinned) },
	{ 'e', SET, offsetof(struct state, exclusive) },
	{ 'W', SET, offsetof(struct state, weak) },
	{ 'P', SET, offsetof(struct state, precise_max) },
	{ 'p', PRECISE, 0 },
	{ 'S', SET, offsetof(struct state, sample_read) },
	{ 'b', SET, offsetof(struct state, bpf) },
	{ 'R', SET, offsetof(struct state, retire_latency) },
	{ 'X', NOTHING, 0 }, /* perf 7 moves some events between groups, and then does not */
};

enum { PRECISE_MAX = 3 };

static const struct modifier *find_modifier(char letter)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(modifiers); i++)
		if (modifiers[i].letter == letter)
			return &modifiers[i];
	return NULL;
}

static void apply_letter(struct state *state, const struct modifier *modifier)
{
	bool *flag = (bool *)((char *)state + modifier->flag);

	switch (modifier->effect) {
	case SET:
		*flag = true;
		break;
	case LET_IN:
		if (!state->rings_chosen)
			state->exclude_user = state->exclude_kernel = state->exclude_hv = true;
		state->rings_chosen = true;
		*flag = false;
		/* The host's user space, not every guest's. */
		if (modifier->letter == 'u' && !state->guest_chosen)
			state->exclude_guest = true;
		break;
	case LET_IN_SIDE:
		if (!state->guest_chosen)
			state->exclude_host = state->exclude_guest = true;
		state->guest_chosen = true;
		*flag = false;
		break;
	case PRECISE:
		state->precise++;
		/* Precise events cannot distinguish guests. */
		if (!state->guest_chosen)
			state->exclude_guest = true;
		break;
	case NOTHING:
		break;
	}
}

/* Refuses letters there are not, and letters that come twice. */
static int check_letters(const struct xp_source *source, struct xp_span letters)
{
	for (size_t i = 0; i < letters.len; i++) {
		struct xp_span here = { letters.at + i, 1 };

		if (*here.at == '=')
			return xp_source_error(source, -EINVAL, here, "%s", xp_misplaced_equals);
		if (!find_modifier(*here.at)) {
			xp_source_error(source, -EINVAL, here, "there is no modifier '%c'",
					*here.at);
			xp_diag_hint(source->diag, "The modifiers are %s", xp_modifier_letters);
			return -EINVAL;
		}
		if (*here.at != 'p' && memchr(letters.at, *here.at, i))
			return xp_source_error(source, -EINVAL, here,
					       "the modifier '%c' is given twice", *here.at);
	}
	return 0;
}

static int apply_letters(const struct xp_source *source, struct xp_span letters,
			 struct state *state)
{
	for (size_t i = 0; i < letters.len; i++)
		apply_letter(state, find_modifier(letters.at[i]));
	if (state->precise > PRECISE_MAX)
		return xp_source_error(source, -EINVAL, letters,
				       "there are only %d levels of precision ('ppp'), not %u",
				       PRECISE_MAX, state->precise);
	return 0;
}

static struct state state_of(const struct xp_parsed_event *event)
{
	const struct xp_attr *attr = &event->evsel->attr;

	return (struct state){
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_host = attr->exclude_host,
		.exclude_guest = attr->exclude_guest,
		.exclude_idle = attr->exclude_idle,
		.pinned = attr->pinned,
		.exclusive = attr->exclusive,
		.weak = event->weak,
		.precise_max = event->evsel->precise_max,
		.sample_read = event->evsel->sample_read,
		.retire_latency = event->evsel->retire_latency,
		.bpf = event->evsel->wants_bpf,
		.rings_chosen = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv,
		.guest_chosen = event->evsel->guest_chosen,
		.precise = attr->precise_ip,
	};
}

static void set_state(struct xp_parsed_event *event, const struct state *state)
{
	struct xp_attr *attr = &event->evsel->attr;

	attr->exclude_user = state->exclude_user;
	attr->exclude_kernel = state->exclude_kernel;
	attr->exclude_hv = state->exclude_hv;
	attr->exclude_host = state->exclude_host;
	attr->exclude_guest = state->exclude_guest;
	attr->exclude_idle = state->exclude_idle;
	attr->pinned = state->pinned;
	attr->exclusive = state->exclusive;
	attr->precise_ip = state->precise & PRECISE_MAX;
	event->evsel->precise_max = state->precise_max;
	event->evsel->sample_read = state->sample_read;
	event->evsel->retire_latency = state->retire_latency;
	event->evsel->wants_bpf = state->bpf;
	event->weak = state->weak;
	event->evsel->guest_chosen = state->guest_chosen;
}

int xp_modifiers_apply(const struct xp_source *source, struct xp_span letters,
		       struct xp_parsed_event *events, int nr)
{
	struct state state = { 0 };
	int err = check_letters(source, letters) ?: apply_letters(source, letters, &state);

	if (err || !letters.len)
		return err;
	for (int i = 0; i < nr; i++)
		set_state(&events[i], &state);
	return 0;
}

int xp_modifiers_apply_to_group(const struct xp_source *source, struct xp_span letters,
				struct xp_parsed_event *events, int nr)
{
	int err = check_letters(source, letters);

	for (int i = 0; !err && i < nr; i++) {
		struct state state = state_of(&events[i]);

		err = apply_letters(source, letters, &state);
		/* Only a leader can be pinned or exclusive; it stands for the group. */
		if (i)
			state.pinned = state.exclusive = false;
		if (!err)
			set_state(&events[i], &state);
	}
	return err;
}
