/* SPDX-License-Identifier: MIT */
/*
 * The text behind an address: function and file. It is the same for each sample that was there, so
 * it is made once; and that an address as it was sampled leads to it is remembered for as long, in
 * the time of the recording, as it is right.
 *
 * Samples are printed in the order of their times, which is none for a cache: an entry is half a
 * cache line, and what the next sample needs is fetched ahead.
 */
#include "places.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>

#include "hash.h"
#include "script.h"
#include "vec.h"

/* The text of an address of a file. */
struct tail {
	uint64_t address;
	const struct xp_dso *dso;
	uint32_t fields; /* 0: free */
	uint32_t at, len;
};

/* When an entry is right: as long as its map is. */
struct span {
	uint64_t from_ns, to_ns;
};

/* An address as it was sampled. */
struct place {
	uint64_t ip;
	int32_t pid;   /* -1: the kernel's, which is the same for all */
	uint32_t what; /* fields, and processor mode; 0: free */
	uint32_t span;
	uint32_t at, len;
	uint32_t has_inlined; /* the text has ADDRESS in it */
};

_Static_assert(sizeof(struct place) == 32, "two to a cache line");

struct places {
	struct tail *tails;
	size_t nr_tails, tails_room; /* room: a power of two */
	struct place *at;
	size_t nr, room; /* likewise */
	struct span *spans;
	size_t nr_spans;
	struct sink text; /* of all */
	uint64_t seed;
};

enum { ROOM_AT_FIRST = 1024, MODE_BITS = 3, LINE = 64 };
/* In the text of an address, stands for the address as it was sampled. Text has no such byte. */
enum { ADDRESS = '\1', ADDRESS_WIDTH = 16 };

/* Returns NULL without memory. */
static struct place *table_new(size_t room)
{
	struct place *table = aligned_alloc(LINE, room * sizeof(*table));

	if (table)
		memset(table, 0, room * sizeof(*table));
	return table;
}

struct places *places_new(void)
{
	struct places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	places->seed = xp_hash_seed();
	places->tails_room = places->room = ROOM_AT_FIRST;
	places->tails = calloc(places->tails_room, sizeof(*places->tails));
	places->at = table_new(places->room);
	if (!places->tails || !places->at || sink_init(&places->text, -1)) {
		places_free(places);
		return NULL;
	}
	return places;
}

void places_free(struct places *places)
{
	if (!places)
		return;
	free(places->tails);
	free(places->at);
	free(places->spans);
	sink_fini(&places->text);
	free(places);
}

/* --- texts --- */

static struct tail *tail_slot(const struct places *places, const struct tail *key)
{
	uint64_t hash = xp_hash_word(xp_hash_word(places->seed, key->address),
				     (uintptr_t)key->dso ^ key->fields);
	size_t mask = places->tails_room - 1, at = (size_t)hash & mask;

	while (places->tails[at].fields &&
	       (places->tails[at].address != key->address || places->tails[at].dso != key->dso ||
		places->tails[at].fields != key->fields))
		at = (at + 1) & mask;
	return &places->tails[at];
}

static int grow_tails(struct places *places)
{
	struct tail *old = places->tails, *larger = calloc(places->tails_room * 2, sizeof(*larger));
	size_t old_room = places->tails_room;

	if (!larger)
		return -ENOMEM;
	places->tails = larger;
	places->tails_room *= 2;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].fields)
			*tail_slot(places, &old[i]) = old[i];
	free(old);
	return 0;
}

/* As perf shows a file: by its path; modules whose build id is not known by their name. */
static const char *file_name(const struct xp_dso *dso)
{
	return dso->is_kernel && !dso->build_id_len ? dso->short_name : dso->name;
}

static void put_file(struct sink *out, uint32_t fields, const struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	sink_text(out, " (");
	sink_escaped(out, dso ? file_name(dso) : "[unknown]");
	if (fields & F_DSOFF && dso) {
		sink_text(out, "+0x");
		sink_hex(out, frame->ip - frame->map.start + frame->map.offset, 0, ' ');
	}
	sink_char(out, ')');
}

