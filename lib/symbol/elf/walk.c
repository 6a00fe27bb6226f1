/* SPDX-License-Identifier: MIT */
/* All symbols of a file, in its order. */
#include <errno.h>
#include <xperf/diag.h>

#include "elf-file.h"

struct walk {
	xp_symbol_fn fn;
	void *data;
};

static int hand_out(const struct xp_elf_symbol *symbol, void *data)
{
	const struct walk *walk = data;

	return symbol->is_undefined ? 0 : walk->fn(&symbol->symbol, walk->data);
}

int xp_symbol_walk(const char *path, xp_symbol_fn fn, void *data, struct xp_diag *diag)
{
	struct walk walk = { fn, data };
	struct xp_elf *elf;
	int err = xp_elf_open(path, &elf, diag);

	if (err)
		return err;
	if (xp_elf_has_symbols(elf, XP_ELF_SYMTAB))
		err = xp_elf_symbols(elf, XP_ELF_SYMTAB, hand_out, &walk);
	else if (xp_elf_has_symbols(elf, XP_ELF_DYNSYM))
		err = xp_elf_symbols(elf, XP_ELF_DYNSYM, hand_out, &walk);
	else
		err = xp_diag_set(diag, -ENODATA, "'%s' has no symbol table", path);
	xp_elf_close(elf);
	return err;
}
