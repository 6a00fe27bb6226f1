/* SPDX-License-Identifier: MIT */
/* Functions of a program in Go that was stripped: Go's own table has them. */
#include <errno.h>
#include <stdlib.h>

#include "go-table.h"
#include "symtab-impl.h"

/* Names are copied all at once, as those of an ELF file's own table. */
static int add_functions(struct table *table, const struct go_table *go)
{
	struct go_function function;
	uint32_t names_at;
	size_t nr = 0;
	int err = xp_function_table_add_name(table, (const char *)go->bytes + go->names,
					     go->len - go->names, &names_at);

	for (size_t i = 0; i < go->nr && !err; i++) {
		if (!xp_go_table_function(go, i, &function))
			continue;
		nr++;
		err = xp_function_table_add(
			table, &(struct table_entry){
				       .start = function.start,
				       .end = function.end,
				       .name = names_at + (uint32_t)(function.name - go->names) });
	}
	return err ? err : nr ? 0 : -ENODATA;
}

int xp_symtab_add_go(struct xp_symtab *symtab, struct xp_elf *elf)
{
	struct go_file file;
	int err = xp_go_file_read(elf, &file);

	if (err)
		return err;
	err = add_functions(symtab->table, &file.table);
	free(file.bytes);
	return err;
}
