/* SPDX-License-Identifier: MIT */
/*
 * The kernel and its modules: from the kernel's file if there is one with its build id, else from a
 * text of /proc/kallsyms that was kept, else from the running kernel, if it is the one.
 *
 * Addresses of the kernel are those of where the table comes from; xp_symtab_reference() tells how
 * far that is from the recorded ones. Those of a module count from its beginning.
 *
 * Source: proc(5), "/proc/kallsyms"; nm(1) for the types; kernel.kptr_restrict in
 * Documentation/admin-guide/sysctl/kernel.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build-id.h"
#include "cleanup.h"
#include "ctx.h"
#include "symbol-text.h"
#include "symtab.h"

/* What names code or data; perf 6.1 takes these. */
static bool is_wanted(const struct text_symbol *symbol)
{
	static const char types[] = "TtWwDdBb";

	return strchr(types, symbol->type) && symbol->address;
}

/* The build id that a file of notes holds. Returns false: it is not known. */
static bool notes_id(struct xp_ctx *ctx, const char *path, struct xp_build_id *ret_id)
{
	xp_auto_free char *notes = NULL;
	size_t len;

	return !xp_file_read(ctx, &notes, &len, "%s", path) &&
	       xp_build_id_of_notes(notes, len, &xp_notes_native, ret_id);
}

/* Fills a table from a text that stays the symbolizer's. */
static int fill_kernel(struct xp_symtab *symtab, const struct xp_str *text)
{
	enum { USUAL_LINE = 48 };
	struct text_cursor cursor = { text->s, text->s + text->len };
	struct table *table = &symtab->table;
	struct text_symbol symbol;
	size_t nr_hidden = 0;
	int err = table_reserve(table, text->len / USUAL_LINE);

	table->text = *text;
	table->is_borrowed = true;
	table->stops = "\t\n";
	while (!err && text_next_kernel_symbol(&cursor, &symbol)) {
		struct table_entry entry = {
			.start = symbol.address,
			.end = symbol.address,
			.name = (uint32_t)(symbol.name - text->s),
		};

		nr_hidden += !symbol.address;
		if (is_wanted(&symbol) && !symbol.module_len)
			err = table_add(table, &entry);
	}
	if (err)
		return err;
	return table->nr ? XP_SYMTAB_FOUND : nr_hidden ? XP_SYMTAB_HIDDEN : XP_SYMTAB_DAMAGED;
}

/* Reads a text. Returns what became of it, or -ENOMEM. */
static int read_text(struct xp_ctx *ctx, const char *path, struct kernel_text *text)
{
	int err = text_read(ctx, path, &text->text);

	if (err == -ENOMEM)
		return err;
	text->state = symtab_state_of(err);
	text->path = strdup(path);
	text->is_read = text->path;
	return text->path ? (int)text->state : -ENOMEM;
}

/* The running kernel's text, or the user's copy; read once. */
static int shared_text(struct xp_symbols *symbols, const struct kernel_text **ret_text)
{
	struct kernel_text *text = &symbols->running;
	xp_auto_free char *path = NULL;
	int state;

	pthread_mutex_lock(&symbols->lock);
	if (!text->is_read &&
	    asprintf(&path, "%s%s", symbols->kallsyms ? "" : symbols->ctx->root,
		     symbols->kallsyms ? symbols->kallsyms : "/proc/kallsyms") < 0) {
		path = NULL;
		state = -ENOMEM;
	} else if (!text->is_read) {
		state = read_text(symbols->ctx, path, text);
	} else {
		state = (int)text->state;
	}
	pthread_mutex_unlock(&symbols->lock);
	*ret_text = text;
	return state;
}

static int set_path(struct xp_symtab *symtab, const char *path, int state)
{
	if (state != XP_SYMTAB_FOUND)
		return state;
	free(symtab->path);
	symtab->path = strdup(path);
	return symtab->path ? state : -ENOMEM;
}

