/* SPDX-License-Identifier: MIT */
/*
 * SDT markers: the notes that the macros of sys/sdt.h leave in .note.stapsdt. A note holds three
 * addresses (the marker's place, .stapsdt.base as it was when the note was made, the semaphore)
 * and three strings (provider, name, arguments).
 *
 * Source: systemtap's "UserSpaceProbeImplementation"; elf(5), "Notes (Nhdr)".
 */
#include <errno.h>
#include <string.h>
#include <xperf/diag.h>

#include "elf-file.h"

enum { NOTE_TYPE = 3 };
static const char owner[] = "stapsdt";

/* Bytes not read yet. */
struct cursor {
	const unsigned char *at;
	size_t left;
	struct xp_elf_facts facts;
};

/* A number of the file; 0 behind the end, and nothing is left then. */
static uint64_t consume_number(struct cursor *c, size_t bytes)
{
	uint64_t number = 0;

	if (c->left < bytes) {
		c->left = 0;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++)
		number = number << 8 | c->at[c->facts.is_big_endian ? i : bytes - 1 - i];
	c->at += bytes;
	c->left -= bytes;
	return number;
}

static uint64_t consume_address(struct cursor *c)
{
	return consume_number(c, c->facts.is_64 ? 8 : 4);
}

/* Returns NULL if it does not end within the note. */
static const char *consume_string(struct cursor *c)
{
	const char *text = (const char *)c->at;
	size_t len = strnlen(text, c->left);

	if (len == c->left)
		return NULL;
	c->at += len + 1;
	c->left -= len + 1;
	return text;
}

/* Consumes the bytes of a field with its padding; the last one may lack it. */
static struct cursor consume_field(struct cursor *c, uint64_t len)
{
	struct cursor field = *c;
	uint64_t padded = (len + 3) & ~(uint64_t)3;

	if (len > c->left) {
		field.left = c->left = 0;
		return field;
	}
	field.left = len;
	padded = padded < c->left ? padded : c->left;
	c->at += padded;
	c->left -= padded;
	return field;
}

/* One walk through one file. */
struct walk {
	struct xp_elf *elf;
	uint64_t base; /* where .stapsdt.base is now; 0: it does not say */
	xp_sdt_fn fn;
	void *data;
	int nr;
};

/* A marker's place and semaphore moved with .stapsdt.base, when a prelinker moved the file. */
static bool locate(const struct walk *walk, uint64_t base, uint64_t semaphore, struct xp_sdt *sdt)
{
	uint64_t moved = walk->base && base ? walk->base - base : 0;
	bool is_executable;

	sdt->address += moved;
	if (xp_elf_offset(walk->elf, sdt->address, &sdt->offset, &is_executable))
		return false;
	return !semaphore ||
	       !xp_elf_offset(walk->elf, semaphore + moved, &sdt->semaphore, &is_executable);
}

static int hand_out(struct walk *walk, struct cursor note)
{
	struct xp_sdt sdt = { .address = consume_address(&note) };
	uint64_t base = consume_address(&note);
	uint64_t semaphore = consume_address(&note);

	sdt.provider = consume_string(&note);
	sdt.name = sdt.provider ? consume_string(&note) : NULL;
	sdt.args = sdt.name ? consume_string(&note) : NULL;
	if (!sdt.args || !*sdt.provider || !*sdt.name || !locate(walk, base, semaphore, &sdt))
		return 0;
	walk->nr++;
	return walk->fn(&sdt, walk->data);
}

static int walk_notes(struct walk *walk, struct cursor notes)
{
	int err = 0;

	while (!err && notes.left) {
		uint64_t name_len = consume_number(&notes, 4);
		uint64_t content_len = consume_number(&notes, 4);
		uint64_t type = consume_number(&notes, 4);
		struct cursor name = consume_field(&notes, name_len);
		struct cursor content = consume_field(&notes, content_len);

		if (type == NOTE_TYPE && name.left == sizeof(owner) &&
		    !memcmp(name.at, owner, sizeof(owner)))
			err = hand_out(walk, content);
	}
	return err;
}

int xp_sdt_walk(const char *path, xp_sdt_fn fn, void *data, struct xp_diag *diag)
{
	struct walk walk = { .fn = fn, .data = data };
	struct xp_elf_section section = { 0 }, base;
	int err = xp_elf_open(path, &walk.elf, diag);

	if (err)
		return err;
	if (!xp_elf_section(walk.elf, ".stapsdt.base", &base))
		walk.base = base.address;
	if (!xp_elf_section(walk.elf, ".note.stapsdt", &section))
		err = walk_notes(&walk, (struct cursor){ section.bytes, section.len,
							 xp_elf_facts(walk.elf) });
	xp_elf_close(walk.elf);
	if (!err && !walk.nr)
		return xp_diag_set(diag, -ENODATA, "'%s' has no SDT markers", path);
	return err;
}
