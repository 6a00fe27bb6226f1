/* SPDX-License-Identifier: MIT */
/*
 * The symbolizer: which kind of file a recorded path stands for, and its table, made when it is
 * first asked for. Any thread may open tables; two of the same file wait for each other.
 */
#include "symtab-impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "ctx.h"
#include "debuginfod.h"
#include "dumps.h"
#include "lasting.h"
#include "opts.h"
#include "reference.h"

static void table_free(struct table *table)
{
	if (table)
		xp_function_table_fini(table);
	free(table);
}

void xp_symtab_free(struct xp_symtab *symtab)
{
	xp_lines_free(symtab->lines);
	table_free(symtab->table);
	xp_kernel_text_unref(symtab->text);
	if (symtab->code && symtab->code->fd >= 0)
		close(symtab->code->fd);
	free(symtab->code);
	free(symtab->stamps);
	xp_symtab_free_placed(symtab->placed);
	free(symtab->segments);
	free(symtab->path);
	free(symtab);
}

/* Keeps copies of what the user gave. */
static int copy_strings(struct xp_symbols *symbols, const struct xp_symbols_opts *opts)
{
	const char *home = getenv("HOME");
	xp_auto_free char *usual = NULL;
	const char *debug_dir = opts->debug_dir;

	if (!debug_dir && home && *home) {
		if (asprintf(&usual, "%s/.debug", home) < 0) {
			usual = NULL;
			return -ENOMEM;
		}
		debug_dir = usual;
	}
	const struct {
		const char *from;
		const char **to;
	} strings[] = {
		{ opts->symfs ? opts->symfs : "", &symbols->symfs },
		{ opts->vmlinux, &symbols->vmlinux },
		{ opts->kallsyms, &symbols->kallsyms },
		{ debug_dir, &symbols->debug_dir },
		{ opts->cache_dir, &symbols->cache_dir },
	};
	for (size_t i = 0; i < XP_ARRAY_LEN(strings); i++) {
		if (!strings[i].from)
			continue;
		*strings[i].to = symbols->strings[i] = strdup(strings[i].from);
		if (!symbols->strings[i])
			return -ENOMEM;
	}
	return 0;
}

int xp_symbols_new(struct xp_ctx *ctx, const struct xp_symbols_opts *opts,
		   struct xp_symbols **ret_symbols)
{
	struct xp_symbols_opts known = { .size = sizeof(known) };

	int err = XP_OPTS_COPY(&known, opts, struct xp_symbols_opts, no_vmlinux, NULL);

	if (err)
		return err;
	if (known.debuginfod_limit_s < 0)
		return -EINVAL;
	struct xp_symbols *symbols = calloc(1, sizeof(*symbols));
	if (!symbols)
		return -ENOMEM;
	symbols->ctx = ctx;
	symbols->no_demangle = known.no_demangle;
	symbols->demangle_kernel = known.demangle_kernel;
	symbols->other_kernel = known.other_kernel;
	symbols->no_vmlinux = known.no_vmlinux;
	symbols->symfs_flat = known.symfs_flat;
	symbols->this_machine = known.this_machine;
	pthread_mutex_init(&symbols->lock, NULL);
	for (size_t i = 0; i < SYMTAB_LOCKS; i++)
		pthread_mutex_init(&symbols->locks[i], NULL);
	xp_demangler_init(&symbols->demangler);
	symbols->demangler.in_full = known.demangle_full;
	symbols->debuginfod = xp_debuginfod_new(&known);
	err = copy_strings(symbols, &known);
	if (err)
		xp_symbols_free(symbols);
	else
		*ret_symbols = symbols;
	return err;
}

void xp_symbols_free_jitdumps(struct xp_symbols *symbols)
{
	for (struct jitdump *dump = symbols->jitdumps, *next; dump; dump = next) {
		next = dump->next;
		free(dump);
	}
	symbols->jitdumps = NULL;
}

void xp_symbols_free(struct xp_symbols *symbols)
{
	if (!symbols)
		return;
	for (struct xp_symtab *symtab = symbols->first, *next; symtab; symtab = next) {
		next = symtab->next;
		xp_symtab_free(symtab);
	}
	xp_symbols_free_jitdumps(symbols);
	free(symbols->slots);
	xp_debuginfod_free(symbols->debuginfod);
	xp_kernel_text_unref(symbols->text);
	xp_demangler_fini(&symbols->demangler);
	xp_symtab_free_roots(&symbols->roots);
	pthread_mutex_destroy(&symbols->lock);
	for (size_t i = 0; i < SYMTAB_LOCKS; i++)
		pthread_mutex_destroy(&symbols->locks[i]);
	for (size_t i = 0; i < XP_ARRAY_LEN(symbols->strings); i++)
		free(symbols->strings[i]);
	free(symbols);
}

int xp_symbols_add_jitdump(struct xp_symbols *symbols, int32_t pid, const char *path)
{
	return xp_symbols_add_dump(
		symbols, pid,
		&(struct xp_symbol_file){ .size = sizeof(struct xp_symbol_file), .path = path });
}

