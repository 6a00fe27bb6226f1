/* SPDX-License-Identifier: MIT */
/* Which file is the one that was recorded: by its build id; without one, by its inode. */
#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "mapped-file.h"
#include "symtab-impl.h"

struct xp_build_id xp_symtab_id_of(const struct xp_symbol_file *file)
{
	struct xp_build_id id = { 0 };

	if (file->build_id)
		id.len = file->build_id_len < sizeof(id.bytes) ? (uint8_t)file->build_id_len
							       : sizeof(id.bytes);
	if (id.len)
		memcpy(id.bytes, file->build_id, id.len);
	return id;
}

bool xp_symtab_same_id(const struct xp_build_id *a, const struct xp_build_id *b)
{
	/* Old recordings have them filled up with zeros to 20 bytes. */
	static const uint8_t zeros[sizeof(a->bytes)];
	uint8_t len = a->len < b->len ? a->len : b->len;
	const struct xp_build_id *longer = a->len > b->len ? a : b;

	return len && !memcmp(a->bytes, b->bytes, len) &&
	       !memcmp(longer->bytes + len, zeros, longer->len - len);
}

bool xp_symtab_is_right(const struct xp_symbols *symbols, const char *path,
			const struct xp_build_id *id, const struct xp_build_id *its)
{
	const char *dir = symbols->debug_dir;
	size_t len = dir ? strlen(dir) : 0;

	if (!id->len || (its->len && xp_symtab_same_id(id, its)))
		return true;
	return !its->len && len && !strncmp(path, dir, len) &&
	       !strncmp(path + len, "/.build-id/", strlen("/.build-id/"));
}

bool xp_symtab_is_replaced(const struct xp_symtab *symtab, const char *path)
{
	const struct mapped_file recorded = { .inode = symtab->inode,
					      .inode_generation = symtab->inode_generation };
	const struct xp_symbols *symbols = symtab->symbols;

	if (symtab->id.len || !symtab->inode || !symbols->this_machine || *symbols->symfs)
		return false;
	int fd = xp_build_id_open(path);
	bool is_other = fd >= 0 && xp_mapped_file_compare(fd, &recorded) == NOT_IT;
	if (fd >= 0)
		close(fd);
	return is_other;
}