static void put_function(struct sink *out, uint32_t fields, const struct xp_frame *frame,
			 const char *name)
{
	sink_char(out, ' ');
	sink_escaped(out, name ? name : "[unknown]");
	if (fields & F_SYMOFF && frame->function.name) {
		sink_text(out, "+0x");
		sink_hex(out, frame->address - frame->function.start, 0, ' ');
	}
}

void line_put(struct sink *out, const struct xp_frame *frame, const struct xp_line *line,
	      bool full_path)
{
	const char *path = line->file, *slash = path && !full_path ? strrchr(path, '/') : NULL;

	if (path) {
		sink_escaped(out, slash ? slash + 1 : path);
		sink_char(out, ':');
		sink_dec(out, line->line, 0, ' ');
		return;
	}
	sink_escaped(out, frame->map.dso->short_name);
	sink_char(out, '[');
	sink_hex(out, frame->address, 0, ' ');
	sink_char(out, ']');
}

/* On a line of its own. */
static void put_line(struct sink *out, const struct xp_frame *frame, const struct xp_line *line,
		     bool full_path)
{
	if (!line->file && !frame->map.dso)
		return;
	sink_text(out, "\n  ");
	line_put(out, frame, line, full_path);
}

/* Functions that are inlined at an address, each with the address in front of the next. */
static void put_inlined(struct sink *out, uint32_t fields, const struct xp_frame *frame,
			const struct xp_line *lines, int nr, bool full_path)
{
	for (int i = 0; i < nr; i++) {
		if (fields & F_SYM)
			put_function(out, fields, frame, lines[i].name);
		if (fields & F_SRCLINE)
			put_line(out, frame, &lines[i], full_path);
		sink_text(out, " (inlined)\n\t");
		sink_char(out, ADDRESS);
	}
}

static int put_tail(struct sink *out, uint32_t fields, const struct xp_frame *frame, bool full_path)
{
	const struct xp_line *lines = NULL, unknown = { 0 };
	bool is_asked = fields & (F_SRCLINE | F_INLINED);
	int nr = is_asked ? xp_frame_lines(frame, fields & F_RETURN, &lines) : 0;
	int nr_inlined = nr > 0 && fields & F_INLINED ? nr - 1 : 0;

	if (nr < 0)
		return nr;
	put_inlined(out, fields, frame, lines, nr_inlined, full_path);
	if (fields & F_SYM)
		put_function(out, fields, frame, frame->function.name);
	if (fields & F_DSO)
		put_file(out, fields, frame);
	if (fields & F_SRCLINE)
		put_line(out, frame, nr ? &lines[nr_inlined] : &unknown, full_path);
	return 0;
}

/* The tail of a frame. Returns NULL without memory. */
static const struct tail *tail_of(struct places *places, uint32_t fields,
				  const struct xp_frame *frame, bool full_path)
{
	struct tail key = { .address = frame->map.dso ? frame->address : 0,
			    .dso = frame->map.dso,
			    .fields = fields };
	struct tail *tail = tail_slot(places, &key);

	if (tail->fields)
		return tail;
	if (places->nr_tails * 2 >= places->tails_room && grow_tails(places))
		return NULL;
	tail = tail_slot(places, &key);
	size_t at = places->text.len;
	if (put_tail(&places->text, fields, frame, full_path) || places->text.err ||
	    places->text.len > UINT32_MAX)
		return NULL;
	key.at = (uint32_t)at;
	key.len = (uint32_t)(places->text.len - at);
	*tail = key;
	places->nr_tails++;
	return tail;
}

/* --- addresses as they were sampled --- */

static size_t hash_of(const struct places *places, const struct place *key)
{
	uint64_t who = (uint64_t)(uint32_t)key->pid << 32 | key->what;

	return (size_t)xp_hash_word(xp_hash_word(places->seed, key->ip), who);
}

static struct place *slot_of(const struct places *places, const struct place *key)
{
	size_t mask = places->room - 1, at = hash_of(places, key) & mask;

	while (places->at[at].what &&
	       (places->at[at].ip != key->ip || places->at[at].pid != key->pid ||
		places->at[at].what != key->what))
		at = (at + 1) & mask;
	return &places->at[at];
}

