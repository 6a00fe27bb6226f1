/* SPDX-License-Identifier: MIT */
/*
 * Lines of source and inlined functions. The debug information of a file is read when the first
 * address in it is asked for; each address is looked up once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "hash.h"
#include "symtab-impl.h"

enum { FIRST_ROOM = 256 };

/* The slot of an address, which may be free. */
static struct place *slot_of(const struct lines *lines, uint64_t address)
{
	size_t mask = lines->room - 1;
	size_t at = (size_t)xp_hash_word(xp_hash_seed(), address) & mask;

	while (lines->places[at].frames && lines->places[at].address != address)
		at = (at + 1) & mask;
	return &lines->places[at];
}

static int grow(struct lines *lines)
{
	struct lines larger = *lines;

	larger.room = lines->room ? lines->room * 2 : FIRST_ROOM;
	larger.places = calloc(larger.room, sizeof(*larger.places));
	if (!larger.places)
		return -ENOMEM;
	for (size_t i = 0; i < lines->room; i++)
		if (lines->places[i].frames)
			*slot_of(&larger, lines->places[i].address) = lines->places[i];
	free(lines->places);
	*lines = larger;
	return 0;
}

static const char *keep(struct lines *lines, const char *text)
{
	return text && *text ? xp_intern_add(&lines->texts, text, strlen(text)) : NULL;
}

/* As it is shown; NULL: it is not known. */
static const char *keep_name(struct xp_symtab *symtab, const char *name)
{
	struct demangler *demangler = symtab->table.demangler;
	xp_auto_free char *text =
		name && demangler ? xp_demangle(demangler, name, strlen(name)) : NULL;

	return keep(&symtab->lines, text ? text : name);
}

static const char *keep_path(struct lines *lines, const struct xp_dwarf_frame *frame)
{
	xp_auto_free char *path = NULL;

	if (!frame->file || *frame->file == '/' || !frame->dir)
		return keep(lines, frame->file);
	if (asprintf(&path, "%s/%s", frame->dir, frame->file) < 0)
		path = NULL;
	return keep(lines, path);
}

/* Looks an address up. The last function is the one the symbol is of. Returns 0 or -ENOMEM. */
static int look_up(struct xp_symtab *symtab, struct place *place)
{
	struct lines *lines = &symtab->lines;
	struct xp_dwarf_frame found[XP_DWARF_FRAMES];
	int nr = xp_dwarf_find(lines->dwarf, place->address, found);

	place->frames = calloc((size_t)nr + 1, sizeof(*place->frames));
	if (!place->frames)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		place->frames[i] = (struct xp_line){
			.name = i + 1 < nr ? keep_name(symtab, found[i].name) : NULL,
			.file = keep_path(lines, &found[i]),
			.line = found[i].line,
		};
	place->nr = nr;
	lines->nr++;
	return 0;
}

static int find(struct xp_symtab *symtab, uint64_t address, const struct xp_line **ret_lines)
{
	struct lines *lines = &symtab->lines;

	if (!lines->is_open) {
		lines->is_open = true;
		if (xp_symtab_open_dwarf(symtab, &lines->dwarf))
			lines->dwarf = NULL;
	}
	if (!lines->dwarf)
		return 0;
	if (lines->nr * 2 >= lines->room && grow(lines))
		return -ENOMEM;
	struct place *place = slot_of(lines, address);
	place->address = address;
	if (!place->frames && look_up(symtab, place))
		return -ENOMEM;
	*ret_lines = place->frames;
	return place->nr;
}

int xp_symtab_lines(struct xp_symtab *symtab, uint64_t address, const struct xp_line **ret_lines)
{
	pthread_mutex_lock(&symtab->lock);
	int nr = find(symtab, address, ret_lines);
	pthread_mutex_unlock(&symtab->lock);
	return nr;
}

void xp_lines_fini(struct lines *lines)
{
	for (size_t i = 0; i < lines->room; i++)
		free(lines->places[i].frames);
	free(lines->places);
	xp_dwarf_close(lines->dwarf);
	xp_intern_fini(&lines->texts);
}
