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

struct tails {
	struct tail *slots;
	size_t nr, room;  /* room: a power of two */
	struct sink text; /* of all */
};

enum { TAILS_AT_FIRST = 1024, ADDRESS_WIDTH = 16 };

struct tails *tails_new(void)
{
	struct tails *tails = calloc(1, sizeof(*tails));

	if (!tails)
		return NULL;
	tails->room = TAILS_AT_FIRST;
	tails->slots = calloc(tails->room, sizeof(*tails->slots));
	if (!tails->slots || sink_init(&tails->text, -1)) {
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

/* Without memory it is made anew each time. */
void symbol_show(struct script *script, uint32_t fields, const struct xp_frame *frame)
{
	struct tails *tails = script->tails;
	struct tail key = { .address = frame->map.dso ? frame->address : 0,
			    .dso = frame->map.dso,
			    .fields = fields & (F_SYM | F_SYMOFF | F_DSO) };

	if (!key.fields)
		return;
	struct tail *tail = slot_of(tails, &key);
	if (!tail->fields) {
		if (tails->nr * 2 >= tails->room && grow(tails)) {
			put_tail(&script->out, fields, frame);
			return;
		}
		tail = slot_of(tails, &key);
		*tail = key;
		tail->at = tails->text.len;
		put_tail(&tails->text, fields, frame);
		tail->len = (uint32_t)(tails->text.len - tail->at);
		tails->nr++;
	}
	sink_bytes(&script->out, tails->text.buf + tail->at, tail->len);
}

void frame_show(struct script *script, uint32_t fields, const struct xp_frame *frame)
{
	sink_hex(&script->out, frame->ip, ADDRESS_WIDTH, ' ');
	symbol_show(script, fields, frame);
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
	struct xp_frame frame;
	int err = xp_resolver_frame(script->resolver, sample->id.pid, mode, ip, false,
				    sample->id.time_ns, &frame);

	if (err)
		return err;
	sink_char(&script->out, '\t');
	frame_show(script, view->fields, &frame);
	sink_char(&script->out, '\n');
	return 0;
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
