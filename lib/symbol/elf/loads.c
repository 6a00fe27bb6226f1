/* SPDX-License-Identifier: MIT */
/*
 * Segments and sections of code, read with their headers only: nothing of the file's content, so
 * that files of any size cost the same. Source: elf(5).
 */
#include "loads.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "search.h"

/* A table of headers. */
struct headers {
	uint64_t offset;
	uint32_t nr, entry_len;
};

size_t xp_load_source_read(const struct xp_load_source *source, uint64_t offset, void *buf,
			   size_t len)
{
	if (source->image) {
		size_t rest = offset < source->image_len ? source->image_len - offset : 0;

		len = len < rest ? len : rest;
		memcpy(buf, (const char *)source->image + offset, len);
		return len;
	}
	ssize_t got = offset <= INT64_MAX ? pread(source->fd, buf, len, (off_t)offset) : 0;
	return got > 0 ? (size_t)got : 0;
}

static struct xp_elf_segment segment64(const Elf64_Phdr *p)
{
	return (struct xp_elf_segment){ p->p_offset, p->p_vaddr, p->p_filesz, p->p_memsz,
					p->p_flags & PF_X };
}

static struct xp_elf_segment segment32(const Elf32_Phdr *p)
{
	return (struct xp_elf_segment){ p->p_offset, p->p_vaddr, p->p_filesz, p->p_memsz,
					p->p_flags & PF_X };
}

/* Adds those that are loaded. Returns 0 or -ENOEXEC. */
static int read_segments(const struct xp_load_source *source, const struct headers *headers,
			 bool is_64, struct xp_loads *loads)
{
	union {
		Elf64_Phdr p64;
		Elf32_Phdr p32;
	} entry;
	size_t len = is_64 ? sizeof(entry.p64) : sizeof(entry.p32);

	for (uint32_t i = 0; i < headers->nr; i++) {
		uint64_t at = headers->offset + (uint64_t)i * headers->entry_len;

		if (xp_load_source_read(source, at, &entry, len) != len)
			return -ENOEXEC;
		if (entry.p32.p_type == PT_LOAD) /* at the same place in both */
			loads->at[loads->nr++] =
				is_64 ? segment64(&entry.p64) : segment32(&entry.p32);
	}
	return 0;
}

static struct xp_code_section section64(const Elf64_Shdr *s)
{
	return (struct xp_code_section){ s->sh_addr, s->sh_addr + s->sh_size };
}

static struct xp_code_section section32(const Elf32_Shdr *s)
{
	return (struct xp_code_section){ s->sh_addr, (uint64_t)s->sh_addr + s->sh_size };
}

