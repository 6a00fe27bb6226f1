/* SPDX-License-Identifier: MIT */
/* Texts kept once: a hash table, at most half full, of texts in chunks that never move. */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

/* Texts one behind the other; older chunks are full. */
struct xp_intern_chunk {
	struct xp_intern_chunk *older;
	size_t used, room;
	char bytes[];
};

enum { CHUNK_BYTES = 32 << 10 };

static bool holds(const struct xp_intern_slot *slot, uint64_t hash, const char *text, size_t len)
{
	return slot->hash == hash && !strncmp(slot->text, text, len) && !slot->text[len];
}

static struct xp_intern_slot *slot_of(const struct xp_intern *intern, uint64_t hash,
				      const char *text, size_t len)
{
	size_t at = (size_t)hash & (intern->room - 1);

	while (intern->slots[at].text && !holds(&intern->slots[at], hash, text, len))
		at = (at + 1) & (intern->room - 1);
	return &intern->slots[at];
}

static bool grow(struct xp_intern *intern)
{
	size_t room = intern->room ? intern->room * 2 : 64;
	struct xp_intern_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < intern->room; i++) {
		size_t at = (size_t)intern->slots[i].hash & (room - 1);

		if (!intern->slots[i].text)
			continue;
		while (slots[at].text)
			at = (at + 1) & (room - 1);
		slots[at] = intern->slots[i];
	}
	free(intern->slots);
	intern->slots = slots;
	intern->room = room;
	return true;
}

static const char *keep(struct xp_intern *intern, const char *text, size_t len)
{
	struct xp_intern_chunk *chunk = intern->chunk;

	if (!chunk || chunk->room - chunk->used <= len) {
		size_t room = len < CHUNK_BYTES ? CHUNK_BYTES : len + 1;

		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct xp_intern_chunk){ .older = intern->chunk, .room = room };
		intern->chunk = chunk;
	}
	char *kept = chunk->bytes + chunk->used;
	memcpy(kept, text, len);
	kept[len] = '\0';
	chunk->used += len + 1;
	return kept;
}

const char *xp_intern_add(struct xp_intern *intern, const char *text, size_t len)
{
	if (!intern->seed)
		intern->seed = xp_hash_seed();
	uint64_t hash = xp_hash_bytes(intern->seed, text, len);
	if (intern->nr * 2 >= intern->room && !grow(intern))
		return NULL;
	struct xp_intern_slot *slot = slot_of(intern, hash, text, len);
	if (slot->text)
		return slot->text;
	const char *kept = keep(intern, text, len);
	if (!kept)
		return NULL;
	*slot = (struct xp_intern_slot){ kept, hash };
	intern->nr++;
	return kept;
}

void xp_intern_seal(struct xp_intern *intern)
{
	free(intern->slots);
	intern->slots = NULL;
	intern->nr = intern->room = 0;
}

void xp_intern_fini(struct xp_intern *intern)
{
	while (intern->chunk) {
		struct xp_intern_chunk *older = intern->chunk->older;

		free(intern->chunk);
		intern->chunk = older;
	}
	free(intern->slots);
	*intern = (struct xp_intern){ 0 };
}
