/* SPDX-License-Identifier: MIT */
/*
 * /tmp/perf-PID.map: what a JIT compiler says about the code it made. Of what was at one place one
 * after the other, the last is there.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */
#include <errno.h>

#include "symbol-text.h"
#include "symtab.h"

static int add(struct table *table, const struct text_symbol *symbol)
{
	struct table_entry entry = { .start = symbol->address };

	if (__builtin_add_overflow(entry.start, symbol->size, &entry.end))
		return 0;
	entry.name = (uint32_t)(symbol->name - table->text.s);
	return table_add(table, &entry);
}

int symtab_load_jit(struct xp_symtab *symtab)
{
	struct table *table = &symtab->table;
	struct text_symbol symbol;
	struct xp_str path = { 0 };

	xp_str_addf(&path, "%s%s", symtab->symbols->symfs, symtab->name);
	symtab->path = xp_str_take(&path);
	if (!symtab->path)
		return -ENOMEM;
	int err = text_read(symtab->symbols->ctx, symtab->path, &table->text);
	if (err)
		return err == -ENOMEM ? err : (int)symtab_state_of(err);
	struct text_cursor cursor = { table->text.s, table->text.s + table->text.len };
	table->stops = "\n";
	table->later_wins = true;
	while (!err && text_next_jit_symbol(&cursor, &symbol))
		err = add(table, &symbol);
	if (err)
		return err;
	return table->nr ? XP_SYMTAB_FOUND : XP_SYMTAB_DAMAGED;
}
