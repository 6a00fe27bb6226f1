/* SPDX-License-Identifier: MIT */
/*
 * Where a sample was: address, function, file; and the call chain. What stands behind an address is
 * the same for each sample that was there, so it is made once.
 *
 * Source: perf script, 6.1, measured; in chains the addresses are as they ran, as perf has it since
 * 6.2.
 */
#include <errno.h>
#include <stdlib.h>

#include "script.h"

/* The text behind an address. */
struct tail {
	uint64_t address;
	const struct xp_dso *dso;
	uint32_t fields; /* 0: free */
	uint32_t len;
	size_t at;
};

/* What is printed of an address as it was sampled: a tail, and when that is right. */
struct place {
	uint64_t ip;
	uint64_t from_ns, to_ns;
	int32_t pid;   /* -1: the kernel's, which is the same for all */
	uint32_t what; /* fields, and processor mode; 0: free */
	uint32_t len;
	size_t at;
};

struct tails {
	struct tail *slots;
	size_t nr, room; /* room: a power of two */
	struct place *places;
	size_t nr_places, places_room; /* likewise */
	struct sink text;              /* of all */
};

enum { TAILS_AT_FIRST = 1024, ADDRESS_WIDTH = 16, MODE_BITS = 3 };

struct tails *tails_new(void)
{
	struct tails *tails = calloc(1, sizeof(*tails));

	if (!tails)
		return NULL;
	tails->room = TAILS_AT_FIRST;
	tails->places_room = TAILS_AT_FIRST;
	tails->slots = calloc(tails->room, sizeof(*tails->slots));
	tails->places = calloc(tails->places_room, sizeof(*tails->places));
	if (!tails->slots || !tails->places || sink_init(&tails->text, -1)) {
		tails_free(tails);
		return NULL;
	}
	return tails;
}

void tails_free(struct tails *tails)
{
	if (!tails)
		return;
	free(tails->slots);
	free(tails->places);
	sink_fini(&tails->text);
	free(tails);
}

static struct tail *slot_of(const struct tails *tails, const struct tail *key)
{
	uint64_t hash =
		(key->address ^ (uintptr_t)key->dso << 20 ^ key->fields) * 0x9e3779b97f4a7c15ULL;
	size_t mask = tails->room - 1, at = (size_t)(hash >> 32) & mask;

	while (tails->slots[at].fields &&
	       (tails->slots[at].address != key->address || tails->slots[at].dso != key->dso ||
		tails->slots[at].fields != key->fields))
		at = (at + 1) & mask;
	return &tails->slots[at];
}

static int grow(struct tails *tails)
{
	struct tail *old = tails->slots, *larger = calloc(tails->room * 2, sizeof(*larger));
	size_t old_room = tails->room;

	if (!larger)
		return -ENOMEM;
	tails->slots = larger;
	tails->room *= 2;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].fields)
			*slot_of(tails, &old[i]) = old[i];
	free(old);
	return 0;
}

/* As perf shows a file: by its path; modules whose build id is not known by their name. */
static const char *file_name(const struct xp_dso *dso)
{
	return dso->is_kernel && !dso->build_id_len ? dso->short_name : dso->name;
}

static void put_tail(struct sink *out, uint32_t fields, const struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	if (fields & F_SYM) {
		sink_char(out, ' ');
		sink_escaped(out, frame->function.name ? frame->function.name : "[unknown]");
		if (fields & F_SYMOFF && frame->function.name) {
			sink_text(out, "+0x");
			sink_hex(out, frame->address - frame->function.start, 0, ' ');
		}
	}
	if (fields & F_DSO) {
		sink_text(out, " (");
		sink_escaped(out, dso ? file_name(dso) : "[unknown]");
		sink_char(out, ')');
	}
}

/* The tail of a frame. Returns NULL without memory. */
static const struct tail *tail_of(struct tails *tails, uint32_t fields,
				  const struct xp_frame *frame)
{
	struct tail key = { .address = frame->map.dso ? frame->address : 0,
			    .dso = frame->map.dso,
			    .fields = fields };
	struct tail *tail = slot_of(tails, &key);

	if (tail->fields)
		return tail;
	if (tails->nr * 2 >= tails->room && grow(tails))
		return NULL;
	tail = slot_of(tails, &key);
	*tail = key;
	tail->at = tails->text.len;
	put_tail(&tails->text, fields, frame);
	tail->len = (uint32_t)(tails->text.len - tail->at);
	tails->nr++;
	return tails->text.err ? NULL : tail;
}

