/* SPDX-License-Identifier: MIT */
/*
 * /tmp/perf-PID.map and jit-PID.dump: what a JIT compiler says about the code it made. Of what was
 * at one place one after the other, the last is there.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jitdump.h"
#include "symbol-text.h"
#include "symtab-impl.h"

static int add(struct table *table, const struct text_symbol *symbol)
{
	struct table_entry entry = { .start = symbol->address, .flags = (uint32_t)table->nr };

	if (__builtin_add_overflow(entry.start, symbol->size, &entry.end))
		return 0;
	entry.name = (uint32_t)(symbol->name - table->text.s);
	return xp_function_table_add(table, &entry);
}

static int add_map(struct xp_symtab *symtab)
{
	struct table *table = symtab->table;
	struct text_symbol symbol;
	int err = xp_text_read(symtab->symbols->ctx, symtab->path, &table->text);

	if (err)
		return err;
	struct text_cursor cursor = { table->text.s, table->text.s + table->text.len };
	while (!err && xp_text_next_jit_symbol(&cursor, &symbol))
		err = add(table, &symbol);
	/* the last line, too, ends before what comes behind it */
	return err ? err : xp_str_add(&table->text, "\n", 1);
}

/* What is in a dump is newer, or as new, and says more. */
static int add_dump(struct xp_symtab *symtab, const struct jitdump *dump)
{
	struct xp_str path = { 0 }, bytes = { 0 };

	xp_str_addf(&path, "%s%s", symtab->symbols->symfs, dump->path);
	int err = path.failed ? -ENOMEM
			      : xp_text_read(symtab->symbols->ctx, xp_str_text(&path), &bytes);
	if (!err)
		err = xp_jitdump_add(symtab->table, bytes.s, bytes.len);
	xp_str_fini(&path);
	xp_str_fini(&bytes);
	return err;
}

int32_t xp_symtab_jit_pid(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash ? (int32_t)strtol(dash + 1, NULL, 10) : -1;
}

int xp_symtab_load_jit(struct xp_symtab *symtab)
{
	struct table *table = symtab->table;
	int32_t pid = xp_symtab_jit_pid(symtab->name);

	symtab->path = xp_symtab_file_path(symtab);
	if (!symtab->path)
		return -ENOMEM;
	table->stops = "\n";
	table->later_wins = true;
	int err = add_map(symtab);
	for (const struct jitdump *dump = symtab->symbols->jitdumps; dump && err != -ENOMEM;
	     dump = dump->next)
		if (dump->pid == pid && (add_dump(symtab, dump) == -ENOMEM))
			err = -ENOMEM;
	if (err == -ENOMEM)
		return err;
	if (err && !table->nr)
		return (int)xp_symtab_state_of(err);
	return table->nr ? XP_SYMTAB_FOUND : XP_SYMTAB_DAMAGED;
}