int xp_symbols_add_dump(struct xp_symbols *symbols, int32_t pid, const struct xp_symbol_file *file)
{
	size_t bytes = strlen(file->path) + 1;
	struct jitdump *dump = malloc(sizeof(*dump) + bytes);

	if (!dump)
		return -ENOMEM;
	dump->pid = pid;
	dump->id = xp_symtab_id_of(file);
	memcpy(dump->path, file->path, bytes);
	dump->next = symbols->jitdumps;
	symbols->jitdumps = dump;
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_kernel(const char *path)
{
	return begins(path, "[kernel");
}

static bool is_guest(const char *path)
{
	return begins(path, "[guest.kernel");
}

static bool is_vdso(const char *path)
{
	return !strcmp(path, "[vdso]");
}

/* "perf-PID.map" in any directory */
static bool is_jit(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t nr_digits = begins(base, "perf-") ? strspn(base + 5, "0123456789") : 0;

	return slash && nr_digits && !strcmp(base + 5 + nr_digits, ".map");
}

/* The kernel's names of memory that no file is mapped to. Source: proc(5), /proc/PID/maps. */
static bool is_no_file(const char *path)
{
	static const char *const names[] = { "[heap]",      "[stack",     "[anon", "//anon",
					     "[uprobes]",   "[vsyscall]", "[vvar", "[unknown]",
					     "anon_inode:", "/dev/zero",  "/SYSV", "bpf_prog_" };

	for (size_t i = 0; i < XP_ARRAY_LEN(names); i++)
		if (begins(path, names[i]))
			return true;
	return !*path;
}

static bool is_memfd(const char *path)
{
	return begins(path, "/memfd:");
}

static bool is_module(const char *path)
{
	size_t len = strlen(path);

	return (path[0] == '[' && path[len - 1] == ']') || strstr(path, ".ko");
}

static bool is_any(const char *path)
{
	(void)path;
	return true;
}

static int no_file(struct xp_symtab *symtab)
{
	(void)symtab;
	return XP_SYMTAB_NOT_A_FILE;
}

static int no_guest(struct xp_symtab *symtab)
{
	(void)symtab;
	return XP_SYMTAB_NO_FILE;
}

/* What a path stands for: the first that fits. */
static const struct kind {
	bool (*fits)(const char *path);
	int (*load)(struct xp_symtab *symtab);
	enum xp_symtab_kind kind;
} kinds[] = {
	{ is_kernel, xp_symtab_load_kernel, XP_SYMTAB_KIND_KERNEL },
	{ is_guest, no_guest, XP_SYMTAB_KIND_NONE },
	{ is_vdso, xp_symtab_load_vdso, XP_SYMTAB_KIND_VDSO },
	{ is_jit, xp_symtab_load_jit, XP_SYMTAB_KIND_JIT },
	{ is_no_file, no_file, XP_SYMTAB_KIND_NONE },
	{ is_memfd, xp_symtab_load_memory, XP_SYMTAB_KIND_FILE },
	{ is_module, xp_symtab_load_module, XP_SYMTAB_KIND_KERNEL },
	{ is_any, xp_symtab_load_file, XP_SYMTAB_KIND_FILE },
};

static const struct kind *kind_of(const char *path)
{
	const struct kind *kind = kinds;

	while (!kind->fits(path))
		kind++;
	return kind;
}

enum xp_symtab_kind xp_symtab_kind_of(const char *path)
{
	return kind_of(path)->kind;
}

bool xp_symtab_is_file(const char *path)
{
	return kind_of(path)->kind == XP_SYMTAB_KIND_FILE;
}

static void clear(struct xp_symtab *symtab)
{
	table_free(symtab->table);
	xp_kernel_text_unref(symtab->text);
	free(symtab->path);
	symtab->table = NULL;
	symtab->text = NULL;
	symtab->path = NULL;
}

static int make(struct xp_symtab *symtab)
{
	const struct kind *kind = kind_of(symtab->name);
	struct xp_symbols *symbols = symtab->symbols;
	bool is_kernels = kind->kind == XP_SYMTAB_KIND_KERNEL;

	symtab->table = calloc(1, sizeof(*symtab->table));
	if (!symtab->table)
		return -ENOMEM;
	symtab->table->stops = "";
	xp_symtab_stamp_file(symtab);
	int state = kind->load(symtab);
	int err = state < 0 ? state : xp_function_table_seal(symtab->table);
	if (err || state != XP_SYMTAB_FOUND)
		clear(symtab);
	xp_symtab_stamp_path(symtab);
	if (err)
		return err;
	symtab->has_code_file = kind->kind == XP_SYMTAB_KIND_FILE;
	bool is_mangled = symtab->has_code_file || (is_kernels && symbols->demangle_kernel);
	if (is_mangled && !symbols->no_demangle)
		symtab->demangler = &symbols->demangler;
	if (symtab->table)
		symtab->table->demangler = symtab->demangler;
	if (is_kernels)
		symtab->nr_segments = 0; /* they were loaded as they are numbered */
	symtab->state = (enum xp_symtab_state)state;
	symtab->is_made = true;
	return 0;
}

static void log_made(const struct xp_symtab *symtab, int err)
{
	const struct xp_ctx *ctx = symtab->symbols->ctx;

	if (err)
		xp_log(ctx, XP_LOG_DEBUG, "symbols of %s: %s", symtab->name, strerror(-err));
	else if (symtab->state == XP_SYMTAB_FOUND)
		xp_log(ctx, XP_LOG_DEBUG, "symbols of %s are from %s", symtab->name,
		       symtab->path ? symtab->path : "the running kernel or process");
	else
		xp_log(ctx, XP_LOG_INFO, "no symbols of %s: %s", symtab->name,
		       xp_symtab_reason(symtab));
}

int xp_symbols_open(struct xp_symbols *symbols, const char *path, const void *build_id,
		    size_t build_id_len, struct xp_symtab **ret_symtab)
{
	return xp_symbols_open_file(symbols,
				    &(struct xp_symbol_file){ .size = sizeof(struct xp_symbol_file),
							      .path = path,
							      .build_id = build_id,
							      .build_id_len = build_id_len },
				    ret_symtab);
}

int xp_symbols_open_file(struct xp_symbols *symbols, const struct xp_symbol_file *file,
			 struct xp_symtab **ret_symtab)
{
	struct xp_symbol_file known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, file, struct xp_symbol_file, inode_generation, NULL);

	if (err || !known.path)
		return err ? err : -EINVAL;
	pthread_mutex_lock(&symbols->lock);
	struct xp_symtab *symtab = xp_symbols_entry(symbols, &known);
	pthread_mutex_unlock(&symbols->lock);
	if (!symtab)
		return -ENOMEM;
	pthread_mutex_lock(symtab->lock);
	if (!symtab->is_made) {
		err = make(symtab);
		log_made(symtab, err);
	}
	bool is_last = !err && symtab->state != XP_SYMTAB_NO_DESCRIPTOR;
	pthread_mutex_unlock(symtab->lock);
	if (!is_last)
		xp_symtab_forget(symtab);
	if (err)
		xp_symtab_close(symtab);
	else
		*ret_symtab = symtab;
	return err;
}

