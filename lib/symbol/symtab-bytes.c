/* SPDX-License-Identifier: MIT */
/* The code of a recorded file, as bytes: of the file itself, since separate debug files have none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "cleanup.h"
#include "ctx.h"
#include "symtab-impl.h"

enum { ELF_CLASS = 4, ELF_DATA = 5, ELF_MACHINE = 18, ELF_START = 20 }; /* elf.h */

/* Opens a file if it is the right one. Returns a descriptor or -errno. Frees @path. */
static int open_right(const struct xp_symtab *symtab, char *path)
{
	struct xp_build_id its;
	int fd = path ? xp_build_id_open(path) : -ENOENT;

	free(path);
	if (fd < 0 || !symtab->id.len)
		return fd;
	if (!xp_build_id_of_fd(fd, &its) && xp_symtab_same_id(&symtab->id, &its))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_file(struct xp_symtab *symtab)
{
	int fd = open_right(symtab, xp_symtab_file_path(symtab));

	if (fd < 0)
		fd = open_right(symtab, xp_symtab_cache_path(symtab, "elf"));
	if (fd < 0 && symtab->path)
		fd = open_right(symtab, strdup(symtab->path));
	return fd;
}

/* The machine its code is for. Returns 0: it is no ELF file. */
static int machine_of(const uint8_t start[ELF_START])
{
	if (memcmp(start, "\177ELF", 4) != 0)
		return 0;
	return start[ELF_DATA] == 1 ? start[ELF_MACHINE] | start[ELF_MACHINE + 1] << 8
				    : start[ELF_MACHINE] << 8 | start[ELF_MACHINE + 1];
}

static void open_code(struct xp_symtab *symtab)
{
	uint8_t start[ELF_START] = { 0 };

	if (symtab->has_code_file) {
		symtab->code_fd = open_file(symtab);
		if (symtab->code_fd >= 0 &&
		    pread(symtab->code_fd, start, sizeof(start), 0) == sizeof(start))
			symtab->machine = machine_of(start);
	} else if (!strcmp(symtab->name, "[vdso]") && symtab->state == XP_SYMTAB_FOUND &&
		   !symtab->path) {
		symtab->image = xp_vdso_image(&symtab->image_len);
		if (symtab->image && symtab->image_len >= sizeof(start))
			symtab->machine = machine_of(symtab->image);
	}
}

int xp_symtab_code(struct xp_symtab *symtab, uint64_t offset, void *buf, size_t len,
		   int *ret_machine)
{
	ssize_t got = 0;

	pthread_mutex_lock(&symtab->lock);
	if (!symtab->is_code_open)
		open_code(symtab);
	symtab->is_code_open = true;
	pthread_mutex_unlock(&symtab->lock);
	if (symtab->machine && symtab->image && offset < symtab->image_len) {
		got = (ssize_t)(symtab->image_len - offset < len ? symtab->image_len - offset
								 : len);
		memcpy(buf, (const char *)symtab->image + offset, (size_t)got);
	} else if (symtab->machine && !symtab->image && offset <= INT64_MAX) {
		got = pread(symtab->code_fd, buf, len, (off_t)offset);
	}
	*ret_machine = symtab->machine;
	return got < 0 ? 0 : (int)got;
}
