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
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/symbol.h>

#include "cleanup.h"
#include "descriptor.h"

enum { MAX_NOTES = 1 << 20 /* of one place */, ALL_NOTES = 4 << 20 };

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

/* A segment or section. */
struct place {
	bool is_notes;
	uint64_t offset, len, align;
};

/* An ELF file being read; the fields are of the class and byte order the header says. */
struct file {
	int fd;
	const char *head; /* its beginning, where headers and notes usually are */
	size_t head_len;
	bool is_64;
	bool is_swapped;
	size_t notes_read; /* bytes */
};

/* Its table of segments or of sections. */
struct table {
	uint64_t offset;
	uint64_t nr;
	size_t entry_len;
	struct place (*decode)(const struct file *file, const void *entry);
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

static bool read_at(const struct file *file, void *buf, size_t len, uint64_t offset)
{
	if (offset <= file->head_len && len <= file->head_len - offset) {
		memcpy(buf, file->head + offset, len);
		return true;
	}
	return offset <= INT64_MAX && pread(file->fd, buf, len, (off_t)offset) == (ssize_t)len;
}

/* Returns 0, -ENODATA (no build id there), -ENOMEM. */
static int read_notes(struct file *file, const struct place *place, struct xp_build_id *ret_id)
{
	struct xp_notes notes = { file->is_swapped, place->align == 8 ? 8 : 4 };
	size_t len = place->len < MAX_NOTES ? (size_t)place->len : MAX_NOTES;
	char usual[1024];

	file->notes_read += len;
	if (file->notes_read > ALL_NOTES)
		return -ENODATA;
	xp_auto_free char *large = len > sizeof(usual) ? malloc(len) : NULL;
	char *buf = large ? large : usual;

	if (len > sizeof(usual) && !large)
		return -ENOMEM;
	if (!read_at(file, buf, len, place->offset) ||
	    !xp_build_id_of_notes(buf, len, &notes, ret_id))
		return -ENODATA;
	return 0;
}

/* Goes through a table of headers. */
static int walk(struct file *file, const struct table *table, struct xp_build_id *ret_id)
{
	uint64_t entry[8];

	for (uint64_t i = 0; i < table->nr; i++) {
		if (!read_at(file, entry, table->entry_len, table->offset + i * table->entry_len))
			return -ENOEXEC;
		struct place place = table->decode(file, entry);
		int err = place.is_notes ? read_notes(file, &place, ret_id) : -ENODATA;
		if (err != -ENODATA)
			return err;
	}
	return -ENODATA;
}

static struct table table64(const struct file *file, bool of_sections)
{
	Elf64_Ehdr e;

	memcpy(&e, file->head, sizeof(e));
	if (of_sections)
		return (struct table){ xword(file, e.e_shoff), half(file, e.e_shnum),
				       sizeof(Elf64_Shdr), section };
	return (struct table){ xword(file, e.e_phoff), half(file, e.e_phnum), sizeof(Elf64_Phdr),
			       segment };
}

static struct table table32(const struct file *file, bool of_sections)
{
	Elf32_Ehdr e;

	memcpy(&e, file->head, sizeof(e));
	if (of_sections)
		return (struct table){ word(file, e.e_shoff), half(file, e.e_shnum),
				       sizeof(Elf32_Shdr), section };
	return (struct table){ word(file, e.e_phoff), half(file, e.e_phnum), sizeof(Elf32_Phdr),
			       segment };
}

/* Whether the head is that of an ELF file; says of which kind. */
static bool is_elf(struct file *file)
{
	static const bool native_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const unsigned char *ident = (const unsigned char *)file->head;

	if (file->head_len < sizeof(Elf32_Ehdr) || memcmp(ident, ELFMAG, SELFMAG))
		return false;
	file->is_64 = ident[EI_CLASS] == ELFCLASS64;
	file->is_swapped = (ident[EI_DATA] == ELFDATA2MSB) != native_is_big;
	return (file->is_64 ? file->head_len >= sizeof(Elf64_Ehdr)
			    : ident[EI_CLASS] == ELFCLASS32) &&
	       (ident[EI_DATA] == ELFDATA2LSB || ident[EI_DATA] == ELFDATA2MSB);
}

static int read_elf(struct file *file, struct xp_build_id *ret_id)
{
	int err = -ENODATA;

	if (!is_elf(file))
		return -ENOEXEC;
	for (int of_sections = 0; of_sections < 2 && err == -ENODATA; of_sections++) {
		struct table table =
			file->is_64 ? table64(file, of_sections) : table32(file, of_sections);
		err = walk(file, &table, ret_id);
	}
	return err;
}

int xp_build_id_of_fd(int fd, struct xp_build_id *ret_id)
{
	char head[4096];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct file file = { .fd = fd, .head = head, .head_len = n > 0 ? (size_t)n : 0 };

	return read_elf(&file, ret_id);
}

bool xp_build_id_is_of_fd(const struct xp_build_id *id, int fd)
{
	struct xp_build_id its;

	return !xp_build_id_of_fd(fd, &its) && xp_build_id_equal(&its, id);
}

int xp_build_id_of_image(const void *image, size_t len, struct xp_build_id *ret_id)
{
	struct file file = { .fd = -1, .head = image, .head_len = len };

	return read_elf(&file, ret_id);
}

/* Its section headers are what comes last in it. Source: getauxval(3), AT_SYSINFO_EHDR. */
const void *xp_vdso_image(size_t *ret_len)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!header)
		return NULL;
	*ret_len = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return header;
}

int xp_build_id_open(const char *path)
{
	struct stat st;

	/* Opening a device may do something. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return -ENOEXEC;
	int fd = xp_above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
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
		return xp_diag_set(diag, err, "'%s' is not an ELF file, or is damaged", path);
	if (err == -ENODATA)
		return xp_diag_set(diag, err, "'%s' has no build id", path);
	if (err)
		return xp_diag_set(diag, err, "'%s' cannot be read: %s", path, strerror(-err));
	return 0;
}