enum xp_symtab_state xp_symtab_get_state(const struct xp_symtab *symtab)
{
	return symtab->state;
}

const char *xp_symtab_reason(const struct xp_symtab *symtab)
{
	static const char *const reasons[] = {
		[XP_SYMTAB_FOUND] = "",
		[XP_SYMTAB_NO_FILE] = "the file does not exist",
		[XP_SYMTAB_OTHER_FILE] = "the file's build id differs from the recorded one",
		[XP_SYMTAB_STRIPPED] = "no symbols (stripped), and no debug file was found",
		[XP_SYMTAB_FORBIDDEN] = "no permission to read the file",
		[XP_SYMTAB_HIDDEN] = "the kernel hides its addresses (sysctl kernel.kptr_restrict)",
		[XP_SYMTAB_DAMAGED] = "the file is damaged, or not an ELF file",
		[XP_SYMTAB_NOT_A_FILE] = "this is not a file",
		[XP_SYMTAB_NO_LIBRARY] = "libelf is not installed",
		[XP_SYMTAB_UNCERTAIN] =
			"no build id was recorded, and the running kernel may be another one",
		[XP_SYMTAB_REPLACED] = "the file was replaced after it had been mapped",
		[XP_SYMTAB_NO_DESCRIPTOR] = "too many files are open",
	};

	return reasons[symtab->state];
}

const char *xp_symtab_path(const struct xp_symtab *symtab)
{
	return symtab->path ? symtab->path : "";
}

uint64_t xp_symtab_address(const struct xp_symtab *symtab, uint64_t offset)
{
	enum { PAGE = 4096 };
	const struct xp_elf_segment *near = NULL;

	for (size_t i = 0; i < symtab->nr_segments; i++) {
		const struct xp_elf_segment *segment = &symtab->segments[i];
		uint64_t len = segment->len ? segment->len : segment->memory_len;

		/* Pages are mapped whole: parts of two segments may be in one. */
		if (offset >= segment->offset && offset - segment->offset < len)
			return segment->address + (offset - segment->offset);
		if (offset + PAGE > segment->offset && offset < segment->offset + len + PAGE &&
		    (!near || segment->is_executable))
			near = segment;
	}
	return near ? near->address + (offset - near->offset) : offset;
}

int xp_symtab_find(struct xp_symtab *symtab, uint64_t address, struct xp_function *ret_function)
{
	if (symtab->text)
		return xp_kernel_text_find(symtab->text, address, symtab->demangler, ret_function);
	return symtab->table ? xp_function_table_find(symtab->table, address, ret_function) : 0;
}

int xp_symtab_reference(struct xp_symtab *symtab, const char *name, uint64_t *ret_address)
{
	if (symtab->text)
		return xp_kernel_text_address(symtab->text, name, ret_address);
	return symtab->table ? xp_function_table_address(symtab->table, name, ret_address)
			     : -ENODATA;
}
