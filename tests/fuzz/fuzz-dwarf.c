/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as sections of debug information, in which lines and inlined functions are
 * looked up. Answers are texts that can be read, and are the same when they are asked for again.
 *
 * An input is a row of parts: two bytes for the file (enum file) and the kind of part (enum part),
 * two for its length, and its bytes. The layer that reads ELF files is replaced: nothing is opened.
 * tests/fuzz/dwarf-corpus.sh makes such inputs of programs.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf-file.h"
#include "elf-file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path that can be resolved, as alternate files need it. */
#define PROGRAM "/dev/null"

enum file { FILE_MAIN, FILE_PACKAGE, FILE_SPLIT, FILE_ALT, NR_FILES };
enum part {
	PART_SECTIONS, /* and what follows, in the order of names[] */
	PART_ADDRESSES = 16,
	PART_SWAPPED, /* the file is of the other byte order */
	PART_PAGED,   /* its sections are read page by page */
};
enum { NR_SECTIONS = 11, MAX_PARTS = 64, HEADER = 4, MAX_ADDRESSES = 512 };

static const char *const names[NR_SECTIONS] = {
	"info", "abbrev", "line",     "str",      "line_str",          "str_offsets",
	"addr", "ranges", "rnglists", "cu_index", ".gnu_debugaltlink",
};

struct section {
	uint8_t *bytes; /* NULL: there is none */
	size_t len;
};

struct xp_elf {
	bool is_there, is_swapped, is_paged;
	int nr_open;
	struct section sections[NR_SECTIONS];
};

static struct xp_elf files[NR_FILES];

/* --- ELF files --- */

static enum file file_of(const char *path)
{
	size_t len = strlen(path);

	if (!strcmp(path, PROGRAM))
		return FILE_MAIN;
	if (!strcmp(path, PROGRAM ".dwp"))
		return FILE_PACKAGE;
	return len > 4 && !strcmp(path + len - 4, ".alt") ? FILE_ALT : FILE_SPLIT;
}

int xp_elf_open(const char *path, struct xp_elf **ret_elf, struct xp_diag *diag)
{
	struct xp_elf *elf = &files[file_of(path)];

	(void)diag;
	if (!elf->is_there)
		return -ENOENT;
	elf->nr_open++;
	*ret_elf = elf;
	return 0;
}

void xp_elf_close(struct xp_elf *elf)
{
	assert(!elf || elf->nr_open-- > 0);
}

struct xp_elf_facts xp_elf_facts(const struct xp_elf *elf)
{
	return (struct xp_elf_facts){ .is_64 = true, .is_big_endian = elf->is_swapped };
}

static const struct section *section_of(const struct xp_elf *elf, const char *name)
{
	size_t len = strcspn(name + 1, ".") + 1; /* without ".dwo" */

	for (size_t i = 0; i < NR_SECTIONS; i++)
		if (elf->sections[i].bytes && strlen(names[i]) == len &&
		    !strncmp(names[i], name, len))
			return &elf->sections[i];
	return NULL;
}

int xp_elf_section(struct xp_elf *elf, const char *name, struct xp_elf_section *ret_section)
{
	const struct section *section = section_of(elf, name);

	if (!section)
		return -ENOENT;
	*ret_section = (struct xp_elf_section){ .bytes = section->bytes, .len = section->len };
	return 0;
}

/* The offset of a section that is read page by page is its number, in the upper half. */
int xp_elf_debug_section(struct xp_elf *elf, const char *name, struct xp_elf_debug *ret_debug)
{
	const struct section *section = section_of(elf, name);

	if (!section)
		return -ENOENT;
	*ret_debug = (struct xp_elf_debug){ .bytes = elf->is_paged ? NULL : section->bytes,
					    .offset = (uint64_t)(section - elf->sections) << 32,
					    .len = section->len };
	return 0;
}

size_t xp_elf_read(const struct xp_elf *elf, uint64_t offset, void *buf, size_t len)
{
	const struct section *section = &elf->sections[offset >> 32];
	size_t at = offset & UINT32_MAX;

	assert(at <= section->len && len <= section->len - at);
	memcpy(buf, section->bytes + at, len);
	return len;
}

/* Of 0 bytes, which are the same as those of any other one. */
int xp_symbol_build_id(const char *path, struct xp_build_id *ret_id, struct xp_diag *diag)
{
	(void)path, (void)diag;
	*ret_id = (struct xp_build_id){ .len = 0 };
	return 0;
}

/* --- inputs --- */

struct addresses {
	uint64_t at[MAX_ADDRESSES];
	size_t nr;
};

static void add_addresses(struct addresses *addresses, const uint8_t *bytes, size_t len)
{
	for (; len >= sizeof(uint64_t) && addresses->nr < MAX_ADDRESSES;
	     len -= sizeof(uint64_t), bytes += sizeof(uint64_t))
		memcpy(&addresses->at[addresses->nr++], bytes, sizeof(uint64_t));
}

/* Copies of their own, so that a sanitizer sees what is read behind one. */
static void add_section(struct section *section, const uint8_t *bytes, size_t len)
{
	free(section->bytes);
	section->bytes = malloc(len ? len : 1);
	assert(section->bytes);
	memcpy(section->bytes, bytes, len);
	section->len = len;
}

static void parse(const uint8_t *data, size_t size, struct addresses *addresses)
{
	for (int i = 0; i < MAX_PARTS && size >= HEADER; i++) {
		struct xp_elf *elf = &files[data[0] % NR_FILES];
		int part = data[1];
		size_t len = data[2] | (size_t)data[3] << 8;

		data += HEADER;
		size -= HEADER;
		len = len < size ? len : size;
		if (part < NR_SECTIONS)
			add_section(&elf->sections[part], data, len);
		else if (part == PART_ADDRESSES)
			add_addresses(addresses, data, len);
		elf->is_there |= part < NR_SECTIONS;
		elf->is_swapped |= part == PART_SWAPPED;
		elf->is_paged |= part == PART_PAGED;
		data += len;
		size -= len;
	}
}

static void forget(void)
{
	for (size_t i = 0; i < NR_FILES; i++) {
		assert(!files[i].nr_open);
		for (size_t j = 0; j < NR_SECTIONS; j++)
			free(files[i].sections[j].bytes);
		files[i] = (struct xp_elf){ .nr_open = 0 };
	}
}

/* --- lines --- */

static void touch(const char *text)
{
	assert(!text || strlen(text) < SIZE_MAX);
}

static void find(struct xp_dwarf *dwarf, uint64_t address)
{
	struct xp_dwarf_frame frames[XP_DWARF_FRAMES], again[XP_DWARF_FRAMES];
	int nr = xp_dwarf_find(dwarf, address, frames);

	assert(nr >= 0 && nr <= XP_DWARF_FRAMES);
	assert(xp_dwarf_find(dwarf, address, again) == nr);
	for (int i = 0; i < nr; i++) {
		touch(frames[i].name);
		touch(frames[i].unit_dir);
		touch(frames[i].dir);
		touch(frames[i].file);
		assert(frames[i].line == again[i].line && frames[i].file == again[i].file);
		assert(frames[i].name == again[i].name && frames[i].dir == again[i].dir);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct addresses addresses = { .at = { 0, UINT64_MAX }, .nr = 2 };
	struct xp_dwarf *dwarf;

	parse(data, size, &addresses);
	if (!xp_dwarf_open(PROGRAM, &dwarf)) {
		for (size_t i = 0; i < addresses.nr; i++)
			find(dwarf, addresses.at[i]);
		xp_dwarf_close(dwarf);
	}
	forget();
	return 0;
}
