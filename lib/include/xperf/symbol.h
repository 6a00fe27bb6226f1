/* SPDX-License-Identifier: MIT */
/* Symbols and SDT markers of ELF files. */
#ifndef XPERF_SYMBOL_H
#define XPERF_SYMBOL_H

#include <xperf/api.h>

struct xp_diag;

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

/**
 * struct xp_symbol_place - where a symbol is
 * @address:  as the file has it, before relocation
 * @offset:   in the file, bytes: what a uprobe takes
 * @size:     bytes; 0: not known
 * @is_fixed: the file is not position independent: in a process, too, the symbol is at @address
 */
struct xp_symbol_place {
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	enum xp_symbol_type type;
	bool is_fixed;
};

/**
 * xp_symbol_find - look up one symbol of an ELF file
 * @path: as for xp_symbol_walk()
 * @name: not demangled; "name@VERSION" is one of several versions of a name; without it, the
 * default version is used
 * @type: XP_SYMBOL_FUNCTION, XP_SYMBOL_DATA; XP_SYMBOL_OTHER: any
 * @ret_place: written on success only
 * @diag: on failure, a sentence for the user with the nearest names; may be NULL
 *
 * Reads .symtab and .dynsym. A global symbol comes before local ones of the same name.
 *
 * Returns 0, or
 *   -ENOSYS   as xp_symbol_walk()
 *   -ENOEXEC  not an ELF file, or a damaged one
 *   -ENODATA  no such symbol, or it is imported from another file
 *   -EINVAL   it is of another type, or has no bytes in the file
 *   -EEXIST   several symbols have this name
 *   -ENOENT   there is no such file
 * Other negative errno: as open(2) gave it.
 *
 * Source: elf(5); the LSB's "Symbol Versioning".
 */
XP_API int xp_symbol_find(const char *path, const char *name, enum xp_symbol_type type,
			  struct xp_symbol_place *ret_place, struct xp_diag *diag);

/**
 * struct xp_sdt - one place of a statically defined tracing marker
 * @provider, @name: valid during the callback, like @args
 * @args:      where its arguments are, as the file has it: "-4@%edi 8@-8(%rbp)"; may be ""
 * @address:   before relocation
 * @offset:    in the file, bytes: what a uprobe takes
 * @semaphore: offset in the file of the 16-bit counter that switches the marker on; 0: none
 *
 * A marker has as many places as its macro was compiled into.
 *
 * Source: systemtap's "UserSpaceProbeImplementation"; checked with the notes its sys/sdt.h leaves.
 */
struct xp_sdt {
	const char *provider;
	const char *name;
	const char *args;
	uint64_t address;
	uint64_t offset;
	uint64_t semaphore;
};

/**
 * xp_sdt_fn - called once per place, in the file's order
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_sdt_fn)(const struct xp_sdt *sdt, void *data);

/**
 * xp_sdt_walk - go through the SDT markers of an ELF file
 * @path: as for xp_symbol_walk()
 * @diag: on failure, a sentence for the user; may be NULL
 *
 * Notes that are damaged, and places outside the file, are left out.
 *
 * Returns 0, what @fn returned, or
 *   -ENOSYS   as xp_symbol_walk()
 *   -ENOEXEC  not an ELF file, or a damaged one
 *   -ENODATA  there are no markers
 * Other negative errno: as open(2) gave it.
 */
XP_API int xp_sdt_walk(const char *path, xp_sdt_fn fn, void *data, struct xp_diag *diag);

/** struct xp_build_id - the id of one build of a file. @len: valid bytes, at least 1; longer
 * ids are cut, as in perf.data */
struct xp_build_id {
	uint8_t len;
	uint8_t bytes[20];
};

/**
 * xp_symbol_build_id - read the build id of an ELF file
 * @path:   as for xp_symbol_walk()
 * @ret_id: written on success only
 * @diag:   on failure, a sentence for the user; may be NULL
 *
 * Reads headers and notes only; libelf is not needed. Any thread may call it.
 *
 * Returns 0, or
 *   -ENOEXEC  not an ELF file, or a damaged one
 *   -ENODATA  it has none: it was linked without --build-id
 * Other negative errno: as open(2) gave it.
 *
 * Source: ld(1), --build-id; elf(5), "Notes".
 */
XP_API int xp_symbol_build_id(const char *path, struct xp_build_id *ret_id, struct xp_diag *diag);

XP_END_DECLS

#endif