static int grow(struct places *places)
{
	struct place *old = places->at, *larger = table_new(places->room * 2);
	size_t old_room = places->room;

	if (!larger)
		return -ENOMEM;
	places->at = larger;
	places->room *= 2;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].what)
			*slot_of(places, &old[i]) = old[i];
	free(old);
	return 0;
}

/* Addresses of a map are looked up one after the other: its span is among the last. */
static int span_of(struct places *places, struct span span, uint32_t *ret)
{
	enum { LOOK_BACK = 8 };

	for (size_t i = places->nr_spans; i-- > 0 && i + LOOK_BACK >= places->nr_spans;)
		if (places->spans[i].from_ns == span.from_ns &&
		    places->spans[i].to_ns == span.to_ns) {
			*ret = (uint32_t)i;
			return 0;
		}
	if (vec_add(&places->spans, places->nr_spans, sizeof(*places->spans)))
		return -ENOMEM;
	*ret = (uint32_t)places->nr_spans;
	places->spans[places->nr_spans++] = span;
	return 0;
}

static struct place key_of(uint32_t fields, const struct where *where)
{
	if (!where->is_return)
		fields &= ~(uint32_t)F_RETURN;
	return (struct place){
		.ip = where->ip,
		.pid = where->mode == XP_MISC_KERNEL ? -1 : where->pid,
		.what = (fields & F_PLACE) << MODE_BITS | where->mode,
	};
}

static int fill(struct script *script, const struct where *where, uint32_t fields,
		struct place *place)
{
	struct places *places = script->places;
	struct xp_frame frame;

	frame.size = sizeof(frame);
	int err = xp_resolver_frame(script->rec->resolver, where->pid, where->mode, where->ip,
				    false, where->time_ns, &frame);
	const struct tail *tail = err ? NULL
				      : tail_of(places, key_of(fields, where).what >> MODE_BITS,
						&frame, script->config->values->full_paths);

	if (!tail)
		return -ENOMEM;
	missing_note(script, &frame);
	place->at = tail->at;
	place->len = tail->len;
	place->has_inlined = memchr(places->text.buf + tail->at, ADDRESS, tail->len) != NULL;
	return span_of(places, (struct span){ frame.map.from_ns, frame.map.to_ns }, &place->span);
}

void place_prefetch(const struct script *script, uint64_t fields, const struct where *where,
		    bool is_near)
{
	const struct places *places = script->places;
	struct place key = key_of((uint32_t)fields, where);
	const struct place *place = &places->at[hash_of(places, &key) & (places->room - 1)];

	__builtin_prefetch(is_near ? (const void *)(places->text.buf + place->at) : place);
}

static bool is_right(const struct places *places, const struct place *place, uint64_t time_ns)
{
	const struct span *span = &places->spans[place->span];

	return time_ns >= span->from_ns && time_ns <= span->to_ns;
}

static void show_inlined(struct sink *out, const char *text, size_t len, uint64_t ip)
{
	const char *at;

	for (; (at = memchr(text, ADDRESS, len)); text = at + 1) {
		sink_bytes(out, text, (size_t)(at - text));
		sink_hex(out, ip, ADDRESS_WIDTH, ' ');
		len -= (size_t)(at + 1 - text);
	}
	sink_bytes(out, text, len);
}

int place_show(struct script *script, uint64_t fields, const struct where *where)
{
	struct places *places = script->places;
	struct place key = key_of((uint32_t)fields, where);

	if (!(fields & (F_SYM | F_DSO | F_SRCLINE | F_INLINED)))
		return 0;
	if (places->nr * 2 >= places->room && grow(places))
		return -ENOMEM;
	struct place *place = slot_of(places, &key);
	if (!place->what || !is_right(places, place, where->time_ns)) {
		int err = fill(script, where, (uint32_t)fields, &key);

		if (err)
			return err;
		places->nr += !place->what;
		*place = key;
	}
	const char *text = places->text.buf + place->at;
	if (place->has_inlined)
		show_inlined(&script->out, text, place->len, where->ip);
	else
		sink_bytes(&script->out, text, place->len);
	return 0;
}
