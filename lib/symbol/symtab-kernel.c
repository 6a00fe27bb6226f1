/* SPDX-License-Identifier: MIT */
/*
 * The kernel and its modules: from the kernel's file if there is one with its build id, else from a
 * text of /proc/kallsyms that was kept, else from the running kernel, if it is the one.
 *
 * Addresses of the kernel are those of where the table comes from; xp_symtab_reference() gives how
 * far that is from the recorded ones. Those of a module count from its beginning.
 *
 * Source: perf-buildid-cache(1); kernel.kptr_restrict in
 * Documentation/admin-guide/sysctl/kernel.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build-id.h"
#include "cleanup.h"
#include "ctx.h"
#include "reference.h"
#include "symtab-impl.h"

/* The build id that a file of notes holds. Returns false: it is not known. */
static bool notes_id(struct xp_ctx *ctx, const char *path, struct xp_build_id *ret_id)
{
	xp_auto_free char *notes = NULL;
	size_t len;

	return !xp_file_read(ctx, &notes, &len, "%s", path) &&
	       xp_build_id_of_notes(notes, len, &xp_notes_native, ret_id);
}

/* The state that an error of opening a text means. */
static int text_state(int err)
{
	if (err == -ENOMEM)
		return err;
	return err == -EACCES ? XP_SYMTAB_HIDDEN : (int)xp_symtab_state_of(err);
}

/* Reads the running kernel's text, or the user's copy. */
static int open_text(struct xp_symbols *symbols)
{
	return symbols->kallsyms
		       ? xp_kernel_text_open(symbols->ctx, symbols->kallsyms, &symbols->text)
		       : xp_kernel_text_open_running(symbols->ctx, symbols->cache_dir,
						     &symbols->text);
}

/* The same, once. Returns what became of it, or -ENOMEM. */
static int shared_text(struct xp_symbols *symbols)
{
	pthread_mutex_lock(&symbols->lock);
	if (!symbols->text_is_read) {
		symbols->text_err = open_text(symbols);
		symbols->text_is_read = symbols->text_err != -ENOMEM;
	}
	int state = text_state(symbols->text_err);
	pthread_mutex_unlock(&symbols->lock);
	return state;
}

static int set_path(struct xp_symtab *symtab, const struct kernel_text *text)
{
	free(symtab->path);
	symtab->path = strdup(xp_kernel_text_path(text));
	return symtab->path ? XP_SYMTAB_FOUND : -ENOMEM;
}

/* From the copy that was kept when the recording was made. */
static int load_kept(struct xp_symtab *symtab)
{
	xp_auto_free char *path = xp_symtab_cache_path(symtab, "kallsyms");
	int err = path ? xp_kernel_text_open(symtab->symbols->ctx, path, &symtab->text) : -ENOENT;

	if (err)
		return text_state(err);
	return set_path(symtab, symtab->text);
}

int xp_symtab_running_kernel(const struct xp_symtab *symtab)
{
	const struct xp_symbols *symbols = symtab->symbols;

	if (*symbols->symfs)
		return XP_SYMTAB_NO_FILE;
	return symbols->other_kernel && !symtab->id.len ? XP_SYMTAB_UNCERTAIN : XP_SYMTAB_FOUND;
}

/* The same by its build id in a file of notes. */
static int running_by_notes(const struct xp_symtab *symtab, const char *notes)
{
	struct xp_build_id running;
	int state = xp_symtab_running_kernel(symtab);

	if (state != XP_SYMTAB_FOUND || !symtab->id.len)
		return state;
	return notes_id(symtab->symbols->ctx, notes, &running) &&
			       xp_symtab_same_id(&symtab->id, &running)
		       ? XP_SYMTAB_FOUND
		       : XP_SYMTAB_OTHER_FILE;
}

static int load_shared(struct xp_symtab *symtab)
{
	struct xp_symbols *symbols = symtab->symbols;
	int state =
		symbols->kallsyms ? XP_SYMTAB_FOUND : running_by_notes(symtab, "/sys/kernel/notes");

	if (state == XP_SYMTAB_FOUND)
		state = shared_text(symbols);
	if (state != XP_SYMTAB_FOUND)
		return state;
	symtab->text = xp_kernel_text_ref(symbols->text);
	return set_path(symtab, symtab->text);
}

int xp_symtab_load_kernel(struct xp_symtab *symtab)
{
	static const char *const names[] = { "elf", "vmlinux", NULL };
	const struct xp_symbols *symbols = symtab->symbols;
	int state = XP_SYMTAB_NO_FILE;

	if (symbols->vmlinux)
		return xp_symtab_load_path(symtab, symbols->vmlinux);
	if (!symbols->kallsyms && !symbols->no_vmlinux && symtab->id.len)
		state = xp_symtab_load_by_id(symtab, names);
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

/* What the running kernel says of its own. */
static int load_running(struct xp_symtab *symtab)
{
	struct xp_symbols *symbols = symtab->symbols;
	char name[64], notes[128];
	int state = XP_SYMTAB_FOUND;

	if (!module_name(symtab->name, name, sizeof(name)))
		return XP_SYMTAB_NO_FILE;
	snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", name);
	if (!symbols->kallsyms)
		state = running_by_notes(symtab, notes);
	if (state == XP_SYMTAB_FOUND)
		state = shared_text(symbols);
	if (state != XP_SYMTAB_FOUND)
		return state;
	int err = xp_kernel_text_module(symbols->text, name, symtab->table);
	return err ? text_state(err) : set_path(symtab, symbols->text);
}

/* The module's file, if it is the one: where it was, or kept by its build id. */
static int load_file(struct xp_symtab *symtab)
{
	static const char *const names[] = { "elf", NULL };
	xp_auto_free char *path = NULL;
	int state = XP_SYMTAB_NO_FILE;

	if (!symtab->id.len)
		return state;
	if (*symtab->name == '/') {
		path = xp_symtab_file_path(symtab);
		if (!path)
			return -ENOMEM;
		state = xp_symtab_load_path(symtab, path);
	}
	return state == XP_SYMTAB_FOUND || state < 0 ? state : xp_symtab_load_by_id(symtab, names);
}

int xp_symtab_load_module(struct xp_symtab *symtab)
{
	int state = load_running(symtab);

	if (state < 0 || state == XP_SYMTAB_FOUND)
		return state;
	int kept = load_file(symtab);
	return kept < 0 || kept == XP_SYMTAB_FOUND ? kept : state;
}
