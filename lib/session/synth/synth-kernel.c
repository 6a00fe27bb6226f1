/* SPDX-License-Identifier: MIT */
/*
 * The kernel and its modules as MMAP records. Where the text begins is shown by its
 * reference symbol, whose address is in the place of the offset: by it a reader undoes the
 * kernel's random placement. /proc/kallsyms is sorted by address, and the symbol is near its
 * beginning.
 *
 * Source: perf 6.1, a dump of a recording as root; proc(5), /proc/iomem, /proc/modules;
 * depmod(8), modules.dep.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/symbol.h>

#include "build-id.h"
#include "cleanup.h"
#include "num.h"
#include "proc-text.h"
#include "synth-emit.h"
#include "vec.h"

/* Where the text begins; its name is part of the record's. */
struct reference {
	const char *name;
	uint64_t address;
};

static const struct reference unknown_references[] = { { "_text", 0 }, { "_stext", 0 } };
enum { NR_REFERENCES = sizeof(unknown_references) / sizeof(unknown_references[0]) };

/* Notes one of the symbols that are looked for. */
static void note_symbol(const struct proc_symbol *symbol, struct reference *found)
{
	for (int i = 0; i < NR_REFERENCES; i++)
		if (symbol->name_len == strlen(found[i].name) &&
		    !memcmp(symbol->name, found[i].name, symbol->name_len))
			found[i].address = symbol->address;
}

/*
 * Reads until the best symbol is there. Returns it in *ret_found with its address, or false: there
 * is none near the beginning, or addresses are hidden.
 */
static bool find_reference(struct synth *synth, struct reference *ret_found)
{
	enum { MAX_SYMBOLS = 8192 }; /* per-CPU variables come first on some kernels */
	struct reference found[NR_REFERENCES];
	struct proc_symbol symbol;
	const char *line;
	size_t len;

	if (xp_lines_open(&synth->lines, synth->ctx, "/proc/kallsyms"))
		return false;
	memcpy(found, unknown_references, sizeof(found));
	for (int i = 0; i < MAX_SYMBOLS && !found[0].address; i++) {
		if (xp_lines_next(&synth->lines, &line, &len) <= 0)
			break;
		if (!xp_proc_symbol_parse(line, len, &symbol))
			note_symbol(&symbol, found);
	}
	xp_lines_close(&synth->lines);
	*ret_found = found[0].address ? found[0] : found[1];
	return ret_found->address;
}

/*
 * "  01000000-0220bb07 : Kernel code", "Kernel rodata", "Kernel data", "Kernel bss", one after the
 * other. Code that runs at boot is behind the text. Returns the length of all; 0: hidden.
 */
static uint64_t kernel_bytes(struct synth *synth)
{
	static const char what[] = " : Kernel ";
	uint64_t first = 0, last = 0, from, to;
	const char *line;
	size_t len;

	if (xp_lines_open(&synth->lines, synth->ctx, "/proc/iomem"))
		return 0;
	while (xp_lines_next(&synth->lines, &line, &len) > 0) {
		const char *colon = memmem(line, len, what, strlen(what));
		const char *dash = colon ? memchr(line, '-', (size_t)(colon - line)) : NULL;

		if (!dash)
			continue;
		while (*line == ' ')
			line++;
		if (xp_num_parse(line, (size_t)(dash - line), 16, &from) ||
		    xp_num_parse(dash + 1, (size_t)(colon - dash - 1), 16, &to))
			break;
		if (!memcmp(colon + strlen(what), "code", strlen("code")))
			first = from;
		last = to;
	}
	xp_lines_close(&synth->lines);
	return first && last > first ? last - first + 1 : 0;
}

/* A module; @path: of its file below the root, NULL: it has none that is known. */
struct module {
	char name[64]; /* MODULE_NAME_LEN is less */
	char *path;
	uint64_t address, size;
};

struct modules {
	struct module *at;
	size_t nr;
};

