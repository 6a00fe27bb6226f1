/* SPDX-License-Identifier: MIT */
/* libdw's functions, and the files that are read through them. */
#ifndef SYMBOL_LIBDW_FILE_H
#define SYMBOL_LIBDW_FILE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdbool.h>
#include <sys/stat.h>

/* The functions used, by the types the header gives them. */
struct libdw {
	void *handle;
	__typeof__(elf_version) *elf_version;
	__typeof__(elf_begin) *elf_begin;
	__typeof__(elf_end) *elf_end;
	__typeof__(elf_nextscn) *elf_nextscn;
	__typeof__(gelf_getshdr) *gelf_getshdr;
	__typeof__(gelf_getchdr) *gelf_getchdr;
	__typeof__(gelf_update_shdr) *gelf_update_shdr;
	__typeof__(elf_getshdrstrndx) *elf_getshdrstrndx;
	__typeof__(elf_strptr) *elf_strptr;
	__typeof__(elf_rawdata) *elf_rawdata;
	__typeof__(dwarf_begin_elf) *begin;
	__typeof__(dwarf_end) *end;
	__typeof__(dwarf_setalt) *setalt;
	__typeof__(dwelf_dwarf_gnu_debugaltlink) *altlink;
	__typeof__(dwelf_elf_gnu_build_id) *build_id;
	__typeof__(dwarf_get_units) *get_units;
	__typeof__(dwarf_child) *child;
	__typeof__(dwarf_siblingof) *siblingof;
	__typeof__(dwarf_tag) *tag;
	__typeof__(dwarf_dieoffset) *dieoffset;
	__typeof__(dwarf_diename) *diename;
	__typeof__(dwarf_ranges) *ranges;
	__typeof__(dwarf_haspc) *haspc;
	__typeof__(dwarf_attr) *attr;
	__typeof__(dwarf_attr_integrate) *attr_integrate;
	__typeof__(dwarf_formstring) *formstring;
	__typeof__(dwarf_formudata) *formudata;
	__typeof__(dwarf_getsrc_die) *getsrc_die;
	__typeof__(dwarf_getsrcfiles) *getsrcfiles;
	__typeof__(dwarf_filesrc) *filesrc;
	__typeof__(dwarf_linesrc) *linesrc;
	__typeof__(dwarf_lineno) *lineno;
};

/* A section that libdw gets as a copy, with zeros after it. */
struct debug_copy {
	Elf_Scn *section;
	void *bytes; /* NULL: not copied yet */
};

/* A file of debug information. */
struct debug_file {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
	struct debug_copy *copies;
	size_t nr_copies;
};

/* Loads libdw. Returns 0 or -ENOSYS; in any case xp_libdw_unload() follows. */
int xp_libdw_load(struct libdw *lib);
void xp_libdw_unload(struct libdw *lib);

/* Returns 0 with *ret_stat, -ENODATA, or why it cannot be opened; in any case xp_debug_file_close()
 * follows. */
int xp_debug_file_open(const struct libdw *lib, const char *path, struct debug_file *file,
		       struct stat *ret_stat);
/* Add zeros to each section of debug information: xp_debug_file_read_padded() before libdw reads
 * them, xp_debug_file_copy_padded() after it has unpacked the rest. Return 0 or -ENOMEM. */
int xp_debug_file_read_padded(const struct libdw *lib, struct debug_file *file);
int xp_debug_file_copy_padded(const struct libdw *lib, struct debug_file *file);
void xp_debug_file_close(const struct libdw *lib, struct debug_file *file);

/* Opens what dwz took out of @main, a file at @path, if there is such. */
void xp_debug_file_open_shared(const struct libdw *lib, const struct debug_file *main,
			       const char *path, struct debug_file *shared);

#endif
