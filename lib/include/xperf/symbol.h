/* SPDX-License-Identifier: MIT */
/* Symbols of ELF files. */
#ifndef XPERF_SYMBOL_H
#define XPERF_SYMBOL_H

#include <xperf/api.h>
#include <xperf/diag.h>

XP_BEGIN_DECLS

/** What a symbol stands for. */
enum xp_symbol_type {
	XP_SYMBOL_OTHER,
	XP_SYMBOL_FUNCTION, /* STT_FUNC, STT_GNU_IFUNC */
	XP_SYMBOL_DATA,     /* STT_OBJECT, STT_TLS */
};

/**
 * struct xp_symbol - one defined symbol
 * @name:    as the file has it, not demangled; valid during the callback
 * @address: as the file has it, before relocation
 * @size:    bytes; 0: not known
 *
 * Source: elf(5), "Symbol table".
 */
struct xp_symbol {
	const char *name;
	uint64_t address;
	uint64_t size;
	enum xp_symbol_type type;
};

/**
 * xp_symbol_fn - called once per symbol, in the file's order
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_symbol_fn)(const struct xp_symbol *symbol, void *data);

/**
 * xp_symbol_walk - go through the named, defined symbols of an ELF file
 * @path: of the file itself; the root path of no context is put in front
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Reads .symtab, or .dynsym where that is stripped. Section and file symbols are left out.
 *
 * Returns 0, what @fn returned, or
 *   -ENOSYS   this library was built without libelf, or libelf cannot be loaded
 *   -ENOEXEC  not an ELF file, or a damaged one
 *   -ENODATA  there is no symbol table
 * Other negative errno: as open(2) gave it.
 */
XP_API int xp_symbol_walk(const char *path, xp_symbol_fn fn, void *data, struct xp_diag *diag);

XP_END_DECLS

#endif
