/* SPDX-License-Identifier: MIT */
/* The code of a recorded file, as bytes or as a file: of the file itself, since separate debug
 * files have none. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "cleanup.h"
#include "code-file.h"
#include "ctx.h"
#include "shortage.h"
#include "symtab-impl.h"

enum { ELF_CLASS = 4, ELF_DATA = 5, ELF_MACHINE = 18, ELF_START = 20 }; /* elf.h */

/* Opens a file if it is the right one. Returns a descriptor or -errno. Frees @path; NULL: there was
 * no memory for it. */
static int open_right(const struct xp_symtab *symtab, char *path)
{
	struct xp_build_id its;
	int fd = path ? xp_build_id_open(path) : -ENOMEM;

	if (fd >= 0 && xp_build_id_of_fd(fd, &its))
		its.len = 0;
	if (fd >= 0 && !xp_symtab_is_right(symtab->symbols, path, &symtab->id, &its)) {
		close(fd);
		fd = -ESTALE;
	}
	free(path);
	return fd;
}

/* From perf's cache of files. */
static int open_kept(const struct xp_symtab *symtab, const char *name)
{
	bool may_be = symtab->id.len && symtab->symbols->debug_dir;

	return may_be ? open_right(symtab, xp_symtab_cache_path(symtab, name)) : -ENOENT;
}

static bool is_last(int fd)
{
	return fd >= 0 || xp_is_shortage(fd);
}

int xp_symtab_open_code(struct xp_symtab *symtab)
{
	int fd = open_right(symtab, xp_symtab_file_path(symtab));

	if (!is_last(fd))
		fd = open_kept(symtab, "elf");
	if (!is_last(fd) && symtab->path)
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

/* Returns NULL without memory, or descriptors. */
static struct code *open_code(struct xp_symtab *symtab)
{
	struct code *code = calloc(1, sizeof(*code));
	uint8_t start[ELF_START] = { 0 };

	if (!code)
		return NULL;
	code->fd = -1;
	if (symtab->has_code_file) {
		code->fd = xp_symtab_open_code(symtab);
		if (xp_is_shortage(code->fd)) {
			free(code);
			return NULL;
		}
		if (code->fd >= 0 && pread(code->fd, start, sizeof(start), 0) == sizeof(start))
			code->machine = machine_of(start);
	} else if (!strcmp(symtab->name, "[vdso]") && symtab->state == XP_SYMTAB_FOUND &&
		   !symtab->path) {
		code->image = xp_vdso_image(&code->image_len);
		if (code->image && code->image_len >= sizeof(start))
			code->machine = machine_of(code->image);
	}
	return code;
}

int xp_symtab_code(struct xp_symtab *symtab, uint64_t offset, void *buf, size_t len,
		   int *ret_machine)
{
	ssize_t got = 0;

	pthread_mutex_lock(symtab->lock);
	if (!symtab->code)
		symtab->code = open_code(symtab);
	const struct code *code = symtab->code;
	pthread_mutex_unlock(symtab->lock);
	*ret_machine = code ? code->machine : 0;
	if (!*ret_machine)
		return 0;
	if (code->image && offset < code->image_len) {
		got = (ssize_t)(code->image_len - offset < len ? code->image_len - offset : len);
		memcpy(buf, (const char *)code->image + offset, (size_t)got);
	} else if (!code->image && offset <= INT64_MAX) {
		got = pread(code->fd, buf, len, (off_t)offset);
	}
	return got < 0 ? 0 : (int)got;
}

static int state_of(int fd)
{
	return fd == -ENOMEM ? fd : (int)xp_symtab_state_of(fd < 0 ? fd : 0);
}

static int open_at(struct xp_symtab *symtab, const char *path)
{
	symtab->code->fd = open_right(symtab, strdup(path));
	return state_of(symtab->code->fd);
}

static int open_by_id(struct xp_symtab *symtab, const char *name)
{
	symtab->code->fd = open_kept(symtab, name);
	return state_of(symtab->code->fd);
}

/* Nothing else is tried. */
static bool is_final(int state)
{
	return state < 0 || state == XP_SYMTAB_FOUND || state == XP_SYMTAB_NO_DESCRIPTOR;
}

static int open_recorded(struct xp_symtab *symtab)
{
	xp_auto_free char *path = xp_symtab_file_path(symtab);
	int state = !path                                 ? -ENOMEM
		    : xp_symtab_is_replaced(symtab, path) ? XP_SYMTAB_REPLACED
							  : open_at(symtab, path);
	int other = XP_SYMTAB_NO_FILE;

	if (!is_final(state))
		other = open_by_id(symtab, "elf");
	if (!is_final(state) && !is_final(other))
		other = xp_symtab_try_roots(symtab, open_at);
	return is_final(other) ? other : state;
}

int xp_symbols_open_code(struct xp_symbols *symbols, const struct xp_symbol_file *file,
			 struct xp_code_file *ret_file)
{
	const char *name = file->path;
	struct code code = { .fd = -1 };
	struct xp_symtab like = { .symbols = symbols,
				  .name = (char *)name,
				  .id = xp_symtab_id_of(file),
				  .inode = file->inode,
				  .inode_generation = file->inode_generation,
				  .code = &code };
	int state = XP_SYMTAB_NOT_A_FILE;

	*ret_file = (struct xp_code_file){ .fd = -1 };
	if (xp_symtab_is_file(name)) {
		state = open_recorded(&like);
	} else if (!strcmp(name, "[vdso]")) {
		ret_file->image = xp_symtab_vdso(&like, &ret_file->image_len);
		state = ret_file->image ? (int)XP_SYMTAB_FOUND : open_by_id(&like, "vdso");
	}
	ret_file->fd = code.fd < 0 ? -1 : code.fd;
	return state;
}