static void modules_fini(struct modules *modules)
{
	for (size_t i = 0; i < modules->nr; i++)
		free(modules->at[i].path);
	free(modules->at);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

static int by_address(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int add_module(struct modules *modules, const struct proc_module *proc)
{
	struct module module = { .address = proc->address, .size = proc->size };

	if (!proc->address || proc->name_len >= sizeof(module.name))
		return 0;
	memcpy(module.name, proc->name, proc->name_len);
	if (vec_add(&modules->at, modules->nr, sizeof(*modules->at)))
		return -ENOMEM;
	modules->at[modules->nr++] = module;
	return 0;
}

/* Where a module's file is, from a line "kernel/fs/ext4/ext4.ko.xz: ...": '-' of its name is '_'
 * in the module's. */
static int note_path(struct modules *modules, const char *release, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	const char *slash = colon ? memrchr(line, '/', (size_t)(colon - line)) : NULL;
	const char *base = slash ? slash + 1 : line;
	const char *ko = colon ? memmem(base, (size_t)(colon - base), ".ko", 3) : NULL;
	struct module key = { 0 };

	if (!ko || (size_t)(ko - base) >= sizeof(key.name))
		return 0;
	for (size_t i = 0; i < (size_t)(ko - base); i++)
		key.name[i] = base[i] == '-' ? '_' : base[i];
	struct module *module = bsearch(&key, modules->at, modules->nr, sizeof(key), by_name);
	if (!module || module->path)
		return 0;
	if (asprintf(&module->path, "/lib/modules/%s/%.*s", release, (int)(colon - line), line) <
	    0) {
		module->path = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* One file says where all of them are; @modules are in the order of their names. */
static int find_paths(struct synth *synth, struct modules *modules)
{
	xp_auto_free char *release = NULL;
	const char *line;
	size_t len;
	int err = 0;

	if (xp_file_read(synth->ctx, &release, NULL, "/proc/sys/kernel/osrelease"))
		return 0;
	release[strcspn(release, "\n")] = '\0';
	if (xp_lines_open(&synth->lines, synth->ctx, "/lib/modules/%s/modules.dep", release))
		return 0;
	while (!err && xp_lines_next(&synth->lines, &line, &len) > 0)
		err = note_path(modules, release, line, len);
	xp_lines_close(&synth->lines);
	return err;
}

static int read_modules(struct synth *synth, struct modules *modules)
{
	struct proc_module proc;
	const char *line;
	size_t len;
	int err = 0;

	if (xp_lines_open(&synth->lines, synth->ctx, "/proc/modules"))
		return 0;
	while (!err && xp_lines_next(&synth->lines, &line, &len) > 0)
		if (!xp_proc_module_parse(line, len, &proc))
			err = add_module(modules, &proc);
	xp_lines_close(&synth->lines);
	if (err || !modules->nr)
		return err;
	qsort(modules->at, modules->nr, sizeof(modules->at[0]), by_name);
	err = find_paths(synth, modules);
	qsort(modules->at, modules->nr, sizeof(modules->at[0]), by_address);
	return err;
}

/* An MMAP record, or an MMAP2 record where its build id is known; @notes: a file of ELF notes.
 */
static int emit(struct synth *synth, const struct xp_record_mmap *mmap, const char *name,
		const char *notes)
{
	xp_auto_free char *text = NULL;
	struct xp_build_id id;
	size_t len;

	if (!synth->opts.build_ids || xp_file_read(synth->ctx, &text, &len, "%s", notes) ||
	    !xp_build_id_of_notes(text, len, &xp_notes_native, &id)) {
		xp_synth_begin(synth, XP_RECORD_MMAP, XP_MISC_KERNEL, sizeof(*mmap));
		memcpy(&synth->rec.mmap.pid, &mmap->pid, sizeof(*mmap) - sizeof(mmap->header));
		return xp_synth_emit(synth, sizeof(*mmap), name, strlen(name));
	}
	struct xp_record_mmap2 *mmap2 = &synth->rec.mmap2;
	xp_synth_begin(synth, XP_RECORD_MMAP2, XP_MISC_KERNEL | XP_MISC_MMAP_BUILD_ID,
		       sizeof(*mmap2));
	memcpy(&mmap2->pid, &mmap->pid, sizeof(*mmap) - sizeof(mmap->header));
	mmap2->build_id_size = id.len;
	memcpy(mmap2->build_id, id.bytes, id.len);
	return xp_synth_emit(synth, sizeof(*mmap2), name, strlen(name));
}

/* What has no known end ends where the next one, or nothing, begins. */
static int emit_text(struct synth *synth, const struct modules *modules)
{
	struct xp_record_mmap mmap = { .pid = (uint32_t)-1 };
	struct reference reference;
	char name[64];

	if (!find_reference(synth, &reference))
		return 0;
	uint64_t end = UINT64_MAX, len = kernel_bytes(synth);
	for (size_t i = modules->nr; i > 0 && modules->at[i - 1].address > reference.address; i--)
		end = modules->at[i - 1].address;
	mmap.address = mmap.offset = reference.address;
	mmap.len = len && len < end - mmap.address ? len : end - mmap.address;
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", reference.name);
	return emit(synth, &mmap, name, "/sys/kernel/notes");
}

/* @end: where the next module begins */
static int emit_module(struct synth *synth, const struct module *module, uint64_t end)
{
	struct xp_record_mmap mmap = { .pid = (uint32_t)-1, .address = module->address };
	char notes[160], name[sizeof(module->name) + 2];

	mmap.len = module->size < end - module->address ? module->size : end - module->address;
	snprintf(name, sizeof(name), "[%s]", module->name);
	snprintf(notes, sizeof(notes), "/sys/module/%s/notes/.note.gnu.build-id", module->name);
	return emit(synth, &mmap, module->path ? module->path : name, notes);
}

int xp_synth_kernel(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn,
		    void *data)
{
	unsigned int since = ctx->nr_shortages;
	struct modules modules = { 0 };
	struct synth *synth;
	int err = xp_synth_new(ctx, opts, fn, data, &synth);

	if (err)
		return err;
	err = read_modules(synth, &modules) ?: emit_text(synth, &modules);
	for (size_t i = 0; i < modules.nr && !err; i++)
		err = emit_module(synth, &modules.at[i],
				  i + 1 < modules.nr ? modules.at[i + 1].address : UINT64_MAX);
	modules_fini(&modules);
	xp_synth_free(synth);
	return err ?: xp_ctx_shortage(ctx, since);
}
