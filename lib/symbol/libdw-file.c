/* SPDX-License-Identifier: MIT */
/*
 * Files of debug information, read through libdw by a libelf handle of our own: libdw's own would
 * map them, and a file that is cut while it is mapped kills its reader by SIGBUS. The same holds
 * for what dwz took out of several files, which libdw would open by itself. Files of split DWARF
 * (.dwo) are still mapped: libdw has no way to be given them.
 *
 * Source: libdw.h, libdwelf.h; the library's name is its ABI's, libdw.so.1.
 */
#include "libdw-file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "loaded.h"
#include "on-disk.h"

#define FUNCTION(name, member)                                                                     \
	{                                                                                          \
		name, offsetof(struct libdw, member)                                               \
	}
static const struct xp_loaded_function loaded[] = {
	FUNCTION("elf_version", elf_version),
	FUNCTION("elf_begin", elf_begin),
	FUNCTION("elf_end", elf_end),
	FUNCTION("elf_nextscn", elf_nextscn),
	FUNCTION("gelf_getshdr", gelf_getshdr),
	FUNCTION("gelf_getchdr", gelf_getchdr),
	FUNCTION("gelf_update_shdr", gelf_update_shdr),
	FUNCTION("elf_getshdrstrndx", elf_getshdrstrndx),
	FUNCTION("elf_strptr", elf_strptr),
	FUNCTION("elf_rawdata", elf_rawdata),
	FUNCTION("dwarf_begin_elf", begin),
	FUNCTION("dwarf_end", end),
	FUNCTION("dwarf_setalt", setalt),
	FUNCTION("dwelf_dwarf_gnu_debugaltlink", altlink),
	FUNCTION("dwelf_elf_gnu_build_id", build_id),
	FUNCTION("dwarf_get_units", get_units),
	FUNCTION("dwarf_child", child),
	FUNCTION("dwarf_siblingof", siblingof),
	FUNCTION("dwarf_tag", tag),
	FUNCTION("dwarf_dieoffset", dieoffset),
	FUNCTION("dwarf_diename", diename),
	FUNCTION("dwarf_ranges", ranges),
	FUNCTION("dwarf_haspc", haspc),
	FUNCTION("dwarf_attr", attr),
	FUNCTION("dwarf_attr_integrate", attr_integrate),
	FUNCTION("dwarf_formstring", formstring),
	FUNCTION("dwarf_formudata", formudata),
	FUNCTION("dwarf_getsrc_die", getsrc_die),
	FUNCTION("dwarf_getsrcfiles", getsrcfiles),
	FUNCTION("dwarf_filesrc", filesrc),
	FUNCTION("dwarf_linesrc", linesrc),
	FUNCTION("dwarf_lineno", lineno),
};
#undef FUNCTION

int xp_libdw_load(struct libdw *lib)
{
	lib->handle =
		xp_library_load("libdw.so.1", RTLD_NODELETE, loaded, XP_ARRAY_LEN(loaded), lib);
	return lib->handle && lib->elf_version(EV_CURRENT) != EV_NONE ? 0 : -ENOSYS;
}

void xp_libdw_unload(struct libdw *lib)
{
	if (lib->handle)
		dlclose(lib->handle);
}

/* libdw reads all sections of debug information, and unpacks them: whether they are more than a
 * file of this size on the disk can hold. */
static bool is_too_much(const struct libdw *lib, Elf *elf, uint64_t limit)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Chdr packed;

	while ((section = lib->elf_nextscn(elf, section))) {
		if (!lib->gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    header.sh_flags & SHF_ALLOC)
			continue;
		uint64_t len = header.sh_size;
		if (len <= limit && header.sh_flags & SHF_COMPRESSED &&
		    lib->gelf_getchdr(section, &packed))
			len = packed.ch_size;
		if (len > limit)
			return true;
		limit -= len;
	}
	return false;
}

int xp_debug_file_open(const struct libdw *lib, const char *path, struct debug_file *file,
		       struct stat *ret_stat)
{
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0)
		return -errno;
	if (fstat(file->fd, ret_stat) || !S_ISREG(ret_stat->st_mode))
		return -ENODATA;
	file->elf = lib->elf_begin(file->fd, ELF_C_READ, NULL);
	if (!file->elf || is_too_much(lib, file->elf, xp_on_disk_limit(ret_stat)))
		return -ENODATA;
	int err = xp_debug_file_read_padded(lib, file);
	if (err)
		return err;
	file->dwarf = lib->begin(file->elf, DWARF_C_READ, NULL);
	return file->dwarf ? xp_debug_file_copy_padded(lib, file) : -ENODATA;
}

void xp_debug_file_close(const struct libdw *lib, struct debug_file *file)
{
	if (file->dwarf)
		lib->end(file->dwarf);
	if (file->elf)
		lib->elf_end(file->elf);
	for (size_t i = 0; i < file->nr_copies; i++)
		free(file->copies[i].bytes);
	free(file->copies);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct debug_file){ .fd = -1 };
}

static bool open_shared_at(const struct libdw *lib, struct debug_file *shared, const char *path,
			   const void *id, ssize_t len)
{
	const void *its;
	struct stat st;

	bool is_it = !xp_debug_file_open(lib, path, shared, &st) &&
		     lib->build_id(shared->elf, &its) == len && !memcmp(its, id, (size_t)len);
	if (!is_it)
		xp_debug_file_close(lib, shared);
	return is_it;
}

/* libdw would look for it in the same places, but map it. */
void xp_debug_file_open_shared(const struct libdw *lib, const struct debug_file *main,
			       const char *path, struct debug_file *shared)
{
	enum { MAX_ID = 64 };
	const char *name;
	const void *id;
	ssize_t len = lib->altlink(main->dwarf, &name, &id);
	char digits[2 * MAX_ID + 1], real[PATH_MAX], at[PATH_MAX];

	if (len < 2 || len > MAX_ID || !realpath(path, real))
		return;
	for (ssize_t i = 0; i < len; i++)
		snprintf(digits + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
	snprintf(at, sizeof(at), "/usr/lib/debug/.build-id/%.2s/%s.debug", digits, digits + 2);
	bool is_open = open_shared_at(lib, shared, at, id, len);
	if (!is_open) {
		int dir_len = *name == '/' ? 0 : (int)(strrchr(real, '/') + 1 - real);
		int all = snprintf(at, sizeof(at), "%.*s%s", dir_len, real, name);

		is_open = all < (int)sizeof(at) && open_shared_at(lib, shared, at, id, len);
	}
	if (is_open)
		lib->setalt(main->dwarf, shared->dwarf);
}