static int by_start(const void *a, const void *b)
{
	const struct xp_code_section *first = a, *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

/* Adds those of code: none in /proc/kcore, nor in what a damaged table has behind the damage.
 * Returns 0, or -ENOEXEC if they have no content, as in separate debug files. */
static int read_sections(const struct xp_load_source *source, const struct headers *headers,
			 bool is_64, struct xp_loads *loads)
{
	union {
		Elf64_Shdr s64;
		Elf32_Shdr s32;
	} entry;
	size_t len = is_64 ? sizeof(entry.s64) : sizeof(entry.s32);

	for (uint32_t i = 0; i < headers->nr; i++) {
		uint64_t at = headers->offset + (uint64_t)i * headers->entry_len;

		if (xp_load_source_read(source, at, &entry, len) != len)
			break;
		uint64_t flags = is_64 ? entry.s64.sh_flags : entry.s32.sh_flags;
		if (!(flags & SHF_EXECINSTR))
			continue;
		if (entry.s32.sh_type == SHT_NOBITS) /* likewise */
			return -ENOEXEC;
		loads->sections[loads->nr_sections++] =
			is_64 ? section64(&entry.s64) : section32(&entry.s32);
	}
	if (loads->nr_sections)
		qsort(loads->sections, loads->nr_sections, sizeof(*loads->sections), by_start);
	return 0;
}

static void tables_of(const void *header, bool is_64, struct headers *ret_segments,
		      struct headers *ret_sections)
{
	const Elf64_Ehdr *e64 = header;
	const Elf32_Ehdr *e32 = header;

	if (is_64) {
		*ret_segments = (struct headers){ e64->e_phoff, e64->e_phnum, e64->e_phentsize };
		*ret_sections = (struct headers){ e64->e_shoff, e64->e_shnum, e64->e_shentsize };
	} else {
		*ret_segments = (struct headers){ e32->e_phoff, e32->e_phnum, e32->e_phentsize };
		*ret_sections = (struct headers){ e32->e_shoff, e32->e_shnum, e32->e_shentsize };
	}
}

/* Whether headers can be read as this machine's structures. */
static bool is_native(const unsigned char *ident)
{
	static const int native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : 0;

	return !memcmp(ident, ELFMAG, SELFMAG) && ident[EI_DATA] == native &&
	       (ident[EI_CLASS] == ELFCLASS64 || ident[EI_CLASS] == ELFCLASS32);
}

int xp_loads_read(const struct xp_load_source *source, struct xp_loads *ret_loads)
{
	union {
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
		unsigned char ident[EI_NIDENT];
	} header = { 0 };
	struct headers segments, sections;
	size_t got = xp_load_source_read(source, 0, &header, sizeof(header));
	bool is_64 = header.ident[EI_CLASS] == ELFCLASS64;

	if (got < sizeof(header.e32) || !is_native(header.ident))
		return -ENOEXEC;
	tables_of(&header, is_64, &segments, &sections);
	if (segments.nr > XP_ELF_SEGMENTS)
		return -ENOEXEC;
	if (header.e32.e_type == ET_REL) /* whose sections have no addresses */
		sections.nr = 0;
	struct xp_loads loads = { .at = calloc(segments.nr + 1UL, sizeof(*loads.at)),
				  .sections = calloc(sections.nr + 1UL, sizeof(*loads.sections)),
				  .machine = header.e32.e_machine }; /* likewise */
	int err = loads.at && loads.sections ? 0 : -ENOMEM;
	err = err ?: read_segments(source, &segments, is_64, &loads);
	err = err ?: read_sections(source, &sections, is_64, &loads);
	if (err)
		xp_loads_fini(&loads);
	else
		*ret_loads = loads;
	return err;
}

void xp_loads_fini(struct xp_loads *loads)
{
	free(loads->at);
	free(loads->sections);
	*loads = (struct xp_loads){ 0 };
}

size_t xp_loads_bytes(const struct xp_loads *loads, const struct xp_load_source *source,
		      uint64_t address, void *buf, size_t len)
{
	for (size_t i = 0; i < loads->nr; i++) {
		const struct xp_elf_segment *segment = &loads->at[i];
		uint64_t into = address - segment->address;

		if (address < segment->address || into >= segment->len)
			continue;
		if (len > segment->len - into)
			len = (size_t)(segment->len - into);
		return xp_load_source_read(source, segment->offset + into, buf, len);
	}
	return 0;
}

static int starts_before(const void *element, const void *key)
{
	const struct xp_code_section *section = element;

	return section->start <= *(const uint64_t *)key ? -1 : 1;
}

bool xp_loads_section(const struct xp_loads *loads, uint64_t address, uint64_t *ret_end)
{
	const struct xp_code_section *sections = loads->sections;
	size_t next = search_before(&address, sections, loads->nr_sections, sizeof(*sections),
				    starts_before);

	*ret_end = next < loads->nr_sections ? sections[next].start : UINT64_MAX;
	if (!loads->nr_sections)
		return true;
	if (!next || address >= sections[next - 1].end)
		return false;
	if (*ret_end > sections[next - 1].end)
		*ret_end = sections[next - 1].end;
	return true;
}
