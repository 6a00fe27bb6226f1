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
#include "shortage.h"
#include "str.h"
#include "symtab-impl.h"
#include "vec.h"

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
	const char *kept = text && *text ? xp_intern_add(&lines->texts, text, strlen(text)) : "";

	lines->failed = lines->failed || !kept;
	return kept && *kept ? kept : NULL;
}

static const char *demangled(struct xp_symtab *symtab, const char *name)
{
	struct demangler *demangler = symtab->demangler;
	xp_auto_free char *text = demangler ? xp_demangle(demangler, name, strlen(name)) : NULL;

	return keep(symtab->lines, text ? text : name);
}

/* As it is shown; NULL: it is not known. A function is inlined in many places: its name is
 * demangled once. */
static const char *keep_name(struct xp_symtab *symtab, const char *name)
{
	struct lines *lines = symtab->lines;
	uint64_t hash = xp_hash_word(xp_hash_seed(), (uintptr_t)name);
	size_t at;

	if (!name)
		return NULL;
	for (struct index_walk walk = index_walk(&lines->index, hash); index_next(&walk, &at);)
		if (lines->names[at].raw == name)
			return lines->names[at].text;
	const char *text = demangled(symtab, name);
	if (text && !vec_add(&lines->names, lines->nr_names, sizeof(*lines->names)) &&
	    !index_add(&lines->index, hash, lines->nr_names))
		lines->names[lines->nr_names++] = (struct shown_name){ name, text };
	return text;
}

static void add_part(struct xp_str *path, const char *part)
{
	if (!part || !*part)
		return;
	if (path->len && path->s[path->len - 1] != '/')
		xp_str_add(path, "/", 1);
	xp_str_add(path, part, strlen(part));
}

/* The path of a file: each part begins where the one before it leads, unless it is absolute. */
static const char *keep_path(struct lines *lines, const struct xp_dwarf_frame *frame)
{
	const char *const parts[] = { frame->unit_dir, frame->dir, frame->file };
	size_t first = 2;
	struct xp_str path = { 0 };

	if (!frame->file)
		return NULL;
	while (first && (!parts[first] || *parts[first] != '/'))
		first--;
	for (; first < XP_ARRAY_LEN(parts); first++)
		add_part(&path, parts[first]);
	lines->failed = lines->failed || path.failed;
	const char *kept = path.failed ? NULL : keep(lines, xp_str_text(&path));
	xp_str_fini(&path);
	return kept;
}

/* Finds one line of a program in Go, that of the innermost function. Returns 1 or 0. */
static int find_go(const struct go_table *go, uint64_t address, struct xp_dwarf_frame *ret_frame)
{
	*ret_frame = (struct xp_dwarf_frame){ .name = NULL };
	return xp_go_table_line(go, address, &ret_frame->file, &ret_frame->line,
				&ret_frame->start_line);
}

/* Looks an address up. The last function is the one the symbol is of. Returns 0, -ENOMEM, -EMFILE,
 * -ENFILE. */
static int look_up(struct xp_symtab *symtab, struct place *place)
{
	struct lines *lines = symtab->lines;
	struct xp_dwarf_frame found[XP_DWARF_FRAMES];
	int nr = lines->dwarf ? xp_dwarf_find(lines->dwarf, place->address, found)
			      : find_go(&lines->go.table, place->address, found);

	if (nr < 0)
		return nr;
	place->frames = calloc((size_t)nr + 1, sizeof(*place->frames));
	if (!place->frames)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		place->frames[i] = (struct xp_line){
			.name = i + 1 < nr ? keep_name(symtab, found[i].name) : NULL,
			.file = keep_path(lines, &found[i]),
			.line = found[i].line,
			.start_line = found[i].start_line,
		};
	if (lines->failed) {
		free(place->frames);
		place->frames = NULL;
		lines->failed = false;
		return -ENOMEM;
	}
	place->nr = nr;
	lines->nr++;
	return 0;
}

static int open_go(const struct xp_symtab *symtab, struct go_file *file)
{
	struct xp_elf *elf;

	if (!symtab->path || symtab->text)
		return -ENOENT;
	int err = xp_elf_open(symtab->path, &elf, NULL);
	if (err)
		return err;
	err = xp_go_file_read(elf, file);
	if (err)
		file->bytes = NULL;
	xp_elf_close(elf);
	return err;
}

static int find(struct xp_symtab *symtab, uint64_t address, const struct xp_line **ret_lines)
{
	struct lines *lines = symtab->lines;
	int err;

	if (!lines) {
		lines = symtab->lines = calloc(1, sizeof(*lines));
		if (!lines)
			return -ENOMEM;
		err = xp_symtab_open_dwarf(symtab, &lines->dwarf);
		if (err)
			lines->dwarf = NULL;
		if (err && !xp_is_shortage(err))
			err = open_go(symtab, &lines->go);
		if (xp_is_shortage(err)) {
			xp_lines_free(lines);
			symtab->lines = NULL;
			return err;
		}
	}
	if (!lines->dwarf && !lines->go.bytes)
		return 0;
	if (lines->nr * 2 >= lines->room && grow(lines))
		return -ENOMEM;
	struct place *place = slot_of(lines, address);
	place->address = address;
	err = place->frames ? 0 : look_up(symtab, place);
	if (err)
		return err;
	*ret_lines = place->frames;
	return place->nr;
}

int xp_symtab_lines(struct xp_symtab *symtab, uint64_t address, const struct xp_line **ret_lines)
{
	pthread_mutex_lock(symtab->lock);
	int nr = find(symtab, address, ret_lines);
	pthread_mutex_unlock(symtab->lock);
	return nr;
}

void xp_lines_free(struct lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->room; i++)
		free(lines->places[i].frames);
	free(lines->places);
	free(lines->names);
	index_fini(&lines->index);
	xp_dwarf_close(lines->dwarf);
	free(lines->go.bytes);
	xp_intern_fini(&lines->texts);
	free(lines);
}
