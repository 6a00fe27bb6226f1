/* SPDX-License-Identifier: MIT */
/*
 * Small ELF files with call frame information that is written byte by byte, for any machine.
 * Source: elf(5); Linux Standard Base 5.0, "Exception Frames"; DWARF 5, 7.24.
 */
#ifndef TESTS_UNWIND_FILE_H
#define TESTS_UNWIND_FILE_H

#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The file is loaded at this address in its own terms; code is at an offset, and ends at another.
 */
enum { MADE_ADDRESS = 0x400000, MADE_CODE = 0x1000, MADE_CODE_END = 0x3000, MADE_MAX = 0x6000 };

struct made_file {
	unsigned char bytes[MADE_MAX];
	size_t len;
	size_t frames_at; /* of .eh_frame */
	size_t cie_at;
	int machine;
	bool is_64;
};

/* Call frame instructions, and what an expression needs. */
enum {
	CFA_NOP = 0,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE = 0x0b,
	CFA_UNDEFINED = 0x07,
	CFA_SAME = 0x08,
	CFA_REGISTER = 0x09,
	CFA_DEF = 0x0c,
	CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_DEF_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_SF = 0x12,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_NEGATE_RA_STATE = 0x2d,
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
};

static inline void made_put(struct made_file *file, const void *bytes, size_t len)
{
	assert(file->len + len <= sizeof(file->bytes));
	if (len)
		memcpy(file->bytes + file->len, bytes, len);
	file->len += len;
}

static inline void made_number(struct made_file *file, uint64_t number, size_t len)
{
	made_put(file, &number, len);
}

/* Begins an entry of .eh_frame. Returns where it begins. */
static inline size_t made_entry(struct made_file *file)
{
	made_number(file, 0, 4);
	return file->len;
}

/* Ends it with CFA_NOP up to a multiple of 8 bytes. */
static inline void made_entry_end(struct made_file *file, size_t from)
{
	while ((file->len - from + 4) % 8)
		made_number(file, CFA_NOP, 1);
	uint32_t len = (uint32_t)(file->len - from);
	memcpy(file->bytes + from - 4, &len, 4);
}

/* Begins a file, and its .eh_frame. */
static inline void made_begin(struct made_file *file, int machine)
{
	*file = (struct made_file){ .len = MADE_CODE_END,
				    .machine = machine,
				    .is_64 = machine != EM_386 };
	file->frames_at = file->len;
}

/* What functions have in common. @ra: register; @augmentation: "zR", or "zRS" */
static inline void made_cie(struct made_file *file, const char *augmentation, int ra,
			    const uint8_t *program, size_t len)
{
	uint8_t word = file->is_64 ? 0x78 : 0x7c; /* -8, -4 */
	size_t from = made_entry(file);

	file->cie_at = from - 4;
	made_number(file, 0, 4);
	made_number(file, 1, 1);
	made_put(file, augmentation, strlen(augmentation) + 1);
	made_number(file, 1, 1);
	made_put(file, &word, 1);
	made_number(file, (uint64_t)ra, 1);
	made_number(file, 1, 1);
	made_number(file, 0x1b, 1); /* addresses: 4 bytes, counted from where they are */
	made_put(file, program, len);
	made_entry_end(file, from);
}

/* A function, @at bytes from the beginning of the code. */
static inline void made_fde(struct made_file *file, uint32_t at, uint32_t code_len,
			    const uint8_t *program, size_t len)
{
	size_t from = made_entry(file);

	made_number(file, from - file->cie_at, 4);
	made_number(file, (uint32_t)(MADE_CODE + at - file->len), 4);
	made_number(file, code_len, 4);
	made_number(file, 0, 1);
	made_put(file, program, len);
	made_entry_end(file, from);
}

#define MADE_HEADERS(bits)                                                                         \
	static inline void made_headers_##bits(struct made_file *file, size_t names_at)            \
	{                                                                                          \
		static const struct {                                                              \
			uint32_t name;                                                             \
			uint32_t type;                                                             \
		} kinds[] = { { 0, SHT_NULL },                                                     \
			      { 1, SHT_PROGBITS },                                                 \
			      { 7, SHT_PROGBITS },                                                 \
			      { 17, SHT_STRTAB } };                                                \
		const size_t at[] = { 0, MADE_CODE, file->frames_at, names_at, file->len };        \
		Elf##bits##_Ehdr start = { .e_type = ET_DYN,                                       \
					   .e_machine = (uint16_t)file->machine,                   \
					   .e_version = EV_CURRENT,                                \
					   .e_ehsize = sizeof(start),                              \
					   .e_phoff = sizeof(start),                               \
					   .e_phentsize = sizeof(Elf##bits##_Phdr),                \
					   .e_phnum = 1,                                           \
					   .e_shentsize = sizeof(Elf##bits##_Shdr),                \
					   .e_shnum = 4,                                           \
					   .e_shstrndx = 3 };                                      \
		Elf##bits##_Phdr part = { .p_type = PT_LOAD,                                       \
					  .p_flags = PF_R | PF_X,                                  \
					  .p_vaddr = MADE_ADDRESS };                               \
                                                                                                   \
		while (file->len % 8)                                                              \
			made_number(file, 0, 1);                                                   \
		part.p_filesz = part.p_memsz = (uint32_t)file->len;                                \
		start.e_shoff = (uint32_t)file->len;                                               \
		memcpy(start.e_ident, ELFMAG, SELFMAG);                                            \
		start.e_ident[EI_CLASS] = ELFCLASS##bits;                                          \
		start.e_ident[EI_DATA] = ELFDATA2LSB;                                              \
		start.e_ident[EI_VERSION] = EV_CURRENT;                                            \
		memcpy(file->bytes, &start, sizeof(start));                                        \
		memcpy(file->bytes + sizeof(start), &part, sizeof(part));                          \
		for (size_t i = 0; i < 4; i++) {                                                   \
			Elf##bits##_Shdr header = { .sh_name = kinds[i].name,                      \
						    .sh_type = kinds[i].type,                      \
						    .sh_offset = (uint32_t)at[i],                  \
						    .sh_size = (uint32_t)(at[i + 1] - at[i]) };    \
			header.sh_addr = MADE_ADDRESS + header.sh_offset;                          \
			if (!i)                                                                    \
				header = (Elf##bits##_Shdr){ .sh_type = SHT_NULL };                \
			made_put(file, &header, sizeof(header));                                   \
		}                                                                                  \
	}
MADE_HEADERS(32)
MADE_HEADERS(64)
#undef MADE_HEADERS

/* Ends the file: its bytes are an ELF file with .text and .eh_frame. */
static inline void made_end(struct made_file *file)
{
	static const char names[] = "\0.text\0.eh_frame\0.shstrtab";

	made_number(file, 0, 4);
	size_t names_at = file->len;
	made_put(file, names, sizeof(names));
	if (file->is_64)
		made_headers_64(file, names_at);
	else
		made_headers_32(file, names_at);
}

#endif
