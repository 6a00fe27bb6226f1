/* SPDX-License-Identifier: MIT */
/* One ELF file as libelf shows it, without libelf's types: what is found in it is others' job. */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <xperf/symbol.h>

struct xp_elf;

/*
 * Opens a regular file that is an ELF file.
 * Returns 0 with *ret_elf the caller's to close, -ENOSYS, -ENOEXEC, or as open(2).
 */
int xp_elf_open(const char *path, struct xp_elf **ret_elf, struct xp_diag *diag);
/* The same of an open file; the descriptor stays the caller's. */
int xp_elf_open_fd(int fd, struct xp_elf **ret_elf);
/* @elf may be NULL. */
void xp_elf_close(struct xp_elf *elf);
/* The same of a file that is in memory, which stays the caller's and must stay. */
int xp_elf_open_image(const void *image, size_t len, struct xp_elf **ret_elf);

/* What the header says. */
struct xp_elf_facts {
	bool is_64;
	bool is_big_endian;
	bool is_fixed;        /* an executable that is not position independent */
	bool is_relocatable;  /* as a kernel module: addresses count from the beginning of sections
			       */
	uint16_t machine;     /* EM_X86_64 ... */
	uint64_t entry;       /* where the kernel or the linker of programs jumps to; 0: none */
	uint64_t content_max; /* bytes; a part that claims to have more is not content */
};

struct xp_elf_facts xp_elf_facts(const struct xp_elf *elf);

enum xp_elf_table {
	XP_ELF_SYMTAB, /* all symbols, which strip removes */
	XP_ELF_DYNSYM, /* what is exported and imported */
};

/*
 * @symbol:    names stay valid until the file is closed. In XP_ELF_SYMTAB they carry versions,
 *             "name@@VERSION"; in XP_ELF_DYNSYM xp_elf_version() has them
 * @index:     in its table
 * @is_ifunc:  it chooses the function when the program starts
 * @is_hidden: outside of this file it is not seen
 * @is_label:  of no type, as those of assembler
 * @is_code:   it is in a section of code
 * @section:   its index; no section's if it is absolute
 * @base:      of a relocatable file: where its section begins in a kernel module's text;
 *             XP_ELF_NO_BASE: not in there
 */
struct xp_elf_symbol {
	struct xp_symbol symbol;
	int index;
	bool is_ifunc;
	bool is_tls;
	bool is_local;
	bool is_undefined;
	bool is_weak;
	bool is_hidden;
	bool is_label;
	bool is_code;
	uint32_t section;
	uint64_t base;
};

#define XP_ELF_NO_BASE UINT64_MAX

/* Return 0 to go on; any other value stops the walk and becomes its result. */
typedef int (*xp_elf_symbol_fn)(const struct xp_elf_symbol *symbol, void *data);

/* The names of a table's symbols: each symbol.name points into them. Returns 0 or -ENOENT. */
struct xp_elf_section;
int xp_elf_names(struct xp_elf *elf, enum xp_elf_table table, struct xp_elf_section *ret_names);

bool xp_elf_has_symbols(const struct xp_elf *elf, enum xp_elf_table table);
/* Hands out the named symbols of a table, if there is one. Returns 0 or what @fn returned. */
int xp_elf_symbols(struct xp_elf *elf, enum xp_elf_table table, xp_elf_symbol_fn fn, void *data);

/*
 * The version of a symbol of XP_ELF_DYNSYM, valid until the file is closed; NULL: it has none.
 * *ret_is_default: a reference without a version means this one.
 */
const char *xp_elf_version(struct xp_elf *elf, int index, bool *ret_is_default);

/* Where the byte at an address is in the file. Returns 0, -ENOENT: nowhere. */
int xp_elf_offset(const struct xp_elf *elf, uint64_t address, uint64_t *ret_offset,
		  bool *ret_is_executable);

/* A part of the file that is loaded. @len: its bytes in the file; separate debug files have none.
 */
struct xp_elf_segment {
	uint64_t offset, address, len, memory_len;
	bool is_executable;
};

/* As many as the kernel would load a program with. Source: load_elf_phdrs() in its fs/binfmt_elf.c:
 * 64 KB of program headers. */
enum { XP_ELF_SEGMENTS = 1170 };

/* The parts that are loaded. Returns their number with *ret_segments the caller's to free, -ENOMEM,
 * -ENOEXEC: there are more than a program can have. */
int xp_elf_segments(const struct xp_elf *elf, struct xp_elf_segment **ret_segments);

/* @bytes: in the file's byte order, valid until the file is closed; NULL: it has no content.
 * @is_packed: they begin with a compression header */
struct xp_elf_section {
	const unsigned char *bytes;
	size_t len;
	uint64_t address;
	bool is_packed;
};

/* Finds a section by its name; one that is larger than a file of this size on the disk can hold has
 * no content. Returns 0 or -ENOENT. */
int xp_elf_section(struct xp_elf *elf, const char *name, struct xp_elf_section *ret_section);

/*
 * A section of debug information.
 * @bytes: unpacked and relocated, valid until the file is closed; NULL: it is as the file has it
 * @offset: there
 */
struct xp_elf_debug {
	const unsigned char *bytes;
	uint64_t offset;
	size_t len;
};

/* Whether there is debug information of functions, which is not read. */
bool xp_elf_has_debug(const struct xp_elf *elf);
/* Finds ".debug_NAME", which may be packed. Addresses of a kernel module's debug information count
 * from its beginning in memory; those of code that is not in there are the highest. Returns 0, or
 * -ENOENT: there is none, or it is damaged, or larger than a file of this size can hold. */
int xp_elf_debug_section(struct xp_elf *elf, const char *name, struct xp_elf_debug *ret_debug);
/* Returns the bytes read: fewer where the file ends. */
size_t xp_elf_read(const struct xp_elf *elf, uint64_t offset, void *buf, size_t len);

#endif
