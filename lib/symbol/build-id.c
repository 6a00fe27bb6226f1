/* SPDX-License-Identifier: MIT */
/*
 * The build id of an ELF file: the note of the linker in one of its note segments, or, in what has
 * no segments (kernel modules), sections. Only headers and notes are read.
 *
 * Source: elf(5); ld(1), --build-id.
 */
#include "build-id.h"

#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

enum { MAX_HEADERS = 65536, MAX_NOTES = 1 << 20 };

const struct xp_notes xp_notes_native = { .align = 4 };

static uint32_t get32(const char *at, bool is_swapped)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return is_swapped ? bswap_32(value) : value;
}

bool xp_build_id_of_notes(const void *bytes, size_t len, const struct xp_notes *notes,
			  struct xp_build_id *ret_id)
{
	const char *at = bytes;
	size_t mask = notes->align - 1;

	while (len >= sizeof(Elf32_Nhdr)) {
		uint32_t name_len = get32(at, notes->is_swapped);
		uint32_t desc_len = get32(at + 4, notes->is_swapped);
		uint32_t type = get32(at + 8, notes->is_swapped);
		size_t desc = (sizeof(Elf32_Nhdr) + name_len + mask) & ~mask;
		size_t next = (desc + desc_len + mask) & ~mask;

		if (desc > len || desc_len > len - desc)
			return false;
		if (type == NT_GNU_BUILD_ID && name_len == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(at + sizeof(Elf32_Nhdr), ELF_NOTE_GNU, name_len) && desc_len) {
			*ret_id = (struct xp_build_id){ 0 };
			ret_id->len = desc_len < sizeof(ret_id->bytes) ? (uint8_t)desc_len
								       : sizeof(ret_id->bytes);
			memcpy(ret_id->bytes, at + desc, ret_id->len);
			return true;
		}
		if (next >= len)
			return false;
		at += next;
		len -= next;
	}
	return false;
}

/* An ELF file being read; the fields are of the class and byte order the header says. */
struct file {
	int fd;
	bool is_64;
	bool is_swapped;
	uint64_t offset; /* of the table being read */
	uint64_t entry_len;
	uint64_t nr;
};

static uint16_t half(const struct file *file, uint16_t value)
{
	return file->is_swapped ? bswap_16(value) : value;
}

static uint32_t word(const struct file *file, uint32_t value)
{
	return file->is_swapped ? bswap_32(value) : value;
}

static uint64_t xword(const struct file *file, uint64_t value)
{
	return file->is_swapped ? bswap_64(value) : value;
}

/* One note segment or section: whether it is one, where, how long, and its alignment. */
struct place {
	bool is_notes;
	uint64_t offset, len, align;
};

static struct place segment(const struct file *file, const void *entry)
{
	const Elf64_Phdr *p64 = entry;
	const Elf32_Phdr *p32 = entry;

	if (file->is_64)
		return (struct place){ word(file, p64->p_type) == PT_NOTE,
				       xword(file, p64->p_offset), xword(file, p64->p_filesz),
				       xword(file, p64->p_align) };
	return (struct place){ word(file, p32->p_type) == PT_NOTE, word(file, p32->p_offset),
			       word(file, p32->p_filesz), word(file, p32->p_align) };
}

static struct place section(const struct file *file, const void *entry)
{
	const Elf64_Shdr *s64 = entry;
	const Elf32_Shdr *s32 = entry;

	if (file->is_64)
		return (struct place){ word(file, s64->sh_type) == SHT_NOTE,
				       xword(file, s64->sh_offset), xword(file, s64->sh_size),
				       xword(file, s64->sh_addralign) };
	return (struct place){ word(file, s32->sh_type) == SHT_NOTE, word(file, s32->sh_offset),
			       word(file, s32->sh_size), word(file, s32->sh_addralign) };
}

static bool read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, buf, len, (off_t)offset) == (ssize_t)len;
}