/* From the copy that was kept when the recording was made; read for this table alone. */
static int load_kept(struct xp_symtab *symtab)
{
	xp_auto_free char *path = symtab_cache_path(symtab, "kallsyms");
	struct xp_str text = { 0 };

	if (!path)
		return XP_SYMTAB_NO_FILE;
	int err = text_read(symtab->symbols->ctx, path, &text);
	if (err)
		return err == -ENOMEM ? err : (int)symtab_state_of(err);
	err = fill_kernel(symtab, &text);
	symtab->table.is_borrowed = false;
	return set_path(symtab, path, err);
}

static int load_shared(struct xp_symtab *symtab)
{
	const struct kernel_text *text;
	struct xp_build_id running;

	if (!symtab->symbols->kallsyms && symtab->id.len &&
	    (!notes_id(symtab->symbols->ctx, "/sys/kernel/notes", &running) ||
	     !symtab_same_id(&symtab->id, &running)))
		return XP_SYMTAB_OTHER_FILE;
	int state = shared_text(symtab->symbols, &text);
	if (state == XP_SYMTAB_FOUND)
		state = fill_kernel(symtab, &text->text);
	return set_path(symtab, text->path, state);
}

int symtab_load_kernel(struct xp_symtab *symtab)
{
	static const char *const names[] = { "elf", "vmlinux", NULL };
	const struct xp_symbols *symbols = symtab->symbols;
	int state = XP_SYMTAB_NO_FILE;

	if (symbols->vmlinux)
		return symtab_load_path(symtab, symbols->vmlinux);
	if (!symbols->kallsyms && symtab->id.len)
		state = symtab_load_by_id(symtab, names);
	if (state != XP_SYMTAB_FOUND && state >= 0 && !symbols->kallsyms)
		state = load_kept(symtab);
	return state == XP_SYMTAB_FOUND || state < 0 ? state : load_shared(symtab);
}

/* "[ext4]", or the path of its file: its name as the kernel has it. */
static bool module_name(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *base = *path == '[' ? path + 1 : slash ? slash + 1 : path;
	const char *end = *path == '[' ? strchr(base, ']') : strstr(base, ".ko");

	if (!end || end == base || (size_t)(end - base) >= size)
		return false;
	for (; base < end; base++)
		*name++ = *base == '-' ? '_' : *base;
	*name = '\0';
	return true;
}

/* Fills a table with what bears the module's name behind it. Its own begins a page. */
static int fill_module(struct xp_symtab *symtab, const struct xp_str *text, const char *name)
{
	enum { PAGE = 4096 };
	struct text_cursor cursor = { text->s, text->s + text->len };
	struct table *table = &symtab->table;
	struct text_symbol symbol;
	uint64_t base = UINT64_MAX;

	while (text_next_kernel_symbol(&cursor, &symbol)) {
		struct table_entry entry = { .start = symbol.address, .end = symbol.address };

		if (!is_wanted(&symbol) || !strchr("TtWw", symbol.type) ||
		    symbol.module_len != strlen(name) ||
		    memcmp(symbol.module, name, symbol.module_len) != 0)
			continue;
		if (table_add_name(table, symbol.name, symbol.name_len, &entry.name) ||
		    table_add(table, &entry))
			return -ENOMEM;
		base = symbol.address < base ? symbol.address : base;
	}
	for (size_t i = 0; i < table->nr; i++)
		table->at[i].end = table->at[i].start -= base / PAGE * PAGE;
	return table->nr ? XP_SYMTAB_FOUND : XP_SYMTAB_NO_FILE;
}

/* True if the running kernel's module is the recorded one, as far as that is known. */
static bool is_running(const struct xp_symtab *symtab, const char *name)
{
	struct xp_build_id running;
	char path[128];

	if (!symtab->id.len || symtab->symbols->kallsyms)
		return true;
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return notes_id(symtab->symbols->ctx, path, &running) &&
	       symtab_same_id(&symtab->id, &running);
}

int symtab_load_module(struct xp_symtab *symtab)
{
	const struct kernel_text *text;
	char name[64];

	if (!module_name(symtab->name, name, sizeof(name)))
		return XP_SYMTAB_NO_FILE;
	if (!is_running(symtab, name))
		return XP_SYMTAB_OTHER_FILE;
	int state = shared_text(symtab->symbols, &text);
	if (state == XP_SYMTAB_FOUND)
		state = fill_module(symtab, &text->text, name);
	return set_path(symtab, text->path, state);
}
