/* SPDX-License-Identifier: MIT */
/* In place of libelf.c where the build has no libelf: no file opens, so nothing else is called. */
#include "elf-file.h"

#include <errno.h>
#include <xperf/diag.h>

int xp_elf_open(const char *path, struct xp_elf **ret_elf, struct xp_diag *diag)
{
	(void)ret_elf;
	xp_diag_set(diag, -ENOSYS, "The symbols of '%s' cannot be read: built without libelf",
		    path);
	xp_diag_hint(diag, "Install the libelf development package and build again");
	return -ENOSYS;
}

int xp_elf_open_fd(int fd, struct xp_elf **ret_elf)
{
	(void)fd, (void)ret_elf;
	return -ENOSYS;
}

int xp_elf_open_image(const void *image, size_t len, struct xp_elf **ret_elf)
{
	(void)image, (void)len, (void)ret_elf;
	return -ENOSYS;
}

void xp_elf_close(struct xp_elf *elf)
{
	(void)elf;
}

struct xp_elf_facts xp_elf_facts(const struct xp_elf *elf)
{
	(void)elf;
	return (struct xp_elf_facts){ 0 };
}

bool xp_elf_has_symbols(const struct xp_elf *elf, enum xp_elf_table table)
{
	(void)elf, (void)table;
	return false;
}

int xp_elf_symbols(struct xp_elf *elf, enum xp_elf_table table, xp_elf_symbol_fn fn, void *data)
{
	(void)elf, (void)table, (void)fn, (void)data;
	return 0;
}

const char *xp_elf_version(struct xp_elf *elf, int index, bool *ret_is_default)
{
	(void)elf, (void)index, (void)ret_is_default;
	return NULL;
}

int xp_elf_offset(const struct xp_elf *elf, uint64_t address, uint64_t *ret_offset,
		  bool *ret_is_executable)
{
	(void)elf, (void)address, (void)ret_offset, (void)ret_is_executable;
	return -ENOENT;
}

int xp_elf_segments(const struct xp_elf *elf, struct xp_elf_segment **ret_segments)
{
	(void)elf, (void)ret_segments;
	return -ENOSYS;
}

int xp_elf_names(struct xp_elf *elf, enum xp_elf_table table, struct xp_elf_section *ret_names)
{
	(void)elf, (void)table, (void)ret_names;
	return -ENOENT;
}

int xp_elf_section(struct xp_elf *elf, const char *name, struct xp_elf_section *ret_section)
{
	(void)elf, (void)name, (void)ret_section;
	return -ENOENT;
}

bool xp_elf_has_debug(const struct xp_elf *elf)
{
	(void)elf;
	return false;
}

int xp_elf_debug_section(struct xp_elf *elf, const char *name, struct xp_elf_debug *ret_debug)
{
	(void)elf, (void)name, (void)ret_debug;
	return -ENOENT;
}

size_t xp_elf_read(const struct xp_elf *elf, uint64_t offset, void *buf, size_t len)
{
	(void)elf, (void)offset, (void)buf, (void)len;
	return 0;
}