/* --- addresses as they were sampled --- */

static struct place *place_of(const struct tails *tails, const struct place *key)
{
	uint64_t hash =
		(key->ip ^ (uint64_t)(uint32_t)key->pid << 44 ^ key->what) * 0x9e3779b97f4a7c15ULL;
	size_t mask = tails->places_room - 1, at = (size_t)(hash >> 32) & mask;

	while (tails->places[at].what &&
	       (tails->places[at].ip != key->ip || tails->places[at].pid != key->pid ||
		tails->places[at].what != key->what))
		at = (at + 1) & mask;
	return &tails->places[at];
}

static int grow_places(struct tails *tails)
{
	struct place *old = tails->places, *larger;
	size_t old_room = tails->places_room;

	larger = calloc(old_room * 2, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	tails->places = larger;
	tails->places_room *= 2;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].what)
			*place_of(tails, &old[i]) = old[i];
	free(old);
	return 0;
}

/* Looks an address up. The answer is kept for as long as it is right, in the time of the recording.
 */
static int fill_place(struct script *script, const struct where *where, uint32_t fields,
		      struct place *place)
{
	struct xp_frame frame;
	int err = xp_resolver_frame(script->resolver, where->pid, where->mode, where->ip, false,
				    where->time_ns, &frame);
	const struct tail *tail = err ? NULL : tail_of(script->tails, fields, &frame);

	if (!tail)
		return -ENOMEM;
	place->at = tail->at;
	place->len = tail->len;
	place->from_ns = frame.map.dso ? frame.map.from_ns : where->time_ns;
	place->to_ns = frame.map.dso ? frame.map.to_ns : where->time_ns;
	return 0;
}

int symbol_show(struct script *script, uint32_t fields, const struct where *where)
{
	struct tails *tails = script->tails;
	struct place key = { .ip = where->ip,
			     .pid = where->mode == XP_MISC_KERNEL ? -1 : where->pid,
			     .what = (fields & (F_SYM | F_SYMOFF | F_DSO)) << MODE_BITS |
				     where->mode };

	if (!(fields & (F_SYM | F_DSO)))
		return 0;
	if (tails->nr_places * 2 >= tails->places_room && grow_places(tails))
		return -ENOMEM;
	struct place *place = place_of(tails, &key);
	if (!place->what || where->time_ns < place->from_ns || where->time_ns > place->to_ns) {
		int err = fill_place(script, where, key.what >> MODE_BITS, &key);

		if (err)
			return err;
		tails->nr_places += !place->what;
		*place = key;
	}
	sink_bytes(&script->out, tails->text.buf + place->at, place->len);
	return 0;
}

int frame_show(struct script *script, uint32_t fields, const struct where *where)
{
	sink_hex(&script->out, where->ip, ADDRESS_WIDTH, ' ');
	return symbol_show(script, fields, where);
}

/* --- chains --- */

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

static int show_entry(struct script *script, const struct view *view,
		      const struct xp_sample *sample, uint16_t mode, uint64_t ip)
{
	const struct where where = { ip, sample->id.time_ns, sample->id.pid, mode };

	sink_char(&script->out, '\t');
	int err = frame_show(script, view->fields, &where);
	sink_char(&script->out, '\n');
	return err;
}

/* Where user code was, if only its registers and stack were recorded. */
static int show_leaf(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	if ((sample->record->misc & XP_MISC_CPUMODE_MASK) != XP_MISC_USER)
		return 0;
	return show_entry(script, view, sample, XP_MISC_USER, sample->ip);
}

int chain_show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	int left = script->config->values->max_stack;
	uint16_t mode = sample->record->misc & XP_MISC_CPUMODE_MASK;
	int err = 0, shown = 0;

	for (size_t i = 0; i < sample->nr_callchain && shown < left && !err; i++) {
		uint64_t ip = sample->callchain[i];

		if (ip >= XP_CONTEXT_MAX) {
			mode = mode_of(ip);
			continue;
		}
		if (!mode)
			continue;
		err = show_entry(script, view, sample, mode, ip);
		shown++;
	}
	if (!shown && sample->stack && !err)
		err = show_leaf(script, view, sample);
	return err;
}
