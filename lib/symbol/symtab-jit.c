/* SPDX-License-Identifier: MIT */
/*
 * /tmp/perf-PID.map and jit-PID.dump: what a JIT compiler says about the code it made. Of what was
 * at one place one after the other, the last is there.
 *
 * A process in a container has them in its own /tmp, by its own number there.
 *
 * Source: tools/perf/Documentation/jit-interface.txt.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctx.h"
#include "inside.h"
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

/* By the id that the recorder gave it when it kept it. */
static int read_kept(struct xp_symtab *symtab, struct xp_str *text)
{
	char *path = xp_symtab_cache_path(symtab, "map");
	int err = path ? xp_text_read(symtab->symbols->ctx, path, text) : -ENOENT;

	if (err) {
		free(path);
		return err;
	}
	free(symtab->path);
	symtab->path = path;
	return 0;
}

/* As the process has it that goes on. */
static int read_inside(struct xp_symtab *symtab, int32_t pid, const struct xp_inside *inside,
		       struct xp_str *text)
{
	struct xp_ctx *ctx = symtab->symbols->ctx;
	int tmp = xp_inside_tmp(ctx, pid);
	int fd = tmp < 0 ? tmp : xp_inside_map(tmp, inside);
	int err = fd < 0 ? fd : xp_text_read_fd(ctx, fd, text);

	if (fd >= 0)
		close(fd);
	if (tmp >= 0)
		close(tmp);
	return err;
}

/* A file that anybody else has put there is not what the process wrote. Whose process it was is not
 * known once it has ended: then the file has to be that of root or of who asks, as perf wants it.
 */
static int read_own(struct xp_symtab *symtab, const struct xp_inside *inside, struct xp_str *text)
{
	const struct xp_symbols *symbols = symtab->symbols;
	const struct xp_sys *sys = symbols->ctx->sys;
	uid_t user = inside ? inside->user : sys->euid(sys);
	struct stat st;

	if (!*symbols->symfs && !sys->lstat(sys, symtab->path, &st) &&
	    (S_ISLNK(st.st_mode) || (st.st_uid && st.st_uid != user)))
		return -EPERM;
	return xp_text_read(symbols->ctx, symtab->path, text);
}

static int read_map(struct xp_symtab *symtab, struct xp_str *text)
{
	const struct xp_symbols *symbols = symtab->symbols;
	int32_t pid = xp_symtab_jit_pid(symtab->name);
	struct xp_inside inside;
	int err = read_kept(symtab, text);

	if (!err || err == -ENOMEM)
		return err;
	bool is_alive = symbols->this_machine && !*symbols->symfs && pid > 0 &&
			!xp_inside_of(symbols->ctx, pid, &inside);
	return is_alive && inside.is_elsewhere ? read_inside(symtab, pid, &inside, text)
					       : read_own(symtab, is_alive ? &inside : NULL, text);
}

static int add_map(struct xp_symtab *symtab)
{
	struct table *table = symtab->table;
	struct text_symbol symbol;
	int err = read_map(symtab, &table->text);

	if (err)
		return err;
	struct text_cursor cursor = { table->text.s, table->text.s + table->text.len };
	while (!err && xp_text_next_jit_symbol(&cursor, &symbol))
		err = add(table, &symbol);
	/* the last line, too, ends before what comes behind it */
	return err ? err : xp_str_add(&table->text, "\n", 1);
}

int xp_symbols_read_jitdump(const struct xp_symbols *symbols, const struct jitdump *dump,
			    struct xp_str *text)
{
	const struct xp_symtab like = { .symbols = (struct xp_symbols *)(uintptr_t)symbols,
					.id = dump->id };
	char *kept = xp_symtab_cache_path(&like, "elf"), *path = NULL;
	int err = kept ? xp_text_read(symbols->ctx, kept, text) : -ENOENT;

	free(kept);
	if (!err || err == -ENOMEM)
		return err;
	if (asprintf(&path, "%s%s", symbols->symfs, dump->path) < 0)
		return -ENOMEM;
	err = xp_text_read(symbols->ctx, path, text);
	free(path);
	return err;
}

/* What is in a dump is newer, or as new, and says more. */
static int add_dump(struct xp_symtab *symtab, const struct jitdump *dump)
{
	struct xp_str bytes = { 0 };
	int err = xp_symbols_read_jitdump(symtab->symbols, dump, &bytes)
			  ?: xp_jitdump_add(symtab->table, bytes.s, bytes.len);

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