/* Returns 0, -ENODATA (no build id there), -ENOMEM. */
static int read_notes(const struct file *file, const struct place *place,
		      struct xp_build_id *ret_id)
{
	struct xp_notes notes = { file->is_swapped, place->align == 8 ? 8 : 4 };
	size_t len = place->len < MAX_NOTES ? (size_t)place->len : MAX_NOTES;
	char usual[1024];
	xp_auto_free char *large = len > sizeof(usual) ? malloc(len) : NULL;
	char *buf = large ? large : usual;

	if (len > sizeof(usual) && !large)
		return -ENOMEM;
	if (!read_at(file->fd, buf, len, place->offset) ||
	    !xp_build_id_of_notes(buf, len, &notes, ret_id))
		return -ENODATA;
	return 0;
}

/* Goes through a table of headers. */
static int walk(const struct file *file, struct place (*decode)(const struct file *, const void *),
		struct xp_build_id *ret_id)
{
	uint64_t entry[8];

	for (uint64_t i = 0; i < file->nr && i < MAX_HEADERS; i++) {
		if (!read_at(file->fd, entry, file->entry_len, file->offset + i * file->entry_len))
			return -ENOEXEC;
		struct place place = decode(file, entry);
		int err = place.is_notes ? read_notes(file, &place, ret_id) : -ENODATA;
		if (err != -ENODATA)
			return err;
	}
	return -ENODATA;
}

/* Which tables there are. */
static void tables(const struct file *file, const void *header, struct file *ret_segments,
		   struct file *ret_sections)
{
	const Elf64_Ehdr *e64 = header;
	const Elf32_Ehdr *e32 = header;

	*ret_segments = *ret_sections = *file;
	if (file->is_64) {
		ret_segments->offset = xword(file, e64->e_phoff);
		ret_segments->nr = half(file, e64->e_phnum);
		ret_segments->entry_len = sizeof(Elf64_Phdr);
		ret_sections->offset = xword(file, e64->e_shoff);
		ret_sections->nr = half(file, e64->e_shnum);
		ret_sections->entry_len = sizeof(Elf64_Shdr);
		return;
	}
	ret_segments->offset = word(file, e32->e_phoff);
	ret_segments->nr = half(file, e32->e_phnum);
	ret_segments->entry_len = sizeof(Elf32_Phdr);
	ret_sections->offset = word(file, e32->e_shoff);
	ret_sections->nr = half(file, e32->e_shnum);
	ret_sections->entry_len = sizeof(Elf32_Shdr);
}

int xp_build_id_of_fd(int fd, struct xp_build_id *ret_id)
{
	static const bool native_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct file file = { .fd = fd }, segments, sections;
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} header = { 0 };

	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(header.e32) ||
	    memcmp(header.ident, ELFMAG, SELFMAG) || header.ident[EI_CLASS] < ELFCLASS32 ||
	    header.ident[EI_CLASS] > ELFCLASS64 || header.ident[EI_DATA] < ELFDATA2LSB ||
	    header.ident[EI_DATA] > ELFDATA2MSB)
		return -ENOEXEC;
	file.is_64 = header.ident[EI_CLASS] == ELFCLASS64;
	file.is_swapped = (header.ident[EI_DATA] == ELFDATA2MSB) != native_is_big;
	tables(&file, &header, &segments, &sections);
	int err = walk(&segments, segment, ret_id);
	return err == -ENODATA ? walk(&sections, section, ret_id) : err;
}

int xp_build_id_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -ENOEXEC;
}

int xp_symbol_build_id(const char *path, struct xp_build_id *ret_id, struct xp_diag *diag)
{
	int fd = xp_build_id_open(path);
	int err = fd < 0 ? fd : xp_build_id_of_fd(fd, ret_id);

	if (fd >= 0)
		close(fd);
	if (err == -ENOEXEC)
		return xp_diag_set(diag, err, "'%s' is not an ELF file, or a damaged one", path);
	if (err == -ENODATA)
		return xp_diag_set(diag, err, "'%s' has no build id", path);
	if (err)
		return xp_diag_set(diag, err, "'%s' cannot be read: %s", path, strerror(-err));
	return 0;
}
